"""Solving a space: its blocks by a runner, their values through a store."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from ur_solver.blocks.stored import BlockRecord
from ur_solver.engine.block import Lease, solve_block
from ur_solver.engine.graph import BlockGraph, critical_paths
from ur_solver.engine.runners import Runner, Task, ThreadRunner
from ur_solver.engine.store import BlockStore, MemoryStore, largest_error
from ur_solver.errors import DamagedBlockError
from ur_solver.kernel import Kernel, check_precision, check_provable, kernel_of
from ur_solver.space import Part, Space, whole_of

_GOAL = 0.1
"""Blocks are iterated to this fraction of the tolerance, as their errors add up."""

_CERTIFIED_GOAL = 0.005
"""The same fraction for certified solves, where the error enters the bounds several times."""


@dataclass(frozen=True)
class SolveTask:
    """Solves a block from a store and puts it there: the task that a runner is given.

    Attributes
    ----------
    kernel : Kernel
    store : BlockStore
    goal : float
        As for `solve_block`.
    certify : bool
        Whether to prove a bound on the error.
    """

    kernel: Kernel
    store: BlockStore
    goal: float
    certify: bool

    def __call__(self, index: int, lease: Lease) -> BlockRecord:
        """Solve a block, by its number."""
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
    task: Task[BlockRecord] | None = None,
    part: Part | None = None,
    finished: Iterable[int] = (),
    on_block: Callable[[BlockRecord], object] = lambda record: None,
) -> None:
    """Solve all blocks of a space, or of a part of it.

    Parameters
    ----------
    space : Space
    tolerance : float
        The largest error of a value, from `MIN_TOLERANCE` to `MAX_TOLERANCE`: estimated from the
        deltas, or proven where the dice are not ordinary (`Dice.is_ordinary`).
    certify : bool
        Prove an error bound for every block as it is finished. It may exceed the
        tolerance.
    kernel : Kernel, optional
        By default `kernel_of(space)`; one of single precision solves to 1e-5 at best.
    runner : Runner, optional
        As many threads as there are processors by default.
    store : BlockStore, optional
        By default in memory. Blocks that no unfinished block reads are dropped from it.
    task : callable, optional
        Solves a block and stores its values, instead of the kernel in this process.
    part : Part, optional
        By default all blocks.
    finished : iterable of int
        Blocks already in the store, certified if this solve is.
    on_block : callable
        Called with every finished block, from this thread, while the store has its
        values: chances of winning in [0, 1] of the side about to throw, by rank; with stakes
        the values of `ur_solver.space.stakes`, in the unit of the space. An exception that it
        raises ends the solve.

    Raises
    ------
    ValueError
        If the tolerance is too small.
    InputError
        If it is too small for the kernel's precision.
    CertificateError
        If no bound can be proven for a block.
    SolveError
        If a block does not converge or, with dice that are not ordinary, has no values within the
        tolerance that can be proven, or play can go on for ever there.
    """
    kernel = kernel or kernel_of(space)
    check_precision(space, kernel.precision, tolerance)
    goal = goal_of(space, tolerance, certify=certify)
    if certify:
        check_provable(space.rules)
    store = store or MemoryStore()
    earlier = list(finished)
    graph = BlockGraph.of(part or whole_of(space), earlier, is_urgent_first=task is not None)
    for index in earlier:
        if not graph.is_read(index):
            store.drop(index)

    def finish(record: BlockRecord) -> None:
        on_block(record)
        for index in graph.finish(record.index):
            store.drop(index)

    task = task or SolveTask(kernel, store, goal, certify)
    (runner or ThreadRunner()).run(graph, task, finish)
