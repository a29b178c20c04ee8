"""Solving a space, and proving bounds on given values: its blocks by a runner, through a store."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.blocks.folder import BlockRecord, join
from ur_solver.engine.block import Lease, solve_block
from ur_solver.engine.graph import BlockGraph, critical_paths
from ur_solver.engine.runners import Runner, Task, ThreadRunner
from ur_solver.engine.store import BlockStore, FileStore, MemoryStore, largest_error
from ur_solver.errors import DamagedBlockError
from ur_solver.kernel.bounds import bound_cut, check_provable, prove_values
from ur_solver.kernel.interface import Values
from ur_solver.kernel.kernels import Kernel, kernel_of
from ur_solver.kernel.rounding import check_precision
from ur_solver.space import Part, PartBlocks, Space, StakesSpace, whole_of

_GOAL = 0.1
"""Blocks are iterated to this fraction of the tolerance, as their errors add up."""

_CERTIFIED_GOAL = 0.005
"""The same fraction for certified solves, where the error enters the bounds several times."""


@dataclass(frozen=True)
class SolveTask:
    """Solves a block from a store and puts it there: the task that a runner is given.

    Another process that gets it solves into the same folder: no values are sent, and the store
    must be a `FileStore`.
    """

    kernel: Kernel
    store: BlockStore
    goal: float  # as for `solve_block`
    certify: bool

    def __call__(self, index: int, lease: Lease) -> BlockRecord:
        """Solve a block, by its number, unless another process has put it into the store."""
        there = self.store.finished(index)
        if there is not None:
            return there
        try:
            result = solve_block(
                self.kernel,
                index,
                self.store,
                goal=self.goal,
                outside=self._outside(index) if self.certify else None,
                lease=lease,
            )
        except DamagedBlockError as error:
            self.store.lose(error.index)
            raise
        return self.store.put(result)

    def _outside(self, index: int) -> float:
        """The largest proven error of the values that a block reads."""
        return largest_error(map(self.store.error_of, self.kernel.space.reads(index)))

    def __reduce__(self) -> tuple[Any, ...]:
        assert isinstance(self.store, FileStore)
        files = self.store.files
        return _shared_task, (str(files.folder.absolute()), files.solve)


@lru_cache(maxsize=4)
def _shared_task(folder: str, _solve: int) -> SolveTask:
    """The task of a folder, which is that of a solve (CRC-32 of its head), in another process."""
    job, files = join(pathlib.Path(folder))
    goal = goal_of(files.space, job.tolerance, certify=job.certify)
    store = FileStore(files, is_shared=True)
    return SolveTask(kernel_of(files.space, job.precision), store, goal, job.certify)


def goal_of(space: Space, tolerance: float, *, certify: bool) -> float:
    """The goal of a block's iteration for a tolerance of the whole solve.

    If it is proven for every block, the errors along any path of blocks sum to at most the
    tolerance.
    """
    goal = (_CERTIFIED_GOAL if certify else _GOAL) * tolerance
    if space.rules.dice.is_ordinary:
        return goal
    return min(goal, tolerance / _longest_chain(space))


@lru_cache(maxsize=32)
def _longest_chain(space: Space) -> float:
    """The length of the longest path of blocks."""
    reads = [space.reads(block.index) for block in space.blocks]
    return max(critical_paths(reads, [1.0] * len(reads)))


def solve(
    space: Space,
    *,
    tolerance: float,
    certify: bool = False,
    kernel: Kernel | None = None,
    runner: Runner | None = None,
    store: BlockStore | None = None,
    part: Part | None = None,
    finished: Iterable[int] = (),
    on_block: Callable[[BlockRecord], object] = lambda record: None,
) -> None:
    """Solve all blocks of a space, or of a part of it.

    By default as many threads as there are processors solve with `kernel_of(space)` in memory.
    Blocks that no unfinished block reads are dropped from the store. Those of `finished` are in it
    already, certified if this solve is.

    The tolerance is the largest error of a value, from `MIN_TOLERANCE` to `MAX_TOLERANCE`:
    estimated from the deltas, or proven where the dice are not ordinary (`Dice.is_ordinary`). With
    `certify` an error bound is proven for every block as it is finished; it may exceed the
    tolerance.

    `on_block` is called with every finished block, from this thread, while the store has its
    values: chances of winning in [0, 1] of the side about to throw, by rank; with stakes the values
    of `ur_solver.space.stakes`, in the unit of the space. What it raises ends the solve.

    InputError if the tolerance is too small for the kernel's precision; CertificateError if no
    bound can be proven for a block; SolveError if a block does not converge or, with dice that are
    not ordinary, has no values within the tolerance that can be proven, or play can go on for ever
    there.
    """
    kernel = kernel or kernel_of(space)
    check_precision(space, kernel.precision, tolerance)
    goal = goal_of(space, tolerance, certify=certify)
    if certify:
        check_provable(space.rules)
    store = store or MemoryStore()
    runner = runner or ThreadRunner()
    earlier = list(finished)
    graph = BlockGraph.of(part or whole_of(space), earlier, is_urgent_first=runner.is_remote)
    for index in earlier:
        if not graph.is_read(index):
            store.drop(index)

    def finish(record: BlockRecord) -> None:
        on_block(record)
        for index in graph.finish(record.index):
            store.drop(index)

    runner.run(graph, SolveTask(kernel, store, goal, certify), finish)


def certify(
    space: Space,
    values: Values,
    *,
    part: Part | None = None,
    runner: Runner | None = None,
    on_block: Callable[[int], object] = lambda index: None,
) -> npt.NDArray[np.float64]:
    """Prove an error bound for every block of given values: float64, shape (blocks,).

    The values, block after block of the part (by default of the whole space), may be from any
    source; the proof depends on nothing else. The runner is of this process. `on_block` is called
    with the number of every block that is done, from this thread.

    CertificateError if no bound can be proven for a block, or the dice are not exact in binary.
    """
    check_provable(space.rules)
    part = part or whole_of(space)
    kernel, blocks, errors = kernel_of(space), PartBlocks(part, values), dict[int, float]()

    def prove(index: int, lease: Lease) -> int:
        _, errors[index] = prove_values(
            kernel,
            space.blocks[index],
            blocks.values_of(index),
            blocks,
            lease.workspace,
            outside=largest_error(errors[each] for each in space.reads(index)),
            threads_now=lease.threads_now,
        )
        return index

    _run(part, prove, runner, on_block)
    return np.array([errors[index] for index in part.indices])


def bound_levels(
    space: StakesSpace,
    values: Values,
    errors: npt.NDArray[np.float64],
    *,
    part: Part | None = None,
    runner: Runner | None = None,
    on_block: Callable[[int], object] = lambda index: None,
) -> npt.NDArray[np.float64]:
    """Bounds on the errors of given values in the game without the cut of the fines, by level.

    As `certify`, with the proven errors of the part's blocks without the cut. Returns the bound
    of all values by the number of fines paid: float64, shape (reach + 1,).
    """
    part = part or whole_of(space)
    proven = dict(zip(part.indices, errors.tolist(), strict=True))
    kernel, blocks = kernel_of(space), PartBlocks(part, values)
    levels: dict[int, npt.NDArray[np.float64]] = {}

    def bound(index: int, lease: Lease) -> int:
        levels[index] = bound_cut(
            kernel,
            space.blocks[index],
            blocks.values_of(index),
            blocks,
            lease.workspace,
            levels=levels,
            errors=proven,
            threads_now=lease.threads_now,
        )
        return index

    _run(part, bound, runner, on_block)
    found: npt.NDArray[np.float64] = np.max(list(levels.values()), axis=0)
    return found


def _run(
    part: Part, task: Task[int], runner: Runner | None, on_block: Callable[[int], object]
) -> None:
    """Execute a task that returns its block's number on all blocks of a part."""
    graph = BlockGraph.of(part)

    def finish(index: int) -> None:
        on_block(index)
        graph.finish(index)

    (runner or ThreadRunner()).run(graph, task, finish)
