"""How far values may be off: 95 % intervals, calibrated by rollouts.

What is wrong in a value is not known where there is no table. Rollouts that are cut see a part of
it: they are nearer to the optimum than the values that they start from. Positions of play are
valued by searches and held against them, and what they differ by is widened by a factor, which was
chosen so that intervals hold where there are tables (`docs/estimates.md`). Games to the end are no
reference: they are worth what their play is, less than that from which the values were learnt.

A deeper search is given no wider intervals by rollouts than a shallower one. Where a table has
positions of play, of endings perhaps, intervals are at least as wide as hold there. All of this is
measured of searches to 3 plies; with 4, intervals are as wide as with 3. An interval is calibrated,
not proven.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.answers.values import TableValues, Values
from ur_solver.estimators import MOST_PLIES
from ur_solver.estimators.features import Rows, scale_of
from ur_solver.estimators.intervals import spread
from ur_solver.estimators.measure import ValueErrors, positions_of_play, value_errors
from ur_solver.estimators.rollouts import CUT, rolled_out
from ur_solver.estimators.search import Searched

CUT_FACTOR = 1.5
_SHARE = 0.95


@dataclass(frozen=True)
class Effort:
    """How much is played to calibrate.

    Parameters
    ----------
    positions : int
        Of play.
    rollouts : int
        From each, cut after `CUT` plies.
    """

    positions: int = 400
    rollouts: int = 48


def calibrated(
    values: Values, effort: Effort, *, exact: TableValues | None = None, seed: int = 1
) -> tuple[npt.NDArray[np.float64], dict[str, Any]]:
    """How wide intervals are, by the plies that a choice looks ahead, and what was measured.

    Parameters
    ----------
    values : Values
        A network's.
    effort : Effort
    exact : TableValues, optional
        A table of the rule set, of endings perhaps. Intervals hold in as many positions of play
        that it has, too, and it is measured what the network's values are wrong by there.
    seed : int

    Returns
    -------
    float64, shape (MOST_PLIES,)
    dict
        JSON values: of the network's values what rollouts, and the table, say that they are wrong
        by (`ValueErrors`), in units of the values.
    """
    rows = positions_of_play(values, effort.positions, seed)
    scale = scale_of(values.rules, rows)
    rng = np.random.default_rng([seed, 2])
    cut = rolled_out(values, rows, effort.rollouts, rng, CUT).mean(axis=1) / scale
    held = rows[:0] if exact is None else positions_of_play(values, effort.positions, seed, exact)
    by_cut = [_by_cut(values, depth, cut, rows) for depth in range(MOST_PLIES - 1)]
    errors = np.minimum.accumulate(by_cut)
    off = values.state_values(rows) - cut * scale
    measured = {
        **asdict(effort),
        "plies": CUT,
        "against_rollouts": asdict(ValueErrors.of(off)),
    }
    if exact is not None and len(held):
        needed = [_by_table(values, depth, exact, held) for depth in range(len(errors))]
        errors = np.maximum(errors, needed)
        measured["against_table"] = asdict(value_errors(values, exact, held))
    # the deepest search takes twenty times the time of all others, and is hardly worse
    return np.append(errors, errors[-1]), measured


def _by_cut(values: Values, depth: int, cut: npt.NDArray[np.float64], rows: Rows) -> float:
    """How wide the intervals of a search are by cut rollouts."""
    found = Searched(values, depth).state_values(rows) / scale_of(values.rules, rows)
    return CUT_FACTOR * float(np.quantile(np.abs(found - cut) / spread(found), _SHARE))


def _by_table(values: Values, depth: int, exact: TableValues, rows: Rows) -> float:
    """How wide the intervals of a search are that hold in some positions of a table."""
    scale = scale_of(values.rules, rows)
    found = Searched(values, depth).state_values(rows) / scale
    off = np.abs(found - exact.state_values(rows) / scale)
    return float(np.quantile(off / spread(found), _SHARE))
