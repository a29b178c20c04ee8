"""A position, and how it is written.

    <row A>/<row B>/<row C> <side to throw> <light home> <dark home>

Each row is written by column: ``.`` an empty square, ``_`` a column with no square,
``L`` and ``D`` pieces of light and dark, ``l`` and ``d`` pieces on their path's second
leg. The start of finkel is ``....__../......../....__.. L 7 7``. Pieces borne off are
what is missing from the rule set's count.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from ur_solver.errors import IllegalPositionError, PositionSyntaxError
from ur_solver.rules import Board, RuleSet, mirror_square

LIGHT, DARK = "L", "D"
_PIECES = "LDld"
_MAX_TEXT = 200


def opponent(side: str) -> str:
    """The other side."""
    return DARK if side == LIGHT else LIGHT


@dataclass(frozen=True, slots=True)
class Position:
    """The board with both sides' pieces and the side about to throw.

    Parameters
    ----------
    contents : tuple of str
        What stands on each square, in the order of `Board.squares`: an empty string or
        a piece's letter, ``L`` or ``D``, in lower case on the second leg.
    side : str
        The side about to throw, ``"L"`` or ``"D"``.
    light_home, dark_home : int
        Pieces that have not entered.
    """

    contents: tuple[str, ...]
    side: str
    light_home: int
    dark_home: int

    def home(self, side: str) -> int:
        """How many pieces of `side` are at home."""
        return self.light_home if side == LIGHT else self.dark_home

    def on_board(self, side: str) -> int:
        """How many pieces of `side` are on the board."""
        return sum(content.upper() == side for content in self.contents)


def start(rules: RuleSet) -> Position:
    """The start of a game, light about to throw."""
    empty = ("",) * len(rules.board.squares)
    return Position(empty, LIGHT, rules.pieces, rules.pieces)


def n_off(rules: RuleSet, position: Position, side: str) -> int:
    """How many pieces of `side` have been borne off."""
    return rules.pieces - position.home(side) - position.on_board(side)


def winner(rules: RuleSet, position: Position) -> str | None:
    """The side that has borne off all its pieces, or None while the game goes on."""
    for side in (LIGHT, DARK):
        if n_off(rules, position, side) == rules.pieces:
            return side
    return None


def mirror(board: Board, position: Position) -> Position:
    """The same position with the players exchanged: rows A and C, and the colours."""
    swap = str.maketrans("LDld", "DLdl")
    contents = tuple(position.contents[index].translate(swap) for index in _mirror_indices(board))
    return Position(contents, opponent(position.side), position.dark_home, position.light_home)


@lru_cache(maxsize=8)
def _mirror_indices(board: Board) -> tuple[int, ...]:
    index = {square: i for i, square in enumerate(board.squares)}
    return tuple(index[mirror_square(square)] for square in board.squares)


def format_position(rules: RuleSet, position: Position) -> str:
    """`position` in the notation; `parse_position` is the inverse."""
    contents = iter(position.contents)
    rows = (
        "".join("_" if cell == "_" else next(contents) or "." for cell in row)
        for row in rules.board.rows
    )
    return f"{'/'.join(rows)} {position.side} {position.light_home} {position.dark_home}"


def parse_position(rules: RuleSet, text: str) -> Position:
    """The position that `text` writes, checked against the rule set.

    Raises
    ------
    PositionSyntaxError
        Naming the part at fault and what was expected there.
    IllegalPositionError
        Listing every way in which the rule set forbids the position.
    """
    if len(text) > _MAX_TEXT:
        raise PositionSyntaxError(
            f"position of {len(text)} characters; one has less than {_MAX_TEXT}"
        )
    fields = text.split()
    if len(fields) != 4:
        raise PositionSyntaxError(
            f"position {text!r}: {len(fields)} fields, expected 4: the board, the side to "
            f"throw, light's home, dark's home, such as {format_position(rules, start(rules))!r}"
        )
    board, side, light_home, dark_home = fields
    contents = _parse_board(rules.board, board, text)
    if side not in (LIGHT, DARK):
        raise PositionSyntaxError(
            f"position {text!r}: the side to throw is {side!r}, expected 'L' or 'D'"
        )
    position = Position(
        contents,
        side,
        _parse_home("light", light_home, text),
        _parse_home("dark", dark_home, text),
    )
    faults = position_faults(rules, position)
    if faults:
        raise IllegalPositionError(f"position {text!r}: " + "; ".join(faults))
    return position


def _parse_board(board: Board, text: str, whole: str) -> tuple[str, ...]:
    rows = text.split("/")
    if len(rows) != 3:
        raise PositionSyntaxError(
            f"position {whole!r}: the board {text!r} has {len(rows)} rows, expected 3, "
            f"such as {'/'.join(board.rows)!r}"
        )
    contents = []
    for name, row, shape in zip("ABC", rows, board.rows, strict=True):
        if len(row) != len(shape):
            raise PositionSyntaxError(
                f"position {whole!r}: row {name} is {row!r}, {len(row)} columns, expected "
                f"{len(shape)} as in {shape!r}"
            )
        for column, (cell, kind) in enumerate(zip(row, shape, strict=True), start=1):
            if (cell == "_") != (kind == "_"):
                expected = "'_', as there is no square" if kind == "_" else "a square, not '_'"
                raise PositionSyntaxError(
                    f"position {whole!r}: {name}{column} is {cell!r}, expected {expected}"
                )
            if cell not in "._" and cell not in _PIECES:
                raise PositionSyntaxError(
                    f"position {whole!r}: {name}{column} is {cell!r}, expected one of '.LDld'"
                )
            if kind == ".":
                contents.append("" if cell == "." else cell)
    return tuple(contents)


def _parse_home(side: str, text: str, whole: str) -> int:
    if len(text) == 1 and text.isascii() and text.isdigit():
        return int(text)
    raise PositionSyntaxError(f"position {whole!r}: {side}'s home is {text!r}, expected a digit")


def position_faults(rules: RuleSet, position: Position) -> list[str]:
    """Every way in which `rules` forbid `position`, in words; empty if there is none.

    A position without faults need not be reachable from the start.
    """
    faults = []
    for square, content in zip(rules.board.squares, position.contents, strict=True):
        if content and content not in square_pieces(rules)[square]:
            allowed = ", ".join(square_pieces(rules)[square]) or "no piece"
            faults.append(f"{content!r} cannot stand on {square} (allowed there: {allowed})")
    for name, side in (("light", LIGHT), ("dark", DARK)):
        count = position.home(side) + position.on_board(side)
        if count > rules.pieces:
            faults.append(f"{name} has {count} pieces, more than the {rules.pieces} there are")
    if all(n_off(rules, position, side) == rules.pieces for side in (LIGHT, DARK)):
        faults.append("both sides have borne off all their pieces")
    return faults


@lru_cache(maxsize=64)
def square_pieces(rules: RuleSet) -> dict[str, tuple[str, ...]]:
    """For each square the letters that may stand there, in the order ``L D l d``."""
    letters: dict[str, set[str]] = {square: set() for square in rules.board.squares}
    for side in (LIGHT, DARK):
        for index, square in enumerate(rules.path.squares(side)):
            letters[square].add(piece_letter(rules, side, index))
    return {
        square: tuple(letter for letter in _PIECES if letter in found)
        for square, found in letters.items()
    }


def piece_letter(rules: RuleSet, side: str, index: int) -> str:
    """How a piece of `side` at path index `index` is written."""
    return side.lower() if rules.path.is_second_leg(index) else side
