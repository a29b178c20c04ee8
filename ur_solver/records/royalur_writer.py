"""RoyalUr's JSON notation, version 2: the writer. `royalur_json` describes the notation."""

from __future__ import annotations

import json
from typing import Any

from ur_solver.records.comments import metadata_of_comment
from ur_solver.records.openings import opening_text
from ur_solver.records.record import Ending, GameRecord, Ply
from ur_solver.records.royalur_json import ENDING, NO_REASON, OPENING_KEY, SIGNS, captured_index
from ur_solver.records.settings import settings_of
from ur_solver.records.steps import Step
from ur_solver.rules import DARK, HOME, LIGHT, opponent

VERSION = 2


def write_json_game(record: GameRecord) -> str:
    """A record in version 2 of the notation, as RoyalUr's library writes it.

    Raises
    ------
    RuleSetError
        If the notation cannot express the rule set.
    """
    values: dict[str, Any] = {"notation_version": VERSION}
    metadata = dict(record.metadata)
    if record.opening:
        metadata[OPENING_KEY] = opening_text(record.opening)
    if metadata:
        values["metadata"] = metadata
    values["settings"] = settings_of(record.rules)
    values["initial_state"] = _written_start(record)
    values["states"] = [_written_ply(record, ply) for ply in record.plies] + _written_end(record)
    written = [values["initial_state"], *values["states"]]
    for n_plies, text in record.comments.items():
        written[n_plies]["metadata"] = metadata_of_comment(text)
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def _written_start(record: GameRecord) -> dict[str, Any]:
    rules, begin = record.rules, record.start
    pieces = {}
    for square, content in zip(rules.board.squares, begin.contents, strict=True):
        if content:
            side = content.upper()
            path = rules.path.squares(side)
            index = next(
                index
                for index, name in enumerate(path)
                if name == square and rules.mechanics.stands(side, index) == content
            )
            pieces[square] = SIGNS[side] * (index + 1)
    players = {
        side: {"pieces": begin.home(side), "score": begin.n_off(side)} for side in (LIGHT, DARK)
    }
    return {
        "board": {"pieces": pieces},
        "players": players,
        "type": "wait4roll",
        "time": record.start_time,
        "turn": begin.side,
    }


def _written_ply(record: GameRecord, ply: Ply) -> dict[str, Any]:
    kind = "roll" if ply.step is None else "move"
    values = {"type": kind, "time": ply.time, "turn": ply.side, "roll": {"value": ply.throw}}
    if ply.step is None:
        return {**values, "moves": _written_moves(record, ply)}
    return {**values, "move": _written_move(record, ply, ply.step)}


def _written_moves(record: GameRecord, ply: Ply) -> list[dict[str, int]]:
    return [_written_move(record, ply, step) for step in ply.steps]


def _written_move(record: GameRecord, ply: Ply, step: Step) -> dict[str, int]:
    sign = SIGNS[ply.side]
    move = {}
    if step.source != HOME:
        move["src"] = sign * (step.source + 1)
    if step.target < len(record.rules.path):
        move["dest"] = sign * (step.target + 1)
    if step.is_capture:
        move["captured"] = -sign * (captured_index(record.stepper, ply.state, step) + 1)
    return move


def _written_end(record: GameRecord) -> list[dict[str, Any]]:
    time = record.end_time
    win: dict[str, Any] = {"type": "win", "time": time}
    if record.winner:
        win["winner"] = record.winner
    if record.ending is Ending.WON:
        return [win]
    if record.ending is not Ending.UNFINISHED:
        return [_written_stop(record), win]
    if not record.plies:
        return []
    last = record.plies[-1]
    if last.is_pending:
        return [
            {
                "type": "wait4move",
                "time": time,
                "turn": last.side,
                "roll": {"value": last.throw},
                "moves": _written_moves(record, last),
            }
        ]
    passed = last.step is None or not last.step.again
    turn = opponent(last.side) if passed else last.side
    return [{"type": "wait4roll", "time": time, "turn": turn}]


def _written_stop(record: GameRecord) -> dict[str, Any]:
    """The state of a game that was over before either side had won."""
    is_resigned = record.ending in (Ending.RESIGNED, Ending.TIMEOUT)
    kind = Ending.RESIGNED if is_resigned else Ending.ABANDONED
    stop: dict[str, Any] = {"type": str(kind), "time": record.end_time}
    if record.ending is not kind:
        stop["metadata"] = {ENDING: str(record.ending)}
    left = record.loser_by_choice or (is_resigned and record.conceded_by)
    if left:
        stop["player"] = left
    if not is_resigned:
        stop["reason"] = record.reason or NO_REASON
    return stop
