"""What the layouts of a space's blocks share: moves by path index, chances, row tables."""

from libc.stdint cimport int64_t, uint64_t

import numpy as np

from ur_solver.kernel cimport _program
from ur_solver.kernel._program cimport (
    MAX_ROWS, NO_BIT, NO_ENTRY, SMALL, MatrixRef, Move, Program, Tile,
)
from ur_solver.kernel._tiles cimport TileTables
from ur_solver.space._tile_ranking cimport TileRanking

# Constants of tiles.h for `ur_solver.kernel.tiling`, which builds the tables and counts memory.
LANES = _program.LANES
LANE_SQUARES = _program.LANE_SQUARES
MAX_THROWS = _program.MAX_THROWS
FEW_MOVES = _program.FEW_MOVES
NO_MOVE_VECTORS = 2 * SMALL    # as `TileLayout._place` lays them out
TILE_BYTES = sizeof(Tile)
MOVE_BYTES = sizeof(Move)
REF_BYTES = sizeof(MatrixRef)


cdef class LayoutTables:
    """What the layouts of a space's blocks share; thread safe.

    Parameters
    ----------
    tiling : Tiling
    ranking : TileRanking
    has_lanes : bool
        Whether the rows of a lane are compiled in.
    near : int
        Blocks of at most this many vectors are not prefetched.
    origin : int
        Where the numbering of a block's lists begins: 0 but in tests.
    """

    def __init__(self, tiling, TileRanking ranking, bint has_lanes, int64_t near, int64_t origin):
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
        self.config_closed = configs["closed"]
        self.shared = self.safe = self.leaving = 0
        for index in range(self.length + 1):
            if index >= self.first_frozen:
                self.leaving |= <uint64_t>1 << index
            elif self.tables.square[index] >= 0:
                self.shared |= <uint64_t>1 << index
                if index in tiling.safe:
                    self.safe |= <uint64_t>1 << index
        self.n_leading = tiling.n_leading
        self.near, self.origin = near, origin
        self.throws = np.array(tiling.throws, dtype=np.int32)
        self.n_throws = len(tiling.throws)
        if self.n_throws > _program.MAX_THROWS or tiling.most_rows > MAX_ROWS:
            raise ValueError("rules larger than the compiled limits")
        self.gives_extra = np.array(
            [[tiling.again(index, throw) for throw in tiling.throws]
             for index in range(self.length + 1)], dtype=np.uint8)
        self.n_slots = len(tiling.slots)
        self.slot_target = np.array([s.target for s in tiling.slots], dtype=np.int32)
        self.slot_throw = np.array(
            [tiling.throws.index(s.throw) for s in tiling.slots], dtype=np.int32)
        self.slot_entry = np.array(
            [NO_ENTRY if s.source < 0 else layout.entry.index(s.source) for s in tiling.slots],
            dtype=np.int32)
        self._number_rows()
        lane = tiling.lane
        self.is_lane = lane is not None and has_lanes
        self._fill_program(tiling.chance, lane)

    def _number_rows(self):
        cdef int row, mask, frozen
        shape = self.config_of.shape[1], 1 << len(self.tiling.layout.entry)
        self.row_tables = {}
        self.row_of = np.full(shape, -1, dtype=np.int16)
        self.row_mask = np.zeros(shape, dtype=np.uint8)
        for config in range(self.config_mask.shape[0]):
            frozen = self.config_mask[config]
            for row, mask in enumerate(self.rows_of(config)["masks"]):
                self.row_of[frozen, mask], self.row_mask[frozen, row] = row, mask

    def _fill_program(self, const double[::1] chance, lane):
        cdef int n, k, bit, bits
        cdef double passing
        self.program.is_lane = self.is_lane
        self.program.n_throws = self.n_throws
        self.program.n_slots = self.n_slots
        if lane is not None:
            again, slot = lane
            for n in range(self.n_throws):
                self.program.lane_again[n] = again[n]
                for k in range(_program.LANE_SQUARES + 1):
                    self.program.lane_slot[n][k] = slot[n, k]
        for bits in range(1 << self.n_throws):
            passing = chance[0]
            # throws that the dice do not have keep the 0 that the object begins with
            for n in range(self.n_throws):
                self.program.chance[bits][n] = 0.0 if bits >> n & 1 else chance[self.throws[n]]
                if bits >> n & 1:
                    passing += chance[self.throws[n]]
                self.program.chance_single[bits][n] = self.program.chance[bits][n]
            self.program.pass_chance[bits] = self.program.pass_chance_single[bits] = passing
        for bits in range(2 * NO_BIT):
            bit = bits >> 1
            for k in range(MAX_ROWS >> 1):
                self.program.with_bit[bits][k] = (
                    k >> bit << (bit + 1) | (bits & 1) << bit | (k & ((1 << bit) - 1)))
        for k in range(MAX_ROWS):
            self.program.with_bit[2 * NO_BIT][k] = k

    def rows_of(self, int config):
        """The row tables of a side config, shared by all with the same closed squares."""
        closed = self.config_closed[config]
        if closed not in self.row_tables:
            self.row_tables[closed] = self.tiling.row_tables(config)
        return self.row_tables[closed]
