"""Laying out a block as tiles: where their matrices begin, their order, and what each tile reads.

tiles.h says what a tile is.
"""

from cython.parallel cimport prange, threadid
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

import numpy as np

from ur_solver.kernel._inputs cimport Inputs
from ur_solver.kernel._layout_tables cimport (
    MINE, NOBODY, THEIRS, Filling, LayoutTables, popcount,
)
from ur_solver.kernel._program cimport (
    CORNER, LANE_ROWS, LANE_SQUARES, LANE_VECTORS, LANES, MOVES_AHEAD, SMALL, MatrixRef, Program,
    Tile, is_strip, is_turned, list_length, matrix_vectors,
)
from ur_solver.kernel._workspace cimport Region, Workspace
from ur_solver.space._tile_ranking cimport MAX_SHARED

cdef extern from * nogil:
    int leading_zeros "__builtin_clzll"(unsigned long long)

cdef int64_t MOST_TILES = 2**31 - 1  # of a block

cdef enum:
    RUN = 64    # tiles whose values a thread copies in turn: it ranks the first


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
    is_single : bool
        Whether its numbers are floats.

    Raises
    ------
    ValueError
        If the block has too many tiles.
    """

    def __init__(
        self, LayoutTables common, Workspace workspace, halves, Inputs inputs, int threads,
        bint is_single
    ):
        cdef int h
        cdef int64_t t, further
        cdef double[:, ::1] rooms
        self.common, self.workspace = common, workspace
        self.threads, self.is_single = threads, is_single
        self.n_halves = len(halves)
        self.first_rank = common.ranking.half_offset[halves[0][0], halves[0][1]]
        self.first_tile[0] = 0
        for h in range(self.n_halves):
            self.mine[h], self.theirs[h] = halves[h]
            self.my_free[h] = common.ranking.config_free[self.mine[h]]
            self.their_free[h] = common.ranking.config_free[self.theirs[h]]
            self.first_tile[h + 1] = (
                self.first_tile[h] + common.count[self.my_free[h], self.their_free[h]])
        self.n_tiles = self.first_tile[self.n_halves]
        if self.n_tiles > MOST_TILES:
            raise ValueError(f"a block of {self.n_tiles} tiles; at most {MOST_TILES}")
        self.program = common.program
        self.tiles = <Tile*>workspace.tiles.take(self.n_tiles * sizeof(Tile))
        self.program.tiles = self.tiles
        self.externals = np.empty(self.n_tiles, dtype=np.int64)
        for t in prange(self.n_tiles, nogil=True, schedule="static", num_threads=threads):
            _shape(self, common, t)
        _place(self, common)
        self._order_tiles(common)
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
        for t in prange(self.n_tiles, nogil=True, schedule="static", num_threads=threads):
            _lay_out(self, common, t, inputs, &rooms[threadid(), 0])
        self.externals = None

    cdef _take_lists(self, Program* program, Region moves, Region slots):
        # Room for all of a block's moves.
        program.moves = <MatrixRef*>moves.take((self.n_moves + MOVES_AHEAD) * sizeof(MatrixRef))
        program.slots = <MatrixRef*>slots.take(
            self.n_tiles * program.n_slots * sizeof(MatrixRef))

    cdef void _fill(self, int64_t number, Filling* filling) noexcept nogil:
        # The filling of a tile.
        cdef int h = number >= self.first_tile[1]
        self.common.fill(
            number - self.first_tile[h], self.my_free[h], self.their_free[h], filling)

    cdef uint64_t _leaving(
        self, LayoutTables common, const Tile* tile, const Filling* filling, int n
    ) noexcept nogil:
        # Path indices, by bit, from which a throw can move a piece onto a frozen square or
        # off the board; a frozen square already held is left for `_leave` to see.
        cdef uint64_t frozen = common.config_mask[self.mine[tile.half]]
        return (filling.mine | frozen << common.first_frozen) & common.leaving >> common.throws[n]

    cdef uint64_t _landings(self, LayoutTables common, const Filling* filling, int n) noexcept nogil:
        # Path indices of shared squares, by bit, that a throw brings a piece to from others.
        return filling.mine << common.throws[n] & common.shared & ~(
            filling.mine | filling.theirs & common.safe)

    cdef MatrixRef _land(
        self, LayoutTables common, const Tile* source, const Filling* filling, int square,
        int target, bint again
    ) noexcept nogil:
        # Where landing on the shared square of a path index leads, from another one or, -1, from an
        # entry square or home, whether or not I throw `again`. Turned tiles read what the opponent sees: the first row of the
        # other's mirror, or the corner of a strip. No other tile leads to a turned one: captures
        # only add columns.
        cdef int to = common.square[target]
        cdef const Tile* tile = &self.tiles[
            self.first_tile[source.half] + common.number_after(filling, square, to)]
        cdef int64_t offset
        if is_turned(source):
            if is_strip(tile):
                offset = tile.f + (0 if again else tile.vectors) + CORNER // LANES
                return (<uint64_t>offset << 8) | (CORNER % LANES + 1)
            tile, again = &self.tiles[tile.mirror], not again
        offset = tile.f
        if not again:
            offset += <int64_t>tile.n_rows * tile.vectors
        return (<uint64_t>offset << 8) | tile.vectors

    cdef int64_t _row(self, const Tile* tile, int r) noexcept nogil:
        # Where a row of F begins in the buffer; of a turned tile what the opponent sees of it.
        if is_turned(tile):
            return tile.f * LANES + r
        return (tile.f + <int64_t>r * tile.vectors) * LANES

    def _order_tiles(self, LayoutTables common):
        # Pairs of mirrored tiles, named by their first. A group agrees on the leading
        # squares. The groups whose pieces there have come furthest come first, so that
        # every move that is not a capture leads to an earlier group, to an earlier tile of
        # the group, or stays in its pair. Within a group, tiles follow their place in
        # memory, backwards, for the caches' sake.
        cdef int64_t n = self.first_tile[1], n_groups, n_pairs = 0, k = 0, g, t
        starts = np.empty(min(3**common.tiling.n_leading, n) + 1, dtype=np.int64)
        come = np.empty(len(starts), dtype=np.int32)
        cdef int64_t[::1] starts_view = starts
        cdef int32_t[::1] come_view = come
        n_groups = _find_groups(self, common, &starts_view[0], &come_view[0])
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

    cdef void _copy(self, void* numbers, bint is_single, double* to, const double* source) noexcept:
        # Between all matrices F, among numbers that are floats if `is_single`, and values by rank:
        # to `to` unless it is NULL, from `source` otherwise.
        cdef int64_t run
        for run in prange(
                (self.n_tiles + RUN - 1) // RUN, nogil=True, schedule="static",
                num_threads=self.threads):
            _copy_run(self, self.common, run * RUN, numbers, is_single, to, source)

    cdef void _copy_tile(
        self, const Tile* tile, void* numbers, bint is_single, double* to, const double* source
    ) noexcept nogil:
        # The same of one tile and the values of its positions.
        cdef bint turned = is_turned(tile)
        cdef int r, n = tile.n_rows if turned else tile.n_columns
        cdef int64_t at
        for r in range(1 if turned else tile.n_rows):
            at = self._row(tile, r)
            if is_single:
                copy_numbers(<float*>numbers + at, n, to, source, r * n, turned)
            else:
                copy_numbers(<double*>numbers + at, n, to, source, r * n, turned)


cdef void _shape(TileLayout self, LayoutTables common, int64_t number) noexcept nogil:
    # A tile's rows and columns, its mirror, how many moves it has, in `externals`, and for each
    # throw whether moves leave the block.
    cdef int h = number >= self.first_tile[1], n, last = common.n_shared
    cdef uint64_t landings
    cdef int32_t[MAX_SHARED] other
    cdef Filling filling
    cdef Tile* tile = &self.tiles[number]
    self._fill(number, &filling)
    tile.half = h
    tile.pieces = filling.i[last]
    tile.n_rows = common.mask_counts[filling.i[last]]
    tile.n_columns = common.mask_counts[filling.j[last]]
    tile.vectors = (tile.n_columns + LANES - 1) // LANES
    common.mirrored(filling.digits, other)
    tile.mirror = <int32_t>(
        self.first_tile[self.n_halves - 1 - h]
        + common.number(other, self.their_free[h], self.my_free[h]))
    self.externals[number] = 0
    for n in range(common.n_throws):
        tile.n_moves[n] = self._leaving(common, tile, &filling, n) != 0
        landings = self._landings(common, &filling, n)
        self.externals[number] += list_length(
            tile, tile.n_moves[n] + popcount(landings) + (
                popcount(landings & common.earning(&filling, n)) if common.may_decline else 0))


cdef void _place(TileLayout self, LayoutTables common) noexcept nogil:
    # Where everything of every tile begins: of `externals`, by tile, its number of
    # moves comes in and its first matrix of moves that leave the block goes out.
    cdef int64_t moves = 0, rows = 0, vectors = 0, t
    cdef int n
    cdef Tile* tile
    for t in range(self.n_tiles):
        tile = &self.tiles[t]
        tile.first_move, tile.first_slot, tile.first_row = moves, t * common.program.n_slots, rows
        moves += self.externals[t]
        rows += tile.n_rows
        if not (is_strip(tile) or is_turned(tile)):
            tile.f = vectors
            vectors += 2 * tile.n_rows * tile.vectors
    self.program.first_strip = vectors
    for t in range(self.n_tiles):
        tile = &self.tiles[t]
        if is_strip(tile):
            tile.f = vectors
            self.tiles[tile.mirror].f = vectors + tile.vectors
            vectors += 2 * tile.vectors
    self.program.end_strips = self.n_state_vectors = vectors
    self.n_own_vectors = vectors - self.program.first_strip // 2
    for t in range(self.n_tiles):
        tile = &self.tiles[t]
        self.externals[t] = vectors
        for n in range(common.n_throws):
            vectors += tile.n_moves[n] * matrix_vectors(tile)
        vectors += vectors & 1  # doubles: cache lines hold whole rows of eight
    self.no_moves = vectors
    vectors += 2 * SMALL
    self.n_moves, self.n_rows, self.n_vectors = moves, rows, vectors
    self.program.is_near = vectors <= common.near


cdef int64_t _find_groups(
    TileLayout self, LayoutTables common, int64_t* starts, int32_t* come
) noexcept nogil:
    # The first tile of each group of the first half, and where the last ends; how far the
    # pieces on each group's leading squares have come. How many groups there are.
    cdef int64_t n_groups = 0
    cdef int s, d
    cdef Filling filling
    starts[0] = 0
    while starts[n_groups] < self.first_tile[1]:
        self._fill(starts[n_groups], &filling)
        come[n_groups] = 0
        for s in range(common.n_leading):
            d = filling.digits[s]
            if d:
                come[n_groups] += common.index[MINE - d, s] + 1
        for s in range(common.n_leading, common.n_shared):
            common.hold(
                &filling, s, MINE if filling.i[s] else THEIRS if filling.j[s] else NOBODY)
        n_groups += 1
        starts[n_groups] = filling.numbers[common.n_shared] + 1
    return n_groups


cdef void _copy_run(
    TileLayout self, LayoutTables common, int64_t number, void* numbers, bint is_single, double* to,
    const double* source
) noexcept nogil:
    # As `_copy`, of the tiles of a run.
    cdef int64_t end = min(number + RUN, self.n_tiles), place, columns
    cdef int h = number >= self.first_tile[1]
    cdef Filling filling
    cdef const Tile* tile
    self._fill(number, &filling)
    place = common.first_rank(self.mine[h], self.theirs[h], filling.digits, &columns) - (
        self.first_rank)
    for number in range(number, end):
        tile = &self.tiles[number]
        self._copy_tile(
            tile, numbers, is_single, to + place if to else NULL,
            source + place if source else NULL)
        place += tile.n_rows * tile.n_columns


ctypedef fused Number:
    float
    double


cdef inline void copy_numbers(
    Number* numbers, int n, double* to, const double* source, int first, bint turned
) noexcept nogil:
    # Between some numbers and the values of places from the first on. Floats are values less 1/2, a
    # turned tile's 1 less the value.
    cdef double less = 0.5 if Number is float else 0.0, value
    cdef int k
    for k in range(n):
        if to != NULL:
            value = numbers[k] + less
            to[first + k] = 1.0 - value if turned else value
        else:
            value = source[first + k]
            numbers[k] = <Number>((1.0 - value if turned else value) - less)


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


cdef void _lay_out(
    TileLayout self, LayoutTables common, int64_t number, Inputs inputs, double* room
) noexcept nogil:
    # All of a tile that needs the places of others: its moves, what those that leave the block are
    # worth, and by row which throws leave no move.
    cdef Tile* tile = &self.tiles[number]
    cdef Filling filling
    cdef int n, k
    cdef int64_t move = tile.first_move, external = self.externals[number]
    cdef bint leaves
    self._fill(number, &filling)
    _open_slots(self, common, tile, &filling)
    for n in range(min(common.n_throws, LANE_SQUARES)):  # never more, which gcc cannot know
        leaves = tile.n_moves[n]
        tile.n_moves[n] = _list_moves(self, common, tile, &filling, n, move, external)
        move += tile.n_moves[n]
        if leaves:
            _read_leaving(self, common, tile, &filling, n, inputs, external, room)
            external += matrix_vectors(tile)
    if external & 1 and external > self.externals[number]:
        for k in range(LANES):
            room[k] = 2.0 if is_turned(tile) else -1.0
        _write_values(self, room, external, 1)  # what no tile reads, up to the next one's


cdef void _open_slots(
    TileLayout self, LayoutTables common, const Tile* tile, const Filling* filling
) noexcept nogil:
    # The moves from entry squares and home to shared squares; by row, throws that move no piece from
    # there, nor from a shared square to another.
    cdef MatrixRef* slots = self.program.slots + tile.first_slot
    cdef uint8_t* bits = self.pass_bits + tile.first_row
    cdef int[LANE_SQUARES] open_from      # by throw: home and, from bit 1 on, entry squares
    cdef int k, n, r, target, sources, declined, stuck = 0
    cdef bint again
    # rows come by their pieces: those that leave one at home
    cdef int entering = common.mask_counts[tile.pieces - 1] if tile.pieces else 0
    for n in range(min(common.n_throws, LANE_SQUARES)):
        open_from[n] = 0
        stuck |= (self._landings(common, filling, n) == 0) << n
    for k in range(common.program.n_slots):
        slots[k] = 0
    for k in range(common.program.first_declined):
        n, target = common.slot_throw[k], common.slot_target[k]
        if tile.pieces and not (filling.mine | filling.theirs & common.safe) >> target & 1:
            again = common.earning(filling, n) >> target & 1
            slots[k] = self._land(common, tile, filling, -1, target, again)
            if again and common.may_decline:
                declined = k + common.program.first_declined
                slots[declined] = self._land(common, tile, filling, -1, target, False)
            open_from[n] |= 1 << (common.slot_source[k] + 1)
    for r in range(tile.n_rows):
        sources = common.mask_of[r] << 1 | (r < entering)
        bits[r] = stuck
        for n in range(min(common.n_throws, LANE_SQUARES)):
            target = sources << common.throws[n] & ~sources & ((2 << LANE_SQUARES) - 2)
            if target or sources & open_from[n]:
                bits[r] &= ~(1 << n)


cdef int _list_moves(
    TileLayout self, LayoutTables common, const Tile* tile, const Filling* filling,
    int n, int64_t at, int64_t external,
) noexcept nogil:
    # Lists, from `at` on, a tile's moves of a throw that lead to other tiles; how many
    # there are. Those that leave the block come first, as one, whose matrix is at
    # `external`.
    cdef int count = 0, k, target, source, length
    cdef uint64_t landings = self._landings(common, filling, n)
    cdef uint64_t earning = common.earning(filling, n)
    cdef bint again
    cdef MatrixRef move = 0
    if tile.n_moves[n]:
        move = (<uint64_t>external << 8) | tile.vectors
        self.program.moves[at] = move
        count = 1
    while landings:
        target = 63 - leading_zeros(landings)
        landings ^= <uint64_t>1 << target
        source = common.square[target - common.throws[n]]
        again = earning >> target & 1
        move = self._land(common, tile, filling, source, target, again)
        self.program.moves[at + count] = move
        count += 1
        if again and common.may_decline:
            move = self._land(common, tile, filling, source, target, False)
            self.program.moves[at + count] = move
            count += 1
    if count == 0:
        move = (<uint64_t>(
            self.no_moves + (SMALL if is_turned(tile) else 0)) << 8) | tile.vectors
    length = list_length(tile, count)
    for k in range(count, length):
        self.program.moves[at + k] = move
    return length


cdef void _read_leaving(
    TileLayout self, LayoutTables common, const Tile* tile, const Filling* filling, int n,
    Inputs inputs, int64_t at, double* room
) noexcept nogil:
    # The best of a tile's moves of a throw that leave the block, from finished blocks, in the matrix
    # at a vector; `room` is for one that becomes floats.
    cdef int64_t x, size = matrix_vectors(tile), pitch = tile.vectors * LANES
    cdef uint64_t sources = self._leaving(common, tile, filling, n)
    cdef bint turned = is_turned(tile)
    cdef double none = 2.0 if turned else -1.0
    cdef double* rows = room if self.is_single else <double*>self.buffer + at * LANES
    cdef int index, r
    cdef bint again
    for x in range(size * LANES):
        rows[x] = none
    while sources:
        index = 63 - leading_zeros(sources)
        sources ^= <uint64_t>1 << index
        again = common.extra[n] >> (index + common.throws[n]) & 1
        _leave(self, common, tile, inputs, filling, index, n, again, rows)
        if again and common.may_decline:
            _leave(self, common, tile, inputs, filling, index, n, False, rows)
    for r in range(tile.n_rows):
        if rows[r if turned else r * pitch] != none:
            self.pass_bits[tile.first_row + r] &= ~(1 << n)
    if self.is_single:
        _write_values(self, rows, at, size)


cdef void _leave(
    TileLayout self, LayoutTables common, const Tile* tile, Inputs inputs,
    const Filling* filling, int source, int n, bint again, double* rows,
) noexcept nogil:
    # One move onto a frozen square or off the board, from a path index, for all rows of a
    # tile that have it; whether or not I throw `again`.
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
    cdef bint wins = False, turned = is_turned(tile)
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
