"""Search over chance nodes: backups, plies of play, and rollouts of a network's own games.

A search looks some plies ahead, and asks a table for what it has.

In a rollout a network plays with itself from a position, with the luck taken out. Along a game the
value changes by luck, whose mean over the throws is nothing, and by what the network's values are
wrong by: the full backup B[t] less the value V[t]. A game's result without its luck is therefore

    V[0] + sum of sign[t] * (B[t] - V[t])

with the sign -1 where the other side throws. It has the mean of the results of the network's own
games, and about a fifteenth of their standard deviation. Cut after some plies it is no longer that,
but nearer to the optimum than the network's value, and much cheaper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.answers.decisions import Branches, Values, decide
from ur_solver.common.text import real_number, whole_number
from ur_solver.errors import InputError
from ur_solver.estimators.network import Rows
from ur_solver.moves import generator_of
from ur_solver.rules import RuleSet
from ur_solver.space import positions_of
from ur_solver.study.estimates import IntervalEstimate

_CHUNK = 2048
"""States that are expanded together: what they lead to stays in the cache."""


@dataclass(frozen=True)
class Plies:
    """A ply of play from some states, a row for each.

    `worth` is the full backup: the mean over all throws of what the best move is worth, after the
    best choice before the throw. `after` are the states that one throw and a move have led to, the
    state before where the game is won; `sign` is 1 where the same side throws there, -1 where the
    other does, 0 where the game is won; `is_best` says whether the best was chosen, and not
    something else to explore.
    """

    worth: npt.NDArray[np.float64]
    after: Rows
    sign: npt.NDArray[np.float64]
    is_best: npt.NDArray[np.bool_]


def start_rows(rules: RuleSet, n: int) -> Rows:
    """The state of the start, `n` times."""
    return generator_of(rules).start(n)


def ending_rows(rules: RuleSet, n: int, rng: np.random.Generator) -> Rows:
    """States without a piece on the board; each side has borne off any number, but not all."""
    rows, space = start_rows(rules, n), positions_of(rules)
    homes = rows[:, len(space.squares) : len(space.squares) + 2]
    homes[:] = rng.integers(1, space.stock.size, homes.shape)
    return rows


def backed_up(values: Values, rows: Rows) -> npt.NDArray[np.float64]:
    """The full backup of some states that are not over, shape (states,); see `Plies.worth`."""
    worth = np.empty(len(rows))
    for first in range(0, len(rows), _CHUNK):
        part = np.ascontiguousarray(rows[first : first + _CHUNK])
        worth[first : first + _CHUNK] = decide(values, part).backup
    return worth


def play_ply(
    values: Values,
    rows: Rows,
    rng: np.random.Generator,
    explore: float | npt.NDArray[np.float64] = 0.0,
) -> Plies:
    """Full backups, and a ply of play by them from states that are not over.

    `explore`, one number or one for each state, is how often any move is made instead of the best.
    """
    # drawn for all states alike, so that nothing depends on how they are divided
    luck, chance, any_choice, any_move = rng.random((4, len(rows)))
    explores = chance < explore
    found = decide(values, rows)
    branches, choices, options = found.branches, found.choices, found.options
    drawn = choices.starts[:-1] + (any_choice * choices.sizes).astype(np.int64)
    choice = np.where(explores, drawn, choices.best)
    throw = _thrown(branches, choice, luck)
    some = branches.option_starts[throw] + (any_move * options.sizes[throw]).astype(np.int64)
    option = np.where(explores, some, options.best[throw])
    won, again = branches.won[option], branches.again[option]
    return Plies(
        found.backup,
        branches.after[option],
        np.where(won, 0.0, np.where(again, 1.0, -1.0)),
        (options.worth[option] == options.value[throw]) & (choices.worth[choice] == choices.value),
    )


def _thrown(
    branches: Branches, choice: npt.NDArray[np.int64], luck: npt.NDArray[np.float64]
) -> npt.NDArray[np.int64]:
    """The throw that follows a choice of each state, by a number in [0, 1) each."""
    first, end = branches.throw_starts[choice], branches.throw_starts[choice + 1]
    number = first[:, np.newaxis] + np.arange((end - first).max(initial=1) - 1)
    is_earlier = number < end[:, np.newaxis] - 1
    chances = np.where(is_earlier, branches.chances[np.where(is_earlier, number, 0)], 0.0)
    passed = (chances.cumsum(axis=1) <= luck[:, np.newaxis]) & is_earlier
    return np.asarray(first + passed.sum(axis=1))


class Searched(Values):
    """The values of states by a full search of some plies: `Values`, thread safe if those are.

    `values` are asked at the leaves, `depth` plies from a state: with 0, for the state itself.
    `exact`, a table of the same rule set, whole or of endings, is asked for what it holds.
    """

    rules: RuleSet

    def __init__(self, values: Values, depth: int, exact: Values | None = None) -> None:
        self.rules = values.rules
        self._leaves = values
        self._exact = exact
        self._next = Searched(values, depth - 1, exact) if depth > 0 else None

    def state_values(self, states: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """The value of each encoded state that is not over to its side to throw."""
        if self._exact is None:
            return self._searched(states)
        is_held = self._exact.holds_states(states)
        found = np.empty(len(states))
        found[is_held] = self._exact.state_values(states[is_held])
        if not is_held.all():
            found[~is_held] = self._searched(states[~is_held])
        return found

    def _searched(self, states: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        if self._next is None:
            return self._leaves.state_values(states)
        return backed_up(self._next, states)


CUT = 12
"""The plies of a rollout that is cut, where nothing else is asked for."""

_MOST_PLIES = 5000
_BATCH = 64
_LEAST, _MOST = 64, 100_000


def rolled_out(
    values: Values, rows: Rows, n: int, rng: np.random.Generator, plies: int | None = None
) -> npt.NDArray[np.float64]:
    """The results of `n` games from each of some states that are not over, without their luck.

    Both sides play by `values`, to the best of the next ply; games are cut after `plies`, by
    default never. Returns float64 of shape (states, n), to the side to throw.
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
    """The value of a state, of shape (1, state width), by rollouts: see `Estimator.rollout`."""
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
