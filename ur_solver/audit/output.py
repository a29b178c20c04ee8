"""Audits for machines: JSON with an object for each game, CSV with a row for each side of it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from typing import Any

from ur_solver.audit.judge import GameAudit, JudgedPly
from ur_solver.audit.summary import Mark, Thresholds, summarise
from ur_solver.records import rules_word
from ur_solver.rules import DARK, LIGHT, SIDE_NAMES

CSV_FIELDS = (
    "file", "game", "rules", "side", "player", "won", "plies", "choices", "best", "best_share",
    "loss", "mean_loss", "luck", "inaccuracies", "mistakes", "blunders", "start_value",
    "end_value",
)  # fmt: skip


def game_json(audit: GameAudit) -> str:
    """A game's audit as one line of JSON.

    The object is ``{"file", "rules", "winner", "start_value", "light", "dark", "plies"}``. Each
    side has ``{"choices", "best", "loss", "luck"}``, where ``best`` counts the choices in which no
    option was better than the one taken. Each ply has ``{"side", "position", "throw", "move",
    "best", "value", "best_value", "loss", "luck"}``. The values of a ply are to its side,
    ``start_value`` is to light. ``move`` and ``best`` are null if no move was legal. From the
    second game of a file on, ``game`` is the game's number there. Where a player may say something
    before throwing, that is an entry of its own in ``plies``: its throw is null, and its ``move``
    and ``best`` are what was said and what was best to say. Two throws are an array.
    """
    record = audit.record
    values: dict[str, Any] = {
        "file": record.file,
        "rules": rules_word(record.rules),
        "winner": SIDE_NAMES[record.winner] if record.winner else None,
        "start_value": audit.start_value,
    }
    if record.number > 1:
        values["game"] = record.number
    for side, name in SIDE_NAMES.items():
        choices = [judged for judged in audit.of_side(side) if judged.is_choice]
        values[name] = {
            "choices": len(choices),
            "best": sum(judged.is_best for judged in choices),
            "loss": sum(judged.loss for judged in choices),
            "luck": sum(judged.luck for judged in audit.of_side(side)),
        }
    values["plies"] = [_ply_values(audit, judged) for judged in audit.plies]
    return json.dumps(values, ensure_ascii=False)


def _ply_values(audit: GameAudit, judged: JudgedPly) -> dict[str, Any]:
    ply = judged.ply
    return {
        "side": SIDE_NAMES[ply.side],
        "position": audit.record.stepper.notation(ply.state, ply.side),
        "throw": _throw(judged),
        "move": audit.taken_text(judged),
        "best": audit.best_text(judged),
        "value": judged.value,
        "best_value": judged.best_value,
        "loss": judged.loss,
        "luck": judged.luck,
    }


def _throw(judged: JudgedPly) -> int | tuple[int, ...] | None:
    if judged.is_saying:
        return None
    throws = judged.ply.throws
    return throws[0] if len(throws) == 1 else throws


def write_csv(audits: Iterable[GameAudit], thresholds: Thresholds) -> str:
    """Audits as CSV: a header, then a row for light and one for dark for each game."""
    out = io.StringIO()
    writer = csv.DictWriter(out, CSV_FIELDS, lineterminator="\n")
    writer.writeheader()
    for audit in audits:
        for side in (LIGHT, DARK):
            writer.writerow(_csv_row(audit, side, thresholds))
    return out.getvalue()


def _csv_row(audit: GameAudit, side: str, thresholds: Thresholds) -> dict[str, Any]:
    record, player = audit.record, summarise(audit.of_side(side), thresholds)
    is_light = side == LIGHT
    return {
        "file": record.file,
        "game": record.number,
        "rules": rules_word(record.rules),
        "side": SIDE_NAMES[side],
        "player": record.player(side) or "",
        "won": "" if record.winner is None else int(record.winner == side),
        "plies": sum(not judged.is_saying for judged in audit.of_side(side)),
        "choices": player.choices,
        "best": player.best,
        "best_share": round(player.best_share, 6),
        "loss": round(player.loss, 9),
        "mean_loss": round(player.mean_loss, 9),
        "luck": round(player.luck, 9),
        "inaccuracies": player.marks[Mark.INACCURACY],
        "mistakes": player.marks[Mark.MISTAKE],
        "blunders": player.marks[Mark.BLUNDER],
        "start_value": audit.start_value if is_light else 1 - audit.start_value,
        "end_value": audit.end_value if is_light else 1 - audit.end_value,
    }
