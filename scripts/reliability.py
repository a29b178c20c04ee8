"""Try every fault and all hostile input, and write the results to docs/reliability.md.

    python scripts/reliability.py                   in full: minutes
    python scripts/reliability.py --share 0.05      a twentieth of the counts, page not written

The seed is fixed and on the page, so that every case can be repeated. The exit code is 1 if
anything was lost. The faults are in tests/faults, and the test suite tries some of them.
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
sys.path.insert(0, str(ROOT))  # the tests are not installed

from tests.faults import (  # noqa: E402
    askers,
    clusters,
    commands,
    forgeries,
    giants,
    pages,
    solves,
    strangers,
    tables,
)
from tests.faults.tally import Tally  # noqa: E402
from tests.solving import make_table  # noqa: E402
from ur_solver.rules import named_rules  # noqa: E402

SEED = 20261
READ_RULES, OTHER_RULES = "finkel:3", "skiriuk:2"
KILLED_RULES, FAULT_RULES, DAMAGED_RULES = "finkel:4", "finkel:3", "finkel:1"

MOUNTED = """Read-only and full disks were file systems in memory, mounted for
the purpose; full disks were also simulated by a limit on the size of files."""
NOT_MOUNTED = """No file system could be mounted here, so that full disks were
simulated by a limit on the size of files."""

PAGE = """# Reliability

This page shows what happens to solves, tables and readers when the machine fails, a file is
damaged or input is hostile. Every fault is tried many times by

<!-- not run: takes minutes -->

    $ python scripts/reliability.py

which writes this page. The test suite tries a small part of the same faults in every run
(`tests/faults`). A case counts as

- **survived** if the result was correct in spite of the fault: every value equal to that of an
  undisturbed solve, bit for bit;
- **detected** if one clear sentence said what was wrong, no incomplete file had its final name,
  and the same command without the fault then led to the correct result;
- **lost** in every other case: a wrong value, a crash, a traceback, a hang, or a finished block
  that was solved again.

Seed {seed}. {machine}
It took {minutes:.0f} minutes; the files were in {folder}.

## Solves

Each solve is a process with one thread unless stated otherwise. If it failed, the same command
was run again without the fault, and had to reuse every block that was finished.

{solves}

Killed solves were resumed, and killed again, until they were complete. No finished block was
written twice. {disk}

With less than 256 MiB of address space a command ends at once with a message, since the libraries
that it uses could not be loaded completely.

## Workers of a cluster

Solves by two workers, processes of their own beside a scheduler and a driver ([on many
machines](cluster.md)), one thread a block. No finished block was solved twice. The adaptive cluster
starts workers as they are needed, and begins without one.

{clusters}

## Damaged files

Every value of each damaged table was read, one by one, many at a time and all at once, and
compared. Damage that was survived had hit bytes without meaning: padding, dates, space for growth.
A damaged block of a checkpoint is solved again.

{damage}

## Hostile input

Inputs are drawn by hypothesis from a corpus (`tests/data/corpus`), whose parts are cut, doubled
and replaced. *Survived* means that the input was still well formed and was accepted, and that it
was the same after being written and read again. Texts of positions are given to all rule sets.
Requests to `ur serve` have strange addresses, hosts, sites, methods, positions and bodies, some of
which are too large, never end or hold numbers and text that JSON can spell and nobody can use;
*detected* means a 4xx status with one sentence. Commands are all commands of `ur`, with words,
options, files and standard input drawn in the same way. Each ended in an answer or in one sentence,
and changed no file but the output that was asked for.

In *forged* files of a stranger, bytes, numbers and JSON values were changed at random, and all
digests and checksums made right again. *Survived* means that the file was read, and that each
number of it can be what it stands for: no NaN, no chance beyond 0 and 1, no negative error. No
case gave a warning of NumPy, or text that is not JSON. Files of a site were read by the page's own
engine in a browser.

{strangers}

The following is given to the commands, with limits of 2 GiB of address space and {timeout} seconds:
{giants}.

One thing is not covered: the HDF5 library reads the structure of a file before this program can
check it. Its own checksums protect it from accidental damage, but not from forgery.

`make sanitize` builds the compiled code with bounds checks, AddressSanitizer and UBSan, and runs
tests that reach all of it.

## Readers

One table ({read_rules}) was read by many workers at once, one by one and many values at a time, and
every value was compared. *Threads* share one open table, *forks* were forked after it was opened,
*processes* opened it themselves. Rates are values per second of all workers together, {cores}.

{readers}

{rates}

The load of the machine was {load:.1f} at the end. If it is above the number of cores, none is
free for a second worker, and rates cannot grow. A thread waits for the
others wherever Python itself runs, as it does between values that are read one by one. Processes
do not.
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
    """A run of all faults, with a `share` of the full number of cases."""

    def __init__(self, folder: pathlib.Path, share: float) -> None:
        self.folder = folder
        self.share = share
        self.tallies: list[Tally] = []

    def times(self, full: int) -> int:
        """The number of cases, of `full` in a full run."""
        return max(1, round(self.share * full))

    def tried(self, make: Callable[[], Tally | None]) -> Tally | None:
        """Make a tally and print it."""
        began = time.perf_counter()
        tally = make()
        if tally is not None:
            self.tallies.append(tally)
            print(f"{time.perf_counter() - began:6.1f} s {row(tally)}", flush=True)
            for case in tally.lost:
                print(f"         lost: {case}")
        return tally

    def all(self, *makes: Callable[[], Tally | None]) -> list[Tally]:
        """The tallies of the faults that can be tried on this machine."""
        return [tally for make in makes if (tally := self.tried(make)) is not None]

    def solve_faults(self) -> list[Tally]:
        """Faults during solves."""
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

    def cluster_faults(self) -> list[Tally]:
        """Faults of workers, schedulers and drivers."""
        one = solves.Solves(self.folder / "cluster", FAULT_RULES)
        scratch = self.folder / "workers"
        scratch.mkdir()
        faults = (
            clusters.killed_workers,
            clusters.stopped_workers,
            clusters.full_disks_of_workers,
            clusters.killed_drivers,
            clusters.restarted_schedulers,
            clusters.damaged_blocks,
            clusters.adaptive_clusters,
        )
        return self.all(*(partial(fault, one, scratch, self.times(10), SEED) for fault in faults))

    def damage(self, sound: pathlib.Path, other: pathlib.Path) -> list[Tally]:
        """Flipped bits and truncated files."""
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

    def hostile(self, sound: pathlib.Path) -> list[Tally]:
        """Hostile input."""
        n = self.times(10_000)
        makes = [partial(strangers.attack, name, n, SEED) for name in strangers.TARGETS]
        ground = self.folder / "commands"
        ground.mkdir()
        return self.all(
            *makes,
            *self.forged(),
            lambda: commands.attack(ground, n, SEED),
            lambda: askers.requests(sound, self.times(20_000), SEED),
            lambda: giants.giants(self.folder),
        )

    def forged(self) -> list[Callable[[], Tally | None]]:
        """Files whose bytes were changed and whose digests were made right again."""
        ground, n = self.folder / "forged", self.times(10_000)
        ground.mkdir()
        kinds = [partial(forgeries.forgeries, ground, kind, n, SEED) for kind in forgeries.KINDS]
        return [*kinds, partial(pages.forged_files, ground, n, SEED)]

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
    """Try everything; returns the exit code."""
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
        solved, damaged, hostile = run.solve_faults(), run.damage(*paths), run.hostile(paths[0])
        cluster = run.cluster_faults()
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
            clusters=table(cluster),
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
