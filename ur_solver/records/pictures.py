"""The drawings of a game: one before each throw, with its move, and one of the end."""

from __future__ import annotations

from collections.abc import Iterator

from ur_solver.records.parts import end_text
from ur_solver.records.record import GameRecord, Ply, last_position
from ur_solver.rules import LIGHT, SIDE_NAMES
from ur_solver.rules.svg import Arrow, board_picture


def game_pictures(record: GameRecord, view: str = LIGHT) -> Iterator[str]:
    """The drawings of a game in order, as SVG that needs nothing else, with a line of text each.

    `view` is the side whose row is on top.
    """
    for number, ply in enumerate(record.plies, start=1):
        position = record.stepper.position(ply.state, ply.side)
        step = ply.step
        arrows = [] if step is None else [Arrow("best", step.source, step.target)]
        yield board_picture(position, arrows, view=view, caption=_caption(record, number, ply))
    yield board_picture(last_position(record), view=view, caption=end_text(record))


def _caption(record: GameRecord, number: int, ply: Ply) -> str:
    move = record.move_text(ply) or ("?" if ply.is_pending else "no move")
    words = [f"{number}", SIDE_NAMES[ply.side], ply.choice, "throws", f"{ply.throw_text}:", move]
    return " ".join(word for word in words if word)
