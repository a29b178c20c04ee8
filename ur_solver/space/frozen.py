"""The frozen squares of a path: those at its tail on which nothing is ever captured.

Their contents are part of a side config. If the path also begins on such a square, its contents
are of two kinds: pieces that have come back are *frozen*, entering ones are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ur_solver.rules import DARK, LIGHT, RuleSet
from ur_solver.rules.contents import side_of, split
from ur_solver.space.layout import MAX_CLOSING, MAX_FROZEN, layout_of

_FEW = 4
"""Side configs hold up to this many frozen squares if their fillings have codes; of more only those
that can be filled in few ways are, as tables have an entry for each pair of side configs."""

_MOST_FILLINGS, _MOST_FEW_FILLINGS = 1 << MAX_FROZEN, 1 << 16
"""The most ways to fill many frozen squares, and at most `_FEW`."""

MOST_CODES = 1 << 20
"""Products of what private squares may hold, by which placements are looked up."""


@dataclass(frozen=True)
class FrozenSquare:
    """A path index from which no piece goes back.

    Parameters
    ----------
    index : int
        On the path of either side.
    cells : tuple of int
        Mine and theirs.
    parts : tuple of int
        The parts of a side's stock in frozen contents: 0 first, all different.
    contents : tuple of tuple of int
        The numbers of these contents on either cell.
    radix : int
        By which the place of a content among these counts in the code of all frozen squares.
    is_closing : bool
        Whether pieces set out there too, so that a frozen one closes the square to them.
    """

    index: int
    cells: tuple[int, int]
    parts: tuple[int, ...]
    contents: tuple[tuple[int, ...], tuple[int, ...]]
    radix: int
    is_closing: bool


def frozen_squares(
    rules: RuleSet,
    contents: Sequence[Sequence[str]],
    parts: Sequence[npt.NDArray[np.int64]],
) -> tuple[FrozenSquare, ...]:
    """The last path indices from which no piece goes back, as many as side configs hold.

    The frozen pieces of each are its part of the stock. Where that leaves anything open, the
    path index counts as one of those that ranks run over; so do those before it.

    Parameters
    ----------
    rules : RuleSet
    contents : sequence of sequence of str
        By cell, as `TileSpace` numbers them.
    parts : sequence of int64 arrays, shape (contents, 2)
        By cell what each content takes of my stock and of theirs.
    """
    cell = {square: k for k, square in enumerate(rules.board.squares)}
    found: list[FrozenSquare] = []
    fillings = placements = 1
    # a piece that rests wakes up again
    rests = rules.mechanics.rests
    first = max(layout_of(rules.path).first_frozen, max(rests, default=-1) + 1)
    for index in reversed(range(first, len(rules.path))):
        cells = tuple(cell[rules.path.squares(side)[index]] for side in (LIGHT, DARK))
        kinds = _frozen_contents(rules, first, LIGHT, contents[cells[0]], cells[0])
        others = _frozen_contents(rules, first, DARK, contents[cells[1]], cells[1])
        if kinds is None or others is None:
            break
        taken = tuple(parts[cells[0]][list(kinds), 0].tolist())
        if len({*taken}) < len(taken):
            break
        their_numbers = {int(parts[cells[1]][number, 1]): number for number in others}
        is_closing = len(kinds) < len(contents[cells[0]])
        radix = fillings
        fillings *= len(kinds)
        placements *= len(contents[cells[0]]) if is_closing else 1
        n_closing = is_closing + sum(square.is_closing for square in found)
        if (
            fillings > (_MOST_FEW_FILLINGS if len(found) < _FEW else _MOST_FILLINGS)
            or n_closing > MAX_CLOSING
            or placements > MOST_CODES
        ):
            break
        both = kinds, tuple(their_numbers[part] for part in taken)
        square = FrozenSquare(index, (cells[0], cells[1]), taken, both, radix, is_closing)
        found.insert(0, square)
    return tuple(found)


def _frozen_contents(
    rules: RuleSet, first: int, side: str, contents: Sequence[str], cell: int
) -> tuple[int, ...] | None:
    """The contents of a cell that are frozen, the empty one first; None if some are so in part."""
    square = rules.board.squares[cell]
    index_of = {
        letter: index
        for index, visited, letter in rules.mechanics.places[side]
        if visited == square
    }
    found = []
    for number, content in enumerate(contents):
        pieces = split(content)
        if any(side_of(piece) != side for piece in pieces):
            return None
        frozen = {index_of[piece[0]] >= first for piece in pieces}
        if len(frozen) > 1:
            return None
        if True in frozen or not content:
            found.append(number)
    return tuple(found)
