"""Boards, the paths across them, and dice.

Squares are named as RoyalUr names them: row A is light's side, row B the shared middle, C
dark's side, followed by the column's number. Dark's path is light's with A and C exchanged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb
from numbers import Integral
from typing import NamedTuple

from ur_solver.common.text import counted
from ur_solver.errors import RuleSetError, ThrowError
from ur_solver.rules.limits import MAX_COLUMNS, MAX_PATH, MAX_THROW, MAX_VISITS, MIN_PATH

ROW_NAMES = "ABC"
"""The rows of every board, from light's to dark's."""

_MIRROR = str.maketrans("AC", "CA")


def mirror_square(square: str) -> str:
    """The square across the board: rows A and C exchanged."""
    return square.translate(_MIRROR)


@dataclass(frozen=True)
class Board:
    """A board: which columns each row has, and where the rosettes are.

    Parameters
    ----------
    name : str
    rows : tuple of str
        For A, B and C one character per column: ``.`` a square, ``_`` none. Rows A and C are
        equal.
    rosettes : frozenset of str
        Squares, with each its mirror image.

    Raises
    ------
    RuleSetError
        Naming every fault.
    """

    name: str
    rows: tuple[str, str, str]
    rosettes: frozenset[str]

    def __post_init__(self) -> None:
        faults = self._shape_faults() or self._rosette_faults()
        if faults:
            raise RuleSetError(f"board {self.name!r:.100}: " + "; ".join(faults))

    def _shape_faults(self) -> list[str]:
        if len(self.rows) != len(ROW_NAMES):
            return [f"it has {counted(len(self.rows), 'row')}, not three: A, B and C"]
        faults = [
            f"row {name} is {row!r:.60}, not 1 to {MAX_COLUMNS} characters, '.' for a square and "
            "'_' for none"
            for name, row in zip(ROW_NAMES, self.rows, strict=True)
            if not (1 <= len(row) <= MAX_COLUMNS and {*row} <= {".", "_"})
        ]
        if not faults and len({*map(len, self.rows)}) > 1:
            a, b, c = map(len, self.rows)
            faults.append(f"its rows have {a}, {b} and {c} columns, not as many each")
        if not faults and self.rows[0] != self.rows[2]:
            faults.append(
                f"row A is {self.rows[0]!r} and row C {self.rows[2]!r}, but they mirror each other"
            )
        return faults

    def _rosette_faults(self) -> list[str]:
        return [
            f"the rosette {square!r:.20} is none of its squares"
            for square in sorted(self.rosettes - {*self.squares})
        ] + [
            f"{square} is a rosette and its mirror image {mirror_square(square)} is none"
            for square in sorted(self.rosettes & {*self.squares})
            if mirror_square(square) not in self.rosettes
        ]

    @cached_property
    def squares(self) -> tuple[str, ...]:
        """All squares, row A first, each row by column."""
        return tuple(
            f"{row}{column}"
            for row, cells in zip(ROW_NAMES, self.rows, strict=True)
            for column, cell in enumerate(cells, start=1)
            if cell == "."
        )


UR = Board("ur", ("....__..", "........", "....__.."), frozenset({"A1", "C1", "B4", "A7", "C7"}))
EYES = frozenset({"A2", "A4", "B7", "C2", "C4"})
FOUR_FIVES = frozenset({"B3", "B6"})
WAVY_CORNERS = frozenset({"A8", "C8"})
QUARTERED = frozenset({"B1"})
"""Markings of the Ur board's other squares, which some rule sets use."""


def square_marks(board: Board, eyes: Set[str], corners: Set[str]) -> dict[str, str]:
    """How drawings in text mark the squares of a game that gives a meaning to markings.

    On the board of Ur the four-fives and the quartered square are marked too.
    """
    marks = dict.fromkeys(eyes, "o") | dict.fromkeys(corners, "~")
    if board == UR:
        marks |= dict.fromkeys(FOUR_FIVES, ":") | dict.fromkeys(QUARTERED, "+")
    return marks


ASEB = Board(
    "aseb",
    ("....________", "............", "....________"),
    frozenset({"A1", "C1", "B4", "B8", "B12"}),
)

BOARDS: dict[str, Board] = {board.name: board for board in (UR, ASEB)}
"""The boards of the literature, by name."""


@dataclass(frozen=True)
class Path:
    """Light's way across a board.

    The squares may be in any order. A path that visits a square twice does
    so once on either side of `second_leg`, so that the letter of a piece shows which visit
    it is on.

    Parameters
    ----------
    name : str
    board : Board
    light : tuple of str
        Its squares, the first one entered first.
    second_leg : int
        The first path index at which a piece is written in lower case; the length of the
        path if there is none.

    Raises
    ------
    RuleSetError
        Naming every fault.
    """

    name: str
    board: Board
    light: tuple[str, ...]
    second_leg: int

    def __post_init__(self) -> None:
        faults = self._square_faults() or self._leg_faults()
        if faults:
            raise RuleSetError(f"path {self.name!r:.100}: " + "; ".join(faults))

    @staticmethod
    def of(name: str, board: Board, squares: Sequence[str], second_leg: int | None = None) -> Path:
        """A path with its second leg where it first comes back to a square.

        Parameters
        ----------
        name, board, squares
            As for `Path`.
        second_leg : int, optional
            As for `Path`, to override it.

        Raises
        ------
        RuleSetError
            Naming every fault.
        """
        light = tuple(squares)
        if second_leg is None:
            back = (index for index, square in enumerate(light) if square in light[:index])
            second_leg = next(back, len(light))
        return Path(name, board, light, second_leg)

    def _square_faults(self) -> list[str]:
        if not MIN_PATH <= len(self.light) <= MAX_PATH:
            return [f"it has {counted(len(self.light), 'square')}, not {MIN_PATH} to {MAX_PATH}"]
        known = {*self.board.squares}
        unknown = [square for square in dict.fromkeys(self.light) if square not in known]
        faults = [
            f"{square!r:.20} is no square of the board {self.board.name!r}, whose squares are "
            f"{' '.join(self.board.squares)}"
            for square in unknown[:1]
        ]
        if unknown[1:]:
            faults.append(f"nor are {', '.join(f'{square!r:.20}' for square in unknown[1:6])}")
        return faults + [
            f"it visits {square} {times} times, and at most two visits can be distinguished"
            for square in dict.fromkeys(self.light)
            if square in known and (times := self.light.count(square)) > MAX_VISITS
        ]

    def _leg_faults(self) -> list[str]:
        visits: dict[str, list[int]] = {}
        for index, square in enumerate(self.light):
            visits.setdefault(square, []).append(index)
        twice = {square: indices for square, indices in visits.items() if len(indices) > 1}
        if not twice:
            if 0 <= self.second_leg <= len(self.light):
                return []
            return [f"second_leg is {self.second_leg}, not 0 to {len(self.light)}"]
        # the last square to be visited first, and the first to be visited again
        late = max(twice, key=lambda square: twice[square][0])
        soon = min(twice, key=lambda square: twice[square][1])
        lowest, highest = twice[late][0] + 1, twice[soon][1]
        if lowest > highest:
            return [
                f"it comes back to {soon} (index {highest}) before its first visit of {late} "
                f"(index {lowest - 1}), which it comes back to as well, so that no second leg "
                "distinguishes the visits"
            ]
        if lowest <= self.second_leg <= highest:
            return []
        return [
            f"second_leg is {self.second_leg}, not {lowest} to {highest}, between the two visits "
            f"of {' '.join(twice)}"
        ]

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


_ENTRY = "A4 A3 A2 A1"
_MASTERS = f"{_ENTRY} B1 B2 B3 B4 B5 B6 B7 C7 C8 B8 A8 A7"
_BACK = "B7 B6 B5 B4 B3 B2 B1"
_SKIRIUK_TURNS_OVER = 13

PATHS: dict[str, Path] = {
    path.name: path
    for path in (
        Path.of("bell", UR, f"{_ENTRY} B1 B2 B3 B4 B5 B6 B7 B8 A8 A7".split()),
        Path.of("masters", UR, _MASTERS.split()),
        Path.of("murray", UR, f"{_MASTERS} {_BACK} A1 A2 A3 A4".split()),
        Path.of("murray-royalur", UR, f"{_MASTERS} {_BACK} C1 C2 C3 C4".split()),
        Path.of(
            "skiriuk",
            UR,
            f"{_ENTRY} B1 B2 B3 B4 B5 B6 B7 A7 A8 B8 C8 C7 {_BACK}".split(),
            _SKIRIUK_TURNS_OVER,
        ),
        Path.of("aseb", ASEB, f"{_ENTRY} B1 B2 B3 B4 B5 B6 B7 B8 B9 B10 B11 B12".split()),
    )
}
"""The paths of the literature, by name."""


class Look(NamedTuple):
    """How dice are drawn: some `n_dice` of a kind, which show `marks` by throw.

    They are ``pyramids`` with marked tips, ``sticks`` with a marked side, a ``die`` with pips; or a
    ``number``, where no usual dice have these throws.
    """

    kind: str
    n_dice: int
    marks: dict[int, int]


@dataclass(frozen=True)
class Dice:
    """Dice by name; `probabilities[n]` is the chance of throwing n, 0 included."""

    name: str
    probabilities: tuple[Fraction, ...]

    @cached_property
    def throws(self) -> tuple[int, ...]:
        """The throws that can happen, ascending."""
        return tuple(n for n, chance in enumerate(self.probabilities) if chance)

    @property
    def is_ordinary(self) -> bool:
        """Whether these are ordinary dice, like all dice of the sources.

        No throw has a probability above one half, and three of the throws 1 to 4 have at
        least one eighth each. With such dice sweeps contract fast, and play comes to an end.
        """
        often = [chance for chance in self.probabilities[1:5] if chance >= Fraction(1, 8)]
        return max(self.probabilities) <= Fraction(1, 2) and len(often) >= 3

    @property
    def look(self) -> Look:
        """Usual dice that have these throws with these probabilities.

        Where a throw without a mark counts as one more than all marks, the dice are sticks.
        """
        throws, count = self.throws, len(self.throws) - 1
        by_marks = [Fraction(comb(count, n), 2**count) for n in range(count + 1)]
        if throws == (0, *range(1, count + 1)) and list(self.probabilities) == by_marks:
            return Look("pyramids", count, {n: n for n in throws})
        if throws == tuple(range(1, count + 2)):
            chances = list(self.probabilities[1:])
            if chances == [*by_marks[1:], by_marks[0]]:
                return Look("sticks", count, {n: n % (count + 1) for n in throws})
            if len(set(chances)) == 1:
                return Look("die", 1, {n: n for n in throws})
        return Look("number", 1, {n: n for n in throws})

    def check(self, throw: int) -> None:
        """Raise ThrowError if the dice cannot show `throw`."""
        if not isinstance(throw, Integral) or throw not in self.throws:
            raise ThrowError(f"throw {throw!r}: {self.name} dice show {self._shown}")

    def parse(self, text: str) -> int:
        """Parse a throw; ThrowError if the dice cannot show it."""
        if not (text.isascii() and text.isdigit() and len(text) < 3):
            raise ThrowError(f"throw {text!r}: expected one of {self._shown}")
        throw = int(text)
        self.check(throw)
        return throw

    @property
    def _shown(self) -> str:
        return ", ".join(map(str, self.throws))

    @staticmethod
    def of(name: str, chances: Mapping[int, Fraction]) -> Dice:
        """Dice from a mapping of throw to probability.

        Raises
        ------
        RuleSetError
            If a throw is out of range, a chance is not positive, or they do not sum to 1.
        """
        for throw, chance in chances.items():
            if not 0 <= throw <= MAX_THROW:
                raise RuleSetError(f"dice: throw {throw} is not between 0 and {MAX_THROW}")
            if chance <= 0:
                raise RuleSetError(f"dice: the chance of {throw} is {chance}, not above 0")
        total = sum(chances.values(), Fraction(0))
        if total != 1:
            raise RuleSetError(f"dice: the chances of {sorted(chances)} sum to {total}, not to 1")
        if not any(chances):
            raise RuleSetError("dice: no throw moves a piece")
        return Dice(name, tuple(chances.get(n, Fraction(0)) for n in range(max(chances) + 1)))


def _dice(name: str, weights: tuple[int, ...]) -> Dice:
    total = sum(weights)
    return Dice(name, tuple(Fraction(weight, total) for weight in weights))


DICE: dict[str, Dice] = {
    dice.name: dice
    for dice in (
        _dice("4-binary", (1, 4, 6, 4, 1)),
        _dice("3-binary", (1, 3, 3, 1)),
        _dice("3-binary-0as4", (0, 3, 3, 1, 1)),
        _dice("d4", (0, 1, 1, 1, 1)),
        _dice("d6", (0, 1, 1, 1, 1, 1, 1)),
        _dice("bell", (1, 3, 3, 1)),
    )
}
"""The dice of the literature, by name; the family bell defines the effect of its throws."""
