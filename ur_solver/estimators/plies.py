"""Full backups of many states at once, and a ply of play from each.

This is the only module of the room that asks the compiled move generator.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ur_solver.answers.values import Values
from ur_solver.estimators.features import Rows
from ur_solver.moves import AGAIN, WIN, TurnBatch, _options, generator_of
from ur_solver.players.policies import TablePolicy
from ur_solver.rules import RuleSet
from ur_solver.space import positions_of

_CHUNK = 2048
"""States that are expanded together: what they lead to stays in the cache."""


@dataclass(frozen=True)
class Plies:
    """A ply of play from some states.

    Attributes
    ----------
    worth : float64, shape (states,)
        The full backup: the mean over all throws of what the best move is worth, after the best
        choice before the throw.
    after : unsigned, shape (states, state width)
        The states that one throw and a move have led to; the state before where the game is won.
    sign : float64, shape (states,)
        1 where the same side throws there, -1 where the other does, 0 where the game is won.
    is_best : bool, shape (states,)
        Whether the best was chosen, and not something else to explore.
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
    policy, generator = TablePolicy(values), generator_of(values.rules)
    worth = np.empty(len(rows))
    for first in range(0, len(rows), _CHUNK):
        part = np.ascontiguousarray(rows[first : first + _CHUNK])
        for choices, members in generator.by_choices(part):
            of_choices = policy.option_values(generator.before_throw(part[members], choices))
            worth[first + members] = of_choices.reshape(len(members), len(choices)).max(axis=1)
    return worth


def play_ply(
    values: Values,
    rows: Rows,
    rng: np.random.Generator,
    explore: float | npt.NDArray[np.float64] = 0.0,
) -> Plies:
    """Full backups, and a ply of play by them.

    Parameters
    ----------
    values : Values
        What chooses.
    rows : unsigned, shape (states, state width)
        States that are not over.
    rng : Generator
    explore : float, or float64, shape (states,)
        How often any move is made instead of the best.
    """
    policy, generator = TablePolicy(values), generator_of(values.rules)
    n = len(rows)
    worth, sign, is_best = np.empty(n), np.empty(n), np.empty(n, dtype=bool)
    after = np.empty_like(rows)
    # drawn for all states alike, so that nothing depends on how they are divided
    luck, chance, any_choice, any_move = rng.random((4, n))
    explores = chance < explore
    for choices, members in generator.by_choices(rows):
        part = np.ascontiguousarray(rows[members])
        thrown = [
            (generator.every_throw(part, each), np.array([chance for _, chance in each.outcomes]))
            for each in choices
        ]
        options = [policy.option_values(turns) for turns, _ in thrown]
        best = [_best(each, turns) for each, (turns, _) in zip(options, thrown, strict=True)]
        of_choices = np.array(
            [
                each[chosen].reshape(len(part), -1) @ chances
                for each, chosen, (_, chances) in zip(options, best, thrown, strict=True)
            ]
        )
        worth[members] = of_choices.max(axis=0)
        drawn = (any_choice[members] * len(choices)).astype(np.int64)
        choice = np.where(explores[members], drawn, of_choices.argmax(axis=0))
        for k, (turns, chances) in enumerate(thrown):
            mine = np.flatnonzero(choice == k)
            those = members[mine]
            outcome = np.searchsorted(np.cumsum(chances)[:-1], luck[those], side="right")
            turn = mine * len(chances) + outcome
            some = (any_move[those] * turns.n_options[turn]).astype(np.int64)
            option = np.where(explores[those], turns.starts[turn] + some, best[k][turn])
            is_best[those] = (options[k][option] == options[k][best[k][turn]]) & (
                of_choices[k, mine] == worth[those]
            )
            after[those] = turns.after[option]
            won, again = turns.flags[option] & WIN, turns.flags[option] & AGAIN
            sign[those] = np.where(won, 0.0, np.where(again, 1.0, -1.0))
    return Plies(worth, after, sign, is_best)


def _best(options: npt.NDArray[np.float64], turns: TurnBatch) -> npt.NDArray[np.int64]:
    """The first of the best options of each turn."""
    chosen = np.empty(len(turns), dtype=np.int64)
    _options.first_best(options, turns.starts, chosen)
    return chosen
