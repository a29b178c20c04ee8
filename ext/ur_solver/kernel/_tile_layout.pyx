"""The moves of a block's tiles: what each reads, and what the moves that leave the block are worth.

tiles.h says what a tile is.
"""

from cython.parallel cimport prange, threadid
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

import numpy as np

from ur_solver.kernel._inputs cimport Inputs
from ur_solver.kernel._layout_tables cimport NOBODY, THEIRS, Filling, LayoutTables, popcount
from ur_solver.kernel._program cimport (
    LANE_ROWS, LANE_SQUARES, LANE_VECTORS, LANES, MOVES_AHEAD, SMALL, MatrixRef, Program, Tile,
    is_turned, list_length, matrix_vectors,
)
from ur_solver.kernel._tile_places cimport RUN, TilePlaces
from ur_solver.kernel._workspace cimport Region, Workspace
from ur_solver.space._tile_ranking cimport MAX_SHARED

cdef extern from * nogil:
    int leading_zeros "__builtin_clzll"(unsigned long long)


cdef class TileLayout(TilePlaces):
    """One block laid out as tiles, without values of its own.

    Parameters
    ----------
    common, workspace, halves, threads
        As of `TilePlaces`.
    inputs : Inputs
        The values of the blocks that this one's moves lead to. Read on construction.
    is_single : bool
        Whether its numbers are floats.
    """

    def __init__(
        self, LayoutTables common, Workspace workspace, halves, Inputs inputs, int threads,
        bint is_single
    ):
        cdef int64_t run, n_runs, further
        cdef double[:, ::1] rooms
        super().__init__(common, workspace, halves, threads)
        self.is_single = is_single
        self._take_lists(&self.program, workspace.moves, workspace.slots)
        self.pass_bits = <uint8_t*>workspace.pass_bits.take(self.n_rows)
        self.program.pass_bits = self.pass_bits
        # behind it another set of the values; of doubles at least half as much for floats
        further = self.n_state_vectors
        if is_single:
            self.buffer = workspace.buffer.vectors((self.n_vectors + further + 1) // 2)
        else:
            further = max(further, (self.n_vectors + 1) // 2)
            self.buffer = workspace.buffer.vectors(self.n_vectors + further)
        _fill_no_moves(self)
        # where a matrix is found before it is written as floats
        rooms = np.empty((threads, LANE_ROWS * LANE_VECTORS * LANES))
        n_runs = (self.n_tiles + RUN - 1) // RUN
        for run in prange(n_runs, nogil=True, schedule="static", num_threads=threads):
            _lay_out(self, common, run * RUN, inputs, &rooms[threadid(), 0])
        self.externals = None

    cdef _take_lists(self, Program* program, Region moves, Region slots):
        # Room for all of a block's moves.
        program.moves = <MatrixRef*>moves.take((self.n_moves + MOVES_AHEAD) * sizeof(MatrixRef))
        program.slots = <MatrixRef*>slots.take(
            self.n_tiles * program.n_slots * sizeof(MatrixRef))


cdef void _fill_no_moves(TileLayout self) noexcept nogil:
    # Two matrices worse than any: a tile's, and a turned one's.
    cdef double[2 * SMALL * LANES] values
    cdef int k
    for k in range(SMALL * LANES):
        values[k], values[SMALL * LANES + k] = -1.0, 2.0
    _write_values(self, values, self.no_moves, 2 * SMALL)


cdef void _write_values(TileLayout self, const double* values, int64_t at, int64_t n) noexcept nogil:
    # n vectors of them, as numbers.
    cdef int64_t k
    for k in range(n * LANES):
        if self.is_single:
            (<float*>self.buffer)[at * LANES + k] = <float>(values[k] - 0.5)
        else:
            (<double*>self.buffer)[at * LANES + k] = values[k]


cdef double _value(TileLayout self, int64_t at) noexcept nogil:
    # That of a number.
    return (<float*>self.buffer)[at] + 0.5 if self.is_single else (<double*>self.buffer)[at]


cdef void _lay_out(
    TileLayout self, LayoutTables common, int64_t first, Inputs inputs, double* room
) noexcept nogil:
    # Of a run of tiles: all that needs their places.
    cdef int64_t number
    cdef Filling filling
    for number in range(first, min(first + RUN, self.n_tiles)):
        self._next(common, number, &filling)
        _link(self, common, number, &filling, self.externals[number])
        _read_externals(self, common, &self.tiles[number], &filling, inputs, room)
        _mark_passes(self, common, &self.tiles[number])


cdef void _link(
    TileLayout self, LayoutTables common, int64_t number, const Filling* filling, int64_t external
) noexcept nogil:
    # The moves of a tile.
    cdef Tile* tile = &self.tiles[number]
    cdef int n, k, target
    cdef int64_t move = tile.first_move
    cdef MatrixRef slot
    for n in range(min(common.n_throws, LANE_SQUARES)):  # never more, which gcc cannot know
        k = _list_moves(self, common, tile, filling, n, move, &external)
        tile.n_moves[n] = k
        move += k
    for k in range(common.n_slots):
        target = common.slot_target[k]
        slot = 0
        if tile.pieces and self._is_open(common, filling, target):
            slot = _land(
                self, common, tile, filling, -1, target, common.slot_throw[k])
        self.program.slots[tile.first_slot + k] = slot


cdef int _list_moves(
    TileLayout self, LayoutTables common, const Tile* tile, const Filling* filling,
    int n, int64_t at, int64_t* external,
) noexcept nogil:
    # Lists, from `at` on, a tile's moves of a throw that lead to other tiles; how many
    # there are. Those that leave the block come first, as one, whose matrix is at
    # `external`.
    cdef int count = 0, k, target, source, length
    cdef uint64_t landings = self._landings(common, filling, n)
    cdef MatrixRef move = 0
    if tile.n_moves[n]:
        move = (<uint64_t>external[0] << 8) | tile.vectors
        self.program.moves[at] = move
        external[0] += matrix_vectors(tile)
        count = 1
    while landings:
        target = 63 - leading_zeros(landings)
        landings ^= <uint64_t>1 << target
        source = target - common.throws[n]
        move = _land(self, common, tile, filling, common.square[source], target, n)
        self.program.moves[at + count] = move
        count += 1
    if count == 0:
        move = (<uint64_t>(
            self.no_moves + (SMALL if is_turned(tile) else 0)) << 8) | tile.vectors
    length = list_length(tile, count)
    for k in range(count, length):
        self.program.moves[at + k] = move
    return length


cdef MatrixRef _land(
    TileLayout self, LayoutTables common, const Tile* tile, const Filling* filling,
    int source, int target, int n,
) noexcept nogil:
    # Where landing on the shared square of a path index leads, from another one or, -1,
    # from an entry square or home.
    cdef int square = common.square[target]
    cdef bint again = common.gives_extra[target, n]
    if filling.digits[square] == THEIRS:
        again = again or common.extra_on_capture
    return self._matrix(
        tile, self.first_tile[tile.half] + common.number_after(filling, source, square),
        again)


cdef void _read_externals(
    TileLayout self, LayoutTables common, const Tile* tile, const Filling* filling,
    Inputs inputs, double* room,
) noexcept nogil:
    # The best of a tile's moves that leave the block, by throw, from finished blocks; `room`
    # is for a matrix that becomes floats.
    cdef int n, index
    cdef int64_t x, at, end = -1, size = matrix_vectors(tile)
    cdef int64_t move = tile.first_move
    cdef uint64_t sources
    cdef double none = 2.0 if is_turned(tile) else -1.0
    cdef double* rows = room
    for n in range(common.n_throws):
        at = _external(self, tile, n, move)
        move += tile.n_moves[n]
        if at < 0:
            continue
        if not self.is_single:
            rows = <double*>self.buffer + at * LANES
        for x in range(size * LANES):
            rows[x] = none
        sources = self._leaving(common, tile, filling, n)
        while sources:
            index = 63 - leading_zeros(sources)
            sources ^= <uint64_t>1 << index
            _leave(self, common, tile, inputs, filling, index, n, rows)
        if self.is_single:
            _write_values(self, rows, at, size)
        end = at + size
    if end & 1 and end > 0:
        for x in range(LANES):
            room[x] = none
        _write_values(self, room, end, 1)  # what no tile reads, up to the next one's


cdef int64_t _external(TileLayout self, const Tile* tile, int n, int64_t move) noexcept nogil:
    # Where the matrix of the moves of throw n that leave the block begins, in vectors, -1 if
    # there are none; it comes first among the moves of the throw, `move` on.
    cdef int64_t at
    if tile.n_moves[n]:
        at = self.program.moves[move] >> 8
        if self.n_state_vectors <= at < self.no_moves:
            return at
    return -1


cdef void _leave(
    TileLayout self, LayoutTables common, const Tile* tile, Inputs inputs,
    const Filling* filling, int source, int n, double* rows,
) noexcept nogil:
    # One move onto a frozen square or off the board, from a path index, for all rows of a
    # tile that have it.
    cdef int h = tile.half, target = source + common.throws[n], square = common.square[source]
    cdef int theirs = self.theirs[h], config = -1, r, c, k
    cdef int off = common.config_off[self.mine[h]]
    cdef uint32_t frozen = common.config_mask[self.mine[h]]
    cdef int32_t after[MAX_SHARED]
    cdef int32_t other[MAX_SHARED]
    cdef int64_t rank = 0, by_row = 0, by_column = 1
    cdef double value
    cdef double* row
    cdef const double* values = NULL
    cdef bint again = common.gives_extra[target, n], wins = False, turned = is_turned(tile)
    for k in range(common.n_shared):
        after[k] = filling.digits[k]
    if square < 0:
        frozen &= ~(<uint32_t>1 << (source - common.first_frozen))
    else:
        after[square] = NOBODY
    if target == common.length:
        off += 1
        wins = off == common.pieces
    elif frozen >> (target - common.first_frozen) & 1:
        return
    else:
        frozen |= <uint32_t>1 << (target - common.first_frozen)
    if not wins:
        config = common.config_of[off, frozen]
        if again:
            rank = common.first_rank(config, theirs, after, &by_row)
        else:
            common.mirrored(after, other)
            rank = common.first_rank(theirs, config, other, &by_column)
            by_row = 1
        values = inputs.reached_from(h, config, rank)
    for r in range(tile.n_rows):
        if turned:
            value = 0.0 if wins else values[r * by_row]
            rows[r] = min(rows[r], 1.0 - value if again and not wins else value)
            continue
        row = rows + <int64_t>r * tile.vectors * LANES
        for c in range(tile.n_columns):
            if wins:
                value = 1.0
            elif again:
                value = values[r * by_row + c]
            else:
                value = 1.0 - values[r + c * by_column]
            row[c] = max(row[c], value)


cdef void _mark_passes(TileLayout self, LayoutTables common, const Tile* tile) noexcept nogil:
    # By row of a tile, which throws leave no move.
    cdef uint8_t* bits = self.pass_bits + tile.first_row
    cdef int64_t move = tile.first_move, end, at
    cdef int r, n
    cdef bint home_empty, moves
    for r in range(tile.n_rows):
        home_empty = popcount(common.mask_of[r]) == tile.pieces
        bits[r] = common.stuck[home_empty, r]
    for n in range(common.n_throws):
        end = move + tile.n_moves[n]
        at = _external(self, tile, n, move) * LANES
        if at >= 0:
            for r in range(tile.n_rows):
                if is_turned(tile):
                    moves = _value(self, at + r) < 1.5
                else:
                    moves = _value(self, at + <int64_t>r * tile.vectors * LANES) > -0.5
                if moves:
                    bits[r] &= ~(1 << n)
            move += 1
        while move < end:
            if <int64_t>(self.program.moves[move] >> 8) < self.n_state_vectors:
                for r in range(tile.n_rows):
                    bits[r] &= ~(1 << n)
            move += 1
    if tile.pieces:
        _mark_slots(self, common, tile, bits)


cdef void _mark_slots(
    TileLayout self, LayoutTables common, const Tile* tile, uint8_t* bits
) noexcept nogil:
    # Nor do those that have a piece where an open slot starts.
    cdef int k, r, entry, throws, mask
    cdef uint8_t[LANE_SQUARES + 1] moving  # throws that move a piece, from home the first
    for entry in range(LANE_SQUARES + 1):
        moving[entry] = 0
    for k in range(common.n_slots):
        if self.program.slots[tile.first_slot + k]:
            moving[common.slot_source[k] + 1] |= 1 << common.slot_throw[k]
    for r in range(tile.n_rows):
        throws, mask = 0, common.mask_of[r]
        if popcount(mask) < tile.pieces:
            throws = moving[0]
        for entry in range(LANE_SQUARES):
            if mask >> entry & 1:
                throws |= moving[entry + 1]
        bits[r] &= ~throws
