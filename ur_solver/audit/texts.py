"""Audits for machines: as JSON, as CSV, and as comments of games, which every notation keeps.

The findings on a turn are commands at the head of its comment, as PGN has them for clocks, such as
``[%chance 49.81 %] [%best A3A1*] [%loss 3.29] [%mark mistake]``:

- ``chance``: light's, after the turn; with stakes ``money``, which light can still expect;
- ``best`` and ``loss``: the best move and what the played one lost, in points or money, if there
  was a better one;
- ``mark``: ``inaccuracy``, ``mistake`` or ``blunder``, if it lost much; of estimates also
  ``close``, if the choice is too close to call;
- ``best_choice``, ``choice_loss`` and ``choice_mark``: the same of the choice before the throw.

The comment before the first turn has the value at the start. In RoyalUr's JSON these commands are
entries in the metadata of states.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ur_solver.answers.decisions import Mark, Thresholds, Verdict, to_side
from ur_solver.audit.audits import GameAudit, JudgedPly, PlayerSummary, strength
from ur_solver.common.text import cell, sound
from ur_solver.records import GameRecord, notation_of, rules_word, written_games
from ur_solver.records.parts import comment_of_metadata, metadata_of_comment
from ur_solver.rules import DARK, LIGHT, SIDE_NAMES
from ur_solver.rules.payoff import MONEY

CSV_FIELDS = (
    "file", "game", "rules", "side", "player", "won", "plies", "choices", "best", "best_share",
    "loss", "mean_loss", "luck", "inaccuracies", "mistakes", "blunders", "start_value",
    "end_value", "fines", "first_throw", "ending", "conceded", "close", "worse", "worse_loss",
)  # fmt: skip


def game_values(
    audit: GameAudit, thresholds: Thresholds, references: Mapping[str, float] | None = None
) -> dict[str, Any]:
    """A game's audit as JSON values, as docs/commands.md describes them under ``ur audit``.

    Marks are by `thresholds`. `references` are the reference players' mean losses per choice: with
    them sides have a strength.
    """
    record = audit.record
    values: dict[str, Any] = {
        "file": sound(record.file),
        "rules": rules_word(record.rules),
        "winner": SIDE_NAMES[record.winner] if record.winner else None,
        "ending": str(record.ending),
        "first_throw": audit.first + 1,
        "start_value": audit.start_value,
        "end_value": audit.end_value,
        "result_value": audit.result_value,
    }
    if record.number > 1:
        values["game"] = record.number
    if not audit.is_exact:
        values |= {"exact": False, "error": audit.start_margin}
    for side, name in SIDE_NAMES.items():
        summary = audit.summary(side, thresholds)
        values[name] = _side_values(summary, references)
        if record.rules.payoff.has_fines:
            values[name]["cost"] = summary.cost
    if audit.opening:
        values["opening"] = [_ply_values(audit, judged, thresholds) for judged in audit.opening]
    values["plies"] = [
        _ply_values(audit, judged, thresholds) | _thumb_values(audit, index)
        for index, judged in enumerate(audit.plies)
    ]
    return values


def _side_values(summary: PlayerSummary, references: Mapping[str, float] | None) -> dict[str, Any]:
    values: dict[str, Any] = {
        "choices": summary.choices,
        "best": summary.best,
        "close": summary.close,
        "worse": summary.worse,
        "loss": summary.loss,
        "worse_loss": summary.worse_loss,
        "luck": summary.luck,
        "conceded": summary.conceded,
    }
    if summary.loss_margin:
        values["loss_error"] = summary.loss_margin
    if references:
        found = strength(summary, references)
        values["strength"] = None if found is None else found.value
        values["strength_error"] = None if found is None else found.error
    return values


def _thumb_values(audit: GameAudit, index: int) -> dict[str, Any]:
    """What rules of thumb would have played in a ply, if they were asked."""
    judged = audit.plies[index]
    values = {
        name: {
            "move": audit.option_text(judged, play.option),
            "loss": play.loss,
            "verdict": play.verdict,
        }
        for name, plays in audit.thumbs.items()
        if (play := plays[index]) is not None
    }
    return {"thumbs": values} if values else {}


def _ply_values(audit: GameAudit, judged: JudgedPly, thresholds: Thresholds) -> dict[str, Any]:
    ply = judged.ply
    values = {
        "side": SIDE_NAMES[ply.side],
        "position": audit.record.stepper.notation(ply.state, ply.side),
        "throw": _throw(judged),
        "move": audit.taken_text(judged),
        "best": audit.best_text(judged),
        "value": judged.value,
        "best_value": judged.best_value,
        "loss": judged.loss,
        "luck": judged.luck,
        "verdict": judged.verdict,
        "mark": thresholds.mark(judged),
    }
    if audit.record.rules.payoff.has_fines:
        values["cost"] = judged.cost
    if not audit.is_exact:
        error = {"error": judged.margin} if judged.margin else {}
        values |= {"exact": not error, **error, "loss_error": judged.loss_margin}
    return values


def _throw(judged: JudgedPly) -> int | list[int] | None:
    if judged.is_before_throw:
        return None
    throws = judged.ply.throws
    return throws[0] if len(throws) == 1 else list(throws)


def write_csv(audits: Iterable[GameAudit], thresholds: Thresholds) -> str:
    """Audits as CSV: a header, then a row for light and one for dark for each game.

    If values of a game are estimates, there are columns ``error``, of its start value, and
    ``loss_error``, of a side's losses.
    """
    out, audits = io.StringIO(), list(audits)
    has_errors = not all(audit.is_exact for audit in audits)
    fields = (*CSV_FIELDS, "error", "loss_error") if has_errors else CSV_FIELDS
    writer = csv.DictWriter(out, fields, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    for audit in audits:
        for side in (LIGHT, DARK):
            writer.writerow(_csv_row(audit, side, thresholds))
    return out.getvalue()


def _csv_row(audit: GameAudit, side: str, thresholds: Thresholds) -> dict[str, Any]:
    record, player = audit.record, audit.summary(side, thresholds)
    is_light = side == LIGHT
    return {
        "file": cell(record.file),
        "game": record.number,
        "rules": cell(rules_word(record.rules)),
        "side": SIDE_NAMES[side],
        "player": cell(record.player(side) or ""),
        "won": "" if record.winner is None else int(record.winner == side),
        "plies": sum(
            not judged.is_before_throw for judged in audit.plies if judged.ply.side == side
        ),
        "choices": player.choices,
        "best": player.best,
        "best_share": round(player.best_share, 6),
        "loss": round(player.loss, 9),
        "mean_loss": round(player.mean_loss, 9),
        "luck": round(player.luck, 9),
        "inaccuracies": player.marks[Mark.INACCURACY],
        "mistakes": player.marks[Mark.MISTAKE],
        "blunders": player.marks[Mark.BLUNDER],
        "start_value": to_side(audit.start_value, is_light, audit.start_total),
        "end_value": to_side(audit.end_value, is_light, audit.end_total),
        "fines": player.cost,
        "first_throw": audit.first + 1,
        "ending": str(record.ending),
        "conceded": round(player.conceded, 9),
        "close": player.close,
        "worse": player.worse,
        "worse_loss": round(player.worse_loss, 9),
        "error": audit.start_margin,
        "loss_error": round(player.loss_margin, 9),
    }


CHANCE, GAIN = "chance", "money"
_FOUND = ("best", "loss", "mark")
_OF_CHOICE = ("best_choice", "choice_loss", "choice_mark")
_OWN = (CHANCE, GAIN, *_FOUND, *_OF_CHOICE)


def annotated(audit: GameAudit, thresholds: Thresholds) -> GameRecord:
    """The record of an audited game with the findings in its comments.

    Its own comments stay; the findings of an earlier audit are replaced.
    """
    comments = dict(audit.record.comments)
    for n_plies, commands in _findings(audit, thresholds):
        entries = metadata_of_comment(comments.get(n_plies, ""))
        others = {name: text for name, text in entries.items() if name not in _OWN}
        comments[n_plies] = comment_of_metadata({**commands, **others})
    return replace(audit.record, comments=dict(sorted(comments.items())))


def annotated_text(audits: Iterable[GameAudit], thresholds: Thresholds, suffix: str) -> str:
    """A file of `annotated` games, in the notation that its suffix names."""
    games = (annotated(audit, thresholds) for audit in audits)
    return "".join(written_games(games, notation_of(suffix)))


def _findings(audit: GameAudit, thresholds: Thresholds) -> Iterator[tuple[int, dict[str, str]]]:
    """The commands by the number of plies before them."""
    n_plies = audit.first
    yield n_plies, _worth(audit, _after(audit, -1))
    of_choice: dict[str, str] = {}
    for index, judged in enumerate(audit.plies):
        found = _better(audit, judged, thresholds)
        if judged.is_before_throw:
            of_choice = dict(zip(_OF_CHOICE, found, strict=False))
            continue
        n_plies += 1
        of_move = dict(zip(_FOUND, found, strict=False))
        yield n_plies, {**_worth(audit, _after(audit, index)), **of_choice, **of_move}
        of_choice = {}


def _worth(audit: GameAudit, value: float) -> dict[str, str]:
    units = audit.units
    is_money = audit.record.rules.payoff.units is MONEY
    digits = units.digits + 1 if audit.is_exact else units.digits
    return {GAIN if is_money else CHANCE: units.value(value, digits)}


def _after(audit: GameAudit, index: int) -> float:
    """What light has after a ply; after -1, before the first one."""
    if index + 1 == len(audit.plies):
        return audit.end_value
    judged = audit.plies[index + 1]
    return judged.to_light(judged.value)


def _better(audit: GameAudit, judged: JudgedPly, thresholds: Thresholds) -> list[str]:
    """The best option, the loss and the mark of a choice; empty if no option was better."""
    if not judged.is_choice or judged.is_best:
        return []
    units = audit.units
    loss = units.mean(judged.loss) if audit.is_exact else units.amount(judged.loss)
    is_close = judged.verdict is Verdict.CLOSE
    mark = judged.verdict if is_close else thresholds.mark(judged)
    return [audit.best_text(judged) or "", loss, *([str(mark)] if mark else [])]
