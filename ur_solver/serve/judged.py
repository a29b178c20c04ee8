"""Games: played turn by turn by a page, or read from a text; judged by a table.

Both have the form of `ur audit --json`, so that a page need not know where a game is from.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

from ur_solver.answers.query import exactness
from ur_solver.api.evaluator import Evaluator
from ur_solver.audit import (
    GameAudit,
    Thresholds,
    account_text,
    game_values,
    html_report,
    references_of,
    result_text,
)
from ur_solver.errors import InputError, MoveError, RecordError, ThrowError
from ur_solver.records import (
    NOTATIONS,
    GameRecord,
    Ply,
    RecordFault,
    Replay,
    last_position,
    opening_text,
    read_text,
)
from ur_solver.rules import FREE_THROW, SIDE_NAMES, Position, RuleSet
from ur_solver.serve.unfold import Json, ServedRules

MAX_TURNS = 20_000
"""The most throws in the games of one request."""

MAX_GAMES = 50
"""The most games of a text."""

MAX_LINE_TURNS = 2_000
"""The most turns of a line."""

_PLACE = re.compile(r"line (\d+)(?:, column (\d+))?")


class Turn(NamedTuple):
    """A turn as a page sends it.

    Attributes
    ----------
    choice : str or None
        The choice before the throw; None if the rules have none.
    throws : tuple of int
    move : str or None
        In RGN's notation; None for a turn without one.
    """

    choice: str | None
    throws: tuple[int, ...]
    move: str | None


def place_of(reason: str) -> Json | None:
    """The place in an error's text, as ``{"line", "column"}``; None if there is none."""
    found = _PLACE.search(reason)
    if found is None:
        return None
    return {"line": int(found[1]), "column": int(found[2]) if found[2] else None}


def fault_values(message: str, **rest: Any) -> Json:
    """An error as JSON: one sentence, and its place in the text, if known."""
    return {"message": message, "place": place_of(message), **rest}


# A game in a text.


def audited_games(table: Evaluator, text: str) -> tuple[list[GameAudit], list[RecordFault]]:
    """The audits of a text's games, and the faults of the others.

    Raises
    ------
    RecordError
        If there are too many games or throws.
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
        "games": [_audit_values(audit) for audit in audits],
        "faults": [fault_values(fault.reason, game=fault.number) for fault in faults],
    }


def _audit_values(audit: GameAudit) -> Json:
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

    Raises
    ------
    RecordError
        If a game cannot be read.
    """
    audits, faults = audited_games(table, text)
    if faults:
        raise RecordError(str(faults[0].reason))
    references = {}
    if table.are_exact:
        losses = references_of(table)
        references = {audit.record.rules: losses for audit in audits}
    return html_report(audits, Thresholds(), references)


def converted_text(source: ServedRules, text: str, notation: str) -> str:
    """A text's games in another notation, one of `NOTATIONS`.

    Raises
    ------
    RecordError, RuleSetError
        If a game cannot be read, or the notation cannot express its rules.
    """
    wanted, written = NOTATIONS[notation], []
    for game in islice(read_text(text, source.rules, "game"), MAX_GAMES):
        if isinstance(game, RecordFault):
            raise RecordError(game.reason)
        written.append(wanted.write(game))
    return f"\n{wanted.between}".join(written) + "\n"


# A game as a page plays it.


def line_values(source: ServedRules, start: Position, turns: Sequence[Turn]) -> Json:
    """Play turns from a position, and judge them if there is a table or an estimator.

    The keys are those of `audit_text`'s games. A choice before a throw has its own ply if there
    was another possibility. So

        end value = start value + luck - loss + cost of light - luck + loss of dark

    where start and end value are to light, and money to come does not count fines paid.

    Raises
    ------
    InputError
        If a turn is not possible; the text names it by its number.
    """
    record, table = _record_of(source.rules, start, turns), source.table
    if table is None:
        return {
            "plies": [_ply_values(record, ply) for ply in record.plies],
            "position": last_position(record).notation,
            "start": start.notation,
        }
    (audit,) = table.audits([record])
    values = _audit_values(audit)
    found = {name: values[name] for name in _OF_LINES} | exactness(table, audit.start_margin)
    for name in SIDE_NAMES.values():
        found[name] = {key: values[name].get(key, 0) for key in _OF_SIDES}
    return found


_OF_LINES = ("plies", "position", "start", "start_value", "end_value")
_OF_SIDES = ("choices", "best", "loss", "luck", "cost")


def _after(record: GameRecord, ply: Ply) -> str:
    return record.stepper.notation(*ply.after(record.stepper))


def _ply_values(record: GameRecord, ply: Ply) -> Json:
    """A ply that is not judged."""
    return {
        "side": SIDE_NAMES[ply.side],
        "position": record.stepper.notation(ply.state, ply.side),
        "choice": ply.choice or None,
        "throw": ply.throw if len(ply.throws) == 1 else list(ply.throws),
        "move": record.move_text(ply),
        "options": len(ply.steps),
        "cost": ply.step.cost if ply.step else 0,
        "position_after": _after(record, ply),
    }


def _record_of(rules: RuleSet, start: Position, turns: Sequence[Turn]) -> GameRecord:
    """The game in which these turns are played."""
    if not turns:
        return GameRecord(rules, start, ())
    if start.winner:
        raise MoveError(f"turn 1: the game was over: {SIDE_NAMES[start.winner]} had won")
    replay = Replay(rules, start)
    for number, turn in enumerate(turns, start=1):
        try:
            replay.expect_side(replay.side)
            _play(replay, turn)
        except InputError as error:
            raise type(error)(f"turn {number}: {error}") from None
    return replay.finish()


def _play(replay: Replay, turn: Turn) -> None:
    """Play a turn."""
    choices = replay.choices()
    names = [each.name for each in choices]
    if turn.choice not in names and (names or turn.choice is not None):
        expected = " or ".join(sorted(names)) or "nothing"
        raise MoveError(f"{turn.choice!r:.40} is not a choice here; expected {expected}")
    choice = turn.choice or FREE_THROW
    rolls = replay.rolls(choice)
    if rolls.of(turn.throws) is None:
        possible = ", ".join(" ".join(map(str, roll.throws)) for roll in rolls)
        if len(rolls) == 1:
            raise ThrowError(f"the opening throw of {replay.rules.name} is always {possible}")
        thrown = " ".join(map(str, turn.throws))
        raise ThrowError(f"throw {thrown!r:.40} is not possible here; expected one of {possible}")
    steps = replay.legal(turn.throws, choice)
    texts = [replay.stepper.text(replay.side, step) for step in steps]
    if turn.move not in texts and (texts or turn.move is not None):
        legal = ", ".join(sorted(texts)) or "none, the turn passes"
        raise MoveError(f"move {turn.move!r:.40} is not legal here; legal: {legal}")
    replay.take(
        turn.throws,
        steps,
        texts.index(turn.move) if turn.move else -1,
        choices=choices,
        chosen=names.index(choice) if names else -1,
    )
