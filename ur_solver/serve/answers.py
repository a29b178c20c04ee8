"""What is answered: values of positions and of encoded states, games judged and converted."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.answers.decisions import Thresholds, Values
from ur_solver.answers.query import EvaluatedMove, decision, position_json
from ur_solver.audit.audits import GameAudit, account_text, result_text
from ur_solver.audit.texts import game_values
from ur_solver.errors import InputError, PositionSyntaxError, RecordError
from ur_solver.estimators.evaluator import Evaluator
from ur_solver.records import (
    NOTATIONS,
    GameRecord,
    Ply,
    RecordFault,
    last_position,
    opening_text,
    read_text,
)
from ur_solver.rules import SIDE_NAMES, Position, RuleSet
from ur_solver.serve.interface import Json
from ur_solver.space.base import rows_of

MAX_TURNS = 20_000
"""The most throws in the games of one request."""

MAX_GAMES = 50
"""The most games of a text."""

_PLACE = re.compile(r"line (\d+)(?:, column (\d+))?")


def place_of(reason: str) -> Json | None:
    """The place in an error's text, as ``{"line", "column"}``; None if there is none."""
    found = _PLACE.search(reason)
    if found is None:
        return None
    return {"line": int(found[1]), "column": int(found[2]) if found[2] else None}


def fault_values(message: str, **rest: Any) -> Json:
    """An error as JSON: one sentence, and its place in the text, if known."""
    return {"message": message, "place": place_of(message), **rest}


# Positions.


class _NoValues(Values):
    """A rule set without a table or an estimator."""

    rules: RuleSet

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules

    def state_values(self, states: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """Nothing that means anything."""
        return np.zeros(len(states))


_OF_VALUES = {
    *("tolerance", "cut_error", "choices", "choice_marks", "luck", "best"),
    *EvaluatedMove._fields[1:],
}
"""The keys of a position, a throw or a move that need values."""


def position_answer(table: Evaluator | None, position: Position) -> Json:
    """A position with all its throws and moves, and their values if there is a table."""
    if table is not None:
        return decision(table, position).to_json()
    found = decision(_NoValues(position.rules), position)
    throws = []
    for thrown in found.throws:
        moves = [_without_values(each.to_json(found.source)) for each in thrown.options]
        throws.append(_without_values(thrown.to_json(found.source)) | {"moves": moves})
    return _without_values(found.to_json()) | {"throws": throws}


def _without_values(answer: Json) -> Json:
    return {key: value for key, value in answer.items() if key not in _OF_VALUES}


def batch_values(table: Evaluator, texts: list[object]) -> Json:
    """The figures of each position of a batch."""
    answers: list[Json | None] = []
    sound = []
    for text in texts:
        try:
            if not isinstance(text, str):
                raise PositionSyntaxError(f"{text!r:.60} is not a text")
            sound.append(table.rules.position(text))
            answers.append(None)
        except InputError as error:
            answers.append(fault_values(str(error)))
    valued = (
        position_json(table, position, value, table.error_of(value, position))
        for position, value in zip(sound, table.values(sound).tolist(), strict=True)
    )
    return {"positions": [next(valued) if answer is None else answer for answer in answers]}


def state_values(table: Evaluator, states: list[list[int]]) -> Json:
    """The values of encoded states, how far they may be off, and with stakes the chances to win.

    InputError names the first row that is no state of the rule set.
    """
    space = table.space
    width = space.state_width
    for state in states:
        if len(state) != width:
            raise InputError(f"{state!r:.60} is no state; one has {width} numbers here")
    rows = rows_of(np.array(states, np.int64).reshape(-1, width), space.state_dtype, width)
    values = table.state_values(rows)
    if not table.are_exact:
        errors = table.state_margins(rows, values)
        return {"values": values.tolist(), "errors": errors.tolist()}
    found: Json = {"values": values.tolist(), "errors": None}
    if table.max_error is not None:
        found["errors"] = table.errors(rows).tolist()
    if table.rules.payoff.has_fines:
        found["chances"] = table.state_chances(rows).tolist()
    return found


# Games.


def audited_games(table: Evaluator, text: str) -> tuple[list[GameAudit], list[RecordFault]]:
    """The audits of a text's games, and the faults of the others.

    RecordError if there are too many games or throws.
    """
    games: list[GameRecord] = []
    faults: list[RecordFault] = []
    plies = 0
    for game in islice(read_text(text, table.rules, "game"), MAX_GAMES + 1):
        if isinstance(game, RecordFault):
            faults.append(game)
        else:
            games.append(game)
            plies += len(game.plies)
        if len(games) + len(faults) > MAX_GAMES:
            raise RecordError(f"more than {MAX_GAMES} games at once; 'ur audit' takes any number")
        if plies > MAX_TURNS:
            raise RecordError(f"more than {MAX_TURNS:,} throws; 'ur audit' takes any number")
    return list(table.audits(games)), faults


def audit_text(table: Evaluator, text: str) -> Json:
    """The audits of a text's games, as in `ur audit --json`, and the faults of the others.

    Each ply has besides ``choice``, ``options``, their number, ``cost``, the fine of the move, and,
    after the opening, ``position_after``.
    """
    audits, faults = audited_games(table, text)
    return {
        "games": [audit_values(audit) for audit in audits],
        "faults": [fault_values(fault.reason, game=fault.number) for fault in faults],
    }


def audit_values(audit: GameAudit) -> Json:
    """A judged game."""
    record = audit.record
    values = game_values(audit, Thresholds())
    plies = values.get("opening", []) + values["plies"]
    for ply, judged in zip(plies, audit.all_plies, strict=True):
        ply |= {
            "choice": judged.ply.choice or None,
            "options": len(judged.options),
            "cost": judged.cost,
        }
    for ply, judged in zip(values["plies"], audit.plies, strict=True):
        ply["position_after"] = (
            ply["position"] if judged.is_before_throw else _after(record, judged.ply)
        )
    return values | {
        "game": record.number,
        "names": {name: record.player(side) for side, name in SIDE_NAMES.items()},
        "start": record.start.notation,
        "rounds": opening_text(record.opening) or None,
        "position": last_position(record).notation,
        "result": result_text(audit),
        "account": account_text(audit),
    }


def report_text(table: Evaluator, text: str) -> str:
    """The report of a text's games, as `ur audit --html` writes it.

    RecordError if a game cannot be read.
    """
    from ur_solver.audit.games import references_of  # noqa: PLC0415 - what the page waits for
    from ur_solver.audit.report import html_report  # noqa: PLC0415 - needs neither

    audits, faults = audited_games(table, text)
    if faults:
        raise RecordError(str(faults[0].reason))
    references = {}
    if table.are_exact:
        losses = references_of(table)
        references = {audit.record.rules: losses for audit in audits}
    return html_report(audits, Thresholds(), references)


def converted_text(rules: RuleSet, text: str, notation: str) -> str:
    """A text's games in another notation, one of `NOTATIONS`.

    RecordError if a game cannot be read, RuleSetError if the notation cannot express its rules.
    """
    wanted, written = NOTATIONS[notation], []
    for game in islice(read_text(text, rules, "game"), MAX_GAMES):
        if isinstance(game, RecordFault):
            raise RecordError(game.reason)
        written.append(wanted.write(game))
    return f"\n{wanted.between}".join(written) + "\n"


def _after(record: GameRecord, ply: Ply) -> str:
    return record.stepper.notation(*ply.after(record.stepper))
