"""Boards as inline SVG, with pieces and arrows for moves.

Colours are CSS classes, which `board_style` defines for light and dark screens.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup, escape

from ur_solver.rules.contents import DARK, LIGHT, is_marked, side_of, split
from ur_solver.rules.drawing.text import SIDE_NAMES
from ur_solver.rules.families import HOME

if TYPE_CHECKING:
    from ur_solver.rules.position import Position
    from ur_solver.rules.ruleset import RuleSet

_CELL = 40
_STRIP = 20
"""The height of a line of text above and below the board, and the width of the row letters."""


class Arrow(NamedTuple):
    """A move to be drawn.

    Attributes
    ----------
    kind : str
        A CSS class, ``best`` or ``played``.
    source, target : int
        Path indices of the side to throw, as in `Move`.
    """

    kind: str
    source: int
    target: int


@lru_cache(maxsize=1)
def board_style() -> Markup:
    """The style sheet of all boards on a page, to be put there once."""
    sheet = resources.files("ur_solver.rules.drawing") / "board.css"
    return Markup(sheet.read_text(encoding="utf-8"))


def board_svg(position: Position, arrows: Sequence[Arrow] = (), label: str = "") -> Markup:
    """A board with its pieces and arrows for moves of the side to throw.

    Parameters
    ----------
    position : Position
    arrows : sequence of Arrow
    label : str
        The text for screen readers; by default the position's notation.
    """
    rules = position.rules
    board = rules.board
    n_columns = len(board.rows[0])
    width, height = n_columns * _CELL, 3 * _CELL
    filled = dict(zip(board.squares, position.contents, strict=True))
    parts = []
    for row, kinds in enumerate(board.rows):
        for column, kind in enumerate(kinds):
            if kind == ".":
                square = f"{'ABC'[row]}{column + 1}"
                parts.append(_square(board.rosettes, square, filled[square], row, column))
    parts += (_arrow(rules, position.side, arrow) for arrow in arrows)
    for y, side in ((-1.5 * _STRIP, LIGHT), (height + _STRIP / 2, DARK)):
        parts.append(
            f'<text class="count" x="2" y="{y}">{SIDE_NAMES[side]}: {position.home(side)} at '
            f"home, {position.n_off(side)} off</text>"
        )
    # Some paths end at the board's edge, where an arrow off the board needs room.
    beyond = [_middle(rules, side, len(rules.path))[0] for side in (LIGHT, DARK)]
    left, right = (
        min(0, *(x - _CELL / 2 for x in beyond)),
        max(width, *(x + _CELL / 2 for x in beyond)),
    )
    parts += _coordinates(n_columns, left)
    left -= _STRIP
    box = f"{left} {-2 * _STRIP} {right - left + 2} {height + 3 * _STRIP}"
    name = escape(label or position.notation)
    return Markup(
        f'<svg class="ur-board" viewBox="{box}" role="img" aria-label="{name}">'
        f"{''.join(parts)}</svg>"
    )


def _coordinates(n_columns: int, left: float) -> list[str]:
    """The columns' numbers above the board, and the rows' letters to the left of `left`."""
    names = [((column + 0.5) * _CELL, -_STRIP / 2, str(column + 1)) for column in range(n_columns)]
    names += [(left - _STRIP / 2, (row + 0.5) * _CELL, name) for row, name in enumerate("ABC")]
    return [f'<text class="coordinate" x="{x:g}" y="{y:g}">{name}</text>' for x, y, name in names]


def _square(rosettes: frozenset[str], square: str, content: str, row: int, column: int) -> str:
    x, y = column * _CELL, row * _CELL
    middle_x, middle_y = x + _CELL / 2, y + _CELL / 2
    parts = [_rect("square", x, y, 1)]
    if square in rosettes and not content:
        petals = "".join(
            f'<ellipse cx="{middle_x}" cy="{middle_y - 8}" rx="4" ry="8" '
            f'transform="rotate({angle} {middle_x} {middle_y})"/>'
            for angle in range(0, 360, 45)
        )
        parts.append(f'<g class="rosette">{petals}</g>')
    pieces = split(content)
    if pieces and square in rosettes:
        parts.append(_rect("ring", x, y, 3))
    # Pieces are drawn in a grid with about as many columns as rows, from the bottom up like stacks.
    n_columns = math.isqrt(len(pieces) - 1) + 1 if pieces else 1
    n_rows = math.ceil(len(pieces) / n_columns)
    size = (_CELL - 6) / n_columns
    for k, piece in enumerate(pieces):
        row_up, place = divmod(k, n_columns)
        centre_x = x + 3 + (place + 0.5) * size
        centre_y = middle_y + (n_rows / 2 - row_up - 0.5) * size
        parts.append(_piece(piece, centre_x, centre_y, size * 0.38))
    return "".join(parts)


def _piece(piece: str, x: float, y: float, radius: float) -> str:
    css = SIDE_NAMES[side_of(piece)]
    parts = [f'<circle class="piece {css}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"/>']
    if is_marked(piece):
        parts.append(
            f'<circle class="leg {css}" cx="{x:.1f}" cy="{y:.1f}" r="{0.4 * radius:.1f}"/>'
        )
    if number := piece[1:]:
        parts.append(
            f'<text class="number {css}" x="{x:.1f}" y="{y:.1f}" '
            f'style="font-size:{1.3 * radius:.1f}px">{number}</text>'
        )
    return "".join(parts)


def _rect(css: str, x: float, y: float, inset: int) -> str:
    size = _CELL - 2 * inset
    return (
        f'<rect class="{css}" x="{x + inset}" y="{y + inset}" width="{size}" height="{size}" '
        'rx="4"/>'
    )


def _arrow(rules: RuleSet, side: str, arrow: Arrow) -> str:
    css = arrow.kind
    x0, y0 = _middle(rules, side, arrow.source)
    x1, y1 = _middle(rules, side, arrow.target)
    # The best and the played move bend to different sides, so that both can be seen.
    bend = 14 if css == "best" else -14
    length = max(((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5, 1.0)
    middle_x = (x0 + x1) / 2 - (y1 - y0) / length * bend
    middle_y = (y0 + y1) / 2 + (x1 - x0) / length * bend
    return (
        f'<path class="arrow {css}" d="M{x0:.1f} {y0:.1f} Q{middle_x:.1f} {middle_y:.1f} '
        f'{x1:.1f} {y1:.1f}"/><circle class="tip {css}" cx="{x1:.1f}" cy="{y1:.1f}" r="5.5"/>'
    )


def _middle(rules: RuleSet, side: str, index: int) -> tuple[float, float]:
    """The centre of a square of a path; home and off lie one step beyond the path's ends."""
    path = rules.path.squares(side)
    if 0 <= index < len(path):
        square, column = path[index], float(path[index][1:])
    else:
        square, inner = (path[0], path[1]) if index == HOME else (path[-1], path[-2])
        column = 2 * float(square[1:]) - float(inner[1:])
    return (column - 0.5) * _CELL, ("ABC".index(square[0]) + 0.5) * _CELL
