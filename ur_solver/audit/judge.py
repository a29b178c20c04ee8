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
made. If a record has the rounds of its opening, the start value is that before its first round, and
the luck and losses of its rounds count as well (`ur_solver.audit.judge`).

A table that holds a part of a game judges a game from the first ply on before which it has the
position: no move leads out of the part. Start value, luck and losses are those from there on, and
so the equation above holds.

Values may be estimates. A move is then worse only if the value of another is higher by more than
the error of the comparison: the root of the sum of the squares of both margins. If it is higher by
less, the choice is too close to call (`ur_solver.answers.decisions.Verdict`). The loss is what they
differ by nevertheless, so that the equations hold for estimates, too. The mean luck is then 0 only
as far as each value is the mean of those a ply later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ur_solver.answers.decisions import (
    USUAL,
    Floats,
    Ranked,
    Values,
    decide,
    decide_thrown,
    states_of,
    to_side,
    to_sides,
    totals_of,
    verdict_of,
)
from ur_solver.answers.openings import (
    Estimates,
    estimates_of,
    positions_of_rounds,
    ranked_rounds,
)
from ur_solver.audit.audits import GameAudit, JudgedPly, ThumbPlay
from ur_solver.errors import BeyondTableError, RuleSetMismatchError, WrongTypeError
from ur_solver.moves import AGAIN, PASS, MoveGenerator, TurnBatch, generator_of
from ur_solver.players.policies import Asked, Player, policy_of
from ur_solver.records import GameRecord, Ply, Step, rules_word
from ur_solver.rules import DARK, FREE_THROW, LIGHT, Position
from ur_solver.rules.game import move_text
from ur_solver.rules.openings import Round, asked_of, chooser, level, opening_of
from ur_solver.rules.turns import total

Estimate = tuple[float, float]
"""A value, and half the width of its 95 % interval: 0 if it is exact."""

BATCH_PLIES = 200_000
"""Plies that are judged at once: about a thousand games, some 300 MB. Each batch reads its values
at once, for which a large table is read in full, so that few large batches are better than many."""


def audit_games(
    records: Iterable[GameRecord], values: Values, batch: int = BATCH_PLIES
) -> Iterator[GameAudit]:
    """Judge games in order, many at a time.

    They are read as they are needed, `batch` plies ahead. RuleSetMismatchError if a game was played
    by other rules, BeyondTableError if the table holds a part of the game that a record does not
    reach.
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


def first_covered(record: GameRecord, values: Values) -> int | None:
    """The index of the first ply that a table judges; None if it has no position of the game."""
    if _are_held(values, [record.stepper.encode(record.start)])[0]:
        return 0
    is_held = _are_held(values, [ply.state for ply in record.plies])
    return int(np.argmax(is_held)) if is_held.any() else None


def _asked(record: GameRecord, values: Values) -> tuple[Position, ...] | None:
    """The positions by which the opening is judged; None if it is not, as the table lacks one."""
    asked = positions_asked(record)
    if not asked:
        return asked
    is_held = _are_held(values, [record.stepper.encode(each) for each in asked])
    return asked if is_held.all() else None


def _are_held(values: Values, rows: Sequence[bytes]) -> npt.NDArray[np.bool_]:
    return values.holds_states(states_of(values.rules, rows))


class _Judged(NamedTuple):
    """A record, the ply from which it is judged, and the positions by which its opening is."""

    record: GameRecord
    first: int
    asked: tuple[Position, ...] | None

    @property
    def plies(self) -> tuple[Ply, ...]:
        """The plies that are judged."""
        return self.record.plies[self.first :]

    @property
    def begin(self) -> tuple[bytes, str]:
        """The state before the first of them, and the side to throw there."""
        if self.first:
            return self.record.plies[self.first].state, self.record.plies[self.first].side
        return self.record.stepper.encode(self.record.start), self.record.start.side

    @property
    def has_first_throw(self) -> bool:
        """Whether the rules give the first throw."""
        record = self.record
        return not self.first and record.stepper.opening_rolls(record.start) is not None


def _judge(records: Sequence[_Judged], values: Values) -> Iterator[GameAudit]:
    """The audits of some games, whose values are asked for together."""
    if not records:
        return
    known = estimates_of(values, (each for of in records for each in of.asked or ()))
    found = _judged_plies(records, values)
    first = 0
    for of, begin in zip(records, found.begins, strict=True):
        opening = () if of.asked is None else judge_opening(of.record, known)
        end = first + len(of.plies)
        yield _audit(of, begin, opening, found, range(first, end))
        first = end


def turns_of(
    generator: MoveGenerator, plies: Sequence[Ply], begins: Sequence[_Judged] = ()
) -> TurnBatch:
    """Plies after their throws, and then the beginnings of some games, as turns.

    The options of a ply are those of `Ply.steps`, in their order. A game begins with its first
    throw where the rules give it, and otherwise with a pass of the other side.
    """
    number_of = {throw: number for number, throw in enumerate(generator.throws)}
    states = [ply.state for ply in plies]
    numbers = [number_of[ply.throws[-1]] if ply.steps else -1 for ply in plies]
    may = [generator.may(FREE_THROW)] * len(plies)
    if generator.has_choices:
        may = [generator.may(ply.choice) for ply in plies]
    for of in begins:
        (state, _), stepper = of.begin, of.record.stepper
        names = [choice.name for choice in stepper.choices(state)] or [FREE_THROW]
        opening = generator.opening if of.has_first_throw else None
        states.append(stepper.flip(state) if opening is None else state)
        numbers.append(-1 if opening is None else opening)
        may.append(generator.may(names[0]))
    return generator.successors(
        states_of(generator.rules, states),
        np.array(numbers, dtype=np.int32),
        np.array(may, dtype=np.uint8),
    )


class _Compared(NamedTuple):
    """What was taken of alternatives, a number for each of their groups.

    `best` is the place of the best in the group, that of what was taken if it is as good. Where
    nothing was taken, that is the best.
    """

    taken: npt.NDArray[np.int64]
    best: npt.NDArray[np.int64]
    best_value: Floats
    value: Floats
    margin: Floats
    loss_margin: Floats


def _compared(of: Ranked, chosen: list[int], totals: Floats) -> _Compared:
    """What was chosen in the first groups, by its place there, -1 for nothing."""
    n, number = len(chosen), np.array(chosen, dtype=np.int64)
    starts, best = of.starts[:n], of.best[:n]
    taken = np.where(number >= 0, starts + number, best)
    best = np.where(of.equals(totals)[taken], taken, best) - starts
    figures = of.value[:n], of.worth[taken], of.error[taken], of.loss_error[taken]
    return _Compared(taken, best, *figures)


class _Plies(NamedTuple):
    """The judged plies of many games one after the other.

    `begins` are the values of the states in which the games begin, with the first throw if it is
    given; `choices` those before a throw, by the number of the ply. `after` is the value after
    each ply to light, and `totals` what both sides' values sum to there.
    """

    begins: list[Estimate]
    thrown: list[JudgedPly]
    choices: dict[int, JudgedPly]
    after: Floats
    totals: Floats


def _judged_plies(records: Sequence[_Judged], values: Values) -> _Plies:
    plies = [ply for of in records for ply in of.plies]
    generator, payoff, n = generator_of(values.rules), values.rules.payoff, len(plies)
    turns = turns_of(generator, plies, records)
    of = decide_thrown(values, turns)
    has_throw = np.array([each.has_first_throw for each in records])
    firsts = turns.starts[n:-1]
    begins = np.where(has_throw, of.options.value[n:], of.after[firsts])
    begin_margins = of.options.reach[n:]
    made = _compared(of.options, [ply.played for ply in plies], of.total)
    totals_before = of.total[:n]
    is_pass = turns.has(PASS)[made.taken]
    is_pending = np.array([ply.is_pending for ply in plies], dtype=bool)
    # fines that are paid are no longer to come
    paid = np.where(is_pending, 0.0, of.fines[made.taken])
    totals = np.where(is_pending, totals_before, totals_of(payoff, turns.after[made.taken]))
    keeps = turns.has(AGAIN)[made.taken] | is_pending
    after = to_sides(made.value + paid, keeps, totals)
    before, margins = np.roll(after, 1), np.roll(made.margin, 1)
    sizes = np.array([len(each.plies) for each in records])
    played = sizes > 0
    firsts = (np.cumsum(sizes) - sizes)[played]
    before[firsts], margins[firsts] = begins[played], begin_margins[played]
    choices = _judged_choices(plies, values, totals_before, before, margins)
    figures = before, made.best_value, made.value, np.where(is_pass, -1, made.best)
    errors = margins, made.margin, made.loss_margin
    thrown = _as_plies(plies, figures, False, totals_before, errors)
    is_light = np.array([ply.side == LIGHT for ply in plies], dtype=bool) == keeps
    to_light = to_sides(after, is_light, totals)
    estimates = list(zip(begins.tolist(), begin_margins.tolist(), strict=True))
    return _Plies(estimates, thrown, choices, to_light, totals)


def _judged_choices(
    plies: Sequence[Ply], values: Values, totals: Floats, before: Floats, margins: Floats
) -> dict[int, JudgedPly]:
    """The choices before throws, where there were several, by the number of the ply.

    The value before such a throw, and its margin, are then written to be those of the choice made.
    """
    several = [k for k, ply in enumerate(plies) if len(ply.choices) > 1]
    if not several:
        return {}
    of = decide(values, states_of(values.rules, [plies[k].state for k in several])).choices
    made = _compared(of, [plies[k].chosen for k in several], totals[several])
    figures = before[several], made.best_value, made.value, made.best
    errors = margins[several], made.margin, made.loss_margin
    judged = _as_plies([plies[k] for k in several], figures, True, totals[several], errors)
    before[several], margins[several] = made.value, made.margin
    return dict(zip(several, judged, strict=True))


def _as_plies(
    plies: Sequence[Ply],
    figures: tuple[npt.NDArray[Any], ...],
    is_before_throw: bool,
    totals: Floats,
    errors: tuple[Floats, ...],
) -> list[JudgedPly]:
    """Judged plies, whose fields are given in their order as columns."""
    first, last = ([each.tolist() for each in columns] for columns in (figures, errors))
    rest = repeat(is_before_throw), totals.astype(np.int64).tolist()
    return [JudgedPly(*row) for row in zip(plies, *first, *rest, *last, strict=False)]


class ShownAudit(GameAudit):
    """A judged game that notebooks show as its report."""

    def _repr_html_(self) -> str:
        from html import escape  # noqa: PLC0415 - notebooks

        from ur_solver.audit.report import html_report  # noqa: PLC0415

        page = html_report([self], USUAL, {})
        return (
            f'<iframe srcdoc="{escape(page)}" title="audit of a game" '
            'style="width:100%;height:40em;border:0"></iframe>'
        )


def _audit(
    of: _Judged,
    begin: Estimate,
    opening: tuple[JudgedPly, ...],
    found: _Plies,
    numbers: range,
) -> GameAudit:
    """The audit of the game to which the plies of these numbers belong."""
    state, side = of.begin
    start_total = end_total = of.record.stepper.total(state)
    start, margin = to_side(begin[0], side == LIGHT, start_total), begin[1]
    end = start
    if numbers:
        end, end_total = float(found.after[numbers[-1]]), int(found.totals[numbers[-1]])
    elif opening:
        end = opening[-1].to_light(opening[-1].played_value)
    if opening:
        start, margin = opening[0].to_light(opening[0].value), 0.0
    judged = found.thrown[numbers.start : numbers.stop]
    if found.choices:
        judged = [
            each
            for k in numbers
            for each in (found.choices.get(k), found.thrown[k])
            if each is not None
        ]
    return ShownAudit(
        *(of.record, tuple(judged), start, end, start_total, end_total, of.first, margin, opening)
    )


# Openings.


def positions_asked(record: GameRecord) -> tuple[Position, ...] | None:
    """The positions on whose values the judgement of a record's opening depends.

    None if the record has no opening.
    """
    opening = opening_of(record.rules)
    if opening is None or not record.opening:
        return None
    rounds = [opening.rounds(taken.source, taken.throws) for taken in record.opening]
    asked = dict.fromkeys(asked_of(opening.value))
    for each in rounds:
        asked |= dict.fromkeys(positions_of_rounds(opening, each))
    return tuple(asked)


def judged_rounds(audit: GameAudit) -> Iterator[tuple[Round, JudgedPly]]:
    """The judged throws of a game's opening, each with its round."""
    of_each = (each for each in audit.record.opening for _ in each.throws)
    return zip(of_each, audit.opening, strict=False)


def judge_opening(record: GameRecord, known: Estimates) -> tuple[JudgedPly, ...]:
    """Both sides' throws in every round of a record's opening, judged.

    `known` are the values of the positions that `positions_asked` gives.
    """
    opening = opening_of(record.rules)
    if opening is None:
        return ()
    judged: list[JudgedPly] = []
    whole = total(record.rules.start())

    def value(position: Position) -> float:
        return known[position][0]

    for number, taken in enumerate(record.opening, start=1):
        rounds = opening.rounds(taken.source, taken.throws)
        side, chosen = chooser(rounds), rounds.index(taken)
        of = ranked_rounds(opening, rounds, known)
        best = chosen if of.equals(np.array([whole]))[chosen] else int(of.best[0])
        loss, loss_margin = float(of.loss[chosen]), float(of.loss_error[chosen])
        before, most = opening.value(value), to_side(float(of.value[0]), side == LIGHT, whole)
        half = opening.halfway(before, most, taken, value)
        after = before
        for mover, throw, gain in zip(
            (LIGHT, DARK), taken.throws, (half - before, most - half), strict=False
        ):
            is_chooser = mover == side and len(rounds) > 1
            ply = _ply(record, mover, throw, rounds if is_chooser else (taken,), taken, number)
            own = [to_side(each, mover == LIGHT, whole) for each in (after, after + gain)]
            lost = loss if is_chooser else 0.0
            judged.append(
                JudgedPly(
                    ply,
                    own[0],
                    own[1],
                    own[1] - lost,
                    -1 if ply.played < 0 else best if is_chooser else 0,
                    total=whole,
                    played_margin=float(of.error[chosen]),
                    loss_margin=loss_margin if is_chooser else 0.0,
                )
            )
            after = to_side(own[1] - lost, mover == LIGHT, whole)
    return tuple(judged)


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
        for target in (each.targets[side == DARK] for each in rounds)
        if target != taken.source
    )
    return Ply(
        side,
        (throw,),
        state if side == LIGHT else stepper.flip(state),
        steps,
        rounds.index(taken) if steps else -1,
        0,
        f"round {number} of the opening",
        (),
        -1,
        stepper,
    )


# Rules of thumb.


def thumb_plays(
    audits: Sequence[GameAudit], values: Values, name: str
) -> list[list[ThumbPlay | None]]:
    """What a rule of thumb plays in every choice of some games of one rule set.

    A list for each game, with an entry for each of its judged plies: None where there was no
    choice. `name` is a player such as ``greedy``, or priorities such as
    ``capture+safe+furthest``; InputError if there is no such rule of thumb.
    """
    policy = policy_of(name, values)
    plays: list[list[ThumbPlay | None]] = [[None] * len(audit.plies) for audit in audits]
    choices = [
        (number, index, judged)
        for number, audit in enumerate(audits)
        for index, judged in enumerate(audit.plies)
        if judged.is_choice
    ]
    if not choices:
        return plays
    generator, player = generator_of(values.rules), Player(audits[0].record.rules, policy)
    taken = player.choose([_question(judged) for *_, judged in choices], np.random.default_rng(1))
    for is_before_throw in (False, True):
        some = [k for k, each in enumerate(choices) if each[-1].is_before_throw == is_before_throw]
        if not some:
            continue
        plies = [choices[k][-1].ply for k in some]
        if is_before_throw:
            of = decide(values, states_of(values.rules, [ply.state for ply in plies])).choices
        else:
            turns = turns_of(generator, plies)
            of = decide_thrown(values, turns).options
        made = of.starts[:-1] + np.array([taken[k] for k in some])
        equal = of.equals(np.array([float(choices[k][-1].total) for k in some]))[made]
        found = zip(
            some, of.loss[made].tolist(), of.loss_error[made].tolist(), equal.tolist(), strict=True
        )
        for k, loss, error, is_equal in found:
            number, index, judged = choices[k]
            lost = 0.0 if is_equal or taken[k] == judged.best else loss
            plays[number][index] = ThumbPlay(taken[k], lost, verdict_of(lost, error, judged.total))
    return plays


def with_thumbs(audit: GameAudit, values: Values, names: Iterable[str]) -> GameAudit:
    """An audit that holds what rules of thumb would have played; see `thumb_plays`."""
    plays = {name: tuple(thumb_plays([audit], values, name)[0]) for name in names}
    return replace(audit, thumbs=plays)


def _question(judged: JudgedPly) -> Asked:
    """What a player is asked in a choice."""
    ply = judged.ply
    if judged.is_before_throw:
        return Asked(ply.state)
    return Asked(ply.state, ply.throw, ply.choice or FREE_THROW)
