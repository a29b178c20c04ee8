"""The state space of any rule set, by counting what its squares may hold.

A square's *content* is numbered by its place in `Family.contents_on`, and uses up a part
of each side's *stock* of pieces (`ur_solver.space.stock`). Ranks are laid out so:

    table  = block 0, block 1, ...   in solving order
    block  = its half, and the mirrored half  (one half where both sides agree)
    half   = fillings of the squares that are not frozen, lexicographic, the most advanced
             square first; what is then left of a side's stock is at home

A side config is which pieces are off and which stand on each *frozen* square, the tail of
the path on which nothing is ever captured. Fillings are counted from the last square
backwards: `count[i, j]` is the number of ways to fill squares s, s+1, ... with at most the
stocks i of mine and j of theirs. No rank is left out, whatever the contents are.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.errors import RuleSetError
from ur_solver.rules import LIGHT, Position, RuleSet, mirror_square
from ur_solver.rules.contents import DARK, side_of, split, swap_sides
from ur_solver.space import _contents
from ur_solver.space.base import Block, Space, number_blocks
from ur_solver.space.layout import layout_of
from ur_solver.space.stock import Stock

_MOST_FROZEN = 4
"""The most frozen squares of a side config; tables have an entry for each config."""

_MOST_CONTENTS = 0xFFFF
"""Of a square; rows of states are of 16 bits, and the last number is none."""


@dataclass(frozen=True)
class Config:
    """What one side can no longer lose, as parts of its stock.

    Parameters
    ----------
    off : int
        The pieces borne off.
    frozen : tuple of int
        Those on each frozen square, by path index.
    """

    off: int
    frozen: tuple[int, ...]


class ContentSpace(Space):
    """The numbered positions of a rule set of any family.

    Attributes
    ----------
    stock : Stock
    squares : tuple of str
        The board's, each a cell of a state row.
    contents : tuple of tuple of str
        For each cell its contents by number, from the side to throw (`L`).
    parts : tuple of int64 arrays, shape (contents, 2)
        For each cell what each content takes of my stock and of theirs.
    ranked : tuple of int
        The cells that ranks run over, the most significant first.
    frozen : tuple of tuple of int
        My frozen cells and theirs, by path index.
    """

    state_dtype = np.dtype(np.uint16)

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.stock = Stock(rules.pieces, rules.mechanics.is_numbered)
        self.squares = rules.board.squares
        cell = {square: k for k, square in enumerate(self.squares)}
        self.contents = tuple(rules.mechanics.contents_on(square) for square in self.squares)
        for square, contents in zip(self.squares, self.contents, strict=True):
            if len(contents) >= _MOST_CONTENTS:
                raise RuleSetError(
                    f"{rules.word}: {square} may hold {len(contents)} different sets of pieces, "
                    f"more than the {_MOST_CONTENTS - 1} that can be numbered"
                )
        self.parts = tuple(
            np.array([self._parts(content) for content in contents]) for contents in self.contents
        )
        self._frozen_indices = self._find_frozen(cell)
        self.frozen = tuple(
            tuple(cell[rules.path.squares(side)[index]] for index in self._frozen_indices)
            for side in (LIGHT, DARK)
        )
        advance = dict.fromkeys(self.squares, 0)
        for side in (LIGHT, DARK):
            for index, square in enumerate(rules.path.squares(side)):
                advance[square] += index
        kept = [k for k in range(len(self.squares)) if k not in {*self.frozen[0], *self.frozen[1]}]
        self.ranked = tuple(
            sorted(kept, key=lambda k: (-advance[self.squares[k]], self.squares[k]))
        )
        self.count = self._count()
        n_free = Counter(map(self.free, self.configs))
        weight = np.array([n_free[stock] for stock in range(self.stock.size)])
        self.n_values = int(weight @ self.count @ weight)

    def _find_frozen(self, cell: dict[str, int]) -> tuple[int, ...]:
        """The last path indices from which no piece goes back, as many as side configs tell.

        What stands on each is told by its part of the stock. Where that leaves anything open,
        the path index counts as one of those that ranks run over; so do those before it.
        """
        light = self.rules.path.light
        found: list[int] = []
        for index in reversed(layout_of(self.rules.path).frozen[-_MOST_FROZEN:]):
            mine = self.parts[cell[light[index]]][:, 0]
            if len({*mine.tolist()}) < len(mine):
                break
            found.insert(0, index)
        return tuple(found)

    def _parts(self, content: str) -> tuple[int, int]:
        mine, theirs = (
            self.stock.of(tuple(piece for piece in split(content) if side_of(piece) == side))
            for side in (LIGHT, DARK)
        )
        return mine, theirs

    # Side configs and blocks.

    @cached_property
    def configs(self) -> tuple[Config, ...]:
        """All configs of a side that has not won, the furthest on first."""
        stock = self.stock
        held = [sorted({int(part) for part, _ in self.parts[cell]}) for cell in self.frozen[0]]
        found = []
        for off in range(stock.full):
            for frozen in itertools.product(*held):
                if stock.has(self._left(off), sum(frozen)) and self._is_disjoint(frozen):
                    found.append(Config(off, frozen))
        return tuple(sorted(found, key=lambda config: (-self._progress(config), config.frozen)))

    def _left(self, off: int) -> int:
        return self.stock.full - off

    def _is_disjoint(self, frozen: tuple[int, ...]) -> bool:
        left = self.stock.full
        for part in frozen:
            if not self.stock.has(left, part):
                return False
            left -= part
        return True

    def _progress(self, config: Config) -> int:
        """A count that rises with every change of a side's config."""
        count = self.stock.count
        return count(config.off) * (len(self.rules.path) + 1) + sum(
            (index + 1) * count(part)
            for index, part in zip(self._frozen_indices, config.frozen, strict=True)
        )

    def free(self, config: Config) -> int:
        """The stock of a side that is neither off nor frozen."""
        return self.stock.full - config.off - sum(config.frozen)

    @cached_property
    def _number_of(self) -> dict[Config, int]:
        return {config: k for k, config in enumerate(self.configs)}

    @property
    def n_configs(self) -> int:
        """How many side configs there are."""
        return len(self.configs)

    def next_configs(self, config: int) -> Iterator[int]:
        """The side configs in which one piece is further on for good, dice aside."""
        before = self.configs[config]
        # where a piece may be, the furthest last: free, frozen squares, off
        places = [self.free(before), *before.frozen, before.off]
        for source, target in itertools.combinations(range(len(places)), 2):
            for unit in self.stock.units(places[source]):
                after = list(places)
                after[source] -= unit
                after[target] += unit
                reached = Config(after[-1], tuple(after[1:-1]))
                if reached in self._number_of:
                    yield self._number_of[reached]

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks, in solving order."""
        free = [self.free(config) for config in self.configs]
        count = self.count.tolist()
        return number_blocks(
            [self._progress(config) for config in self.configs],
            lambda mine, theirs: count[free[mine]][free[theirs]],
        )

    # Counting.

    def _count(self) -> npt.NDArray[np.int64]:
        """Ways to fill all ranked squares: shape (my stocks, their stocks)."""
        count = np.ones((self.stock.size, self.stock.size), dtype=np.int64)
        for cell in reversed(self.ranked):
            kinds = Counter(map(tuple, self.parts[cell].tolist()))
            count = sum(
                (ways * self._after(count, *part) for part, ways in kinds.items()),
                start=np.zeros_like(count),
            )
        return count

    def _after(self, count: npt.NDArray[np.int64], mine: int, theirs: int) -> Any:
        """`count` of the stocks less a part of each; 0 if a stock does not contain its part."""
        rows, columns = self.stock.take[:, mine], self.stock.take[:, theirs]
        left = count[np.maximum(rows, 0)][:, np.maximum(columns, 0)]
        return left * np.outer(rows >= 0, columns >= 0)

    @cached_property
    def ranking(self) -> _contents.ContentRanking:
        """The compiled rank and unrank, thread safe."""
        size, squares = self.stock.size, len(self.squares)
        below = []
        count = np.ones((size, size), dtype=np.int64)
        for cell in reversed(self.ranked):
            ways = [self._after(count, *part) for part in self.parts[cell].tolist()]
            sums = np.cumsum([np.zeros_like(count), *ways], axis=0)
            count = sums[-1]
            below.append(np.moveaxis(sums[:-1], 0, 2).ravel())
        below.reverse()
        sizes = [len(contents) for contents in self.contents]
        configs = self.configs
        n_frozen = len(self._frozen_indices)
        config_of = np.full((size, size**n_frozen), -1, dtype=np.int32)
        for k, config in enumerate(configs):
            config_of[config.off, self._code(config.frozen)] = k
        frozen_content = np.zeros((2, n_frozen, size), dtype=np.uint16)
        for side in range(2):
            for k, cell in enumerate(self.frozen[side]):
                frozen_content[side, k, self.parts[cell][:, side]] = np.arange(sizes[cell])
        half_offset = np.full((len(configs), len(configs)), -1, dtype=np.int64)
        halves = [half for block in self.blocks for half in block.halves]
        for half in halves:
            half_offset[half.mine, half.theirs] = half.offset
        tables: dict[str, npt.NDArray[Any]] = {
            "take": self.stock.take,
            "n_contents": np.array(sizes, dtype=np.int32),
            "first_content": np.cumsum([0, *sizes[:-1]]).astype(np.int32),
            "parts": np.concatenate(self.parts).astype(np.int16),
            "mirror_cell": self.mirror_cells,
            "mirror_content": np.concatenate([self._mirrored(k) for k in range(squares)]),
            "ranked": np.array(self.ranked, dtype=np.int32),
            "order_of": np.array(
                [self.ranked.index(k) if k in self.ranked else -1 for k in range(squares)],
                dtype=np.int32,
            ),
            "below": np.concatenate(below),
            "below_start": np.cumsum([0, *map(len, below[:-1])]).astype(np.int64),
            "frozen": np.array(self.frozen, dtype=np.int32).reshape(2, n_frozen),
            "frozen_content": frozen_content,
            "config_of": config_of,
            "config_free": np.array([self.free(config) for config in configs], dtype=np.int32),
            "config_frozen": np.array(
                [config.frozen for config in configs], dtype=np.int32
            ).reshape(len(configs), n_frozen),
            "half_offset": half_offset,
            "half_start": np.array([half.offset for half in halves], dtype=np.int64),
            "half_configs": np.array([(h.mine, h.theirs) for h in halves], dtype=np.int32),
        }
        return _contents.ContentRanking(tables)

    def _code(self, frozen: tuple[int, ...]) -> int:
        code = 0
        for part in frozen:
            code = code * self.stock.size + part
        return code

    @cached_property
    def mirror_cells(self) -> npt.NDArray[np.int32]:
        """For each cell the one across the board."""
        cell = {square: k for k, square in enumerate(self.squares)}
        return np.array([cell[mirror_square(s)] for s in self.squares], dtype=np.int32)

    def _mirrored(self, cell: int) -> npt.NDArray[np.uint16]:
        """For each content of a cell what the mirror cell holds in the mirror image."""
        other = int(self.mirror_cells[cell])
        arranged = self.rules.mechanics.arranged
        return np.array(
            [
                self.content_numbers[other][
                    arranged(self.squares[other], split(swap_sides(content)))
                ]
                for content in self.contents[cell]
            ],
            dtype=np.uint16,
        )

    # Rows.

    @cached_property
    def content_numbers(self) -> tuple[dict[str, int], ...]:
        """For each cell the number of each content."""
        return tuple(
            {content: k for k, content in enumerate(contents)} for contents in self.contents
        )

    @property
    def state_width(self) -> int:
        """Numbers in an encoded state: one a square, then two home stocks."""
        return len(self.squares) + 2

    def encode(self, position: Position) -> Sequence[int]:
        """`position` from the side about to throw, as a state row.

        Returns
        -------
        list of int, `state_width` long
            The number of every square's content in board order, my home stock and theirs;
            65535 for a content that is none of the square's.
        """
        own = position if position.side == LIGHT else position.mirror()
        row = [
            numbers.get(content, _contents.NO_CONTENT)
            for numbers, content in zip(self.content_numbers, own.contents, strict=True)
        ]
        for side in (LIGHT, DARK):
            if self.stock.is_numbered:
                row.append(sum(1 << number - 1 for number in own.numbers(side)))
            else:
                row.append(own.home(side))
        return row

    def decode(self, state: Sequence[int], side: str = LIGHT) -> Position:
        """The position of a state row, `side` about to throw; the inverse of `encode`."""
        contents = tuple(
            contents[number] for contents, number in zip(self.contents, state[:-2], strict=True)
        )
        mine, theirs = int(state[-2]), int(state[-1])
        own = Position(
            self.rules,
            contents,
            LIGHT,
            self.stock.count(mine),
            self.stock.count(theirs),
            (self.stock.numbers(mine), self.stock.numbers(theirs)),
        )
        return own if side == LIGHT else own.mirror()

    def _rank_rows(self, states: npt.NDArray[Any], ranks: npt.NDArray[np.int64]) -> None:
        _contents.rank_states(self.ranking, states, ranks)

    def _unrank_rows(self, ranks: npt.NDArray[np.int64], states: npt.NDArray[Any]) -> None:
        _contents.unrank_states(self.ranking, ranks, states)
