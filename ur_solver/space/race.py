"""The race family's state space: every position that is not over, numbered 0, 1, 2 ...

Ranks are ordered for the solver and the file:

    table  = block 0, block 1, ...            in an order in which moves lead only to
                                              the same block or an earlier one
    block  = its half, and the mirrored half  (one half where both sides agree)
    half   = fillings of the shared squares   lexicographic, most advanced square first
    tile   = a matrix                         my entry masks x their entry masks

A *side config* is what a side cannot lose any more (pieces off and frozen); a half is
an ordered pair of them, mine and theirs; a block the unordered pair.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.rules import LIGHT, Position, RuleSet
from ur_solver.space import _ranking
from ur_solver.space.base import Block, Space, number_blocks
from ur_solver.space.counting import below_table, prefix_sizes
from ur_solver.space.layout import (
    N_CODES,
    Layout,
    SideConfig,
    layout_of,
    next_configs,
    progress,
    side_configs,
)

_LETTERS = ("", "L", "D", "l", "d")


class RaceSpace(Space):
    """The numbered positions of a rule set of the race family.

    Attributes
    ----------
    rules : RuleSet
    layout : Layout
    configs : tuple of SideConfig
        The furthest on first; a half names its configs by their index here.
    """

    state_dtype = np.dtype(np.uint8)

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.layout: Layout = layout_of(rules.path)
        self.configs: tuple[SideConfig, ...] = side_configs(self.layout, rules.pieces)
        self._masks = {
            config.frozen_mask: self.layout.entry_masks(config.frozen_mask)
            for config in self.configs
        }
        # Configs whose sides have as many entry squares left count alike: one shape.
        self._shapes = sorted({len(masks) for masks in self._masks.values()})
        self._prefix = [
            prefix_sizes(next(m for m in self._masks.values() if len(m) == rows), rules.pieces)
            for rows in self._shapes
        ]
        self._n_digits = max(len(square.codes) for square in self.layout.shared)
        self._count, self._below = self._counting_tables()
        self._number_of = {config: k for k, config in enumerate(self.configs)}
        self._blocks: tuple[Block, ...] = number_blocks(
            [progress(self.layout, config) for config in self.configs], self._half_size
        )
        self.n_values = sum(block.size for block in self._blocks)

    @staticmethod
    def serves(rules: RuleSet) -> bool:
        """Whether rules have this space: plain race rules, on a path that falls into tiles.

        Other dice than ordinary ones leave it to `TileSpace`, whose kernel solves turns that
        pass back and forth as equations.
        """
        return (
            rules.mechanics.is_plain_race
            and rules.dice.is_ordinary
            and layout_of(rules.path).is_cut_into_tiles(rules.pieces, max(rules.dice.throws))
        )

    def shape(self, config: int) -> int:
        """Which of the entry-square counts a side config has."""
        return self._shapes.index(len(self._masks[self.configs[config].frozen_mask]))

    def free(self, config: int) -> int:
        """How many pieces of a side are neither off nor frozen."""
        return self.rules.pieces - self.configs[config].settled

    def entry_masks(self, config: int) -> tuple[int, ...]:
        """The rows of a tile whose side has this config: entry masks, fewest first."""
        return self._masks[self.configs[config].frozen_mask]

    def _counting_tables(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        pieces, shared = self.rules.pieces, self.layout.shared
        shapes = range(len(self._shapes))
        count = np.zeros((len(shapes), len(shapes), pieces + 1, pieces + 1), dtype=np.int64)
        below = np.zeros(
            (*count.shape[:2], len(shared), *count.shape[2:], self._n_digits), np.int64
        )
        for mine, theirs in itertools.product(shapes, shapes):
            weight = np.outer(self._prefix[mine], self._prefix[theirs])
            count[mine, theirs], below[mine, theirs] = below_table(
                shared, pieces, weight, self._n_digits
            )
        return count, below

    def _half_size(self, mine: int, theirs: int) -> int:
        return int(
            self._count[self.shape(mine), self.shape(theirs), self.free(mine), self.free(theirs)]
        )

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks, in solving order."""
        return self._blocks

    @property
    def n_configs(self) -> int:
        """How many side configs there are."""
        return len(self.configs)

    def next_configs(self, config: int) -> Iterator[int]:
        """The side configs that one move can irreversibly lead to, by any throw."""
        for further in next_configs(self.layout, self.rules.pieces, self.configs[config]):
            if further in self._number_of:
                yield self._number_of[further]

    def n_off(self, config: int) -> int:
        """How many pieces a side with this config has borne off."""
        return self.configs[config].off

    @cached_property
    def ranking(self) -> _ranking.Ranking:
        """The compiled rank and unrank, thread safe."""
        layout, configs = self.layout, self.configs
        squares = layout.path.board.squares
        cell = {square: k for k, square in enumerate(squares)}
        cell_digit = np.full((len(squares), N_CODES), -1, dtype=np.int8)
        cell_bits = np.zeros((len(squares), N_CODES), dtype=np.uint32)
        cell_shared = np.full(len(squares), -1, dtype=np.int8)
        digit_code = np.zeros((len(layout.shared), self._n_digits), dtype=np.uint8)
        for square in squares:
            for digit, code in enumerate(layout.codes(square)):
                cell_digit[cell[square], code] = digit
        for s, shared in enumerate(layout.shared):
            cell_shared[cell[shared.square]] = s
            digit_code[s, : len(shared.codes)] = shared.codes
        for shift, indices in ((0, layout.entry), (8, layout.frozen)):
            for bit, index in enumerate(indices):
                for mine, side_shift in ((True, 0), (False, 16)):
                    square, code = layout.place(index, mine)
                    cell_bits[cell[square], code] = 1 << (bit + shift + side_shift)
        n_frozen = 1 << len(layout.frozen)
        config_of = np.full((self.rules.pieces + 1, n_frozen), -1, dtype=np.int32)
        for k, config in enumerate(configs):
            config_of[config.off, config.frozen_mask] = k
        row_of = np.full((n_frozen, 1 << len(layout.entry)), -1, dtype=np.int16)
        row_mask = np.zeros((n_frozen, 1 << len(layout.entry)), dtype=np.uint8)
        for frozen_mask, masks in self._masks.items():
            for row, mask in enumerate(masks):
                row_of[frozen_mask, mask] = row
                row_mask[frozen_mask, row] = mask
        halves = [half for block in self.blocks for half in block.halves]
        half_offset = np.full((len(configs), len(configs)), -1, dtype=np.int64)
        for half in halves:
            half_offset[half.mine, half.theirs] = half.offset
        tables: dict[str, npt.NDArray[Any]] = {
            "cell_bits": cell_bits,
            "cell_digit": cell_digit,
            "cell_shared": cell_shared,
            "shared_cell": np.array([cell[s.square] for s in layout.shared], dtype=np.uint8),
            "digit_code": digit_code,
            "config_of": config_of,
            "config_off": np.array([config.off for config in configs], dtype=np.uint8),
            "config_mask": np.array([config.frozen_mask for config in configs], dtype=np.uint8),
            "config_free": np.array([self.free(k) for k in range(len(configs))], dtype=np.uint8),
            "config_shape": np.array([self.shape(k) for k in range(len(configs))], dtype=np.uint8),
            "row_of": row_of,
            "row_mask": row_mask,
            "row_prefix": np.array(self._prefix, dtype=np.int32),
            "below": self._below,
            "half_offset": half_offset,
            "half_start": np.array([half.offset for half in halves], dtype=np.int64),
            "half_configs": np.array([(h.mine, h.theirs) for h in halves], dtype=np.int32),
        }
        return _ranking.Ranking(tables, self.rules.pieces, self.n_values)

    @property
    def state_width(self) -> int:
        """Bytes in an encoded state: one a square, then two home counts."""
        return len(self.rules.board.squares) + 2

    def encode(self, position: Position) -> bytes:
        """`position` from the side about to throw, as a state row.

        Returns
        -------
        bytes, `state_width` long
            The content code of every square in board order (0 empty, 1 mine, 2 theirs,
            3 mine and 4 theirs on the second leg), my home count, their home count.
        """
        own = position if position.side == LIGHT else position.mirror()
        codes = bytes(map(_LETTERS.index, own.contents))
        return codes + bytes((own.light_home, own.dark_home))

    def decode(self, state: Sequence[int], side: str = LIGHT) -> Position:
        """The position of a state row, `side` about to throw; the inverse of `encode`."""
        contents = tuple(_LETTERS[code] for code in state[:-2])
        own = Position(self.rules, contents, LIGHT, int(state[-2]), int(state[-1]))
        return own if side == LIGHT else own.mirror()

    def _rank_one(self, position: Position) -> int:
        rank: int = _ranking.rank_one(self.ranking, self.encode(position))
        return rank

    def _rank_rows(self, states: npt.NDArray[Any], ranks: npt.NDArray[np.int64]) -> None:
        _ranking.rank_states(self.ranking, states, ranks)

    def _unrank_rows(self, ranks: npt.NDArray[np.int64], states: npt.NDArray[Any]) -> None:
        _ranking.unrank_states(self.ranking, ranks, states)
