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
    LANES,
    NO_MOVE_VECTORS,
    REF_BYTES,
    TILE_BYTES,
)
from ur_solver.kernel.sampling import sample_bytes
from ur_solver.space import Block, TileSpace, is_race_of_tiles
from ur_solver.space.layout import Layout, layout_of

HOME = -1
NOBODY, THEIRS, MINE = range(3)
"""The holder of a shared square, as a tile's digit: the shape that the space has for it."""


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

    The more squares of the path hold a piece, the longer the lists of moves are.
    """

    tiles: npt.NDArray[np.int64]  # how many there are, shape (kinds,) as all of these
    rows: npt.NDArray[np.int64]
    columns: npt.NDArray[np.int64]
    sources: npt.NDArray[np.int64]  # squares of the path on which a piece of mine may be

    @property
    def vectors(self) -> npt.NDArray[np.int64]:
        """The vectors of all matrices of a kind together."""
        return self.tiles * self.rows * -(-self.columns // LANES)


class Tiling:
    """The tables that the tiled kernel shares among all blocks of a space.

    A tile fixes who holds each shared square. Its rows are what is left open on my side: which
    entry squares I hold. ValueError if `is_race_of_tiles` does not accept the rules: compiled code
    would read beyond its tables.
    """

    def __init__(self, space: TileSpace) -> None:
        rules = space.rules
        if not is_race_of_tiles(rules):
            raise ValueError(f"the tiled kernel does not serve {rules.word}")
        self.space = space
        self.layout: Layout = layout_of(rules.path)
        self.throws: tuple[int, ...] = tuple(throw for throw in rules.dice.throws if throw)
        self.chance = np.array([float(chance) for chance in rules.dice.probabilities])
        self.extra_on_capture: bool = rules.switches["extra_on_capture"]
        self.may_decline: bool = rules.mechanics.may_decline
        self._known_fillings: dict[frozenset[int], npt.NDArray[np.int64]] = {}

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

        All but those at the end that both sides reach in the same order: there a move increases
        the tile's number. At least three, so that there are groups for several threads.
        """
        aligned, last = 0, [-1, -1]
        for index in reversed(self.visits["index"].T.tolist()):
            if not (index[0] > last[0] and index[1] > last[1]):
                break
            last = index
            aligned += 1
        n_shared = len(self.space.shared)
        return min(n_shared, max(3, n_shared - aligned))

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
        below = np.full((len(self.space.shared), size, size, 3), -1, dtype=np.int64)
        count = np.ones((size, size), dtype=np.int64)
        for s in range(len(self.space.shared) - 1, -1, -1):
            total = count.copy()
            below[s, :, :, NOBODY] = 0
            below[s, :, 1:, THEIRS] = total[:, 1:]
            total[:, 1:] += count[:, :-1]
            below[s, 1:, :, MINE] = total[1:]
            total[1:] += count[:-1]
            count = total
        return count, below

    @cached_property
    def visits(self) -> dict[str, npt.NDArray[np.int8]]:
        """Where on the paths the shared squares are.

        Returns
        -------
        dict
            ``index`` (side, square): the path index of a piece there on its own side's path, mine
            for side 0. ``square`` (path index): where a piece of mine at that index stands, -1 if
            not on a shared square. ``mirror`` (square): the same square as the opponent sees it.
        """
        path, space = self.space.rules.path, self.space
        number = {space.squares[cell]: k for k, cell in enumerate(space.shared)}
        index = np.zeros((2, len(number)), dtype=np.int8)
        square_of = np.full(len(path), -1, dtype=np.int8)
        mirror = np.zeros(len(number), dtype=np.int8)
        for at, (mine, theirs) in enumerate(zip(path.light, path.dark, strict=True)):
            if mine in number:
                index[0, number[mine]] = index[1, number[theirs]] = at
                square_of[at] = number[mine]
                mirror[number[mine]] = number[theirs]
        return {"index": index, "square": square_of, "mirror": mirror}

    def again(self, target: int, throw: int) -> bool:
        """Whether a move that captures nothing gives an extra throw."""
        rules = self.space.rules
        square = rules.path.light[target] if target < len(rules.path) else None
        (again,) = rules.mechanics.again(throw, square, False)
        return again

    @cached_property
    def entry_masks(self) -> tuple[int, ...]:
        """The sets of entry squares that a side may hold, numbered as its placements are.

        Bit k is the k-th entry square.
        """
        space, placements = self.space, self.space.placements
        bits = [space.rules.path.light.index(space.squares[cell]) for cell in space.private]
        sizes = [len(space.contents[cell]) for cell in space.private]
        masks = []
        for code in placements.code_of[space.stock.full, : self.mask_counts[-1]].tolist():
            held = zip(bits, placements.radix.tolist(), sizes, strict=True)
            masks.append(sum((code // by % size > 0) << bit for bit, by, size in held))
        return tuple(masks)

    def workspace_bytes(self, block: Block, certify: bool = False, is_single: bool = False) -> int:
        """An upper bound of the bytes of a block being solved, whatever the instruction set.

        F, G and a matrix like F for every throw that may leave the block. Behind them, in double
        precision, floats of all that, and a copy of F later on; in single precision a copy of F;
        for bounds another F and G, if that is more. By tile its record, pass bits and lists of
        moves, by their upper bound, twice; samples of F. Tiles of one column have no matrices: they
        are counted as if they had.
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
            # of a throw: those on shared squares, twice where an extra throw may be declined, and
            # one for all that leave the block
            times = 1 + self.may_decline
            moves = np.maximum(FEW_MOVES, times * kinds.sources + 1 | 1)
            moves = len(self.throws) * moves + times * len(self.slots)
            # two lists: with all moves and with those that sweeps look at, or those of bounds
            total += int(kinds.tiles @ (kinds.rows + 2 * (TILE_BYTES + REF_BYTES * moves)))
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
        free = self.space.config_reserves[mine], self.space.config_reserves[theirs]
        held, others, tiles = self._fillings(frozenset(without))
        fits = (held <= free[0]) & (others <= free[1])
        counts = self.mask_counts.astype(np.int64)
        return TileKinds(
            tiles=tiles[fits],
            rows=counts[free[0] - held[fits]],
            columns=counts[free[1] - others[fits]],
            sources=held[fits],
        )

    def _fillings(self, without: frozenset[int]) -> npt.NDArray[np.int64]:
        """Of shared squares: how many I hold, how many they hold, and in how many ways."""
        if without not in self._known_fillings:
            pieces = self.space.rules.pieces
            found = Counter({(0, 0): 1})
            for index in self.visits["index"][0].tolist():
                further = Counter(found)
                for (held, others), tiles in found.items():
                    if held < pieces and index not in without:
                        further[held + 1, others] += tiles
                    if others < pieces:
                        further[held, others + 1] += tiles
                found = further
            table = [(*filling, tiles) for filling, tiles in found.items()]
            self._known_fillings[without] = np.array(table, dtype=np.int64).T
        return self._known_fillings[without]

    def _leaving(self, throw: int) -> set[int]:
        """The path indices from which a throw leads to a frozen square or off the board."""
        length = len(self.layout.path)
        return {i for i in range(length) if self.layout.first_frozen <= i + throw <= length}

    def _frozen_leave(self, config: int, leaving: set[int]) -> bool:
        held = enumerate(self.space.configs[config].frozen, self.layout.first_frozen)
        return any(part and index in leaving for index, part in held)

    @cached_property
    def mask_counts(self) -> npt.NDArray[np.int32]:
        """(pieces): the number of entry masks with at most that many pieces."""
        counts: npt.NDArray[np.int32] = self.space.placements.n.astype(np.int32)
        return counts
