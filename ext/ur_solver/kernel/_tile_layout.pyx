"""How a block is laid out as tiles: what each reads, in which order, and from where.

`LayoutTables` holds what a space's blocks share, `TileLayout` is one block. tiles.h says what
a tile is.
"""

from cython.parallel cimport prange
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

import numpy as np

from ur_solver.kernel._tiles cimport MINE, NOBODY, THEIRS, Filling, TileTables
from ur_solver.kernel._workspace cimport Workspace
from ur_solver.space._ranking cimport MAX_SHARED, Ranking


cdef class LayoutTables:
    """What the layouts of a space's blocks share; thread safe.

    Parameters
    ----------
    tiling : Tiling
    ranking : Ranking
    has_lanes : bool
        Whether the rows of a lane are compiled in.
    """

    def __init__(self, tiling, Ranking ranking, bint has_lanes):
        space, layout, moves = tiling.space, tiling.layout, tiling.moves
        self.tiling = tiling
        self.tables = TileTables(tiling, ranking)
        self.ranking = ranking
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
        self.is_lane = lane is not None and has_lanes
        self._fill_program(moves.chance, lane)

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
                for k in range(LANE_SQUARES + 1):
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
        """The row tables of a side config, shared by all with the same frozen squares."""
        mask = self.ranking.config_mask[config]
        if mask not in self.row_tables:
            self.row_tables[mask] = self.tiling.row_tables(config)
        return self.row_tables[mask]


cdef class TileLayout:
    """One block laid out as tiles, without values of its own.

    Parameters
    ----------
    common : LayoutTables
    workspace : Workspace
        Taken over from the block that was laid out in it before.
    halves : sequence of (mine, theirs)
        The block's one or two ordered pairs of side configs.
    values : float64, shape (n_positions,)
        Values of the whole space, final for all earlier blocks. Read on construction.
    threads : int
        That lay the block out.
    """

    def __init__(
        self, LayoutTables common, Workspace workspace, halves, const double[::1] values,
        int threads
    ):
        cdef int h
        cdef int64_t k
        cdef const double* base = &values[0]
        self.tables = common.tables
        self.workspace = workspace
        self.threads = threads
        self.n_halves = len(halves)
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
        for k in prange(self.n_tiles, nogil=True, schedule="static", num_threads=threads):
            externals[k] = self._shape(common, self.tables, k)
        self._place(common, &externals[0], sizes)
        if common.is_lane:
            self.refs = <MatrixRef*>workspace.moves.take(
                (sizes[0] + MOVES_AHEAD) * sizeof(MatrixRef))
            self.slots = <MatrixRef*>workspace.slots.take(
                self.n_tiles * common.n_slots * sizeof(MatrixRef))
        else:
            self.moves = <Move*>workspace.moves.take(sizes[0] * sizeof(Move))
        self.program.moves, self.program.refs = self.moves, self.refs
        self.program.slots = self.slots
        self.pass_bits = <uint8_t*>workspace.pass_bits.take(sizes[1])
        self.program.pass_bits = self.pass_bits
        self.n_vectors = sizes[2]
        self.buffer = workspace.buffer.vectors(self.n_vectors)
        for k in prange(self.n_tiles, nogil=True, schedule="static", num_threads=threads):
            self._link(common, self.tables, k, externals[k])
            self._read_externals(common, self.tables, k, base)
            self._mark_passes(common, k)
        self._order_tiles(common)

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
        self, LayoutTables common, TileTables tables, int64_t number
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
        for n in range(common.n_throws):
            moves += self._list_moves(common, tables, number, &filling, n, -1, NULL)
        return moves

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
            tile.f = vectors
            tile.first_row = <uint32_t>rows
            tile.first_move = <uint32_t>moves
            tile.first_slot = <uint32_t>(t * common.n_slots)
            vectors += 2 * tile.n_rows * tile.vectors
            rows += tile.n_rows
            moves += externals[t]
            frame = max(frame, tile.n_rows * tile.vectors)
        self.n_state_vectors = vectors
        for t in range(self.n_tiles):
            tile = &self.tiles[t]
            externals[t] = vectors
            for n in range(common.n_throws):
                vectors += tile.n_moves[n] * tile.n_rows * tile.vectors
            vectors += vectors & 1  # doubles: cache lines hold whole rows of eight
        sizes[0], sizes[1], sizes[2] = moves, rows, vectors
        # the compiled rows and throws of a lane have room for all of them
        self.program.frame_step = (LANE_ROWS * LANE_VECTORS if common.is_lane else frame) * LANES
        self.program.frame_size = self.program.frame_step * (
            LANE_SQUARES if common.is_lane else common.n_throws)

    cdef MatrixRef _matrix(self, int64_t number, bint again) noexcept nogil:
        cdef const Tile* tile = &self.tiles[number]
        cdef int64_t offset = tile.f
        if not again:
            offset += <int64_t>tile.n_rows * tile.vectors
        return (<uint64_t>offset << 8) | tile.vectors

    cdef void _link(
        self, LayoutTables common, TileTables tables, int64_t number, int64_t external
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
        for n in range(common.n_throws):
            k = self._list_moves(common, tables, number, &filling, n, move, &external)
            tile.n_moves[n] = k
            move += k
        if common.is_lane:
            for k in range(common.n_slots):
                self.slots[tile.first_slot + k] = 0
                if tile.pieces and self._land(
                        common, tables, tile, &filling, -1, common.slot_source[k]
                        + common.throws[common.slot_throw[k]], common.slot_throw[k], &slot):
                    self.slots[tile.first_slot + k] = slot.matrix

    cdef int _list_moves(
        self, LayoutTables common, TileTables tables, int64_t number, const Filling* filling,
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
            tile.n_moves[n] = self._leaves(common, tables, tile, filling, n)
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
                target = tables.index[0, s, leg] + common.throws[n]
                if target >= common.first_frozen or not self._land(
                        common, tables, tile, filling, s, target, n,
                        NULL if at < 0 else &move):
                    continue
                if at >= 0:
                    move.n = tile.n_rows >> forks
                    if forks:
                        move.lost = tables.my_bit(filling.digits, s) << 1 | leg
                    self._write(&move, at + count)
                count += 1
        if common.is_lane or tile.pieces == 0:
            return count  # a lane has slots of its own
        for k in range(common.n_slots):
            target = common.slot_source[k] + common.throws[n]
            if common.slot_throw[k] != n or not self._land(
                    common, tables, tile, filling, -1, target, n, NULL if at < 0 else &move):
                continue
            if at >= 0:
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
        self, LayoutTables common, TileTables tables, const Tile* tile, const Filling* filling,
        int n,
    ) noexcept nogil:
        # Whether a throw can move a piece onto a frozen square or off the board; a
        # frozen square already held is left for `_leave` to see.
        cdef uint32_t frozen = common.ranking.config_mask[self.mine[tile.half]]
        cdef int s, k, leg, index
        for s in range(tables.n_shared):
            if filling.digits[s] == MINE:
                for leg in range(2):
                    index = tables.index[0, s, leg]
                    if index >= 0 and (
                            common.first_frozen <= index + common.throws[n] <= common.length):
                        return True
        for k in range(common.n_frozen):
            if frozen >> k & 1 and common.first_frozen + k + common.throws[n] <= common.length:
                return True
        return False

    cdef bint _land(
        self, LayoutTables common, TileTables tables, const Tile* tile, const Filling* filling,
        int source, int target, int n, Move* move,
    ) noexcept nogil:
        # Landing on a shared square from another one (or, -1, from an entry square or
        # home): false if that is not allowed; where it leads is written to `move`, from
        # which rows is the caller's to say.
        cdef int32_t after[MAX_SHARED]
        cdef int s, square = tables.square[target], held = filling.digits[square]
        cdef bint again = common.gives_extra[target, n]
        if held == MINE or (
                held == THEIRS and common.safe_rosettes and common.is_rosette[target]):
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
            again = again or common.extra_on_capture
            if tables.index[1, square, 1] >= 0:
                move.captured = tables.their_bit(filling.digits, square)
        move.matrix = self._matrix(
            self.first_tile[tile.half] + tables.number(
                after, self.my_free[tile.half], self.their_free[tile.half]), again)
        return True

    cdef void _read_externals(
        self, LayoutTables common, TileTables tables, int64_t number, const double* values
    ) noexcept nogil:
        # The best of a tile's moves that leave the block, by throw, from finished blocks.
        cdef const Tile* tile = &self.tiles[number]
        cdef int n, s, leg, k, index
        cdef int64_t x
        cdef uint32_t move = tile.first_move
        cdef uint32_t frozen = common.ranking.config_mask[self.mine[tile.half]]
        cdef Filling filling
        cdef double* rows
        cdef double* end = NULL
        tables.fill(
            number - self.first_tile[tile.half], self.my_free[tile.half],
            self.their_free[tile.half], &filling)
        for n in range(common.n_throws):
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
                            common.first_frozen <= index + common.throws[n] <= common.length):
                        self._leave(
                            common, tables, common.ranking, tile, values, &filling, s, leg,
                            index, n, rows)
            for k in range(common.n_frozen):
                index = common.first_frozen + k
                if frozen >> k & 1 and index + common.throws[n] <= common.length:
                    self._leave(
                        common, tables, common.ranking, tile, values, &filling, -1, 0, index, n,
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
        self, LayoutTables common, TileTables tables, Ranking ranking, const Tile* tile,
        const double* values, const Filling* filling, int square, int leg, int source, int n,
        double* rows,
    ) noexcept nogil:
        # One move onto a frozen square or off the board, for all rows of a tile that have
        # it: from a shared square, or (-1) from a frozen one.
        cdef int h = tile.half, target = source + common.throws[n]
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
        cdef bint again = common.gives_extra[target, n], wins = False
        for k in range(tables.n_shared):
            after[k] = filling.digits[k]
        if square < 0:
            frozen &= ~(<uint32_t>1 << (source - common.first_frozen))
        else:
            after[square] = NOBODY
            if tables.index[0, square, 1] >= 0:
                lost = tables.my_bit(filling.digits, square) << 1 | leg
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

    cdef void _mark_passes(self, LayoutTables common, int64_t number) noexcept nogil:
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
                home_empty * self.program.n_masks[h] + mask) * common.n_throws
            bits[r] = 0
            for n in range(common.n_throws):
                if list[n].n == 0:
                    bits[r] |= 1 << n
        for n in range(common.n_throws):
            end = move + tile.n_moves[n]
            external = self._external(tile, n, move)
            if external != NULL:
                for r in range(tile.n_rows):
                    if external[<int64_t>r * tile.vectors * LANES] >= 0.0:
                        bits[r] &= ~(1 << n)
                move += 1
            while move < end:
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
        self, LayoutTables common, const Tile* tile, uint8_t* bits
    ) noexcept nogil:
        # Nor do those of a lane that have a piece where an open slot starts.
        cdef uint32_t frozen = common.ranking.config_mask[self.mine[tile.half]]
        cdef int k, r, entry
        cdef bint has
        for k in range(common.n_slots):
            if not self.slots[tile.first_slot + k]:
                continue
            entry = common.slot_entry[k]
            for r in range(tile.n_rows):
                if entry == NO_ENTRY:
                    has = self.program.mask_pieces[tile.half][r] < tile.pieces
                else:
                    has = common.ranking.row_mask[frozen, r] >> entry & 1
                if has:
                    bits[r] &= ~(1 << common.slot_throw[k])

    def _order_tiles(self, LayoutTables common):
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
                common, self.tables, t, &advance_view[t], &leading_view[t])
        chosen = np.flatnonzero(advance >= 0)
        order = chosen[np.lexsort((-chosen, leading[chosen], -advance[chosen]))]
        self.order = order.astype(np.int32)
        starts = np.flatnonzero(np.diff(leading[order])) + 1
        self.group_start = np.concatenate(([0], starts, [len(order)])).astype(np.int64)

    cdef void _look_ahead(
        self, LayoutTables common, TileTables tables, int64_t number, int32_t* advance,
        int64_t* leading,
    ) noexcept nogil:
        # How far the pieces on a tile's leading squares have come, -1 for the second of a
        # pair, and a number for what stands there.
        cdef int s, d
        cdef Filling filling
        tables.fill(number, self.my_free[0], self.their_free[0], &filling)
        advance[0] = leading[0] = 0
        for s in range(common.n_leading):
            d = filling.digits[s]
            leading[0] = leading[0] * 3 + d
            if d:
                advance[0] += tables.index[d - MINE, s, 0] + 1
        if self.tiles[number].mirror < number:
            advance[0] = -1

    cdef void _ranks(
        self, TileTables tables, int64_t number, int64_t* rows, int64_t* columns
    ) noexcept nogil:
        # The rank of a tile's position is the sum of its row's and its column's.
        cdef int h = self.tiles[number].half
        cdef Filling filling
        tables.fill(number - self.first_tile[h], self.my_free[h], self.their_free[h], &filling)
        tables.ranks(self.mine[h], self.theirs[h], filling.digits, rows, columns)
