"""Judging the opening of a game: the luck of its rounds, and the loss of the squares chosen.

Both sides throw in a round, so that each has half of what its throws change. Before a round the
value is that of the opening, which favours neither side where both throw at once: one half.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from ur_solver.answers.values import Values, row_estimates
from ur_solver.audit.game_audit import TIE, GameAudit, JudgedPly
from ur_solver.records import GameRecord, Ply, Step, stepper_of
from ur_solver.rules import DARK, LIGHT, Position, RuleSet
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
