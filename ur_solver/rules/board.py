"""Boards and the paths across them.

Squares are named as RoyalUr names them: row A is light's side, B the shared middle, C
dark's side, followed by the column's number. Dark's path is light's with A and C
exchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

_MIRROR = str.maketrans("AC", "CA")


def mirror_square(square: str) -> str:
    """The square across the board: rows A and C exchanged."""
    return square.translate(_MIRROR)


@dataclass(frozen=True)
class Board:
    """A board: which columns each row has, and where the rosettes are.

    `rows` gives for A, B and C one character a column: ``.`` a square, ``_`` none.
    """

    name: str
    rows: tuple[str, str, str]
    rosettes: frozenset[str]

    @cached_property
    def squares(self) -> tuple[str, ...]:
        """All squares, row A first, each row by column."""
        return tuple(
            f"{row}{column}"
            for row, cells in zip("ABC", self.rows, strict=True)
            for column, cell in enumerate(cells, start=1)
            if cell == "."
        )


UR = Board("ur", ("....__..", "........", "....__.."), frozenset({"A1", "C1", "B4", "A7", "C7"}))
EYES = frozenset({"A2", "A4", "B7", "C2", "C4"})
FOUR_FIVES = frozenset({"B3", "B6"})
WAVY_CORNERS = frozenset({"A8", "C8"})
QUARTERED = frozenset({"B1"})
"""Markings of the Ur board's other squares, to which some rule sets give a meaning."""

ASEB = Board(
    "aseb",
    ("....________", "............", "....________"),
    frozenset({"A1", "C1", "B4", "B8", "B12"}),
)


@dataclass(frozen=True)
class Path:
    """Light's way across a board.

    `second_leg` is the first path index at which a piece is written in lower case; a
    path that visits a square twice does so once on either side of it.
    """

    name: str
    board: Board
    light: tuple[str, ...]
    second_leg: int

    def __len__(self) -> int:
        return len(self.light)

    @cached_property
    def dark(self) -> tuple[str, ...]:
        """Dark's way: light's, mirrored."""
        return tuple(mirror_square(square) for square in self.light)

    def squares(self, side: str) -> tuple[str, ...]:
        """The path of `side`, ``"L"`` or ``"D"``."""
        return self.light if side == "L" else self.dark

    def is_second_leg(self, index: int) -> bool:
        """Whether a piece at path index `index` is on the second leg."""
        return index >= self.second_leg


def _lane(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_ENTRY = "A4 A3 A2 A1 "
_MASTERS = _ENTRY + "B1 B2 B3 B4 B5 B6 B7 C7 C8 B8 A8 A7"
_BACK = " B7 B6 B5 B4 B3 B2 B1"

PATHS: dict[str, Path] = {
    path.name: path
    for path in (
        Path("bell", UR, _lane(_ENTRY + "B1 B2 B3 B4 B5 B6 B7 B8 A8 A7"), 14),
        Path("masters", UR, _lane(_MASTERS), 16),
        Path("murray", UR, _lane(_MASTERS + _BACK + " A1 A2 A3 A4"), 16),
        Path("murray-royalur", UR, _lane(_MASTERS + _BACK + " C1 C2 C3 C4"), 16),
        Path("skiriuk", UR, _lane(_ENTRY + "B1 B2 B3 B4 B5 B6 B7 A7 A8 B8 C8 C7" + _BACK), 13),
        Path("aseb", ASEB, _lane(_ENTRY + "B1 B2 B3 B4 B5 B6 B7 B8 B9 B10 B11 B12"), 16),
    )
}
"""The paths of the literature, by name."""
