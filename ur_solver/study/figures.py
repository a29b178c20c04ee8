"""Figures of a study as text: shares in per cent, numbers, with their intervals."""

from __future__ import annotations

import math
import string
from typing import Any

from ur_solver.rules.payoff import CHANCES, MINUS, Payoff, Stakes, signed

_SKEW = 0.15
"""An interval whose halves differ by more than this part of them is written by its ends."""


def ends_of(figure: Any) -> tuple[float, float, float]:
    """A figure of a study as JSON has it: its value, and the ends of its interval.

    An unobserved figure is None there and 0 here.
    """
    if figure is None:
        return 0.0, 0.0, 0.0
    if isinstance(figure, dict):
        return float(figure["value"]), float(figure["low"]), float(figure["high"])
    return float(figure), float(figure), float(figure)


def value_of(figure: Any) -> float:
    """The value alone."""
    return ends_of(figure)[0]


def halves_of(figure: Any) -> tuple[float, float]:
    """The lower and upper half-widths of a figure's interval."""
    value, low, high = ends_of(figure)
    return value - low, high - value


def _decimals(margin: float, exact: int) -> int:
    """The decimals that leave the margin two digits."""
    if margin <= 0 or not math.isfinite(margin):
        return exact
    return max(0, min(6, 1 - math.floor(math.log10(margin))))


def _text(figure: Any, unit: float, mark: str, *, sign: bool = False) -> str:
    """A figure in a unit, with half the width of its interval; or its ends, if they are skew."""
    value, low, high = (unit * each for each in ends_of(figure))
    below, above = value - low, high - value
    if figure is None or (value == 0 and not above):
        return "none"
    margin = (below + above) / 2
    decimals = _decimals(margin, 4)
    plus = "+" if sign else ""
    text = f"{value:{plus}.{decimals}f}{mark}"
    if not margin:
        return text.replace("-", MINUS)
    if value == 0 and low >= 0:
        return f"none, at most {high:.{decimals}f}{mark}"
    if abs(above - below) > _SKEW * (above + below):
        text = f"{text} ({low:{plus}.{decimals}f} to {high:{plus}.{decimals}f})"
    else:
        text = f"{text} ± {margin:.{decimals}f}"
    return text.replace("-", MINUS)


def as_number(figure: Any) -> str:
    """A figure with its interval: ``69.64 ± 0.20``; ``none`` if it was not observed."""
    return _text(figure, 1, "")


def as_count(figure: Any) -> str:
    """A whole number with the ends of its interval: ``53 (52 to 54)``."""
    value, low, high = ends_of(figure)
    return f"{value:,.0f}" + ("" if low == high else f" ({low:,.0f} to {high:,.0f})")


def as_share(figure: Any) -> str:
    """A share in per cent: ``63.55 % ± 0.10``; ``none`` if it was not observed."""
    return _text(figure, 100, " %")


def as_points(figure: Any, *, sign: bool = True) -> str:
    """A change of a chance in points, hundredths: ``+1.25 ± 0.03``."""
    return _text(figure, 100, "", sign=sign)


def points(value: float, *, sign: bool = True) -> str:
    """An exact change of a chance in points: ``+1.25``."""
    text = signed(100 * value, 2)
    return text if sign else text.removeprefix("+")


def loss_text(payoff: Payoff, figure: Any) -> str:
    """What an option loses against the best: ``0.42``, or of estimates ``0.4, perhaps``.

    It is perhaps lost where the interval of the difference reaches to 0.
    """
    units, (value, low, high) = payoff.units, ends_of(figure)
    if low == high:
        return units.number(value, units.exact_digits)
    return units.number(value, units.digits) + ("" if low > 0 else ", perhaps")


def payoff_of(study: dict[str, Any]) -> Payoff:
    """What the rules of a study are played for, in its words and units: amounts are the usual."""
    return CHANCES if study["rules"].get("stakes") is None else Stakes()


def names_of(n: int) -> list[str]:
    """Letters for the columns of a matrix."""
    return list(string.ascii_uppercase[:n])
