"""The graph kernel: every turn of a block unfolded once, then swept as lists.

For rule sets whose squares do not fall into tiles. The positions of a block are cut into
*chunks* of consecutive ranks. A chunk's turns are unfolded into a stream that a sweep
reads from front to back, the last rank first:

    kinds      uint8, by position     its turn type, plus PASSES if some throw passes
    counts     uint8, by throw        how many moves stay in the block, plus CONSTANT if
                                      others leave it; 0 if the throw passes
    words      uint32, by move        where in the block it leads, plus TURNS if the other
                                      side throws there; before them the pass's, if any
    constants  float64, by throw      the best of the moves that leave the block

Moves that leave a block lead to values that are final, so that only the best of them
counts. Where lists would take more than their share of memory, the chunks past it are
unfolded anew in every sweep.
"""

from cython.parallel cimport prange
from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memset

import numpy as np

from ur_solver.space._contents cimport MAX_WIDTH, ContentRanking

cdef enum:
    CHUNK = 2048              # positions; a stream of some 100 KB stays in a core's cache
    MAX_THROWS = 8
    MAX_MOVES = 127           # of one throw
    MAX_CHOICES = 2
    PASSES = 0x80
    CONSTANT = 0x80
    COUNT = 0x7F
    NONE = 0xFFFF
    TURNS = 0x80000000
    PLACE = 0x7FFFFFFF
    # most bytes that one position takes: kinds and counts, words, constants
    MOST_COUNTS = MAX_CHOICES * MAX_THROWS
    MOST_WORDS = MAX_CHOICES * MAX_THROWS * MAX_MOVES + 1

cdef double WORST = -1e300


cdef struct Chunk:
    int64_t first             # rank
    int32_t size
    int32_t n_counts
    int64_t n_words
    int64_t n_constants
    int64_t room_words        # allocated
    int64_t room_constants
    uint8_t* kinds
    uint8_t* counts
    uint32_t* words
    double* constants


cdef struct Moves:
    # What one throw may lead to, while a position is unfolded.
    int n
    double constant
    uint32_t words[MAX_MOVES]


cdef void release(Chunk* chunk) noexcept nogil:
    free(chunk.kinds)
    free(chunk.counts)
    free(chunk.words)
    free(chunk.constants)
    chunk.kinds = chunk.counts = NULL
    chunk.words = NULL
    chunk.constants = NULL


cdef class GraphKernel:
    """The unfolded rules of one space; thread safe.

    Parameters
    ----------
    ranking : ContentRanking
    tables : TurnTables
    """

    cdef ContentRanking ranking
    cdef int n_cells, n_movers, n_throws, length, full
    cdef const int32_t[::1] mover_cell, mover_part, lift_start
    cdef const uint16_t[::1] lift, landing_content
    cdef const int32_t[:, ::1] step_start
    cdef const int32_t[::1] step_target, step_landing, landing_cell, landing_start, landing_taken
    cdef const uint8_t[::1] may_capture
    cdef const uint8_t[:, :, ::1] again
    cdef const uint8_t[:, ::1] type_of, from_home, from_board
    cdef const int32_t[::1] n_choices
    cdef const double[:, :, ::1] chance
    cdef const double[:, ::1] pass_chance

    def __init__(self, ContentRanking ranking, tables):
        self.ranking = ranking
        self.mover_cell = tables.mover_cell
        self.mover_part = tables.mover_part
        self.lift_start = tables.lift_start
        self.lift = tables.lift
        self.step_start = tables.step_start
        self.step_target = tables.step_target
        self.step_landing = tables.step_landing
        self.landing_cell = tables.landing_cell
        self.landing_start = tables.landing_start
        self.landing_content = tables.landing_content
        self.landing_taken = tables.landing_taken
        self.may_capture = tables.may_capture
        self.again = tables.again
        self.type_of = tables.type_of
        self.from_home = tables.from_home
        self.from_board = tables.from_board
        self.n_choices = tables.n_choices
        self.chance = tables.chance
        self.pass_chance = tables.pass_chance
        self.n_cells = ranking.n_cells
        self.n_movers = self.mover_cell.shape[0]
        self.n_throws = self.may_capture.shape[0]
        self.length = self.again.shape[1] - 1
        self.full = ranking.n_stocks - 1
        if self.n_throws > MAX_THROWS or self.chance.shape[1] > MAX_CHOICES:
            raise ValueError("rules larger than the compiled limits")

    cdef void put(self, uint16_t* own, uint16_t* other, int cell, int content) noexcept nogil:
        # Change a square in a row and in its mirror image.
        own[cell] = <uint16_t>content
        other[self.ranking.mirror_cell[cell]] = self.ranking.mirror_content[
            self.ranking.first_content[cell] + content]

    cdef void lead(
        self, Moves* moves, int64_t rank, bint turns, const double* values, int64_t first,
        int64_t size
    ) noexcept nogil:
        # Note that a throw may lead to a rank.
        cdef double value
        if first <= rank < first + size:
            if moves.n < MAX_MOVES:
                moves.words[moves.n] = <uint32_t>(rank - first) | (TURNS if turns else 0)
                moves.n += 1
            return
        value = 1.0 - values[rank] if turns else values[rank]
        if value > moves.constant:
            moves.constant = value

    cdef void unfold_choice(
        self, uint16_t* own, uint16_t* other, int my_off, int their_off, bint from_home,
        bint from_board, const double* chance, const double* values, int64_t first,
        int64_t size, Moves* moves
    ) noexcept nogil:
        # The moves after one choice, by throw; rows are left as they were.
        cdef int n_cells = self.n_cells
        cdef int m, n, step, source, target, landing, cell, part, off, again
        cdef int left = 0, before = 0, held, content, taken
        for n in range(self.n_throws):
            moves[n].n = 0
            moves[n].constant = WORST
        for m in range(self.n_movers):
            source, part = self.mover_cell[m], self.mover_part[m]
            if source < 0:
                # of the pieces at home the lowest, where they are numbered
                if not from_home or self.ranking.take[own[n_cells], part] < 0:
                    continue
                own[n_cells] -= part
                other[n_cells + 1] -= part
            else:
                if not from_board:
                    continue
                before = own[source]
                left = self.lift[self.lift_start[m] + before]
                if left == NONE:
                    continue
                self.put(own, other, source, left)
            for n in range(self.n_throws):
                if chance[n] == 0.0:
                    continue
                for step in range(self.step_start[m, n], self.step_start[m, n + 1]):
                    target, landing = self.step_target[step], self.step_landing[step]
                    if landing < 0:
                        off = my_off + part
                        if off == self.full:
                            moves[n].constant = 1.0
                            continue
                        again = self.again[n, target, 0]
                        if again & 2:
                            self.lead(&moves[n], self.ranking.rank_placed(own, off, their_off),
                                      False, values, first, size)
                        if again & 1:
                            self.lead(&moves[n], self.ranking.rank_placed(other, their_off, off),
                                      True, values, first, size)
                        continue
                    cell = self.landing_cell[landing]
                    held = own[cell]
                    content = self.landing_content[self.landing_start[landing] + held]
                    if content == NONE:
                        continue
                    taken = self.landing_taken[self.landing_start[landing] + held]
                    if taken and not self.may_capture[n]:
                        continue
                    self.put(own, other, cell, content)
                    own[n_cells + 1] += taken
                    other[n_cells] += taken
                    again = self.again[n, target, taken != 0]
                    if again & 2:
                        self.lead(&moves[n], self.ranking.rank_placed(own, my_off, their_off),
                                  False, values, first, size)
                    if again & 1:
                        self.lead(&moves[n], self.ranking.rank_placed(other, their_off, my_off),
                                  True, values, first, size)
                    self.put(own, other, cell, held)
                    own[n_cells + 1] -= taken
                    other[n_cells] -= taken
            if source < 0:
                own[n_cells] += part
                other[n_cells + 1] += part
                from_home = False  # only the first that is there
            else:
                self.put(own, other, source, before)

    cdef int unfold(
        self, Chunk* chunk, const double* values, int64_t first, int64_t size
    ) noexcept nogil:
        # Fill a chunk's stream, the last rank first; ranks from `first` on, `size` of them,
        # are its block. 0 if there is no memory.
        cdef uint16_t own[MAX_WIDTH]
        cdef uint16_t other[MAX_WIDTH]
        cdef Moves moves[MAX_THROWS]
        cdef int n_cells = self.n_cells, my_off, their_off, kind, cell, c, n, i
        cdef int64_t k, rank, at_pass
        cdef bint passes
        cdef void* room
        chunk.n_counts = 0
        chunk.n_words = chunk.n_constants = 0
        for k in range(chunk.size):
            rank = chunk.first + chunk.size - 1 - k
            if chunk.room_words < chunk.n_words + MOST_WORDS:
                room = realloc(
                    chunk.words, 2 * (chunk.room_words + MOST_WORDS) * sizeof(uint32_t))
                if room == NULL:
                    return 0
                chunk.words = <uint32_t*>room
                chunk.room_words = 2 * (chunk.room_words + MOST_WORDS)
            if chunk.room_constants < chunk.n_constants + MOST_COUNTS:
                room = realloc(
                    chunk.constants, 2 * (chunk.room_constants + MOST_COUNTS) * sizeof(double))
                if room == NULL:
                    return 0
                chunk.constants = <double*>room
                chunk.room_constants = 2 * (chunk.room_constants + MOST_COUNTS)
            self.ranking.write_row(rank, own)
            self.ranking.off_stocks(own, &my_off, &their_off)
            for cell in range(n_cells):
                self.put(own, other, cell, own[cell])
            other[n_cells], other[n_cells + 1] = own[n_cells + 1], own[n_cells]
            kind = self.type_of[own[n_cells], own[n_cells] + my_off != self.full]
            passes = False
            at_pass = chunk.n_words
            chunk.n_words += 1
            for c in range(self.n_choices[kind]):
                self.unfold_choice(
                    own, other, my_off, their_off, self.from_home[kind, c],
                    self.from_board[kind, c], &self.chance[kind, c, 0], values, first, size,
                    moves)
                passes = passes or self.pass_chance[kind, c] > 0.0
                for n in range(self.n_throws):
                    if self.chance[kind, c, n] == 0.0:
                        continue
                    chunk.counts[chunk.n_counts] = <uint8_t>moves[n].n
                    if moves[n].constant > WORST:
                        chunk.counts[chunk.n_counts] |= CONSTANT
                        chunk.constants[chunk.n_constants] = moves[n].constant
                        chunk.n_constants += 1
                    elif moves[n].n == 0:
                        passes = True
                    chunk.n_counts += 1
                    for i in range(moves[n].n):
                        chunk.words[chunk.n_words] = moves[n].words[i]
                        chunk.n_words += 1
            chunk.words[at_pass] = <uint32_t>(
                self.ranking.rank_placed(other, their_off, my_off) - first) | TURNS
            chunk.kinds[k] = <uint8_t>(kind | (PASSES if passes else 0))
        return 1

    cdef int claim(self, Chunk* chunk, int64_t first, int size) noexcept nogil:
        # Room for the fixed parts of a chunk's stream.
        memset(chunk, 0, sizeof(Chunk))
        chunk.first, chunk.size = first, size
        chunk.kinds = <uint8_t*>malloc(CHUNK)
        chunk.counts = <uint8_t*>malloc(CHUNK * MOST_COUNTS)
        return chunk.kinds != NULL and chunk.counts != NULL

    cdef double run(
        self, const Chunk* chunk, const double* values, double* stored
    ) noexcept nogil:
        # One pass over a chunk's stream, values as seen from the block's first; the largest
        # change. Written to `stored` unless that is NULL.
        cdef const uint8_t* counts = chunk.counts
        cdef const uint32_t* words = chunk.words
        cdef const double* constants = chunk.constants
        cdef double passing, passes, best, value, total, worth, change, delta = 0.0
        cdef double base[2]
        cdef double sign[2]
        cdef int kind, c, n, i, count
        cdef int64_t k, place
        cdef bint is_own_image
        cdef uint32_t word
        base[0], base[1], sign[0], sign[1] = 0.0, 1.0, 1.0, -1.0
        for k in range(chunk.size):
            kind = chunk.kinds[k]
            place = chunk.first + chunk.size - 1 - k
            passing = 0.0
            is_own_image = False
            if kind & PASSES:
                # a position that is its own mirror image passes to itself: solved for, as
                # iterated it would swing
                is_own_image = stored != NULL and words[0] & PLACE == place
                passing = 0.0 if is_own_image else 1.0 - values[words[0] & PLACE]
                kind &= ~PASSES
            words += 1
            worth = WORST
            for c in range(self.n_choices[kind]):
                passes = self.pass_chance[kind, c]
                total = 0.0
                for n in range(self.n_throws):
                    if self.chance[kind, c, n] == 0.0:
                        continue
                    count = counts[0]
                    counts += 1
                    if count == 0:
                        passes += self.chance[kind, c, n]
                        continue
                    best = WORST
                    if count & CONSTANT:
                        best = constants[0]
                        constants += 1
                        count &= COUNT
                    for i in range(count):
                        word = words[i]
                        value = base[word >> 31] + sign[word >> 31] * values[word & PLACE]
                        if value > best:
                            best = value
                    words += count
                    total += self.chance[kind, c, n] * best
                if is_own_image:
                    total = (total + passes) / (1.0 + passes)
                else:
                    total += passes * passing
                if total > worth:
                    worth = total
            change = fabs(worth - values[place])
            if change > delta:
                delta = change
            if stored != NULL:
                stored[place] = worth
        return delta


def residual(
    GraphKernel kernel, const double[::1] values, block, int64_t first, int64_t size,
    int threads
):
    """The largest abs(T(V) - V) over ranks `first` to `first + size - 1`.

    Parameters
    ----------
    kernel : GraphKernel
    values : float64, shape (n_positions,)
    block : (first rank, size)
        Of the block that the ranks are in.
    first, size : int
    threads : int
    """
    cdef int64_t n_chunks = (size + CHUNK - 1) // CHUNK, k
    cdef int64_t block_first = block[0], block_size = block[1]
    cdef double[::1] deltas = np.zeros(n_chunks)
    cdef const double* base = &values[0]
    for k in prange(n_chunks, nogil=True, schedule="dynamic", num_threads=threads):
        deltas[k] = once(kernel, base, NULL, block_first, block_size, first + k * CHUNK,
                         min(CHUNK, size - k * CHUNK))
    if np.min(deltas) < 0.0:
        raise MemoryError("no memory to unfold a chunk")
    return np.max(deltas)


cdef double once(
    GraphKernel kernel, const double* values, double* stored, int64_t first, int64_t size,
    int64_t chunk_first, int64_t chunk_size
) noexcept nogil:
    # Unfold a chunk, run it once and forget it; -1 if there is no memory.
    cdef Chunk chunk
    cdef double delta = -1.0
    if kernel.claim(&chunk, chunk_first, <int>chunk_size) and kernel.unfold(
            &chunk, values, first, size):
        chunk.first -= first
        delta = kernel.run(&chunk, values + first,
                           NULL if stored == NULL else stored + first)
    release(&chunk)
    return delta


cdef class GraphBlock:
    """One block unfolded, its values in place among those of the whole space.

    Parameters
    ----------
    kernel : GraphKernel
    halves : sequence of (first rank, size)
    values : float64, shape (n_positions,), IN and OUT
        Final for all earlier blocks. The block's own are set to 1/2.
    list_bytes : int
        What the lists may take; chunks past it are unfolded in every sweep.
    threads : int
        That unfold the block.
    """

    cdef GraphKernel kernel
    cdef double[::1] values
    cdef int64_t first, size, n_chunks
    cdef Chunk* chunks
    cdef object memory
    cdef readonly int64_t list_bytes

    def __cinit__(self):
        self.chunks = NULL

    def __dealloc__(self):
        cdef int64_t k
        if self.chunks != NULL:
            for k in range(self.n_chunks):
                release(&self.chunks[k])
        free(self.chunks)

    def __init__(self, GraphKernel kernel, halves, double[::1] values, list_bytes, int threads):
        cdef int64_t k, budget = list_bytes
        cdef int64_t[::1] used
        cdef double* base = &values[0]
        self.kernel, self.values = kernel, values
        self.first = halves[0][0]
        self.size = sum(size for _, size in halves)
        values[self.first:self.first + self.size] = 0.5
        # chunks of both halves from the last down, those at like places side by side
        places = sorted(
            (
                (-at / size, first + at, min(CHUNK, size - at))
                for first, size in halves
                for at in range(0, size, CHUNK)
            ),
        )
        self.n_chunks = len(places)
        self.chunks = <Chunk*>malloc(self.n_chunks * sizeof(Chunk))
        if self.chunks == NULL:
            raise MemoryError("no memory for the lists of a block")
        memset(self.chunks, 0, self.n_chunks * sizeof(Chunk))
        for k, (_, at, size) in enumerate(places):
            self.chunks[k].first, self.chunks[k].size = at - self.first, size
        used = np.zeros(self.n_chunks + 1, dtype=np.int64)
        for k in prange(self.n_chunks, nogil=True, schedule="dynamic", num_threads=threads):
            if used[self.n_chunks] < budget:
                used[k] = self.keep(k, base)
                used[self.n_chunks] += used[k]  # unguarded: a bound on memory, not a count
        self.list_bytes = sum(used[:self.n_chunks])

    cdef int64_t keep(self, int64_t k, const double* values) noexcept nogil:
        # Unfold a chunk and keep its stream at its length; the bytes that it takes.
        cdef Chunk chunk
        cdef int64_t place = self.chunks[k].first
        if not (self.kernel.claim(&chunk, place + self.first, self.chunks[k].size)
                and self.kernel.unfold(&chunk, values, self.first, self.size)):
            release(&chunk)
            return 0  # as if past the budget
        chunk.first = place
        chunk.counts = <uint8_t*>realloc(chunk.counts, max(1, chunk.n_counts))
        chunk.words = <uint32_t*>realloc(chunk.words, chunk.n_words * sizeof(uint32_t))
        chunk.constants = <double*>realloc(
            chunk.constants, max(1, chunk.n_constants) * sizeof(double))
        self.chunks[k] = chunk
        return CHUNK + chunk.n_counts + 4 * chunk.n_words + 8 * chunk.n_constants

    cdef double _pass(self, int threads, bint store) except -1.0:
        cdef int64_t k
        cdef double[::1] deltas = np.zeros(self.n_chunks)
        cdef double* base = &self.values[0]
        # Threads share the chunks from the first on, so that they work side by side; one may
        # read a value while another rewrites it: either, the old or the new, serves.
        for k in prange(self.n_chunks, nogil=True, schedule="dynamic", num_threads=threads):
            if self.chunks[k].kinds != NULL:
                deltas[k] = self.kernel.run(
                    &self.chunks[k], base + self.first, base + self.first if store else NULL)
            else:
                deltas[k] = once(
                    self.kernel, base, base if store else NULL, self.first, self.size,
                    self.first + self.chunks[k].first, self.chunks[k].size)
        if np.min(deltas) < 0.0:
            raise MemoryError("no memory to unfold a chunk")
        return np.max(deltas)

    def sweep(self, int threads):
        """Update every value in place; the largest change."""
        return self._pass(threads, True)

    def residual(self, int threads):
        """The largest abs(T(V) - V)."""
        return self._pass(threads, False)

    def remember(self):
        """Keep a copy of the values."""
        self.memory = np.array(self.values[self.first:self.first + self.size])

    def extrapolate(self, double factor):
        """Add `factor` times the change since `remember`."""
        cdef const double[::1] memory = self.memory
        cdef int64_t k
        for k in range(self.size):
            self.values[self.first + k] += factor * (self.values[self.first + k] - memory[k])

    def store(self, values):
        """Nothing: the values are in place."""
