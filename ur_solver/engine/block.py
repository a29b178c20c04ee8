"""Solving one block: a function of the block and of the values that it reads.

It uses no other blocks, no files, and only the threads that it is given, so it runs in any
process that has the rule set and the values of the blocks that this one reads.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ur_solver.engine.iterate import iterate
from ur_solver.engine.result import BlockResult
from ur_solver.kernel import BlockWork, FinishedBlocks, Kernel, Values, Workspace, prove

_LINE = 8
"""Numbers in a cache line."""


class Lease(Protocol):
    """The resources that a block is solved with: a workspace and threads."""

    @property
    def workspace(self) -> Workspace:
        """Memory that no other block uses meanwhile."""

    @property
    def threads(self) -> int:
        """How many threads may lay the block out and sweep it."""

    def spare(self) -> int:
        """The number of further threads that the next sweep may use."""

    def check_stop(self) -> None:
        """Raise StoppedError if the block is to be abandoned."""


@dataclass
class OwnLease:
    """A lease that is never stopped and gets no further threads.

    Attributes
    ----------
    workspace : Workspace
    threads : int
    """

    workspace: Workspace
    threads: int = 1

    def spare(self) -> int:
        """0: there are no further threads."""
        return 0

    def check_stop(self) -> None:
        """Return; this lease is never stopped."""


def solve_block(
    kernel: Kernel,
    index: int,
    finished: FinishedBlocks,
    *,
    goal: float,
    outside: float | None = None,
    lease: Lease | None = None,
) -> BlockResult:
    """Solve one block.

    Parameters
    ----------
    kernel : Kernel
        Of the space.
    index : int
        The block's number in `Space.blocks`.
    finished : FinishedBlocks
        Has the blocks that this one reads (`Space.reads`).
    goal : float
        The remaining change of a value, estimated from the last sweeps, at which the iteration
        ends; in units of the values.
    outside : float, optional
        The proven error of the values that it reads. If given, the error of this block is proven
        too.
    lease : Lease, optional
        One thread and a workspace of its own by default.

    Returns
    -------
    BlockResult

    Raises
    ------
    MissingBlockError
        If a block is not there whose values are needed.
    SolveError
        If the values do not settle.
    CertificateError
        If nothing can be proven.
    StoppedError
        If the lease says so.
    """
    began = time.perf_counter()
    lease = lease or OwnLease(Workspace())
    block = kernel.space.blocks[index]
    values = _empty(block.size)
    work = kernel.lay_out(block, finished, lease.workspace, lease.threads, single=True)
    is_chance = kernel.space.is_chance
    sweeps, residual = _settle(work, values, goal, lease, is_chance)
    if work.keep_all() and residual > max(goal, work.noise):
        # The residual is at most about half of that unless a best move was left out.
        further, residual = _settle(work, values, goal, lease, is_chance)
        sweeps += further
    error = None
    if outside is not None:
        error = prove(
            work,
            kernel.space,
            block,
            values,
            residual=residual,
            outside=outside,
            threads=lease.threads,
            between=lease.check_stop,
        )
    return BlockResult(
        index=index,
        values=values,
        residual=residual,
        sweeps=sweeps,
        seconds=time.perf_counter() - began,
        error=error,
    )


def _settle(
    work: BlockWork, values: Values, goal: float, lease: Lease, is_chance: bool
) -> tuple[int, float]:
    """Iterate a block and write its values to `values`: the number of sweeps, the residual."""
    iteration = iterate(work, goal, lease.threads, lease.check_stop, lease.spare)
    work.store(values)
    if is_chance and (values.min() < 0.0 or values.max() > 1.0):
        # An extrapolation may leave [0, 1] by less than the tolerance.
        np.clip(values, 0.0, 1.0, out=values)
        work.load(values)
    return iteration.sweeps, work.residual(lease.threads + lease.spare())


def _empty(length: int) -> Values:
    """An uninitialised float64 array that begins at a cache line, so that whole rows do too."""
    room = np.empty(length + _LINE)
    skipped = -(room.ctypes.data // room.itemsize) % _LINE
    return room[skipped : skipped + length]
