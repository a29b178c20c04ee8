"""Measure ideas of docs/notes/performance-trials.md by themselves, with ratios taken in one run.

    python scripts/measure_ideas.py finkel-5.h5                all that are here
    python scripts/measure_ideas.py finkel-5.h5 rounds sets    these

The table gives the values of earlier blocks; blocks are solved again from 1/2, by default
the last (the start of the game, the most sweeps). Seconds are of the processor, one
thread, least of the repeats, unless a line says otherwise.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
import numpy.typing as npt

from ur_solver.blocks.stored import VALUE_TYPES
from ur_solver.engine import block as iteration
from ur_solver.engine.block import Lease
from ur_solver.engine.runners import ThreadRunner
from ur_solver.engine.solve import solve
from ur_solver.kernel._tiled import TiledBlock, instruction_sets
from ur_solver.kernel._workspace import Workspace
from ur_solver.kernel.interface import ArrayBlocks
from ur_solver.kernel.kernels import RaceKernel
from ur_solver.space import TileSpace
from ur_solver.table.reader import TableFile

Values = npt.NDArray[np.float64]
GOAL = 1e-13
"""A tenth of the default tolerance, as `ur solve` iterates to."""

NO_ROOM = np.empty(0)
"""For `iterate`: the tiled kernel keeps its copy of the values in memory of its own."""

LIMIT = 200
"""Sweeps after which a relaxed iteration is given up."""

REPEATS = 3


class Case:
    """A solved space and one of its blocks."""

    def __init__(self, path: pathlib.Path, back: int) -> None:
        self.path = path
        with TableFile(path) as table:
            self.space = TileSpace(table.rules)
            self.values: Values = VALUE_TYPES[table.header.value_type].decode(table.load())
        self._kernels: dict[str, RaceKernel] = {}
        self.block = self.space.blocks[-1 - back]
        self.range = slice(self.block.offset, self.block.offset + self.block.size)

    def kernel(self, **options: Any) -> RaceKernel:
        """A kernel of the space, kept."""
        key = repr(options)
        if key not in self._kernels:
            self._kernels[key] = RaceKernel(self.space, **options)
        return self._kernels[key]

    def open(self, workspace: Workspace | None = None, **options: Any) -> TiledBlock:
        """The block, its values 1/2."""
        blocks = ArrayBlocks(self.space, self.values)
        work = self.kernel(**options).lay_out(self.block, blocks, workspace or Workspace())
        assert isinstance(work, TiledBlock)
        return work


def switched_off() -> Any:
    """Within it, `iterate` does not extrapolate."""
    return mock.patch.object(iteration, "_CYCLE", 10**9)


def least(call: Callable[[], object]) -> float:
    """Processor seconds."""
    found = []
    for _ in range(REPEATS):
        began = time.process_time()
        call()
        found.append(time.process_time() - began)
    return min(found)


def line(*columns: object) -> None:
    print("  ".join(f"{column!s:>14}" for column in columns), flush=True)


def rounds(case: Case) -> None:
    """Pairs of tiles updated 1, 2, 3 times in a row."""
    line("rounds", "extrapolating", "sweeps", "updates/pos", "seconds", "ratio")
    for extrapolating in (False, True):
        base = 0.0
        for n in (1, 2, 3):
            swept = iteration.Iteration(0, 0.0, 0.0)

            def once(n: int = n) -> None:
                nonlocal swept
                swept = iteration.iterate(case.open(rounds=n), NO_ROOM, GOAL, Lease(Workspace()))

            if extrapolating:
                seconds = least(once)
            else:
                with switched_off():
                    seconds = least(once)
            base = base or seconds
            line(n, extrapolating, swept.sweeps, swept.sweeps * n, f"{seconds:.3f}",
                 f"{seconds / base:.2f}")  # fmt: skip


def sets(case: Case) -> None:
    """Instruction sets: five sweeps of the block."""
    line("set", "seconds", "ns/update", "ratio")
    base = 0.0
    for name in instruction_sets():
        work = case.open(instruction_set=name)

        def five(work: TiledBlock = work) -> None:
            for _ in range(5):
                work.sweep(1)

        seconds = least(five)
        base = base or seconds
        line(name, f"{seconds:.3f}", f"{seconds / 10 / case.block.size * 1e9:.2f}",
             f"{seconds / base:.2f}")  # fmt: skip


def parts(case: Case) -> None:
    """What a block costs besides its sweeps."""
    work = case.open()
    one = least(lambda: work.sweep(1))
    workspace = Workspace()
    scratch = case.values.copy()
    calls: dict[str, Callable[[], object]] = {
        "sweep": lambda: work.sweep(1),
        "lay out, fresh": case.open,
        "lay out, reused": lambda: case.open(workspace),
        "residual": lambda: work.residual(1),
        "remember": work.remember,
        "extrapolate": lambda: work.extrapolate(0.0),
        "store": lambda: work.store(scratch[case.range]),
    }
    for name, call in calls.items():
        seconds = least(call)
        line(name, f"{seconds:.4f}", f"{seconds / one:.2f} sweeps")


def relaxation(case: Case) -> None:
    """Over-relaxation: after every sweep, omega - 1 times its change again."""
    line("rounds", "omega", "sweeps", "last delta")
    for n in (1, 2):
        for omega in (1.0, 1.05, 1.1, 1.15, 1.2):
            work = case.open(rounds=n)
            sweeps, delta = 0, 1.0
            while delta > GOAL / 10 and sweeps < LIMIT:
                if omega > 1.0:
                    work.remember()
                delta = work.sweep(1)
                if omega > 1.0:
                    work.extrapolate(omega - 1.0)
                sweeps += 1
            line(n, omega, sweeps if delta <= GOAL / 10 else f"over {LIMIT}", f"{delta:.1e}")


def anderson(case: Case) -> None:
    """Anderson's mixing of depth m after every k-th sweep; sweeps only, not its cost."""
    line("depth", "every", "sweeps")
    scratch = case.values.copy()
    for depth, every in ((0, 1), (1, 4), (1, 6), (2, 6), (3, 6), (3, 8), (5, 10)):
        work = case.open()
        before = np.full(case.block.size, 0.5)
        inputs: list[Values] = []
        outputs: list[Values] = []
        sweeps, delta = 0, 1.0
        while delta > GOAL / 10 and sweeps < LIMIT:
            delta = work.sweep(1)
            sweeps += 1
            if not depth:
                continue
            work.store(scratch[case.range])
            after = scratch[case.range].copy()
            inputs, outputs = [*inputs, before][-depth - 1 :], [*outputs, after][-depth - 1 :]
            before = after
            if sweeps % every == 0 and len(inputs) > depth:
                errors = np.array([b - a for a, b in zip(inputs, outputs, strict=True)])
                steps = np.diff(errors, axis=0)
                weights, *_ = np.linalg.lstsq(steps @ steps.T, steps @ errors[-1], rcond=None)
                mixed = after - weights @ np.diff(np.array(outputs), axis=0)
                scratch[case.range] = mixed
                work.load(scratch[case.range])
                before, inputs, outputs = mixed, [], []
        line(depth, every if depth else "-", sweeps if sweeps < LIMIT else f"over {LIMIT}")


def still(case: Case) -> None:
    """How much of the sweeps goes to tiles that change by less than a tenth of the goal."""
    states = case.space.unrank_states(np.arange(case.range.start, case.range.stop))
    board = states[:, list(case.space.shared)]
    # A tile is a run of ranks that agree on the shared squares.
    starts = np.concatenate(([0], 1 + np.flatnonzero((board[1:] != board[:-1]).any(axis=1))))
    sizes = np.diff(np.append(starts, case.block.size))
    line("limit", "sweeps", "still, share of updates")
    for share in (0.1, 0.01):
        work = case.open()
        scratch = case.values.copy()
        before = np.full(case.block.size, 0.5)
        total = quiet = 0
        delta, sweeps = 1.0, 0
        while delta > GOAL:
            delta = work.sweep(1)
            work.store(scratch[case.range])
            after = scratch[case.range]
            changed = np.maximum.reduceat(np.abs(after - before), starts)
            quiet += int(sizes[changed < share * GOAL].sum())
            total += case.block.size
            before = after.copy()
            sweeps += 1
        line(f"{share * GOAL:.0e}", sweeps, f"{quiet / total:.3f}")


def starting(case: Case) -> None:
    """Starting values: 1/2, or the solution with every value too high by an error."""
    line("error", "sweeps")
    scratch = case.values.copy()
    with switched_off():
        line("from 1/2", iteration.iterate(case.open(), NO_ROOM, GOAL, Lease(Workspace())).sweeps)
        for error in (0.1, 0.03, 0.01, 1e-3):
            work = case.open()
            scratch[case.range] = np.minimum(case.values[case.range] + error, 1.0)
            work.load(scratch[case.range])
            line(error, iteration.iterate(work, NO_ROOM, GOAL, Lease(Workspace())).sweeps)


def threads(case: Case) -> None:
    """One thread against two, elapsed: the whole space, then sweeps of the block."""
    line("what", "threads", "elapsed", "processor")
    for n in (1, 2):
        began, used = time.perf_counter(), time.process_time()
        solve(case.space, tolerance=1e-12, runner=ThreadRunner(n))
        line("space", n, f"{time.perf_counter() - began:.2f}", f"{time.process_time() - used:.2f}")
    work = case.open()
    for n in (1, 2):
        best, spent = 1e9, 0.0
        for _ in range(10):
            began, used = time.perf_counter(), time.process_time()
            work.sweep(n)
            if time.perf_counter() - began < best:
                best, spent = time.perf_counter() - began, time.process_time() - used
        line("sweep, best", n, f"{best:.4f}", f"{spent:.4f}")


def spinning(case: Case) -> None:
    """GOMP_SPINCOUNT: 20 sweeps of the block on two threads, in processes of their own."""
    line("spin count", "elapsed", "processor")
    for count in ("0", "1000", "300000"):
        subprocess.run(
            [sys.executable, __file__, str(case.path), "--spun", count],
            env={**os.environ, "GOMP_SPINCOUNT": count},
            check=True,
        )


def spun(case: Case, count: str) -> None:
    """What `spinning` starts."""
    work = case.open()
    began, used = time.perf_counter(), time.process_time()
    for _ in range(20):
        work.sweep(2)
    line(count, f"{time.perf_counter() - began:.2f}", f"{time.process_time() - used:.2f}")


IDEAS = [rounds, sets, parts, relaxation, anderson, still, starting, threads, spinning]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("table", type=pathlib.Path, help="a float64 table")
    parser.add_argument("ideas", nargs="*", help=", ".join(idea.__name__ for idea in IDEAS))
    parser.add_argument("--back", type=int, default=0, help="that many blocks before the last")
    parser.add_argument("--spun", help=argparse.SUPPRESS)
    arguments = parser.parse_intermixed_args()
    case = Case(arguments.table, arguments.back)
    if arguments.spun is not None:
        spun(case, arguments.spun)
        return
    known = {idea.__name__: idea for idea in IDEAS}
    print(f"block of {case.block.size:,} positions")
    for name in arguments.ideas or known:
        if name not in known:
            sys.exit(f"idea {name!r}: one of {', '.join(known)}")
        print(f"\n{known[name].__doc__}")
        known[name](case)


if __name__ == "__main__":
    main()
