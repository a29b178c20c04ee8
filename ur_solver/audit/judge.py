"""Judging recorded games: the luck of each throw and the loss of each move.

Every value is a win probability in [0, 1], to the side that is named; with stakes it is the side's
expected money to come, minus a move's fine. For a ply of side s,

    luck = value after the best move with the throw - value before the throw
    loss = value after the best move - value after the move played,   never below 0

so that value before + luck - loss is the value after. Over a whole game

    end value = start value + luck of light - loss of light + fines of light
                            - luck of dark  + loss of dark

where start and end value are to light; the end value of a game that was played out is 1 or 0, with
stakes the pot or 0. Fines exist only with stakes: once paid, light's no longer reduce the money
to come. The mean luck over all throws is 0 for any players, since luck depends on the dice
alone.

A game may end off the board: a side resigns, runs out of time, or is given as the loser without a
reason. The value of the position to that side is then *conceded*. The end value is that of the
position, and the identity continues

    result = end value - conceded by light + conceded by dark

where the result is to light: 1 or 0, with stakes the pot or 0. A game that was abandoned or is not
finished has no result but its end value.

A *choice* is a ply with two legal moves or more. Other plies have no loss. If the
rules have a choice before the throw (birds), that choice is judged apart from the
throw. It has a loss like a move. Its luck is 0 up to the table's error. The value before the throw
is then the value of that choice.

Where the rules give the first throw (skiriuk), a game's start value is the value with that throw
made.

A table that holds a part of a game judges a game from the first ply on before which it has the
position: no move leads out of the part. Start value, luck and losses are those from there on, and
so the equation above holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ur_solver.answers.values import TableValues, Values, row_values, states_of
from ur_solver.audit.summary import PlayerSummary, Thresholds, summarise
from ur_solver.audit.worth import (
    Option,
    option_rows,
    option_worth,
    outcome_rows,
    outcome_worth,
)
from ur_solver.errors import BeyondTableError, RuleSetMismatchError
from ur_solver.records import GameRecord, Ply, StateChoice, StateOutcome, Step, rules_word
from ur_solver.rules import DARK, LIGHT, SIDE_NAMES, opponent

TIE = 1e-6
"""Moves whose values differ by no more than this share of what there is to win are equally good.
Tables hold digits beyond their tolerance, and a millionth of a game does not matter."""

BATCH_PLIES = 200_000
"""Plies that are judged at once: about a thousand games, some 300 MB. Each batch reads its values
at once, for which a large table is read in full, so that few large batches are better than many."""


class JudgedPly(NamedTuple):
    """A ply, or the choice before its throw, with values to the side that threw.

    Attributes
    ----------
    ply : Ply
    value : float
        Before the throw.
    best_value : float
        After the best move with the throw, or after the pass.
    played_value : float
        After the move that was played; `best_value` if there was none.
    best : int
        The index of the best option, which is the one taken if that is as good; -1 for a pass.
    is_before_throw : bool
        Whether this judges the choice before the throw. The options are then the ply's choices,
        and the dice have not been thrown yet.
    total : int
        The sum of both sides' values before the move: 1, or with stakes the pot.
    """

    ply: Ply
    value: float
    best_value: float
    played_value: float
    best: int
    is_before_throw: bool = False
    total: int = 1

    @property
    def options(self) -> Sequence[Option]:
        """The options: the legal moves, or the choices before the throw."""
        return self.ply.choices if self.is_before_throw else self.ply.steps

    @property
    def taken(self) -> int:
        """The index of the option that was taken; -1 for none."""
        return self.ply.chosen if self.is_before_throw else self.ply.played

    @property
    def luck(self) -> float:
        """The gain by the throw; the mean over all throws is 0."""
        return self.best_value - self.value

    @property
    def loss(self) -> float:
        """The loss of the played move."""
        return self.best_value - self.played_value

    @property
    def cost(self) -> int:
        """The fine of the played move; 0 without stakes."""
        option = None if self.taken < 0 else self.options[self.taken]
        return option.cost if isinstance(option, Step) else 0

    @property
    def lost_share(self) -> float:
        """The loss as a share of what there is to win."""
        return self.loss / (self.total or 1)

    @property
    def is_choice(self) -> bool:
        """Whether there was more than one option, and one was taken."""
        return len(self.options) > 1 and self.taken >= 0

    @property
    def is_best(self) -> bool:
        """Whether there was no better option."""
        return self.best == self.taken


@dataclass(frozen=True, repr=False)
class GameAudit:
    """A judged game.

    Attributes
    ----------
    record : GameRecord
    plies : tuple of JudgedPly
        In order; a choice before a throw, where there was more than one, has an entry before it.
    start_value, end_value : float
        To light: before the first throw that is judged (with it made, where the rules give it),
        and where the record stops.
    start_total, end_total : int
        The sum of both sides' values there: 1, or with stakes the pot.
    first : int
        How many plies of the record are before those that are judged: 0 unless the table holds
        a part of the game.
    """

    record: GameRecord
    plies: tuple[JudgedPly, ...]
    start_value: float
    end_value: float
    start_total: int = 1
    end_total: int = 1
    first: int = 0

    @cached_property
    def light(self) -> PlayerSummary:
        """The summary of light, with the default thresholds of marks."""
        return self.summary(LIGHT, Thresholds())

    @cached_property
    def dark(self) -> PlayerSummary:
        """The summary of dark, with the default thresholds of marks."""
        return self.summary(DARK, Thresholds())

    def summary(self, side: str, thresholds: Thresholds) -> PlayerSummary:
        """The summary of a side."""
        return summarise(self.of_side(side), thresholds, self.conceded(side))

    def conceded(self, side: str) -> float:
        """The value of the position to a side that resigned or lost on time; otherwise 0."""
        if self.record.conceded_by != side:
            return 0.0
        return self.end_value if side == LIGHT else self.end_total - self.end_value

    @property
    def result_value(self) -> float:
        """Light's result: the end value, or all or nothing if a side conceded."""
        return self.end_value - self.conceded(LIGHT) + self.conceded(DARK)

    def __repr__(self) -> str:
        return (
            f"GameAudit({self.record.title!r}, light lost {self.light.loss:.4f}, dark lost "
            f"{self.dark.loss:.4f})"
        )

    def _repr_html_(self) -> str:
        from ur_solver.audit.report import html_report  # noqa: PLC0415 - notebooks

        page = html_report([self], Thresholds(), {})
        return (
            f'<iframe srcdoc="{escape(page)}" title="audit of a game" '
            'style="width:100%;height:40em;border:0"></iframe>'
        )

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """The judged plies, a row each, as columns that a data frame is made of.

        Returns
        -------
        dict of str to array
            ``side`` (``"light"`` or ``"dark"``), ``position`` (notation), ``throw`` (text, as two
            throws may be made), ``move`` and ``best`` (None for a pass), ``value`` (before the
            throw), ``best_value``, ``loss``, ``luck``, all to that side, and ``choice``: whether
            there was one.
        """
        stepper = self.record.stepper
        texts = {
            "side": [SIDE_NAMES[judged.ply.side] for judged in self.plies],
            "position": [stepper.notation(each.ply.state, each.ply.side) for each in self.plies],
            "throw": ["" if each.is_before_throw else each.ply.throw_text for each in self.plies],
            "move": [self.taken_text(judged) for judged in self.plies],
            "best": [self.best_text(judged) for judged in self.plies],
        }
        numbers = {
            name: np.array([getattr(judged, name) for judged in self.plies], dtype=np.float64)
            for name in ("value", "best_value", "loss", "luck")
        }
        return {
            **{name: np.array(column, dtype=object) for name, column in texts.items()},
            **numbers,
            "choice": np.array([judged.is_choice for judged in self.plies], dtype=bool),
        }

    def of_side(self, side: str) -> Iterator[JudgedPly]:
        """The plies of one side."""
        return (ply for ply in self.plies if ply.ply.side == side)

    @cached_property
    def curve(self) -> tuple[float, ...]:
        """Light's win probability before each judged ply, then where the record stops.

        With stakes, light's share of the pot; one half of an empty pot.
        """
        return (
            *(_share(_to_light(each.value, each), each.total) for each in self.plies),
            _share(self.end_value, self.end_total),
        )

    def taken_text(self, judged: JudgedPly) -> str | None:
        """The move or the choice made in one of its plies; None for a turn without a move."""
        return self._text(judged, judged.taken)

    def best_text(self, judged: JudgedPly) -> str | None:
        """The best move or choice in one of its plies; None for a pass."""
        return self._text(judged, judged.best)

    def _text(self, judged: JudgedPly, index: int) -> str | None:
        if index < 0:
            return None
        option = judged.options[index]
        if isinstance(option, StateChoice):
            return option.name
        return self.record.stepper.text(judged.ply.side, option)


def _to_light(value: float, judged: JudgedPly) -> float:
    return value if judged.ply.side == LIGHT else judged.total - value


def _share(value: float, total: int) -> float:
    return value / total if total else 0.5


def audit_games(
    records: Iterable[GameRecord], values: TableValues, batch: int = BATCH_PLIES
) -> Iterator[GameAudit]:
    """Judge games in order, many at a time.

    Parameters
    ----------
    records : iterable of GameRecord
        Read as they are needed, about `batch` plies ahead.
    values : TableValues
        Of the games' rule set.
    batch : int
        How many plies to judge at once.

    Raises
    ------
    RuleSetMismatchError
        If a game was played by other rules.
    BeyondTableError
        If the table holds a part of the game that a record does not reach.
    """
    waiting: list[_Judged] = []
    plies = 0
    for record in records:
        if not record.rules.is_same_game(values.rules):
            raise RuleSetMismatchError(
                f"{record.file}: the game has the rules {rules_word(record.rules)}, the table "
                f"has {rules_word(values.rules)}"
            )
        first = first_covered(record, values)
        if first is None:
            raise BeyondTableError(f"{record.file}: {NOT_REACHED}")
        waiting.append((record, first))
        plies += len(record.plies) - first
        if plies >= batch:
            yield from _judge(waiting, values)
            waiting, plies = [], 0
    yield from _judge(waiting, values)


NOT_REACHED = "the game does not come to the positions that the table holds"
"""Why a table of a part of a game judges nothing of a record."""


def first_covered(record: GameRecord, values: TableValues) -> int | None:
    """The index of the first ply that a table judges; None if it has no position of the game."""
    if _are_held(values, [record.stepper.encode(record.start)])[0]:
        return 0
    is_held = _are_held(values, [ply.state for ply in record.plies])
    return int(np.argmax(is_held)) if is_held.any() else None


def _are_held(values: TableValues, rows: Sequence[bytes]) -> npt.NDArray[np.bool_]:
    return values.holds_states(states_of(values.rules, rows))


_Judged = tuple[GameRecord, int]
"""A record that is judged, and from which ply on."""


def _judge(records: Sequence[_Judged], values: Values) -> Iterator[GameAudit]:
    rows: list[bytes] = []
    for record, first in records:
        rows += _record_rows(record, first)
    found = row_values(values, rows)
    for record, first in records:
        yield _judged(record, first, found)


def _record_rows(record: GameRecord, first: int) -> Iterator[bytes]:
    """The states whose values `_judged` asks for, in its order."""
    stepper = record.stepper
    opening = _opening(record)
    if first > 0:
        yield record.plies[first].state
    elif opening is None:
        yield stepper.encode(record.start)
    else:
        yield from outcome_rows(opening)
    for ply in record.plies[first:]:
        # The state before a ply is one of those after the ply before it.
        if len(ply.choices) > 1:
            for choice in ply.choices:
                yield from option_rows(choice)
        if ply.steps:
            for step in ply.steps:
                yield from option_rows(step)
        else:
            yield stepper.flip(ply.state)


def _opening(record: GameRecord) -> StateOutcome | None:
    """The outcome of the first throw, if the rules give it."""
    stepper = record.stepper
    rolls = stepper.opening_rolls(record.start)
    if rolls is None:
        return None
    state = stepper.encode(record.start)
    steps = stepper.steps_after(state, rolls[0])
    return StateOutcome(1.0, steps, stepper.flip(state), stepper.total(state))


def _judged(record: GameRecord, first: int, found: Iterator[float]) -> GameAudit:
    opening = None if first else _opening(record)
    begin = before = next(found) if opening is None else outcome_worth(opening, found)
    judged: list[JudgedPly] = []
    beginner, state = record.start.side, record.stepper.encode(record.start)
    if first:
        beginner, state = record.plies[first].side, record.plies[first].state
    side = beginner
    first_total = total = record.stepper.total(state)
    for ply in record.plies[first:]:
        if len(ply.choices) > 1:
            judged.append(
                _chosen(ply, before, total, ply.choices, ply.chosen, found, is_before_throw=True)
            )
            before = judged[-1].played_value
        if not ply.steps:
            after = total - next(found)
            judged.append(JudgedPly(ply, before, after, after, -1, total=total))
            before, side = total - after, opponent(ply.side)
            continue
        judged.append(_chosen(ply, before, total, ply.steps, ply.played, found))
        after = judged[-1].played_value + judged[-1].cost  # paid fines are no longer to come
        total = total if ply.step is None else ply.step.total
        keeps_turn = ply.step is None or ply.step.again
        before, side = (after, ply.side) if keeps_turn else (total - after, opponent(ply.side))
    return GameAudit(
        record,
        tuple(judged),
        begin if beginner == LIGHT else first_total - begin,
        before if side == LIGHT else total - before,
        first_total,
        total,
        first,
    )


def _chosen(
    ply: Ply,
    before: float,
    total: int,
    options: Sequence[Option],
    taken: int,
    found: Iterator[float],
    is_before_throw: bool = False,
) -> JudgedPly:
    """The judgement of one option among several; -1 is one that is still to come."""
    worth = [option_worth(option, found) for option in options]
    best_value = max(worth)
    after = best_value if taken < 0 else worth[taken]
    is_best = taken >= 0 and best_value - after <= TIE * (total or 1)
    best = taken if is_best else worth.index(best_value)
    return JudgedPly(ply, before, best_value, after, best, is_before_throw, total)
