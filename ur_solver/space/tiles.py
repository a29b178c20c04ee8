"""The state space of any rule set: tiles of what both sides see, rows of mine, columns of theirs.

A square's *content* is numbered by its place in `Family.contents_on`, and uses up a part
of each side's *stock* of pieces (`ur_solver.space.stock`). Ranks are laid out so:

    table  = block 0, block 1, ...   in solving order
    block  = its half, and the mirrored half  (one half where both sides agree)
    half   = tiles: shapes of the shared squares, lexicographic, the most advanced square first
    tile   = a matrix, rows x columns; what is then left of a side's stock is at home
    row    = the marks and numbers of my pieces on shared squares, then my *placement*: the
             contents of my private squares; a column the same of theirs, as they see it

A square is *shared* if both sides may stand there, *private* if only one may, and *frozen* if
it is at the tail of the path on which nothing is ever captured; a side config says which of a
side's pieces are off and which stand on each frozen square. `ur_solver.space.shapes` tells a
shape from its details.

Shapes are counted from the last square backwards: `count[i, j]` is the number of positions
that squares s, s+1, ... and all private ones can have with at most the stocks i of mine and j
of theirs. No rank is left out, whatever the contents are.
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
from ur_solver.space import _tile_ranking
from ur_solver.space.base import Block, Space, number_blocks
from ur_solver.space.digits import Digits
from ur_solver.space.layout import layout_of
from ur_solver.space.placements import Placements
from ur_solver.space.shapes import shaped
from ur_solver.space.stock import Stock

_MOST_FROZEN = 4
"""The most frozen squares of a side config; tables have an entry for each config."""

_MOST_CONTENTS = 0xFFFF
"""Of a square; rows of states are of 16 bits, and the last number is none."""

_MOST_CODES = 1 << 20
"""Products of what private squares may hold, by which placements are looked up."""


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


class TileSpace(Space):
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
    shaped : tuple of ShapedSquare
        For each cell its shapes and details.
    digits : Digits
        How details are numbered.
    shared : tuple of int
        The cells that tiles tell, the most significant first.
    private : tuple of int
        My cells that rows tell. Columns tell the cells across the board.
    frozen : tuple of tuple of int
        My frozen cells and theirs, by path index.
    placements : Placements
        Of the private cells.
    """

    state_dtype = np.dtype(np.uint16)

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.stock = Stock(rules.pieces, rules.mechanics.is_numbered)
        self.first_version = 6 if self.stock.is_numbered else 3
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
        self.shaped = tuple(
            shaped(contents, rules.mechanics.squares[square].is_stack)
            for square, contents in zip(self.squares, self.contents, strict=True)
        )
        self.digits = Digits.of(self.shaped, self.parts, self.stock.take)
        self._frozen_indices = self._find_frozen(cell)
        self.frozen = tuple(
            tuple(cell[rules.path.squares(side)[index]] for index in self._frozen_indices)
            for side in (LIGHT, DARK)
        )
        advance = dict.fromkeys(self.squares, 0)
        for side in (LIGHT, DARK):
            for index, square in enumerate(rules.path.squares(side)):
                advance[square] += index
        ranked = sorted(
            {*range(len(self.squares))} - {*self.frozen[0], *self.frozen[1]},
            key=lambda k: (-advance[self.squares[k]], self.squares[k]),
        )
        self.private = self._find_private(ranked)
        told = {*self.private, *(int(self.mirror_cells[k]) for k in self.private)}
        self.shared = tuple(k for k in ranked if k not in told)
        self.placements = Placements.of(self.stock, [self.parts[k][:, 0] for k in self.private])
        self._check_numbers()
        self.count = self._counts()[0]
        n_free = Counter(map(self.free, self.configs))
        weight = np.array([n_free[stock] for stock in range(self.stock.size)])
        self.n_values = int(weight @ self.count @ weight)

    def _find_private(self, ranked: Sequence[int]) -> tuple[int, ...]:
        """My private cells, as many as placements can be numbered by; others count as shared."""
        found: list[int] = []
        codes = 1
        for cell in ranked:
            mine, theirs = (bool(self.parts[cell][:, side].any()) for side in range(2))
            if mine and not theirs and codes * len(self.contents[cell]) <= _MOST_CODES:
                found.append(cell)
                codes *= len(self.contents[cell])
        return tuple(found)

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

    def _check_numbers(self) -> None:
        """Ranks count what so many pieces can do, whichever they are."""
        count = np.array([self.stock.count(stock) for stock in range(self.stock.size)])
        for ways in (self.digits.n_digits, self.placements.n):
            for n in set(count.tolist()):
                if (ways[count == n] != ways[count == n][0]).any():
                    raise RuleSetError(
                        f"{self.rules.word}: what may stand on a square depends on the numbers of "
                        f"pieces, which is not solved"
                    )

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

    def n_off(self, config: int) -> int:
        """How many pieces a side with this config has borne off."""
        return self.stock.count(self.configs[config].off)

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

    def _counts(self) -> tuple[npt.NDArray[np.int64], list[npt.NDArray[np.int64]]]:
        """How many positions there are, by both stocks; and how many have smaller shapes.

        Returns
        -------
        count : int64, shape (my stocks, their stocks)
        below : list of int64 arrays, shape (my stocks, their stocks, shapes)
            For each shared square.
        """
        count = np.outer(self.placements.n, self.placements.n)
        below = []
        for cell in reversed(self.shared):
            ways = [self._ways(count, shape) for shape in self._shapes_of(cell)]
            sums = np.cumsum([np.zeros_like(count), *ways], axis=0)
            count = sums[-1]
            below.append(np.moveaxis(sums[:-1], 0, 2))
        return count, below[::-1]

    def _shapes_of(self, cell: int) -> range:
        """The numbers of a cell's shapes, counted over all cells."""
        first = sum(square.n_shapes for square in self.shaped[:cell])
        return range(first, first + self.shaped[cell].n_shapes)

    def _ways(self, count: npt.NDArray[np.int64], shape: int) -> npt.NDArray[np.int64]:
        """How many positions there are with a shape, if `count` says it of all that is left."""
        (mine, theirs), (n_mine, n_theirs) = (
            self.digits.rest[:, shape].T,
            self.digits.n_digits[:, shape].T,
        )
        left = count[np.maximum(mine, 0)][:, np.maximum(theirs, 0)]
        ways: npt.NDArray[np.int64] = left * np.outer(n_mine, n_theirs)
        return ways

    @cached_property
    def ranking(self) -> _tile_ranking.TileRanking:
        """The compiled rank and unrank, thread safe."""
        size, squares = self.stock.size, len(self.squares)
        below = [each.ravel() for each in self._counts()[1]]
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
        n_shapes = [square.n_shapes for square in self.shaped]
        n_details = [
            list(zip(square.n_mine, square.n_theirs, strict=True)) for square in self.shaped
        ]
        tables: dict[str, npt.NDArray[Any]] = {
            "take": self.stock.take,
            "n_contents": np.array(sizes, dtype=np.int32),
            "first_content": np.cumsum([0, *sizes[:-1]]).astype(np.int32),
            "parts": np.concatenate(self.parts).astype(np.int16),
            "mirror_cell": self.mirror_cells,
            "mirror_content": np.concatenate([self._mirrored(k) for k in range(squares)]),
            "shared": np.array(self.shared, dtype=np.int32),
            "private": np.array(self.private, dtype=np.int32),
            "radix": self.placements.radix,
            "n_placements": self.placements.n.astype(np.int32),
            "placement_of": self.placements.number_of,
            "code_of": self.placements.code_of,
            "n_shapes": np.array(n_shapes, dtype=np.int32),
            "first_shape": np.cumsum([0, *n_shapes[:-1]]).astype(np.int32),
            "n_details": np.concatenate(n_details).astype(np.int32),
            "shape_of": np.concatenate([square.shape for square in self.shaped]).astype(np.uint16),
            "detail_of": np.concatenate(
                [list(zip(square.mine, square.theirs, strict=True)) for square in self.shaped]
            ).astype(np.uint16),
            "n_digits": self.digits.n_digits,
            "rest": self.digits.rest,
            "digit_of": self.digits.digit_of,
            "detail_at": self.digits.detail_at,
            "first_entry": self.digits.first_entry,
            "below": np.concatenate(below) if below else np.zeros(0, dtype=np.int64),
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
        return _tile_ranking.TileRanking(tables)

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
            numbers.get(content, _tile_ranking.NO_CONTENT)
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
        _tile_ranking.rank_states(self.ranking, states, ranks)

    def _unrank_rows(self, ranks: npt.NDArray[np.int64], states: npt.NDArray[Any]) -> None:
        _tile_ranking.unrank_states(self.ranking, ranks, states)
