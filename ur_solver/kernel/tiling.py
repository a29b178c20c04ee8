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
from ur_solver.rules import DARK, LIGHT
from ur_solver.rules.contents import with_mark
from ur_solver.space import Block, TileSpace
from ur_solver.space.layout import MAX_ENTRIES, Layout, layout_of

HOME = -1
NOBODY, MINE, THEIRS = range(3)
"""The holder of a shared square, as a tile's digit."""


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

    def __init__(self, space: TileSpace) -> None:
        rules = space.rules
        self.space = space
        self.layout: Layout = layout_of(rules.path)
        self.throws: tuple[int, ...] = tuple(throw for throw in rules.dice.throws if throw)
        self.chance = np.array([float(chance) for chance in rules.dice.probabilities])
        self.extra_on_capture: bool = rules.switches["extra_on_capture"]
        self._shared_of = {square: k for k, square in enumerate(self.squares)}
        self._known_fillings: dict[frozenset[int], npt.NDArray[np.int64]] = {}

    @cached_property
    def squares(self) -> tuple[str, ...]:
        """The shared squares as tiles number them, the most significant first.

        Forks, which a path visits twice, come last, and among them those that it reaches late
        come first: moves among them then lead to tiles with nearby numbers.
        """

        def place(square: str) -> tuple[bool, int]:
            mine, theirs = self.layout.visits(square)
            is_fork = len(mine) > 1 or len(theirs) > 1
            return is_fork, -min(*mine, *theirs) if is_fork else 0

        return tuple(sorted((self.space.squares[cell] for cell in self.space.shared), key=place))

    @cached_property
    def safe(self) -> frozenset[int]:
        """The path indices of rosettes, where nobody is captured on them."""
        rules = self.space.rules
        if not rules.switches["safe_rosettes"]:
            return frozenset()
        return frozenset(
            index for index, square in enumerate(rules.path.light) if square in rules.rosettes
        )

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
        """Counts of the fillings of the shared squares by sides.

        Returns
        -------
        count : int64, shape (N + 1, N + 1)
            Ways to fill all shared squares with at most i of my and j of their pieces.
        below : int64, shape (squares, N + 1, N + 1, 3)
            Ways to fill squares s, s + 1, ... with a smaller digit than d on square s; for a
            digit that would need a piece too many, -1.
        """
        size = self.space.rules.pieces + 1
        below = np.full((len(self.squares), size, size, 3), -1, dtype=np.int64)
        count = np.ones((size, size), dtype=np.int64)
        for s in range(len(self.squares) - 1, -1, -1):
            total = count.copy()
            below[s, :, :, NOBODY] = 0
            below[s, 1:, :, MINE] = total[1:]
            total[1:] += count[:-1]
            below[s, :, 1:, THEIRS] = total[:, 1:]
            total[:, 1:] += count[:, :-1]
            count = total
        return count, below

    @cached_property
    def visits(self) -> dict[str, npt.NDArray[np.int8]]:
        """Where on the paths the shared squares are.

        Returns
        -------
        dict
            ``place`` (square of the space): its number here. ``index`` (side, square, leg):
            the path index of a piece there on its own side's path, mine for side 0; -1 on a
            second leg that there is not. ``shape`` (square of the space, digit): the shape that
            the space has for it. ``square``, ``leg`` (path index): where a piece of mine at
            that index stands, -1 if not on a shared square. ``mirror`` (square): the same
            square as the opponent sees it.
        """
        path, cells = self.space.rules.path, self.space.shared
        place = [self._shared_of[self.space.squares[cell]] for cell in cells]
        index = np.full((2, len(cells), 2), -1, dtype=np.int8)
        square_of = np.full(len(path), -1, dtype=np.int8)
        leg_of = np.full(len(path), -1, dtype=np.int8)
        mirror = np.zeros(len(cells), dtype=np.int8)
        for at, (mine, theirs) in enumerate(zip(path.light, path.dark, strict=True)):
            if mine not in self._shared_of:
                continue
            my_square, their_square = self._shared_of[mine], self._shared_of[theirs]
            leg = int(index[0, my_square, 0] >= 0)
            index[0, my_square, leg] = index[1, their_square, leg] = at
            square_of[at], leg_of[at] = my_square, leg
            mirror[my_square], mirror[their_square] = their_square, my_square
        return {
            "place": np.array(place, dtype=np.int8),
            "index": index,
            "shape": np.array([self._shapes(cell) for cell in cells], dtype=np.int8),
            "square": square_of,
            "leg": leg_of,
            "mirror": mirror,
        }

    def _shapes(self, cell: int) -> list[int]:
        """A shared cell's shapes, by who holds it."""
        numbers, shape = self.space.content_numbers[cell], self.space.shaped[cell].shape
        visits = self.layout.visits(self.space.squares[cell])
        path = self.space.rules.path
        held = [
            with_mark(side, path.is_second_leg(indices[0]))
            for side, indices in zip((LIGHT, DARK), visits, strict=True)
        ]
        return [shape[numbers[content]] for content in ("", *held)]

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
            ``masks``: entry masks, by their number; ``order`` (mask): their numbers, the furthest
            on first; ``pieces`` (mask): how many one holds; ``moves`` (is home empty, mask, throw,
            16): records of `EntryMoves` in tiles.h; ``stuck`` (is home empty, mask): bits of the
            throws that have none; ``leaving`` (entry square, pair, 2): the masks that hold it,
            ascending, and what they are without it; 255 after the last.
        """
        entry = self.layout.entry
        bit = {index: 1 << k for k, index in enumerate(entry)}
        masks = self.entry_masks(config)
        number = {mask: m for m, mask in enumerate(masks)}
        record = 2 * MAX_ENTRIES + 2
        moves = np.zeros((2, len(masks), len(self.throws), record), dtype=np.uint8)
        for home_empty in (0, 1):
            for m, mask in enumerate(masks):
                sources = [] if home_empty else [HOME]
                sources += [index for index in entry if mask & bit[index]]
                for n, throw in enumerate(self.throws):
                    # to an entry square that is free and not closed
                    legal = [
                        (number[after], source + throw)
                        for source in sources
                        if bit.get(source + throw, 0) & ~mask
                        and (after := mask & ~bit.get(source, 0) | bit[source + throw]) in number
                    ]
                    moves[home_empty, m, n, 0] = len(legal)
                    for k, (after, target) in enumerate(legal):
                        moves[home_empty, m, n, 1 + k] = after
                        moves[home_empty, m, n, 1 + MAX_ENTRIES + k] = self.again(target, throw)
        holding = [[mask for mask in masks if mask & bit[index]] for index in entry]
        pairs = max(1, *map(len, holding), 0)
        leaving = np.full((max(1, len(entry)), pairs, 2), 255, dtype=np.uint8)
        for e, index in enumerate(entry):
            for k, mask in enumerate(holding[e]):
                leaving[e, k] = number[mask], number[mask & ~bit[index]]

        def advance(mask: int) -> int:
            return sum(index + 1 for index in entry if mask & bit[index])

        order = sorted(range(len(masks)), key=lambda m: (-advance(masks[m]), m))
        return {
            "masks": np.array(masks, dtype=np.uint8),
            "order": np.array(order, dtype=np.uint8),
            "pieces": np.array([mask.bit_count() for mask in masks], dtype=np.uint8),
            "moves": moves,
            "stuck": np.packbits(moves[..., 0] == 0, axis=2, bitorder="little")[..., 0],
            "leaving": leaving,
        }

    def entry_masks(self, config: int) -> tuple[int, ...]:
        """The sets of entry squares that a side may hold, numbered as its placements are.

        Bit k is the k-th entry square. A path that ends on its entry squares (murray) has fewer of
        them free once pieces are frozen there.
        """
        space, placements = self.space, self.space.placements
        reserve = space.reserves.number(
            space.reserves.closed_of(space.config_reserves[config]), space.stock.full
        )
        light = space.rules.path.light
        bits = [self.layout.entry.index(light.index(space.squares[k])) for k in space.private]
        sizes = [len(space.contents[cell]) for cell in space.private]
        masks = []
        for code in placements.code_of[reserve, : placements.n[reserve]].tolist():
            held = zip(bits, placements.radix.tolist(), sizes, strict=True)
            masks.append(sum((code // by % size > 0) << bit for bit, by, size in held))
        return tuple(masks)

    @cached_property
    def configs(self) -> dict[str, npt.NDArray[np.int32]]:
        """The side configs of the space, as the tiled kernel reads them.

        Returns
        -------
        dict
            ``off``, ``free``, ``mask``, ``closed`` (config): the pieces borne off, those neither
            off nor frozen, the frozen squares held, one bit each, and the number of the set of
            closed squares. ``of`` (off, mask): the config, -1
            if that side has won.
        """
        configs = self.space.configs
        masks = [sum((part > 0) << k for k, part in enumerate(each.frozen)) for each in configs]
        config_of = np.full((self.space.stock.size, 1 << len(self.space.frozen)), -1, np.int32)
        for number, (config, mask) in enumerate(zip(configs, masks, strict=True)):
            config_of[config.off, mask] = number
        closed, free = np.divmod(self.space.config_reserves, self.space.stock.size)
        return {
            "off": np.array([config.off for config in configs], dtype=np.int32),
            "free": free.astype(np.int32),
            "closed": closed.astype(np.int32),
            "mask": np.array(masks, dtype=np.int32),
            "of": config_of,
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
        free = self.configs["free"][[mine, theirs]].tolist()
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
        return {i for i in range(length) if self.layout.first_frozen <= i + throw <= length}

    def _frozen_leave(self, config: int, leaving: set[int]) -> bool:
        mask = int(self.configs["mask"][config])
        frozen = range(self.layout.first_frozen, len(self.layout.path))
        return any(mask >> k & 1 and index in leaving for k, index in enumerate(frozen))

    @cached_property
    def mask_counts(self) -> npt.NDArray[np.int32]:
        """(config, pieces): the number of entry masks with at most that many pieces."""
        by_closed = self.space.placements.n.reshape(-1, self.space.stock.size)
        counts: npt.NDArray[np.int32] = by_closed[self.configs["closed"]].astype(np.int32)
        return counts
