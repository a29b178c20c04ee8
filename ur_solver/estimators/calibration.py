"""How far values may be off: 95 % intervals, calibrated by rollouts.

What is wrong in a value is not known where there is no table. Rollouts that are cut see a part of
it: they are nearer to the optimum than the values that they start from. Positions of play are
valued by searches and held against them, and what they differ by is widened by a factor, which was
chosen so that intervals hold where there are tables (`docs/estimates.md`). Games to the end are no
reference: they are worth what their play is, less than that from which the values were learnt.

Values near 0 and near the most that they can be are wrong by less than those in the middle. If v is
a value's share of that most, half the width of its interval is ``error * spread(v)``, as a share of
it too. An estimator has one such error for each depth of search.

A deeper search is given no wider intervals by rollouts than a shallower one. Where a table has
positions of play, of endings perhaps, intervals are at least as wide as hold there. All of this is
measured of searches to 3 plies; with 4, intervals are as wide as with 3. An interval is calibrated,
not proven.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.answers.decisions import Values
from ur_solver.estimators import MOST_PLIES
from ur_solver.estimators.network import Rows, scale_of
from ur_solver.estimators.search import CUT, Searched, play_ply, rolled_out, start_rows

_FROM_A_GAME = 12
"""The mean number of positions that are drawn from a game: neighbours are much alike."""

_MOST_PLIES = 5000

_MOST_BATCHES = 20
"""More than games of one position each would take to give all that are wanted."""


def spread(share: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """How errors depend on a value, which is given as a share of the most that it can be."""
    inside = np.clip(np.asarray(share, dtype=np.float64), 0, 1)
    return np.asarray(np.sqrt(inside * (1 - inside)) + 0.02)


def half_widths(error: float, share: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Half the widths of intervals, as shares of the most that values can be."""
    return np.minimum(error * spread(share), 1.0)


def positions_of_play(values: Values, n: int, seed: int = 1, exact: Values | None = None) -> Rows:
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

    The root mean square, the 95th and 99th percentiles of the absolute errors, and the mean, which
    is above 0 where the side to throw is given too much.
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


def value_errors(values: Values, exact: Values, rows: Rows) -> ValueErrors:
    """The errors of values in those of some positions that a table holds."""
    held = rows[exact.holds_states(rows)]
    return ValueErrors.of(values.state_values(held) - exact.state_values(held))


CUT_FACTOR = 1.5
_SHARE = 0.95


@dataclass(frozen=True)
class Effort:
    """How much is played to calibrate.

    That is positions of play, and rollouts from each, cut after `CUT` plies.
    """

    positions: int = 400
    rollouts: int = 48


def calibrated(
    values: Values, effort: Effort, *, exact: Values | None = None, seed: int = 1
) -> tuple[npt.NDArray[np.float64], dict[str, Any]]:
    """How wide intervals are, by the plies that a choice looks ahead, and what was measured.

    `values` are a network's. With `exact`, a table of the rule set or of its endings, intervals
    hold in as many positions of play that it has, too, and the errors of the network's values there
    are measured. Returns the widths, float64 of shape (MOST_PLIES,), and as JSON values the errors
    of the network's values by rollouts, and by the table (`ValueErrors`), in units of the values.
    """
    rows = positions_of_play(values, effort.positions, seed)
    rng = np.random.default_rng([seed, 2])
    cut = rolled_out(values, rows, effort.rollouts, rng, CUT).mean(axis=1)
    held = rows[:0] if exact is None else positions_of_play(values, effort.positions, seed, exact)
    depths = range(MOST_PLIES - 1)
    by_cut = [CUT_FACTOR * _width(values, depth, cut, rows) for depth in depths]
    errors = np.minimum.accumulate(by_cut)
    off = ValueErrors.of(values.state_values(rows) - cut)
    measured = {**asdict(effort), "plies": CUT, "against_rollouts": asdict(off)}
    if exact is not None and len(held):
        known = exact.state_values(held)
        needed = [_width(values, depth, known, held) for depth in depths]
        errors = np.maximum(errors, needed)
        measured["against_table"] = asdict(value_errors(values, exact, held))
    # the deepest search takes twenty times the time of all others, and is hardly worse
    return np.append(errors, errors[-1]), measured


def _width(values: Values, depth: int, wanted: npt.NDArray[np.float64], rows: Rows) -> float:
    """How wide the intervals of a search are that hold the wanted values of some positions."""
    scale = scale_of(values.rules, rows)
    found = Searched(values, depth).state_values(rows) / scale
    return float(np.quantile(np.abs(found - wanted / scale) / spread(found), _SHARE))
