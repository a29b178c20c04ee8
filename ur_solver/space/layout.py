"""The roles of a path's squares in the state space.

Seen from the side to throw ("mine"; the opponent's part mirrors it), a path falls into

* *entry* squares: only mine, before the last contested square (bell: A4 A3 A2 A1);
* *shared* squares: both sides may stand there, so that captures happen there;
* *frozen* indices: the tail of the path on which nothing is ever captured (bell: A8 A7).
  What stands on them, with the pieces borne off, never goes back.

Whatever the path, a piece's contents on a square are one of five codes, the position
notation's letters seen from the side to throw.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from ur_solver.rules import Path

EMPTY, MINE, THEIRS, MINE_SECOND, THEIRS_SECOND = range(5)
"""Codes of a square's contents, from the side to throw; `SECOND` is the second leg."""

N_CODES = 5

MAX_ENTRIES, MAX_FROZEN, MAX_SHARED, MAX_ROWS = 7, 8, 20, 512
"""Limits of the compiled code of the race family: squares of each part of a path, rows of a
tile."""


def _code(path: Path, is_mine: bool, index: int) -> int:
    return (MINE if is_mine else THEIRS) + 2 * path.is_second_leg(index)


def is_mine(code: int) -> bool:
    """Whether a content code is a piece of the side to throw."""
    return code in (MINE, MINE_SECOND)


def is_theirs(code: int) -> bool:
    """Whether a content code is a piece of the other side."""
    return code in (THEIRS, THEIRS_SECOND)


@dataclass(frozen=True)
class SharedSquare:
    """A square that both sides may stand on.

    `codes` are the contents it can have, `EMPTY` first; a content's index there is its
    *digit*.
    """

    square: str
    codes: tuple[int, ...]


@dataclass(frozen=True)
class Layout:
    """How one path divides the board; see the module's head."""

    path: Path

    @cached_property
    def _visits(self) -> dict[str, dict[int, tuple[bool, int]]]:
        """For each square: content code -> (is mine, path index)."""
        visits: dict[str, dict[int, tuple[bool, int]]] = {
            square: {} for square in self.path.board.squares
        }
        for mine in (True, False):
            for index, square in enumerate(self.path.squares("L" if mine else "D")):
                visits[square][_code(self.path, mine, index)] = (mine, index)
        return visits

    def codes(self, square: str) -> tuple[int, ...]:
        """The contents that `square` can have, ascending, `EMPTY` first."""
        return (EMPTY, *sorted(self._visits[square]))

    def _is_private(self, index: int) -> bool:
        return all(mine for mine, _ in self._visits[self.path.light[index]].values())

    @cached_property
    def frozen(self) -> tuple[int, ...]:
        """The path indices from which no piece is ever captured again."""
        first = len(self.path)
        while first > 0 and self._is_private(first - 1):
            first -= 1
        return tuple(range(first, len(self.path)))

    @cached_property
    def entry(self) -> tuple[int, ...]:
        """The path indices of my private squares before the contested ones."""
        return tuple(
            index for index in range(len(self.path) - len(self.frozen)) if self._is_private(index)
        )

    @cached_property
    def shared(self) -> tuple[SharedSquare, ...]:
        """The shared squares, the most advanced first."""

        def advance(square: str) -> int:
            return sum(index for _, index in self._visits[square].values())

        squares = {
            square
            for square, visits in self._visits.items()
            if len({mine for mine, _ in visits.values()}) == 2
        }
        order = sorted(squares, key=lambda square: (-advance(square), square))
        return tuple(SharedSquare(square, self.codes(square)) for square in order)

    def is_cut_into_tiles(self, pieces: int, longest_throw: int) -> bool:
        """Whether the race family's state space and kernel support the path.

        The path must begin with at most `MAX_ENTRIES` entry squares; then come squares that both
        sides visit, at least as many as the longest throw moves, so that no piece jumps over
        them; then at most `MAX_FROZEN` frozen ones. No private square is visited twice, except
        an entry square on which the path ends.

        Parameters
        ----------
        pieces : int
            N.
        longest_throw : int
        """
        light, n_entry = self.path.light, len(self.entry)
        first_frozen = len(light) - len(self.frozen)
        return (
            n_entry <= MAX_ENTRIES
            and self.entry == tuple(range(n_entry))
            and first_frozen - n_entry >= longest_throw
            and len(self.frozen) <= MAX_FROZEN
            and all(len({*part}) == len(part) for part in (light[:n_entry], light[first_frozen:]))
            and len(self.shared) <= MAX_SHARED
            and self._most_rows(pieces) <= MAX_ROWS
        )

    def _most_rows(self, pieces: int) -> int:
        """The most rows of a tile: entry squares held, times legs of the pieces elsewhere."""
        n_forks = sum(
            sum(mine for mine, _ in self._visits[square.square].values()) > 1
            for square in self.shared
        )
        return max(
            sum(math.comb(len(self.entry), k) for k in range(pieces - held + 1)) << held
            for held in range(min(n_forks, pieces) + 1)
        )

    def path_index(self, square: str, code: int) -> int:
        """The path index, on its own side's path, of the piece `code` on `square`."""
        return self._visits[square][code][1]

    def place(self, index: int, mine: bool) -> tuple[str, int]:
        """The square and content code of a piece at a path index."""
        return self.path.squares("L" if mine else "D")[index], _code(self.path, mine, index)

    def entry_masks(self, frozen_mask: int) -> tuple[int, ...]:
        """The sets of entry squares that may be held beside `frozen_mask`, fewest first.

        A path that ends on its entry squares (murray) has fewer of them free once
        pieces are frozen there. In both masks bit k is the k-th of `entry` or `frozen`.
        """
        light = self.path.light
        taken = {light[index] for k, index in enumerate(self.frozen) if frozen_mask >> k & 1}
        free = sum(1 << k for k, index in enumerate(self.entry) if light[index] not in taken)
        masks = [mask for mask in range(1 << len(self.entry)) if mask & ~free == 0]
        return tuple(sorted(masks, key=lambda mask: (mask.bit_count(), mask)))


@dataclass(frozen=True)
class SideConfig:
    """What one side can no longer lose: pieces borne off, and frozen squares held."""

    off: int
    frozen_mask: int

    @property
    def settled(self) -> int:
        """How many pieces it accounts for."""
        return self.off + self.frozen_mask.bit_count()


def progress(layout: Layout, config: SideConfig) -> int:
    """A number that every change of a side's config increases."""
    frozen = sum(index + 1 for k, index in enumerate(layout.frozen) if config.frozen_mask >> k & 1)
    return config.off * (len(layout.path) + 1) + frozen


def side_configs(layout: Layout, pieces: int) -> tuple[SideConfig, ...]:
    """All configs of a side that has not won, the furthest on first."""
    configs = [
        SideConfig(off, mask)
        for off in range(pieces)
        for mask in range(1 << len(layout.frozen))
        if off + mask.bit_count() <= pieces
    ]
    return tuple(
        sorted(configs, key=lambda config: (-progress(layout, config), config.frozen_mask))
    )


def next_configs(layout: Layout, pieces: int, config: SideConfig) -> Iterator[SideConfig]:
    """The configs that one irreversible move can lead to, by any throw."""
    n_frozen, mask, off = len(layout.frozen), config.frozen_mask, config.off
    has_free = config.settled < pieces
    for bit in range(n_frozen):
        if has_free and not mask >> bit & 1:
            yield SideConfig(off, mask | 1 << bit)
        if mask >> bit & 1:
            left = mask & ~(1 << bit)
            yield SideConfig(off + 1, left)
            for further in range(bit + 1, n_frozen):
                if not mask >> further & 1:
                    yield SideConfig(off, left | 1 << further)
    if has_free:
        yield SideConfig(off + 1, mask)


@lru_cache(maxsize=64)
def layout_of(path: Path) -> Layout:
    """The layout of `path`."""
    return Layout(path)
