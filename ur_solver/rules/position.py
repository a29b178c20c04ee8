"""A position, and how it is written.

    <row A>/<row B>/<row C> <side to throw> <light home> <dark home> [p<fines>]

Each row is written by column: ``.`` an empty square, ``_`` a column with no square,
``L`` and ``D`` pieces of light and dark, ``l`` and ``d`` marked ones; more than one piece
on a square in parentheses, from the bottom up. The start of finkel is
``....__../......../....__.. L 7 7``. The missing pieces of the rule set's
number are off. Numbered pieces have the number after the letter, and homes are lists of
numbers, ``-`` for none. With stakes, a last field counts the fines paid.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

from ur_solver.common.text import counted
from ur_solver.errors import IllegalPositionError, PositionSyntaxError
from ur_solver.rules.board import ROW_NAMES, Board, mirror_square
from ur_solver.rules.contents import (
    DARK,
    LETTERS,
    LIGHT,
    awake,
    in_order,
    is_marked,
    is_resting,
    number_of,
    opponent,
    side_of,
    split,
    swap_sides,
)
from ur_solver.rules.drawing.characters import position_text
from ur_solver.rules.limits import MAX_PIECES

if TYPE_CHECKING:
    from ur_solver.rules.ruleset import RuleSet

_MAX_TEXT = 200
MAX_FINES = 10**6

_NO_NUMBERS: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())


@dataclass(frozen=True, slots=True, repr=False)
class Position:
    """The board with both sides' pieces and the side about to throw, under some rules.

    `RuleSet.start` and `RuleSet.position` make positions that obey their rules; this
    constructor checks the number of squares only, `faults` the rest.

    Parameters
    ----------
    rules : RuleSet
        Positions of rule sets that differ are different.
    contents : tuple of str
        The contents of each square, in the order of `Board.squares`, as in
        `ur_solver.rules.contents`; an empty string for an empty square.
    side : str
        The side about to throw, ``"L"`` or ``"D"``.
    light_home, dark_home : int
        Pieces that have not entered.
    numbers_home : pair of tuple of int
        With numbered pieces, those of light and of dark at home, ascending.
    fines : int
        With stakes, the fines paid so far by both sides.

    Examples
    --------
    >>> import ur_solver as ur
    >>> rules = ur.rule_set("finkel:3")
    >>> position = rules.position("L...__../..D...../....__.. L 2 2")
    >>> position
    Position('finkel:3', 'L...__../..D...../....__.. L 2 2')
    >>> print(position)
         1  2  3  4  5  6  7  8
      A  L  .  .  .        *  .
      B  .  .  D  *  .  .  .  .
      C  *  .  .  .        *  .
    <BLANKLINE>
      light  home 2  off 0  to throw
      dark   home 2  off 0
    """

    rules: RuleSet = field(hash=False)
    contents: tuple[str, ...]
    side: str
    light_home: int
    dark_home: int
    numbers_home: tuple[tuple[int, ...], tuple[int, ...]] = _NO_NUMBERS
    fines: int = 0

    def __post_init__(self) -> None:
        if len(self.contents) != len(self.rules.board.squares):
            raise ValueError(
                f"contents of {counted(len(self.contents), 'square')}; the board "
                f"{self.rules.board.name!r} has {len(self.rules.board.squares)}"
            )

    def __repr__(self) -> str:
        return f"Position({self.rules.word!r}, {self.notation!r})"

    def __str__(self) -> str:
        return position_text(self)

    def _repr_html_(self) -> str:
        from ur_solver.rules.drawing.styles import board_style  # noqa: PLC0415 - notebooks
        from ur_solver.rules.drawing.svg import board_svg  # noqa: PLC0415 - same

        board = board_svg(self)
        return f'<style>{board_style()}</style><div style="max-width:26em">{board}</div>'

    @property
    def notation(self) -> str:
        """The position in the notation of the module's head; `RuleSet.position` reads it."""
        contents = iter(self.contents)
        rows = (
            "".join("_" if cell == "_" else content_text(next(contents)) for cell in row)
            for row in self.rules.board.rows
        )
        homes = (self.home_text(side) for side in (LIGHT, DARK))
        fines = f" p{self.fines}" if self.rules.payoff.has_fines else ""
        return f"{'/'.join(rows)} {self.side} {' '.join(homes)}{fines}"

    def home(self, side: str) -> int:
        """How many pieces of `side` are at home."""
        return self.light_home if side == LIGHT else self.dark_home

    def home_text(self, side: str) -> str:
        """The number of pieces of `side` at home; of numbered ones the list, or ``-``."""
        if self.rules.mechanics.is_numbered:
            return "".join(map(str, self.numbers(side))) or "-"
        return str(self.home(side))

    def numbers(self, side: str) -> tuple[int, ...]:
        """The numbered pieces of `side` that are at home, ascending."""
        return self.numbers_home[side == DARK]

    def on_board(self, side: str) -> int:
        """How many pieces of `side` are on the board."""
        pieces = "".join(self.contents)
        return pieces.count(side) + pieces.count(side.lower())

    def n_off(self, side: str) -> int:
        """How many pieces of `side` have been borne off."""
        return self.rules.pieces - self.home(side) - self.on_board(side)

    @property
    def winner(self) -> str | None:
        """The side that has borne off all its pieces; otherwise None."""
        for side in (LIGHT, DARK):
            if self.home(side) == 0 and self.on_board(side) == 0:
                return side
        return None

    def awake(self) -> Position:
        """The same position, in which no piece rests."""
        if not self.rules.mechanics.rests:
            return self
        return replace(self, contents=tuple(map(awake, self.contents)))

    def pass_turn(self) -> Position:
        """The position after a turn without a move."""
        return replace(self.awake(), side=opponent(self.side))

    def mirror(self) -> Position:
        """The same position with the players exchanged: rows A and C, and the colours."""
        rules = self.rules
        contents = tuple(
            rules.mechanics.arranged(square, split(content)) if len(content) > 1 else content
            for square, content in zip(
                rules.board.squares,
                [swap_sides(self.contents[index]) for index in _mirror_indices(rules.board)],
                strict=True,
            )
        )
        light_numbers, dark_numbers = self.numbers_home
        return Position(
            rules,
            contents,
            opponent(self.side),
            self.dark_home,
            self.light_home,
            (dark_numbers, light_numbers),
            self.fines,
        )

    def faults(self) -> list[str]:
        """Every fault of this position by the rules, in words; empty if there is none.

        A position without faults need not be reachable from the start.
        """
        rules, faults = self.rules, []
        for square, content in zip(rules.board.squares, self.contents, strict=True):
            if content:
                faults += _square_faults(rules, square, content)
        for name, side in (("light", LIGHT), ("dark", DARK)):
            count = self.home(side) + self.on_board(side)
            if count > rules.pieces:
                faults.append(
                    f"{name} has {counted(count, 'piece')} waiting and on the board, where each "
                    f"side plays with {rules.pieces}"
                )
            if rules.mechanics.is_numbered:
                faults += _number_faults(self, name, side)
        faults += _resting_faults(self)
        if all(self.n_off(side) == rules.pieces for side in (LIGHT, DARK)):
            faults.append("both sides have borne off all their pieces")
        return faults


@lru_cache(maxsize=8)
def _mirror_indices(board: Board) -> tuple[int, ...]:
    index = {square: i for i, square in enumerate(board.squares)}
    return tuple(index[mirror_square(square)] for square in board.squares)


def content_text(content: str) -> str:
    """The pieces of a square as the notation writes them."""
    if len(content) < 2:
        return content or "."
    return f"({content})" if len(split(content)) > 1 else content


def parse_position(rules: RuleSet, text: str) -> Position:
    """Parse a position and check it against the rule set.

    If the order of pieces on a square does not matter, any order is accepted.

    Raises
    ------
    PositionSyntaxError
        Naming the part at fault and what was expected there.
    IllegalPositionError
        Listing every fault of the position by the rule set.
    """
    position = parse_any_position(rules, text)
    faults = position.faults()
    if faults:
        raise IllegalPositionError(f"position {text!r}: " + "; ".join(faults))
    return position


def parse_any_position(rules: RuleSet, text: str) -> Position:
    """As `parse_position`, but the position may have faults.

    Raises
    ------
    PositionSyntaxError
        As `parse_position` does.
    """
    if len(text) > _MAX_TEXT:
        raise PositionSyntaxError(
            f"position of {len(text)} characters; one has no more than {_MAX_TEXT}"
        )
    fields = text.split()
    expected = ["the board", "the side to throw", "light's home", "dark's home"]
    if rules.payoff.has_fines:
        expected.append("the fines paid")
    if len(fields) != len(expected):
        raise PositionSyntaxError(
            f"position {text!r}: {counted(len(fields), 'field')}, expected "
            f"{len(expected)}: "
            f"{', '.join(expected)}, such as {rules.start().notation!r}"
        )
    board, side, light_home, dark_home, *fines = fields
    contents = _parse_board(rules, board, text)
    if side not in (LIGHT, DARK):
        raise PositionSyntaxError(
            f"position {text!r}: the side to throw is {side!r}, expected 'L' or 'D'"
        )
    homes = ("light", light_home, text), ("dark", dark_home, text)
    if rules.mechanics.is_numbered:
        light, dark = (_parse_numbers(*home) for home in homes)
        position = Position(rules, contents, side, len(light), len(dark), (light, dark))
    else:
        n_light, n_dark = (_parse_count(*home) for home in homes)
        position = Position(rules, contents, side, n_light, n_dark)
    if fines:
        position = replace(position, fines=_parse_fines(fines[0], text))
    return position


@lru_cache(maxsize=4)
def _cells(is_numbered: bool, may_rest: bool) -> re.Pattern[str]:
    piece = f"[{LETTERS}]" + "[1-9]" * is_numbered + r"\^?" * may_rest
    return re.compile(rf"[._]|{piece}|\((?:{piece}){{2,}}\)")


def _parse_board(rules: RuleSet, text: str, whole: str) -> tuple[str, ...]:
    shapes, rows = rules.board.rows, text.split("/")
    if len(rows) != 3:
        raise PositionSyntaxError(
            f"position {whole!r}: the board {text!r} has {counted(len(rows), 'row')}, expected "
            f"3, such as {'/'.join(shapes)!r}"
        )
    contents = []
    for name, row, shape in zip(ROW_NAMES, rows, shapes, strict=True):
        cells = _parse_row(rules, name, row, whole)
        if len(cells) != len(shape):
            raise PositionSyntaxError(
                f"position {whole!r}: row {name} is {row!r}, {counted(len(cells), 'column')}, "
                f"expected {len(shape)} as in {shape!r}"
            )
        for column, (cell, kind) in enumerate(zip(cells, shape, strict=True), start=1):
            if (cell == "_") != (kind == "_"):
                expected = "'_', as there is no square" if kind == "_" else "a square, not '_'"
                raise PositionSyntaxError(
                    f"position {whole!r}: {name}{column} is {cell!r}, expected {expected}"
                )
            if kind == ".":
                held = split(cell.strip(".()"))
                contents.append(rules.mechanics.arranged(f"{name}{column}", held))
    return tuple(contents)


def _parse_row(rules: RuleSet, name: str, row: str, whole: str) -> list[str]:
    is_numbered = rules.mechanics.is_numbered
    cells: list[str] = []
    at = 0
    while at < len(row):
        match = _cells(is_numbered, bool(rules.mechanics.rests)).match(row, at)
        if match is None:
            raise PositionSyntaxError(
                f"position {whole!r}: {name}{len(cells) + 1} begins with {row[at]!r}, expected "
                f"{_what_may_stand(rules)}"
            )
        cells.append(match.group())
        at = match.end()
    return cells


def _what_may_stand(rules: RuleSet) -> str:
    """The contents of squares by these rules, in words."""
    mechanics = rules.mechanics
    words = "'.', 'L1' or 'D2'" if mechanics.is_numbered else "'.', 'L' or 'D'"
    if any(is_marked(piece) for pieces in mechanics.pieces_on.values() for piece in pieces):
        words += ", small letters for marked pieces"
    if mechanics.rests:
        words += ", '^' after a piece that rests"
    takes_two = any(
        mechanics.squares[square].fault(split(awake("".join(two)))) is None
        for square, pieces in mechanics.pieces_on.items()
        for two in product(pieces, repeat=2)
    )
    return f"{words}, or two pieces or more in parentheses" if takes_two else words


def _parse_count(side: str, text: str, whole: str) -> int:
    if len(text) <= len(str(MAX_PIECES)) and text.isascii() and text.isdigit():
        return int(text)
    raise PositionSyntaxError(
        f"position {whole!r}: {side}'s home is {text!r}, expected the count of pieces there"
    )


def _parse_numbers(side: str, text: str, whole: str) -> tuple[int, ...]:
    if text == "-":
        return ()
    if text.isascii() and text.isdigit() and "".join(sorted(set(text))) == text:
        return tuple(map(int, text))
    raise PositionSyntaxError(
        f"position {whole!r}: {side}'s home is {text!r}, expected the pieces' numbers, "
        "ascending, or '-' for none"
    )


def _parse_fines(text: str, whole: str) -> int:
    digits = text[1:]
    if text.startswith("p") and digits.isascii() and digits.isdigit():
        fines = int(digits)
        if fines <= MAX_FINES:
            return fines
    raise PositionSyntaxError(
        f"position {whole!r}: the fines paid are {text!r}, expected 'p0' to 'p{MAX_FINES}'"
    )


def _square_faults(rules: RuleSet, square: str, content: str) -> list[str]:
    held, may_stand = split(content), rules.mechanics.pieces_on[square]
    allowed = ", ".join(may_stand) or "no piece"
    strangers = in_order(tuple({piece for piece in held if piece not in may_stand}))
    if strangers:
        return [f"{piece!r} cannot stand on {square} (allowed: {allowed})" for piece in strangers]
    fault = rules.mechanics.squares[square].fault(split(awake(content)))
    return [f"{content!r} cannot stand on {square}: {fault}"] if fault else []


def _resting_faults(position: Position) -> list[str]:
    pieces = [piece for content in position.contents for piece in split(content)]
    sides = [side_of(piece) for piece in pieces if is_resting(piece)]
    if len(sides) > 1:
        return [f"{len(sides)} pieces rest, where one may"]
    if sides and sides != [position.side]:
        return ["a piece rests whose side is not about to throw"]
    return []


def _number_faults(position: Position, name: str, side: str) -> list[str]:
    pieces, numbers = position.rules.pieces, list(position.numbers(side))
    for content in position.contents:
        numbers += (number_of(piece) for piece in split(content) if side_of(piece) == side)
    return [
        f"{name}'s piece {number} is there {numbers.count(number)} times"
        for number in sorted(set(numbers))
        if numbers.count(number) > 1
    ] + [
        f"{name}'s home has a piece {number}, but pieces are numbered 1 to {pieces}"
        for number in position.numbers(side)
        if number > pieces or number == 0
    ]
