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
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ur_solver.errors import CertificateError
from ur_solver.position import format_position
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


class Bounded(Protocol):
    """A block laid out in a kernel's workspace, as far as bounds go."""

    def bracket(self, values: npt.NDArray[np.float64], shift: float, outside: float) -> None:
        """Lay bounds around the values."""

    def narrow(self, threads: int) -> None:
        """Sweep both bounds."""

    def width(self, values: npt.NDArray[np.float64]) -> tuple[float, int]:
        """How far the bounds are from the values, rounded up, and at which rank."""


def check_provable(rules: RuleSet) -> None:
    """Refuse rules that proofs do not cover.

    Raises
    ------
    CertificateError
        If a chance is not exact in binary, which it names, or values are not chances.
    """
    if rules.stakes is not None:
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
    work: Bounded,
    space: Space,
    block: Block,
    values: npt.NDArray[np.float64],
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
    work : Bounded
        The block, laid out with `values`; its own values are lost.
    space : Space
    block : Block
    values : float64, shape (n_positions,)
        Of the whole space.
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
    own = values[block.offset : block.offset + block.size]
    added = _ROUNDING + _RESIDUALS * residual  # by the block itself, to what is outside
    # neither is true where there is no number
    if not (math.isfinite(own.sum()) and outside + added <= _WIDEST):
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


def _failure(space: Space, block: Block, seen: str) -> CertificateError:
    first = _text(space, block.offset)
    return CertificateError(
        f"nothing can be proven of block {block.index}, which begins with {first!r}: {seen}"
    )


def _text(space: Space, rank: int) -> str:
    return format_position(space.rules, space.unrank(rank))
