"""Rollouts: games that a network plays with itself from a position, with the luck taken out.

Along a game the value changes by luck, whose mean over the throws is nothing, and by what the
network's values are wrong by: the full backup B[t] less the value V[t]. A game's result without its
luck is therefore

    V[0] + sum of sign[t] * (B[t] - V[t])

with the sign -1 where the other side throws. It has the mean of the results of the network's own
games, and about a fifteenth of their standard deviation. Cut after some plies it is no longer
that, but nearer to the optimum than the network's value, and much cheaper.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ur_solver.answers.values import Values
from ur_solver.common.text import real_number, whole_number
from ur_solver.errors import InputError
from ur_solver.estimators.features import Rows
from ur_solver.estimators.plies import play_ply
from ur_solver.study.estimates import IntervalEstimate

CUT = 12
"""The plies of a rollout that is cut, where nothing else is asked for."""

_MOST_PLIES = 5000
_BATCH = 64
_LEAST, _MOST = 64, 100_000


def rolled_out(
    values: Values, rows: Rows, n: int, rng: np.random.Generator, plies: int | None = None
) -> npt.NDArray[np.float64]:
    """The results of games from some states without their luck.

    Parameters
    ----------
    values : Values
        What both sides play by, to the best of the next ply.
    rows : unsigned, shape (states, state width)
        That are not over.
    n : int
        Games from each.
    rng : Generator
    plies : int, optional
        Cut games after this number; by default they are played to the end.

    Returns
    -------
    float64, shape (states, n)
        To the side to throw.
    """
    going = np.arange(len(rows) * n)
    now = np.repeat(rows, n, axis=0)
    results = values.state_values(rows).repeat(n)
    own, sign = results.copy(), np.ones(len(going))
    for _ in range(plies or _MOST_PLIES):
        ply = play_ply(values, now, rng)
        results[going] += sign * (ply.worth - own)
        goes_on = ply.sign != 0
        going, now = going[goes_on], ply.after[goes_on]
        sign = (sign * ply.sign)[goes_on]
        if not len(going):
            break
        own = values.state_values(now)
    return results.reshape(len(rows), n)


def rollout(
    values: Values,
    row: Rows,
    *,
    n: int | None = None,
    within: float | None = None,
    plies: int | None = None,
    seed: int = 1,
) -> IntervalEstimate:
    """The value of a state by rollouts, as `Estimator.rollout` says.

    Parameters
    ----------
    values : Values
    row : unsigned, shape (1, state width)
    n, within, plies, seed
        As for `Estimator.rollout`.
    """
    if n is not None:
        whole_number("n", n, 2)
    if plies is not None:
        whole_number("plies", plies, 1)
    if within is not None and not real_number("within", within) > 0:
        raise InputError(f"within {within!r:.40}: expected a number above 0")
    rng = np.random.default_rng(whole_number("seed", seed))
    if within is None:
        return _mean(rolled_out(values, row, n or _LEAST, rng, plies)[0])
    results = rolled_out(values, row, _LEAST, rng, plies)[0]
    while _mean(results).margin > within and len(results) < _MOST:
        more = rolled_out(values, row, max(_BATCH, len(results) // 2), rng, plies)[0]
        results = np.concatenate([results, more])
    return _mean(results)


def _mean(results: npt.NDArray[np.float64]) -> IntervalEstimate:
    """With an interval by the results' spread; of two or more."""
    spread = float(results.std(ddof=1)) / math.sqrt(len(results))
    return IntervalEstimate.around(float(results.mean()), spread)
