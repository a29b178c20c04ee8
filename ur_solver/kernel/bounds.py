"""Proving error bounds for the values of a block, and what the cut of the fines costs.

Every value gets an upper and a lower bound a small distance away, which are swept with every
operation rounded outwards; the values that the block's moves lead to stay as they are. If the
bounds end strictly inside the initial ones, at most `e` from the values, then every solution of the
block's equations is within `e` of the values and what those others are off. With stakes the bounds
include what the others are off, as errors of chances are weighed by fines there.
docs/correctness.md has the proof.

A table of a game with stakes keeps a number of levels of fines and takes those beyond by a straight
line. What the last level is worth in the game without that cut lies between two of its values
(`ur_solver.space.stakes`). The levels below are bounded from there: each reads the level above, so
that the cut counts by the chance of reaching it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import cast

import numpy as np
import numpy.typing as npt

from ur_solver.errors import CertificateError
from ur_solver.kernel._level_block import LevelBlock
from ur_solver.kernel._workspace import Workspace
from ur_solver.kernel.interface import BlockWork, FinishedBlocks, Values
from ur_solver.kernel.kernels import Kernel
from ur_solver.kernel.rounding import READ_ROUNDING, SINGLE_COARSENESS, SINGLE_READ_ROUNDING
from ur_solver.rules import RuleSet
from ur_solver.space import Block, Space, StakesSpace

_ROUNDING = 4e-15
"""The part of the initial distance that covers rounding of float64: most blocks of finkel 4 need
1e-15 to 4e-15."""

_RESIDUALS = 2.0
"""The part that covers the residual, in units of it: its error recurs at every turn of play."""

_PATIENCE = (6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 56, 64)
"""Sweeps in which the bounds must come inside the initial ones, by attempt; each attempt begins
further out."""

_MOST_SWEEPS = 100
"""The most sweeps of bounds that have come inside and still move inwards."""

_MOST_SHOWING = 500
"""The most sweeps of bounds that are to come inside a given distance. How many it takes depends on
the longest way out of a block, not on how seldom it is taken."""

_FURTHER = 1.5
"""The next attempt begins at this multiple of the widest bounds seen, at least twice as far."""

_WIDEST = 0.25
"""The largest initial distance: wider bounds are useless, and may confuse a move with none."""

_WORTH_A_SWEEP = 0.7
"""Sweeps of proven bounds continue while each reduces the block's own part to this fraction."""

_SPARE = 2.0**-50
"""A margin of the proven bound by float64, besides half of the block's own part, so that the proof
succeeds again with other threads, in another order, or with other instructions."""

_WORTH_CARRYING, _MOST_MARGIN = 0.95, 2.0**-47
"""The same where bounds include what other blocks' values are off, and the most that is added for
that half there, which would grow from block to block: in another proof only rounding differs."""

_MOST_DENOMINATOR = 1 << 16
"""The largest denominator of a chance: products of two chances are still exact in float64."""


def check_provable(rules: RuleSet) -> None:
    """Refuse rules that proofs do not cover: CertificateError names a chance that is not exact in
    binary.
    """
    for throw, chance in enumerate(rules.dice.probabilities):
        denominator = chance.denominator
        if denominator & (denominator - 1) or denominator > _MOST_DENOMINATOR:
            raise CertificateError(
                f"{rules.name}: the chance of throwing {throw} is {chance}, and values are proven "
                f"only where all chances are binary fractions, down to 1/{_MOST_DENOMINATOR}"
            )


def is_within(
    work: BlockWork,
    values: Values,
    distance: float,
    threads_now: Callable[[], int] = lambda: 1,
) -> bool:
    """Whether the values of a block are shown to be within a distance of its solution, in their
    units.

    The values that its moves lead to are taken as exact. The block is laid out in `work`, whose own
    values are lost; `values` are in rank order. False where it is not shown, be it so or not.
    """
    if not (math.isfinite(values.sum()) and distance <= _WIDEST):
        return False
    work.bracket(values, distance)
    for _ in range(_MOST_SHOWING):
        work.narrow(threads_now())
        width, _ = work.width(values)
        if width + 2 * _read_rounding(work) < distance:
            return True
        if not width <= 2 * distance:
            break
    return False


def prove(
    work: BlockWork,
    space: Space,
    block: Block,
    values: Values,
    *,
    residual: float,
    outside: float,
    claimed: float | None = None,
    threads_now: Callable[[], int] = lambda: 1,
) -> float:
    """Prove an error bound for the values of a block, which are in rank order.

    The block is laid out in `work`, whose own values are lost. Its residual sets the initial
    distance only; the proof does not rely on it. `outside` is the largest error of the values that
    the block's moves lead to. Without `claimed`, the bound to prove if it is known, the proven one
    is above `outside`, so that a block's bound also covers all blocks that it depends on, and
    includes a margin, so that it can be proven again. `threads_now` says before every sweep how
    many threads it may use; what it raises ends the proof.

    CertificateError if no bound, or not the claimed one, can be proven.
    """
    coarseness = SINGLE_COARSENESS if work.is_single else 1.0
    shift = _ROUNDING * coarseness + _RESIDUALS * residual
    spare = _SPARE * coarseness
    # both comparisons are false for NaN
    if not (math.isfinite(values.sum()) and outside + shift <= _WIDEST):
        raise _failure(
            space,
            block,
            f"its values are {residual:.3g} off what its moves are worth, those that they lead to "
            f"{outside:.3g} off",
        )
    least, where, sweeps = math.inf, block.offset, 0
    outside = math.nextafter(outside + _read_rounding(work), math.inf)
    carried, worth, margin = 0.0, _WORTH_A_SWEEP, math.inf
    if work.carry(outside):
        carried, worth, margin = outside, _WORTH_CARRYING, _MOST_MARGIN
    for patience in _PATIENCE:
        if carried + shift > _WIDEST:
            break
        work.bracket(values, carried + shift)
        width = shift
        for sweep in range(1, _MOST_SWEEPS + 1):
            work.narrow(threads_now())
            sweeps += 1
            before = width
            whole, rank = work.width(values)
            # the block's own part; a subtraction rounded to nearest
            width = max(0.0, math.nextafter(whole - carried, math.inf))
            if width < least:
                least, where = width, rank
            if whole < carried + shift:
                is_done = width <= spare or not width < worth * before
                if claimed is None and is_done:
                    return outside + width + min(0.5 * width, margin) + spare
                error = math.nextafter(outside + width, math.inf)
                if claimed is not None and error <= claimed:
                    return error
            if sweep >= patience and not (width < shift and width < before):
                break
        shift = max(_FURTHER * width, 2 * shift)
    seen = (
        f"after {sweeps} sweeps the bounds are still {least:.3g} from the value of position "
        f"{_text(space, where)!r}"
    )
    if claimed is None:
        raise _failure(space, block, f"{seen}; perhaps play can go on for ever there")
    raise _failure(space, block, f"{seen}, not the {claimed:.3g} that is claimed")


def prove_values(
    kernel: Kernel,
    block: Block,
    values: Values,
    finished: FinishedBlocks,
    workspace: Workspace,
    *,
    outside: float,
    claimed: float | None = None,
    threads_now: Callable[[], int] = lambda: 1,
) -> tuple[float, float]:
    """The residual of a block of given values, and their proven error; the parameters are those of
    `prove`.

    `finished` must have the blocks that its moves lead to, and the workspace is as for
    `Kernel.lay_out`. Raises CertificateError as `prove` does.
    """
    work = kernel.lay_out(block, finished, workspace, threads_now())
    work.load(values)
    residual = work.residual(threads_now())
    error = prove(
        work,
        kernel.space,
        block,
        values,
        residual=residual,
        outside=outside,
        claimed=claimed,
        threads_now=threads_now,
    )
    return residual, error


def _read_rounding(work: BlockWork) -> float:
    """What reading a value of another block may change it by."""
    return SINGLE_READ_ROUNDING if work.is_single else READ_ROUNDING


def _failure(space: Space, block: Block, seen: str) -> CertificateError:
    first = _text(space, block.offset)
    return CertificateError(
        f"nothing can be proven of block {block.index}, which begins with {first!r}: {seen}"
    )


def _text(space: Space, rank: int) -> str:
    return space.unrank(rank).notation


_FURTHER_OUT = 2.0
"""Bounds begin at this multiple of what they can end at, by the errors that they start from."""

_LEAST = 1e-12
"""And at this at least."""

_SWEEPS, _WORTH_THEM = 4, 0.9
"""Sweeps continue while this many bring some level's bounds to this fraction."""

_SETTLED = 1.02
"""And until the last level is off by the cut times this at most: it takes some sweeps until those
bounds move that are far from the ways out of a block."""

_MOST_LEVEL_SWEEPS = 500

Levels = npt.NDArray[np.float64]


def bound_cut(
    kernel: Kernel,
    block: Block,
    values: Values,
    finished: FinishedBlocks,
    workspace: Workspace,
    *,
    levels: Mapping[int, Levels],
    errors: Mapping[int, float],
    threads_now: Callable[[], int] = lambda: 1,
) -> Levels:
    """How far a block's values can be off, by level, in the game whose fines are not cut.

    The kernel is of a space with stakes. Other parameters are those of `prove_values`, but for
    `levels`, what was returned for each block that the moves lead to, and `errors`, the proven
    error of each and of this block, the cut left out. Returns float64, shape (reach + 1,).
    CertificateError if nothing can be shown.
    """
    space = cast(StakesSpace, kernel.space)
    work = cast(LevelBlock, kernel.lay_out(block, finished, workspace, threads_now()))
    reads = space.reads(block.index)
    levels_outside = np.max([np.zeros(space.reach + 1), *(levels[k] for k in reads)], axis=0)
    outside = max((errors[k] for k in reads), default=0.0)
    work.carry_cut(levels_outside, outside)
    cut = space.cut_error(values)[0]
    shift = _FURTHER_OUT * (float(levels_outside.max()) + cut + outside) + _LEAST
    work.bracket(values, shift)
    before = np.full(space.reach + 1, shift)
    for sweep in range(1, _MOST_LEVEL_SWEEPS + 1):
        work.narrow(threads_now())
        if sweep % _SWEEPS:
            continue
        widths = work.cut_widths(values)
        is_settled = widths[-1] <= _SETTLED * cut + 2 * errors[block.index]
        if is_settled and (widths > _WORTH_THEM * before).all():
            if work.width(values)[0] < shift:
                return widths
            break
        before = widths
    raise CertificateError(
        f"no bound can be proven for the cut of the fines in block {block.index}, which begins "
        f"with {space.unrank(block.offset).notation!r}"
    )
