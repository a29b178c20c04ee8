"""The graph kernel: the unfolded turns of a block (`_unfolding.pxd`), swept as lists.

For rule sets whose squares do not fall into tiles. A position is updated together with
its mirror image, the two between which turns pass, in the order of their *advance*: the
path indices of all pieces on the board, summed up, the largest first. Every move but a
capture makes that sum larger, so that only captures carry old values (by ranks instead,
skiriuk with 3 pieces took 94 sweeps). That order is cut into chunks. Where lists would take
more than their share of memory, the chunks past it are unfolded anew in every sweep.
"""

from cython.parallel cimport prange
from libc.math cimport INFINITY, fabs, nextafter
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

import numpy as np

from ur_solver.kernel.rounding import NOISE
from ur_solver.kernel.sampling import sample_of

from ur_solver.kernel._inputs cimport Inputs
from ur_solver.kernel._unfolding cimport (
    AHEAD, ALONE, CHUNK, CONSTANT, COUNT, MAX_CHOICES, MAX_THROWS, PLACE, TURNS, Chunk, Unfolding,
    release,
)
from ur_solver.space._contents cimport ContentRanking


cdef extern from "memory.h" nogil:
    void* shrink(void* memory, int64_t size)


cdef extern from *:
    void prefetch "__builtin_prefetch"(const void* address) nogil


cdef enum:
    MAX_KINDS = 64            # turn types

cdef double HALF_UNIT = 2.0**-53  # of the last place of numbers up to 1, at most

# How often a pair's bounds are passed to and fro: passing is likely in few positions.
cdef int EXCHANGES = 3

cdef extern from "<fenv.h>" nogil:
    int FE_UPWARD
    int FE_DOWNWARD
    int fegetround()
    int fesetround(int)

MOST_POSITIONS = <int64_t>PLACE + 1
"""How many positions of a block there are places for."""


cdef struct Kind:
    # A turn type: for each choice the chance that passes whatever the position, and those
    # of the throws that may move something.
    int n_choices
    double passes[MAX_CHOICES]
    int n_throws[MAX_CHOICES]
    double chance[MAX_CHOICES][MAX_THROWS]


cdef struct Reader:
    # How far a stream has been read.
    const uint8_t* kinds
    const uint8_t* counts
    const uint32_t* words
    const double* constants
    double shift              # added to the constants


cdef struct Worth:
    # What a position's choices are worth: `moving` + `passes` times what passing is worth.
    int n_choices
    double moving[MAX_CHOICES]
    double passes[MAX_CHOICES]


cdef inline double best_value(
    const uint32_t* words, int count, const double* values, double best
) noexcept nogil:
    # The best of some moves, `best` among them.
    cdef double base[2]
    cdef double sign[2]
    cdef double value
    cdef uint32_t word, second
    cdef int i = 0
    base[0], base[1], sign[0], sign[1] = 0.0, 1.0, 1.0, -1.0
    # Two at a time: where a list ends is what the processor cannot foresee, and costs more
    # than a move. A sweep takes 0.80 of the time on casual 5, 0.84 on skiriuk 3.
    while i < count:
        prefetch(&values[words[i + AHEAD] & PLACE])
        prefetch(&values[words[i + AHEAD + 1] & PLACE])
        word, second = words[i], words[i + 1]
        value = base[word >> 31] + sign[word >> 31] * values[word & PLACE]
        best = max(best, value)
        value = base[second >> 31] + sign[second >> 31] * values[second & PLACE]
        best = max(best, value)
        i += 2
    return best


cdef inline double best_bound(
    const uint32_t* words, int count, const double* again, const double* turned, double best
) noexcept nogil:
    # The same with two bounds: one where the same side throws again, one where it does not.
    cdef double value
    cdef int i
    for i in range(count):
        if words[i] & TURNS:
            value = 1.0 - turned[words[i] & PLACE]
        else:
            value = again[words[i]]
        best = max(best, value)
    return best


cdef inline double best_of(const Worth* worth, double passing) noexcept nogil:
    # The worth of the best choice, `passing` being what passing is worth.
    cdef double best = worth.moving[0] + worth.passes[0] * passing, other
    cdef int c
    for c in range(1, worth.n_choices):
        other = worth.moving[c] + worth.passes[c] * passing
        best = max(best, other)
    return best


cdef inline double alone(const Worth* worth) noexcept nogil:
    # The value of a position that passes to itself: V = moving + passes (1 - V).
    cdef double best = 0.0
    cdef int c
    for c in range(worth.n_choices):
        best = max(best, (worth.moving[c] + worth.passes[c]) / (1.0 + worth.passes[c]))
    return best


cdef inline double between(const Worth* mine, const Worth* theirs) noexcept nogil:
    # The value of a position that passes to one which passes back: with each choice of mine
    # and of theirs two linear equations. I take the choice whose worst answer is best.
    cdef double best = 0.0, worst, both, value
    cdef int c, d
    for c in range(mine.n_choices):
        worst = 1.0
        for d in range(theirs.n_choices):
            both = mine.passes[c] * theirs.passes[d]
            # if all they do is pass, for ever, it is a draw
            value = 0.5
            if both < 1.0:
                value = mine.moving[c] + mine.passes[c] * (
                    1.0 - theirs.moving[d] - theirs.passes[d])
                value /= 1.0 - both
            worst = min(worst, value)
        best = max(best, worst)
    return best


cdef class GraphKernel(Unfolding):
    """The unfolded rules of one space and how to sweep them; thread safe.

    Parameters
    ----------
    ranking : ContentRanking
    tables : TurnTables
    """

    cdef Kind kinds[MAX_KINDS]

    def __init__(self, ContentRanking ranking, tables):
        super().__init__(ranking, tables)
        if self.chance.shape[0] > MAX_KINDS:
            raise ValueError("rules larger than the compiled limits")
        for kind in range(self.chance.shape[0]):
            self._set_kind(&self.kinds[kind], kind, tables.pass_chance)

    cdef _set_kind(self, Kind* kind, int number, const double[:, ::1] pass_chance):
        cdef int c, n
        kind.n_choices = self.n_choices[number]
        for c in range(kind.n_choices):
            kind.passes[c] = pass_chance[number, c]
            kind.n_throws[c] = 0
            for n in range(self.n_throws):
                if self.chance[number, c, n]:
                    kind.chance[c][kind.n_throws[c]] = self.chance[number, c, n]
                    kind.n_throws[c] += 1

    cdef void read(
        self, Reader* at, const double* again, const double* turned, Worth* worth
    ) noexcept nogil:
        # What the next position of a stream is worth: the block's values where the same
        # side throws again, and where the turn passes.
        cdef const Kind* kind = &self.kinds[at.kinds[0]]
        cdef double best, moving, passes
        cdef int c, n, count
        at.kinds += 1
        worth.n_choices = kind.n_choices
        for c in range(kind.n_choices):
            moving, passes = 0.0, kind.passes[c]
            for n in range(kind.n_throws[c]):
                count = at.counts[0]
                at.counts += 1
                if count == 0:
                    passes += kind.chance[c][n]
                    continue
                best = -INFINITY
                if count & CONSTANT:
                    best = at.constants[0] + at.shift
                    at.constants += 1
                    count &= COUNT
                if again == turned:
                    best = best_value(at.words, count, again, best)
                else:
                    best = best_bound(at.words, count, again, turned, best)
                at.words += count
                moving += kind.chance[c][n] * best
            worth.moving[c], worth.passes[c] = moving, passes

    cdef double run(self, const Chunk* chunk, double* values, bint store) noexcept nogil:
        # Update the values of a block, from its first on, that a chunk is of; the largest
        # change. Without `store` nothing is written, and it is the largest abs(T(V) - V).
        cdef Reader at
        cdef Worth mine, theirs
        cdef double delta = 0.0, value, other
        cdef uint32_t place, image
        cdef int k
        begin(&at, chunk, 0.0)
        for k in range(chunk.n_pairs):
            place = at.words[0] & PLACE
            if at.words[0] & ALONE:
                at.words += 1
                self.read(&at, values, values, &mine)
                value = alone(&mine) if store else best_of(&mine, 1.0 - values[place])
                delta = max(delta, fabs(value - values[place]))
                if store:
                    values[place] = value
                continue
            image = at.words[1]
            at.words += 2
            self.read(&at, values, values, &mine)
            self.read(&at, values, values, &theirs)
            if store:
                value = between(&mine, &theirs)
                other = best_of(&theirs, 1.0 - value)
            else:
                value = best_of(&mine, 1.0 - values[image])
                other = best_of(&theirs, 1.0 - values[place])
            delta = max(delta, fabs(value - values[place]))
            delta = max(delta, fabs(other - values[image]))
            if store:
                values[place], values[image] = value, other
        return delta

    # Bounds. Every operation of an upper bound is rounded up, of a lower one down. The
    # rounding mode is the thread's; compilers do not know that arithmetic reads it and may
    # move an operation past the call that sets it: so all arithmetic is in methods, called
    # through the class's table, into which they do not see.

    cdef double passing_to(self, const Worth* worth, double other) noexcept nogil:
        # The worth of the best choice, `other` being the value of the one passed to.
        return best_of(worth, 1.0 - other)

    cdef void narrow(
        self, const Chunk* chunk, double* upper, double* lower, double outside
    ) noexcept nogil:
        # Update the bounds of a block, from its first on, that a chunk is of.
        cdef Reader up, down
        cdef Worth highest[2]
        cdef Worth lowest[2]
        cdef uint32_t place[2]
        cdef int k, n, i, turn, mode = fegetround()
        begin(&up, chunk, outside)
        begin(&down, chunk, -outside)
        for k in range(chunk.n_pairs):
            n = 1 if up.words[0] & ALONE else 2
            place[0] = up.words[0] & PLACE
            place[1] = place[0] if n == 1 else up.words[1]
            up.words += n
            down.words += n
            fesetround(FE_UPWARD)
            for i in range(n):
                self.read(&up, upper, lower, &highest[i])
            fesetround(FE_DOWNWARD)
            for i in range(n):
                self.read(&down, lower, upper, &lowest[i])
            if is_stuck(&highest[0]) and is_stuck(&highest[n - 1]):
                for i in range(n):
                    upper[place[i]] = lower[place[i]] = 0.5
                continue
            for turn in range(EXCHANGES):
                fesetround(FE_DOWNWARD)
                for i in range(n):
                    lower[place[i]] = self.passing_to(&lowest[i], upper[place[n - 1 - i]])
                fesetround(FE_UPWARD)
                for i in range(n):
                    upper[place[i]] = self.passing_to(&highest[i], lower[place[n - 1 - i]])
        fesetround(mode)


cdef void begin(Reader* at, const Chunk* chunk, double shift) noexcept nogil:
    at.kinds, at.counts = chunk.kinds, chunk.counts
    at.words, at.constants = chunk.words, chunk.constants
    at.shift = shift


cdef bint is_stuck(const Worth* worth) noexcept nogil:
    # Whether the turn passes whatever is chosen and thrown.
    cdef int c
    for c in range(worth.n_choices):
        if worth.passes[c] < 1.0:
            return False
    return True


cdef int narrow_once(
    GraphKernel kernel, Inputs inputs, int64_t first, int64_t size,
    const uint32_t* places, int n_pairs, double* upper, double* lower, double outside
) noexcept nogil:
    # Unfold a chunk, narrow its bounds and forget it; 0 if there is no memory.
    cdef Chunk chunk
    cdef int is_unfolded = kernel.claim(&chunk, places, n_pairs) and kernel.unfold(
        &chunk, inputs, first, size)
    if is_unfolded:
        kernel.narrow(&chunk, upper, lower, outside)
    release(&chunk)
    return is_unfolded


def residual(
    GraphKernel kernel, const double[::1] own, Inputs inputs, int64_t block, int64_t first,
    int64_t size, int threads
):
    """The largest abs(T(V) - V) over some ranks and their mirror images.

    Parameters
    ----------
    kernel : GraphKernel
    own : float64, shape (block size,)
        The values of the block that the ranks are in.
    inputs : Inputs
        Those of the blocks that its moves lead to.
    block : int
        The block's first rank.
    first, size : int
        Ranks `first` to `first + size - 1`.
    threads : int
    """
    cdef int64_t n_chunks = (size + CHUNK - 1) // CHUNK, k
    cdef const uint32_t[::1] places = np.arange(
        first - block, first - block + size, dtype=np.uint32)
    cdef double[::1] deltas = np.zeros(n_chunks)
    cdef double* base = <double*>&own[0]  # which are not stored to
    for k in prange(n_chunks, nogil=True, schedule="dynamic", num_threads=threads):
        deltas[k] = run_once(
            kernel, base, inputs, block, own.shape[0], &places[k * CHUNK],
            <int>min(CHUNK, size - k * CHUNK), False)
    return largest_of(deltas)


cdef largest_of(const double[::1] deltas):
    if np.min(deltas) < 0.0:
        raise MemoryError("no memory to unfold a chunk")
    return float(np.max(deltas))


cdef double run_once(
    GraphKernel kernel, double* own, Inputs inputs, int64_t first, int64_t size,
    const uint32_t* places, int n_pairs, bint store
) noexcept nogil:
    # Unfold a chunk, run it and forget it; -1 if there is no memory.
    cdef Chunk chunk
    cdef double delta = -1.0
    if kernel.claim(&chunk, places, n_pairs) and kernel.unfold(&chunk, inputs, first, size):
        delta = kernel.run(&chunk, own, store)
    release(&chunk)
    return delta


cdef class GraphBlock:
    """One block unfolded, with its values.

    Parameters
    ----------
    kernel : GraphKernel
    block : (first rank, size)
    inputs : Inputs
        The values of the blocks that this one's moves lead to. The block's own begin at 1/2.
    list_bytes : int
        What the lists may take; chunks past it are unfolded in every sweep.
    threads : int
        That unfold the block, and copy it.
    """

    noise = NOISE

    cdef GraphKernel kernel
    cdef Inputs inputs
    cdef double[::1] own
    cdef int64_t first, size, n_chunks
    cdef uint32_t[::1] places      # one of each pair, the most advanced first
    cdef Chunk* chunks
    cdef object memory
    cdef int threads
    cdef double[::1] upper
    cdef double[::1] lower
    cdef double outside
    cdef readonly int64_t list_bytes

    def __cinit__(self):
        self.chunks = NULL

    def __dealloc__(self):
        cdef int64_t k
        if self.chunks != NULL:
            for k in range(self.n_chunks):
                release(&self.chunks[k])
        free(self.chunks)

    def __init__(self, GraphKernel kernel, block, Inputs inputs, list_bytes, int threads):
        cdef int64_t k, budget = list_bytes, n_pairs
        cdef int64_t[::1] used
        self.kernel, self.inputs, self.threads = kernel, inputs, threads
        self.first, self.size = block
        if self.size > MOST_POSITIONS:
            raise ValueError(f"a block of {self.size} positions; at most {MOST_POSITIONS}")
        self.own = np.full(self.size, 0.5)
        self._order()
        n_pairs = self.places.shape[0]
        self.n_chunks = (n_pairs + CHUNK - 1) // CHUNK
        self.chunks = <Chunk*>malloc(max(1, self.n_chunks) * sizeof(Chunk))
        if self.chunks == NULL:
            raise MemoryError("no memory for the lists of a block")
        memset(self.chunks, 0, self.n_chunks * sizeof(Chunk))
        for k in range(self.n_chunks):
            self.chunks[k].places = &self.places[k * CHUNK]
            self.chunks[k].n_pairs = <int>min(CHUNK, n_pairs - k * CHUNK)
        used = np.zeros(self.n_chunks + 1, dtype=np.int64)
        for k in prange(self.n_chunks, nogil=True, schedule="dynamic", num_threads=threads):
            if used[self.n_chunks] < budget:
                used[k] = self.keep(k)
                used[self.n_chunks] += used[k]  # unguarded: a bound on memory, not a count
        self.list_bytes = np.sum(used[:self.n_chunks])

    def _order(self):
        # One place of each pair, by advance. Counted first, then dealt out: a sort would
        # take several times the memory.
        cdef uint16_t[::1] advance = np.empty(self.size, dtype=np.uint16)
        cdef int64_t[::1] start
        cdef int64_t k, largest
        for k in prange(self.size, nogil=True, schedule="static", num_threads=self.threads):
            advance[k] = self.kernel.advance_of(self.first + k)
        # 0 stands for an image that its pair is not listed by
        counts = np.bincount(np.asarray(advance), minlength=1)[::-1].copy()
        largest = len(counts) - 1
        counts[largest] = 0
        start = np.concatenate(([0], np.cumsum(counts)))
        self.places = np.empty(start[largest + 1], dtype=np.uint32)
        for k in range(self.size):
            if advance[k]:
                self.places[start[largest - advance[k]]] = <uint32_t>k
                start[largest - advance[k]] += 1

    cdef int64_t keep(self, int64_t k) noexcept nogil:
        # Unfold a chunk and keep its stream at its length; the bytes that it takes.
        cdef Chunk chunk
        if not (self.kernel.claim(&chunk, self.chunks[k].places, self.chunks[k].n_pairs)
                and self.kernel.unfold(&chunk, self.inputs, self.first, self.size)):
            release(&chunk)
            return 0  # as if past the budget
        chunk.kinds = <uint8_t*>shrink(chunk.kinds, chunk.n_kinds)
        chunk.counts = <uint8_t*>shrink(chunk.counts, chunk.n_counts)
        chunk.words = <uint32_t*>shrink(chunk.words, chunk.n_words * sizeof(uint32_t))
        chunk.constants = <double*>shrink(chunk.constants, chunk.n_constants * sizeof(double))
        self.chunks[k] = chunk
        return chunk.n_kinds + chunk.n_counts + 4 * chunk.n_words + 8 * chunk.n_constants

    def refine(self):
        """False: in double precision from the start."""
        return False

    def keep_all(self):
        """False: sweeps look at all moves from the start."""
        return False

    def sweep(self, int threads):
        """Update every value in place; the largest change."""
        return self._pass(threads, True)

    def residual(self, int threads):
        """The largest abs(T(V) - V)."""
        return self._pass(threads, False)

    cdef object _pass(self, int threads, bint store):
        cdef int64_t k
        cdef double[::1] deltas = np.zeros(self.n_chunks)
        cdef double* own = &self.own[0]
        # Threads share the chunks from the first on, so that they work side by side; one may
        # read a value while another rewrites it: either, the old or the new, serves.
        for k in prange(self.n_chunks, nogil=True, schedule="dynamic", num_threads=threads):
            if self.chunks[k].kinds != NULL:
                deltas[k] = self.kernel.run(&self.chunks[k], own, store)
            else:
                deltas[k] = run_once(
                    self.kernel, own, self.inputs, self.first, self.size, self.chunks[k].places,
                    self.chunks[k].n_pairs, store)
        return largest_of(deltas)

    def sample(self):
        """Some of the values, always the same: float64, a copy."""
        return sample_of(np.asarray(self.own))

    def remember(self):
        """Keep a copy of the values."""
        cdef int64_t k
        if self.memory is None:
            self.memory = np.empty(self.size)
        cdef double[::1] memory = self.memory
        for k in prange(self.size, nogil=True, schedule="static", num_threads=self.threads):
            memory[k] = self.own[k]

    def extrapolate(self, double factor):
        """Add `factor` times the change since `remember`."""
        cdef const double[::1] memory = self.memory
        cdef int64_t k
        for k in prange(self.size, nogil=True, schedule="static", num_threads=self.threads):
            self.own[k] += factor * (self.own[k] - memory[k])

    def store(self, double[::1] values):
        """Write the block's values to `values`, float64, shape (block size,), by rank."""
        values[:] = self.own

    def load(self, const double[::1] values):
        """Take the block's values from `values`, float64, shape (block size,), by rank."""
        self.own[:] = values

    def bracket(self, const double[::1] values, double shift, double outside):
        """Lay bounds around the given values.

        Parameters
        ----------
        values : float64, shape (block size,)
            The block's, in rank order.
        shift : float
            How far the bounds begin from the block's values.
        outside : float
            How far the values that its moves lead to may be off.
        """
        self.memory = None
        own = np.asarray(values)
        # one addition, rounded to nearest
        self.upper = np.nextafter(own + shift, np.inf)
        self.lower = np.nextafter(own - shift, -np.inf)
        # what leaves the block is a value or 1 less a value, the latter rounded to nearest
        self.outside = nextafter(outside + HALF_UNIT, INFINITY)

    def narrow(self, int threads):
        """Sweep both bounds, each update rounded outwards; threads as in `sweep`."""
        cdef int64_t k
        cdef double* upper = &self.upper[0]
        cdef double* lower = &self.lower[0]
        cdef int[::1] is_done = np.ones(self.n_chunks, dtype=np.intc)
        for k in prange(self.n_chunks, nogil=True, schedule="dynamic", num_threads=threads):
            if self.chunks[k].kinds != NULL:
                self.kernel.narrow(&self.chunks[k], upper, lower, self.outside)
            else:
                is_done[k] = narrow_once(
                    self.kernel, self.inputs, self.first, self.size, self.chunks[k].places,
                    self.chunks[k].n_pairs, upper, lower, self.outside)
        if not np.all(is_done):
            raise MemoryError("no memory to unfold a chunk")

    def width(self, const double[::1] values):
        """How far the bounds are from the given values, rounded up, and at which rank."""
        cdef double width = -1.0, off
        cdef const double* own = &values[0]
        cdef int64_t k, worst = 0
        with nogil:
            for k in range(self.size):
                off = max(self.upper[k] - own[k], own[k] - self.lower[k])
                if off > width:
                    width, worst = off, k
        # one subtraction, rounded to nearest
        return nextafter(width, INFINITY), self.first + worst
