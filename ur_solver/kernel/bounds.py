"""Proving how far a block's values can be off.

An upper and a lower bound are laid around every value, a little outside, and swept with
every operation rounded outwards. If they end strictly inside where they began, at most
`e` from the values, then no solution of the block's equations is further than `e` from
them; docs/correctness.md has the proof. It needs nothing but the values and how far off
those can be that the block's moves lead to.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ur_solver.errors import CertificateError
from ur_solver.kernel._workspace import Workspace
from ur_solver.kernel.interface import BlockWork, FinishedBlocks, Kernel, Values
from ur_solver.rules import RuleSet
from ur_solver.space import Block, Space

_ROUNDING = 4e-15
"""How far outside bounds begin for rounding's sake: most blocks of finkel 4 need 1e-15 to 4e-15."""

_RESIDUALS = 2.0
"""And how many of the block's residuals: a step's error is made at every step of the play."""

_PATIENCE = (6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 56, 64)
"""Sweeps for bounds to come inside where they began; failing that, they begin further out."""

_MOST_SWEEPS = 100
"""Of bounds that have come inside and go on coming in."""

_FURTHER = 1.5
"""Beyond what bounds have gone out to they begin by this factor, twice as far out at least."""

_WIDEST = 0.25
"""Bounds that begin further out would say nothing, and may pass a move for none."""

_WORTH_A_SWEEP = 0.7
"""Proven bounds are swept on as long as a sweep leaves less of what the block adds to them."""

_SPARE = 2.0**-50
"""Added to a proven bound, and half of what the block adds to it once more, so that it can be
proven again by other threads, in another order, or with other instructions."""

_MOST_DENOMINATOR = 1 << 16
"""Of a chance; with two throws in a turn, still an exact float64."""


def check_provable(rules: RuleSet) -> None:
    """Refuse rules that proofs do not cover.

    Raises
    ------
    CertificateError
        If a chance is not exact in binary, which it names, or values are not chances.
    """
    if not rules.payoff.is_chance:
        raise CertificateError(
            f"{rules.name}: with stakes values are money, and only chances are proven"
        )
    for throw, chance in enumerate(rules.dice.probabilities):
        denominator = chance.denominator
        if denominator & (denominator - 1) or denominator > _MOST_DENOMINATOR:
            raise CertificateError(
                f"{rules.name}: the chance of throwing {throw} is {chance}, and values are proven "
                f"only where all chances are binary fractions, down to 1/{_MOST_DENOMINATOR}"
            )


def prove(
    work: BlockWork,
    space: Space,
    block: Block,
    values: Values,
    *,
    residual: float,
    outside: float,
    claimed: float | None = None,
    threads: int = 1,
    between: Callable[[], object] = lambda: None,
) -> float:
    """Prove how far the values of a block can be off.

    Parameters
    ----------
    work : BlockWork
        The block, laid out with `values`; its own values are lost.
    space : Space
    block : Block
    values : float64, shape (block size,)
        The block's, in rank order.
    residual : float
        The block's. It says where to begin, and nothing is believed of it.
    outside : float
        How far at most the values are off that the block's moves lead to.
    claimed : float, optional
        What is to be proven, if it is known.
    threads : int
        That a sweep may use.
    between : callable
        Called between sweeps; what it raises ends the proof.

    Returns
    -------
    float
        No value of the block is further off. Without `claimed` it is above `outside`, so
        that what holds of the nearest blocks holds of those further on, and has something
        to spare, so that it can be proven again.

    Raises
    ------
    CertificateError
        If nothing, or not what is claimed, can be proven.
    """
    added = _ROUNDING + _RESIDUALS * residual  # by the block itself, to what is outside
    # neither is true where there is no number
    if not (math.isfinite(values.sum()) and outside + added <= _WIDEST):
        raise _failure(
            space,
            block,
            f"its values are {residual:.3g} off what its moves are worth, those that they lead to "
            f"{outside:.3g} off",
        )
    least, where, sweeps = math.inf, block.offset, 0
    for patience in _PATIENCE:
        shift = outside + added
        if shift > _WIDEST:
            break
        work.bracket(values, shift, outside)
        for sweep in range(1, _MOST_SWEEPS + 1):
            between()
            work.narrow(threads)
            sweeps += 1
            width, rank = work.width(values)
            before, added = added, max(0.0, width - outside)
            if width < least:
                least, where = width, rank
            if width < shift:
                if claimed is None and not added < _WORTH_A_SWEEP * before:
                    return max(outside, width) + 0.5 * added + _SPARE
                if claimed is not None and width <= claimed:
                    return width
            if sweep >= patience and not (width < shift and added < before):
                break
        added = max(_FURTHER * added, 2 * (shift - outside))
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
    threads: int = 1,
    between: Callable[[], object] = lambda: None,
) -> tuple[float, float]:
    """The residual of a block of given values, and how far they are proven to be off.

    Parameters
    ----------
    kernel : Kernel
    block : Block
    values : float64, shape (block size,)
        The block's.
    finished : FinishedBlocks
        Has the blocks that its moves lead to.
    workspace : Workspace
        As for `Kernel.lay_out`.
    outside, claimed, threads, between
        As for `prove`.

    Raises
    ------
    CertificateError
        As `prove` does.
    """
    work = kernel.lay_out(block, finished, workspace, threads)
    work.load(values)
    residual = work.residual(threads)
    error = prove(
        work,
        kernel.space,
        block,
        values,
        residual=residual,
        outside=outside,
        claimed=claimed,
        threads=threads,
        between=between,
    )
    return residual, error


def _failure(space: Space, block: Block, seen: str) -> CertificateError:
    first = _text(space, block.offset)
    return CertificateError(
        f"nothing can be proven of block {block.index}, which begins with {first!r}: {seen}"
    )


def _text(space: Space, rank: int) -> str:
    return space.unrank(rank).notation
