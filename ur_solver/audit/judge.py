"""Judging recorded games: what each throw was worth and what each move cost.

Every value is a win probability in [0, 1] to the side named. For a ply of side s,

    luck = value after the best move with the throw - value before the throw
    loss = value after the best move - value after the move played,   never below 0

so that value before + luck - loss is the value after, and over a whole game

    end value = start value + luck of light - loss of light - luck of dark + loss of dark

with start and end value to light: 1 or 0 at the end of a game played out. In the mean
over all throws luck is 0, whatever is played: it is the dice alone.

A *choice* is a ply with two legal moves or more; elsewhere there is nothing to lose.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ur_solver.errors import RuleSetMismatchError
from ur_solver.position import LIGHT, opponent
from ur_solver.records import GameRecord, Ply, rules_word
from ur_solver.values import Values, row_values

TIE = 1e-6
"""Moves whose values differ by no more are equally good; tables hold more digits than
they know, and a millionth of a game is far below what a human can tell."""

BATCH_PLIES = 200_000
"""Plies judged at once: a thousand games, some 300 MB. Each batch reads its values in one
go, and a large table is read in full for it, so that fewer are better."""


class JudgedPly(NamedTuple):
    """A ply with its values, all to the side that threw.

    Attributes
    ----------
    ply : Ply
    value : float
        Before the throw.
    best_value : float
        After the best move with the throw, or after the pass.
    played_value : float
        After the move that was played; `best_value` where there was none.
    best : int
        Which of the legal moves is best, the played one if it is as good; -1 for a pass.
    """

    ply: Ply
    value: float
    best_value: float
    played_value: float
    best: int

    @property
    def luck(self) -> float:
        """What the throw gained; in the mean over all throws, 0."""
        return self.best_value - self.value

    @property
    def loss(self) -> float:
        """What the move played cost."""
        return self.best_value - self.played_value

    @property
    def is_choice(self) -> bool:
        """Whether there was more than one move, and one was made."""
        return len(self.ply.steps) > 1 and self.ply.played >= 0

    @property
    def is_best(self) -> bool:
        """Whether nothing better could be played."""
        return self.best == self.ply.played


@dataclass(frozen=True)
class GameAudit:
    """A judged game.

    Attributes
    ----------
    record : GameRecord
    plies : tuple of JudgedPly
    start_value, end_value : float
        To light: before the first throw, and where the record stops.
    """

    record: GameRecord
    plies: tuple[JudgedPly, ...]
    start_value: float
    end_value: float

    def of_side(self, side: str) -> Iterator[JudgedPly]:
        """The plies of one side."""
        return (ply for ply in self.plies if ply.ply.side == side)

    @cached_property
    def curve(self) -> tuple[float, ...]:
        """Light's win probability before each ply, then where the record stops."""
        before = (
            judged.value if judged.ply.side == LIGHT else 1.0 - judged.value
            for judged in self.plies
        )
        return (*before, self.end_value)

    def best_text(self, judged: JudgedPly) -> str | None:
        """The best move of one of its plies, in RGN's notation; None for a pass."""
        if judged.best < 0:
            return None
        ply = judged.ply
        return self.record.stepper.text(ply.state, ply.side, ply.steps[judged.best])


def audit_games(
    records: Iterable[GameRecord], values: Values, batch: int = BATCH_PLIES
) -> Iterator[GameAudit]:
    """Judge games in order, many at a time.

    Parameters
    ----------
    records : iterable of GameRecord
        Read as they are needed, about `batch` plies ahead.
    values : Values
        Of the games' rule set.
    batch : int
        How many plies to judge at once.

    Raises
    ------
    RuleSetMismatchError
        If a game was played by other rules.
    """
    waiting: list[GameRecord] = []
    plies = 0
    for record in records:
        if not record.rules.is_same_game(values.rules):
            raise RuleSetMismatchError(
                f"{record.file}: the game was played by {rules_word(record.rules)}, the table "
                f"is of {rules_word(values.rules)}"
            )
        waiting.append(record)
        plies += len(record.plies)
        if plies >= batch:
            yield from _judge(waiting, values)
            waiting, plies = [], 0
    yield from _judge(waiting, values)


def _judge(records: Sequence[GameRecord], values: Values) -> Iterator[GameAudit]:
    if not records:
        return
    stepper = records[0].stepper
    rows: list[bytes] = []
    for record in records:
        rows.append(stepper.space.encode(record.start))
        for ply in record.plies:
            # The state before a ply is one of those after the ply before it.
            if ply.steps:
                rows += [step.state for step in ply.steps if not step.is_win]
            else:
                rows.append(stepper.flip(ply.state))
    found = row_values(values, rows)
    for record in records:
        yield _judged(record, found)


def _judged(record: GameRecord, found: Iterator[float]) -> GameAudit:
    begin = before = next(found)
    judged: list[JudgedPly] = []
    side = record.start.side
    for ply in record.plies:
        if not ply.steps:
            after = 1.0 - next(found)
            judged.append(JudgedPly(ply, before, after, after, -1))
            before, side = 1.0 - after, opponent(ply.side)
            continue
        worth = [
            1.0 if step.is_win else next(found) if step.again else 1.0 - next(found)
            for step in ply.steps
        ]
        best_value = max(worth)
        after = best_value if ply.played < 0 else worth[ply.played]
        best = (
            ply.played if ply.played >= 0 and best_value - after <= TIE else worth.index(best_value)
        )
        judged.append(JudgedPly(ply, before, best_value, after, best))
        keeps_turn = ply.played < 0 or ply.steps[ply.played].again
        before, side = (after, ply.side) if keeps_turn else (1.0 - after, opponent(ply.side))
    to_light = begin if record.start.side == LIGHT else 1.0 - begin
    return GameAudit(record, tuple(judged), to_light, before if side == LIGHT else 1.0 - before)
