"""Where a block's tiles are: their shapes, where each one's matrices begin, and their order.

tiles.h says what a tile is.
"""

from cython.parallel cimport prange
from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

from ur_solver.kernel._layout_tables cimport (
    MINE, NOBODY, THEIRS, Filling, LayoutTables, popcount,
)
from ur_solver.kernel._program cimport (
    CORNER, LANES, SMALL, MatrixRef, Tile, is_strip, is_turned, list_length, matrix_vectors,
)
from ur_solver.kernel._workspace cimport Workspace
from ur_solver.space._tile_ranking cimport MAX_SHARED


cdef int64_t MOST_TILES = 2**31 - 1  # of a block


cdef class TilePlaces:
    """The tiles of one block and the places of their matrices, which are not filled yet.

    Parameters
    ----------
    common : LayoutTables
    workspace : Workspace
        Taken over from the block that was laid out in it before.
    halves : sequence of (mine, theirs)
        The block's one or two ordered pairs of side configs.
    threads : int
        That lay the block out.

    Raises
    ------
    ValueError
        If the block has too many tiles.
    """

    def __init__(self, LayoutTables common, Workspace workspace, halves, int threads):
        cdef int h
        cdef int64_t run, n_runs
        self.common = common
        self.workspace = workspace
        self.threads = threads
        self.n_halves = len(halves)
        self.first_rank = common.ranking.half_offset[halves[0][0], halves[0][1]]
        self.first_tile[0] = 0
        for h in range(self.n_halves):
            self.mine[h], self.theirs[h] = halves[h]
            self.my_free[h] = common.config_free[self.mine[h]]
            self.their_free[h] = common.config_free[self.theirs[h]]
            self.first_tile[h + 1] = (
                self.first_tile[h] + self.common.count[self.my_free[h], self.their_free[h]])
        self.n_tiles = self.first_tile[self.n_halves]
        if self.n_tiles > MOST_TILES:
            raise ValueError(f"a block of {self.n_tiles} tiles; at most {MOST_TILES}")
        self.program = common.program
        self.tiles = <Tile*>workspace.tiles.take(self.n_tiles * sizeof(Tile))
        self.program.tiles = self.tiles
        self.externals = np.empty(self.n_tiles, dtype=np.int64)
        n_runs = (self.n_tiles + RUN - 1) // RUN
        for run in prange(n_runs, nogil=True, schedule="static", num_threads=threads):
            _shape(self, common, run * RUN)
        _place(self, common)
        self._order_tiles(common)

    cdef void _next(self, LayoutTables common, int64_t number, Filling* filling) noexcept nogil:
        # The filling of a tile, from that of the tile before unless it is the first of its half
        # or of a run.
        cdef int h = number >= self.first_tile[1]
        cdef int64_t place = number - self.first_tile[h]
        if number % RUN == 0 or place == 0:
            common.fill(place, self.my_free[h], self.their_free[h], filling)
        else:
            common.next_filling(filling)

    cdef uint64_t _leaving(
        self, LayoutTables common, const Tile* tile, const Filling* filling, int n
    ) noexcept nogil:
        # Path indices, by bit, from which a throw can move a piece onto a frozen square or
        # off the board; a frozen square already held is left for `_leave` to see.
        cdef uint64_t frozen = common.config_mask[self.mine[tile.half]]
        cdef uint64_t mine = filling.mine[common.n_shared] | frozen << common.first_frozen
        return mine & common.leaving >> common.throws[n]

    cdef uint64_t _landings(
        self, LayoutTables common, const Filling* filling, int n
    ) noexcept nogil:
        # Path indices of shared squares, by bit, that a throw brings a piece to from others.
        cdef int last = common.n_shared
        return filling.mine[last] << common.throws[n] & common.shared & ~(
            filling.mine[last] | filling.theirs[last] & common.safe)

    cdef bint _is_open(
        self, LayoutTables common, const Filling* filling, int target
    ) noexcept nogil:
        # Whether a piece of mine may land on a shared square, by its path index.
        cdef int last = common.n_shared
        return not (filling.mine[last] | filling.theirs[last] & common.safe) >> target & 1

    cdef MatrixRef _matrix(self, const Tile* source, int64_t number, bint again) noexcept nogil:
        # What a move from a tile to another leads to. Turned tiles read what the opponent sees:
        # the first row of the other's mirror, or the corner of a strip. No other tile leads to a
        # turned one: captures only add columns.
        cdef const Tile* tile = &self.tiles[number]
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

    cdef int64_t _first_rank(
        self, LayoutTables common, int64_t number, Filling* filling, int64_t* columns
    ) noexcept nogil:
        # As `LayoutTables.first_rank` has it; `filling` is that of the tile before and becomes the
        # tile's own (`_next`).
        cdef int h = self.tiles[number].half
        self._next(common, number, filling)
        return common.first_rank(self.mine[h], self.theirs[h], filling.digits, columns)

    cdef void _copy(self, void* numbers, bint is_single, double* to, const double* source) noexcept:
        # Between the tiles' matrices F, among numbers that are floats if `is_single`, and values by
        # rank: to `to` unless it is NULL, from `source` otherwise.
        cdef int64_t run
        for run in prange(
                (self.n_tiles + RUN - 1) // RUN, nogil=True, schedule="static",
                num_threads=self.threads):
            _copy_run(self, run * RUN, numbers, is_single, to, source)


cdef void _shape(TilePlaces self, LayoutTables common, int64_t first) noexcept nogil:
    # Of a run of tiles: their rows and columns, their mirrors, how many moves each has, in
    # `externals`, and for each throw whether moves leave the block.
    cdef int64_t number
    cdef int h, n, last = common.n_shared
    cdef int32_t[MAX_SHARED] other
    cdef Filling filling
    cdef Tile* tile
    for number in range(first, min(first + RUN, self.n_tiles)):
        self._next(common, number, &filling)
        h = number >= self.first_tile[1]
        tile = &self.tiles[number]
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
            self.externals[number] += list_length(
                tile, tile.n_moves[n] + popcount(self._landings(common, &filling, n)))


cdef void _place(TilePlaces self, LayoutTables common) noexcept nogil:
    # Where everything of every tile begins: of `externals`, by tile, its number of
    # moves comes in and its first matrix of moves that leave the block goes out.
    cdef int64_t moves = 0, rows = 0, vectors = 0, t
    cdef int n
    cdef Tile* tile
    for t in range(self.n_tiles):
        tile = &self.tiles[t]
        tile.first_row = rows
        tile.first_move = moves
        tile.first_slot = t * common.n_slots
        rows += tile.n_rows
        moves += self.externals[t]
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
    TilePlaces self, LayoutTables common, int64_t* starts, int32_t* come
) noexcept nogil:
    # The first tile of each group of the first half, and where the last ends; how far the
    # pieces on each group's leading squares have come. How many groups there are.
    cdef int64_t n_groups = 0
    cdef int s, d
    cdef Filling filling
    starts[0] = 0
    while starts[n_groups] < self.first_tile[1]:
        common.fill(starts[n_groups], self.my_free[0], self.their_free[0], &filling)
        come[n_groups] = 0
        for s in range(common.n_leading):
            d = filling.digits[s]
            if d:
                come[n_groups] += common.index[d - MINE, s] + 1
        for s in range(common.n_leading, common.n_shared):
            common.hold(
                &filling, s, THEIRS if filling.j[s] else MINE if filling.i[s] else NOBODY)
        n_groups += 1
        starts[n_groups] = filling.numbers[common.n_shared] + 1
    return n_groups


cdef void _copy_run(
    TilePlaces self, int64_t first, void* numbers, bint is_single, double* to, const double* source
) noexcept nogil:
    # The tiles of a run.
    cdef int r, n
    cdef int64_t number, at, rank, columns
    cdef Filling filling
    cdef const Tile* tile
    cdef bint turned
    for number in range(first, min(first + RUN, self.n_tiles)):
        tile = &self.tiles[number]
        rank = self._first_rank(self.common, number, &filling, &columns) - self.first_rank
        turned = is_turned(tile)
        n = tile.n_rows if turned else tile.n_columns
        for r in range(1 if turned else tile.n_rows):
            at = self._row(tile, r)
            if is_single:
                copy_numbers(<float*>numbers + at, n, to, source, rank + r * columns, turned)
            else:
                copy_numbers(<double*>numbers + at, n, to, source, rank + r * columns, turned)


ctypedef fused Number:
    float
    double


cdef inline void copy_numbers(
    Number* numbers, int n, double* to, const double* source, int64_t first, bint turned
) noexcept nogil:
    # Between some numbers and the values of ranks from the first on. Floats are values less 1/2, a
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
