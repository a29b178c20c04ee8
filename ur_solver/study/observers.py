"""Observers of games in play, which note some numbers of every game.

Everything except the random choices of `Snapshots` is a count. Games are independent, so the mean
of the notes has an interval (`ur_solver.study.estimates`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.answers.values import Values, totals_of
from ur_solver.moves import AGAIN, CAPTURE, PASS, MoveGenerator
from ur_solver.players.policies import TablePolicy
from ur_solver.study.match import GameStep

DECIDED = 0.9
"""A game is decided for good once a side's chance stays beyond this."""

_Notes = dict[str, npt.NDArray[Any]]


class Counts:
    """Counts of events in each game.

    Notes
    -----
    turns, moves, choices, options, passes, captures, extras, most_options
        Spells of one side's throws; throws that moved something; throws with two moves or more,
        and the moves there were in those; throws without a move; pieces captured; further throws
        gained; the most moves that a throw had.
    """

    _NAMES = ("turns", "moves", "choices", "options", "passes", "captures", "extras")

    def __init__(self, generator: MoveGenerator, n_games: int, rng: np.random.Generator) -> None:
        self._counts = {name: np.zeros(n_games, dtype=np.int32) for name in self._NAMES}
        self._most = np.zeros(n_games, dtype=np.int32)

    def see(self, step: GameStep) -> None:
        """As `Observer.see`."""
        games, turns, chosen = step.games, step.turns, step.chosen
        flags, n = turns.flags[chosen], turns.n_options
        counts, is_choice = self._counts, n > 1
        counts["turns"][games] += (flags & AGAIN) == 0
        counts["moves"][games] += (flags & PASS) == 0
        counts["choices"][games] += is_choice
        counts["options"][games] += np.where(is_choice, n, 0)
        counts["passes"][games] += (flags & PASS) != 0
        counts["captures"][games] += turns.taken[chosen]
        counts["extras"][games] += (flags & AGAIN) != 0
        self._most[games] = np.maximum(self._most[games], n)

    def notes(self) -> _Notes:
        """As `Observer.notes`."""
        return {**self._counts, "most_options": self._most}


class ChanceObserver:
    """The course of the chances in each game, by a table.

    With stakes they are shares of the sum of both sides' values.

    Notes
    -----
    lead_changes
        The number of changes of the better side.
    decided
        The throw after which the winner's chance was never again below `DECIDED`.
    least_of_winner
        The least chance that the winner had before a throw.
    luck, loss
        Light's luck minus dark's; dark's losses minus light's. Their sum is the result minus the
        value of the start.
    swing
        The sum of the absolute changes by throws.
    """

    def __init__(
        self, values: Values, generator: MoveGenerator, n_games: int, rng: np.random.Generator
    ) -> None:
        self._values = TablePolicy(values)
        self._payoff = values.rules.payoff
        self._throws, self._lead = np.zeros(n_games, np.int32), np.zeros(n_games, np.int8)
        self._changes = np.zeros(n_games, np.int32)
        self._open = {side: np.zeros(n_games, np.int32) for side in (0, 1)}
        self._least, self._most = np.ones(n_games), np.zeros(n_games)
        self._luck, self._loss = np.zeros(n_games), np.zeros(n_games)
        self._swing = np.zeros(n_games)
        self._winner = np.full(n_games, -1, dtype=np.int8)

    def see(self, step: GameStep) -> None:
        """As `Observer.see`."""
        games, turns, sides = step.games, step.turns, step.sides
        total = totals_of(self._payoff, turns.rows)
        before = self._values.values.state_values(turns.rows) / total
        worth = self._values.option_values(turns)
        best = np.maximum.reduceat(worth, turns.starts[:-1]) / total
        played = worth[step.chosen] / total
        sign = np.where(sides == 0, 1.0, -1.0)
        self._luck[games] += sign * (best - before)
        self._loss[games] -= sign * (best - played)
        self._swing[games] += np.abs(best - before)
        light = np.where(sides == 0, before, 1 - before)
        lead = np.sign(np.round(light - 0.5, 12)).astype(np.int8)
        old = self._lead[games]
        self._changes[games] += (lead != 0) & (old != 0) & (lead != old)
        self._lead[games] = np.where(lead != 0, lead, old)
        self._least[games] = np.minimum(self._least[games], light)
        self._most[games] = np.maximum(self._most[games], light)
        self._throws[games] += 1
        for side, chance in ((0, light), (1, 1 - light)):
            is_open = games[chance < DECIDED]
            self._open[side][is_open] = self._throws[is_open]
        # the side that moved last has won
        self._winner[games] = sides

    def notes(self) -> _Notes:
        """As `Observer.notes`."""
        is_light = self._winner == 0
        return {
            "lead_changes": self._changes,
            "decided": np.where(is_light, self._open[0], self._open[1]),
            "least_of_winner": np.where(is_light, self._least, 1 - self._most),
            "luck": self._luck,
            "loss": self._loss,
            "swing": self._swing,
        }


class Squares:
    """The events on each square of the path, and off it, in each game.

    Notes
    -----
    stood, captured : shape (games, path length)
        Throws before which a piece of the side to throw stood there, by its path index; pieces
        captured there, by the path index of the piece that captured.
    """

    def __init__(self, generator: MoveGenerator, n_games: int, rng: np.random.Generator) -> None:
        self._generator, self._length = generator, len(generator.rules.path)
        self._stood = np.zeros((n_games, self._length), dtype=np.int32)
        self._captured = np.zeros((n_games, self._length), dtype=np.int32)

    def see(self, step: GameStep) -> None:
        """As `Observer.see`."""
        games, turns, chosen = step.games, step.turns, step.chosen
        self._stood[games] += self._generator.placed(turns.rows)[:, : self._length].astype(np.int32)
        captures = (turns.flags[chosen] & CAPTURE) != 0
        taken = turns.taken[chosen[captures]]
        self._captured[games[captures], turns.target[chosen[captures]]] += taken

    def notes(self) -> _Notes:
        """As `Observer.notes`."""
        return {"stood": self._stood, "captured": self._captured}


class Snapshots:
    """One state of each game, and one throw that left a choice, each drawn with equal chances.

    Notes
    -----
    row : shape (games, state width)
    has_choice : bool, shape (games,)
        Whether there was a choice.
    choice_row, choice_throw, choice_may
        The turn as `MoveGenerator.successors` takes it.
    """

    def __init__(self, generator: MoveGenerator, n_games: int, rng: np.random.Generator) -> None:
        self._rng = rng
        self._row = generator.start(n_games)
        self._seen = np.zeros(n_games, dtype=np.int64)
        self._choice = generator.start(n_games)
        self._throw = np.zeros(n_games, dtype=np.int32)
        self._may = np.zeros(n_games, dtype=np.uint8)
        self._choices = np.zeros(n_games, dtype=np.int64)

    def see(self, step: GameStep) -> None:
        """As `Observer.see`."""
        games, turns = step.games, step.turns
        self._seen[games] += 1
        taken = self._rng.random(len(games)) * self._seen[games] < 1
        self._row[games[taken]] = turns.rows[taken]
        is_choice = turns.n_options > 1
        choosing = games[is_choice]
        self._choices[choosing] += 1
        kept = self._rng.random(len(choosing)) * self._choices[choosing] < 1
        to, turn = choosing[kept], np.flatnonzero(is_choice)[kept]
        self._choice[to] = turns.rows[turn]
        self._throw[to] = turns.throws[turn]
        self._may[to] = turns.may[turn]

    def notes(self) -> _Notes:
        """As `Observer.notes`."""
        return {
            "row": self._row,
            "has_choice": self._choices > 0,
            "choice_row": self._choice,
            "choice_throw": self._throw,
            "choice_may": self._may,
        }
