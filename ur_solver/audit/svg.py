"""Drawings for the report, as inline SVG: boards with a move, and the graph of a game.

Colours are CSS classes that the report's style sheet fills in, for light and dark screens.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from ur_solver.moves import HOME
from ur_solver.position import DARK, LIGHT, Position, n_off
from ur_solver.records import SIDE_NAMES, Step
from ur_solver.rules import RuleSet
from ur_solver.rules.contents import is_marked, side_of, split

_CELL = 40
_STRIP = 20


def board_svg(
    rules: RuleSet, position: Position, moves: Sequence[tuple[str, Step]], label: str
) -> Markup:
    """A board with its pieces and arrows for moves of the side to throw.

    Parameters
    ----------
    rules : RuleSet
    position : Position
    moves : sequence of (str, Step)
        A CSS class, ``best`` or ``played``, and the move; none where none is shown.
    label : str
        What a screen reader says.
    """
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
    for css, step in moves:
        parts.append(_arrow(rules, position.side, step, css))
    for y, side in ((-_STRIP / 2, LIGHT), (height + _STRIP / 2, DARK)):
        parts.append(
            f'<text class="count" x="2" y="{y}">{SIDE_NAMES[side]}: {position.home(side)} at '
            f"home, {n_off(rules, position, side)} off</text>"
        )
    # Some paths end at the board's edge: an arrow off the board needs room there.
    beyond = [_middle(rules, side, len(rules.path))[0] for side in (LIGHT, DARK)]
    left, right = (
        min(0, *(x - _CELL / 2 for x in beyond)),
        max(width, *(x + _CELL / 2 for x in beyond)),
    )
    box = f"{left - 2} {-_STRIP} {right - left + 4} {height + 2 * _STRIP}"
    return Markup(
        f'<svg class="board" viewBox="{box}" role="img" aria-label="{escape(label)}">'
        f"{''.join(parts)}</svg>"
    )


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
    # In a square with as many columns as rows, filled from the bottom up as stacks are.
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


def _arrow(rules: RuleSet, side: str, step: Step, css: str) -> str:
    x0, y0 = _middle(rules, side, step.source)
    x1, y1 = _middle(rules, side, step.target)
    # The best and the played move are bent to different sides, so that both can be seen.
    bend = 14 if css == "best" else -14
    length = max(((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5, 1.0)
    middle_x = (x0 + x1) / 2 - (y1 - y0) / length * bend
    middle_y = (y0 + y1) / 2 + (x1 - x0) / length * bend
    return (
        f'<path class="arrow {css}" d="M{x0:.1f} {y0:.1f} Q{middle_x:.1f} {middle_y:.1f} '
        f'{x1:.1f} {y1:.1f}"/><circle class="tip {css}" cx="{x1:.1f}" cy="{y1:.1f}" r="5.5"/>'
    )


def _middle(rules: RuleSet, side: str, index: int) -> tuple[float, float]:
    """The middle of a square of a path; home and off lie one step beyond its ends."""
    path = rules.path.squares(side)
    if 0 <= index < len(path):
        square, column = path[index], float(path[index][1:])
    else:
        square, inner = (path[0], path[1]) if index == HOME else (path[-1], path[-2])
        column = 2 * float(square[1:]) - float(inner[1:])
    return (column - 0.5) * _CELL, ("ABC".index(square[0]) + 0.5) * _CELL


@dataclass(frozen=True)
class GraphMark:
    """A dot on the graph: at a ply, of a CSS class, linking to an element of the page."""

    ply: int
    css: str
    target: str
    title: str


def graph_svg(curve: Sequence[float], marks: Sequence[GraphMark]) -> Markup:
    """Light's chance to win along the game, with a dot for each marked move.

    Parameters
    ----------
    curve : sequence of float
        Win probabilities of light in [0, 1], before each ply and at the end.
    marks : sequence of GraphMark
    """
    width, height = 720.0, 240.0
    step = width / max(len(curve) - 1, 1)
    points = [(ply * step, height * (1 - value)) for ply, value in enumerate(curve)]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    grid = "".join(
        f'<line class="grid" x1="0" x2="{width}" y1="{height * share}" y2="{height * share}"/>'
        for share in (0.0, 0.25, 0.5, 0.75, 1.0)
    )
    labels = "".join(
        f'<text class="axis" x="-8" y="{height * (1 - share) + 4}">{round(100 * share)} %</text>'
        for share in (0.0, 0.5, 1.0)
    )
    dots = "".join(
        f'<a href="#{escape(mark.target)}"><circle class="dot {mark.css}" '
        f'cx="{points[mark.ply][0]:.1f}" cy="{points[mark.ply][1]:.1f}" r="6">'
        f"<title>{escape(mark.title)}</title></circle></a>"
        for mark in marks
    )
    area = f"0,{height} {line} {width:.1f},{height}"
    return Markup(
        f'<svg class="graph" viewBox="-52 -10 {width + 64} {height + 20}" role="img" '
        f'aria-label="light&#39;s chance to win, throw by throw">{grid}{labels}'
        f'<polygon class="area" points="{area}"/><polyline class="curve" points="{line}"/>'
        f"{dots}</svg>"
    )
