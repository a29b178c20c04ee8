"""The tables that cut a space's blocks into tiles, for the tiled kernel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ur_solver.kernel._layout_tables import (
    FEW_MOVES,
    LANE_SQUARES,
    LANES,
    MAX_THROWS,
    MOVE_BYTES,
    NO_MOVE_VECTORS,
    REF_BYTES,
    TILE_BYTES,
)
from ur_solver.kernel.sampling import sample_bytes
from ur_solver.space import Block, MoveTables, RaceSpace, move_tables
from ur_solver.space.counting import below_table, prefix_sizes
from ur_solver.space.layout import EMPTY, MAX_ENTRIES, MINE, THEIRS, SharedSquare

HOME = -1
_SIDES = (EMPTY, MINE, THEIRS)
"""The holder of a shared square; its index here is the square's digit."""


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


@dataclass(frozen=True)
class TileKinds:
    """The tiles of a pair of side configs, sorted by what their sizes depend on.

    Attributes
    ----------
    tiles : int64, shape (kinds,)
        How many there are.
    rows, columns : int64, shape (kinds,)
    sources : int64, shape (kinds,)
        Path indices on which a piece of mine may be: the more, the longer lists of moves.
    """

    tiles: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]
    columns: npt.NDArray[np.int64]
    sources: npt.NDArray[np.int64]

    @property
    def vectors(self) -> npt.NDArray[np.int64]:
        """The vectors of all matrices of a kind together."""
        return self.tiles * self.rows * -(-self.columns // LANES)


class Tiling:
    """The tables that the tiled kernel shares among all blocks of a space.

    A tile fixes who holds each shared square. Its rows are what is left open on my side: which
    entry squares I hold and, on squares that my path visits twice, the leg of each piece.
    """

    def __init__(self, space: RaceSpace) -> None:
        self.space = space
        self.layout = space.layout
        self.moves: MoveTables = move_tables(space)
        self.throws: tuple[int, ...] = tuple(throw for throw in space.rules.dice.throws if throw)
        self._shared_of = {s.square: k for k, s in enumerate(self.squares)}
        self._known_fillings: dict[frozenset[int], npt.NDArray[np.int64]] = {}

    @cached_property
    def squares(self) -> tuple[SharedSquare, ...]:
        """The shared squares as tiles number them, the most significant first.

        Forks, which a path visits twice, come last, and among them those that it reaches late
        come first: moves among them then lead to tiles with nearby numbers.
        """

        def place(square: SharedSquare) -> tuple[bool, int]:
            mine = [self.layout.path_index(square.square, code) for code in square.codes[1:]]
            is_fork = len(square.codes) > len(_SIDES)
            return is_fork, -min(mine) if is_fork else 0

        return tuple(sorted(self.layout.shared, key=place))

    @cached_property
    def n_leading(self) -> int:
        """How many shared squares, the most significant, divide a half's tiles into groups.

        All but those at the end that both sides reach first in the same order: there a move of
        a piece on its first leg increases the tile's number. At least three, so that there are
        groups for several threads.
        """
        squares = self.squares
        aligned = 0
        last = [-1, -1]
        for first in reversed(self.visits["index"][:, :, 0].T.tolist()):
            if not (first[0] > last[0] and first[1] > last[1]):
                break
            last = first
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
    def tile_below(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """`below_table` with every filling of the shared squares by sides counted once."""
        size = self.space.rules.pieces + 1
        squares = tuple(SharedSquare(square.square, _SIDES) for square in self.squares)
        weight = np.ones((size, size), dtype=np.int64)
        return below_table(squares, size - 1, weight, len(_SIDES))

    @cached_property
    def visits(self) -> dict[str, npt.NDArray[np.int8]]:
        """Where on the paths the shared squares are.

        Returns
        -------
        dict
            ``place`` (square of the space): its number here. ``index`` (side, square, leg):
            the path index of a piece there on its own side's path, mine for side 0; -1 on a
            second leg that there is not. ``digit`` (side, square, leg): the digit that the
            space has for it. ``square``, ``leg`` (path index): where a piece of mine at
            that index stands, -1 if not on a shared square. ``mirror`` (square): the same
            square as the opponent sees it.
        """
        shared, layout = self.squares, self.layout
        place = [self._shared_of[square.square] for square in layout.shared]
        index = np.full((2, len(shared), 2), -1, dtype=np.int8)
        digit = np.zeros((2, len(shared), 2), dtype=np.int8)
        square_of = np.full(len(layout.path), -1, dtype=np.int8)
        leg_of = np.full(len(layout.path), -1, dtype=np.int8)
        mirror = np.zeros(len(shared), dtype=np.int8)
        for at in range(len(layout.path)):
            my_square, my_code = layout.place(at, mine=True)
            their_square, their_code = layout.place(at, mine=False)
            if my_square not in self._shared_of:
                continue
            mine, theirs = self._shared_of[my_square], self._shared_of[their_square]
            leg = int(index[0, mine, 0] >= 0)
            index[0, mine, leg] = index[1, theirs, leg] = at
            digit[0, mine, leg] = shared[mine].codes.index(my_code)
            digit[1, theirs, leg] = shared[theirs].codes.index(their_code)
            square_of[at], leg_of[at] = mine, leg
            mirror[mine], mirror[theirs] = theirs, mine
        return {
            "place": np.array(place, dtype=np.int8),
            "index": index,
            "digit": digit,
            "square": square_of,
            "leg": leg_of,
            "mirror": mirror,
        }

    @cached_property
    def lane(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]] | None:
        """The tables of the kernel's unrolled rows, or None if they do not apply.

        They are for four entry squares at the head of the path that it does not come back to,
        shared squares that each side visits once, and throws of 1, 2, 3 and perhaps 4, which is
        what the paths and dice of the literature have, Murray's and Skiriuk's paths apart.

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
        path = self.space.rules.path.light
        if (self.visits["index"][0, :, 1] >= 0).any() or len({*path}) < len(path):
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
        square = rules.path.light[target] if target < len(rules.path) else None
        (again,) = rules.mechanics.again(throw, square, False)
        return again

    def row_tables(self, config: int) -> dict[str, npt.NDArray[np.uint8]]:
        """The entry masks of a side config: their order, their pieces, their moves.

        Returns
        -------
        dict
            ``order`` (mask): masks, by their number, the furthest on first; ``pieces``
            (mask): how many one holds; ``moves`` (is home empty, mask, throw, 16): records
            of `EntryMoves` in tiles.h; ``stuck`` (is home empty, mask): bits of the throws
            that have none; ``leaving`` (entry square, pair, 2): the masks that hold it,
            ascending, and what they are without it; 255 after the last.
        """
        entry = self.layout.entry
        bit = {index: 1 << k for k, index in enumerate(entry)}
        masks = self.space.entry_masks(config)
        number = {mask: m for m, mask in enumerate(masks)}
        free = masks[-1]
        record = 2 * MAX_ENTRIES + 2
        moves = np.zeros((2, len(masks), len(self.throws), record), dtype=np.uint8)
        for home_empty in (0, 1):
            for m, mask in enumerate(masks):
                sources = [] if home_empty else [HOME]
                sources += [index for index in entry if mask & bit[index]]
                for n, throw in enumerate(self.throws):
                    legal = [
                        (source, source + throw)
                        for source in sources
                        if bit.get(source + throw, 0) & free & ~mask
                    ]
                    moves[home_empty, m, n, 0] = len(legal)
                    for k, (source, target) in enumerate(legal):
                        after = mask & ~bit.get(source, 0) | bit[target]
                        moves[home_empty, m, n, 1 + k] = number[after]
                        moves[home_empty, m, n, 1 + MAX_ENTRIES + k] = self.again(target, throw)
        pairs = max(1, len(masks) // 2)
        leaving = np.full((max(1, len(entry)), pairs, 2), 255, dtype=np.uint8)
        for e, index in enumerate(entry):
            held = [mask for mask in masks if mask & bit[index]]
            for k, mask in enumerate(held):
                leaving[e, k] = number[mask], number[mask & ~bit[index]]

        def advance(mask: int) -> int:
            return sum(index + 1 for index in entry if mask & bit[index])

        order = sorted(range(len(masks)), key=lambda m: (-advance(masks[m]), m))
        return {
            "order": np.array(order, dtype=np.uint8),
            "pieces": np.array([mask.bit_count() for mask in masks], dtype=np.uint8),
            "moves": moves,
            "stuck": np.packbits(moves[..., 0] == 0, axis=2, bitorder="little")[..., 0],
            "leaving": leaving,
        }

    @property
    def most_rows(self) -> int:
        """The most rows that a tile has."""
        pieces = self.space.rules.pieces
        forks = int((self.visits["index"][0, :, 1] >= 0).sum())
        masks = self.mask_counts.max(axis=0)
        return max(int(masks[pieces - held]) << held for held in range(min(forks, pieces) + 1))

    def workspace_bytes(self, block: Block, certify: bool = False, is_single: bool = False) -> int:
        """An upper bound of the bytes of a block in work, whatever the instruction set.

        F, G and a matrix like F for every throw that may leave the block. Behind them, in double
        precision, floats of all that, and a copy of F later on; in single precision a copy of F;
        for bounds another F and G, if that is more. By tile its record, pass bits and lists of
        moves, by their upper bound, twice where there are bounds; samples of F. Where the rows of a
        lane are compiled in, tiles of one column have no matrices: they are counted as if they had.
        """
        vector = LANES * (4 if is_single else 8)
        total = 2 * NO_MOVE_VECTORS * vector
        n_tiles = n_vectors = 0
        for half in block.halves:
            kinds = self.kinds(half.mine, half.theirs)
            size = int(kinds.vectors.sum())
            leaving_size = len(self.throws) * size
            for throw in self.throws:
                leaving = self._leaving(throw)
                if not self._frozen_leave(half.mine, leaving):
                    leaving_size -= int(self.kinds(half.mine, half.theirs, leaving).vectors.sum())
            # of a throw: those on shared squares, one for all that leave the block
            moves = kinds.sources + 1
            if self.lane is not None:
                moves = np.maximum(FEW_MOVES, moves | 1)
            moves = len(self.throws) * moves + len(self.slots)
            # two lists: of a lane with all moves and with those that sweeps look at, else of bounds
            lists = 1 if self.lane is None and not certify else 2
            move = MOVE_BYTES if self.lane is None else REF_BYTES
            total += int(kinds.tiles @ (kinds.rows + lists * (TILE_BYTES + move * moves)))
            tiles = int(kinds.tiles.sum())
            # what leaves a tile is an even number of vectors
            laid_out = 2 * size + leaving_size + tiles
            further = size if is_single else -(-laid_out // 2)
            total += (laid_out + (max(further, 2 * size) if certify else further)) * vector
            n_tiles += tiles
            n_vectors += size
        return total + sample_bytes(n_tiles, n_vectors * LANES)

    def kinds(self, mine: int, theirs: int, without: Collection[int] = ()) -> TileKinds:
        """The tiles of a pair of side configs by kind.

        `without`: only those that have no piece of mine where it could be on one of these
        path indices.
        """
        free = self.space.free(mine), self.space.free(theirs)
        held, my_forks, others, their_forks, tiles = self._fillings(frozenset(without))
        fits = (held <= free[0]) & (others <= free[1])
        return TileKinds(
            tiles=tiles[fits],
            rows=self.mask_counts[mine].astype(np.int64)[free[0] - held[fits]] << my_forks[fits],
            columns=self.mask_counts[theirs].astype(np.int64)[free[1] - others[fits]]
            << their_forks[fits],
            sources=(held + my_forks)[fits],
        )

    def _fillings(self, without: frozenset[int]) -> npt.NDArray[np.int64]:
        """Of shared squares, by sides: those that I hold, forks among them; the opponent's."""
        if without not in self._known_fillings:
            pieces = self.space.rules.pieces
            found = Counter({(0, 0, 0, 0): 1})
            for index in np.moveaxis(self.visits["index"], 1, 0).tolist():
                my_fork, their_fork = index[0][1] >= 0, index[1][1] >= 0
                further = Counter(found)
                for (held, my_forks, others, their_forks), tiles in found.items():
                    if held < pieces and not without.intersection(index[0]):
                        further[held + 1, my_forks + my_fork, others, their_forks] += tiles
                    if others < pieces:
                        further[held, my_forks, others + 1, their_forks + their_fork] += tiles
                found = further
            table = [(*filling, tiles) for filling, tiles in found.items()]
            self._known_fillings[without] = np.array(table, dtype=np.int64).T
        return self._known_fillings[without]

    def _leaving(self, throw: int) -> set[int]:
        """The path indices from which a throw leads to a frozen square or off the board."""
        length = len(self.layout.path)
        first_frozen = length - len(self.layout.frozen)
        return {index for index in range(length) if first_frozen <= index + throw <= length}

    def _frozen_leave(self, config: int, leaving: set[int]) -> bool:
        mask = self.space.configs[config].frozen_mask
        return any(mask >> k & 1 and index in leaving for k, index in enumerate(self.layout.frozen))

    @cached_property
    def mask_counts(self) -> npt.NDArray[np.int32]:
        """(config, pieces): the number of entry masks with at most that many pieces."""
        pieces = self.space.rules.pieces
        return np.array(
            [
                prefix_sizes(self.space.entry_masks(config), pieces)
                for config in range(len(self.space.configs))
            ],
            dtype=np.int32,
        )
