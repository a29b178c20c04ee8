"""Figures found by sampling, with their 95 % intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

_NORMAL = 1.959963984540054
"""So many standard errors to either side of a mean hold 95 % of a normal distribution."""


@dataclass(frozen=True)
class Estimate:
    """A figure, and how far it may be off.

    Attributes
    ----------
    value : float
    margin : float
        Half the width of the 95 % interval; 0 for a figure that is exact.
    """

    value: float
    margin: float = 0.0

    @property
    def is_exact(self) -> bool:
        """Whether it is no sampled figure."""
        return self.margin == 0

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.value - self.margin

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self.value + self.margin

    def to_json(self) -> float | dict[str, float] | None:
        """As JSON: a number if it is exact, else the number with its interval; None if unknown."""
        if math.isnan(self.value):
            return None
        if self.is_exact:
            return self.value
        return {"value": self.value, "low": self.low, "high": self.high}


def mean_of(seen: npt.ArrayLike) -> Estimate:
    """The mean of what was seen in independent games.

    Its margin is that of a share of one in three less where all are alike: nothing else is
    known then than that others are rare (the rule of three).
    """
    values = np.asarray(seen, dtype=np.float64)
    n = len(values)
    if n == 0:
        return Estimate(math.nan, math.inf)
    deviation = float(values.std(ddof=1)) if n > 1 else math.inf
    if deviation == 0 and set(np.unique(values)) <= {0.0, 1.0}:
        return Estimate(float(values[0]), 3 / n)
    return Estimate(float(values.mean()), _NORMAL * deviation / math.sqrt(n))


def ratio_of(counts: npt.ArrayLike, totals: npt.ArrayLike) -> Estimate:
    """A sum over games divided by another, as counts by which something happened in each game."""
    above, below = np.asarray(counts, np.float64), np.asarray(totals, np.float64)
    n, total = len(above), float(below.sum())
    if n < 2 or total == 0:
        return Estimate(math.nan, math.inf)
    ratio = float(above.sum()) / total
    spread = float((above - ratio * below).std(ddof=1))
    return Estimate(ratio, _NORMAL * spread * math.sqrt(n) / total)
