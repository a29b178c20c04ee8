"""What the layouts of a space's blocks share: moves by path index, chances, rows."""

from libc.stdint cimport int64_t, uint64_t

import numpy as np

from ur_solver.kernel cimport _program
from ur_solver.kernel._program cimport SMALL, MatrixRef, Tile
from ur_solver.kernel._tiles cimport TileTables
from ur_solver.space._tile_ranking cimport TileRanking

# Constants of tiles.h for `ur_solver.kernel.tiling`, which builds the tables and counts memory.
LANES = _program.LANES
LANE_SQUARES = _program.LANE_SQUARES
FEW_MOVES = _program.FEW_MOVES
NO_MOVE_VECTORS = 2 * SMALL    # as `TileLayout._place` lays them out
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
        space, layout, configs = tiling.space, tiling.layout, tiling.configs
        self.tiling = tiling
        self.tables = TileTables(tiling, ranking)
        self.ranking = ranking
        self.pieces = space.rules.pieces
        self.extra_on_capture = tiling.extra_on_capture
        self.length = len(space.rules.path)
        self.first_frozen = layout.first_frozen
        self.config_off, self.config_free = configs["off"], configs["free"]
        self.config_mask, self.config_of = configs["mask"], configs["of"]
        self.shared = self.safe = self.leaving = 0
        for index in range(self.length + 1):
            if index >= self.first_frozen:
                self.leaving |= <uint64_t>1 << index
            elif self.tables.square[index] >= 0:
                self.shared |= <uint64_t>1 << index
                if index in tiling.safe:
                    self.safe |= <uint64_t>1 << index
        self.n_leading = tiling.n_leading
        self.near = near
        self.throws = np.array(tiling.throws, dtype=np.int32)
        self.n_throws = len(tiling.throws)
        self.gives_extra = np.array(
            [[tiling.again(index, throw) for throw in tiling.throws]
             for index in range(self.length + 1)], dtype=np.uint8)
        self.n_slots = len(tiling.slots)
        self.slot_target = np.array([s.target for s in tiling.slots], dtype=np.int32)
        self.slot_throw = np.array(
            [tiling.throws.index(s.throw) for s in tiling.slots], dtype=np.int32)
        self.slot_source = np.array([s.source for s in tiling.slots], dtype=np.int32)
        self.mask_of = np.array(tiling.entry_masks, dtype=np.uint8)
        self.stuck = tiling.stuck
        self._fill_program(tiling.chance)

    def _fill_program(self, const double[::1] chance):
        cdef int n, k, bits
        cdef double passing
        self.program.n_throws = self.n_throws
        self.program.n_slots = self.n_slots
        for n in range(self.n_throws):
            self.program.again[n] = 0
            for k in range(_program.LANE_SQUARES):
                self.program.again[n] |= self.gives_extra[k, n] << k
        for k in range(self.n_slots):
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
