"""A game on a board that a page steps through: the first drawing, then what each step changes.

The page needs no rules: every step has the squares and trays that are drawn anew, the arrows and
a text. `templates/replay.js` puts them into the drawing.
"""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

from markupsafe import Markup

from ur_solver.audit.game_audit import GameAudit, JudgedPly
from ur_solver.records import Step, last_position
from ur_solver.rules import SIDE_NAMES, Position
from ur_solver.rules.svg import Arrow, board_svg


def replay_values(audit: GameAudit, end_text: str) -> dict[str, Any]:
    """The steps of an audited game.

    Parameters
    ----------
    audit : GameAudit
    end_text : str
        The end in words.

    Returns
    -------
    dict
        ``board`` is the drawing of the first step as SVG. ``steps`` is a list: a step for each
        judged ply, those of an opening included, before its throw, with arrows for the move played
        and the best one, and one for the end. Each has ``parts``, by the index of a child of the
        drawing what is drawn in its place since the step before; ``arrows``, SVG to be added; and
        ``text``.
    """
    plies = audit.all_plies
    positions = [_before(audit, judged) for judged in plies] + [last_position(audit.record)]
    texts = [_text(audit, index) for index in range(len(plies))] + [end_text]
    arrows = [arrows_of(judged) for judged in plies] + [[]]
    board = board_svg(positions[0], label="The board")
    drawn = _children(board)
    steps = []
    for position, text, of_step in zip(positions, texts, arrows, strict=True):
        now = _children(board_svg(position, of_step))
        parts = {
            str(index): part
            for index, (part, before) in enumerate(zip(now, drawn, strict=False))
            if part != before
        }
        steps.append({"parts": parts, "arrows": "".join(now[len(drawn) :]), "text": text})
        drawn = now[: len(drawn)]
    return {"board": Markup(board), "steps": steps}


def _children(drawing: str) -> list[str]:
    """The children of a drawing; arrows are the last ones."""
    return [ET.tostring(child, encoding="unicode") for child in ET.fromstring(drawing)]


def _before(audit: GameAudit, judged: JudgedPly) -> Position:
    return audit.record.stepper.position(judged.ply.state, judged.ply.side)


def arrows_of(judged: JudgedPly) -> list[Arrow]:
    """An arrow for the move that was played, and one for a better one."""
    indexes = {"best": judged.best}
    if judged.taken >= 0 and judged.taken != judged.best:
        indexes["played"] = judged.taken
    options = [(kind, judged.options[index]) for kind, index in indexes.items() if index >= 0]
    return [
        Arrow(kind, option.source, option.target)
        for kind, option in options
        if isinstance(option, Step)
    ]


def _text(audit: GameAudit, index: int) -> str:
    judged, units = audit.all_plies[index], audit.units
    ply, taken = judged.ply, audit.taken_text(judged)
    side, number = SIDE_NAMES[ply.side], audit.number_of_throw(index)
    if not number:
        text = f"Opening: {side} throws {ply.throw_text}, {taken or 'no move'}"
    elif judged.is_before_throw:
        text = f"Before throw {number}: {side} chooses {taken}"
    else:
        text = f"Throw {number}: {side} throws {ply.throw_text}, {taken or 'no move'}"
    if judged.is_choice and not judged.is_best:
        lost = units.lost(judged.loss, judged.loss_margin)
        text += f"; best was {audit.best_text(judged)}, {lost}"
    return f"{text}. Light has {units.value(judged.to_light(judged.value))} before it."
