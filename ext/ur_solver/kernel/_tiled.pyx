"""The tiled kernel: a block as matrices whose rows are updated with whole vectors.

`TiledKernel` holds what a space's blocks share; `TiledBlock` is one block laid out in a
workspace of its own, from which its values are read when it is done. tiles.h says what
a tile is; here they are laid out.
"""

from cython.parallel cimport prange
from libc.math cimport INFINITY, nextafter
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

import numpy as np

from ur_solver.kernel.rounding import NOISE

from ur_solver.kernel._tiles cimport MINE, NOBODY, THEIRS, Filling, TileTables
from ur_solver.kernel._workspace cimport Workspace
from ur_solver.space._ranking cimport MAX_SHARED, Ranking


cdef extern from "sweep.h" nogil:
    enum:
        LANES
        MAX_THROWS
        MAX_ROWS
        LANE_SQUARES
        LANE_ROWS
        LANE_VECTORS
        NO_BIT
        NO_ENTRY
    ctypedef uint64_t MatrixRef
    ctypedef struct Tile:
        int64_t f
        int32_t mirror
        uint32_t first_move
        uint32_t first_slot
        uint32_t first_row
        uint16_t n_rows
        uint16_t n_columns
        uint8_t vectors
        uint8_t half
        uint8_t pieces
        uint8_t forks
        uint8_t n_moves[8]
    ctypedef struct Move:
        MatrixRef matrix
        uint16_t n
        uint8_t entry
        uint8_t lost
        uint8_t gained
        uint8_t captured
    ctypedef struct EntryMoves:
        uint8_t n
    ctypedef struct Program:
        const Tile* tiles
        const Move* moves
        const MatrixRef* refs
        const MatrixRef* slots
        const uint8_t* pass_bits
        void* frames
        int64_t frame_step
        const EntryMoves* entry_moves[2]
        const uint8_t* leaving[2]
        const uint8_t* mask_order[2]
        const uint8_t* mask_pieces[2]
        int32_t n_masks[2]
        int32_t max_pairs[2]
        int32_t is_lane
        int32_t lane_again[8]
        int32_t lane_slot[8][5]
        int32_t n_throws
        uint16_t with_bit[15][512]
        double chance[256][8]
        double pass_chance[256]
        float chance_single[256][8]
        float pass_chance_single[256]
    MatrixRef matrix_of(const Program*, uint32_t move)
    ctypedef struct Sweeper:
        const char* name
        int has_lanes
        double (*sweep)(
            const Program*, double*, const int32_t*, const int64_t*, int64_t, int, int
        ) noexcept nogil
        double (*residual)(const Program*, double*, int64_t, int) noexcept nogil
        void (*show)(const Program*, double*, int64_t, int) noexcept nogil
        void (*remember)(const Program*, const double*, double*, int64_t, int) noexcept nogil
        void (*extrapolate)(
            const Program*, double*, const double*, int64_t, double, int
        ) noexcept nogil
        double (*sweep_single)(
            const Program*, float*, const int32_t*, const int64_t*, int64_t, int, int
        ) noexcept nogil
        void (*remember_single)(const Program*, const float*, float*, int64_t, int) noexcept nogil
        void (*extrapolate_single)(
            const Program*, float*, const float*, int64_t, double, int
        ) noexcept nogil
        void (*narrow)(
            const Program*, double*, double*, const int32_t*, const int64_t*, int64_t, int, int
        ) noexcept nogil
        void (*widen)(const double*, double*, double*, int64_t, double) noexcept nogil
        void (*show_bounds)(const Program*, double*, double*, int64_t) noexcept nogil
    int sweepers(Sweeper*)
    void to_single(const double*, float*, int64_t, int)
    void to_double(const float*, double*, int64_t, int)


cdef double HALF_UNIT = 2.0**-53  # of the last place of numbers up to 1, at most

# Single precision is left while changes are still the values' own: down to 2e-7 blocks take
# no more sweeps for it, at 1e-7 some do.
cdef double SINGLE_NOISE = 3e-7


def instruction_sets():
    """The instruction sets that this processor runs, the fastest first."""
    cdef Sweeper found[4]
    cdef int n = sweepers(found)
    return tuple(found[k].name.decode() for k in range(n))


cdef class TiledKernel:
    """The tables that all blocks of a space share; thread safe.

    Parameters
    ----------
    tiling : Tiling
    ranking : Ranking
    instruction_set : str, optional
        One of `instruction_sets`; the fastest by default.
    rounds : int
        How often a tile and its mirror are updated in turn before the next pair.
    """

    cdef TileTables tables
    cdef Ranking ranking
    cdef int n_leading, length, n_throws, n_slots, n_frozen, first_frozen, pieces
    cdef bint safe_rosettes, extra_on_capture, is_lane
    cdef readonly object tiling
    cdef const uint8_t[::1] is_rosette
    cdef const int32_t[::1] throws, slot_source, slot_throw, slot_entry
    cdef const uint8_t[:, ::1] gives_extra          # (path index, throw number)
    cdef Program program            # what all blocks have in common of theirs
    cdef Sweeper sweeper
    cdef readonly str instruction_set
    cdef readonly int rounds
    cdef dict row_tables

    def __init__(self, tiling, Ranking ranking, instruction_set=None, int rounds=2):
        cdef Sweeper found[4]
        cdef int n = sweepers(found)
        names = instruction_sets()
        self.instruction_set = names[0] if instruction_set is None else instruction_set
        if self.instruction_set not in names:
            raise ValueError(
                f"instruction set {instruction_set!r}: this processor runs {', '.join(names)}"
            )
        self.sweeper = found[names.index(self.instruction_set)]
        space, layout, moves = tiling.space, tiling.layout, tiling.moves
        self.tiling = tiling
        self.tables = TileTables(tiling, ranking)
        self.ranking = ranking
        self.rounds = rounds
        self.pieces = space.rules.pieces
        self.is_rosette = moves.is_rosette
        self.safe_rosettes = moves.safe_rosettes
        self.extra_on_capture = moves.extra_on_capture
        self.length = len(space.rules.path)
        self.n_frozen = len(layout.frozen)
        self.first_frozen = self.length - self.n_frozen
        self.n_leading = tiling.n_leading
        self.throws = np.array(tiling.throws, dtype=np.int32)
        self.n_throws = len(tiling.throws)
        if self.n_throws > MAX_THROWS or tiling.most_rows > MAX_ROWS:
            raise ValueError("rules larger than the compiled limits")
        self.gives_extra = np.array(
            [[tiling.again(index, throw) for throw in tiling.throws]
             for index in range(self.length + 1)], dtype=np.uint8)
        self.n_slots = len(tiling.slots)
        self.slot_source = np.array([s.source for s in tiling.slots], dtype=np.int32)
        self.slot_throw = np.array(
            [tiling.throws.index(s.throw) for s in tiling.slots], dtype=np.int32)
        self.slot_entry = np.array(
            [NO_ENTRY if s.source < 0 else layout.entry.index(s.source) for s in tiling.slots],
            dtype=np.int32)
        self.row_tables = {}
        lane = tiling.lane
        self.is_lane = lane is not None and self.sweeper.has_lanes
        self._fill_program(moves.chance, lane)

    def _fill_program(self, const double[::1] chance, lane):
        cdef int n, k, bit, bits
        cdef double passing
        self.program.is_lane = self.is_lane
        self.program.n_throws = self.n_throws
        if lane is not None:
            again, slot = lane
            for n in range(self.n_throws):
                self.program.lane_again[n] = again[n]
                for k in range(LANE_SQUARES + 1):
                    self.program.lane_slot[n][k] = slot[n, k]
        for bits in range(1 << self.n_throws):
            passing = chance[0]
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
        """The row tables of a side config, shared by all with the same frozen squares."""
        mask = self.ranking.config_mask[config]
        if mask not in self.row_tables:
            self.row_tables[mask] = self.tiling.row_tables(config)
        return self.row_tables[mask]


cdef class TiledBlock:
    """One block laid out as tiles.

    Parameters
    ----------
    kernel : TiledKernel
    workspace : Workspace
        Taken over from the block that was laid out in it before.
    halves : sequence of (mine, theirs)
        The block's one or two ordered pairs of side configs.
    values : float64, shape (n_positions,)
        Values of the whole space, final for all earlier blocks. Read on construction;
        only `store` writes to it.
    threads : int
        That lay the block out.
    single : bool
        Sweep in single precision until `refine`, if the instruction set has it.
    """

    cdef TiledKernel kernel
    cdef TileTables tables
    cdef Program program
    cdef Tile* tiles
    cdef Move* moves
    cdef MatrixRef* refs
    cdef MatrixRef* slots
    cdef uint8_t* pass_bits
    cdef double* buffer            # the values, or memory of single ones, then the matrices
                                   # of moves that leave; while there are bounds, the upper
    cdef float* single             # the values less 1/2; NULL once in double precision
    cdef void* memory              # of the precision of the values
    cdef double* lower             # the lower bounds, laid out as `buffer` is
    cdef Workspace workspace
    cdef int32_t[::1] order
    cdef int64_t[::1] group_start
    cdef int threads
    cdef int64_t first_tile[3]
    cdef int mine[2]
    cdef int theirs[2]
    cdef int my_free[2]
    cdef int their_free[2]
    cdef int n_halves
    cdef object keep
    cdef readonly int64_t n_tiles, n_vectors, n_state_vectors

    def __init__(
        self, TiledKernel kernel, Workspace workspace, halves, const double[::1] values,
        int threads=1, bint single=False
    ):
        cdef int h
        cdef int64_t k
        cdef const double* base = &values[0]
        self.kernel = kernel
        self.tables = kernel.tables
        self.workspace = workspace
        self.threads = threads
        self.memory = NULL
        self.lower = NULL
        self.n_halves = len(halves)
        self.first_tile[0] = 0
        for h in range(self.n_halves):
            self.mine[h], self.theirs[h] = halves[h]
            self.my_free[h] = kernel.ranking.config_free[self.mine[h]]
            self.their_free[h] = kernel.ranking.config_free[self.theirs[h]]
            self.first_tile[h + 1] = (
                self.first_tile[h] + self.tables.count[self.my_free[h], self.their_free[h]])
        self.n_tiles = self.first_tile[self.n_halves]
        self.program = kernel.program
        self.tiles = <Tile*>workspace.tiles.take(self.n_tiles * sizeof(Tile))
        self.program.tiles = self.tiles
        self.keep = [kernel.rows_of(self.mine[h]) for h in range(self.n_halves)]
        for h in range(self.n_halves):
            self._row_tables(h, self.keep[h])
        cdef int64_t[::1] externals = np.empty(self.n_tiles, dtype=np.int64)
        cdef int64_t[3] sizes
        for k in prange(self.n_tiles, nogil=True, schedule="static", num_threads=threads):
            externals[k] = self._shape(kernel, self.tables, k)
        self._place(kernel, &externals[0], sizes)
        if kernel.is_lane:
            self.refs = <MatrixRef*>workspace.moves.take(sizes[0] * sizeof(MatrixRef))
            self.slots = <MatrixRef*>workspace.slots.take(
                self.n_tiles * kernel.n_slots * sizeof(MatrixRef))
        else:
            self.moves = <Move*>workspace.moves.take(sizes[0] * sizeof(Move))
        self.program.moves, self.program.refs = self.moves, self.refs
        self.program.slots = self.slots
        self.pass_bits = <uint8_t*>workspace.pass_bits.take(sizes[1])
        self.program.pass_bits = self.pass_bits
        self.n_vectors = sizes[2]
        self.buffer = workspace.buffer.vectors(self.n_vectors)
        self.single = NULL
        if single and kernel.sweeper.sweep_single != NULL:
            self.single = <float*>workspace.memory.vectors((self.n_vectors + 1) // 2)
        for k in prange(
                self.n_state_vectors * LANES, nogil=True, schedule="static",
                num_threads=threads):
            if self.single != NULL:
                self.single[k] = 0.0
            else:
                self.buffer[k] = 0.5
        for k in prange(self.n_tiles, nogil=True, schedule="static", num_threads=threads):
            self._link(kernel, self.tables, k, externals[k])
            self._read_externals(kernel, self.tables, k, base)
            self._mark_passes(kernel, k)
        if self.single != NULL:
            k = self.n_state_vectors * LANES
            to_single(self.buffer + k, self.single + k, self.n_vectors * LANES - k, threads)
        self._order_tiles()

    def _row_tables(self, int h, tables):
        cdef const uint8_t[::1] order = tables["order"]
        cdef const uint8_t[::1] pieces = tables["pieces"]
        cdef const uint8_t[:, :, :, ::1] moves = tables["moves"]
        cdef const uint8_t[:, :, ::1] leaving = tables["leaving"]
        if sizeof(EntryMoves) != moves.shape[3]:
            raise AssertionError("EntryMoves in tiles.h and in tiling.py differ")
        self.program.mask_order[h] = &order[0]
        self.program.mask_pieces[h] = &pieces[0]
        self.program.entry_moves[h] = <const EntryMoves*>&moves[0, 0, 0, 0]
        self.program.leaving[h] = &leaving[0, 0, 0]
        self.program.n_masks[h] = <int32_t>order.shape[0]
        self.program.max_pairs[h] = <int32_t>leaving.shape[1]

    cdef int64_t _shape(
        self, TiledKernel kernel, TileTables tables, int64_t number
    ) noexcept nogil:
        # A tile's rows and columns and its number of moves, and for each throw whether
        # moves leave the block.
        cdef int h = number >= self.first_tile[1], n
        cdef int64_t moves = 0
        cdef Filling filling
        cdef Tile* tile = &self.tiles[number]
        tables.fill(number - self.first_tile[h], self.my_free[h], self.their_free[h], &filling)
        tile.half = h
        tile.pieces = filling.mine
        tile.forks = filling.my_forks
        tile.n_rows = tables.mask_counts[self.mine[h], filling.mine] << filling.my_forks
        tile.n_columns = tables.mask_counts[
            self.theirs[h], filling.theirs] << filling.their_forks
        tile.vectors = (tile.n_columns + LANES - 1) // LANES
        for n in range(kernel.n_throws):
            moves += self._list_moves(kernel, tables, number, &filling, n, -1, NULL)
        return moves

    cdef void _place(
        self, TiledKernel kernel, int64_t* externals, int64_t* sizes
    ) noexcept nogil:
        # Where everything of every tile begins: of `externals`, by tile, its number of
        # moves comes in and its first matrix of moves that leave the block goes out. The
        # room that moves, rows and vectors need.
        cdef int64_t moves = 0, rows = 0, vectors = 0, t, frame = 0
        cdef int n
        cdef Tile* tile
        for t in range(self.n_tiles):
            tile = &self.tiles[t]
            tile.f = vectors
            tile.first_row = <uint32_t>rows
            tile.first_move = <uint32_t>moves
            tile.first_slot = <uint32_t>(t * kernel.n_slots)
            vectors += 2 * tile.n_rows * tile.vectors
            rows += tile.n_rows
            moves += externals[t]
            frame = max(frame, tile.n_rows * tile.vectors)
        self.n_state_vectors = vectors
        for t in range(self.n_tiles):
            tile = &self.tiles[t]
            externals[t] = vectors
            for n in range(kernel.n_throws):
                vectors += tile.n_moves[n] * tile.n_rows * tile.vectors
            vectors += vectors & 1  # doubles: cache lines hold whole rows of eight
        sizes[0], sizes[1], sizes[2] = moves, rows, vectors
        # the compiled rows of a lane have room for all of them
        self.program.frame_step = (LANE_ROWS * LANE_VECTORS if kernel.is_lane else frame) * LANES

    cdef MatrixRef _matrix(self, int64_t number, bint again) noexcept nogil:
        cdef const Tile* tile = &self.tiles[number]
        cdef int64_t offset = tile.f
        if not again:
            offset += <int64_t>tile.n_rows * tile.vectors
        return (<uint64_t>offset << 8) | tile.vectors

    cdef void _link(
        self, TiledKernel kernel, TileTables tables, int64_t number, int64_t external
    ) noexcept nogil:
        # The moves and the mirror of a tile; `external` is where its matrices of moves
        # that leave the block begin.
        cdef Tile* tile = &self.tiles[number]
        cdef int h = tile.half, n, k
        cdef int64_t move = tile.first_move
        cdef int32_t other[MAX_SHARED]
        cdef Filling filling
        cdef Move slot
        tables.fill(number - self.first_tile[h], self.my_free[h], self.their_free[h], &filling)
        tables.mirrored(filling.digits, other)
        tile.mirror = <int32_t>(
            self.first_tile[self.n_halves - 1 - h]
            + tables.number(other, self.their_free[h], self.my_free[h]))
        for n in range(kernel.n_throws):
            k = self._list_moves(kernel, tables, number, &filling, n, move, &external)
            tile.n_moves[n] = k
            move += k
        if kernel.is_lane:
            for k in range(kernel.n_slots):
                self.slots[tile.first_slot + k] = 0
                if tile.pieces and self._land(
                        kernel, tables, tile, &filling, -1, kernel.slot_source[k]
                        + kernel.throws[kernel.slot_throw[k]], kernel.slot_throw[k], &slot):
                    self.slots[tile.first_slot + k] = slot.matrix

    cdef int _list_moves(
        self, TiledKernel kernel, TileTables tables, int64_t number, const Filling* filling,
        int n, int64_t at, int64_t* external,
    ) noexcept nogil:
        # Lists, from `at` on, a tile's moves of a throw that lead to other tiles; how many
        # there are. Those that leave the block come first, as one, whose matrix is at
        # `external`. If `at` is negative they are only counted.
        cdef Tile* tile = &self.tiles[number]
        cdef int count = 0, s, leg, k, target
        cdef bint forks
        cdef Move move
        if at < 0:
            tile.n_moves[n] = self._leaves(kernel, tables, tile, filling, n)
            count = tile.n_moves[n]
        elif tile.n_moves[n]:
            move.matrix = (<uint64_t>external[0] << 8) | tile.vectors
            move.n = tile.n_rows
            move.entry = NO_ENTRY
            move.lost = move.gained = NO_BIT << 1
            move.captured = NO_BIT
            self._write(&move, at)
            external[0] += <int64_t>tile.n_rows * tile.vectors
            count = 1
        for s in range(tables.n_shared):
            if filling.digits[s] != MINE:
                continue
            forks = tables.index[0, s, 1] >= 0
            for leg in range(1 + forks):
                target = tables.index[0, s, leg] + kernel.throws[n]
                if target >= kernel.first_frozen or not self._land(
                        kernel, tables, tile, filling, s, target, n,
                        NULL if at < 0 else &move):
                    continue
                if at >= 0:
                    move.n = tile.n_rows >> forks
                    if forks:
                        move.lost = tables.my_bit(filling.digits, s) << 1 | leg
                    self._write(&move, at + count)
                count += 1
        if kernel.is_lane or tile.pieces == 0:
            return count  # a lane has slots of its own
        for k in range(kernel.n_slots):
            target = kernel.slot_source[k] + kernel.throws[n]
            if kernel.slot_throw[k] != n or not self._land(
                    kernel, tables, tile, filling, -1, target, n, NULL if at < 0 else &move):
                continue
            if at >= 0:
                move.entry = kernel.slot_entry[k]
                if move.entry == NO_ENTRY:
                    move.n = tables.mask_counts[
                        self.mine[tile.half], tile.pieces - 1] << tile.forks
                else:
                    move.n = self._n_pairs(tile, move.entry)
                self._write(&move, at + count)
            count += 1
        return count

    cdef void _write(self, const Move* move, int64_t at) noexcept nogil:
        if self.program.is_lane:
            self.refs[at] = move.matrix
        else:
            self.moves[at] = move[0]

    cdef int _n_pairs(self, const Tile* tile, int entry) noexcept nogil:
        # How many of a tile's masks hold an entry square.
        cdef int h = tile.half, k = 0, pairs = self.program.max_pairs[h]
        cdef const uint8_t* pair = self.program.leaving[h] + entry * pairs * 2
        while k < pairs and (<int>pair[2 * k] << tile.forks) < tile.n_rows:
            k += 1
        return k

    cdef bint _leaves(
        self, TiledKernel kernel, TileTables tables, const Tile* tile, const Filling* filling,
        int n,
    ) noexcept nogil:
        # Whether a throw can move a piece onto a frozen square or off the board; a
        # frozen square already held is left for `_leave` to see.
        cdef uint32_t frozen = kernel.ranking.config_mask[self.mine[tile.half]]
        cdef int s, k, leg, index
        for s in range(tables.n_shared):
            if filling.digits[s] == MINE:
                for leg in range(2):
                    index = tables.index[0, s, leg]
                    if index >= 0 and (
                            kernel.first_frozen <= index + kernel.throws[n] <= kernel.length):
                        return True
        for k in range(kernel.n_frozen):
            if frozen >> k & 1 and kernel.first_frozen + k + kernel.throws[n] <= kernel.length:
                return True
        return False

    cdef bint _land(
        self, TiledKernel kernel, TileTables tables, const Tile* tile, const Filling* filling,
        int source, int target, int n, Move* move,
    ) noexcept nogil:
        # Landing on a shared square from another one (or, -1, from an entry square or
        # home): false if that is not allowed; where it leads is written to `move`, from
        # which rows is the caller's to say.
        cdef int32_t after[MAX_SHARED]
        cdef int s, square = tables.square[target], held = filling.digits[square]
        cdef bint again = kernel.gives_extra[target, n]
        if held == MINE or (
                held == THEIRS and kernel.safe_rosettes and kernel.is_rosette[target]):
            return False
        if move == NULL:
            return True
        for s in range(tables.n_shared):
            after[s] = filling.digits[s]
        if source >= 0:
            after[source] = NOBODY
        after[square] = MINE
        move.entry = NO_ENTRY
        move.lost = move.gained = NO_BIT << 1
        move.captured = NO_BIT
        if tables.index[0, square, 1] >= 0:
            move.gained = tables.my_bit(after, square) << 1 | tables.leg[target]
        if held == THEIRS:
            again = again or kernel.extra_on_capture
            if tables.index[1, square, 1] >= 0:
                move.captured = tables.their_bit(filling.digits, square)
        move.matrix = self._matrix(
            self.first_tile[tile.half] + tables.number(
                after, self.my_free[tile.half], self.their_free[tile.half]), again)
        return True

    cdef void _read_externals(
        self, TiledKernel kernel, TileTables tables, int64_t number, const double* values
    ) noexcept nogil:
        # The best of a tile's moves that leave the block, by throw, from finished blocks.
        cdef const Tile* tile = &self.tiles[number]
        cdef int n, s, leg, k, index
        cdef int64_t x
        cdef uint32_t move = tile.first_move
        cdef uint32_t frozen = kernel.ranking.config_mask[self.mine[tile.half]]
        cdef Filling filling
        cdef double* rows
        cdef double* end = NULL
        tables.fill(
            number - self.first_tile[tile.half], self.my_free[tile.half],
            self.their_free[tile.half], &filling)
        for n in range(kernel.n_throws):
            rows = self._external(tile, n, move)
            move += tile.n_moves[n]
            if rows == NULL:
                continue
            end = rows + <int64_t>tile.n_rows * tile.vectors * LANES
            for x in range(end - rows):
                rows[x] = -1.0
            for s in range(tables.n_shared):
                if filling.digits[s] != MINE:
                    continue
                for leg in range(2):
                    index = tables.index[0, s, leg]
                    if index >= 0 and (
                            kernel.first_frozen <= index + kernel.throws[n] <= kernel.length):
                        self._leave(
                            kernel, tables, kernel.ranking, tile, values, &filling, s, leg,
                            index, n, rows)
            for k in range(kernel.n_frozen):
                index = kernel.first_frozen + k
                if frozen >> k & 1 and index + kernel.throws[n] <= kernel.length:
                    self._leave(
                        kernel, tables, kernel.ranking, tile, values, &filling, -1, 0, index, n,
                        rows)
        if end != NULL and (end - self.buffer) // LANES & 1:
            for x in range(LANES):
                end[x] = -1.0  # what no tile reads, up to the next one's

    cdef double* _external(self, const Tile* tile, int n, uint32_t move) noexcept nogil:
        # The matrix of the moves of throw n that leave the block, NULL if there are none;
        # it comes first among the moves of the throw, `move` on.
        cdef int64_t at
        if tile.n_moves[n]:
            at = matrix_of(&self.program, move) >> 8
            if at >= self.n_state_vectors:
                return self.buffer + at * LANES
        return NULL

    cdef void _leave(
        self, TiledKernel kernel, TileTables tables, Ranking ranking, const Tile* tile,
        const double* values, const Filling* filling, int square, int leg, int source, int n,
        double* rows,
    ) noexcept nogil:
        # One move onto a frozen square or off the board, for all rows of a tile that have
        # it: from a shared square, or (-1) from a frozen one.
        cdef int h = tile.half, target = source + kernel.throws[n]
        cdef int old = self.mine[h], theirs = self.theirs[h], config, r, c, k, mask
        cdef int forks = tile.forks, lost = NO_BIT << 1
        cdef uint32_t before = ranking.config_mask[old], frozen = before
        cdef int off = ranking.config_off[old]
        cdef int32_t after[MAX_SHARED]
        cdef int32_t other[MAX_SHARED]
        cdef int64_t to_rows[MAX_ROWS]
        cdef int64_t to_columns[MAX_ROWS]
        cdef double value
        cdef double* row
        cdef bint again = kernel.gives_extra[target, n], wins = False
        for k in range(tables.n_shared):
            after[k] = filling.digits[k]
        if square < 0:
            frozen &= ~(<uint32_t>1 << (source - kernel.first_frozen))
        else:
            after[square] = NOBODY
            if tables.index[0, square, 1] >= 0:
                lost = tables.my_bit(filling.digits, square) << 1 | leg
                forks -= 1
        config = -1
        if target == kernel.length:
            off += 1
            wins = off == kernel.pieces
        elif frozen >> (target - kernel.first_frozen) & 1:
            return
        else:
            frozen |= <uint32_t>1 << (target - kernel.first_frozen)
        if not wins:
            config = ranking.config_of[off, frozen]
            if again:
                tables.ranks(config, theirs, after, to_rows, to_columns)
            else:
                tables.mirrored(after, other)
                tables.ranks(theirs, config, other, to_columns, to_rows)
        for k in range(tile.n_rows >> (tile.forks - forks)):
            mask = k >> forks
            r = ranking.row_of[frozen, ranking.row_mask[before, mask]]
            if r < 0 and not wins:
                continue  # an entry square that the path ends on is held
            r = r << forks | (k & ((1 << forks) - 1))
            row = rows + <int64_t>self.program.with_bit[lost][k] * tile.vectors * LANES
            for c in range(tile.n_columns):
                if wins:
                    value = 1.0
                elif again:
                    value = values[to_rows[r] + to_columns[c]]
                else:
                    value = 1.0 - values[to_rows[r] + to_columns[c]]
                row[c] = max(row[c], value)

    cdef void _mark_passes(self, TiledKernel kernel, int64_t number) noexcept nogil:
        # By row of a tile, which throws leave no move.
        cdef const Tile* tile = &self.tiles[number]
        cdef uint8_t* bits = self.pass_bits + tile.first_row
        cdef const EntryMoves* list
        cdef const double* external
        cdef uint32_t move = tile.first_move, end
        cdef int r, n, mask, h = tile.half
        cdef bint home_empty
        for r in range(tile.n_rows):
            mask = r >> tile.forks
            home_empty = self.program.mask_pieces[h][mask] == tile.pieces
            list = self.program.entry_moves[h] + (
                home_empty * self.program.n_masks[h] + mask) * kernel.n_throws
            bits[r] = 0
            for n in range(kernel.n_throws):
                if list[n].n == 0:
                    bits[r] |= 1 << n
        for n in range(kernel.n_throws):
            end = move + tile.n_moves[n]
            external = self._external(tile, n, move)
            if external != NULL:
                for r in range(tile.n_rows):
                    if external[<int64_t>r * tile.vectors * LANES] >= 0.0:
                        bits[r] &= ~(1 << n)
                move += 1
            while move < end:
                self._mark_move(kernel, tile, move, n, bits)
                move += 1
        if kernel.is_lane and tile.pieces:
            self._mark_slots(kernel, tile, bits)

    cdef void _mark_move(
        self, TiledKernel kernel, const Tile* tile, uint32_t number, int n, uint8_t* bits
    ) noexcept nogil:
        # The rows that have a move do not pass.
        cdef const Move* move
        cdef const uint8_t* pair
        cdef int k, legs
        if kernel.is_lane:
            for k in range(tile.n_rows):
                bits[k] &= ~(1 << n)
            return
        move = &self.moves[number]
        if move.entry == NO_ENTRY:
            for k in range(move.n):
                bits[self.program.with_bit[move.lost][k]] &= ~(1 << n)
            return
        pair = self.program.leaving[tile.half] + (
            <int>move.entry * self.program.max_pairs[tile.half] * 2)
        for k in range(move.n):
            for legs in range(1 << tile.forks):
                bits[<int>pair[2 * k] << tile.forks | legs] &= ~(1 << n)

    cdef void _mark_slots(
        self, TiledKernel kernel, const Tile* tile, uint8_t* bits
    ) noexcept nogil:
        # Nor do those of a lane that have a piece where an open slot starts.
        cdef uint32_t frozen = kernel.ranking.config_mask[self.mine[tile.half]]
        cdef int k, r, entry
        cdef bint has
        for k in range(kernel.n_slots):
            if not self.slots[tile.first_slot + k]:
                continue
            entry = kernel.slot_entry[k]
            for r in range(tile.n_rows):
                if entry == NO_ENTRY:
                    has = self.program.mask_pieces[tile.half][r] < tile.pieces
                else:
                    has = kernel.ranking.row_mask[frozen, r] >> entry & 1
                if has:
                    bits[r] &= ~(1 << kernel.slot_throw[k])

    def _order_tiles(self):
        # Pairs of mirrored tiles, named by their first. A group agrees on the leading
        # squares. The groups whose pieces there have come furthest come first, so that
        # every move that is not a capture leads to an earlier group, to an earlier tile of
        # the group, or stays in its pair; on forks, where pieces may be on their way back,
        # this holds for the first leg. Within a group, tiles follow their place in
        # memory, backwards, for the caches' sake.
        cdef int64_t pairs = self.first_tile[1], t
        advance = np.empty(pairs, dtype=np.int32)
        leading = np.empty(pairs, dtype=np.int64)
        cdef int32_t[::1] advance_view = advance
        cdef int64_t[::1] leading_view = leading
        for t in prange(pairs, nogil=True, schedule="static", num_threads=self.threads):
            self._look_ahead(
                self.kernel, self.tables, t, &advance_view[t], &leading_view[t])
        chosen = np.flatnonzero(advance >= 0)
        order = chosen[np.lexsort((-chosen, leading[chosen], -advance[chosen]))]
        self.order = order.astype(np.int32)
        starts = np.flatnonzero(np.diff(leading[order])) + 1
        self.group_start = np.concatenate(([0], starts, [len(order)])).astype(np.int64)

    cdef void _look_ahead(
        self, TiledKernel kernel, TileTables tables, int64_t number, int32_t* advance,
        int64_t* leading,
    ) noexcept nogil:
        # How far the pieces on a tile's leading squares have come, -1 for the second of a
        # pair, and a number for what stands there.
        cdef int s, d
        cdef Filling filling
        tables.fill(number, self.my_free[0], self.their_free[0], &filling)
        advance[0] = leading[0] = 0
        for s in range(kernel.n_leading):
            d = filling.digits[s]
            leading[0] = leading[0] * 3 + d
            if d:
                advance[0] += tables.index[d - MINE, s, 0] + 1
        if self.tiles[number].mirror < number:
            advance[0] = -1

    cdef _take_frames(self, int threads):
        # Four for each thread: of a tile and its mirror, by both bounds.
        self.program.frames = self.workspace.frames.vectors(
            4 * threads * self.program.n_throws * self.program.frame_step // LANES)

    def sweep(self, int threads):
        """Update every tile in place, the furthest on first.

        Parameters
        ----------
        threads : int
            How many threads share the groups.

        Returns
        -------
        float
            The delta: the largest change of a value on its first update.
        """
        cdef double delta
        self._take_frames(threads)
        with nogil:
            if self.single != NULL:
                delta = self.kernel.sweeper.sweep_single(
                    &self.program, self.single, &self.order[0], &self.group_start[0],
                    self.group_start.shape[0] - 1, self.kernel.rounds, threads)
            else:
                delta = self.kernel.sweeper.sweep(
                    &self.program, self.buffer, &self.order[0], &self.group_start[0],
                    self.group_start.shape[0] - 1, self.kernel.rounds, threads)
        return delta

    @property
    def noise(self):
        """Changes up to this, a float, are rounding."""
        return NOISE if self.single == NULL else SINGLE_NOISE

    def refine(self):
        """Go on in double precision, if in single so far; whether it was. Memory is lost."""
        if self.single == NULL:
            return False
        with nogil:
            to_double(self.single, self.buffer, self.n_state_vectors * LANES, self.threads)
        self.single = NULL
        self.memory = NULL
        return True

    def residual(self, int threads):
        """The largest abs(T(V) - V) over the block; as `refine`, it writes no values."""
        cdef double residual
        self.refine()
        self._take_frames(threads)
        with nogil:
            residual = self.kernel.sweeper.residual(
                &self.program, self.buffer, self.n_tiles, threads)
        return residual

    def remember(self):
        """Keep a copy of the values, for `extrapolate`."""
        # in single precision the values are in the memory's place and the memory in theirs
        if self.single != NULL:
            self.memory = self.buffer
        else:
            self.memory = self.workspace.memory.vectors(self.n_state_vectors // 2)
        with nogil:
            if self.single != NULL:
                self.kernel.sweeper.remember_single(
                    &self.program, self.single, <float*>self.memory, self.n_tiles, self.threads)
            else:
                self.kernel.sweeper.remember(
                    &self.program, self.buffer, <double*>self.memory, self.n_tiles, self.threads)

    def extrapolate(self, double factor):
        """Add to every value `factor` times its change since `remember`."""
        if self.memory == NULL:
            raise ValueError("extrapolate before remember")
        with nogil:
            if self.single != NULL:
                self.kernel.sweeper.extrapolate_single(
                    &self.program, self.single, <float*>self.memory, self.n_tiles, factor,
                    self.threads)
            else:
                self.kernel.sweeper.extrapolate(
                    &self.program, self.buffer, <double*>self.memory, self.n_tiles, factor,
                    self.threads)

    def bracket(self, const double[::1] values, double shift, double outside):
        """Lay bounds around the given values; the block's own are lost.

        Parameters
        ----------
        values : float64, shape (n_positions,)
            Those that the block was laid out with, and the block's own.
        shift : float
            How far the bounds begin from the block's values; draws are 1/2 for sure.
        outside : float
            How far the values that its moves lead to may be off: the same each time.
        """
        cdef int64_t n_states = self.n_state_vectors
        # what leaves the block is a value or 1 less a value, the latter rounded to nearest
        cdef double beyond = nextafter(outside + HALF_UNIT, INFINITY)
        self.refine()
        if self.lower == NULL:
            self.lower = self.workspace.memory.vectors(self.n_vectors)
            self.memory = NULL
            with nogil:
                self.kernel.sweeper.widen(
                    self.buffer + n_states * LANES, self.buffer + n_states * LANES,
                    self.lower + n_states * LANES, self.n_vectors - n_states, beyond)
        self._copy(NULL, &values[0])
        with nogil:
            self.kernel.sweeper.widen(self.buffer, self.buffer, self.lower, n_states, shift)
            self._settle_draws()
            self.kernel.sweeper.show_bounds(
                &self.program, self.buffer, self.lower, self.n_tiles)

    cdef void _settle_draws(self) noexcept nogil:
        # Both bounds of positions in which neither side has a move by any throw.
        cdef int stuck = (1 << self.program.n_throws) - 1
        cdef int64_t t, at
        cdef int r, c
        cdef const Tile* tile
        cdef const Tile* mirror
        for t in range(self.n_tiles):
            tile, mirror = &self.tiles[t], &self.tiles[self.tiles[t].mirror]
            for r in range(tile.n_rows):
                if self.pass_bits[tile.first_row + r] != stuck:
                    continue
                for c in range(tile.n_columns):
                    if self.pass_bits[mirror.first_row + c] == stuck:
                        at = (tile.f + <int64_t>r * tile.vectors) * LANES + c
                        self.buffer[at] = self.lower[at] = 0.5

    def narrow(self, int threads):
        """Sweep both bounds, each update rounded outwards."""
        self._take_frames(threads)
        with nogil:
            self.kernel.sweeper.narrow(
                &self.program, self.buffer, self.lower, &self.order[0], &self.group_start[0],
                self.group_start.shape[0] - 1, self.kernel.rounds, threads)

    def width(self, const double[::1] values):
        """How far the bounds are from the given values, and where.

        Returns
        -------
        width : float
            The largest that an upper bound is above its value, or a lower one below it,
            rounded up.
        rank : int
            Where it is that large.
        """
        cdef double width = -1.0, off
        cdef int64_t t, k, rank, worst = 0
        cdef int64_t rows[MAX_ROWS]
        cdef int64_t columns[MAX_ROWS]
        cdef int r, c
        cdef const Tile* tile
        with nogil:
            for t in range(self.n_tiles):
                tile = &self.tiles[t]
                self._ranks(self.tables, t, rows, columns)
                k = tile.f * LANES
                for r in range(tile.n_rows):
                    for c in range(tile.n_columns):
                        rank = rows[r] + columns[c]
                        off = max(self.buffer[k + c] - values[rank],
                                  values[rank] - self.lower[k + c])
                        if off > width:
                            width, worst = off, rank
                    k += <int64_t>tile.vectors * LANES
        # one subtraction, rounded to nearest
        return nextafter(width, INFINITY), worst

    def store(self, double[::1] values):
        """Write the block's values to `values`, float64, shape (n_positions,); see `refine`."""
        self.refine()
        self._copy(&values[0], NULL)

    def load(self, const double[::1] values):
        """Take the block's values from `values`, float64, shape (n_positions,)."""
        self.refine()
        self._copy(NULL, &values[0])
        with nogil:
            self.kernel.sweeper.show(&self.program, self.buffer, self.n_tiles, self.threads)

    cdef _copy(self, double* to, const double* source):
        # Between F and rank order: to `to` unless it is NULL, from `source` otherwise.
        cdef int64_t t
        for t in prange(self.n_tiles, nogil=True, schedule="static", num_threads=self.threads):
            self._copy_tile(t, to, source)

    cdef void _copy_tile(self, int64_t number, double* to, const double* source) noexcept nogil:
        cdef const Tile* tile = &self.tiles[number]
        cdef int r, c
        cdef int64_t rows[MAX_ROWS]
        cdef int64_t columns[MAX_ROWS]
        cdef double* f = self.buffer + tile.f * LANES
        self._ranks(self.tables, number, rows, columns)
        for r in range(tile.n_rows):
            if to != NULL:
                for c in range(tile.n_columns):
                    to[rows[r] + columns[c]] = f[c]
            else:
                for c in range(tile.n_columns):
                    f[c] = source[rows[r] + columns[c]]
            f += <int64_t>tile.vectors * LANES

    cdef void _ranks(
        self, TileTables tables, int64_t number, int64_t* rows, int64_t* columns
    ) noexcept nogil:
        # The rank of a tile's position is the sum of its row's and its column's.
        cdef int h = self.tiles[number].half
        cdef Filling filling
        tables.fill(number - self.first_tile[h], self.my_free[h], self.their_free[h], &filling)
        tables.ranks(self.mine[h], self.theirs[h], filling.digits, rows, columns)
