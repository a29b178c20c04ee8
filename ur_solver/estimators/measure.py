"""How good values are, held against an exact table: by value, by choice and by game."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.answers.values import TableValues, Values
from ur_solver.estimators.features import Rows
from ur_solver.estimators.plies import play_ply, start_rows
from ur_solver.estimators.search import player_values
from ur_solver.players.policies import Policy, TablePolicy
from ur_solver.study.estimates import IntervalEstimate, mean_of, ratio_of
from ur_solver.study.match import GameStep, play

_FROM_A_GAME = 12
"""So many positions, on average, come from one game: neighbours are much alike."""

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
    """What values of positions are wrong by, in units of the values.

    Attributes
    ----------
    rms, p95, p99 : float
        The root of the mean square, and what 95 and 99 of 100 are within.
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
    """What values are wrong by in some positions, of which those count that a table holds."""
    held = rows[exact.holds_states(rows)]
    return ValueErrors.of(values.state_values(held) - exact.state_values(held))


class _Losses:
    """Sees games and notes what one side's choices lose: how many, and how much by game."""

    def __init__(
        self, exact: TablePolicy, side: int, _generator: object, n: int, _rng: np.random.Generator
    ) -> None:
        self._exact = exact
        self._side = side
        self._lost = np.zeros(n)
        self._choices = np.zeros(n, dtype=np.int64)

    def see(self, step: GameStep) -> None:
        """As `Observer.see`."""
        turns = step.turns
        is_mine = (step.sides == self._side) & (turns.n_options > 1)
        if not is_mine.any():
            return
        part = turns.part(is_mine)
        worth = self._exact.option_values(part)
        chosen = part.starts[:-1] + (step.chosen - turns.starts[:-1])[is_mine]
        lost = np.maximum.reduceat(worth, part.starts[:-1]) - worth[chosen]
        # a game has one turn in a step
        self._lost[step.games[is_mine]] += lost
        self._choices[step.games[is_mine]] += 1

    def notes(self) -> dict[str, npt.NDArray[Any]]:
        """As `Observer.notes`."""
        return {"lost": self._lost, "choices": self._choices}


@dataclass(frozen=True)
class Losses:
    """What a player loses by its moves, against a table that plays perfectly.

    Choices before a throw are not counted.

    Attributes
    ----------
    game, choice : IntervalEstimate
        In a game, and in a choice between two moves or more, in units of the values.
    games : int
    """

    game: IntervalEstimate
    choice: IntervalEstimate
    games: int


def losses(
    values: Values,
    exact: TableValues,
    games: int,
    *,
    plies: int = 1,
    seed: int = 1,
    threads: int | None = None,
) -> Losses:
    """What a player who looks some plies ahead loses against a table, half of the games as light.

    Parameters
    ----------
    values : Values
        What the player's leaves are worth.
    exact : TableValues
        Of the whole game.
    games, plies, seed, threads : int
    """
    own: Policy = TablePolicy(player_values(values, plies))
    perfect = TablePolicy(exact)
    lost, choices = [], []
    for side in (0, 1):
        light, dark = (own, perfect) if side == 0 else (perfect, own)
        played = play(
            values.rules,
            light,
            dark,
            max(1, games // 2),
            seed=seed + side,
            observers=[partial(_Losses, perfect, side)],
            threads=threads,
        )
        lost.append(played.notes["lost"])
        choices.append(played.notes["choices"])
    all_lost, all_choices = np.concatenate(lost), np.concatenate(choices)
    return Losses(mean_of(all_lost), ratio_of(all_lost, all_choices), len(all_lost))
