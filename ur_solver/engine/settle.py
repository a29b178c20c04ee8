"""Settling a block: its values to within a goal of the fixed point.

With ordinary dice the sweeps contract fast, and their changes show how far they have come. With
others a sweep may hardly change values that are far off. There the goal is proven before a
block counts as solved; if sweeps do not reach it, policy iteration does.
"""

from __future__ import annotations

import numpy as np

from ur_solver.engine.iterate import MAX_SWEEPS, iterate
from ur_solver.engine.lease import Lease
from ur_solver.errors import UnsettledError, UnsolvableError
from ur_solver.kernel import (
    MOST_POLICY_POSITIONS,
    BlockWork,
    FinishedBlocks,
    Kernel,
    Values,
    is_within,
)
from ur_solver.space import Block

_FEW_SWEEPS = 1000
"""The sweeps after which policy iteration takes over if it can."""

_AIM = 0.1
"""Sweeps continue to this fraction of the bound to prove."""


def settle(
    work: BlockWork,
    values: Values,
    goal: float,
    lease: Lease,
    bounds: tuple[float, float],
    most_sweeps: int = MAX_SWEEPS,
    factor: float = 0.0,
) -> tuple[int, float]:
    """Sweep a block until its values are estimated to be within a goal, and write them.

    Parameters
    ----------
    work : BlockWork
    values : float64, shape (block size,)
        Overwritten, in rank order, whether or not they converge.
    goal : float
        As for `iterate`.
    lease : Lease
    bounds : tuple of float
        The least and the largest value that there can be.
    most_sweeps : int
        The number of sweeps after which values count as not converged.
    factor : float
        As for `iterate`.

    Returns
    -------
    sweeps : int
        The number of sweeps.
    residual : float
        The largest abs(T(V) - V).

    Raises
    ------
    UnsettledError
        If the values do not converge in that many sweeps.
    """
    try:
        sweeps = iterate(work, values, goal, lease, most_sweeps, factor).sweeps
    finally:
        work.store(values)
    return sweeps, _residual(work, values, lease, bounds)


def settle_for_sure(
    kernel: Kernel,
    block: Block,
    finished: FinishedBlocks,
    work: BlockWork,
    values: Values,
    goal: float,
    lease: Lease,
) -> tuple[int, float]:
    """Bring the values of a block within a goal that is proven, not estimated.

    Parameters
    ----------
    kernel : Kernel
        Of chances.
    block : Block
    finished : FinishedBlocks
    work : BlockWork
        The block, laid out; its own values are lost.
    values : float64, shape (block size,)
        Overwritten, in rank order.
    goal : float
        The largest difference to the solution by the given values of other blocks.
    lease : Lease

    Returns
    -------
    sweeps : int
    residual : float
        As of `settle`.

    Raises
    ------
    UnsolvableError
        If play can stay in the block for ever, or the goal cannot be proven.
    SolveError
        If the goal cannot be reached.
    """
    rules = kernel.space.rules
    rank = kernel.endless_rank(block, lease.threads)
    if rank is not None:
        raise UnsolvableError(
            f"{rules.name}: play can go on for ever from {kernel.space.unrank(rank).notation!r}, "
            "so its positions have no value"
        )
    can_iterate_policies = block.size <= MOST_POLICY_POSITIONS
    try:
        sweeps, residual = settle(
            work,
            values,
            _AIM * goal,
            lease,
            kernel.space.bounds,
            _FEW_SWEEPS if can_iterate_policies else MAX_SWEEPS,
        )
        if is_within(work, values, goal, lease.threads, lease.check_stop):
            return sweeps, residual
    except UnsettledError as error:
        sweeps = error.sweeps
    values[:] = kernel.iterate_policies(block, values, finished)
    work.load(values)
    residual = _residual(work, values, lease, kernel.space.bounds)
    if not is_within(work, values, goal, lease.threads, lease.check_stop):
        raise UnsolvableError(
            f"{rules.name}: with these dice rounding errors add up so far that block "
            f"{block.index} is not proven to be within {goal:.2g} of its solution; ask for a "
            "larger tolerance"
        )
    return sweeps, residual


def _residual(work: BlockWork, values: Values, lease: Lease, bounds: tuple[float, float]) -> float:
    """The residual of a block; its values, which are those of `work`, are put within bounds."""
    least, most = bounds
    if values.min() < least or values.max() > most:
        # An extrapolation may leave [0, 1] by less than the tolerance.
        np.clip(values, least, most, out=values)
        work.load(values)
    return work.residual(lease.threads + lease.spare())
