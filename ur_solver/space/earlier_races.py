"""The ranks that positions of the race family had before version 7 of the table format.

They are for reading tables of versions 3 to 6 (`ur_solver.table.upgrade`); nothing is solved in
this order. It is

    table  = block 0, block 1, ...            as `ur_solver.space.base.number_blocks` orders them
    block  = its half, and the mirrored half
    half   = fillings of the shared squares   lexicographic, the most advanced square first
    tile   = a matrix                         my entry squares x their entry squares

A side config is what a side can no longer lose: pieces that are off, and the squares held of the
*frozen* ones, the tail of the path that no other side visits. *Entry* squares are the private ones
before those; *shared* squares are the rest.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.rules import DARK, LIGHT, Position, RuleSet
from ur_solver.space.base import LAST_RANKS, Block, Space, StateLayout, number_blocks
from ur_solver.space.layout import layout_of
from ur_solver.space.tiles import TileSpace

LAST_VERSION = LAST_RANKS - 1
"""The last version of the table format in which these were the ranks."""

_LETTERS = ("", "L", "D", "l", "d")
"""Contents of a square by their number here; small letters are pieces on the second leg."""

_AT_ONCE = 1 << 14
"""The positions that are ranked at once, whose numbers the cache holds."""

_MOST_ENTRIES, _MOST_FROZEN, _MOST_SHARED, _MOST_ROWS = 7, 8, 20, 512


class EarlierRaces(Space):
    """The earlier ranks of a rule set that had them (`serves`).

    Encoded states are those of `TileSpace`. Ranks are computed by NumPy: some million a second.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self._now = TileSpace(rules)
        self.state_dtype = self._now.state_dtype
        self._path = _Path(rules)
        path, pieces = self._path, rules.pieces
        configs = itertools.product(range(pieces), range(1 << len(path.frozen)))
        kept = [pair for pair in configs if pair[0] + pair[1].bit_count() <= pieces]
        self._configs = sorted(kept, key=lambda pair: (-path.progress(*pair), pair[1]))
        self._masks = {mask: path.entry_masks(mask) for _, mask in self._configs}
        # configs that leave as many entry squares free are counted alike: one shape
        shapes = sorted({len(masks) for masks in self._masks.values()})
        self._shape = [shapes.index(len(self._masks[mask])) for _, mask in self._configs]
        self._free = [pieces - off - mask.bit_count() for off, mask in self._configs]
        by_shape = {len(masks): masks for masks in self._masks.values()}
        self._prefix = np.array([
            [sum(mask.bit_count() <= k for mask in by_shape[size]) for k in range(pieces + 1)]
            for size in shapes
        ])  # fmt: skip
        self._count, self._below = self._counts()
        order = [path.progress(*config) for config in self._configs]
        self._shapes, self._frees = np.array(self._shape), np.array(self._free)
        self._codes = {
            square: np.array([_LETTERS.index(each) for each in held], np.uint8)
            for square, held in self.state_layout.contents.items()
        }
        self._blocks: tuple[Block, ...] = number_blocks(order, self._half_size)
        self.n_values = sum(block.size for block in self._blocks)

    @staticmethod
    def serves(rules: RuleSet) -> bool:
        """Whether tables of a rule set had these ranks."""
        return (
            rules.stakes is None
            and rules.mechanics.is_plain_race
            and rules.dice.is_ordinary
            and _Path(rules).is_cut_into_tiles()
        )

    def _counts(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The fillings of the shared squares; and of those from each square on, by digit.

        Returns
        -------
        count : int64, shape (shapes, shapes, pieces + 1, pieces + 1)
            With at most as many free pieces of mine and of theirs.
        below : int64, shape (shapes, shapes, squares, pieces + 1, pieces + 1, digits)
            Those with a smaller digit on the square.
        """
        shared, size = self._path.shared, self.rules.pieces + 1
        n_digits = max(len(codes) for _, codes in shared)
        shapes = len(self._prefix)
        count = np.zeros((shapes, shapes, size, size), np.int64)
        below = np.zeros((shapes, shapes, len(shared), size, size, n_digits), np.int64)
        for mine, theirs in itertools.product(range(shapes), repeat=2):
            ways = np.outer(self._prefix[mine], self._prefix[theirs]).astype(np.int64)
            for s in reversed(range(len(shared))):
                total = np.zeros((size, size), np.int64)
                for digit, code in enumerate(shared[s][1]):
                    i, j = code & 1, (code > 0) - (code & 1)
                    below[mine, theirs, s, i:, j:, digit] = total[i:, j:]
                    total[i:, j:] += ways[: size - i, : size - j]
                ways = total
            count[mine, theirs] = ways
        return count, below

    def _half_size(self, mine: int, theirs: int) -> int:
        at = self._shape[mine], self._shape[theirs], self._free[mine], self._free[theirs]
        return int(self._count[at])

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks, in their order."""
        return self._blocks

    @property
    def n_configs(self) -> int:
        """The number of side configs."""
        return len(self._configs)

    def next_configs(self, config: int) -> Iterator[int]:
        """Nothing is solved in this order."""
        raise NotImplementedError

    def n_off(self, config: int) -> int:
        """The number of pieces that a side with this config has borne off."""
        return self._configs[config][0]

    @property
    def state_width(self) -> int:
        """That of `TileSpace`."""
        return self._now.state_width

    @property
    def state_layout(self) -> StateLayout:
        """That of `TileSpace`."""
        return self._now.state_layout

    def encode(self, position: Position) -> Sequence[int]:
        """As `TileSpace` does."""
        return self._now.encode(position)

    def decode(self, state: Sequence[int], side: str = LIGHT) -> Position:
        """As `TileSpace` does."""
        return self._now.decode(state, side)

    def _unrank_rows(self, ranks: npt.NDArray[np.int64], states: npt.NDArray[Any]) -> None:
        # only to name the first position of a damaged chunk, so that a search is good enough
        for start in range(0, self.n_values, _AT_ONCE):
            stop = min(start + _AT_ONCE, self.n_values)
            found = self._now.unrank_states(np.arange(start, stop))
            place, at = np.nonzero(ranks[:, np.newaxis] == self._rank_some(found))
            states[place] = found[at]
            if len(ranks) == len(place):
                return

    @cached_property
    def _tables(self) -> tuple[npt.NDArray[np.int64], ...]:
        """What ranks are made of.

        By pieces off and frozen squares, the config; by frozen and entry squares, the row; by two
        configs, the first rank of their half.
        """
        masks = 1 << len(self._path.frozen)
        config_of = np.full((self.rules.pieces + 1, masks), -1)
        for number, config in enumerate(self._configs):
            config_of[config] = number
        row_of = np.zeros((masks, 1 << len(self._path.entry)), np.int64)
        for frozen, entries in self._masks.items():
            row_of[frozen, list(entries)] = np.arange(len(entries))
        offset = np.zeros((len(self._configs),) * 2, np.int64)
        for half in itertools.chain.from_iterable(block.halves for block in self._blocks):
            offset[half.mine, half.theirs] = half.offset
        return config_of, row_of, offset

    def _rank_rows(self, states: npt.NDArray[Any], ranks: npt.NDArray[np.int64]) -> None:
        for start in range(0, len(states), _AT_ONCE):
            ranks[start : start + _AT_ONCE] = self._rank_some(states[start : start + _AT_ONCE])

    def _rank_some(self, states: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        columns = np.ascontiguousarray(states.T)
        codes = {
            square: self._codes[square].take(columns[cell])
            for cell, square in enumerate(self.state_layout.contents)
        }
        homes, shared = columns[-2:], self._path.shared
        mine, my_row = self._config_and_row(codes, homes[0], is_mine=True)
        theirs, their_row = self._config_and_row(codes, homes[1], is_mine=False)
        offset = self._tables[2]
        my_shape, their_shape = self._shapes.take(mine), self._shapes.take(theirs)
        _, shapes, n_squares, size, _, n_digits = self._below.shape
        free = self._frees.take(mine) * size + self._frees.take(theirs)
        # where the counts of a square begin for as many pieces as are left to place
        at = ((my_shape * shapes + their_shape) * n_squares * size * size + free) * n_digits
        found = offset[mine, theirs]
        for square, digits in shared:
            digit_of, steps = np.zeros((2, len(_LETTERS)), np.int64)
            digit_of[list(digits)] = np.arange(len(digits))
            steps[1:] = np.where(np.arange(1, len(_LETTERS)) % 2, size, 1)
            held = codes[square]
            found += self._below.take(at + digit_of.take(held))
            at += (size * size - steps).take(held) * n_digits
        left = at // n_digits % size
        found += my_row * self._prefix[their_shape, left] + their_row
        found[(mine < 0) | (theirs < 0)] = -1
        return found

    def _config_and_row(
        self, codes: dict[str, npt.NDArray[np.uint8]], home: npt.NDArray[Any], *, is_mine: bool
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """A side's config, -1 if it has none, and the row of its entry squares."""
        config_of, row_of, _ = self._tables
        counts = np.array([0, is_mine, not is_mine] * 2, np.int64)[[0, 1, 2, 4, 5]]
        off = self.rules.pieces - home.astype(np.int64)
        for held in codes.values():
            off -= counts.take(held)
        frozen = self._path.mask(codes, self._path.frozen, is_mine)
        return config_of[off, frozen], row_of[
            frozen, self._path.mask(codes, self._path.entry, is_mine)
        ]


class _Path:
    """The roles of a path's squares, by path index."""

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        layout = layout_of(rules.path)
        self.frozen = tuple(range(layout.first_frozen, len(rules.path)))
        self.entry = layout.entry
        # the most advanced first: its square, and the codes of its contents, ascending
        shared = []
        for square in layout.shared:
            visits = layout.visits(square)
            codes = {
                self._code(is_mine, index)
                for is_mine, indices in zip((True, False), visits, strict=True)
                for index in indices
            }
            shared.append((-sum(map(sum, visits)), square, (0, *sorted(codes))))
        self.shared = [(square, codes) for _, square, codes in sorted(shared)]

    def _code(self, is_mine: bool, index: int) -> int:
        return (1 if is_mine else 2) + 2 * self._rules.path.is_second_leg(index)

    def progress(self, off: int, frozen: int) -> int:
        """A number that every change of a side's config increases."""
        held = sum(index + 1 for k, index in enumerate(self.frozen) if frozen >> k & 1)
        return off * (len(self._rules.path) + 1) + held

    def entry_masks(self, frozen: int) -> tuple[int, ...]:
        """The sets of entry squares that may be held with some frozen ones, the fewest first."""
        light = self._rules.path.light
        taken = {light[index] for k, index in enumerate(self.frozen) if frozen >> k & 1}
        free = sum(1 << k for k, index in enumerate(self.entry) if light[index] not in taken)
        masks = [mask for mask in range(1 << len(self.entry)) if mask & ~free == 0]
        return tuple(sorted(masks, key=lambda mask: (mask.bit_count(), mask)))

    def mask(
        self, codes: dict[str, npt.NDArray[np.uint8]], indices: Sequence[int], is_mine: bool
    ) -> npt.NDArray[np.int64]:
        """Which of some path indices a side holds, as bits."""
        squares = self._rules.path.squares(LIGHT if is_mine else DARK)
        bits = np.zeros(len(next(iter(codes.values()))), np.int64)
        for k, index in enumerate(indices):
            bits |= (codes[squares[index]] == self._code(is_mine, index)).astype(np.int64) << k
        return bits

    def is_cut_into_tiles(self) -> bool:
        """Whether the path falls into a few entry squares, shared ones and a few frozen ones.

        There are at least as many shared squares as the longest throw moves.
        """
        light, n_entry = self._rules.path.light, len(self.entry)
        first = len(light) - len(self.frozen)
        longest = max(self._rules.dice.throws)
        return (
            n_entry <= _MOST_ENTRIES
            and self.entry == tuple(range(n_entry))
            and first - n_entry >= longest
            and len(self.frozen) <= _MOST_FROZEN
            and all(len({*part}) == len(part) for part in (light[:n_entry], light[first:]))
            and len(self.shared) <= _MOST_SHARED
            and self._most_rows() <= _MOST_ROWS
        )

    def _most_rows(self) -> int:
        pieces = self._rules.pieces
        n_forks = sum({1, 3} <= {*codes} for _, codes in self.shared)  # both codes of mine
        return max(
            sum(math.comb(len(self.entry), k) for k in range(pieces - held + 1)) << held
            for held in range(min(n_forks, pieces) + 1)
        )
