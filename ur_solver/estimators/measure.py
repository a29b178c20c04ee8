"""Positions of play, and how far their values are off, by an exact table."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ur_solver.answers.values import TableValues, Values
from ur_solver.estimators.features import Rows
from ur_solver.estimators.plies import play_ply, start_rows

_FROM_A_GAME = 12
"""The mean number of positions that are drawn from a game: neighbours are much alike."""

_MOST_PLIES = 5000

_MOST_BATCHES = 20
"""More than games of one position each would take to give all that are wanted."""


def positions_of_play(
    values: Values, n: int, seed: int = 1, exact: TableValues | None = None
) -> Rows:
    """Positions of the games that values play with themselves, shape (n, state width).

    They are drawn from whole games, all of a game alike, and come in any order. With a table only
    those are drawn that it holds: fewer than n where games seldom come to them.
    """
    rng = np.random.default_rng([seed, 1])
    seen: list[Rows] = []
    for _ in range(_MOST_BATCHES):
        rows = start_rows(values.rules, max(1, n // _FROM_A_GAME))
        for _ in range(_MOST_PLIES):
            seen.append(rows if exact is None else rows[exact.holds_states(rows)])
            ply = play_ply(values, rows, rng)
            rows = ply.after[ply.sign != 0]
            if not len(rows):
                break
        found = sum(map(len, seen))
        if found >= n or not found:  # a table may have only what games do not come to
            break
    return rng.permutation(np.concatenate(seen))[:n]


@dataclass(frozen=True)
class ValueErrors:
    """The errors of the values of positions, in units of the values.

    Attributes
    ----------
    rms, p95, p99 : float
        The root mean square, and the 95th and 99th percentiles of the absolute errors.
    bias : float
        The mean: above 0 where the side to throw is given too much.
    positions : int
    """

    rms: float
    p95: float
    p99: float
    bias: float
    positions: int

    @classmethod
    def of(cls, errors: npt.NDArray[np.float64]) -> ValueErrors:
        """Of some differences from exact values."""
        size = np.abs(errors)
        p95, p99 = (float(each) for each in np.quantile(size, (0.95, 0.99)))
        rms = math.sqrt(float(np.mean(errors**2)))
        return cls(rms, p95, p99, float(errors.mean()), len(errors))


def value_errors(values: Values, exact: TableValues, rows: Rows) -> ValueErrors:
    """The errors of values in those of some positions that a table holds."""
    held = rows[exact.holds_states(rows)]
    return ValueErrors.of(values.state_values(held) - exact.state_values(held))
