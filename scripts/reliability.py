"""Try every fault and all hostile input, and write docs/reliability.md from what came of it.

    python scripts/reliability.py                   in full: minutes
    python scripts/reliability.py --share 0.05      a twentieth of the counts, page not written

Seeds are fixed and on the page, so that every case can be tried again. Ends with exit code 1
if anything was lost. What is tried is in tests/faults, where the test suite tries some of it.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # the tests are no part of what is installed

from tests.faults import giants, solves, strangers, tables  # noqa: E402
from tests.faults.tally import Tally  # noqa: E402
from ur_solver.make import make_table  # noqa: E402
from ur_solver.rules import named_rules  # noqa: E402

SEED = 20261
READ_RULES, OTHER_RULES = "finkel:3", "skiriuk:2"
KILLED_RULES, FAULT_RULES, DAMAGED_RULES = "finkel:4", "finkel:3", "finkel:1"

MOUNTED = """A read-only or full disk was a file system in memory, mounted
for it, and besides a limit on the size of files."""
NOT_MOUNTED = """No file system could be mounted here: a full disk was a
limit on the size of files."""

PAGE = """# Reliability

What happens to solves, tables and readers when the machine, the file or a stranger does its
worst. Every fault is tried many times by

    python scripts/reliability.py

which wrote this page; the test suite tries a small part of the same in every run
(`tests/faults`). A case counts as

- **survived** if the result was right as if nothing had happened: every value equal to that of
  an undisturbed solve, bit for bit;
- **detected** if one clear sentence said what was wrong, no half-written file stood under a
  final name, and the same command, left alone, went on to the right result;
- **lost** if it was anything else: a wrong value, a crash, a traceback, a hang, a finished
  block that was solved again.

Seed {seed}. {machine}
It took {minutes:.0f} minutes; the files were in {folder}.

## Solves

Each solve is a process with one thread, unless it says otherwise. Where it did not end well by
itself, the same command was given again without the fault, and had to take over every block
that was finished.

{solves}

Killed solves went on from what they had, again and again until they were through; no finished
block was written twice. {disk}

With less than 256 MiB of address space a command ends before it begins, saying so: the libraries
that it is built on could not be loaded whole.

## Damaged files

Every value of each damaged table was read, by ones, by many and all at once, and compared.
Where damage survived, it had hit bytes that mean nothing: padding, dates, room for growth. A
block of a checkpoint that is damaged is solved again.

{damage}

## Input from strangers

Inputs are drawn by hypothesis from a corpus (`tests/data/corpus`) by cutting, doubling and
replacing parts. *Survived* means that the input was accepted: it was still well formed, and
came through being written and read again. Texts of positions are given to all rule sets.

{strangers}

What is given to the commands under a limit of 2 GiB of address space and of {timeout} seconds:
{giants}.

Not covered: the HDF5 library itself reads the structure of a file before this program can
judge it. Its own checksums keep accidents from it, but not who forges them.

The compiled code is built with bounds checks, AddressSanitizer and UBSan by `make sanitize`,
which runs the tests of the kernels, spaces and solves on it.

## Readers

One table ({read_rules}) read by many at once, by ones and by many values; every value compared.
*Threads* share one open table, *forks* were forked after it was opened, *processes* opened it
themselves. Rates are values a second by all workers together, {cores}.

{readers}

{rates}

The load of the machine was {load:.1f} at the end: where it is above the number of cores, none
is free for a second worker, and rates cannot grow. A thread waits for the
others wherever Python itself runs, as it does between values that are read one by one;
processes do not.
"""


def row(tally: Tally) -> str:
    """A tally as a line of a table."""
    lost = len(tally.lost) or "none"
    return f"| {tally.fault} | {tally.tried} | {tally.survived} | {tally.detected} | {lost} |"


def table(tallies: list[Tally]) -> str:
    """Tallies as a table."""
    head = "| fault | tried | survived | detected | lost |\n|---|---|---|---|---|"
    return "\n".join([head, *map(row, tallies)])


class Run:
    """A run of everything, a `share` of the full counts of it."""

    def __init__(self, folder: pathlib.Path, share: float) -> None:
        self.folder = folder
        self.share = share
        self.tallies: list[Tally] = []

    def times(self, full: int) -> int:
        """So many of `full`."""
        return max(1, round(self.share * full))

    def tried(self, make: Callable[[], Tally | None]) -> Tally | None:
        """Make a tally, and say what came of it."""
        began = time.perf_counter()
        tally = make()
        if tally is not None:
            self.tallies.append(tally)
            print(f"{time.perf_counter() - began:6.1f} s {row(tally)}", flush=True)
            for case in tally.lost:
                print(f"         lost: {case}")
        return tally

    def all(self, *makes: Callable[[], Tally | None]) -> list[Tally]:
        """The tallies of those that can be tried on this machine."""
        return [tally for make in makes if (tally := self.tried(make)) is not None]

    def solve_faults(self) -> list[Tally]:
        """What happens to solves."""
        times = self.times
        large = solves.Solves(self.folder / "large", KILLED_RULES)
        one = solves.Solves(self.folder, FAULT_RULES)
        other = solves.Solves(self.folder / "other", OTHER_RULES)
        return self.all(
            lambda: solves.kills(one, times(80), SEED),
            lambda: solves.kills(large, times(10), SEED),
            lambda: solves.kills(other, times(10), SEED),
            lambda: solves.full_disks(one, times(10), SEED),
            lambda: solves.small_disks(one, times(10), SEED),
            lambda: solves.read_only(one),
            lambda: solves.gone(one, times(5), SEED),
            lambda: solves.memory_limits(one, times(10), SEED),
            lambda: solves.two_at_once(one, times(5)),
            lambda: solves.open_elsewhere(one),
            lambda: solves.clock_changes(one),
            lambda: solves.other_checkpoints(one),
        )

    def damage(self, sound: pathlib.Path, other: pathlib.Path) -> list[Tally]:
        """Flipped bits and cut bytes."""
        n = self.times(1000)
        return self.all(
            *(
                partial(tables.damaged_tables, path, n, SEED, cut)
                for path in (sound, other)
                for cut in (False, True)
            ),
            *(
                partial(solves.damaged_checkpoints, self.folder, DAMAGED_RULES, n, SEED, cut)
                for cut in (False, True)
            ),
        )

    def hostile(self) -> list[Tally]:
        """What strangers send."""
        n = self.times(1000)
        makes = [partial(strangers.attack, name, n, SEED) for name in strangers.TARGETS]
        return self.all(*makes, lambda: giants.giants(self.folder))

    def readers(self, sound: pathlib.Path) -> tuple[list[Tally], str]:
        """Many readers at once, and their rates."""
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        found, rows = [], ["| readers | workers | values a second |", "|---|---|---|"]
        for kind in ("threads", "forks", "processes"):
            for workers in sorted({1, cores or 1, 8}):
                rate = 0.0

                def read(kind: str = kind, workers: int = workers) -> Tally:
                    nonlocal rate
                    tally, rate = tables.readers(sound, kind, workers, 8, self.times(3_000_000))
                    return tally

                found += self.all(read)
                rows.append(f"| {kind} | {workers} | {rate:,.0f} |")
        found += self.all(lambda: tables.reading_beside_a_solve(sound, READ_RULES, self.times(10)))
        return found, "\n".join(rows)


def machine() -> str:
    """This machine, in a sentence."""
    model = platform.processor() or platform.machine()
    cpuinfo = pathlib.Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        model = names[0].partition(": ")[2] if names else model
    return (
        f"Machine: {os.cpu_count()} cores of an {model}, {platform.system()}, Python "
        f"{platform.python_version()}."
    )


def main() -> int:
    """Try everything; the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--share", type=float, default=1.0, help="of the full counts")
    share = parser.parse_args().share
    began = time.perf_counter()
    print(f"seed {SEED}; {machine()}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run = Run(folder, share)
        paths = []
        for word in (READ_RULES, OTHER_RULES):
            path = folder / f"{word.replace(':', '-')}.h5"
            make_table(named_rules(word), path, threads=1)
            paths.append(path)
        solved, damaged, hostile = run.solve_faults(), run.damage(*paths), run.hostile()
        read, rates = run.readers(paths[0])
    lost = [case for tally in run.tallies for case in tally.lost]
    tried = sum(tally.tried for tally in run.tallies)
    print(f"{tried} cases, {len(lost) or 'none'} lost")
    has_tmpfs = any("tmpfs" in tally.fault for tally in solved)
    if share == 1.0:
        page = PAGE.format(
            seed=SEED,
            folder=tempfile.gettempdir(),
            machine=machine(),
            minutes=(time.perf_counter() - began) / 60,
            solves=table(solved),
            disk=MOUNTED if has_tmpfs else NOT_MOUNTED,
            damage=table(damaged),
            strangers=table(hostile),
            timeout=giants.TIMEOUT,
            giants=", ".join(giants.GIANTS),
            read_rules=READ_RULES,
            cores=f"on a machine of {os.cpu_count()} cores",
            readers=table(read),
            rates=rates,
            load=os.getloadavg()[0],
        )
        (ROOT / "docs" / "reliability.md").write_text(page)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
