"""The precision that a space is solved in, and the size of rounding errors in its values."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

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
    """Refuse by InputError a precision that a space, or a tolerance, is not solved in."""
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


NOISE = 4e-15
"""Changes up to this: blocks swept to their end leave 2e-15 to 6e-15."""

SINGLE_NOISE = 6e-8
"""The same in single precision: of ten rule sets blocks swept to their end leave up to 3e-8."""

SINGLE_COARSENESS = 2.0**24
"""How many times as much room bounds of float32 need for rounding as those of float64.

A float32 is 2**29 times as coarse, but sums are of float64, and only the result of an update is
rounded. Certified solves to 1e-5 with 2**24 take 116 attempts for the 105 blocks of birds 2 and 66
for the 66 of bell 3, and prove 4.6e-6 and 3.9e-6; with 2**27 105 and 66, for 1.0e-5 and 1.4e-5.
"""

READ_ROUNDING = 2.0**-53
"""What reading a value of another block may change it by: 1 less it, or it less 1/2, is rounded."""

SINGLE_READ_ROUNDING = 2.0**-26 + READ_ROUNDING
"""The same where it is then rounded to float32: half a unit in the last place from 1/4 to 1/2."""

SINGLE_RESIDUAL = SINGLE_READ_ROUNDING + 2.0**-50
"""How far above the residual of values of float32 that by the kernel of float64 may be: values of
other blocks are read otherwise, and what is summed is summed in another order."""

_BLUR = 2.0**-51


def blur_of(chances: Iterable[Fraction]) -> float:
    """How far the update of a value can be off because chances are rounded.

    With m and m' the chances of moving in a position and in its image, p = 1 - m, and w and w'
    what the moves are worth above 1/2, at most m / 2 and m' / 2, the update is x = (w - p w') / s
    where s = m + p m'. Chances that are off by a part e put numerator and denominator off by at
    most e (s + m m') / 2 and e (s + m m'), and x by 2 e, as m m' <= s. A chance is rounded once,
    e = 2**-53, or is the product of two, twice.
    """
    is_exact = all(Fraction(float(chance)) == chance for chance in chances)
    return 0.0 if is_exact else _BLUR


def blur_of_shares(unit: float) -> float:
    """How far an update can be off because pots and fines are rounded shares of a whole unit.

    Each share is at most 1, and an update weighs them by 1 in all. They are whole numbers of money,
    so that shares of a power of two are exact.
    """
    return 0.0 if math.frexp(unit)[0] == 0.5 else 2.0**-53
