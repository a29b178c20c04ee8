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
