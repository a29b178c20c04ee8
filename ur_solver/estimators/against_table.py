"""What an exact table says of an estimator: whether its intervals hold, what its moves lose."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.answers.decisions import Values, error_of_difference
from ur_solver.errors import InputError
from ur_solver.estimators.calibration import (
    TwoMoves,
    ValueErrors,
    positions_of_play,
    value_errors,
)
from ur_solver.estimators.network import Rows
from ur_solver.players.policies import Policy, TablePolicy
from ur_solver.study.estimates import IntervalEstimate, mean_of, ratio_of
from ur_solver.study.match import GameStep, play

POSITIONS, GAMES = 2000, 1600
"""The defaults for a search of one ply."""

_FROM_ENDINGS = 10
"""How many positions of play are drawn for each that a table of endings may have."""

_LEAST_POSITIONS, _LEAST_GAMES = 500, 40


@dataclass(frozen=True)
class TableComparison(ValueErrors):
    """What `Estimator.compared_with` has found; errors and losses are in units of the values.

    Attributes
    ----------
    rms, p95, p99 : float
        The root mean square, the 95th and the 99th percentile of the absolute differences from the
        table's values, in positions from the network's own play.
    bias : float
        The mean of the differences: above 0 if the estimator gives the side to throw too much.
    positions : int
        The number of positions that were compared.
    plies : int
        The depth of the search.
    inside : float
        The share of exact values that lie in the intervals that the estimator states, in [0, 1].
    differences_inside : float or None
        The same share for the differences of two moves; None if there was none to compare, and for
        a table of endings.
    choice_loss, game_loss : IntervalEstimate or None
        What the estimator loses in a choice between two moves or more, and in a game, as the table
        judges its moves. It plays half of the games as light. Choices before a throw do not count.
        None for a table of endings.
    games : int
        The number of games that were played; 0 for a table of endings.
    """

    plies: int
    inside: float
    differences_inside: float | None
    choice_loss: IntervalEstimate | None
    game_loss: IntervalEstimate | None
    games: int

    def to_json(self) -> dict[str, Any]:
        """The figures as JSON values; losses have their 95 % intervals.

        Returns
        -------
        dict
            The attributes by name. A loss is an object with ``value``, ``low`` and ``high``.
        """
        losses = {"choice_loss": self.choice_loss, "game_loss": self.game_loss}
        return asdict(self) | {k: each and each.to_json() for k, each in losses.items()}


def compared(
    values: Values,
    player: Values,
    exact: Values,
    *,
    play_of: Values,
    plies: int,
    is_whole: bool,
    positions: int = POSITIONS,
    games: int = GAMES,
    seed: int = 1,
    threads: int | None = None,
) -> TableComparison:
    """Compare values by a search of some plies, and the moves of its player, with a table.

    Positions are from games that `play_of` plays with itself. Deeper searches take longer: each ply
    beyond the first divides the numbers of positions and games by 4, down to `_LEAST_POSITIONS` and
    `_LEAST_GAMES`. Only values are compared with a table that does not hold the whole game.
    InputError if the table has no position of these games.
    """
    drawn = positions_of_play(play_of, positions * (1 if is_whole else _FROM_ENDINGS), 1000 + seed)
    rows = drawn[exact.holds_states(drawn)]
    if not len(rows):
        raise InputError(
            f"none of {len(drawn):,} positions of play of {exact.rules.title} is in the table, "
            "which holds endings; expected a table of more of them, as 'ur solve --left' makes"
        )
    less = 4 ** (plies - 1)
    rows = rows[: max(_LEAST_POSITIONS, len(rows) // less)]
    errors = asdict(value_errors(values, exact, rows))
    inside = share_inside(values, exact, rows)
    if not is_whole:
        return TableComparison(**errors, plies=plies, inside=inside, **_NOTHING)
    game, choice, played = losses(
        TablePolicy(player),
        exact,
        max(min(_LEAST_GAMES, games), games // less),
        seed=seed,
        threads=threads,
    )
    return TableComparison(
        **errors,
        plies=plies,
        inside=inside,
        differences_inside=differences_inside(values, exact, rows, seed),
        choice_loss=choice,
        game_loss=game,
        games=played,
    )


_NOTHING: dict[str, Any] = {
    **dict.fromkeys(("differences_inside", "choice_loss", "game_loss")),
    "games": 0,
}


def share_inside(values: Values, exact: Values, rows: Rows) -> float:
    """The share of exact values of some states that lie in the intervals of values."""
    found = values.state_values(rows)
    off = np.abs(found - exact.state_values(rows))
    return float((off <= values.state_margins(rows, found)).mean())


def differences_inside(values: Values, exact: Values, rows: Rows, seed: int = 1) -> float | None:
    """The share of differences of two moves that lie in their intervals; None if there are none.

    Of each state the best move with a throw and another one, if there is one. The table is of the
    whole game.
    """
    moves = TwoMoves.of(values, rows, seed)
    if not len(moves.first):
        return None
    first, other = (values.state_values(each) for each in moves.states)
    off = moves.difference(
        first - exact.state_values(moves.first), other - exact.state_values(moves.other)
    )
    error = error_of_difference(
        values.state_margins(moves.first, first),
        values.state_margins(moves.other, other),
        values.agreement,
    )
    return float((np.abs(off) <= error).mean())


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


def losses(
    own: Policy, exact: Values, games: int, *, seed: int = 1, threads: int | None = None
) -> tuple[IntervalEstimate, IntervalEstimate, int]:
    """What a player loses by its moves against a table, half of the games as light.

    In a game, and in a choice between two moves or more; and how many games were played.
    """
    perfect = TablePolicy(exact)
    lost, choices = [], []
    for side in (0, 1):
        light, dark = (own, perfect) if side == 0 else (perfect, own)
        played = play(
            exact.rules,
            light,
            dark,
            math.ceil(games / 2),
            seed=seed + side,
            observers=[partial(_Losses, perfect, side)],
            threads=threads,
        )
        lost.append(played.notes["lost"])
        choices.append(played.notes["choices"])
    all_lost, all_choices = np.concatenate(lost), np.concatenate(choices)
    return mean_of(all_lost), ratio_of(all_lost, all_choices), len(all_lost)
