"""What the layouts of a space's blocks share: tiles by number, moves by path index, chances, rows."""

from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

from ur_solver.kernel cimport _program
from ur_solver.kernel._program cimport SMALL, MatrixRef, Tile
from ur_solver.space._tile_ranking cimport TileRanking

# Constants of tiles.h for `ur_solver.kernel.tiling`, which builds the tables and counts memory.
LANES = _program.LANES
FEW_MOVES = _program.FEW_MOVES
NO_MOVE_VECTORS = 2 * SMALL    # as `TileLayout` lays them out
TILE_BYTES = sizeof(Tile)
REF_BYTES = sizeof(MatrixRef)


cdef class LayoutTables:
    """What the layouts of a space's blocks share; thread safe.

    Parameters
    ----------
    tiling : Tiling
    ranking : TileRanking
    near : int
        Blocks of at most this many vectors are not prefetched.
    """

    def __init__(self, tiling, TileRanking ranking, int64_t near):
        cdef int number, k
        space, layout = tiling.space, tiling.layout
        self.tiling = tiling
        visits = tiling.visits
        self.ranking = ranking
        self.n_shared = len(space.shared)
        self.count, self.below = tiling.tile_below
        self.mask_counts = tiling.mask_counts
        self.index, self.square, self.mirror = visits["index"], visits["square"], visits["mirror"]
        self.pieces = space.rules.pieces
        self.extra_on_capture, self.may_decline = tiling.extra_on_capture, tiling.may_decline
        self.length = len(space.rules.path)
        self.first_frozen = layout.first_frozen
        self.config_off = np.array([config.off for config in space.configs], dtype=np.int32)
        self.config_mask = np.zeros(space.n_configs, dtype=np.int32)
        self.config_of = np.full((self.pieces + 1, 1 << ranking.n_frozen), -1, dtype=np.int32)
        for number in range(space.n_configs):
            for k in range(ranking.n_frozen):
                self.config_mask[number] |= (ranking.config_frozen[number, k] > 0) << k
            self.config_of[self.config_off[number], self.config_mask[number]] = number
        self.shared = self.safe = self.leaving = 0
        for index in range(self.length + 1):
            if index >= self.first_frozen:
                self.leaving |= <uint64_t>1 << index
            elif self.square[index] >= 0:
                self.shared |= <uint64_t>1 << index
                if index in tiling.safe:
                    self.safe |= <uint64_t>1 << index
        self.n_leading = tiling.n_leading
        self.near = near
        self.throws = np.array(tiling.throws, dtype=np.int32)
        self.n_throws = len(tiling.throws)
        for number in range(self.n_throws):
            for k in range(self.length + 1):
                if tiling.again(k, tiling.throws[number]):
                    self.extra[number] |= <uint64_t>1 << k
        self.slot_target = np.array([s.target for s in tiling.slots], dtype=np.int32)
        self.slot_throw = np.array(
            [tiling.throws.index(s.throw) for s in tiling.slots], dtype=np.int32)
        self.slot_source = np.array([s.source for s in tiling.slots], dtype=np.int32)
        self.mask_of = np.array(tiling.entry_masks, dtype=np.uint8)
        self._fill_program(tiling.chance)

    def _fill_program(self, const double[::1] chance):
        cdef int n, k, bits
        cdef double passing
        self.program.n_throws = self.n_throws
        self.program.first_declined = self.slot_target.shape[0]
        self.program.n_slots = self.program.first_declined * (1 + self.may_decline)
        for n in range(self.n_throws):
            self.program.again[n] = self.extra[n] & (1 << _program.LANE_SQUARES) - 1
        for k in range(self.program.first_declined):
            self.program.slot[self.slot_throw[k]][self.slot_source[k] + 1] = k
        for bits in range(1 << self.n_throws):
            passing = chance[0]
            # throws that the dice do not have keep the 0 that the object begins with
            for n in range(self.n_throws):
                self.program.chance[bits][n] = 0.0 if bits >> n & 1 else chance[self.throws[n]]
                if bits >> n & 1:
                    passing += chance[self.throws[n]]
                self.program.chance_single[bits][n] = self.program.chance[bits][n]
            self.program.pass_chance[bits] = self.program.pass_chance_single[bits] = passing

    cdef int64_t number(self, const int32_t* digits, int i, int j) noexcept nogil:
        # The place of a filling among those with at most i and j pieces.
        cdef int64_t number = 0
        cdef int s, d
        for s in range(self.n_shared):
            d = digits[s]
            number += self.below[s, i, j, d]
            if d == MINE:
                i -= 1
            elif d == THEIRS:
                j -= 1
        return number

    cdef int64_t number_after(self, const Filling* filling, int source, int target) noexcept nogil:
        # The number of what a move of mine makes of a filling, from a shared square to
        # another or, -1, from elsewhere: squares before count for what they did, and so do
        # those after unless a capture leaves the opponent one more piece for them, or one that
        # enters leaves me one fewer.
        cdef int s = target if source < 0 else min(source, target), last = max(source, target), d
        cdef int i = filling.i[s], j = filling.j[s]
        cdef int64_t number = filling.numbers[s]
        while s < self.n_shared:
            if s > last and j == filling.j[s] and i == filling.i[s]:
                return number + filling.numbers[self.n_shared] - filling.numbers[s]
            d = MINE if s == target else NOBODY if s == source else filling.digits[s]
            number += self.below[s, i, j, d]
            i -= d == MINE
            j -= d == THEIRS
            s += 1
        return number

    cdef void hold(self, Filling* filling, int s, int d) noexcept nogil:
        # What a square's digit makes of the counts of the squares before it.
        cdef int i = filling.i[s], j = filling.j[s]
        filling.digits[s] = d
        filling.numbers[s + 1] = filling.numbers[s] + self.below[s, i, j, d]
        filling.i[s + 1] = i - (d == MINE)
        filling.j[s + 1] = j - (d == THEIRS)

    cdef void fill(self, int64_t number, int i, int j, Filling* filling) noexcept nogil:
        # The filling of a number among those with at most i and j pieces.
        cdef int s, d
        cdef int64_t left = number
        cdef const int64_t* below
        filling.i[0], filling.j[0], filling.numbers[0] = i, j, 0
        filling.mine = filling.theirs = 0
        for s in range(self.n_shared):
            below = &self.below[s, i, j, 0]
            d = NOBODY
            if 0 <= below[MINE] <= left:
                d = MINE
                i -= 1
                filling.mine |= <uint64_t>1 << self.index[0, s]
            elif 0 <= below[THEIRS] <= left:
                d = THEIRS
                j -= 1
                filling.theirs |= <uint64_t>1 << self.index[0, s]
            left -= below[d]
            filling.digits[s] = d
            filling.i[s + 1], filling.j[s + 1], filling.numbers[s + 1] = i, j, number - left

    cdef uint64_t earning(self, const Filling* filling, int n) noexcept nogil:
        # Path indices, by bit, on which landing by a throw earns an extra throw.
        return self.extra[n] | (filling.theirs if self.extra_on_capture else 0)

    cdef void mirrored(self, const int32_t* digits, int32_t* other) noexcept nogil:
        cdef int s
        for s in range(self.n_shared):
            other[self.mirror[s]] = (3 - digits[s]) % 3

    cdef int64_t first_rank(
        self, int mine, int theirs, const int32_t* digits, int64_t* columns
    ) noexcept nogil:
        # The rank of a tile's first position; those of its others follow row by row, with this many
        # columns in each.
        cdef int i = self.ranking.config_free[mine], j = self.ranking.config_free[theirs], s, d
        cdef int64_t rank = self.ranking.half_offset[mine, theirs]
        for s in range(self.n_shared):
            d = digits[s]
            rank += self.ranking.below[
                self.ranking.below_start[s]
                + (<int64_t>i * self.ranking.n_reserves + j)
                * self.ranking.n_shapes[self.ranking.shared[s]] + d]
            i -= d == MINE
            j -= d == THEIRS
        columns[0] = self.ranking.n_placements[j]
        return rank
