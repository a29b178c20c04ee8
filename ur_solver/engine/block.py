"""Solving one block: a function of the block and its inputs.

It uses no other blocks, no files, and only the given threads, so it runs in any process that
has the rule set and the values of the blocks that it reads.
"""

from __future__ import annotations

import time

import numpy as np

from ur_solver.blocks.block_record import BlockResult
from ur_solver.engine.improve import improve
from ur_solver.engine.lease import Lease
from ur_solver.engine.settle import settle, settle_for_sure
from ur_solver.kernel import FinishedBlocks, Kernel, Values, Workspace, prove

_LINE = 8
"""Numbers in a cache line."""


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
        The largest remaining change of a value, estimated from the last sweeps, at which the
        iteration ends; in units of the values. With dice that are not ordinary
        (`Dice.is_ordinary`) the largest distance from the solution instead, which is proven.
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
        If a block that it reads is missing.
    SolveError
        If the values do not converge, or the dice are not ordinary and the goal cannot be proven or
        play can go on for ever.
    CertificateError
        If no bound can be proven.
    StoppedError
        If the lease says so.
    """
    began = time.perf_counter()
    lease = lease or Lease(Workspace())
    block = kernel.space.blocks[index]
    values = _empty(block.size)
    work = kernel.lay_out(block, finished, lease.workspace, lease.threads, single=True)
    if kernel.space.rules.dice.is_ordinary:
        bounds = kernel.space.bounds
        before = improve(work, values, goal, lease)
        sweeps, residual = settle(work, values, goal, lease, bounds, factor=before.factor)
        sweeps += before.sweeps
        if work.keep_all() and residual > max(goal, work.noise):
            # The residual is at most about half of that unless a best move was left out.
            further, residual = settle(work, values, goal, lease, bounds)
            sweeps += further
    else:
        sweeps, residual = settle_for_sure(kernel, block, finished, work, values, goal, lease)
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


def _empty(length: int) -> Values:
    """An uninitialised float64 array that begins at a cache line, so that whole rows do too."""
    room = np.empty(length + _LINE)
    skipped = -(room.ctypes.data // room.itemsize) % _LINE
    return room[skipped : skipped + length]
