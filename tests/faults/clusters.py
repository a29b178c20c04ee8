"""Solves by workers of a cluster, some of which go away, as does whoever tells them what to do.

A solve must end with the values of an undisturbed one, bit for bit, and write no block twice.
"""

from __future__ import annotations

import os
import pathlib
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.checkpoints import block_files
from tests.faults.solves import Solves
from tests.faults.tally import Tally
from tests.solving import make_table
from ur_solver.engine.runners import Cluster, check_reachable

_SETTINGS = {
    # a worker may be there long before its scheduler, and ends when that has gone
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "60s",
    "DASK_DISTRIBUTED__COMM__RETRY__COUNT": "0",
}


class Machines:
    """A scheduler and workers, each a process of its own."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.scheduler = self.start_scheduler()
        check_reachable(Cluster(self.address), patience=120)  # a solve waits for 15 seconds
        self.workers: list[subprocess.Popen[bytes]] = []

    def _start(
        self, *words: str, limit: Callable[[], object] | None = None
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "dask", *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | _SETTINGS,
            preexec_fn=limit,  # noqa: PLW1509 - it only sets limits
        )

    def start_scheduler(self) -> subprocess.Popen[bytes]:
        return self._start(
            *("scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard")
        )

    def start_worker(self, limit: Callable[[], object] | None = None) -> None:
        self.workers.append(
            self._start(
                *("worker", self.address, "--no-nanny", "--nthreads", "1", "--memory-limit", "0"),
                *("--no-dashboard", "--local-directory", str(self.folder)),
                limit=limit,
            )
        )

    def stop(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@contextmanager
def machines(folder: pathlib.Path, workers: int) -> Iterator[Machines]:
    """A scheduler with a number of workers."""
    found = Machines(folder)
    try:
        for _ in range(workers):
            found.start_worker()
        yield found
    finally:
        found.stop()


def _disturbed(
    solves: Solves,
    address: str,
    disturb: Callable[[], object],
    after: int,
    silence: float = 60,
) -> bool:
    """Whether a solve that is disturbed after `after` blocks is right, and none is solved twice."""
    reported: list[int] = []

    def progress(done: int, _total: int) -> None:
        reported.append(done)
        if len(reported) == after:
            disturb()

    solves.clear()
    make_table(
        solves.rules,
        solves.output,
        cluster=Cluster(address, threads=1, silence=silence),
        progress=progress,
    )
    return solves.is_right() and len(reported) == len(set(reported))


def killed_workers(solves: Solves, folder: pathlib.Path, times: int, seed: int) -> Tally:
    """Kill a worker at a random block; another one comes."""
    tally = Tally(f"{solves.word}, two workers: one is killed (SIGKILL), another one comes")
    dice = random.Random(seed)
    with machines(folder, 2) as cluster:

        def kill() -> None:
            cluster.workers.pop(0).kill()
            cluster.start_worker()

        for case in range(times):
            after = dice.randrange(1, 60)
            is_right = _disturbed(solves, cluster.address, kill, after)
            tally.count(survived=is_right, case=f"case {case} of seed {seed}, block {after}")
    return tally


def adaptive_clusters(solves: Solves, folder: pathlib.Path, times: int, seed: int) -> Tally:
    """A cluster that starts and ends workers as needed begins without one, and one is killed."""
    from distributed import Client, LocalCluster

    tally = Tally(f"{solves.word}, an adaptive cluster of none to two workers: one is killed")
    dice = random.Random(seed)
    for case in range(times):
        with LocalCluster(
            n_workers=0,
            threads_per_worker=1,
            memory_limit=0,
            dashboard_address="127.0.0.1:0",
            silence_logs=50,
            local_directory=str(folder),
        ) as cluster:
            cluster.adapt(minimum=0, maximum=2, interval="100ms")

            def kill(address: str = cluster.scheduler_address) -> None:
                with Client(address, set_as_default=False) as client:
                    for pid in list(client.run(os.getpid).values())[:1]:
                        os.kill(pid, signal.SIGKILL)

            after = dice.randrange(1, 60)
            is_right = _disturbed(solves, cluster.scheduler_address, kill, after)
            tally.count(survived=is_right, case=f"case {case} of seed {seed}, block {after}")
    return tally


def stopped_workers(solves: Solves, folder: pathlib.Path, times: int, seed: int) -> Tally:
    """Stop a worker until the solve is through, so that it says nothing."""
    tally = Tally(f"{solves.word}, two workers: one is paused (SIGSTOP) and goes on afterwards")
    dice = random.Random(seed)
    for case in range(times):
        with machines(folder, 2) as cluster:
            after = dice.randrange(1, 60)
            is_right = _disturbed(
                solves,
                cluster.address,
                lambda: cluster.workers[0].send_signal(signal.SIGSTOP),
                after,
                silence=3,
            )
            cluster.workers[0].send_signal(signal.SIGCONT)
            time.sleep(0.5)
            is_right = is_right and solves.is_right()
            tally.count(survived=is_right, case=f"case {case} of seed {seed}, block {after}")
    return tally


def restarted_schedulers(solves: Solves, folder: pathlib.Path, times: int, seed: int) -> Tally:
    """Kill the scheduler at a random block, and start it again with other workers."""
    tally = Tally(f"{solves.word}, two workers: the scheduler is killed and started again")
    dice = random.Random(seed)
    for case in range(times):
        with machines(folder, 2) as cluster:

            def restart(cluster: Machines = cluster) -> None:
                cluster.stop()
                cluster.scheduler = cluster.start_scheduler()
                cluster.start_worker()

            after = dice.randrange(1, 60)
            is_right = _disturbed(solves, cluster.address, restart, after)
            tally.count(survived=is_right, case=f"case {case} of seed {seed}, block {after}")
    return tally


def full_disks_of_workers(solves: Solves, folder: pathlib.Path, times: int, seed: int) -> Tally:
    """One of two workers cannot write files beyond a random size."""
    tally = Tally(f"{solves.word}, two workers: the disk of one is full (RLIMIT_FSIZE)")
    dice = random.Random(seed)
    for case in range(times):
        size = dice.randrange(100, 200_000)

        def limit(size: int = size) -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        with machines(folder, 1) as cluster:
            cluster.start_worker(limit)
            is_right = _disturbed(solves, cluster.address, lambda: None, 0)
            tally.count(survived=is_right, case=f"case {case} of seed {seed}, {size} bytes")
    return tally


def killed_drivers(
    solves: Solves, folder: pathlib.Path, times: int, seed: int, kills: int = 3
) -> Tally:
    """Kill the driver at a random block, again and again; its workers go on with what they have."""
    tally = Tally(f"{solves.word}, two workers: the driver is killed (SIGKILL), then resumed")
    dice = random.Random(seed)
    with machines(folder, 2) as cluster:
        for case in range(times):
            solves.clear()
            kept: dict[int, bytes] = {}
            for _ in range(kills):
                process = solves.start("--scheduler", cluster.address)
                solves.wait_for_blocks(process, len(kept) + dice.randrange(1, 20))
                process.kill()
                solves.finish(process)
                after = solves.finished()
                if {
                    index: after.get(index) for index in kept
                } != kept and not solves.output.exists():
                    tally.lost.append(f"a block was solved again, case {case} of seed {seed}")
                kept = after
            code, said = solves.finish(solves.start("--scheduler", cluster.address))
            shutil.rmtree(solves.blocks, ignore_errors=True)
            tally.count(survived=code == 0 and solves.is_right(), case=f"case {case}: {said}")
    return tally


def damaged_blocks(solves: Solves, folder: pathlib.Path, times: int, seed: int) -> Tally:
    """Flip a bit of a block's file, or truncate it, before it is read."""
    tally = Tally(f"{solves.word}, two workers: a block's file is changed or truncated meanwhile")
    dice = random.Random(seed)
    with machines(folder, 2) as cluster:

        def damage() -> None:
            files = block_files(solves.output)
            path = files[dice.choice(sorted(files))]
            content = bytearray(path.read_bytes())
            at = dice.randrange(len(content))
            if dice.random() < 0.5:
                content[at] ^= 1 << dice.randrange(8)
            else:
                del content[at:]
            path.unlink()
            path.write_bytes(content)

        for case in range(times):
            after = dice.randrange(1, 60)
            solves.clear()
            reported: list[int] = []

            def progress(
                done: int, _total: int, after: int = after, reported: list[int] = reported
            ) -> None:
                reported.append(done)
                if len(reported) == after:
                    damage()

            make_table(
                solves.rules,
                solves.output,
                cluster=Cluster(cluster.address, threads=1),
                progress=progress,
            )
            tally.count(survived=solves.is_right(), case=f"case {case} of seed {seed}")
    return tally
