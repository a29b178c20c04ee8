"""The tables that cut a space's blocks into tiles, for the tiled kernel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ur_solver.kernel.tables import MoveTables, move_tables
from ur_solver.space import Block, RaceSpace
from ur_solver.space.counting import below_table, prefix_sizes
from ur_solver.space.layout import EMPTY, SharedSquare, is_mine

HOME = -1
MAX_ENTRIES = 7
MAX_THROWS = 8
LANE_SQUARES = 4
LANES = 8
"""As in tiles.h: moves in a record of `RowMoves`, throws, entry squares of a lane,
floats in a vector."""

_OWN_G, _OWN_F, _FIRST_SLOT = 0, 1, 2


@dataclass(frozen=True)
class Slot:
    """A move from an entry square or home to a shared square.

    Its matrix depends on the tile only; the row it starts from decides whether there is
    such a piece.
    """

    source: int
    throw: int

    @property
    def target(self) -> int:
        """The path index it lands on."""
        return self.source + self.throw


class Tiling:
    """What all blocks of a space have in common for the tiled kernel."""

    def __init__(self, space: RaceSpace) -> None:
        self.space = space
        self.layout = space.layout
        self.moves: MoveTables = move_tables(space)
        self.throws: tuple[int, ...] = tuple(throw for throw in space.rules.dice.throws if throw)
        self._shared_of = {s.square: k for k, s in enumerate(self.layout.shared)}

    @cached_property
    def n_leading(self) -> int:
        """How many shared squares, the most significant, divide a half's tiles into groups.

        All but those, at the end, that both sides pass once and in the same order: on them
        a piece that moves makes a tile's number larger. Three at least, so that there are
        groups for several threads.
        """
        squares = self.layout.shared
        aligned = 0
        last = [-1, -1]
        for square in reversed(squares):
            visits = [self.layout.path_index(square.square, code) for code in square.codes[1:]]
            if len(visits) != 2 or not (visits[0] > last[0] and visits[1] > last[1]):
                break
            last = visits
            aligned += 1
        return min(len(squares), max(3, len(squares) - aligned))

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """The moves from entry squares and home to shared squares, by throw."""
        return tuple(
            Slot(source, throw)
            for throw in self.throws
            for source in (HOME, *self.layout.entry)
            if source + throw not in self.layout.entry
        )

    @cached_property
    def doors(self) -> tuple[int, ...]:
        """The path indices on which slots land; each can be closed in a tile."""
        return tuple(sorted({slot.target for slot in self.slots}))

    @cached_property
    def tile_below(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """`below_table` with every filling of the shared squares counted once."""
        size = self.space.rules.pieces + 1
        digits = max(len(square.codes) for square in self.layout.shared)
        return below_table(
            self.layout.shared, size - 1, np.ones((size, size), dtype=np.int64), digits
        )

    @cached_property
    def digits(self) -> dict[str, npt.NDArray[np.int8]]:
        """What a digit of a shared square stands for.

        Returns
        -------
        dict
            ``my_index`` and ``their_index`` (square, digit): the path index of the piece
            on its own side's path, -1 if it is not of that side; ``my_square``,
            ``my_digit`` (path index): where a piece of mine at that index stands, -1 if
            not on a shared square; ``mirror_square`` (square), ``mirror_digit``
            (square, digit): the same contents as the opponent sees them.
        """
        shared, layout = self.layout.shared, self.layout
        width = max(len(square.codes) for square in shared)
        my_index = np.full((len(shared), width), -1, dtype=np.int8)
        their_index = np.full((len(shared), width), -1, dtype=np.int8)
        mirror_square = np.zeros(len(shared), dtype=np.int8)
        mirror_digit = np.zeros((len(shared), width), dtype=np.int8)
        my_square = np.full(len(layout.path), -1, dtype=np.int8)
        my_digit = np.full(len(layout.path), -1, dtype=np.int8)
        for k, square in enumerate(shared):
            for digit, code in enumerate(square.codes):
                if code == EMPTY:
                    continue
                index = layout.path_index(square.square, code)
                mine = is_mine(code)
                (my_index if mine else their_index)[k, digit] = index
                if mine:
                    my_square[index], my_digit[index] = k, digit
                other_square, other_code = layout.place(index, not mine)
                other = self._shared_of[other_square]
                mirror_square[k] = other
                mirror_digit[k, digit] = shared[other].codes.index(other_code)
        return {
            "my_index": my_index,
            "their_index": their_index,
            "my_square": my_square,
            "my_digit": my_digit,
            "mirror_square": mirror_square,
            "mirror_digit": mirror_digit,
        }

    @cached_property
    def lane(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]] | None:
        """What the kernel's unrolled rows must know, or None if they do not apply.

        They are for four entry squares at the head of the path and throws of 1, 2, 3 and
        perhaps 4, which all paths and dice of the literature but murray-royalur have.

        Returns
        -------
        again : int32, shape (8,)
            By throw, bit by entry square: landing there gives an extra throw.
        slot : int32, shape (8, 5)
            By throw and source (home, then the entry squares): the slot, -1 if the move
            stays on the entry squares.
        """
        entry = self.layout.entry
        if entry != tuple(range(LANE_SQUARES)) or self.throws not in ((1, 2, 3), (1, 2, 3, 4)):
            return None
        again = np.zeros(MAX_THROWS, dtype=np.int32)
        slot = np.full((MAX_THROWS, LANE_SQUARES + 1), -1, dtype=np.int32)
        for n, throw in enumerate(self.throws):
            again[n] = sum(self.again(index, throw) << index for index in entry)
        for k, known in enumerate(self.slots):
            slot[self.throws.index(known.throw), known.source + 1] = k
        return again, slot

    def again(self, target: int, throw: int) -> bool:
        """Whether a move that captures nothing gives an extra throw."""
        rules = self.space.rules
        rosette = target < len(rules.path) and bool(self.moves.is_rosette[target])
        return (rosette and rules.extra_on_rosette) or rules.extra_on_throw == throw

    def row_tables(self, config: int) -> dict[str, npt.NDArray[np.uint8]]:
        """The rows of a side config: their order, their pieces, their moves.

        Returns
        -------
        dict
            ``order`` (row): rows, the furthest on first; ``pieces`` (row): how many the
            mask holds; ``moves`` (pattern, is home empty, row, throw, 16): records of
            `RowMoves` in tiles.h. Bit k of a pattern says that the k-th of `doors` is open.
        """
        entry = self.layout.entry
        bit = {index: 1 << k for k, index in enumerate(entry)}
        masks = self.space.entry_masks(config)
        row = {mask: r for r, mask in enumerate(masks)}
        free = masks[-1]
        slot_of = {(slot.source, slot.throw): k for k, slot in enumerate(self.slots)}
        patterns = 1 << len(self.doors)
        record = 2 * MAX_ENTRIES + 2
        moves = np.zeros((patterns, 2, len(masks), len(self.throws), record), dtype=np.uint8)

        def targets(mask: int, source: int, throw: int, pattern: int) -> tuple[int, int] | None:
            left = mask if source == HOME else mask & ~bit[source]
            target = source + throw
            if target in bit:
                if mask & bit[target] or not free & bit[target]:
                    return None
                matrix = _OWN_F if self.again(target, throw) else _OWN_G
                return matrix, row[left | bit[target]]
            if not pattern >> self.doors.index(target) & 1:
                return None
            return _FIRST_SLOT + slot_of[source, throw], row[left]

        for pattern in range(patterns):
            for home_empty in (0, 1):
                for r, mask in enumerate(masks):
                    sources = [] if home_empty else [HOME]
                    sources += [index for index in entry if mask & bit[index]]
                    for n, throw in enumerate(self.throws):
                        found = [targets(mask, source, throw, pattern) for source in sources]
                        legal = [pair for pair in found if pair is not None]
                        entry_moves = moves[pattern, home_empty, r, n]
                        entry_moves[0] = len(legal)
                        for k, (matrix, target_row) in enumerate(legal):
                            entry_moves[1 + k] = matrix
                            entry_moves[1 + MAX_ENTRIES + k] = target_row

        def advance(mask: int) -> int:
            return sum(index + 1 for index in entry if mask & bit[index])

        order = sorted(range(len(masks)), key=lambda r: (-advance(masks[r]), r))
        return {
            "order": np.array(order, dtype=np.uint8),
            "pieces": np.array([mask.bit_count() for mask in masks], dtype=np.uint8),
            "moves": moves,
        }

    def workspace_bytes(self, block: Block, certify: bool = False) -> int:
        """How many bytes a block takes while it is swept, moves by their upper bound.

        F, G and a copy of F for extrapolation; a matrix like F for every throw that may
        leave the block; and by tile its record, pass bits, slots and moves. Where it is
        certified, F, G and the moves that leave once more, in place of the copy.
        """
        space = self.space
        total = 0
        for half in block.halves:
            rows = self.row_counts[half.mine].astype(np.int64)
            vectors = -(-self.row_counts[half.theirs].astype(np.int64) // LANES)
            weight = np.outer(rows, vectors)
            free = space.free(half.mine), space.free(half.theirs)
            size = self._weigh(weight, set())[free]
            staying = sum(
                self._weigh(weight, leaving)[free]
                for leaving in map(self._leaving, self.throws)
                if not self._frozen_leave(half.mine, leaving)
            )
            leaving_size = len(self.throws) * size - staying
            tiles = int(self.tile_below[0][free])
            moves = len(self.throws) * (min(free[0], len(self.layout.shared)) + 1)
            record = 40 + self.row_counts.shape[1] + 8 * (len(self.slots) + moves)
            laid_out = 2 * int(size) + int(leaving_size)
            total += (laid_out + (laid_out if certify else int(size))) * LANES * 8 + tiles * record
        return total

    def _leaving(self, throw: int) -> set[int]:
        """The path indices from which a throw leads to a frozen square or off the board."""
        length, first_frozen = (
            len(self.layout.path),
            len(self.layout.path) - len(self.layout.frozen),
        )
        return {index for index in range(length) if first_frozen <= index + throw <= length}

    def _frozen_leave(self, config: int, leaving: set[int]) -> bool:
        mask = self.space.configs[config].frozen_mask
        return any(mask >> k & 1 and index in leaving for k, index in enumerate(self.layout.frozen))

    def _weigh(self, weight: npt.NDArray[np.int64], without: set[int]) -> npt.NDArray[np.int64]:
        """The weight of all fillings that have no piece of mine on the indices `without`."""
        shared = tuple(
            SharedSquare(
                square.square,
                tuple(
                    code
                    for code in square.codes
                    if not (
                        is_mine(code) and self.layout.path_index(square.square, code) in without
                    )
                ),
            )
            for square in self.layout.shared
        )
        width = max(len(square.codes) for square in shared)
        return below_table(shared, self.space.rules.pieces, weight, width)[0]

    @cached_property
    def row_counts(self) -> npt.NDArray[np.int32]:
        """(config, pieces): rows of a tile with so many pieces left for entry squares."""
        pieces = self.space.rules.pieces
        return np.array(
            [
                prefix_sizes(self.space.entry_masks(config), pieces)
                for config in range(len(self.space.configs))
            ],
            dtype=np.int32,
        )
