"""The precision that a space is solved in."""

from __future__ import annotations

from ur_solver.errors import InputError
from ur_solver.space import Space, StakesSpace

DOUBLE, SINGLE = PRECISIONS = ("double", "single")
"""What may be asked for. In single precision a block takes half to two thirds of the memory."""

SINGLE_TOLERANCE = 1e-5
"""The smallest tolerance in single precision."""

_TOLERANCE = {DOUBLE: 1e-12, SINGLE: SINGLE_TOLERANCE}


MIN_TOLERANCE, MAX_TOLERANCE = 1e-13, 0.5
"""What a value of a solve may be off: at least some hundred rounding errors of float64."""


def default_tolerance(precision: str) -> float:
    """The tolerance of a solve for which none is asked."""
    return _TOLERANCE.get(precision, _TOLERANCE[DOUBLE])


def check_precision(space: Space, precision: str, tolerance: float | None = None) -> None:
    """Refuse a precision that a space, or a tolerance, is not solved in.

    Raises
    ------
    InputError
    """
    rules = space.rules
    if precision not in PRECISIONS:
        raise InputError(f"precision {precision!r:.50}: expected {' or '.join(PRECISIONS)}")
    if tolerance is not None and not MIN_TOLERANCE <= tolerance <= MAX_TOLERANCE:
        raise InputError(
            f"tolerance {tolerance!r}: expected a number from {MIN_TOLERANCE:g} to "
            f"{MAX_TOLERANCE:g}"
        )
    if precision == DOUBLE:
        return
    if isinstance(space, StakesSpace):
        raise InputError(
            f"{rules.name}: with stakes values are money, which is solved in double precision only"
        )
    if rules.mechanics.rests:
        raise InputError(f"{rules.name}: with another_piece only double precision is supported")
    if not rules.dice.is_ordinary:
        raise InputError(
            f"{rules.name}: with these dice every block is proven, which takes double precision"
        )
    if tolerance is not None and not tolerance >= SINGLE_TOLERANCE:
        raise InputError(
            f"tolerance {tolerance:g}: in single precision it is at least {SINGLE_TOLERANCE:g}; "
            "ask for that, or for double precision"
        )
