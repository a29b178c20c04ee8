"""Judging the opening of a game: the luck of its rounds, and the loss of the squares chosen.

Both sides throw in a round, so that each has half of what its throws change. Before a round the
value is that of the opening, which favours neither side where both throw at once: one half.

Judging recorded games: the luck of each throw and the loss of each move.

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
made. If a record has the rounds of its opening, the start value is that before its first round, and
the luck and losses of its rounds count as well (`ur_solver.audit.judge`).

A table that holds a part of a game judges a game from the first ply on before which it has the
position: no move leads out of the part. Start value, luck and losses are those from there on, and
so the equation above holds.

Values may be estimates. A move then counts as the best, and not as a mistake, unless the value of
another is higher by more than the error of the comparison: the root of the sum of the squares of
both margins. Its loss is what they differ by nevertheless, so that the equations hold for
estimates, too. The mean luck is then 0 only as far as each value is the mean of those a ply later.

What rules of thumb would have played in the choices of audited games, and would have lost.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ur_solver.answers.values import TableValues, Values, row_estimates, states_of
from ur_solver.audit.audits import (
    TIE,
    Estimate,
    GameAudit,
    JudgedPly,
    Option,
    ThumbPlay,
    option_estimate,
    option_rows,
    outcome_estimate,
    outcome_rows,
)
from ur_solver.errors import BeyondTableError, RuleSetMismatchError, WrongTypeError
from ur_solver.players.policies import Asked, Player, policy_of
from ur_solver.records import GameRecord, Ply, StateOutcome, Step, rules_word, stepper_of
from ur_solver.rules import DARK, FREE_THROW, LIGHT, Position, RuleSet, opponent
from ur_solver.rules.game import move_text
from ur_solver.rules.openings import Opening, Round, asked_of, chooser, level, opening_of
from ur_solver.rules.turns import Value, total

Estimates = Mapping[Position, tuple[float, float]]
"""The values of positions to the side to throw, and half the widths of their intervals."""


def positions_asked(record: GameRecord) -> tuple[Position, ...] | None:
    """The positions on whose values the judgement of a record's opening depends.

    None if the record has no opening.
    """
    opening = opening_of(record.rules)
    if opening is None or not record.opening:
        return None
    return asked_of(lambda value: _values(opening, record, value))


def _values(opening: Opening, record: GameRecord, value: Value) -> list[tuple[float, list[float]]]:
    """For every round the value before it and after each option, to light."""
    return [
        (
            opening.value(value),
            [opening.worth(each, value) for each in opening.rounds(taken.source, taken.throws)],
        )
        for taken in record.opening
    ]


def worth_of_rounds(
    rules: RuleSet, rounds: tuple[Round, ...], values: Values
) -> list[tuple[float, float]]:
    """What each of several rounds is worth to the side that chooses, and half the width of its
    95 % interval; 0 if it is exact.

    Parameters
    ----------
    rules : RuleSet
        That have an opening.
    rounds : tuple of Round
        As `Opening.rounds` gives them.
    values : Values
    """
    opening, stepper = opening_of(rules), stepper_of(rules)
    assert opening is not None
    asked = asked_of(lambda value: [opening.worth(each, value) for each in rounds])
    found = row_estimates(values, [stepper.encode(each) for each in asked])
    known = dict(zip(asked, found, strict=True))
    side, whole = chooser(rounds), total(rules.start())
    return [
        (
            _own(opening.worth(each, lambda position: known[position][0]), side, whole),
            _margin(opening, each, known),
        )
        for each in rounds
    ]


def judged_rounds(audit: GameAudit) -> Iterator[tuple[Round, JudgedPly]]:
    """The judged throws of a game's opening, each with its round."""
    of_each = (each for each in audit.record.opening for _ in each.throws)
    return zip(of_each, audit.opening, strict=False)


def judge_opening(record: GameRecord, known: Estimates) -> tuple[JudgedPly, ...]:
    """Both sides' throws in every round of a record's opening, judged.

    Parameters
    ----------
    record : GameRecord
    known : mapping
        Of the positions that `positions_asked` gives.
    """
    opening = opening_of(record.rules)
    if opening is None:
        return ()
    judged: list[JudgedPly] = []

    def value(position: Position) -> float:
        return known[position][0]

    for number, (taken, (before, worth)) in enumerate(
        zip(record.opening, _values(opening, record, value), strict=True), start=1
    ):
        rounds = opening.rounds(taken.source, taken.throws)
        side = chooser(rounds)
        best = (max if side == LIGHT else min)(range(len(rounds)), key=worth.__getitem__)
        chosen = rounds.index(taken)
        margins = [_margin(opening, each, known) for each in rounds]
        loss_margin = math.hypot(margins[best], margins[chosen]) if chosen != best else 0.0
        loss = abs(worth[best] - worth[chosen])
        whole = total(record.rules.start())
        if loss <= max(TIE * whole, loss_margin):
            best = chosen
        most = worth[chosen] + (loss if side == LIGHT else -loss)
        half = opening.halfway(before, most, taken, value)
        after = before
        for mover, throw, gain in zip(
            (LIGHT, DARK), taken.throws, (half - before, most - half), strict=False
        ):
            is_chooser = mover == side and len(rounds) > 1
            ply = _ply(record, mover, throw, rounds if is_chooser else (taken,), taken, number)
            own = _own(after, mover, whole), _own(after + gain, mover, whole)
            lost = loss if is_chooser else 0.0
            judged.append(
                JudgedPly(
                    ply,
                    own[0],
                    own[1],
                    own[1] - lost,
                    -1 if ply.played < 0 else best if is_chooser else 0,
                    total=whole,
                    played_margin=margins[chosen],
                    loss_margin=loss_margin if is_chooser else 0.0,
                )
            )
            after = _own(own[1] - lost, mover, whole)
    return tuple(judged)


def _margin(opening: Opening, each: Round, known: Estimates) -> float:
    """Half the width of the interval of the value after a round."""
    asked = asked_of(lambda value: opening.worth(each, value))
    return max((known[position][1] for position in asked), default=0.0)


def _own(value: float, side: str, whole: int) -> float:
    """A value to light as one to `side`, or the other way round."""
    return value if side == LIGHT else whole - value


def _ply(
    record: GameRecord, side: str, throw: int, rounds: tuple[Round, ...], taken: Round, number: int
) -> Ply:
    """A side's throw in a round as a ply, with the squares to which its marker could go."""
    rules, stepper = record.rules, record.stepper
    state = stepper.encode(level(rules, taken.source))
    steps = tuple(
        Step(
            taken.source,
            target,
            is_capture=False,
            again=False,
            is_win=False,
            text=move_text(rules.path.light, LIGHT, taken.source, target),
            cost=0,
            state=b"",
        )
        for target in (each.targets[side == DARK] for each in rounds if each.text)
    )
    return Ply(
        side,
        (throw,),
        state if side == LIGHT else stepper.flip(state),
        steps,
        rounds.index(taken) if steps else -1,
        0,
        f"round {number} of the opening",
    )


BATCH_PLIES = 200_000
"""Plies that are judged at once: about a thousand games, some 300 MB. Each batch reads its values
at once, for which a large table is read in full, so that few large batches are better than many."""


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
        if not isinstance(record, GameRecord):
            raise WrongTypeError(
                f"{record!r:.60} is of type {type(record).__name__}; expected recorded games"
            )
        if not record.rules.is_same_game(values.rules):
            raise RuleSetMismatchError(
                f"{record.file}: the game has the rules {rules_word(record.rules)}, the table "
                f"has {rules_word(values.rules)}"
            )
        first = first_covered(record, values)
        if first is None:
            raise BeyondTableError(f"{record.file}: {NOT_REACHED}")
        waiting.append(_Judged(record, first, None if first else _asked(record, values)))
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


def _asked(record: GameRecord, values: TableValues) -> tuple[Position, ...] | None:
    """The positions by which an opening is judged; None if it is not, as the table lacks one."""
    asked = positions_asked(record)
    if not asked:
        return asked
    is_held = _are_held(values, [record.stepper.encode(each) for each in asked])
    return asked if is_held.all() else None


def _are_held(values: TableValues, rows: Sequence[bytes]) -> npt.NDArray[np.bool_]:
    return values.holds_states(states_of(values.rules, rows))


class _Judged(NamedTuple):
    """A record, the ply from which it is judged, and the positions by which its opening is."""

    record: GameRecord
    first: int
    asked: tuple[Position, ...] | None


def _judge(records: Sequence[_Judged], values: TableValues) -> Iterator[GameAudit]:
    rows: list[bytes] = []
    for record, first, asked in records:
        rows += [record.stepper.encode(each) for each in asked or ()]
        rows += _record_rows(record, first)
    found = row_estimates(values, rows)
    for record, first, asked in records:
        opening: tuple[JudgedPly, ...] = ()
        if asked is not None:
            opening = judge_opening(record, {each: next(found) for each in asked})
        yield _judged(record, first, opening, found)


def _record_rows(record: GameRecord, first: int) -> Iterator[bytes]:
    """The other states whose values `_judged` asks for, in its order."""
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
    return stepper.outcomes(stepper.encode(record.start), rolls=rolls)[0]


def _judged(
    record: GameRecord,
    first: int,
    opening_plies: tuple[JudgedPly, ...],
    found: Iterator[Estimate],
) -> GameAudit:
    opening = None if first else _opening(record)
    before, margin = next(found) if opening is None else outcome_estimate(opening, found)
    begin, begin_margin = before, margin
    judged: list[JudgedPly] = []
    beginner, state = record.start.side, record.stepper.encode(record.start)
    if first:
        beginner, state = record.plies[first].side, record.plies[first].state
    side = beginner
    first_total = total = record.stepper.total(state)
    for ply in record.plies[first:]:
        if len(ply.choices) > 1:
            judged.append(_chosen(ply, True, total, (before, margin), found))
            before, margin = judged[-1].played_value, judged[-1].played_margin
        if not ply.steps:
            after, after_margin = next(found)
            after = total - after
            judged.append(
                JudgedPly(ply, before, after, after, -1, False, total, margin, after_margin)
            )
            before, margin, side = total - after, after_margin, opponent(ply.side)
            continue
        judged.append(_chosen(ply, False, total, (before, margin), found))
        after = judged[-1].played_value + judged[-1].cost  # paid fines are no longer to come
        margin = judged[-1].played_margin
        total = total if ply.step is None else ply.step.total
        keeps_turn = ply.step is None or ply.step.again
        before, side = (after, ply.side) if keeps_turn else (total - after, opponent(ply.side))
    start, end = (
        begin if beginner == LIGHT else first_total - begin,
        before if side == LIGHT else total - before,
    )
    if opening_plies:
        start, begin_margin = opening_plies[0].to_light(opening_plies[0].value), 0.0
        if not judged:
            end = opening_plies[-1].to_light(opening_plies[-1].played_value)
    return GameAudit(
        record,
        tuple(judged),
        start,
        end,
        first_total,
        total,
        first,
        begin_margin,
        opening_plies,
    )


def _chosen(
    ply: Ply,
    is_before_throw: bool,
    total: int,
    before: Estimate,
    found: Iterator[Estimate],
) -> JudgedPly:
    """The judgement of a choice before a throw, or of a move, by the value before and its margin.

    A ply without an option that was taken is still to come.
    """
    options: Sequence[Option] = ply.choices if is_before_throw else ply.steps
    taken = ply.chosen if is_before_throw else ply.played
    estimates = [option_estimate(option, found) for option in options]
    worth = [value for value, _ in estimates]
    best_value = max(worth)
    best = worth.index(best_value)
    after, margin = estimates[taken if taken >= 0 else best]
    loss_margin = 0.0 if taken in (-1, best) else math.hypot(estimates[best][1], margin)
    if taken >= 0 and best_value - after <= max(TIE * (total or 1), loss_margin):
        best = taken
    return JudgedPly(
        ply,
        before[0],
        best_value,
        after,
        best,
        is_before_throw,
        total,
        before[1],
        margin,
        loss_margin,
    )


def thumb_plays(
    audits: Sequence[GameAudit], values: Values, name: str
) -> list[list[ThumbPlay | None]]:
    """What a rule of thumb plays in every choice of some games.

    Parameters
    ----------
    audits : sequence of GameAudit
        Of one rule set.
    values : Table or Estimator
        That judged them.
    name : str
        A player such as ``greedy`` or ``first``, or priorities such as ``capture+safe+furthest``.

    Returns
    -------
    list
        For each game, one for each of its judged plies; None where there was no choice.

    Raises
    ------
    InputError
        If there is no such rule of thumb.
    """
    policy = policy_of(name, values)
    if not audits:
        return []
    player = Player(audits[0].record.rules, policy)
    choices = [
        (number, index, judged)
        for number, audit in enumerate(audits)
        for index, judged in enumerate(audit.plies)
        if judged.is_choice
    ]
    asked = [_question(audits[number], judged) for number, _, judged in choices]
    taken = player.choose(asked, np.random.default_rng(1)) if asked else []
    options = [judged.options[index] for (*_, judged), index in zip(choices, taken, strict=True)]
    found = row_estimates(values, [row for option in options for row in option_rows(option)])
    plays: list[list[ThumbPlay | None]] = [[None] * len(audit.plies) for audit in audits]
    for (number, at, judged), index, option in zip(choices, taken, options, strict=True):
        loss = judged.best_value - option_estimate(option, found)[0]
        is_best = index == judged.best or loss <= TIE * (judged.total or 1)
        plays[number][at] = ThumbPlay(index, 0.0 if is_best else loss)
    return plays


def with_thumbs(audit: GameAudit, values: Values, names: Iterable[str]) -> GameAudit:
    """An audit that holds what rules of thumb would have played; see `thumb_plays`."""
    plays = {name: tuple(thumb_plays([audit], values, name)[0]) for name in names}
    return replace(audit, thumbs=plays)


def _question(audit: GameAudit, judged: JudgedPly) -> Asked:
    ply = judged.ply
    if judged.is_before_throw:
        return Asked(ply.state)
    roll = audit.record.stepper.rolls(ply.state, ply.choice).of(ply.throws)
    moves_by = ply.throw if roll is None else roll.moves_by
    return Asked(ply.state, moves_by, ply.choice or FREE_THROW)
