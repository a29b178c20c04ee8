"""What an exact table says of an estimator: whether its intervals hold, what its moves lose.

For scripts and tests.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.answers.decisions import Values
from ur_solver.estimators.estimator import half_widths
from ur_solver.estimators.network import Rows, scale_of
from ur_solver.estimators.search import Searched, play_ply
from ur_solver.players.policies import Policy, TablePolicy
from ur_solver.study.estimates import IntervalEstimate, mean_of, ratio_of
from ur_solver.study.match import GameStep, play


def share_inside(values: Values, error: float, exact: Values, rows: Rows) -> tuple[int, int]:
    """How many exact values lie in their intervals, and how many positions a table holds.

    Parameters
    ----------
    values : Values
        By a search.
    error : float
        Of that search, as `calibrated` gives it.
    exact : Values
    rows : unsigned, shape (states, state width)
    """
    held = rows[exact.holds_states(rows)]
    scale = scale_of(values.rules, held)
    found = values.state_values(held)
    off = np.abs(found - exact.state_values(held))
    return int((off <= half_widths(error, found / scale) * scale).sum()), len(held)


def differences_inside(
    values: Values, error: float, exact: Values, rows: Rows, seed: int = 1
) -> tuple[int, int]:
    """How many differences of two moves lie in their intervals, and how many were compared.

    Of each state the best move with a throw and another one, if there is one. The errors of their
    values are taken for independent.

    Parameters
    ----------
    values, error, rows
        As for `share_inside`.
    exact : Values
        Of the whole game.
    seed : int
        Of the throws and the other moves.
    """
    best, other = (
        play_ply(values, rows, np.random.default_rng(seed), explore) for explore in (0.0, 1.0)
    )
    differ = ~other.is_best & (best.sign != 0) & (other.sign != 0)
    off, square = np.zeros(int(differ.sum())), np.zeros(int(differ.sum()))
    for ply, sign in ((best, 1), (other, -1)):
        after = ply.after[differ]
        scale = scale_of(values.rules, after)
        found = values.state_values(after)
        off += sign * ply.sign[differ] * (found - exact.state_values(after))
        square += (half_widths(error, found / scale) * scale) ** 2
    return int((np.abs(off) <= np.sqrt(square)).sum()), len(off)


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
        loss = self._exact.ranked(part).loss
        chosen = part.starts[:-1] + (step.chosen - turns.starts[:-1])[is_mine]
        # a game has one turn in a step
        self._lost[step.games[is_mine]] += loss[chosen]
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
    exact: Values,
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
    exact : Values
        Of the whole game.
    games, plies, seed, threads : int
    """
    own: Policy = TablePolicy(Searched(values, plies - 1))
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
