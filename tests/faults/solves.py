"""Solves as processes that meet a fault, each followed by a solve without one.

The latter must end with the values of an undisturbed solve, bit for bit. With one thread a solve
is deterministic.
"""

from __future__ import annotations

import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from tests.checkpoints import finished_blocks
from tests.faults.tally import Tally
from tests.solving import make_table
from ur_solver.blocks.folder import BlockFolder, Job
from ur_solver.errors import UrError
from ur_solver.rules import RuleSet, named_rules
from ur_solver.table.reader import TableFile
from ur_solver.table.writer import TableWriter

TIMEOUT = 600


class Solves:
    """Solves of one rule set in one folder.

    Parameters
    ----------
    folder : Path
        Emptied before every case.
    word : str
        The rule set, such as ``finkel:4``.
    """

    def __init__(self, folder: pathlib.Path, word: str) -> None:
        self.word = word
        self.rules = named_rules(word)
        self.folder = folder / "solves"
        self.output = self.folder / "table.h5"
        self.blocks = self.folder / "table.h5.blocks"
        self.clear()
        make_table(self.rules, self.output, threads=1)
        self.truth = self.values()
        self.size = self.output.stat().st_size
        began = time.perf_counter()
        self.output.unlink()
        self.finish(self.start())
        self.seconds = time.perf_counter() - began

    def clear(self) -> None:
        """Begin a case with an empty folder."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def values(self) -> npt.NDArray[np.float64]:
        """The values of the output."""
        with TableFile(self.output) as table:
            return np.array(table.load())

    def start(
        self,
        *more: str,
        before: Callable[[], object] | None = None,
        quiet: bool = True,
        environment: dict[str, str] | None = None,
    ) -> subprocess.Popen[str]:
        """Start a solve as a process; `before` is called in the process before it begins."""
        command = [sys.executable, "-m", "ur_solver", "solve", self.word, "--threads", "1"]
        return subprocess.Popen(
            [*command, "-o", str(self.output), *["-q"] * quiet, *more],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=before,  # noqa: PLW1509 - it only sets limits
            env=os.environ | (environment or {}),
        )

    @staticmethod
    def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
        """Wait for a process; returns its exit code and what it wrote to standard error."""
        _, said = process.communicate(timeout=TIMEOUT)
        return process.returncode, said

    def finished(self) -> dict[int, bytes]:
        """The finished blocks, each with data that changes if it is solved again."""
        return finished_blocks(self.output)

    def wait_for_blocks(self, process: subprocess.Popen[str], count: int) -> None:
        """Wait until `count` blocks are finished or the process has ended."""
        while process.poll() is None and len(self.finished()) < count:
            time.sleep(0.001)

    def is_right(self) -> bool:
        """Whether the output has the correct values and there are no other files."""
        return os.listdir(self.folder) == [self.output.name] and np.array_equal(
            self.values(), self.truth
        )

    def goes_on(self) -> bool:
        """Whether a solve without a fault reuses all finished blocks and ends correctly."""
        n_kept = len(self.finished())
        code, said = self.finish(self.start(quiet=False))
        is_kept = not n_kept or f"resuming from {n_kept} of " in said
        return code == 0 and is_kept and self.is_right()

    def count(self, tally: Tally, code: int, said: str, case: str) -> None:
        """Count a solve: it is correct, or it ends with one sentence and can be resumed."""
        if code == 0:
            tally.count(survived=self.is_right(), case=f"{case}: {said}")
            return
        is_clear = code == 1 and is_one_sentence(said) and not self.output.exists()
        tally.count(detected=is_clear and self.goes_on(), case=f"{case}: exit {code}: {said}")


def is_one_sentence(said: str) -> bool:
    """Whether a command wrote one line only, an error message."""
    return said.startswith("Error: ") and len(said.strip().splitlines()) == 1


def kills(solves: Solves, times: int, seed: int) -> Tally:
    """Kill a solve at random moments and resume it, until it is complete."""
    tally = Tally(f"{solves.word}: killed (SIGKILL) at a random moment, then resumed")
    dice = random.Random(seed)
    solves.clear()
    kept: dict[int, bytes] = {}
    while tally.tried < times:
        process = solves.start()
        time.sleep(dice.random() * solves.seconds)
        process.kill()
        solves.finish(process)
        case = f"kill {tally.tried} of seed {seed}"
        if solves.output.exists():
            # the table was complete before the kill
            shutil.rmtree(solves.blocks, ignore_errors=True)
            tally.count(survived=solves.is_right(), case=case)
            solves.clear()
            kept = {}
            continue
        after = solves.finished()
        # no finished block is lost, and none is written a second time
        tally.count(survived={index: after.get(index) for index in kept} == kept, case=case)
        kept = after
    if not solves.output.exists() and not solves.goes_on():
        tally.lost.append(f"the solve after the last kill of seed {seed}")
    return tally


def full_disks(solves: Solves, times: int, seed: int) -> Tally:
    """Limit the size of files to a random number; writing more fails as on a full disk."""
    tally = Tally(f"{solves.word}: the disk is full (RLIMIT_FSIZE of a random size)")
    dice = random.Random(seed)
    for _ in range(times):
        size = dice.randrange(solves.size)

        def limit(size: int = size) -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        solves.clear()
        code, said = solves.finish(solves.start(before=limit))
        solves.count(tally, code, said, f"files of at most {size} bytes")
    return tally


def small_disks(solves: Solves, times: int, seed: int) -> Tally | None:
    """Solve on a file system that becomes full; None if none can be mounted."""
    tally = Tally(f"{solves.word}: the disk (tmpfs) is full at a random moment")
    dice = random.Random(seed)
    for _ in range(times):
        size = dice.randrange(1 << 12, 2 * solves.size)
        solves.clear()
        with mounted(solves.folder, f"size={size}") as is_mounted:
            if not is_mounted:
                return None
            code, said = solves.finish(solves.start())
            remount(solves.folder, f"size={8 * solves.size}")
            solves.count(tally, code, said, f"a disk of {size} bytes")
    return tally


@contextmanager
def mounted(folder: pathlib.Path, options: str) -> Iterator[bool]:
    """Mount a file system in memory at `folder`; yields False if this process may not."""
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("mount")
    if not is_root or subprocess.run(command, capture_output=True, check=False).returncode:
        yield False
        return
    try:
        yield True
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def remount(folder: pathlib.Path, options: str) -> None:
    """Change the options of a file system that `mounted` has mounted."""
    subprocess.run(["mount", "-o", f"remount,{options}", str(folder)], check=True)


def read_only(solves: Solves) -> Tally | None:
    """Solve into a read-only folder; None if this user can neither make nor mount one."""
    tally = Tally(f"{solves.word}: the output's folder is read-only")
    solves.clear()
    with mounted(solves.folder, "ro") as is_mounted:
        if not is_mounted:
            if hasattr(os, "geteuid") and os.geteuid() == 0:
                return None  # root ignores modes
            solves.folder.chmod(0o500)
        code, said = solves.finish(solves.start())
        if is_mounted:
            remount(solves.folder, "rw")
        else:
            solves.folder.chmod(0o700)
        solves.count(tally, code, said, "read-only")
    return tally


def pause(process: subprocess.Popen[str]) -> None:
    """Pause a process, unless it has ended; returns when all of its threads stand still."""
    if process.poll() is None:
        process.send_signal(signal.SIGSTOP)
        # The signal is only delivered later: until then the process may write and remove files.
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)


def gone(solves: Solves, times: int, seed: int) -> Tally:
    """Remove the output's folder while the solve is paused."""
    tally = Tally(f"{solves.word}: the output's folder is removed while solving")
    dice = random.Random(seed)
    for _ in range(times):
        solves.clear()
        process = solves.start()
        count = dice.randrange(1, 12)
        solves.wait_for_blocks(process, count)
        pause(process)
        shutil.rmtree(solves.folder)
        process.send_signal(signal.SIGCONT)
        code, said = solves.finish(process)
        solves.folder.mkdir(exist_ok=True)
        if code == 0:
            continue  # it was through before it could be stopped
        solves.count(tally, code, said, f"after {count} blocks")
    return tally


def memory_limits(solves: Solves, times: int, seed: int) -> Tally:
    """Limit the address space to a random size, as `ulimit -v` does."""
    tally = Tally(f"{solves.word}: memory is limited (ulimit -v), to between 112 MiB and 1.2 GiB")
    dice = random.Random(seed)
    for _ in range(times):
        size = dice.randrange(112 << 20, 1200 << 20)

        def limit(size: int = size) -> None:
            resource.setrlimit(resource.RLIMIT_AS, (size, size))

        solves.clear()
        threads = dice.choice(["1", "2", "4"])
        code, said = solves.finish(solves.start("--threads", threads, before=limit))
        if code == 0 and threads != "1":
            tally.count(survived=bool(abs(solves.values() - solves.truth).max() < 1e-12), case=said)
        else:
            solves.count(tally, code, said, f"{size} bytes, {threads} threads")
    return tally


def two_at_once(solves: Solves, times: int) -> Tally:
    """Start a second solve to the same output while the first one is running."""
    tally = Tally(f"{solves.word}: two solves to one output at once")
    for time_ in range(times):
        solves.clear()
        first = solves.start()
        solves.wait_for_blocks(first, 1)
        pause(first)  # so that it cannot be done before the second starts
        try:
            code, said = solves.finish(solves.start())
        finally:
            first.send_signal(signal.SIGCONT)
        is_refused = code == 1 and said.startswith("Error: another solve is writing to ")
        is_through = solves.finish(first)[0] == 0 and solves.is_right()
        tally.count(detected=is_refused and is_through, case=f"pair {time_}: {said}")
    return tally


def open_elsewhere(solves: Solves) -> Tally:
    """Solve while another process reads the old table, or holds the new one open for writing."""
    tally = Tally(f"{solves.word}: the output is open elsewhere, for reading and for writing")
    solves.clear()
    solves.finish(solves.start())
    with TableFile(solves.output) as old:
        code, said = solves.finish(solves.start("--force"))
        is_kept = np.array_equal(old.load(), solves.truth)  # read after it was replaced
        tally.count(survived=code == 0 and is_kept and solves.is_right(), case=f"read: {said}")
    solves.clear()
    with TableWriter(solves.output, solves.rules, tolerance=1e-12):
        code, said = solves.finish(solves.start())
    solves.count(tally, code, said, "written")
    return tally


BACKWARDS = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
#include <sys/time.h>
static long hours;
int clock_gettime(clockid_t id, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int code = real(id, now);
    if (id == CLOCK_REALTIME) now->tv_sec -= 3600 * 24 * 365 * ++hours;
    return code;
}
time_t time(time_t *where) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (where) *where = now.tv_sec;
    return now.tv_sec;
}
"""


def clock_changes(solves: Solves) -> Tally | None:
    """Set the clock back by a year whenever it is read; None without a C compiler."""
    tally = Tally(f"{solves.word}: the clock goes back by a year whenever it is read")
    if shutil.which("gcc") is None:
        return None
    library = solves.folder.parent / "backwards.so"
    command = ["gcc", "-shared", "-fPIC", "-xc", "-", "-o", str(library), "-ldl"]
    subprocess.run(command, input=BACKWARDS, text=True, check=True)
    solves.clear()
    environment = {"LD_PRELOAD": str(library)}
    process = solves.start(environment=environment)
    solves.wait_for_blocks(process, 20)
    process.kill()
    solves.finish(process)
    code, said = solves.finish(solves.start(environment=environment))
    solves.count(tally, code, said, "from a checkpoint")
    return tally


def other_checkpoints(solves: Solves) -> Tally:
    """Resume from a checkpoint of other rules, tolerance or version, or with a broken head."""
    tally = Tally(f"{solves.word}: a checkpoint of other rules, tolerance or version")
    fewer = solves.rules.with_pieces(1)
    for rules, tolerance in ((fewer, 1e-12), (solves.rules, 1e-6)):
        solves.clear()
        with BlockFolder(solves.blocks, Job(rules.settled(), tolerance)):
            pass
        _count_refused(tally, solves, f"{rules.pieces} pieces, tolerance {tolerance}")
    version = json.loads(Job(solves.rules.settled(), 1e-12).to_bytes())["version"]
    others = [(f'"version": {version}', f'"version": {version + by}') for by in (-1, 1)]
    for old, new in (*others, ("{", "")):
        solves.clear()
        with BlockFolder(solves.blocks, Job(solves.rules.settled(), 1e-12)) as checkpoint:
            head = checkpoint.folder / "solve.json"
            head.write_text(head.read_text().replace(old, new, 1))
        _count_refused(tally, solves, f"{old!r} written as {new!r}")
    return tally


def _count_refused(tally: Tally, solves: Solves, case: str) -> None:
    before = {path: path.read_bytes() for path in solves.blocks.rglob("*") if path.is_file()}
    code, said = solves.finish(solves.start())
    after = {path: path.read_bytes() for path in solves.blocks.rglob("*") if path.is_file()}
    is_clear = code == 1 and is_one_sentence(said) and not solves.output.exists()
    tally.count(detected=is_clear and after == before, case=f"{case}: {said}")


def damaged_checkpoints(folder: pathlib.Path, word: str, times: int, seed: int, cut: bool) -> Tally:
    """Flip a bit in a random file of a checkpoint, or truncate it, then resume the solve."""
    what = (
        "a random file of a checkpoint is truncated"
        if cut
        else "a bit of a random file of a checkpoint is flipped"
    )
    tally = Tally(f"{word}: {what}, then the solve is resumed")
    rules, dice = named_rules(word), random.Random(seed)
    kept, output = folder / "kept.h5", folder / "damaged.h5"
    _interrupted(rules, kept)
    blocks, copy = kept.with_name("kept.h5.blocks"), output.with_name("damaged.h5.blocks")
    whole = folder / "whole.h5"
    make_table(rules, whole, threads=1, force=True)
    with TableFile(whole) as table:
        truth = np.array(table.load())
    files = sorted(
        path.relative_to(blocks)
        for path in blocks.rglob("*")
        if path.is_file() and path.stat().st_size
    )
    for case in range(times):
        shutil.rmtree(copy, ignore_errors=True)
        output.unlink(missing_ok=True)
        shutil.copytree(blocks, copy)
        path = copy / dice.choice(files)
        path.write_bytes(damaged(path.read_bytes(), dice, cut))
        name = f"case {case} of seed {seed}, {path.relative_to(copy)}"
        try:
            make_table(rules, output, threads=1)
        except UrError as error:
            tally.count(detected=not output.exists() and "\n" not in str(error), case=name)
            continue
        except Exception as error:
            tally.count(case=f"{name}: {error!r}")
            continue
        with TableFile(output) as table:
            tally.count(survived=np.array_equal(table.load(), truth), case=name)
    return tally


def _interrupted(rules: RuleSet, output: pathlib.Path) -> None:
    """A checkpoint with all blocks but the last ones."""

    def stop(done: int, total: int) -> None:
        if done > 0.7 * total:
            raise KeyboardInterrupt

    try:
        make_table(rules, output, threads=1, progress=stop)
    except KeyboardInterrupt:
        return
    raise AssertionError("the solve was not interrupted")


def damaged(content: bytes, dice: random.Random, cut: bool) -> bytes:
    """`content` with a random bit flipped, or truncated at a random place."""
    at = dice.randrange(len(content))
    if cut:
        return content[:at]
    return content[:at] + bytes([content[at] ^ 1 << dice.randrange(8)]) + content[at + 1 :]
