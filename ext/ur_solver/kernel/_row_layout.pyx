"""Laying out a block for the row kernel: its tiles, each with its mirror image, and their rows."""

from cython.parallel cimport prange
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

import numpy as np

from ur_solver.errors import RuleSetError
from ur_solver.kernel._inputs cimport Inputs
from ur_solver.kernel._row_moves cimport (
    MOST_ROWS,
    RowLister,
    close_chunk,
    close_desk,
    value_size,
    word_size,
)
from ur_solver.kernel._row_rules cimport Side
from ur_solver.space._tile_ranking cimport MAX_SHARED

FIRST_WIDE = 2**32
"""Places from here on need words of 64 bits."""

cdef int64_t MOST_TILES = 2**31 - 1  # of a block

cdef extern from "memory.h" nogil:
    void return_memory()
    int make_room(void** memory, int64_t* room, int64_t needed, int64_t size)

cdef enum:
    CHUNK_VALUES = 16384         # about as many as a chunk of pairs has
    LARGE_BLOCK = 1 << 22        # positions; the lists of more take 100 MB and more


cdef class RowLayout:
    """One block laid out.

    Parameters
    ----------
    rules : RowRules
    block : (first rank, size)
    halves : int32, shape (halves, 2)
        Configs, mine and theirs.
    inputs : Inputs
        The values of the blocks that this one's moves lead to.
    threads : int
        That may lay it out.
    instruction_set : int
        As `find_set` has it.
    is_single : bool
        Whether values are floats.
    lanes, places
        As of `RowLister`.

    Raises
    ------
    MemoryError
    ValueError
        If the block has too many tiles, or a throw leads to too many rows.
    """

    def __cinit__(self):
        self.tiles, self.shapes, self.chunks = NULL, NULL, NULL

    def __dealloc__(self):
        cdef int64_t k
        if self.chunks != NULL:
            for k in range(self.n_chunks):
                free(self.chunks[k].words)
                free(self.chunks[k].leaving)
                free(self.chunks[k].maps)
                free(self.chunks[k].advance)
        free(self.chunks)
        free(self.tiles)
        free(self.shapes)
        if self.size > LARGE_BLOCK:
            return_memory()

    def __init__(
        self, RowRules rules, block, const int32_t[:, ::1] halves, Inputs inputs, int threads,
        int instruction_set, bint is_single, int lanes=0,
        const int64_t[::1] places=None
    ):
        cdef int64_t k
        cdef int[::1] failed
        self.rules, self.ranking, self.turns = rules, rules.ranking, rules.turns
        self.first, self.size = block
        self.halves = halves
        self.is_single = is_single
        self.most_word = 2 * self.size if lanes == 0 else 2 * places[places.shape[0] - 1]
        self.block.instruction_set = instruction_set
        self.block.keeps_choices = np.max(rules.turns.n_choices) > 1
        self.block.kinds, self.block.n_values = rules.kinds, self.size
        self._open_tiles()
        self._pair_tiles()
        self._open_chunks(max(1, lanes))
        self.lister = RowLister(
            rules, block, halves, inputs, self.block.most_columns, lanes, places)
        failed = np.zeros(self.n_chunks, dtype=np.intc)
        for k in prange(self.n_chunks, nogil=True, schedule="dynamic", num_threads=threads):
            failed[k] = not lay_out_chunk(self, &self.chunks[k])
        if np.any(failed):
            raise MemoryError("no memory for the lists of a block")
        if self.lister.is_overfull:
            raise RuleSetError(
                f"a throw has more than the {MOST_ROWS} different moves that a list has room for")
        for k in range(1, self.n_chunks):
            self.chunks[k].first_row = self.chunks[k - 1].first_row + self.chunks[k - 1].n_rows
        free(self.shapes)
        self.shapes = NULL

    cdef int64_t list_bytes(self):
        # What tiles, their pairs, rows and maps take, and the moves that leave the block.
        cdef int64_t k, total = self.n_tiles * (sizeof(RowTile) + 2 * sizeof(int32_t))
        for k in range(self.n_chunks):
            total += (
                self.chunks[k].n_maps * sizeof(int32_t)
                + self.chunks[k].n_rows * sizeof(uint16_t)
                + self.chunks[k].n_leaving * value_size(&self.chunks[k]))
        return total + self.word_bytes()

    cdef int64_t n_words(self):
        # How many words rows have.
        cdef int64_t k, total = 0
        for k in range(self.n_chunks):
            total += self.chunks[k].n_words
        return total

    cdef int64_t n_rows(self):
        # Of all tiles.
        return self.chunks[self.n_chunks - 1].first_row + self.chunks[self.n_chunks - 1].n_rows

    cdef int64_t word_bytes(self):
        # What the words of rows take of this.
        return self.n_words() * word_size(&self.chunks[0])

    cdef int most_advance(self) noexcept:
        # An upper bound of what a position has advanced.
        cdef int64_t k, row
        cdef int most_row = 0
        for k in range(self.n_chunks):
            for row in range(self.chunks[k].n_rows):
                most_row = max(most_row, <int>self.chunks[k].advance[row])
        return 2 * most_row

    def _open_tiles(self):
        cdef int64_t first = 0, t
        cdef int half
        self.second_half = -1
        for half in range(self.halves.shape[0]):
            if half == 1:
                self.second_half = self.n_tiles
            if not list_tiles(self, self.halves[half, 0], self.halves[half, 1], first):
                raise MemoryError("no memory for the tiles of a block")
            first = self.size // 2
        if self.n_tiles > MOST_TILES:
            raise ValueError(f"a block of {self.n_tiles} tiles; at most {MOST_TILES}")
        if self.second_half < 0:
            self.second_half = self.n_tiles
        self.block.tiles = self.tiles
        for t in range(self.n_tiles):
            self.block.most_rows = max(self.block.most_rows, self.tiles[t].rows)
            self.block.most_columns = max(self.block.most_columns, self.tiles[t].columns)

    def _pair_tiles(self):
        # Each tile with its mirror image, the most advanced first.
        cdef int64_t t, other, n = 0
        cdef int s, half
        cdef Side side
        cdef int32_t[:, ::1] pairs = np.empty((self.n_tiles, 2), dtype=np.int32)
        cdef int32_t[::1] advance = np.empty(self.n_tiles, dtype=np.int32)
        for t in range(self.n_tiles):
            half = t >= self.second_half
            side.mine, side.theirs = self.halves[half, 0], self.halves[half, 1]
            memcpy(side.shape, self.shapes + t * self.ranking.n_shared,
                   self.ranking.n_shared * sizeof(uint16_t))
            other = find_tile(self, self.rules.mirror_tile(&side) - self.first)
            if other < t:
                continue
            pairs[n, 0], pairs[n, 1] = <int32_t>t, <int32_t>other
            for s in range(self.ranking.n_shared):
                self.tiles[t].advance += self.rules.shape_advance[
                    self.ranking.first_shape[self.ranking.shared[s]] + side.shape[s]]
            advance[n] = self.tiles[t].advance
            if other == t:
                self.n_diagonal += self.tiles[t].rows
            n += 1
        order = np.argsort(-np.asarray(advance)[:n], kind="stable")
        self.pairs = np.ascontiguousarray(np.asarray(pairs)[:n][order])

    def _open_chunks(self, int lanes):
        cdef int64_t k, n = self.pairs.shape[0], values = 0
        starts = [0]
        for k in range(n):
            values += <int64_t>lanes * self.tiles[self.pairs[k, 0]].rows * (
                self.tiles[self.pairs[k, 0]].columns)
            if 2 * values >= CHUNK_VALUES and k + 1 < n:
                starts.append(k + 1)
                values = 0
        self.n_chunks = len(starts)
        starts.append(n)
        self.chunks = <RowChunk*>calloc(self.n_chunks, sizeof(RowChunk))
        if self.chunks == NULL:
            raise MemoryError("no memory for the lists of a block")
        for k in range(self.n_chunks):
            self.chunks[k].pairs = &self.pairs[starts[k], 0]
            self.chunks[k].n_pairs = starts[k + 1] - starts[k]
            self.chunks[k].is_single = self.is_single
            self.chunks[k].is_wide = self.most_word > FIRST_WIDE


cdef int add_tile(
    RowLayout self, const uint16_t* shapes, int64_t first, int rows, int columns
) noexcept nogil:
    # 0 if there is no memory.
    cdef int n = self.ranking.n_shared
    cdef int64_t needed = self.n_tiles + 1
    # for no shared square there is room too, of which nothing is used
    if not (make_room(<void**>&self.tiles, &self.room_tiles, needed, sizeof(RowTile)) and make_room(
            <void**>&self.shapes, &self.room_shapes, needed, (n + 1) * sizeof(uint16_t))):
        return 0
    self.tiles[self.n_tiles].first = first
    self.tiles[self.n_tiles].rows, self.tiles[self.n_tiles].columns = rows, columns
    self.tiles[self.n_tiles].advance = 0
    memcpy(self.shapes + self.n_tiles * n, shapes, n * sizeof(uint16_t))
    self.n_tiles += 1
    return 1


cdef int list_tiles(RowLayout self, int mine, int theirs, int64_t first) noexcept nogil:
    # The tiles of a half, by rank; 0 if there is no memory.
    cdef int s = 0, n = self.ranking.n_shared, cell, shape, left, others
    cdef uint16_t shapes[MAX_SHARED]
    cdef int at[MAX_SHARED + 1]          # the shape looked at on each square
    cdef int i[MAX_SHARED + 1]
    cdef int j[MAX_SHARED + 1]
    cdef int rows[MAX_SHARED + 1]
    cdef int columns[MAX_SHARED + 1]
    i[0], j[0] = self.ranking.config_free[mine], self.ranking.config_free[theirs]
    rows[0] = columns[0] = 1
    at[0] = 0
    while s >= 0:
        if s == n:
            left = rows[s] * self.ranking.n_placements[i[s]]
            others = columns[s] * self.ranking.n_placements[j[s]]
            if not add_tile(self, shapes, first, left, others):
                return 0
            first += <int64_t>left * others
            s -= 1
            continue
        cell = self.ranking.shared[s]
        if at[s] == self.ranking.n_shapes[cell]:
            s -= 1
            continue
        shape = self.ranking.first_shape[cell] + at[s]
        shapes[s] = <uint16_t>at[s]
        at[s] += 1
        left = self.ranking.rest[i[s], shape, 0]
        others = self.ranking.rest[j[s], shape, 1]
        if left < 0 or others < 0:
            continue
        i[s + 1], j[s + 1] = left, others
        rows[s + 1] = rows[s] * self.ranking.n_digits[i[s], shape, 0]
        columns[s + 1] = columns[s] * self.ranking.n_digits[j[s], shape, 1]
        s += 1
        at[s] = 0
    return 1


cdef int64_t find_tile(RowLayout self, int64_t place) noexcept nogil:
    # The number of the tile that begins at a place.
    cdef int64_t low = 0, high = self.n_tiles - 1, middle
    while low < high:
        middle = (low + high + 1) // 2
        if self.tiles[middle].first <= place:
            low = middle
        else:
            high = middle - 1
    return low


cdef int lay_out_chunk(RowLayout self, RowChunk* chunk) noexcept nogil:
    # 0 if there is no memory.
    cdef int k, side, is_done = 1
    cdef int64_t rows = 0
    cdef Desk* desk = self.lister.open_desk()
    if desk == NULL:
        return 0
    for k in range(2 * chunk.n_pairs):
        rows += self.tiles[chunk.pairs[k]].rows
    chunk.advance = <uint16_t*>malloc(rows * sizeof(uint16_t))
    if chunk.advance == NULL:
        close_desk(desk)
        return 0
    for k in range(chunk.n_pairs):
        for side in range(2):
            if is_done and (side == 0 or chunk.pairs[2 * k] != chunk.pairs[2 * k + 1]):
                is_done = list_tile(self, chunk, desk, chunk.pairs[2 * k + side])
    close_desk(desk)
    return is_done and close_chunk(chunk)


cdef int list_tile(RowLayout self, RowChunk* chunk, Desk* desk, int64_t t) noexcept nogil:
    cdef Side* side = &desk.side
    cdef int k, cell, row, placement, mine, theirs, home, shape, advance, marks = 0
    cdef int n_placements
    desk.half = t >= self.second_half
    desk.shapes = self.shapes + t * self.ranking.n_shared
    desk.columns = self.tiles[t].columns
    desk.n_maps, desk.knows_lines = 0, False
    side.mine, side.theirs = self.halves[desk.half, 0], self.halves[desk.half, 1]
    memcpy(side.shape, desk.shapes, self.ranking.n_shared * sizeof(uint16_t))
    mine, theirs = self.ranking.config_free[side.mine], self.ranking.config_free[side.theirs]
    for k in range(self.ranking.n_shared):
        shape = self.ranking.first_shape[self.ranking.shared[k]] + side.shape[k]
        mine, theirs = self.ranking.rest[mine, shape, 0], self.ranking.rest[theirs, shape, 1]
    n_placements, desk.theirs = self.ranking.n_placements[mine], theirs
    side.off = self.turns.full - self.ranking.config_free[side.mine] % self.ranking.n_stocks
    side.frozen = 0
    for k in range(self.ranking.n_frozen):
        side.off -= self.ranking.config_frozen[side.mine, k]
        side.frozen += self.ranking.codes[
            self.ranking.first_content[self.ranking.frozen[0, k]]
            + self.ranking.frozen_content[0, k, self.ranking.config_frozen[side.mine, k]], 0, 1]
    for row in range(self.tiles[t].rows):
        placement = row % n_placements
        if placement == 0:
            desk.line += 1
            mine = self.ranking.find_details(
                side.shape, 0, self.ranking.config_free[side.mine], row // n_placements,
                side.detail)
            marks = 0
            for k in range(self.ranking.n_shared):
                if side.shape[k]:
                    marks += self.rules.mark_advance(k, side.shape[k], side.detail[k])
        self.rules.open_row(side, placement, mine)
        home, advance = mine % self.ranking.n_stocks, marks
        for k in range(self.ranking.n_private):
            cell = self.ranking.private[k]
            home -= self.ranking.parts[self.ranking.first_content[cell] + side.content[cell], 0]
            advance += self.turns.advance[
                self.ranking.first_content[cell] + side.content[cell]]
        self.ranking.write_frozen(0, side.mine, side.content)
        chunk.advance[chunk.n_rows] = <uint16_t>advance
        chunk.n_rows += 1
        k = self.turns.type_of[home, home + side.off != self.turns.full]
        if not self.lister.list_row(chunk, desk, k, home):
            return 0
    return 1
