"""Figures found by sampling, with their 95 % intervals.

Games are independent. A share has Wilson's interval; a mean, a ratio and a spread have a normal
interval, from the spread of the games' contributions; a quantile has one between two order
statistics; an extreme has a bound on the share of more extreme games.

Figures become text here too: shares in per cent and numbers, with their intervals.
"""

from __future__ import annotations

import math
import string
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.answers.decisions import Verdict
from ur_solver.rules.payoff import CHANCES, MINUS, Payoff, Stakes, signed

NORMAL = 1.959963984540054
"""Standard errors on either side of a mean that hold 95 % of a normal distribution."""

_DOUBT = 0.05


@dataclass(frozen=True)
class IntervalEstimate:
    """A figure with its 95 % interval.

    Attributes
    ----------
    value : float
    low, high : float
        The ends of the 95 % interval; both equal the value for an exact figure.
    """

    value: float
    low: float
    high: float

    @classmethod
    def exact(cls, value: float) -> IntervalEstimate:
        """An exact figure."""
        return cls(value, value, value)

    @classmethod
    def around(cls, value: float, error: float) -> IntervalEstimate:
        """A figure with a normal distribution's interval, by its standard error."""
        return cls.within(value, NORMAL * error)

    @classmethod
    def within(cls, value: float, margin: float) -> IntervalEstimate:
        """A figure with half the width of its interval."""
        return cls(value, value - margin, value + margin)

    @property
    def is_exact(self) -> bool:
        """Whether it is exact."""
        return self.low == self.high

    @property
    def margin(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2

    def rest(self) -> IntervalEstimate:
        """The figure of the complement."""
        return IntervalEstimate(1 - self.value, 1 - self.high, 1 - self.low)

    def plus(self, more: float) -> IntervalEstimate:
        """The figure with a number added."""
        return IntervalEstimate(self.value + more, self.low + more, self.high + more)

    def to_json(self) -> float | dict[str, float] | None:
        """As JSON: a number if it is exact, else the number with its interval; None if unknown."""
        if math.isnan(self.value):
            return None
        if self.is_exact:
            return self.value
        return {"value": self.value, "low": self.low, "high": self.high}


UNKNOWN = IntervalEstimate(math.nan, -math.inf, math.inf)


def share_of(hits: int, n: int) -> IntervalEstimate:
    """The share of n games with an event, with Wilson's interval."""
    if n == 0:
        return UNKNOWN
    share, weight = hits / n, NORMAL**2 / n
    middle = (share + weight / 2) / (1 + weight)
    spread = NORMAL * math.sqrt(share * (1 - share) / n + weight / (4 * n)) / (1 + weight)
    # with none or all of the games the interval ends there, but for rounding
    low = 0.0 if hits == 0 else middle - spread
    return IntervalEstimate(share, low, 1.0 if hits == n else middle + spread)


def mean_of(seen: npt.ArrayLike) -> IntervalEstimate:
    """The mean over independent games; of an event, its share."""
    values = np.asarray(seen, dtype=np.float64)
    n = len(values)
    if n == 0:
        return UNKNOWN
    if ((values == 0) | (values == 1)).all():
        return share_of(int(values.sum()), n)
    if n == 1:
        return UNKNOWN  # one game has no interval
    return IntervalEstimate.around(float(values.mean()), float(values.std(ddof=1)) / math.sqrt(n))


def ratio_of(counts: npt.ArrayLike, totals: npt.ArrayLike) -> IntervalEstimate:
    """The ratio of two sums over games."""
    above, below = np.asarray(counts, np.float64), np.asarray(totals, np.float64)
    n, total = len(above), float(below.sum())
    if n < 2 or total == 0:
        return UNKNOWN
    ratio = float(above.sum()) / total
    spread = float((above - ratio * below).std(ddof=1))
    return IntervalEstimate.around(ratio, spread * math.sqrt(n) / total)


def deviation_of(seen: npt.ArrayLike) -> IntervalEstimate:
    """The standard deviation over games; its error by the fourth moment."""
    values = np.asarray(seen, dtype=np.float64)
    n = len(values)
    if n < 2:
        return UNKNOWN
    deviation = float(values.std(ddof=1))
    if deviation == 0:
        return IntervalEstimate.exact(0.0)
    squares = (values - values.mean()) ** 2
    return IntervalEstimate.around(
        deviation, float(squares.std(ddof=1)) / math.sqrt(n) / (2 * deviation)
    )


def part_of_spread(part: npt.ArrayLike, rest: npt.ArrayLike) -> IntervalEstimate:
    """The share of the first in the sum of two variances over games."""
    own, other = (np.asarray(each, dtype=np.float64) for each in (part, rest))
    own, other = (own - own.mean()) ** 2, (other - other.mean()) ** 2
    return ratio_of(own, own + other)


def quantile_of(seen: npt.ArrayLike, share: float) -> IntervalEstimate:
    """A quantile over games, with an interval between two order statistics.

    The interval holds the quantile in at least 95 cases of 100 for any distribution: the number
    of games below it is binomial.
    """
    values = np.sort(np.asarray(seen, dtype=np.float64))
    n = len(values)
    if n == 0:
        return UNKNOWN
    at = min(n - 1, math.ceil(share * n) - 1)
    spread = NORMAL * math.sqrt(n * share * (1 - share))
    low, high = math.floor(share * n - spread) - 1, math.ceil(share * n + spread)
    return IntervalEstimate(
        float(values[at]), float(values[max(0, low)]), float(values[min(n - 1, high)])
    )


def beyond_of(n: int) -> IntervalEstimate:
    """The share of games that are more extreme than the most extreme of n games.

    None was. If it were the upper end or more, n games without one had a chance of 5 %.
    """
    return IntervalEstimate(0.0, 0.0, 1 - _DOUBT ** (1 / n))


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
    """What an option loses against the best: ``0.42``, or of estimates ``0.4, too close to call``.

    It is too close to call where the interval of the difference reaches to 0.
    """
    units, (value, low, high) = payoff.units, ends_of(figure)
    if low == high:
        return units.number(value, units.exact_digits)
    return units.number(value, units.digits) + ("" if low > 0 else Verdict.CLOSE.doubt)


def payoff_of(study: dict[str, Any]) -> Payoff:
    """What the rules of a study are played for, in its words and units: amounts are the usual."""
    return CHANCES if study["rules"].get("stakes") is None else Stakes()


def names_of(n: int) -> list[str]:
    """Letters for the columns of a matrix."""
    return list(string.ascii_uppercase[:n])
