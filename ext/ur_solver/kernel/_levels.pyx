"""The rules of bell with stakes, unfolded for all levels of fines at once.

What may be done in a position does not depend on the fines paid, so that its turn is
unfolded once for all of them, and the values of all levels lie side by side: the lanes of
`levels.h`, which every rank has a row of. A sweep fetches a row for each move, a cache line
or two, and works on its lanes as vectors.

Positions are updated in pairs that pass to each other, the most advanced first, in chunks whose
turns are kept as a stream:

    counts  uint8, by throw    how many moves it has, plus WINS if one ends the game; 0 if
                               the turn passes
    words   uint32             of a pair: the places of the two rows (`LevelRows`), the same where
                               a position is its own image; then by move the place of the row
                               that it leads to, plus ROSETTE where it lands on one

After every move the same side throws again, so that no word tells whose turn it is.
"""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

import numpy as np

from ur_solver.kernel._inputs cimport Inputs
from ur_solver.space._tile_ranking cimport MAX_WIDTH, TileRanking

cdef extern from "memory.h" nogil:
    void* fitted(void* memory, int64_t size)


cdef enum:
    MAX_MOVES = 8                 # of one throw: a move a piece, and one from home
    ONLY_AGAIN = 2                # in `again`: the same side throws
    NONE = 0xFFFF


cdef int64_t MOST_ROWS = <int64_t>1 << 31  # of a block and of those that it reads


cdef class Rows:
    """Where the rows of a block and of those that its moves lead to are."""

    def __cinit__(self, int64_t first, double[::1] own, Inputs inputs, int lanes):
        cdef int k, n = <int>inputs.first.shape[0]
        cdef int64_t place = own.shape[0] // lanes
        self.first, self.lanes, self.own, self.inputs = first, lanes, own, inputs
        self.places = np.zeros(max(1, n), dtype=np.int64)
        self.base = <const double**>malloc(max(1, n) * sizeof(double*))
        if self.base == NULL:
            raise MemoryError("no memory for a table of blocks")
        self.rows.own, self.rows.n_own, self.rows.n_inputs = &own[0], place, n
        for k in range(n):
            self.places[k] = place
            self.base[k] = inputs.base[k] + inputs.first[k]
            place += (inputs.end[k] - inputs.first[k]) // lanes
        if place > MOST_ROWS:
            raise ValueError(f"a block that reads {place} rows of levels; at most {MOST_ROWS}")
        self.rows.first, self.rows.base = &self.places[0], self.base

    def __dealloc__(self):
        free(self.base)

    cdef uint32_t place_of(self, int64_t rank) noexcept nogil:
        # The place of the row of a position.
        cdef int k
        if self.first <= rank < self.first + self.rows.n_own:
            return <uint32_t>(rank - self.first)
        k = self.inputs.find(rank * self.lanes)
        return <uint32_t>(self.places[k] + rank - self.inputs.first[k] // self.lanes)


cdef class LevelsKernel:
    """The unfolded rules of a space of levels; thread safe.

    Parameters
    ----------
    ranking : TileRanking
        Of the positions without their fines.
    tables : TurnTables
    reach : int
        The last level.
    fine : float
        In units of the values.
    pots : float64, shape (lanes,)
        For each lane what the two sides' values sum to.
    blur : float
        What an update may be off as the fine and the pots are rounded.

    Raises
    ------
    ValueError
        If the rules are none of those that the kernel is made for: one choice, three throws
        that move, and another throw after every move.
    """

    def __init__(self, TileRanking ranking, tables, pays, int reach, double fine, pots, double blur):
        cdef int lane, n
        self.ranking = ranking
        self.mover_cell = tables.mover_cell
        self.lift_start = tables.lift_start
        self.lift = tables.lift
        self.step_start = tables.step_start
        self.step_landing = tables.step_landing
        self.landing_cell = tables.landing_cell
        self.landing_start = tables.landing_start
        self.landing_content = tables.landing_content
        self.landing_taken = tables.landing_taken
        self.advance = tables.advance
        self.pays = pays
        self.n_cells = ranking.n_cells
        self.n_movers = self.mover_cell.shape[0]
        self.full = ranking.n_stocks - 1
        self.levels.reach, self.levels.lanes, self.levels.fine = reach, len(pots), fine
        self.levels.blur = blur
        if tables.chance.shape != (1, 2, THROWS) or np.any(tables.again != ONLY_AGAIN):
            raise ValueError("rules that the levels kernel is not made for")
        if len(pots) != reach + 1 + UR_CUT_LANES or len(pots) > UR_MAX_LANES:
            raise ValueError(f"{len(pots)} lanes, for {reach} fines, at most {UR_MAX_LANES}")
        self.levels.pass_chance = tables.pass_chance[0, 0]
        for n in range(THROWS):
            self.levels.chances[n] = tables.chance[0, 0, n]
        for lane in range(len(pots)):
            self.levels.pots[lane] = pots[lane]

    cdef uint16_t advance_of(self, int64_t rank) noexcept nogil:
        # 1 more than the advance of a rank; 0 if its image, listed for both, comes before.
        cdef uint16_t own[MAX_WIDTH]
        cdef uint16_t other[MAX_WIDTH]
        cdef int my_off, their_off, cell, advance = 1
        self.ranking.write_row(rank, own)
        self.ranking.off_stocks(own, &my_off, &their_off)
        self.ranking.write_mirror(own, other)
        if self.ranking.rank_placed(other, their_off, my_off) < rank:
            return 0
        for cell in range(self.n_cells):
            advance += self.advance[self.ranking.first_content[cell] + own[cell]]
        return <uint16_t>advance

    cdef void unfold_one(
        self, uint8_t* counts, uint32_t** words, uint16_t* own, int my_off,
        int their_off, Rows rows
    ) noexcept nogil:
        # Add a position's throws to a stream, which is moved on; the row is left as it was.
        cdef uint32_t found[THROWS][MAX_MOVES]
        cdef int n_found[THROWS]
        cdef int n_cells = self.n_cells, m, n, step, source, landing, cell, before = 0, held
        cdef int content, taken
        cdef int64_t rank
        for n in range(THROWS):
            n_found[n] = counts[n] = 0
        for m in range(self.n_movers):
            source = self.mover_cell[m]
            if source < 0:
                if own[n_cells] == 0:
                    continue
                own[n_cells] -= 1
            else:
                before = own[source]
                if self.lift[self.lift_start[m] + before] == NONE:
                    continue
                own[source] = self.lift[self.lift_start[m] + before]
            for n in range(THROWS):
                for step in range(self.step_start[m, n], self.step_start[m, n + 1]):
                    landing = self.step_landing[step]
                    if landing < 0:
                        if my_off + 1 == self.full:
                            counts[n] = UR_WINS
                            continue
                        found[n][n_found[n]] = rows.place_of(self.ranking.rank_placed(
                            own, my_off + 1, their_off))
                        n_found[n] += 1
                        continue
                    cell = self.landing_cell[landing]
                    held = own[cell]
                    content = self.landing_content[self.landing_start[landing] + held]
                    if content == NONE:
                        continue
                    taken = self.landing_taken[self.landing_start[landing] + held]
                    own[cell] = <uint16_t>content
                    own[n_cells + 1] += taken
                    rank = self.ranking.rank_placed(own, my_off, their_off)
                    found[n][n_found[n]] = rows.place_of(rank)
                    if self.pays[landing]:
                        found[n][n_found[n]] |= UR_ROSETTE
                    n_found[n] += 1
                    own[cell] = <uint16_t>held
                    own[n_cells + 1] -= taken
            if source < 0:
                own[n_cells] += 1
            else:
                own[source] = before
        for n in range(THROWS):
            counts[n] |= <uint8_t>n_found[n]
            memcpy(words[0], found[n], n_found[n] * sizeof(uint32_t))
            words[0] += n_found[n]

    cdef int unfold(
        self, Chunk* chunk, const uint32_t* places, int n_pairs, Rows rows
    ) noexcept nogil:
        # The stream of some pairs of a block; 0 if there is no memory.
        cdef uint16_t own[MAX_WIDTH]
        cdef uint16_t other[MAX_WIDTH]
        cdef int my_off, their_off, k
        cdef int64_t rank, image
        cdef int64_t most = n_pairs * <int64_t>(2 + 2 * THROWS * MAX_MOVES)
        cdef uint8_t* counts
        cdef uint32_t* words
        chunk.counts = counts = <uint8_t*>malloc(2 * THROWS * n_pairs)
        chunk.words = words = <uint32_t*>malloc((most + UR_AHEAD) * sizeof(uint32_t))
        if counts == NULL or words == NULL:
            return 0
        for k in range(n_pairs):
            rank = rows.first + places[k]
            self.ranking.write_row(rank, own)
            self.ranking.off_stocks(own, &my_off, &their_off)
            self.ranking.write_mirror(own, other)
            image = self.ranking.rank_placed(other, their_off, my_off)
            words[0], words[1] = rows.place_of(rank), rows.place_of(image)
            words += 2
            self.unfold_one(counts, &words, own, my_off, their_off, rows)
            counts += THROWS
            if image != rank:
                self.unfold_one(counts, &words, other, their_off, my_off, rows)
                counts += THROWS
        # those past the end are fetched ahead, though never used
        memset(words, 0, UR_AHEAD * sizeof(uint32_t))
        chunk.n_words = words - chunk.words
        chunk.words = <uint32_t*>fitted(
            chunk.words, (chunk.n_words + UR_AHEAD) * sizeof(uint32_t))
        return 1


cdef void release(Chunk* chunk) noexcept nogil:
    free(chunk.counts)
    free(chunk.words)
    chunk.counts = NULL
    chunk.words = NULL
