"""How a block is laid out as tiles: what each reads, in which order, and from where.

tiles.h says what a tile is.
"""

from cython.parallel cimport prange
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

import numpy as np

from ur_solver.kernel._inputs cimport Inputs
from ur_solver.kernel._layout_tables cimport LayoutTables
from ur_solver.kernel._program cimport (
    CORNER, LANE_ROWS, LANE_SQUARES, LANE_VECTORS, LANES, MAX_ROWS, MOVES_AHEAD, NO_BIT, NO_ENTRY,
    SMALL, EntryMoves, MatrixRef, Move, Program, Tile, is_strip, is_turned, list_length,
    matrix_of, matrix_vectors,
)
from ur_solver.kernel._tiles cimport MINE, NOBODY, THEIRS, Filling, TileTables, popcount
from ur_solver.kernel._workspace cimport Region, Workspace
from ur_solver.space._ranking cimport MAX_SHARED, Ranking

cdef extern from * nogil:
    int leading_zeros "__builtin_clzll"(unsigned long long)


cdef class TileLayout:
    """One block laid out as tiles, without values of its own.

    Parameters
    ----------
    common : LayoutTables
    workspace : Workspace
        Taken over from the block that was laid out in it before.
    halves : sequence of (mine, theirs)
        The block's one or two ordered pairs of side configs.
    inputs : Inputs
        The values of the blocks that this one's moves lead to. Read on construction.
    threads : int
        That lay the block out.
    """

    def __init__(
        self, LayoutTables common, Workspace workspace, halves, Inputs inputs, int threads
    ):
        cdef int h
        cdef int64_t run
        self.tables = common.tables
        self.workspace = workspace
        self.threads = threads
        self.n_halves = len(halves)
        self.first_rank = common.ranking.half_offset[halves[0][0], halves[0][1]]
        self.first_tile[0] = 0
        for h in range(self.n_halves):
            self.mine[h], self.theirs[h] = halves[h]
            self.my_free[h] = common.ranking.config_free[self.mine[h]]
            self.their_free[h] = common.ranking.config_free[self.theirs[h]]
            self.first_tile[h + 1] = (
                self.first_tile[h] + self.tables.count[self.my_free[h], self.their_free[h]])
        self.n_tiles = self.first_tile[self.n_halves]
        self.program = common.program
        self.tiles = <Tile*>workspace.tiles.take(self.n_tiles * sizeof(Tile))
        self.program.tiles = self.tiles
        self.keep = [common.rows_of(self.mine[h]) for h in range(self.n_halves)]
        for h in range(self.n_halves):
            self._row_tables(h, self.keep[h])
        cdef int64_t[::1] externals = np.empty(self.n_tiles, dtype=np.int64)
        cdef int64_t[3] sizes
        cdef int64_t n_runs = (self.n_tiles + RUN - 1) // RUN
        for run in prange(n_runs, nogil=True, schedule="static", num_threads=threads):
            self._shape(common, self.tables, run * RUN, &externals[0])
        self._place(common, &externals[0], sizes)
        self.n_moves = sizes[0]
        self._take_lists(&self.program, workspace.moves, workspace.slots)
        self.pass_bits = <uint8_t*>workspace.pass_bits.take(sizes[1])
        self.program.pass_bits = self.pass_bits
        self.n_vectors = sizes[2]
        self.program.is_near = self.n_vectors <= common.near
        self.buffer = workspace.buffer.vectors(self.n_vectors)
        if common.is_lane:
            self._fill_no_moves()
        for run in prange(n_runs, nogil=True, schedule="static", num_threads=threads):
            self._lay_out(common, self.tables, run * RUN, &externals[0], inputs)
        self._order_tiles(common)

    cdef _take_lists(self, Program* program, Region moves, Region slots):
        # Room for all of a block's moves, a lane's slots among them.
        if program.is_lane:
            program.refs = <MatrixRef*>moves.take((self.n_moves + MOVES_AHEAD) * sizeof(MatrixRef))
            program.slots = <MatrixRef*>slots.take(
                self.n_tiles * program.n_slots * sizeof(MatrixRef))
        else:
            program.moves = <Move*>moves.take(self.n_moves * sizeof(Move))

    cdef void _fill_no_moves(self) noexcept nogil:
        # Two matrices worse than any: a tile's, and a turned one's.
        cdef int k
        cdef double* numbers = self.buffer + self.no_moves * LANES
        for k in range(SMALL * LANES):
            numbers[k], numbers[SMALL * LANES + k] = -1.0, 2.0

    def _row_tables(self, int h, tables):
        cdef const uint8_t[::1] order = tables["order"]
        cdef const uint8_t[::1] pieces = tables["pieces"]
        cdef const uint8_t[:, :, :, ::1] moves = tables["moves"]
        cdef const uint8_t[:, :, ::1] leaving = tables["leaving"]
        cdef const uint8_t[:, ::1] stuck = tables["stuck"]
        if sizeof(EntryMoves) != moves.shape[3]:
            raise AssertionError("EntryMoves in tiles.h and in tiling.py differ")
        self.program.mask_order[h] = &order[0]
        self.program.mask_pieces[h] = &pieces[0]
        self.program.entry_moves[h] = <const EntryMoves*>&moves[0, 0, 0, 0]
        self.program.leaving[h] = &leaving[0, 0, 0]
        self.stuck[h] = &stuck[0, 0]
        self.program.n_masks[h] = <int32_t>order.shape[0]
        self.program.max_pairs[h] = <int32_t>leaving.shape[1]

    cdef void _next(self, TileTables tables, int64_t number, Filling* filling) noexcept nogil:
        # The filling of a tile, from that of the tile before unless it is the first of its half
        # or of a run.
        cdef int h = number >= self.first_tile[1]
        cdef int64_t place = number - self.first_tile[h]
        if number % RUN == 0 or place == 0:
            tables.fill(place, self.my_free[h], self.their_free[h], filling)
        else:
            tables.next_filling(filling)

    cdef void _shape(
        self, LayoutTables common, TileTables tables, int64_t first, int64_t* counts
    ) noexcept nogil:
        # Of a run of tiles: their rows and columns, their mirrors, how many moves each has, and
        # for each throw whether moves leave the block.
        cdef int64_t number
        cdef int h, n, k, last = tables.n_shared, my_forks, their_forks
        cdef int32_t[MAX_SHARED] other
        cdef Filling filling
        cdef Tile* tile
        for number in range(first, min(first + RUN, self.n_tiles)):
            self._next(tables, number, &filling)
            h = number >= self.first_tile[1]
            tile = &self.tiles[number]
            my_forks = tables.n_forks(filling.mine[last], 0)
            their_forks = tables.n_forks(filling.theirs[last], 1)
            tile.half = h
            tile.pieces = filling.i[last]
            tile.forks = my_forks
            tile.n_rows = tables.mask_counts[self.mine[h], filling.i[last]] << my_forks
            tile.n_columns = tables.mask_counts[self.theirs[h], filling.j[last]] << their_forks
            tile.vectors = (tile.n_columns + LANES - 1) // LANES
            tables.mirrored(filling.digits, other)
            tile.mirror = <int32_t>(
                self.first_tile[self.n_halves - 1 - h]
                + tables.number(other, self.their_free[h], self.my_free[h]))
            counts[number] = 0
            for n in range(common.n_throws):
                tile.n_moves[n] = self._leaving(common, tile, &filling, n) != 0
                counts[number] += list_length(
                    &self.program, tile,
                    tile.n_moves[n] + popcount(self._landings(common, &filling, n)))
            if tile.pieces and not common.is_lane:  # a lane has slots of its own
                for k in range(common.n_slots):
                    counts[number] += self._is_open(common, &filling, common.slot_target[k])

    cdef uint64_t _leaving(
        self, LayoutTables common, const Tile* tile, const Filling* filling, int n
    ) noexcept nogil:
        # Path indices, by bit, from which a throw can move a piece onto a frozen square or
        # off the board; a frozen square already held is left for `_leave` to see.
        cdef uint64_t frozen = common.ranking.config_mask[self.mine[tile.half]]
        cdef uint64_t mine = filling.mine[common.tables.n_shared] | frozen << common.first_frozen
        return mine & common.leaving >> common.throws[n]

    cdef uint64_t _landings(
        self, LayoutTables common, const Filling* filling, int n
    ) noexcept nogil:
        # Path indices of shared squares, by bit, that a throw brings a piece to from others.
        cdef int last = common.tables.n_shared
        return filling.mine[last] << common.throws[n] & common.shared & ~(
            filling.mine[last] | filling.theirs[last] & common.safe)

    cdef bint _is_open(
        self, LayoutTables common, const Filling* filling, int target
    ) noexcept nogil:
        # Whether a piece of mine may land on a shared square, by its path index.
        cdef int last = common.tables.n_shared
        return not (filling.mine[last] | filling.theirs[last] & common.safe) >> target & 1

    cdef void _place(
        self, LayoutTables common, int64_t* externals, int64_t* sizes
    ) noexcept nogil:
        # Where everything of every tile begins: of `externals`, by tile, its number of
        # moves comes in and its first matrix of moves that leave the block goes out. The
        # room that moves, rows and vectors need.
        cdef int64_t moves = 0, rows = 0, vectors = 0, t, frame = 0
        cdef int n
        cdef Tile* tile
        for t in range(self.n_tiles):
            tile = &self.tiles[t]
            tile.first_row = <uint32_t>rows
            tile.first_move = <uint32_t>moves
            tile.first_slot = <uint32_t>(t * common.n_slots)
            rows += tile.n_rows
            moves += externals[t]
            if not (is_strip(&self.program, tile) or is_turned(&self.program, tile)):
                tile.f = vectors
                vectors += 2 * tile.n_rows * tile.vectors
                frame = max(frame, tile.n_rows * tile.vectors)
        self.program.first_strip = vectors
        for t in range(self.n_tiles):
            tile = &self.tiles[t]
            if is_strip(&self.program, tile):
                tile.f = vectors
                self.tiles[tile.mirror].f = vectors + tile.vectors
                vectors += 2 * tile.vectors
        self.program.end_strips = self.n_state_vectors = vectors
        self.n_own_vectors = vectors - self.program.first_strip // 2
        for t in range(self.n_tiles):
            tile = &self.tiles[t]
            externals[t] = vectors
            for n in range(common.n_throws):
                vectors += tile.n_moves[n] * matrix_vectors(&self.program, tile)
            vectors += vectors & 1  # doubles: cache lines hold whole rows of eight
        self.no_moves = vectors
        if common.is_lane:
            vectors += 2 * SMALL
        sizes[0], sizes[1], sizes[2] = moves, rows, vectors
        # the compiled rows and throws of a lane have room for all of them
        self.program.frame_step = (LANE_ROWS * LANE_VECTORS if common.is_lane else frame) * LANES
        self.program.frame_size = self.program.frame_step * (
            LANE_SQUARES if common.is_lane else common.n_throws)

    cdef MatrixRef _matrix(self, const Tile* source, int64_t number, bint again) noexcept nogil:
        # What a move from a tile to another leads to. Turned tiles read what the opponent sees:
        # the first row of the other's mirror, or the corner of a strip. No other tile leads to a
        # turned one: captures only add columns.
        cdef const Tile* tile = &self.tiles[number]
        cdef int64_t offset
        if is_turned(&self.program, source):
            if is_strip(&self.program, tile):
                offset = tile.f + (0 if again else tile.vectors) + CORNER // LANES
                return (<uint64_t>offset << 8) | (CORNER % LANES + 1)
            tile, again = &self.tiles[tile.mirror], not again
        offset = tile.f
        if not again:
            offset += <int64_t>tile.n_rows * tile.vectors
        return (<uint64_t>offset << 8) | tile.vectors

    cdef int64_t _row(self, const Tile* tile, int r) noexcept nogil:
        # Where a row of F begins in the buffer; of a turned tile what the opponent sees of it.
        if is_turned(&self.program, tile):
            return tile.f * LANES + r
        return (tile.f + <int64_t>r * tile.vectors) * LANES

    cdef void _lay_out(
        self, LayoutTables common, TileTables tables, int64_t first, const int64_t* externals,
        Inputs inputs,
    ) noexcept nogil:
        # Of a run of tiles: all that needs their places; `externals`: where each one's matrices
        # of moves that leave the block begin.
        cdef int64_t number
        cdef Filling filling
        for number in range(first, min(first + RUN, self.n_tiles)):
            self._next(tables, number, &filling)
            self._link(common, tables, number, &filling, externals[number])
            self._read_externals(common, tables, &self.tiles[number], &filling, inputs)
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
        Inputs inputs,
    ) noexcept nogil:
        # The best of a tile's moves that leave the block, by throw, from finished blocks.
        cdef int n, index
        cdef int64_t x
        cdef uint32_t move = tile.first_move
        cdef uint64_t sources
        cdef double none = 2.0 if is_turned(&self.program, tile) else -1.0
        cdef double* rows
        cdef double* end = NULL
        for n in range(common.n_throws):
            rows = self._external(tile, n, move)
            move += tile.n_moves[n]
            if rows == NULL:
                continue
            end = rows + matrix_vectors(&self.program, tile) * LANES
            for x in range(end - rows):
                rows[x] = none
            sources = self._leaving(common, tile, filling, n)
            while sources:
                index = 63 - leading_zeros(sources)
                sources ^= <uint64_t>1 << index
                self._leave(common, tables, common.ranking, tile, inputs, filling, index, n, rows)
        if end != NULL and (end - self.buffer) // LANES & 1:
            for x in range(LANES):
                end[x] = none  # what no tile reads, up to the next one's

    cdef double* _external(self, const Tile* tile, int n, uint32_t move) noexcept nogil:
        # The matrix of the moves of throw n that leave the block, NULL if there are none;
        # it comes first among the moves of the throw, `move` on.
        cdef int64_t at
        if tile.n_moves[n]:
            at = matrix_of(&self.program, move) >> 8
            if self.n_state_vectors <= at < self.no_moves:
                return self.buffer + at * LANES
        return NULL

    cdef void _leave(
        self, LayoutTables common, TileTables tables, Ranking ranking, const Tile* tile,
        Inputs inputs, const Filling* filling, int source, int n, double* rows,
    ) noexcept nogil:
        # One move onto a frozen square or off the board, from a path index, for all rows of a
        # tile that have it.
        cdef int h = tile.half, target = source + common.throws[n], square = tables.square[source]
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
            config = ranking.config_of[off, frozen]
            values = inputs.of(h, config)
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
        cdef const double* external
        cdef uint32_t move = tile.first_move, end
        cdef int r, n, mask, h = tile.half
        cdef bint home_empty, moves
        for r in range(tile.n_rows):
            mask = r >> tile.forks
            home_empty = self.program.mask_pieces[h][mask] == tile.pieces
            bits[r] = self.stuck[h][home_empty * self.program.n_masks[h] + mask]
        for n in range(common.n_throws):
            end = move + tile.n_moves[n]
            external = self._external(tile, n, move)
            if external != NULL:
                for r in range(tile.n_rows):
                    if is_turned(&self.program, tile):
                        moves = external[r] < 1.5
                    else:
                        moves = external[<int64_t>r * tile.vectors * LANES] > -0.5
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
        self, LayoutTables common, const Tile* tile, uint32_t number, int n, uint8_t* bits
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
        cdef uint32_t frozen = common.ranking.config_mask[self.mine[tile.half]]
        cdef int k, r, entry, throws, mask
        cdef uint8_t[LANE_SQUARES + 1] moving  # throws that move a piece, from home the last
        for entry in range(LANE_SQUARES + 1):
            moving[entry] = 0
        for k in range(common.n_slots):
            if self.program.slots[tile.first_slot + k]:
                entry = common.slot_entry[k]
                moving[LANE_SQUARES if entry == NO_ENTRY else entry] |= 1 << common.slot_throw[k]
        for r in range(tile.n_rows):
            throws, mask = 0, common.ranking.row_mask[frozen, r]
            if self.program.mask_pieces[tile.half][r] < tile.pieces:
                throws = moving[LANE_SQUARES]
            for entry in range(LANE_SQUARES):
                if mask >> entry & 1:
                    throws |= moving[entry]
            bits[r] &= ~throws

    def _order_tiles(self, LayoutTables common):
        # Pairs of mirrored tiles, named by their first. A group agrees on the leading
        # squares. The groups whose pieces there have come furthest come first, so that
        # every move that is not a capture leads to an earlier group, to an earlier tile of
        # the group, or stays in its pair; on forks, where pieces may be on their way back,
        # this holds for the first leg. Within a group, tiles follow their place in
        # memory, backwards, for the caches' sake.
        cdef int64_t n = self.first_tile[1], n_groups, n_pairs = 0, k = 0, g, t
        starts = np.empty(min(3**common.tiling.n_leading, n) + 1, dtype=np.int64)
        come = np.empty(len(starts), dtype=np.int32)
        cdef int64_t[::1] starts_view = starts
        cdef int32_t[::1] come_view = come
        n_groups = self._find_groups(common, self.tables, &starts_view[0], &come_view[0])
        cdef const int64_t[::1] groups = np.argsort(-come[:n_groups], kind="stable")
        order = np.empty(n, dtype=np.int32)
        group_start = np.zeros(n_groups + 1, dtype=np.int64)
        cdef int32_t[::1] order_view = order
        cdef int64_t[::1] group_view = group_start
        with nogil:
            for g in range(n_groups):
                for t in range(starts_view[groups[g] + 1] - 1, starts_view[groups[g]] - 1, -1):
                    if self.tiles[t].mirror >= t:
                        order_view[n_pairs] = <int32_t>t
                        n_pairs += 1
                if n_pairs > group_view[k]:
                    k += 1
                    group_view[k] = n_pairs
        self.order, self.group_start = order[:n_pairs].copy(), group_start[:k + 1]

    cdef int64_t _find_groups(
        self, LayoutTables common, TileTables tables, int64_t* starts, int32_t* come
    ) noexcept nogil:
        # The first tile of each group of the first half, and where the last ends; how far the
        # pieces on each group's leading squares have come. How many groups there are.
        cdef int64_t n_groups = 0
        cdef int s, d
        cdef Filling filling
        starts[0] = 0
        while starts[n_groups] < self.first_tile[1]:
            tables.fill(starts[n_groups], self.my_free[0], self.their_free[0], &filling)
            come[n_groups] = 0
            for s in range(common.n_leading):
                d = filling.digits[s]
                if d:
                    come[n_groups] += tables.index[d - MINE, s, 0] + 1
            for s in range(common.n_leading, tables.n_shared):
                tables.hold(
                    &filling, s, THEIRS if filling.j[s] else MINE if filling.i[s] else NOBODY)
            n_groups += 1
            starts[n_groups] = filling.numbers[tables.n_shared] + 1
        return n_groups

    cdef void _ranks(
        self, TileTables tables, int64_t number, Filling* filling, int64_t* rows,
        int64_t* columns,
    ) noexcept nogil:
        # The rank of a tile's position is the sum of its row's and its column's; `filling` is
        # that of the tile before and becomes its own (`_next`).
        cdef int h = self.tiles[number].half
        self._next(tables, number, filling)
        tables.ranks(self.mine[h], self.theirs[h], filling.digits, rows, columns)
