"""The tiled kernel: a block as matrices whose rows are updated with whole vectors.

`TiledKernel` holds what a space's blocks share; `TiledBlock` is one block laid out in a
workspace of its own, from which its values are read when it is done. tiles.h says what
a tile is; here they are laid out.
"""

from cython.parallel cimport prange
from libc.math cimport INFINITY, nextafter
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free

import numpy as np

from ur_solver.space._ranking cimport MAX_SHARED, Ranking


cdef extern from "memory.h" nogil:
    void* allocate_large(int64_t size)


cdef extern from "sweep.h" nogil:
    enum:
        LANES
        MAX_THROWS
        LANE_SQUARES
        LANE_ROWS
    ctypedef uint64_t MatrixRef
    ctypedef struct Tile:
        int64_t f
        int32_t mirror
        uint32_t first_move
        uint32_t first_slot
        uint32_t first_row
        uint8_t half
        uint8_t n_rows
        uint8_t n_columns
        uint8_t vectors
        uint8_t pieces
        uint8_t pattern
        uint8_t n_moves[8]
    ctypedef struct RowMoves:
        uint8_t n
    ctypedef struct Program:
        const Tile* tiles
        const MatrixRef* moves
        const MatrixRef* slots
        const uint8_t* pass_bits
        const RowMoves* row_moves[2]
        const uint8_t* row_order[2]
        const uint8_t* row_pieces[2]
        int32_t max_rows[2]
        int32_t is_lane[2]
        int32_t lane_again[8]
        int32_t lane_slot[8][5]
        int32_t n_throws
        double chance[256][8]
        double pass_chance[256]
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
        void (*narrow)(
            const Program*, double*, double*, const int32_t*, const int64_t*, int64_t, int, int
        ) noexcept nogil
        void (*widen)(const double*, double*, double*, int64_t, double) noexcept nogil
        void (*show_bounds)(const Program*, double*, double*, int64_t) noexcept nogil
    int sweepers(Sweeper*)


cdef double HALF_UNIT = 2.0**-53  # of the last place of numbers up to 1, at most


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

    cdef Ranking ranking
    cdef int n_shared, n_leading, length, n_throws, n_slots, n_doors, n_frozen, pieces
    cdef bint safe_rosettes, extra_on_capture
    cdef readonly object tiling
    cdef const int64_t[:, :, :, ::1] below          # tiles: (square, i, j, digit)
    cdef const int64_t[:, ::1] count
    cdef const int8_t[:, ::1] my_index, their_index, mirror_digit
    cdef const int8_t[::1] my_square, my_digit, mirror_square
    cdef const uint8_t[::1] is_rosette
    cdef const int32_t[:, ::1] row_counts
    cdef const int32_t[::1] throws, slot_source, slot_throw, doors
    cdef const uint8_t[:, ::1] gives_extra          # (path index, throw number)
    cdef int first_frozen
    cdef const double[::1] chance
    cdef double zero_chance
    cdef Sweeper sweeper
    cdef readonly str instruction_set
    cdef readonly int rounds
    cdef dict row_tables
    cdef bint is_lane
    cdef const int32_t[::1] lane_again
    cdef const int32_t[:, ::1] lane_slot

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
        self.ranking = ranking
        self.rounds = rounds
        self.pieces = space.rules.pieces
        self.count, self.below = tiling.tile_below
        digits = tiling.digits
        self.my_index, self.their_index = digits["my_index"], digits["their_index"]
        self.my_square, self.my_digit = digits["my_square"], digits["my_digit"]
        self.mirror_square, self.mirror_digit = digits["mirror_square"], digits["mirror_digit"]
        self.is_rosette = moves.is_rosette
        self.safe_rosettes = moves.safe_rosettes
        self.extra_on_capture = moves.extra_on_capture
        self.length = len(space.rules.path)
        self.n_frozen = len(layout.frozen)
        self.first_frozen = self.length - self.n_frozen
        self.n_shared = len(layout.shared)
        self.n_leading = tiling.n_leading
        self.throws = np.array(tiling.throws, dtype=np.int32)
        self.n_throws = len(tiling.throws)
        if self.n_throws > MAX_THROWS or self.n_shared > MAX_SHARED:
            raise ValueError("rules larger than the compiled limits")
        self.chance = np.array([moves.chance[t] for t in tiling.throws])
        self.zero_chance = moves.chance[0]
        self.gives_extra = np.array(
            [[tiling.again(index, throw) for throw in tiling.throws]
             for index in range(self.length + 1)], dtype=np.uint8)
        self.n_slots = len(tiling.slots)
        self.slot_source = np.array([s.source for s in tiling.slots], dtype=np.int32)
        self.slot_throw = np.array(
            [tiling.throws.index(s.throw) for s in tiling.slots], dtype=np.int32)
        self.doors = np.array(tiling.doors, dtype=np.int32)
        self.n_doors = len(tiling.doors)
        self.row_counts = tiling.row_counts
        self.row_tables = {}
        lane = tiling.lane
        self.is_lane = lane is not None and self.sweeper.has_lanes
        if lane is not None:
            self.lane_again, self.lane_slot = lane
        else:
            self.lane_again = np.zeros(MAX_THROWS, dtype=np.int32)
            self.lane_slot = np.zeros((MAX_THROWS, LANE_SQUARES + 1), dtype=np.int32)

    def rows_of(self, int config):
        """The row tables of a side config, shared by all with the same frozen squares."""
        mask = self.ranking.config_mask[config]
        if mask not in self.row_tables:
            self.row_tables[mask] = self.tiling.row_tables(config)
        return self.row_tables[mask]

    cdef int64_t tile_number(self, const int32_t* digits, int i, int j) noexcept nogil:
        # The place of a filling among those with at most i and j pieces.
        cdef int64_t number = 0
        cdef int s, d
        for s in range(self.n_shared):
            d = digits[s]
            number += self.below[s, i, j, d]
            if d:
                if self.my_index[s, d] >= 0:
                    i -= 1
                else:
                    j -= 1
        return number

    cdef void tile_digits(self, int64_t number, int i, int j, int32_t* digits) noexcept nogil:
        cdef int s, d
        for s in range(self.n_shared):
            d = <int>self.below.shape[3] - 1
            while not 0 <= self.below[s, i, j, d] <= number:
                d -= 1
            number -= self.below[s, i, j, d]
            digits[s] = d
            if d:
                if self.my_index[s, d] >= 0:
                    i -= 1
                else:
                    j -= 1

    cdef void mirrored(self, const int32_t* digits, int32_t* other) noexcept nogil:
        cdef int s
        for s in range(self.n_shared):
            other[self.mirror_square[s]] = self.mirror_digit[s, digits[s]]

    cdef int64_t tile_rank(self, int mine, int theirs, const int32_t* digits) noexcept nogil:
        # The first rank of a tile.
        cdef int64_t rank = self.ranking.half_offset[mine, theirs]
        cdef int mine_shape = self.ranking.config_shape[mine]
        cdef int their_shape = self.ranking.config_shape[theirs]
        cdef int i = self.ranking.config_free[mine], j = self.ranking.config_free[theirs]
        cdef int s, d
        for s in range(self.n_shared):
            d = digits[s]
            rank += self.ranking.below[mine_shape, their_shape, s, i, j, d]
            if d:
                if self.my_index[s, d] >= 0:
                    i -= 1
                else:
                    j -= 1
        return rank


cdef class Region:
    """Memory that grows and is used again: fresh pages cost more than a sweep over them."""

    cdef void* memory
    cdef int64_t size

    def __cinit__(self):
        self.memory = NULL
        self.size = 0

    def __dealloc__(self):
        free(self.memory)

    cdef void* take(self, int64_t size) except NULL:
        # Room for so many bytes; what was there is lost.
        if size > self.size or self.memory == NULL:
            free(self.memory)
            self.memory = allocate_large(size)
            self.size = size if self.memory else 0
            if self.memory == NULL:
                raise MemoryError(f"no memory for a workspace of {size} bytes")
        return self.memory

    cdef double* vectors(self, int64_t count) except NULL:
        # Room for so many whole vectors, aligned to them.
        cdef int64_t step = LANES * sizeof(double)
        cdef uint64_t first = <uint64_t>self.take((count + 1) * step)
        return <double*>((first + step - 1) // step * step)


cdef class Workspace:
    """What one block at a time is laid out in."""

    cdef Region tiles, moves, slots, pass_bits, buffer, memory

    def __init__(self):
        self._renew()

    cdef _renew(self):
        self.tiles, self.moves, self.slots = Region(), Region(), Region()
        self.pass_bits, self.buffer, self.memory = Region(), Region(), Region()

    def trim(self, int64_t most):
        """Give all back if it is more than `most` bytes; the block in it must be done with."""
        if (self.tiles.size + self.moves.size + self.slots.size + self.pass_bits.size
                + self.buffer.size + self.memory.size) > most:
            self._renew()


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
    """

    cdef TiledKernel kernel
    cdef Program program
    cdef Tile* tiles
    cdef MatrixRef* moves
    cdef MatrixRef* slots
    cdef uint8_t* pass_bits
    cdef double* buffer            # the values; while there are bounds, the upper ones
    cdef double* memory
    cdef double* lower             # the lower bounds, laid out as `buffer` is
    cdef Workspace workspace
    cdef int32_t[::1] order
    cdef int64_t[::1] group_start
    cdef int threads
    cdef int64_t first_tile[3]
    cdef int mine[2]
    cdef int theirs[2]
    cdef int n_halves
    cdef object keep
    cdef readonly int64_t n_tiles, n_vectors, n_state_vectors

    def __init__(
        self, TiledKernel kernel, Workspace workspace, halves, const double[::1] values,
        int threads=1
    ):
        cdef int h, n, bits
        cdef int64_t k
        cdef double passing
        cdef const double* base = &values[0]
        self.kernel = kernel
        self.workspace = workspace
        self.threads = threads
        self.memory = NULL
        self.lower = NULL
        self.n_halves = len(halves)
        self.first_tile[0] = 0
        for h in range(self.n_halves):
            self.mine[h], self.theirs[h] = halves[h]
            self.first_tile[h + 1] = self.first_tile[h] + kernel.count[
                kernel.ranking.config_free[self.mine[h]],
                kernel.ranking.config_free[self.theirs[h]]]
        self.n_tiles = self.first_tile[self.n_halves]
        self.tiles = <Tile*>workspace.tiles.take(self.n_tiles * sizeof(Tile))
        self.keep = [kernel.rows_of(self.mine[h]) for h in range(self.n_halves)]
        for h in range(self.n_halves):
            self._row_tables(h, self.keep[h])
        for k in prange(self.n_tiles, nogil=True, schedule="static", num_threads=threads):
            self._shape(kernel, k)
        cdef int64_t[::1] externals = np.empty(self.n_tiles, dtype=np.int64)
        cdef int64_t[3] sizes
        self._place(kernel, &externals[0], sizes)
        self.moves = <MatrixRef*>workspace.moves.take(sizes[0] * sizeof(MatrixRef))
        self.slots = <MatrixRef*>workspace.slots.take(
            self.n_tiles * kernel.n_slots * sizeof(MatrixRef))
        self.pass_bits = <uint8_t*>workspace.pass_bits.take(sizes[1])
        self.n_vectors = sizes[2]
        self.buffer = workspace.buffer.vectors(self.n_vectors)
        for k in prange(
                self.n_state_vectors * LANES, nogil=True, schedule="static",
                num_threads=threads):
            self.buffer[k] = 0.5
        for k in prange(self.n_tiles, nogil=True, schedule="static", num_threads=threads):
            self._link(kernel, k, externals[k])
            self._read_externals(kernel, k, base)
            self._mark_passes(kernel, k)
        self._order_tiles()
        self.program.tiles = self.tiles
        self.program.moves = self.moves
        self.program.slots = self.slots
        self.program.pass_bits = self.pass_bits
        self.program.n_throws = kernel.n_throws
        for n in range(kernel.n_throws):
            self.program.lane_again[n] = kernel.lane_again[n]
            for k in range(LANE_SQUARES + 1):
                self.program.lane_slot[n][k] = kernel.lane_slot[n, k]
        for bits in range(1 << kernel.n_throws):
            passing = kernel.zero_chance
            for n in range(kernel.n_throws):
                self.program.chance[bits][n] = 0.0 if bits >> n & 1 else kernel.chance[n]
                if bits >> n & 1:
                    passing += kernel.chance[n]
            self.program.pass_chance[bits] = passing

    def _row_tables(self, int h, tables):
        cdef const uint8_t[::1] order = tables["order"]
        cdef const uint8_t[::1] pieces = tables["pieces"]
        cdef const uint8_t[:, :, :, :, ::1] moves = tables["moves"]
        if sizeof(RowMoves) != moves.shape[4]:
            raise AssertionError("RowMoves in tiles.h and in tiling.py differ")
        self.program.row_order[h] = &order[0]
        self.program.row_pieces[h] = &pieces[0]
        self.program.row_moves[h] = <const RowMoves*>&moves[0, 0, 0, 0, 0]
        self.program.max_rows[h] = <int32_t>order.shape[0]
        self.program.is_lane[h] = self.kernel.is_lane and order.shape[0] == LANE_ROWS

    cdef void _shape(self, TiledKernel kernel, int64_t number) noexcept nogil:
        # A tile's rows and columns, and for each throw whether moves leave the block.
        cdef int h = number >= self.first_tile[1], s, d, n
        cdef int i = kernel.ranking.config_free[self.mine[h]]
        cdef int j = kernel.ranking.config_free[self.theirs[h]]
        cdef int32_t digits[MAX_SHARED]
        cdef Tile* tile = &self.tiles[number]
        kernel.tile_digits(number - self.first_tile[h], i, j, digits)
        for s in range(kernel.n_shared):
            d = digits[s]
            if d:
                if kernel.my_index[s, d] >= 0:
                    i -= 1
                else:
                    j -= 1
        tile.half = h
        tile.pieces = i
        tile.n_rows = kernel.row_counts[self.mine[h], i]
        tile.n_columns = kernel.row_counts[self.theirs[h], j]
        tile.vectors = (tile.n_columns + LANES - 1) // LANES
        for n in range(kernel.n_throws):
            tile.n_moves[n] = self._leaves(
                kernel, digits, kernel.ranking.config_mask[self.mine[h]], n)

    cdef void _place(
        self, TiledKernel kernel, int64_t* externals, int64_t* sizes
    ) noexcept nogil:
        # Where everything of every tile begins; by tile its first matrix of moves that
        # leave the block; the room that moves, rows and vectors need.
        cdef int64_t moves = 0, rows = 0, vectors = 0, t
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
            moves += kernel.n_throws * (
                kernel.ranking.config_free[self.mine[tile.half]] - tile.pieces + 1)
        self.n_state_vectors = vectors
        for t in range(self.n_tiles):
            tile = &self.tiles[t]
            externals[t] = vectors
            for n in range(kernel.n_throws):
                vectors += tile.n_moves[n] * tile.n_rows * tile.vectors
        sizes[0], sizes[1], sizes[2] = moves, rows, vectors

    cdef MatrixRef _matrix(self, int64_t number, bint again) noexcept nogil:
        cdef const Tile* tile = &self.tiles[number]
        cdef int64_t offset = tile.f
        if not again:
            offset += <int64_t>tile.n_rows * tile.vectors
        return (<uint64_t>offset << 8) | tile.vectors

    cdef void _link(self, TiledKernel kernel, int64_t number, int64_t external) noexcept nogil:
        # The moves, slots and mirror of a tile; `external` is where its matrices of moves
        # that leave the block begin.
        cdef Tile* tile = &self.tiles[number]
        cdef int h = tile.half, s, d, n, k, target, door
        cdef int i = kernel.ranking.config_free[self.mine[h]]
        cdef int j = kernel.ranking.config_free[self.theirs[h]]
        cdef MatrixRef* move = self.moves + tile.first_move
        cdef MatrixRef* slot = self.slots + tile.first_slot
        cdef int32_t digits[MAX_SHARED]
        cdef int32_t other[MAX_SHARED]
        kernel.tile_digits(number - self.first_tile[h], i, j, digits)
        kernel.mirrored(digits, other)
        tile.mirror = <int32_t>(
            self.first_tile[self.n_halves - 1 - h] + kernel.tile_number(other, j, i))
        for n in range(kernel.n_throws):
            if tile.n_moves[n]:
                move[0] = (<uint64_t>external << 8) | tile.vectors
                external += <int64_t>tile.n_rows * tile.vectors
                move += 1
            for s in range(kernel.n_shared):
                d = kernel.my_index[s, digits[s]]
                if d < 0:
                    continue
                target = d + kernel.throws[n]
                if target < kernel.first_frozen and self._land(
                        kernel, digits, s, target, n, i, j, h, move):
                    tile.n_moves[n] += 1
                    move += 1
        tile.pattern = 0
        for k in range(kernel.n_slots):
            n = kernel.slot_throw[k]
            target = kernel.slot_source[k] + kernel.throws[n]
            slot[k] = 0
            if tile.pieces and self._land(kernel, digits, -1, target, n, i, j, h, &slot[k]):
                for door in range(kernel.n_doors):
                    if kernel.doors[door] == target:
                        tile.pattern |= 1 << door

    cdef bint _leaves(
        self, TiledKernel kernel, const int32_t* digits, uint32_t frozen, int n
    ) noexcept nogil:
        # Whether a throw can move a piece onto a frozen square or off the board; a
        # frozen square already held is left for `_leave` to see.
        cdef int s, k, index
        for s in range(kernel.n_shared):
            index = kernel.my_index[s, digits[s]]
            if index >= 0 and kernel.first_frozen <= index + kernel.throws[n] <= kernel.length:
                return True
        for k in range(kernel.n_frozen):
            if frozen >> k & 1 and kernel.first_frozen + k + kernel.throws[n] <= kernel.length:
                return True
        return False

    cdef bint _land(
        self, TiledKernel kernel, const int32_t* digits, int source, int target, int n, int i, int j, int h,
        MatrixRef* ref,
    ) noexcept nogil:
        # The matrix reached by landing on a shared square from another one (or, -1, from
        # an entry square or home); False if that is not allowed.
        cdef int32_t after[MAX_SHARED]
        cdef int s, square = kernel.my_square[target]
        cdef bint again = kernel.gives_extra[target, n]
        if digits[square]:
            if kernel.my_index[square, digits[square]] >= 0:
                return False
            if kernel.safe_rosettes and kernel.is_rosette[target]:
                return False
            again = again or kernel.extra_on_capture
        for s in range(kernel.n_shared):
            after[s] = digits[s]
        if source >= 0:
            after[source] = 0
        after[square] = kernel.my_digit[target]
        ref[0] = self._matrix(
            self.first_tile[h] + kernel.tile_number(after, i, j), again)
        return True

    cdef void _read_externals(
        self, TiledKernel kernel, int64_t number, const double* values
    ) noexcept nogil:
        # The best of a tile's moves that leave the block, by throw, from finished blocks.
        cdef const Tile* tile = &self.tiles[number]
        cdef int h = tile.half, s, d, n, k
        cdef int64_t x
        cdef uint32_t move = tile.first_move
        cdef uint32_t frozen = kernel.ranking.config_mask[self.mine[h]]
        cdef int32_t digits[MAX_SHARED]
        cdef int32_t after[MAX_SHARED]
        cdef double* rows
        kernel.tile_digits(
            number - self.first_tile[h], kernel.ranking.config_free[self.mine[h]],
            kernel.ranking.config_free[self.theirs[h]], digits)
        for n in range(kernel.n_throws):
            rows = self._external(tile, n, move)
            move += tile.n_moves[n]
            if rows == NULL:
                continue
            for x in range(<int64_t>tile.n_rows * tile.vectors * LANES):
                rows[x] = -1.0
            for s in range(kernel.n_shared):
                d = kernel.my_index[s, digits[s]]
                if d >= 0 and kernel.first_frozen <= d + kernel.throws[n] <= kernel.length:
                    for k in range(kernel.n_shared):
                        after[k] = digits[k]
                    after[s] = 0
                    self._leave(kernel, kernel.ranking, tile, values, after, d, n, rows)
            for k in range(kernel.n_frozen):
                d = kernel.first_frozen + k
                if frozen >> k & 1 and d + kernel.throws[n] <= kernel.length:
                    self._leave(kernel, kernel.ranking, tile, values, digits, d, n, rows)

    cdef double* _external(self, const Tile* tile, int n, uint32_t move) noexcept nogil:
        # The matrix of the moves of throw n that leave the block, NULL if there are none;
        # it comes first among the moves of the throw, `move` on.
        if tile.n_moves[n] and <int64_t>(self.moves[move] >> 8) >= self.n_state_vectors:
            return self.buffer + <int64_t>(self.moves[move] >> 8) * LANES
        return NULL

    cdef void _leave(
        self, TiledKernel kernel, Ranking ranking, const Tile* tile, const double* values, const int32_t* after, int source, int n,
        double* rows,
    ) noexcept nogil:
        # One move onto a frozen square or off the board, for all rows of a tile.
        cdef int h = tile.half, target = source + kernel.throws[n]
        cdef int old = self.mine[h], theirs = self.theirs[h], config, r, c, row
        cdef uint32_t mask = ranking.config_mask[old]
        cdef int off = ranking.config_off[old]
        cdef int32_t other[MAX_SHARED]
        cdef int64_t first, other_columns = 0
        cdef double value
        cdef bint again = kernel.gives_extra[target, n]
        if source >= kernel.first_frozen:
            mask &= ~(<uint32_t>1 << (source - kernel.first_frozen))
        if target == kernel.length:
            off += 1
            if off == kernel.pieces:
                for r in range(tile.n_rows):
                    for c in range(tile.n_columns):
                        rows[r * tile.vectors * LANES + c] = 1.0
                return
        else:
            if mask >> (target - kernel.first_frozen) & 1:
                return
            mask |= <uint32_t>1 << (target - kernel.first_frozen)
        config = ranking.config_of[off, mask]
        if again:
            first = kernel.tile_rank(config, theirs, after)
        else:
            kernel.mirrored(after, other)
            first = kernel.tile_rank(theirs, config, other)
            other_columns = kernel.row_counts[config, tile.pieces]
        for r in range(tile.n_rows):
            row = ranking.row_of[mask, ranking.row_mask[ranking.config_mask[old], r]]
            if row < 0:
                continue  # an entry square that the path ends on is held
            for c in range(tile.n_columns):
                if again:
                    value = values[first + row * tile.n_columns + c]
                else:
                    value = 1.0 - values[first + c * other_columns + row]
                if value > rows[r * tile.vectors * LANES + c]:
                    rows[r * tile.vectors * LANES + c] = value

    cdef void _mark_passes(self, TiledKernel kernel, int64_t number) noexcept nogil:
        # By row of a tile, which throws leave no move.
        cdef const Tile* tile = &self.tiles[number]
        cdef const RowMoves* list
        cdef const double* external
        cdef uint32_t move
        cdef int r, n, bits
        cdef bint home_empty, is_blocked
        for r in range(tile.n_rows):
            home_empty = self.program.row_pieces[tile.half][r] == tile.pieces
            list = self.program.row_moves[tile.half] + (
                (<int64_t>tile.pattern * 2 + home_empty) * self.program.max_rows[tile.half] + r
            ) * kernel.n_throws
            bits = 0
            move = tile.first_move
            for n in range(kernel.n_throws):
                is_blocked = list[n].n == 0 and tile.n_moves[n] <= 1
                if is_blocked and tile.n_moves[n] == 1:
                    external = self._external(tile, n, move)
                    is_blocked = external != NULL and external[
                        <int64_t>r * tile.vectors * LANES] < 0.0
                if is_blocked:
                    bits |= 1 << n
                move += tile.n_moves[n]
            self.pass_bits[tile.first_row + r] = bits

    def _order_tiles(self):
        # Pairs of mirrored tiles, named by their first. A group agrees on the leading
        # squares. The groups whose pieces there have come furthest come first, so that
        # every move that is not a capture leads to an earlier group, to an earlier tile of
        # the group, or stays in its pair. Within a group, tiles follow their place in
        # memory, backwards, for the caches' sake.
        cdef int64_t pairs = self.first_tile[1], t
        advance = np.empty(pairs, dtype=np.int32)
        leading = np.empty(pairs, dtype=np.int64)
        cdef int32_t[::1] advance_view = advance
        cdef int64_t[::1] leading_view = leading
        for t in prange(pairs, nogil=True, schedule="static", num_threads=self.threads):
            self._look_ahead(self.kernel, t, &advance_view[t], &leading_view[t])
        chosen = np.flatnonzero(advance >= 0)
        order = chosen[np.lexsort((-chosen, leading[chosen], -advance[chosen]))]
        self.order = order.astype(np.int32)
        starts = np.flatnonzero(np.diff(leading[order])) + 1
        self.group_start = np.concatenate(([0], starts, [len(order)])).astype(np.int64)

    cdef void _look_ahead(
        self, TiledKernel kernel, int64_t number, int32_t* advance, int64_t* leading
    ) noexcept nogil:
        # How far the pieces on a tile's leading squares have come, -1 for the second of a
        # pair, and a number for what stands there.
        cdef int s, d
        cdef int32_t digits[MAX_SHARED]
        kernel.tile_digits(
            number, kernel.ranking.config_free[self.mine[0]],
            kernel.ranking.config_free[self.theirs[0]], digits)
        advance[0] = leading[0] = 0
        for s in range(kernel.n_leading):
            d = digits[s]
            leading[0] = leading[0] * kernel.my_index.shape[1] + d
            if d:
                advance[0] += max(kernel.my_index[s, d], kernel.their_index[s, d]) + 1
        if self.tiles[number].mirror < number:
            advance[0] = -1

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
        with nogil:
            delta = self.kernel.sweeper.sweep(
                &self.program, self.buffer, &self.order[0], &self.group_start[0],
                self.group_start.shape[0] - 1, self.kernel.rounds, threads)
        return delta

    def residual(self, int threads):
        """The largest abs(T(V) - V) over the block; writes nothing."""
        cdef double residual
        with nogil:
            residual = self.kernel.sweeper.residual(
                &self.program, self.buffer, self.n_tiles, threads)
        return residual

    def remember(self):
        """Keep a copy of the values, for `extrapolate`."""
        self.memory = self.workspace.memory.vectors(self.n_state_vectors // 2)
        with nogil:
            self.kernel.sweeper.remember(
                &self.program, self.buffer, self.memory, self.n_tiles, self.threads)

    def extrapolate(self, double factor):
        """Add to every value `factor` times its change since `remember`."""
        if self.memory == NULL:
            raise ValueError("extrapolate before remember")
        with nogil:
            self.kernel.sweeper.extrapolate(
                &self.program, self.buffer, self.memory, self.n_tiles, factor, self.threads)

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
        if self.lower == NULL:
            self.lower = self.workspace.memory.vectors(self.n_vectors)
            self.memory = NULL
            with nogil:
                self.kernel.sweeper.widen(
                    self.buffer + n_states * LANES, self.buffer + n_states * LANES,
                    self.lower + n_states * LANES, self.n_vectors - n_states, beyond)
        self._copy(self.kernel, NULL, &values[0])
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
        cdef const double* value = &values[0]
        cdef int64_t t, k, rank, worst = 0
        cdef int h, r, c
        cdef const Tile* tile
        with nogil:
            for h in range(self.n_halves):
                rank = self.kernel.ranking.half_offset[self.mine[h], self.theirs[h]]
                for t in range(self.first_tile[h], self.first_tile[h + 1]):
                    tile = &self.tiles[t]
                    k = tile.f * LANES
                    for r in range(tile.n_rows):
                        for c in range(tile.n_columns):
                            off = max(self.buffer[k + c] - value[rank],
                                      value[rank] - self.lower[k + c])
                            if off > width:
                                width, worst = off, rank
                            rank += 1
                        k += <int64_t>tile.vectors * LANES
        # one subtraction, rounded to nearest
        return nextafter(width, INFINITY), worst

    def store(self, double[::1] values):
        """Write the block's values to `values`, float64, shape (n_positions,)."""
        self._copy(self.kernel, &values[0], NULL)

    def load(self, const double[::1] values):
        """Take the block's values from `values`, float64, shape (n_positions,)."""
        self._copy(self.kernel, NULL, &values[0])
        with nogil:
            self.kernel.sweeper.show(&self.program, self.buffer, self.n_tiles, self.threads)

    cdef _copy(self, TiledKernel kernel, double* to, const double* source):
        # Between F and rank order: to `to` unless it is NULL, from `source` otherwise.
        cdef int64_t t
        for t in prange(self.n_tiles, nogil=True, schedule="static", num_threads=self.threads):
            self._copy_tile(kernel, t, to, source)

    cdef void _copy_tile(
        self, TiledKernel kernel, int64_t number, double* to, const double* source
    ) noexcept nogil:
        cdef const Tile* tile = &self.tiles[number]
        cdef int h = tile.half, r, c
        cdef int32_t digits[MAX_SHARED]
        cdef int64_t rank
        cdef double* f = self.buffer + tile.f * LANES
        kernel.tile_digits(
            number - self.first_tile[h], kernel.ranking.config_free[self.mine[h]],
            kernel.ranking.config_free[self.theirs[h]], digits)
        rank = kernel.tile_rank(self.mine[h], self.theirs[h], digits)
        for r in range(tile.n_rows):
            for c in range(tile.n_columns):
                if to != NULL:
                    to[rank] = f[c]
                else:
                    f[c] = source[rank]
                rank += 1
            f += <int64_t>tile.vectors * LANES
