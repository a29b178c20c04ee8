"""Measure solves beyond memory and by workers.

    python scripts/measure_beyond.py large murray:5 --memory 16GiB --folder /large/disk
    python scripts/measure_beyond.py workers masters:6 murray:4 --folder /large/disk

`large` solves to a folder, certified where that is possible, kills the solve once in the middle,
goes on, and prints time, resident memory, disk and the value. `workers` solves with one thread,
with one worker and with two workers in turn, the last time with threads lent from one to the
other; it compares the values, and prints a table in Markdown with what `ur plan` expected next to
the time.
Both need a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import pathlib
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

import psutil

from ur_solver.cli.options import memory_size
from ur_solver.rules import named_rules
from ur_solver.solving.costs import measured_speed, schedule_of
from ur_solver.solving.request import Request
from ur_solver.table.reader import TableFile

_UR = [sys.executable, "-m", "ur_solver"]
_LOOK = 0.5


def watched(words: list[str], kill_after: float | None = None) -> tuple[float, int, int]:
    """Run a command: its seconds, the most resident memory of it and its workers, its exit code."""
    began, peak = time.perf_counter(), 0
    with subprocess.Popen([*_UR, *words]) as process:
        own = psutil.Process(process.pid)
        while process.poll() is None:
            try:
                taken = sum(each.memory_info().rss for each in [own, *own.children(recursive=True)])
                peak = max(peak, taken)
            except psutil.NoSuchProcess:
                pass
            if kill_after is not None and time.perf_counter() - began > kill_after:
                process.send_signal(signal.SIGKILL)
                break
            time.sleep(_LOOK)
        code = process.wait()
    return time.perf_counter() - began, peak, code


def size_of(folder: pathlib.Path) -> int:
    """The bytes of all files of a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def large(word: str, memory: int, folder: pathlib.Path, certify: bool) -> None:
    """One large solve, killed in the middle."""
    rules = named_rules(word).settled()
    output = folder / f"{rules.name}-{rules.pieces}"
    shutil.rmtree(output, ignore_errors=True)
    request = Request.of(rules, certify=certify)
    speed = measured_speed(request)
    words = ["solve", word, "-o", str(output), "--memory", str(memory)]
    words += ["--certify"] * certify
    middle = speed.seconds_per_value * request.part.n_values / (psutil.cpu_count() or 1) / 2
    first, first_peak, code = watched(words, kill_after=middle)
    print(f"{word}: killed after {first:.0f} s (exit {code}), {size_of(output) / 1e9:.1f} GB there")
    rest, rest_peak, code = watched(words)
    print(f"{word}: went on for {rest:.0f} s (exit {code}); {first + rest:.0f} s together")
    peak = max(first_peak, rest_peak) / 2**30
    print(f"{word}: {peak:.1f} GiB resident at most, {size_of(output) / 1e9:.1f} GB on disk")
    subprocess.run([*_UR, "info", str(output)], check=True)


@dataclass(frozen=True)
class Run:
    """A solve by one thread (no worker) or by workers, next to its plan.

    The workers have a thread each; where `lends` is true, a block that is alone has both.
    """

    rules: str
    workers: int
    lends: bool
    seconds: float
    planned: float
    resident: int
    off: float

    def row(self, alone: float) -> str:
        """A line of a Markdown table; `alone` is what one worker took."""
        cells = [
            self.rules.replace(":", " "),
            f"{self.workers or 'none'}{', which lend' * self.lends}",
            f"{self.seconds:.1f} s",
            f"{self.planned:.1f} s",
            f"{100 * (self.planned / self.seconds - 1):+.0f} %",
            f"{alone / self.seconds:.2f}",
            f"{self.resident / 2**30:.1f} GiB",
            f"{self.off:.0e}" if self.off else "none",
        ]
        return f"| {' | '.join(cells)} |"


HEAD = """| rule set | workers | time | `ur plan` | off by | speed-up | resident | difference |
|---|---|---|---|---|---|---|---|"""


def workers(word: str, folder: pathlib.Path) -> list[Run]:
    """One solve by one thread, one worker, and two workers without and with lending."""
    rules = named_rules(word).settled()
    memory = psutil.virtual_memory().available // 2
    request = Request.of(rules, threads=1, memory=memory)
    speed = measured_speed(request)
    runs: list[Run] = []
    truth = None
    for count, lends in ((0, False), (1, False), (2, False), (2, True)):
        output = folder / f"{rules.name}-{rules.pieces}-by-{count}"
        shutil.rmtree(output, ignore_errors=True)
        more = ["--workers", str(count), "--memory", str(memory)] if count else []
        most = [] if lends else ["--threads", "1"]
        words = ["solve", word, "-q", "-o", str(output), *most, *more]
        seconds, peak, code = watched(words)
        if code:
            sys.exit(f"{word} by {count} workers ended with exit code {code}")
        planned = schedule_of(
            request, workers=max(1, count), speed=speed, machines=1 if lends else None
        )
        with TableFile(output) as table:
            values = table.load()
            truth = values if truth is None else truth
            off = float(abs(values - truth).max())
        shutil.rmtree(output)
        runs.append(Run(word, count, lends, seconds, planned.seconds, peak, off))
        print(f"{word}, {count} workers: {seconds:.1f} s", file=sys.stderr)
    return runs


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["large", "workers"])
    parser.add_argument("rules", nargs="+", metavar="RULES")
    parser.add_argument("--memory", type=memory_size, default=16 << 30)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--no-certify", action="store_true")
    given = parser.parse_args()
    if given.what == "large":
        for word in given.rules:
            large(word, given.memory, given.folder, not given.no_certify)
        return
    runs = [workers(word, given.folder) for word in given.rules]
    print(HEAD)
    for of_word in runs:
        for run in of_word:
            print(run.row(of_word[1].seconds))


if __name__ == "__main__":
    main()
