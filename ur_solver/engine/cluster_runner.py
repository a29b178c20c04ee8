"""Solving on the workers of a cluster, with Dask distributed as the executor.

``pip install ur-solver[cluster]`` installs it; this module alone imports it. The driver keeps the
graph and an account of the workers, and sends ready blocks to them, each task to a chosen worker,
never more than workers have room for. So its scheduler stays small, and nothing depends on what it
remembers: a worker that is lost, or does not answer, loses only its unfinished blocks, and so does
the scheduler.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import math
import pathlib
import platform
import queue
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, TypeVar

import dask
from distributed import Client, Future, LocalCluster
from distributed.client import FutureCancelledError
from distributed.scheduler import KilledWorker

from ur_solver.blocks.folder import Job, described
from ur_solver.blocks.lock import HEAD
from ur_solver.common.machine import free_memory, program_version, usable_processors
from ur_solver.engine.block import Lease
from ur_solver.engine.graph import BlockGraph
from ur_solver.engine.program import source_digest
from ur_solver.engine.runners import (
    PATIENCE,
    SMALL_SIZE,
    Assignment,
    Cluster,
    Dispatcher,
    Task,
)
from ur_solver.errors import ClusterError, DamagedBlockError, OutputError
from ur_solver.kernel._workspace import Workspace

_SETTINGS = {
    # blocks that a lost worker had are not to blame
    "distributed.scheduler.allowed-failures": 1_000,
    # a log of some kB per message: 1,000 would be 20 MB
    "distributed.admin.low-level-log-length": 100,
    # the driver places blocks
    "distributed.scheduler.work-stealing": False,
    # mapped files count as a worker's memory, though the system takes them back: the driver's
    # account is what limits it
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
}

_CONNECTING = "10s"


@contextmanager
def connected(cluster: Cluster) -> Iterator[Callable[[], Client]]:
    """A function that connects to a cluster; a cluster started here ends with the context."""
    # the driver reports the fate of workers and of the scheduler, in a line
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with dask.config.set(_SETTINGS):
        if cluster.scheduler is not None:
            address = cluster.scheduler
            yield lambda: Client(address, timeout=_CONNECTING, set_as_default=False)
            return
        count = cluster.workers or 1
        threads = cluster.threads or max(1, usable_processors() // count)
        with LocalCluster(
            n_workers=count,
            threads_per_worker=threads,
            processes=True,
            memory_limit=0,
            # its usual port may be taken, by another solve for example
            scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
            silence_logs=50,
        ) as local:
            yield lambda: Client(local, timeout=_CONNECTING, set_as_default=False)


_log = logging.getLogger(__name__)

_R = TypeVar("_R")

_LOOK = 1.0
"""Seconds between checks of the workers."""

_SHOW = 0.2
"""Seconds between changes of the demand that is shown."""

_AHEAD = 32
"""The number of further small blocks per message, as a message takes longer than a block."""

_PROMPT = 10.0
"""How many seconds to wait for a new worker's report; a worker that takes longer is used later."""

_MOST_SHOWN = 5_000
"""The most tasks by which demand is shown; they ask for 500 threads of Dask's defaults."""

_MOST_ATTEMPTS = 5
"""The most attempts of one block on workers that fail or go away, or that find damaged blocks."""

_LARGE = 1 << 17
"""The number of values from which on a block's workspace is freed after it."""

_PASSING = (FutureCancelledError, KilledWorker, OutputError, MemoryError, OSError)
"""Errors that may not recur on another worker, or later."""

_idle: queue.LifoQueue[Workspace] = queue.LifoQueue()
"""Workspaces of this process, a worker's, which keep their pages."""


@dataclass(frozen=True)
class Worker:
    """A worker's report about itself."""

    version: str
    source: str  # which decides whether its program is the driver's
    machine: str
    processors: int
    memory: int
    sees: bytes | None


def _introduce(folder: str | None) -> Worker:
    """Runs on a worker."""
    sees = None if folder is None else _head_of(folder)
    return Worker(
        version=program_version(),
        source=_source_for(None if sees is None else folder),
        machine=platform.node(),
        processors=usable_processors(),
        memory=free_memory(),
        sees=sees,
    )


def _source_for(folder: str | None) -> str:
    """The digest of the program that solves in a folder; raises as `Job.read` does."""
    return source_digest(None if folder is None else Job.read(pathlib.Path(folder) / HEAD).rules)


def _head_of(folder: str) -> bytes | None:
    """The head of a folder's solve; None if there is no such folder."""
    try:
        return (pathlib.Path(folder) / HEAD).read_bytes()
    except OSError:
        return None


def _perform(
    task: Task[_R], blocks: Sequence[tuple[int, int, bool]], is_large: bool
) -> list[_R | Exception]:
    """Runs on a worker: the result or the error of the task for each block, with its threads and
    whether it has room for policies.
    """
    try:
        workspace = _idle.get_nowait()
    except queue.Empty:
        workspace = Workspace()
    results: list[_R | Exception] = []
    try:
        for index, threads, policies in blocks:
            try:
                results.append(task(index, Lease(workspace, partial(int, threads), policies)))
            except Exception as error:
                results.append(error)
        return results
    finally:
        if is_large:
            workspace.release()
        _idle.put(workspace)


@dataclass(frozen=True)
class ClusterRunner:
    """The workers of a Dask cluster."""

    connect: Callable[[], Client]  # called again when the scheduler has gone
    # the bytes that a block takes while it is solved, by its number and the most that it may take
    cost: Callable[[int, int], int]
    # whether a block has room for policies at that cost
    has_policies: Callable[[int, int], bool] = lambda index, cost: True
    largest: int = 0  # the least that the largest takes; the run needs a worker with that memory
    folder: str | None = None  # which all workers must see, with the same solve in it
    memory: int | None = None  # for blocks on each worker; by default what is free there
    most_threads: int | None = None  # for one block
    silence: float = 60.0  # seconds after which a silent worker counts as lost
    patience: float = 300.0  # seconds to wait for a first worker, or a scheduler that has gone
    on_workers: Callable[[int], object] = lambda count: None  # called when their count changes

    is_remote: ClassVar[bool] = True

    def run(self, graph: BlockGraph, task: Task[_R], on_done: Callable[[_R], object]) -> None:
        """See `Runner.run`; the task must be picklable.

        ClusterError if for long there is no scheduler, no worker, or none that is large enough.
        """
        _Drive(self, graph, task).run(on_done)


class _Drive:
    """One call of `ClusterRunner.run`."""

    def __init__(self, runner: ClusterRunner, graph: BlockGraph, task: Task[Any]) -> None:
        self._runner = runner
        self._graph = graph
        self._task = task
        self._dispatcher = Dispatcher(graph, self._cost, runner.most_threads, ahead=_AHEAD)
        self._futures: dict[Future, list[Assignment]] = {}
        self._attempts: Counter[tuple[int, int | None]] = Counter()
        self._asked: dict[str, concurrent.futures.Future[dict[str, Worker]]] = {}
        self._refused: dict[str, str] = {}  # the workers that are given nothing, and why
        self._demand = _Demand()
        self._ended: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self._sent = 0
        self._since = time.monotonic()
        self._is_counted = False  # whether the number of workers has been reported

    def _cost(self, index: int) -> int:
        return self._runner.cost(index, self._dispatcher.largest_memory)

    def run(self, on_done: Callable[[Any], object]) -> None:
        self._client = self._connected(min(self._runner.patience, PATIENCE))
        try:
            looked = shown = 0.0
            while self._graph.n_left:
                if time.monotonic() - looked > _LOOK:
                    self._look()
                    looked = time.monotonic()
                self._submit()
                if time.monotonic() - shown > _SHOW:
                    self._demand.show(self._client, self._dispatcher, len(self._refused))
                    shown = time.monotonic()
                for future in self._some_ended():
                    self._take(future, on_done)
        finally:
            with suppress(Exception):
                self._client.cancel(list(self._futures), force=True)
            with suppress(Exception):
                self._client.close()

    def _connected(self, patience: float) -> Client:
        until = time.monotonic() + patience
        while True:
            try:
                return self._runner.connect()
            except ValueError as error:
                raise ClusterError(f"no scheduler can be asked: {error}") from None
            except (OSError, TimeoutError) as error:
                if time.monotonic() > until:
                    raise ClusterError(f"no scheduler answers: {error}") from None
                time.sleep(_LOOK)

    def _look(self) -> None:
        """Update the account of workers that have come, gone or fallen silent."""
        if self._client.status != "running":
            self._begin_again()
            return
        try:
            scheduler: Any = self._client.scheduler
            info = self._client.sync(scheduler.identity, n_workers=-1)
        except (OSError, TimeoutError):
            self._begin_again()
            return
        before = set(self._dispatcher.workers)
        heard = {
            address: each
            for address, each in info["workers"].items()
            if each["status"] == "running"
            and time.time() - each.get("last_seen", time.time()) < self._runner.silence
        }
        for address in self._dispatcher.workers:
            if address not in heard:
                self._lose(address)
        self._refused = {each: why for each, why in self._refused.items() if each in heard}
        known = {*self._dispatcher.workers, *self._refused}
        self._welcome({each: int(heard[each]["nthreads"]) for each in heard if each not in known})
        workers = set(self._dispatcher.workers)
        if workers != before or not (workers or self._is_counted):
            self._runner.on_workers(len(workers))
        self._is_counted = True
        self._check_hope()

    def _begin_again(self) -> None:
        """Handle the loss of the scheduler and its memory."""
        _log.warning("the scheduler has gone; waiting for it")
        for address in self._dispatcher.workers:
            self._lose(address)
        with suppress(Exception):
            self._client.close()
        self._client = self._connected(self._runner.patience)
        self._asked.clear()
        self._demand = _Demand()

    def _welcome(self, new: dict[str, int]) -> None:
        """Ask new workers, with these threads, for their reports, and use those that are right."""
        asked = self._asked
        self._asked = {each: asked.get(each) or self._report_of(each) for each in new}
        fresh = [report for each, report in self._asked.items() if each not in asked]
        concurrent.futures.wait(fresh, _PROMPT)
        for address, threads in new.items():
            if self._asked[address].done():
                self._judge(address, threads, self._asked.pop(address))

    def _report_of(self, address: str) -> concurrent.futures.Future[dict[str, Worker]]:
        said = self._client.run(
            _introduce, self._runner.folder, workers=[address], asynchronous=True
        )
        loop: Any = self._client.loop
        return asyncio.run_coroutine_threadsafe(said, loop.asyncio_loop)

    def _judge(
        self, address: str, threads: int, report: concurrent.futures.Future[dict[str, Worker]]
    ) -> None:
        """Use a worker that has the same program and folder."""
        try:
            worker = report.result()[address]
        except OSError:  # it is going; if it stays, it is asked again
            return
        except Exception as error:  # without what the rules need, or of another version
            self._refuse(address, f"cannot be used: {error}")
            return
        if (fault := self._fault_of(worker.sees)) is not None:
            self._refuse(address, fault)
            return
        source = getattr(worker, "source", "unknown")  # of a version that says none
        if source != (own := _source_for(self._runner.folder)):
            self._refuse(
                address,
                f"has another program: {worker.version} of source {source}, not "
                f"{program_version()} of source {own}",
            )
        else:
            memory = worker.memory if self._runner.memory is None else self._runner.memory
            self._dispatcher.add(
                address,
                threads,
                memory,
                machine=worker.machine,
                processors=worker.processors,
            )

    def _fault_of(self, seen: bytes | None) -> str | None:
        """The fault of the folder that a worker sees; None if it is right."""
        folder = self._runner.folder
        if folder is None:
            return None
        if seen is None:
            return f"does not see the folder {folder!r}"
        if seen == _head_of(folder):
            return None
        return f"sees another solve in the folder {folder!r}: {described(seen)}"

    def _refuse(self, address: str, reason: str) -> None:
        _log.warning("worker %s %s; it is given nothing", address, reason)
        self._refused[address] = reason

    def _lose(self, address: str) -> None:
        _log.warning("worker %s has gone", address)
        for index in self._dispatcher.remove(address):
            self._count_attempt((index, None), f"worker {address} has gone")
        gone = [each for each, given in self._futures.items() if given[0].worker == address]
        for future in gone:
            del self._futures[future]
            with suppress(Exception):
                future.cancel()

    def _check_hope(self) -> None:
        """Raise ClusterError if no block can be solved."""
        if self._dispatcher.workers:
            most = self._dispatcher.largest_memory
            if self._runner.largest > most:
                raise ClusterError(
                    f"the largest block takes {self._runner.largest / 2**30:.1f} GiB, the largest "
                    f"worker has {most / 2**30:.1f}: it needs a worker with more memory"
                )
            self._since = time.monotonic()
        elif time.monotonic() - self._since > self._runner.patience or (
            self._refused and time.monotonic() - self._since > 10
        ):
            why = self._refused | dict.fromkeys(self._asked, "does not answer")
            reasons = "; ".join(f"{each} {reason}" for each, reason in why.items())
            raise ClusterError(f"no worker can be used{': ' * bool(reasons)}{reasons}")

    def _submit(self) -> None:
        """Send the blocks that fit; small blocks for one worker go together."""
        together: dict[str, list[Assignment]] = {}
        while (given := self._dispatcher.assign()) is not None:
            if self._graph.sizes[given.index] < SMALL_SIZE:
                together.setdefault(given.worker, []).append(given)
            else:
                self._send([given])
        for each in together.values():
            self._send(each)

    def _send(self, given: list[Assignment]) -> None:
        self._sent += 1
        first = given[0]
        future = self._client.submit(
            _perform,
            self._task,
            [
                (each.index, each.threads, self._runner.has_policies(each.index, each.cost))
                for each in given
            ],
            self._graph.sizes[first.index] >= _LARGE,
            key=f"ur-blocks-{first.index}-{id(self):x}-{self._sent}",
            workers=[first.worker],
            allow_other_workers=False,
            pure=False,
        )
        self._futures[future] = given
        future.add_done_callback(self._ended.put)

    def _some_ended(self) -> list[Future]:
        """The futures that have ended; wait some time if there are none."""
        found = []
        with suppress(queue.Empty):
            found.append(self._ended.get(timeout=_SHOW))
            while True:
                found.append(self._ended.get_nowait())
        return found

    def _take(self, future: Future, on_done: Callable[[Any], object]) -> None:
        given = self._futures.pop(future, None)
        if given is None:
            return  # it was given up
        try:
            results = future.result(timeout=30)
        except (FutureCancelledError, KilledWorker, MemoryError, OSError) as error:
            results = [error] * len(given)
        future.release()
        for each, result in zip(given, results, strict=True):
            self._hear(each.index, result, on_done)

    def _hear(self, index: int, result: Any, on_done: Callable[[Any], object]) -> None:
        """Handle a block that is done or has failed."""
        if not isinstance(result, Exception):
            self._dispatcher.release(index)
            try:
                on_done(result)
            except DamagedBlockError as error:  # its file differs from what the worker wrote
                self._graph.give_back(index)
                self._count_attempt((index, index), str(error))
            return
        if isinstance(result, DamagedBlockError):
            self._graph.reopen(result.index, index)
            self._dispatcher.give_back(index)
            self._count_attempt((index, result.index), str(result))
            return
        is_passing = isinstance(result, _PASSING)
        self._dispatcher.give_back(index, is_failed=is_passing)
        if not is_passing:
            raise result
        # on another worker, or on this one later
        self._count_attempt((index, None), str(result) or type(result).__name__, result)

    def _count_attempt(
        self, failed: tuple[int, int | None], why: str, error: Exception | None = None
    ) -> None:
        """Count a failed attempt of a block, by the damaged block that it has read, if it has."""
        index, _ = failed
        self._attempts[failed] += 1
        if self._attempts[failed] < _MOST_ATTEMPTS:
            _log.warning("block %d is begun again: %s", index, why)
        elif isinstance(error, OutputError | MemoryError):
            raise error
        else:
            raise ClusterError(
                f"block {index} failed {_MOST_ATTEMPTS} times; the last error: {why}"
            )


_NOBODY = {"ur-solver-nobody": 1}
"""A resource that no worker has."""


class _Demand:
    """Shows how many workers could be used to clusters that start and end them as needed.

    An adaptive cluster asks its scheduler how many workers there should be, which counts tasks that
    wait there and how long such tasks take. Blocks wait here. So the scheduler gets tasks that no
    worker can run, as many as make it ask for those that could be used.
    """

    def __init__(self) -> None:
        self._shown: list[Future] = []

    def show(self, client: Client, dispatcher: Dispatcher, n_refused: int) -> None:
        """Ask for as many more workers as would have a thread for each block that waits."""
        self._shown = [each for each in self._shown if not each.done()]  # some clusters end them
        waiting, shown = dispatcher.n_waiting, len(self._shown)
        count = waiting
        if 0 < waiting <= shown:
            threads = dispatcher.mean_threads
            wanted = n_refused + len(dispatcher.workers) + math.ceil(waiting / threads)
            scheduler: Any = client.scheduler
            try:
                target = client.sync(scheduler.adaptive_target)
            except (OSError, TimeoutError):  # it has gone, which the next look finds
                return
            # one of them counts for a thread at most, and for less where blocks take no time
            more = shown if target < wanted else -int((target - wanted) * threads)
            count = max(waiting, shown + more)
        count = min(count, _MOST_SHOWN)
        if count > shown:
            self._shown += client.map(
                int, range(count - shown), key="ur-demand", pure=False, resources=_NOBODY
            )
        elif count < shown:
            client.cancel(self._shown[count:], force=True)
            del self._shown[count:]
