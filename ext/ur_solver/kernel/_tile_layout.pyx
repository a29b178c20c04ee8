"""The moves of a block's tiles: what each reads, and what the moves that leave the block are worth.

tiles.h says what a tile is.
"""

from cython.parallel cimport prange, threadid
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

import numpy as np

from ur_solver.kernel._inputs cimport Inputs
from ur_solver.kernel._layout_tables cimport LayoutTables
from ur_solver.kernel._program cimport (
    LANE_SQUARES, LANES, MAX_ROWS, MOVES_AHEAD, NO_BIT, NO_ENTRY, SMALL, MatrixRef, Move, Program,
    Tile, is_turned, list_length, matrix_of, matrix_vectors,
)
from ur_solver.kernel._tile_places cimport RUN, TilePlaces
from ur_solver.kernel._tiles cimport NOBODY, THEIRS, Filling, TileTables
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
        self.pass_bits = <uint8_t*>workspace.pass_bits.take(self.n_rows) - self.origin
        self.program.pass_bits = self.pass_bits
        # behind it another set of the values; of doubles at least half as much for floats
        further = self.n_state_vectors
        if is_single:
            self.buffer = workspace.buffer.vectors((self.n_vectors + further + 1) // 2)
        else:
            further = max(further, (self.n_vectors + 1) // 2)
            self.buffer = workspace.buffer.vectors(self.n_vectors + further)
        if common.is_lane:
            self._fill_no_moves()
        # where a matrix is found before it is written as floats
        rooms = np.empty((threads, self.program.frame_step if is_single else LANES))
        n_runs = (self.n_tiles + RUN - 1) // RUN
        for run in prange(n_runs, nogil=True, schedule="static", num_threads=threads):
            self._lay_out(common, self.tables, run * RUN, inputs, &rooms[threadid(), 0])
        self.externals = None

    cdef _take_lists(self, Program* program, Region moves, Region slots):
        # Room for all of a block's moves, a lane's slots among them.
        if program.is_lane:
            program.refs = <MatrixRef*>moves.take(
                (self.n_moves + MOVES_AHEAD) * sizeof(MatrixRef)) - self.origin
            program.slots = <MatrixRef*>slots.take(
                self.n_tiles * program.n_slots * sizeof(MatrixRef)) - self.origin
        else:
            program.moves = <Move*>moves.take(self.n_moves * sizeof(Move)) - self.origin

    cdef void _fill_no_moves(self) noexcept nogil:
        # Two matrices worse than any: a tile's, and a turned one's.
        cdef double[2 * SMALL * LANES] values
        cdef int k
        for k in range(SMALL * LANES):
            values[k], values[SMALL * LANES + k] = -1.0, 2.0
        self._write_values(values, self.no_moves, 2 * SMALL)

    cdef void _write_values(self, const double* values, int64_t at, int64_t n) noexcept nogil:
        # n vectors of them, as numbers.
        cdef int64_t k
        for k in range(n * LANES):
            if self.is_single:
                (<float*>self.buffer)[at * LANES + k] = <float>(values[k] - 0.5)
            else:
                (<double*>self.buffer)[at * LANES + k] = values[k]

    cdef double _value(self, int64_t at) noexcept nogil:
        # That of a number.
        return (<float*>self.buffer)[at] + 0.5 if self.is_single else (<double*>self.buffer)[at]

    cdef void _lay_out(
        self, LayoutTables common, TileTables tables, int64_t first, Inputs inputs, double* room
    ) noexcept nogil:
        # Of a run of tiles: all that needs their places.
        cdef int64_t number
        cdef Filling filling
        for number in range(first, min(first + RUN, self.n_tiles)):
            self._next(tables, number, &filling)
            self._link(common, tables, number, &filling, self.externals[number])
            self._read_externals(common, tables, &self.tiles[number], &filling, inputs, room)
            self._mark_passes(common, &self.tiles[number])

    cdef void _link(
        self, LayoutTables common, TileTables tables, int64_t number, const Filling* filling,
        int64_t external,
    ) noexcept nogil:
        # The moves of a tile.
        cdef Tile* tile = &self.tiles[number]
        cdef int n, k, target
        cdef int64_t move = tile.first_move
        cdef Move slot
        for n in range(common.n_throws):
            k = self._list_moves(common, tables, tile, filling, n, move, &external)
            tile.n_moves[n] = k
            move += k
        if common.is_lane:
            for k in range(common.n_slots):
                target = common.slot_target[k]
                slot.matrix = 0
                if tile.pieces and self._is_open(common, filling, target):
                    self._land(
                        common, tables, tile, filling, -1, target, common.slot_throw[k], &slot)
                self.program.slots[tile.first_slot + k] = slot.matrix

    cdef int _list_moves(
        self, LayoutTables common, TileTables tables, const Tile* tile, const Filling* filling,
        int n, int64_t at, int64_t* external,
    ) noexcept nogil:
        # Lists, from `at` on, a tile's moves of a throw that lead to other tiles; how many
        # there are. Those that leave the block come first, as one, whose matrix is at
        # `external`.
        cdef int count = 0, s, k, target, source, length
        cdef uint64_t landings = self._landings(common, filling, n)
        cdef Move move
        if tile.n_moves[n]:
            move.matrix = (<uint64_t>external[0] << 8) | tile.vectors
            move.n = tile.n_rows
            move.entry = NO_ENTRY
            move.lost = move.gained = NO_BIT << 1
            move.captured = NO_BIT
            self._write(&move, at)
            external[0] += matrix_vectors(&self.program, tile)
            count = 1
        while landings:
            target = 63 - leading_zeros(landings)
            landings ^= <uint64_t>1 << target
            source = target - common.throws[n]
            s = tables.square[source]
            self._land(common, tables, tile, filling, s, target, n, &move)
            move.n = tile.n_rows
            if tables.index[0, s, 1] >= 0:
                move.n >>= 1
                move.lost = tables.n_forks(filling.mine[s], 0) << 1 | tables.leg[source]
            self._write(&move, at + count)
            count += 1
        if common.is_lane:
            if count == 0:
                move.matrix = (<uint64_t>(
                    self.no_moves + (SMALL if is_turned(&self.program, tile) else 0)
                ) << 8) | tile.vectors
            length = list_length(&self.program, tile, count)
            for k in range(count, length):
                self._write(&move, at + k)
            return length
        if tile.pieces == 0:
            return count
        for k in range(common.n_slots):
            target = common.slot_target[k]
            if common.slot_throw[k] != n or not self._is_open(common, filling, target):
                continue
            self._land(common, tables, tile, filling, -1, target, n, &move)
            move.entry = common.slot_entry[k]
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
            self.program.refs[at] = move.matrix
        else:
            self.program.moves[at] = move[0]

    cdef int _n_pairs(self, const Tile* tile, int entry) noexcept nogil:
        # How many of a tile's masks hold an entry square.
        cdef int h = tile.half, k = 0, pairs = self.program.max_pairs[h]
        cdef const uint8_t* pair = self.program.leaving[h] + entry * pairs * 2
        while k < pairs and (<int>pair[2 * k] << tile.forks) < tile.n_rows:
            k += 1
        return k

    cdef void _land(
        self, LayoutTables common, TileTables tables, const Tile* tile, const Filling* filling,
        int source, int target, int n, Move* move,
    ) noexcept nogil:
        # Where landing on the shared square of a path index leads, from another one or, -1,
        # from an entry square or home; from which rows is the caller's to say.
        cdef int square = tables.square[target]
        cdef bint again = common.gives_extra[target, n]
        cdef uint64_t left = 0 if source < 0 else tables.indices[source]
        move.entry = NO_ENTRY
        move.lost = move.gained = NO_BIT << 1
        move.captured = NO_BIT
        if tables.index[0, square, 1] >= 0:
            move.gained = (
                tables.n_forks(filling.mine[square] & ~left, 0) << 1 | tables.leg[target])
        if filling.digits[square] == THEIRS:
            again = again or common.extra_on_capture
            if tables.index[1, square, 1] >= 0:
                move.captured = tables.their_bit(filling.digits, square)
        move.matrix = self._matrix(
            tile, self.first_tile[tile.half] + tables.number_after(filling, source, square),
            again)

    cdef void _read_externals(
        self, LayoutTables common, TileTables tables, const Tile* tile, const Filling* filling,
        Inputs inputs, double* room,
    ) noexcept nogil:
        # The best of a tile's moves that leave the block, by throw, from finished blocks; `room`
        # is for a matrix that becomes floats.
        cdef int n, index
        cdef int64_t x, at, end = -1, size = matrix_vectors(&self.program, tile)
        cdef int64_t move = tile.first_move
        cdef uint64_t sources
        cdef double none = 2.0 if is_turned(&self.program, tile) else -1.0
        cdef double* rows = room
        for n in range(common.n_throws):
            at = self._external(tile, n, move)
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
                self._leave(common, tables, tile, inputs, filling, index, n, rows)
            if self.is_single:
                self._write_values(rows, at, size)
            end = at + size
        if end & 1 and end > 0:
            for x in range(LANES):
                room[x] = none
            self._write_values(room, end, 1)  # what no tile reads, up to the next one's

    cdef int64_t _external(self, const Tile* tile, int n, int64_t move) noexcept nogil:
        # Where the matrix of the moves of throw n that leave the block begins, in vectors, -1 if
        # there are none; it comes first among the moves of the throw, `move` on.
        cdef int64_t at
        if tile.n_moves[n]:
            at = matrix_of(&self.program, move) >> 8
            if self.n_state_vectors <= at < self.no_moves:
                return at
        return -1

    cdef void _leave(
        self, LayoutTables common, TileTables tables, const Tile* tile, Inputs inputs,
        const Filling* filling, int source, int n, double* rows,
    ) noexcept nogil:
        # One move onto a frozen square or off the board, from a path index, for all rows of a
        # tile that have it.
        cdef int h = tile.half, target = source + common.throws[n], square = tables.square[source]
        cdef int old = self.mine[h], theirs = self.theirs[h], config, r, c, k, mask
        cdef int forks = tile.forks, lost = NO_BIT << 1
        cdef uint32_t before = common.config_mask[old], frozen = before
        cdef int off = common.config_off[old]
        cdef int32_t after[MAX_SHARED]
        cdef int32_t other[MAX_SHARED]
        cdef int64_t to_rows[MAX_ROWS]
        cdef int64_t to_columns[MAX_ROWS]
        cdef double value
        cdef double* row
        cdef const double* values = NULL
        cdef bint again = common.gives_extra[target, n], wins = False
        cdef bint turned = is_turned(&self.program, tile)
        for k in range(tables.n_shared):
            after[k] = filling.digits[k]
        if square < 0:
            frozen &= ~(<uint32_t>1 << (source - common.first_frozen))
        else:
            after[square] = NOBODY
            if tables.index[0, square, 1] >= 0:
                lost = tables.n_forks(filling.mine[square], 0) << 1 | tables.leg[source]
                forks -= 1
        config = -1
        if target == common.length:
            off += 1
            wins = off == common.pieces
        elif frozen >> (target - common.first_frozen) & 1:
            return
        else:
            frozen |= <uint32_t>1 << (target - common.first_frozen)
        if not wins:
            config = common.config_of[off, frozen]
            values = inputs.of(h, config)
            if again:
                tables.ranks(config, theirs, after, to_rows, to_columns)
            else:
                tables.mirrored(after, other)
                tables.ranks(theirs, config, other, to_columns, to_rows)
        for k in range(tile.n_rows >> (tile.forks - forks)):
            mask = k >> forks
            r = common.row_of[frozen, common.row_mask[before, mask]]
            if r < 0 and not wins:
                continue  # an entry square that the path ends on is held
            r = r << forks | (k & ((1 << forks) - 1))
            if turned:
                value = 0.0 if wins else values[to_rows[r] + to_columns[0]]
                rows[k] = min(rows[k], 1.0 - value if again and not wins else value)
                continue
            row = rows + <int64_t>self.program.with_bit[lost][k] * tile.vectors * LANES
            for c in range(tile.n_columns):
                if wins:
                    value = 1.0
                elif again:
                    value = values[to_rows[r] + to_columns[c]]
                else:
                    value = 1.0 - values[to_rows[r] + to_columns[c]]
                row[c] = max(row[c], value)

    cdef void _mark_passes(self, LayoutTables common, const Tile* tile) noexcept nogil:
        # By row of a tile, which throws leave no move.
        cdef uint8_t* bits = self.pass_bits + tile.first_row
        cdef int64_t move = tile.first_move, end, at
        cdef int r, n, mask, h = tile.half
        cdef bint home_empty, moves
        for r in range(tile.n_rows):
            mask = r >> tile.forks
            home_empty = self.program.mask_pieces[h][mask] == tile.pieces
            bits[r] = self.stuck[h][home_empty * self.program.n_masks[h] + mask]
        for n in range(common.n_throws):
            end = move + tile.n_moves[n]
            at = self._external(tile, n, move) * LANES
            if at >= 0:
                for r in range(tile.n_rows):
                    if is_turned(&self.program, tile):
                        moves = self._value(at + r) < 1.5
                    else:
                        moves = self._value(at + <int64_t>r * tile.vectors * LANES) > -0.5
                    if moves:
                        bits[r] &= ~(1 << n)
                move += 1
            while move < end:
                if <int64_t>(matrix_of(&self.program, move) >> 8) < self.n_state_vectors:
                    self._mark_move(common, tile, move, n, bits)
                move += 1
        if common.is_lane and tile.pieces:
            self._mark_slots(common, tile, bits)

    cdef void _mark_move(
        self, LayoutTables common, const Tile* tile, int64_t number, int n, uint8_t* bits
    ) noexcept nogil:
        # The rows that have a move do not pass.
        cdef const Move* move
        cdef const uint8_t* pair
        cdef int k, legs
        if common.is_lane:
            for k in range(tile.n_rows):
                bits[k] &= ~(1 << n)
            return
        move = &self.program.moves[number]
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
        self, LayoutTables common, const Tile* tile, uint8_t* bits
    ) noexcept nogil:
        # Nor do those of a lane that have a piece where an open slot starts.
        cdef uint32_t frozen = common.config_mask[self.mine[tile.half]]
        cdef int k, r, entry, throws, mask
        cdef uint8_t[LANE_SQUARES + 1] moving  # throws that move a piece, from home the last
        for entry in range(LANE_SQUARES + 1):
            moving[entry] = 0
        for k in range(common.n_slots):
            if self.program.slots[tile.first_slot + k]:
                entry = common.slot_entry[k]
                moving[LANE_SQUARES if entry == NO_ENTRY else entry] |= 1 << common.slot_throw[k]
        for r in range(tile.n_rows):
            throws, mask = 0, common.row_mask[frozen, r]
            if self.program.mask_pieces[tile.half][r] < tile.pieces:
                throws = moving[LANE_SQUARES]
            for entry in range(LANE_SQUARES):
                if mask >> entry & 1:
                    throws |= moving[entry]
            bits[r] &= ~throws
