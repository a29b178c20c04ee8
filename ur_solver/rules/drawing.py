"""Boards as text: pieces as the notation has them, ``*`` an empty rosette, ``.`` a square.

Other markings of the board are shown in games that give them a meaning (`Family.marks`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Protocol

from ur_solver.common.sayings import say
from ur_solver.rules.board import ROW_NAMES, Board
from ur_solver.rules.contents import DARK, LIGHT, RESTING, side_of, split
from ur_solver.rules.family import Family


class Drawn(Protocol):
    """What drawings show of a `Position`, which says what each of these is."""

    @property
    def mechanics(self) -> Family:
        """The family's code, which knows the board."""

    @property
    def contents(self) -> tuple[str, ...]:
        """Those of the squares."""

    @property
    def side(self) -> str:
        """The side about to throw."""

    @property
    def fines(self) -> int:
        """Those paid."""

    @property
    def winner(self) -> str | None:
        """The side that has won."""

    @property
    def notation(self) -> str:
        """The position as text."""

    def home(self, side: str) -> int:
        """How many pieces are at home."""

    def home_text(self, side: str) -> str:
        """Those at home as the notation has them."""

    def numbers(self, side: str) -> tuple[int, ...]:
        """The numbers of those at home."""

    def n_off(self, side: str) -> int:
        """How many pieces are off."""


SIDE_NAMES = {LIGHT: "light", DARK: "dark"}
"""The sides in words."""

ROSETTE = "*"
Paint = Callable[[str, str], str]
"""Colours a text; the second argument is the side it stands for, or `ROSETTE`."""


def plain(text: str, _what: str) -> str:
    """`text` without colours."""
    return text


MARKS = {"o": "eye", ":": "four-five", "~": "wavy-corner", "+": "quartered-square"}
"""What the marks of squares that mean something in a game stand for; `say` has their names."""

_NONE: Mapping[str, str] = MappingProxyType({})
TO, FROM = "[]", "()"
"""The brackets around the square that a piece has moved to, and the one that it has left."""


def board_text(
    board: Board,
    contents: tuple[str, ...] | None = None,
    paint: Paint = plain,
    brackets: Mapping[str, str] = _NONE,
    marks: Mapping[str, str] = _NONE,
) -> str:
    """The board with column numbers and row letters, and what stands on its squares.

    Without `contents` it is empty. By square, `brackets` has the pair around it, such as `TO`, and
    `marks` what shows that it is empty, where that is not ``*`` on a rosette or ``.``.
    """
    filled = dict(zip(board.squares, contents or [""] * len(board.squares), strict=True))
    width = max(1, *map(len, filled.values()))
    cells = {}
    for square, content in filled.items():
        empty = ROSETTE if square in board.rosettes else marks.get(square, ".")
        cells[square] = _cell(content, empty, width, paint)
    return squares_text(board, cells, width, brackets)


def squares_text(
    board: Board, cells: Mapping[str, str], width: int, brackets: Mapping[str, str] = _NONE
) -> str:
    """The board with column numbers and row letters, and by square a text as wide as `width`."""
    columns = range(1, len(board.rows[0]) + 1)
    lines = ["     " + "".join(str(column).ljust(width + 2) for column in columns)]
    for row in ROW_NAMES:
        line = f"  {row} "
        for square in (f"{row}{column}" for column in columns):
            pair = brackets.get(square, "  ")
            line += pair[0] + cells.get(square, " " * width) + pair[1]
        lines.append(line)
    return "\n".join(line.rstrip() for line in lines)


def _cell(content: str, empty: str, width: int, paint: Paint) -> str:
    if content:
        pieces = (paint(piece, side_of(piece)) for piece in split(content))
        return "".join(pieces) + " " * (width - len(content))
    return (paint(ROSETTE, ROSETTE) if empty == ROSETTE else empty) + " " * (width - 1)


def position_text(
    position: Drawn,
    paint: Paint = plain,
    brackets: Mapping[str, str] = _NONE,
) -> str:
    """The board with what is at home and borne off, who throws or has won, and with stakes the pot.

    The parameters are those of `board_text`.
    """
    family = position.mechanics
    board = family.rules.board
    lines = [board_text(board, position.contents, paint, brackets, family.marks), ""]
    won = position.winner
    home = max(len(position.home_text(side)) for side in SIDE_NAMES)
    off = max(len(str(position.n_off(side))) for side in SIDE_NAMES)
    for side, name in SIDE_NAMES.items():
        is_next = not won and side == position.side
        note = "has won" if side == won else "to throw" if is_next else ""
        padding = " " * (5 - len(name))
        line = (
            f"  {paint(name, side)}{padding}  home {position.home_text(side):>{home}}  "
            f"off {position.n_off(side):>{off}}  {note}"
        )
        lines.append(line.rstrip())
    payoff = family.payoff
    if payoff.has_fines:
        lines.append(f"  pot    {payoff.total(position.fines)}")
    return "\n".join(lines)


def signs_of(position: Drawn) -> list[tuple[str, str]]:
    """The signs of `position_text`, each with what it stands for."""
    family = position.mechanics
    board, marks = family.rules.board, {*family.marks.values()}
    signs = [(ROSETTE, "an empty rosette")] if board.rosettes else []
    signs += [
        (mark, f"an empty {say(f'mark.{name}')}") for mark, name in MARKS.items() if mark in marks
    ]
    signs += [(".", "an empty square"), (f"{LIGHT} {DARK}", "a piece of light, of dark")]
    if family.is_numbered:
        signs.append((f"{LIGHT}2", "light's piece of number 2"))
    if family.indices(marked=True):
        small = f"{LIGHT} {DARK}".lower()
        signs.append((small, "one that has turned over, or is on the last leg of its path"))
    two = (f"{LIGHT}1", f"{LIGHT}2") if family.is_numbered else (LIGHT, LIGHT)
    if any(rule.fault(two) is None for rule in family.squares.values()):
        signs.append((f"{LIGHT}{DARK}", "pieces on one square, the lowest first"))
    if any(family.rests):
        signs.append((f"{LIGHT}{RESTING}", "a piece that this throw may not move"))
    return [*signs, (TO, "where a piece has just arrived"), (FROM, "where it came from")]
