"""The roles of a path's squares in the state space.

Seen from the side to throw ("mine"; the opponent's part mirrors it), a path falls into

* *entry* squares: only mine, before the last contested square (bell: A4 A3 A2 A1);
* *shared* squares: both sides may stand there, so that captures happen there;
* *frozen* indices: the tail of the path on which nothing is ever captured (bell: A8 A7).
  Their contents, and the pieces borne off, never go back, and are part of a side config.

If the path also begins on a frozen square, its contents are of two kinds: pieces that have come
back are *frozen*, entering ones are not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from ur_solver.rules import DARK, LIGHT, Path, RuleSet
from ur_solver.rules.contents import side_of, split

MAX_FROZEN = 8
"""The most frozen squares in side configs, if each holds at most one piece."""

MAX_CLOSING = 4
"""The most of them that are also entry squares."""

MAX_SHARED = 20
"""The most shared squares in the tiled kernel."""

LANE_SQUARES, LANE_THROWS = 4, ((1, 2, 3), (1, 2, 3, 4))
"""The entry squares of its paths, and the throws that move pieces."""

MAX_TILES = (1 << 31) - 1
"""The most fillings of its shared squares, which only many pieces on a long path exceed."""


@dataclass(frozen=True)
class Layout:
    """The division of the board by one path; see the module's head."""

    path: Path

    @cached_property
    def _visits(self) -> dict[str, tuple[list[int], list[int]]]:
        visits: dict[str, tuple[list[int], list[int]]] = {
            square: ([], []) for square in self.path.board.squares
        }
        for side, name in enumerate((LIGHT, DARK)):
            for index, square in enumerate(self.path.squares(name)):
                visits[square][side].append(index)
        return visits

    def visits(self, square: str) -> tuple[list[int], list[int]]:
        """The path indices that lie on a square: mine, and theirs on their own side's path."""
        return self._visits[square]

    def _is_private(self, index: int) -> bool:
        return not self.visits(self.path.light[index])[1]

    @cached_property
    def first_frozen(self) -> int:
        """The first of the path indices from which no piece is ever captured again."""
        first = len(self.path)
        while first > 0 and self._is_private(first - 1):
            first -= 1
        return first

    @cached_property
    def entry(self) -> tuple[int, ...]:
        """The path indices of my private squares before the contested ones."""
        return tuple(index for index in range(self.first_frozen) if self._is_private(index))

    @cached_property
    def shared(self) -> tuple[str, ...]:
        """The shared squares, in board order."""
        return tuple(square for square, (mine, theirs) in self._visits.items() if mine and theirs)

    def _n_fillings(self, pieces: int) -> int:
        """The ways to fill the shared squares with at most `pieces` of each side."""
        n = len(self.shared)
        return sum(
            math.comb(n, mine) * math.comb(n - mine, theirs)
            for mine in range(min(n, pieces) + 1)
            for theirs in range(min(n - mine, pieces) + 1)
        )

    def is_lane(self, pieces: int, longest_throw: int) -> bool:
        """Whether the tiled kernel supports the path, which nearly all paths of the literature are.

        It visits no square twice: four entry squares first, then at most `MAX_SHARED` squares that
        both sides visit, at least as many as the longest throw moves, so that no piece jumps over
        them, then at most `MAX_FROZEN` frozen ones. The pieces have at most `MAX_TILES` ways to
        stand on shared squares.
        """
        return (
            self.entry == tuple(range(LANE_SQUARES))
            and len({*self.path.light}) == len(self.path)
            and longest_throw <= len(self.shared) <= MAX_SHARED
            and len(self.path) - self.first_frozen <= MAX_FROZEN
            and self._n_fillings(pieces) <= MAX_TILES
        )


@lru_cache(maxsize=64)
def layout_of(path: Path) -> Layout:
    """The layout of `path`."""
    return Layout(path)


def is_race_of_tiles(rules: RuleSet) -> bool:
    """Whether the tiled kernel serves rules: plain race rules, ordinary dice that show 1 to 3 or 4
    and perhaps 0, and a path that is a lane (`Layout.is_lane`). The row kernel serves all others.
    """
    return (
        rules.mechanics.is_plain_race
        and rules.dice.is_ordinary
        and tuple(throw for throw in rules.dice.throws if throw) in LANE_THROWS
        and layout_of(rules.path).is_lane(rules.pieces, max(rules.dice.throws))
    )


_FEW = 4
"""Side configs hold up to this many frozen squares if their fillings have codes; of more only those
that can be filled in few ways are, as tables have an entry for each pair of side configs."""

_MOST_FILLINGS, _MOST_FEW_FILLINGS = 1 << MAX_FROZEN, 1 << 16
"""The most ways to fill many frozen squares, and at most `_FEW`."""

MOST_CODES = 1 << 20
"""Products of what private squares may hold, by which placements are looked up."""


@dataclass(frozen=True)
class FrozenSquare:
    """A path index, of either side, from which no piece goes back."""

    index: int
    cells: tuple[int, int]  # mine and theirs
    parts: tuple[int, ...]  # of a side's stock in frozen contents: 0 first, all different
    # the numbers of these contents on either cell
    contents: tuple[tuple[int, ...], tuple[int, ...]]
    # by which the place of a content among these counts in the code of all frozen squares
    radix: int
    # whether pieces set out there too, so that a frozen one closes the square to them
    is_closing: bool


def frozen_squares(
    rules: RuleSet,
    contents: Sequence[Sequence[str]],
    parts: Sequence[npt.NDArray[np.int64]],
) -> tuple[FrozenSquare, ...]:
    """The last path indices from which no piece goes back, as many as side configs hold.

    The frozen pieces of each are its part of the stock. Where that leaves anything open, the path
    index counts as one of those that ranks run over; so do those before it. `contents` and `parts`
    are as in `TileSpace`.
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
