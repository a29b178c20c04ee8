"""The roles of a path's squares in the state space.

Seen from the side to throw ("mine"; the opponent's part mirrors it), a path falls into

* *entry* squares: only mine, before the last contested square (bell: A4 A3 A2 A1);
* *shared* squares: both sides may stand there, so that captures happen there;
* *frozen* indices: the tail of the path on which nothing is ever captured (bell: A8 A7).
  Their contents, and the pieces borne off, never go back.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

from ur_solver.rules import DARK, LIGHT, Path, RuleSet

MAX_FROZEN = 8
"""The most frozen squares in side configs, if each holds at most one piece."""

MAX_CLOSING = 4
"""The most of them that are also entry squares."""

MAX_ENTRIES, MAX_SHARED, MAX_ROWS = 7, 20, 512
"""Limits of the tiled kernel: squares of each part of a path, rows of a tile."""

MAX_FORKS, MAX_TILES, MAX_THROWS = 7, (1 << 31) - 1, 8
"""Those that only many pieces or long throws exceed: pieces on squares that a path visits twice,
fillings of the shared squares, throws that move a piece."""


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

    def is_cut_into_tiles(self, pieces: int, longest_throw: int) -> bool:
        """Whether the tiled kernel supports the path.

        The path must begin with at most `MAX_ENTRIES` entry squares; then come squares that both
        sides visit, at least as many as the longest throw moves, so that no piece jumps over
        them; then at most `MAX_FROZEN` frozen ones. No private square is visited twice, except
        an entry square on which the path ends, of which there are at most `MAX_CLOSING`.

        Parameters
        ----------
        pieces : int
            N.
        longest_throw : int
        """
        light, n_entry = self.path.light, len(self.entry)
        entry, frozen = light[:n_entry], light[self.first_frozen :]
        return (
            n_entry <= MAX_ENTRIES
            and self.entry == tuple(range(n_entry))
            and self.first_frozen - n_entry >= longest_throw
            and len(frozen) <= MAX_FROZEN
            and len({*entry} & {*frozen}) <= MAX_CLOSING
            and all(len({*part}) == len(part) for part in (entry, frozen))
            and len(self.shared) <= MAX_SHARED
            and min(self._n_forks, pieces) <= MAX_FORKS
            and self._most_rows(pieces) <= MAX_ROWS
            and self._n_fillings(pieces) <= MAX_TILES
        )

    @cached_property
    def _n_forks(self) -> int:
        """The number of shared squares that the path visits twice."""
        return sum(len(self.visits(square)[0]) > 1 for square in self.shared)

    def _n_fillings(self, pieces: int) -> int:
        """The ways to fill the shared squares with at most `pieces` of each side."""
        n = len(self.shared)
        return sum(
            math.comb(n, mine) * math.comb(n - mine, theirs)
            for mine in range(min(n, pieces) + 1)
            for theirs in range(min(n - mine, pieces) + 1)
        )

    def _most_rows(self, pieces: int) -> int:
        """The most rows of a tile: entry squares held, times legs of the pieces elsewhere."""
        return max(
            sum(math.comb(len(self.entry), k) for k in range(pieces - held + 1)) << held
            for held in range(min(self._n_forks, pieces) + 1)
        )


@lru_cache(maxsize=64)
def layout_of(path: Path) -> Layout:
    """The layout of `path`."""
    return Layout(path)


def is_race_of_tiles(rules: RuleSet) -> bool:
    """Whether the tiled kernel serves rules: plain race rules, on a path that falls into tiles.

    Other dice than ordinary ones leave it to the row kernel, which solves turns that pass back and
    forth as equations.
    """
    return (
        rules.mechanics.is_plain_race
        and rules.dice.is_ordinary
        and sum(throw > 0 for throw in rules.dice.throws) <= MAX_THROWS
        and layout_of(rules.path).is_cut_into_tiles(rules.pieces, max(rules.dice.throws))
    )
