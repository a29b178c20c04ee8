"""Figures found by sampling, with their 95 % intervals.

All are of independent games. A share has Wilson's interval; a mean, a ratio and a spread that of
a normal distribution, by the spread of what each game adds to them; a quantile that of two games
in the order of their sizes; and of an extreme it is said how many games may be more extreme.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

NORMAL = 1.959963984540054
"""So many standard errors to either side of a mean hold 95 % of a normal distribution."""

_DOUBT = 0.05


@dataclass(frozen=True)
class IntervalEstimate:
    """A figure, and how far it may be off.

    Attributes
    ----------
    value : float
    low, high : float
        The ends of the 95 % interval; both the value itself for a figure that is exact.
    """

    value: float
    low: float
    high: float

    @classmethod
    def exact(cls, value: float) -> IntervalEstimate:
        """A figure that is no sampled one."""
        return cls(value, value, value)

    @classmethod
    def around(cls, value: float, error: float) -> IntervalEstimate:
        """A figure with a normal distribution's interval, by its standard error."""
        return cls(value, value - NORMAL * error, value + NORMAL * error)

    @property
    def is_exact(self) -> bool:
        """Whether it is no sampled figure."""
        return self.low == self.high

    @property
    def margin(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2

    def rest(self) -> IntervalEstimate:
        """What is left of 1."""
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
    """The share of n games in which something happened, with Wilson's interval."""
    if n == 0:
        return UNKNOWN
    share, weight = hits / n, NORMAL**2 / n
    middle = (share + weight / 2) / (1 + weight)
    spread = NORMAL * math.sqrt(share * (1 - share) / n + weight / (4 * n)) / (1 + weight)
    # with none or all of the games the interval ends there, but for rounding
    low = 0.0 if hits == 0 else middle - spread
    return IntervalEstimate(share, low, 1.0 if hits == n else middle + spread)


def mean_of(seen: npt.ArrayLike) -> IntervalEstimate:
    """The mean of what was seen in independent games; of a thing that happens or not, its share."""
    values = np.asarray(seen, dtype=np.float64)
    n = len(values)
    if n == 0:
        return UNKNOWN
    if ((values == 0) | (values == 1)).all():
        return share_of(int(values.sum()), n)
    if n == 1:
        return UNKNOWN  # one game says nothing of an interval
    return IntervalEstimate.around(float(values.mean()), float(values.std(ddof=1)) / math.sqrt(n))


def ratio_of(counts: npt.ArrayLike, totals: npt.ArrayLike) -> IntervalEstimate:
    """A sum over games divided by another, as counts by which something happened in each game."""
    above, below = np.asarray(counts, np.float64), np.asarray(totals, np.float64)
    n, total = len(above), float(below.sum())
    if n < 2 or total == 0:
        return UNKNOWN
    ratio = float(above.sum()) / total
    spread = float((above - ratio * below).std(ddof=1))
    return IntervalEstimate.around(ratio, spread * math.sqrt(n) / total)


def deviation_of(seen: npt.ArrayLike) -> IntervalEstimate:
    """The standard deviation of what is seen in a game: the error by the fourth moment."""
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
    """The part that one thing has in the sum of two variances, as two numbers of each game."""
    own, other = (np.asarray(each, dtype=np.float64) for each in (part, rest))
    own, other = (own - own.mean()) ** 2, (other - other.mean()) ** 2
    return ratio_of(own, own + other)


def quantile_of(seen: npt.ArrayLike, share: float) -> IntervalEstimate:
    """What a share of the games is at or below, between two of them in the order of their sizes.

    The interval holds the quantile in 95 cases of 100 or more, whatever the distribution: the
    games below it are a draw of the binomial distribution.
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
