"""How a position is written, and read.

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
from collections.abc import Iterable
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from ur_solver.common.text import counted
from ur_solver.errors import PositionSyntaxError
from ur_solver.rules.board import ROW_NAMES
from ur_solver.rules.contents import DARK, LETTERS, LIGHT, awake, is_marked, split
from ur_solver.rules.family import Family
from ur_solver.rules.limits import MAX_PIECES

_MAX_TEXT = 200
MAX_FINES = 10**6


def content_text(content: str) -> str:
    """The pieces of a square as the notation writes them."""
    if len(content) < 2:
        return content or "."
    return f"({content})" if len(split(content)) > 1 else content


def written(
    family: Family, contents: Iterable[str], side: str, homes: tuple[str, str], fines: int
) -> str:
    """A position in the notation; `homes` are light's and dark's as they are written."""
    contents = iter(contents)
    rows = (
        "".join("_" if cell == "_" else content_text(next(contents)) for cell in row)
        for row in family.rules.board.rows
    )
    paid = f" p{fines}" if family.payoff.has_fines else ""
    return f"{'/'.join(rows)} {side} {' '.join(homes)}{paid}"


class Read(NamedTuple):
    """What a text writes: all that `Position` has but the rules, in the same order."""

    contents: tuple[str, ...]
    side: str
    light_home: int
    dark_home: int
    numbers_home: tuple[tuple[int, ...], tuple[int, ...]]
    fines: int


def read(family: Family, text: str) -> Read:
    """Read a position, whose pieces may be in any order where it does not matter.

    It may have faults. Raises PositionSyntaxError, naming the part at fault and what was expected
    there.
    """
    if len(text) > _MAX_TEXT:
        raise PositionSyntaxError(
            f"position of {len(text)} characters; one has no more than {_MAX_TEXT}"
        )
    fields = text.split()
    expected = ["the board", "the side to throw", "light's home", "dark's home"]
    if family.payoff.has_fines:
        expected.append("the fines paid")
    if len(fields) != len(expected):
        raise PositionSyntaxError(
            f"position {text!r}: {counted(len(fields), 'field')}, expected {len(expected)}: "
            f"{', '.join(expected)}, such as {_start(family)!r}"
        )
    board, side, light_home, dark_home, *fines = fields
    contents = _parse_board(family, board, text)
    if side not in (LIGHT, DARK):
        raise PositionSyntaxError(
            f"position {text!r}: the side to throw is {side!r}, expected 'L' or 'D'"
        )
    homes = ("light", light_home, text), ("dark", dark_home, text)
    light_numbers: tuple[int, ...] = ()
    dark_numbers: tuple[int, ...] = ()
    if family.is_numbered:
        light_numbers, dark_numbers = (_parse_numbers(*home) for home in homes)
        light, dark = len(light_numbers), len(dark_numbers)
    else:
        light, dark = (_parse_count(*home) for home in homes)
    paid = _parse_fines(fines[0], text) if fines else 0
    return Read(contents, side, light, dark, (light_numbers, dark_numbers), paid)


def _start(family: Family) -> str:
    """The notation of the start of a game."""
    rules = family.rules
    numbers = range(1, rules.pieces + 1)
    home = "".join(map(str, numbers)) if family.is_numbered else str(rules.pieces)
    return written(family, [""] * len(rules.board.squares), LIGHT, (home, home), 0)


@lru_cache(maxsize=4)
def _cells(is_numbered: bool, may_rest: bool) -> re.Pattern[str]:
    piece = f"[{LETTERS}]" + "[1-9]" * is_numbered + r"\^?" * may_rest
    return re.compile(rf"[._]|{piece}|\((?:{piece}){{2,}}\)")


def _parse_board(family: Family, text: str, whole: str) -> tuple[str, ...]:
    shapes, rows = family.rules.board.rows, text.split("/")
    if len(rows) != 3:
        raise PositionSyntaxError(
            f"position {whole!r}: the board {text!r} has {counted(len(rows), 'row')}, expected "
            f"3, such as {'/'.join(shapes)!r}"
        )
    contents = []
    for name, row, shape in zip(ROW_NAMES, rows, shapes, strict=True):
        cells = _parse_row(family, name, row, whole)
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
                contents.append(family.arranged(f"{name}{column}", held))
    return tuple(contents)


def _parse_row(family: Family, name: str, row: str, whole: str) -> list[str]:
    cells: list[str] = []
    at = 0
    while at < len(row):
        match = _cells(family.is_numbered, bool(family.rests)).match(row, at)
        if match is None:
            raise PositionSyntaxError(
                f"position {whole!r}: {name}{len(cells) + 1} begins with {row[at]!r}, expected "
                f"{_what_may_stand(family)}"
            )
        cells.append(match.group())
        at = match.end()
    return cells


def _what_may_stand(family: Family) -> str:
    """The contents of squares by these rules, in words."""
    words = "'.', 'L1' or 'D2'" if family.is_numbered else "'.', 'L' or 'D'"
    if any(is_marked(piece) for pieces in family.pieces_on.values() for piece in pieces):
        words += ", small letters for marked pieces"
    if family.rests:
        words += ", '^' after a piece that rests"
    takes_two = any(
        family.squares[square].fault(split(awake("".join(two)))) is None
        for square, pieces in family.pieces_on.items()
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
