"""The size of rounding errors in values of double precision."""

from collections.abc import Iterable
from fractions import Fraction

NOISE = 4e-15
"""Changes up to this: blocks swept to their end leave 2e-15 to 6e-15."""

SHARES_BLUR = 2.0**-53
"""How far an update can be off because pots and fines are rounded shares of a unit: each is below
1, and an update weighs them by 1 in all."""

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
