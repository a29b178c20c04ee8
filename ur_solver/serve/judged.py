"""Games: played turn by turn by a page, or read from a text; judged by a table.

Both have the form of `ur audit --json`, so that a page need not know where a game is from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from ur_solver.api.evaluator import Evaluator, exactness
from ur_solver.audit import (
    GameAudit,
    Thresholds,
    account_text,
    game_json,
    html_report,
    references_of,
    result_text,
)
from ur_solver.audit.game_audit import TIE
from ur_solver.errors import InputError, MoveError, RecordError, ThrowError
from ur_solver.records import (
    NOTATIONS,
    GameRecord,
    RecordFault,
    last_position,
    opening_text,
    read_text,
    stepper_of,
)
from ur_solver.rules import SIDE_NAMES, Position
from ur_solver.serve.unfold import Json, ServedRules, Unfolded

MAX_TURNS = 20_000
"""The most throws in the games of one request."""

MAX_GAMES = 50
"""The most games of a text."""

MAX_LINE_TURNS = 2_000
"""The most turns of a line: each is unfolded with all its throws and moves."""

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
    """The audits of a text's games, as in `ur audit --json`, and the faults of the others."""
    audits, faults = audited_games(table, text)
    return {
        "games": [_audit_values(audit) for audit in audits],
        "faults": [fault_values(fault.reason, game=fault.number) for fault in faults],
    }


def _audit_values(audit: GameAudit) -> Json:
    record = audit.record
    values: Json = json.loads(game_json(audit, Thresholds()))
    plies = values.get("opening", []) + values["plies"]
    for ply, judged in zip(plies, audit.all_plies, strict=True):
        ply["choice"] = judged.ply.choice or None
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

    The keys are those of `ur audit --json`; each ply has besides ``choice``, ``mark``,
    ``options``, their number, ``cost``, the fine of the move, and
    ``position_after``. A choice before a throw has its own ply if there was another
    possibility. So

        end value = start value + luck - loss + cost of light - luck + loss of dark

    where start and end value are to light, and money to come does not count fines paid.

    Raises
    ------
    InputError
        If a turn is not possible; the text names it by its number.
    """
    plies: list[Json] = []
    position = start
    for number, turn in enumerate(turns, start=1):
        try:
            position = _played(source, position, turn, plies, is_first=number == 1)
        except InputError as error:
            raise type(error)(f"turn {number}: {error}") from None
    end = Unfolded(source, position)
    values: Json = {"plies": plies, "position": position.notation, "start": start.notation}
    if source.table is not None:
        begin = Unfolded(source, start)
        values["start_value"] = _to_light(begin, _opening(source, start))
        values |= exactness(source.table, begin.margin)
        values["end_value"] = _to_light(end, None)
        for side in SIDE_NAMES.values():
            values[side] = side_values(ply for ply in plies if ply["side"] == side)
    return values


def _opening(source: ServedRules, start: Position) -> float | None:
    """The value of the start after the first throw, if the rules give it."""
    if source.table is None or stepper_of(source.rules).opening_rolls(start) is None:
        return None
    return source.table.opening_value()


def _to_light(unfolded: Unfolded, value: float | None) -> float:
    value = unfolded.value if value is None else value
    return value if unfolded.side == "L" else unfolded.total - value


def side_values(plies: Iterable[Json]) -> Json:
    """The audit of a side: choices, the best among them, loss and luck; fines paid."""
    plies = list(plies)
    choices = [ply for ply in plies if ply["options"] > 1 and ply["move"] is not None]
    return {
        "choices": len(choices),
        "best": sum(ply["best"] == ply["move"] for ply in choices),
        "loss": sum(ply["loss"] for ply in choices),
        "luck": sum(ply["luck"] for ply in plies),
        "cost": sum(ply["cost"] for ply in plies),
    }


def _played(
    source: ServedRules, position: Position, turn: Turn, plies: list[Json], *, is_first: bool
) -> Position:
    """Play a turn, add its plies to `plies`, and return the position after it."""
    if position.winner:
        raise MoveError(f"the game was over: {SIDE_NAMES[position.winner]} had won")
    unfolded = Unfolded(source, position, throws=turn.throws)
    answer = unfolded.answer()
    thrown = _thrown(source, answer, position, turn, is_first)
    opening = _opening(source, position) if is_first else None
    before = answer.get("value", 0.0) if opening is None else opening
    margin = 0.0 if source.table is None else unfolded.margin
    choices = {
        name: worth for name, worth in answer.get("choices", {}).items() if worth is not None
    }
    if len(choices) > 1:
        plies.append(_choice_ply(unfolded, answer, turn, choices, before, margin))
        before = choices[turn.choice]
        margin = answer.get("choice_errors", {}).get(turn.choice, 0.0)
    moves = thrown["moves"]
    taken = next((move for move in moves if move["move"] == turn.move), None)
    if taken is None and (moves or turn.move is not None):
        legal = ", ".join(move["move"] for move in moves) or "none, the turn passes"
        raise MoveError(f"move {turn.move!r:.40} is not legal here; legal: {legal}")
    after: str = answer["after_pass"] if taken is None else taken["position"]
    ply = _common(answer, turn) | {
        "throw": thrown["throw"],
        "move": turn.move,
        "options": len(moves),
        "cost": taken.get("cost", 0) if taken else 0,
    }
    if source.table is not None:
        value = thrown["value"]
        loss = taken["loss"] if taken else 0.0
        error = taken.get("loss_error", 0.0) if taken else 0.0
        is_tie = loss <= max(TIE * unfolded.total, error)
        best_move = None if taken is None else turn.move if is_tie else moves[0]["move"]
        ply |= {
            "best": best_move,
            "value": before,
            "best_value": value,
            "loss": loss,
            "luck": value - before,
            "mark": taken["mark"] if taken else None,
        } | _errors(source, margin, error)
    plies.append(ply | {"position_after": after})
    return source.rules.position(after)


def _common(answer: Json, turn: Turn) -> Json:
    return {"side": answer["side"], "position": answer["position"], "choice": turn.choice}


def _choice_ply(
    unfolded: Unfolded,
    answer: Json,
    turn: Turn,
    choices: Mapping[str | None, float],
    before: float,
    margin: float,
) -> Json:
    """The ply of the choice before a throw, by what the allowed ones are worth."""
    best, chosen = max(choices.values()), choices[turn.choice]
    error = answer.get("choice_loss_errors", {}).get(turn.choice, 0.0)
    is_best = best - chosen <= max(TIE * unfolded.total, error)
    return {
        **_common(answer, turn),
        "throw": None,
        "move": turn.choice,
        "best": turn.choice if is_best else max(choices, key=choices.__getitem__),
        "value": before,
        "best_value": best,
        "loss": best - chosen,
        "luck": best - before,
        "mark": unfolded.mark(best - chosen, len(choices), error),
        "options": len(choices),
        "cost": 0,
        "position_after": answer["position"],
        **_errors(unfolded.source, margin, error),
    }


def _errors(source: ServedRules, margin: float, loss_error: float) -> Json:
    """What a ply says of its value and its loss if an estimator has judged it."""
    if source.table is None or source.table.are_exact:
        return {}
    return {**exactness(source.table, margin), "loss_error": loss_error}


def _thrown(
    source: ServedRules, answer: Json, position: Position, turn: Turn, is_first: bool
) -> Json:
    """The throw of a turn in its unfolded position."""
    rolls = [each for each in answer["throws"] if each.get("choice") == turn.choice]
    if not rolls:
        names = sorted({each.get("choice") or "nothing" for each in answer["throws"]})
        raise MoveError(f"{turn.choice!r:.40} is not a choice here; expected {' or '.join(names)}")
    opening = stepper_of(source.rules).opening_rolls(position) if is_first else None
    if opening is not None and opening.of(turn.throws) is None:
        given = opening[0].throws[0]
        raise ThrowError(f"the opening throw of {source.rules.name} is always {given}")
    for each in rolls:
        if _throws_of(each) == turn.throws:
            return each  # type: ignore[no-any-return]
    possible = ", ".join(" ".join(map(str, _throws_of(each))) for each in rolls)
    thrown = " ".join(map(str, turn.throws))
    raise ThrowError(f"throw {thrown!r:.40} is not possible here; expected one of {possible}")


def _throws_of(thrown: Json) -> tuple[int, ...]:
    throw = thrown["throw"]
    return tuple(throw) if isinstance(throw, list) else (throw,)
