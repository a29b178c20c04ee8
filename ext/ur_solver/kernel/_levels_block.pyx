"""One block of a space of levels in work: its values, and the sweeps of `levels.h` over them."""

from cython.parallel cimport prange
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

import numpy as np

from ur_solver.errors import SolveError
from ur_solver.kernel.rounding import NOISE, READ_ROUNDING
from ur_solver.kernel.sampling import sample_of

from ur_solver.kernel._inputs cimport Inputs
from ur_solver.kernel._levels cimport (
    THROWS, Chunk, LevelRows, Levels, LevelsKernel, Rows, release,
)

cdef extern from "levels.h" nogil:
    double levels_run(
        const Levels* levels, const uint8_t* counts, const uint32_t* words, int n_pairs,
        const LevelRows* rows, int store)
    ctypedef struct LevelErrors:
        double* outside
        int is_cut
    void levels_choose(
        const Levels* levels, const uint8_t* counts, const uint32_t* words, int n_pairs,
        const LevelRows* rows, uint8_t* choices)
    void levels_narrow(
        const Levels* levels, const uint8_t* counts, const uint32_t* words,
        const uint8_t* choices, int n_pairs, const LevelRows* upper, const LevelRows* lower,
        const LevelErrors* errors)
    double levels_width(
        const double* upper, const double* lower, const double* values, int64_t n, int64_t* where)
    void levels_cut_widths(
        const Levels* levels, const double* upper, const double* lower, const double* values,
        int64_t n_rows, double* widths)

cdef enum:
    CHUNK = 1024                  # pairs


def residual(
    LevelsKernel kernel, double[::1] own, Inputs inputs, int64_t block, int64_t first,
    int64_t size, int threads
):
    """The largest abs(T(V) - V) over the rows of some ranks and of their mirror images.

    Parameters
    ----------
    kernel : LevelsKernel
    own : float64, shape (block size * lanes,)
        The values of the block that the ranks are in.
    inputs : Inputs
        Those of the blocks that its moves lead to.
    block : int
        The rank of the block's first position.
    first, size : int
        Ranks `first` to `first + size - 1`.
    threads : int

    Raises
    ------
    MemoryError
    """
    cdef int64_t n_chunks = (size + CHUNK - 1) // CHUNK, k
    cdef const uint32_t[::1] places = np.arange(
        first - block, first - block + size, dtype=np.uint32)
    cdef double[::1] deltas = np.zeros(n_chunks)
    cdef Rows rows = Rows(block, own, inputs, kernel.levels.lanes)
    for k in prange(n_chunks, nogil=True, schedule="dynamic", num_threads=threads):
        deltas[k] = residual_of_chunk(
            kernel, rows, &places[k * CHUNK], <int>min(CHUNK, size - k * CHUNK))
    if np.min(deltas) < 0.0:
        raise MemoryError("no memory to unfold a chunk")
    return float(np.max(deltas))


cdef double residual_of_chunk(
    LevelsKernel kernel, Rows rows, const uint32_t* places, int n_pairs
) noexcept nogil:
    # -1 if there is no memory
    cdef Chunk chunk
    cdef double delta = -1.0
    if kernel.unfold(&chunk, places, n_pairs, rows):
        delta = levels_run(
            &kernel.levels, chunk.counts, chunk.words, n_pairs, &rows.rows, False)
    release(&chunk)
    return delta


cdef class LevelsBlock:
    """One block unfolded, with its values, which begin at half a pot.

    Parameters
    ----------
    kernel : LevelsKernel
    block : (first rank, size)
        Positions, each with all its lanes.
    inputs : Inputs
        The values of the blocks that this one's moves lead to.
    threads : int
        That unfold the block.

    Raises
    ------
    MemoryError
    """

    noise, coarseness, read_rounding = NOISE, 1.0, READ_ROUNDING

    cdef LevelsKernel kernel
    cdef Rows rows
    cdef int64_t first, size, n_chunks, n_pairs
    cdef Chunk* chunks
    cdef int threads
    cdef object memory
    cdef double[::1] lower          # bounds, while there are any; the upper ones are the values
    cdef uint8_t[:, ::1] choices    # by chunk and throw, as `levels_choose` has them
    cdef LevelErrors errors

    def __cinit__(self):
        self.chunks = NULL

    def __dealloc__(self):
        cdef int64_t k
        if self.chunks != NULL:
            for k in range(self.n_chunks):
                release(&self.chunks[k])
        free(self.chunks)

    def __init__(self, LevelsKernel kernel, block, Inputs inputs, int threads):
        cdef int64_t k, n_failed = 0
        cdef uint16_t[::1] advance
        cdef const uint32_t[::1] places
        self.kernel = kernel
        self.first, self.size = block
        self.threads, self.lower = threads, None
        self.carry(0.0)
        rows = np.empty((self.size, kernel.levels.lanes))
        for k in range(kernel.levels.lanes):
            rows[:, k] = 0.5 * kernel.levels.pots[k]
        self.rows = Rows(self.first, rows.ravel(), inputs, kernel.levels.lanes)
        advance = np.empty(self.size, dtype=np.uint16)
        for k in prange(self.size, nogil=True, schedule="static", num_threads=threads):
            advance[k] = kernel.advance_of(self.first + k)
        order = np.argsort(np.asarray(advance), kind="stable")[::-1].astype(np.uint32)
        self.n_pairs = np.count_nonzero(advance)
        places = order[: self.n_pairs]
        self.n_chunks = (self.n_pairs + CHUNK - 1) // CHUNK
        self.chunks = <Chunk*>malloc(max(1, self.n_chunks) * sizeof(Chunk))
        if self.chunks == NULL:
            raise MemoryError("no memory for the lists of a block")
        memset(self.chunks, 0, self.n_chunks * sizeof(Chunk))
        for k in prange(self.n_chunks, nogil=True, schedule="dynamic", num_threads=threads):
            if not kernel.unfold(
                    &self.chunks[k], &places[k * CHUNK], self._pairs_of(k), self.rows):
                n_failed += 1
        if n_failed:
            raise MemoryError("no memory for the lists of a block")

    cdef int _pairs_of(self, int64_t k) noexcept nogil:
        return <int>min(<int64_t>CHUNK, self.n_pairs - k * CHUNK)

    def _own(self):
        return np.asarray(self.rows.own)

    def refine(self):
        """False: in double precision from the start."""
        return False

    @property
    def has_policies(self):
        """False: its sweeps look at all moves."""
        return False

    def follow(self, room, int threads):
        """Not to be called: there are no policies."""
        raise SolveError("a block without policies")

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
        # threads read what others rewrite: old or new, either serves
        for k in prange(self.n_chunks, nogil=True, schedule="dynamic", num_threads=threads):
            deltas[k] = levels_run(
                &self.kernel.levels, self.chunks[k].counts, self.chunks[k].words,
                self._pairs_of(k), &self.rows.rows, store)
        return float(np.max(deltas))

    def sample(self):
        """Some of the values, always the same: float64, a copy."""
        return sample_of(self._own())

    def remember(self, room):
        """Keep a copy of the values in `room`, float64, shape (block size * lanes,)."""
        room[:] = self._own()
        self.memory = room

    def extrapolate(self, double factor):
        """Add `factor` times the change since `remember`."""
        own = self._own()
        np.subtract(own, self.memory, out=self.memory)
        self.memory *= factor
        own += self.memory

    def carry(self, double outside):
        """True: a fine weighs what a chance is off, again and again."""
        cdef int lane
        for lane in range(self.kernel.levels.lanes):
            self.errors.outside[lane] = outside
        self.errors.is_cut = False
        return True

    def carry_cut(self, const double[::1] levels, double outside):
        """Let bounds of the levels be those of the game whose fines are not cut.

        Parameters
        ----------
        levels : float64, shape (reach + 1,)
            What the levels of other blocks may be off, the cut included.
        outside : float
            What their values may be off, the cut left out.
        """
        cdef int lane
        self.carry(outside)
        for lane in range(self.kernel.levels.reach):
            self.errors.outside[lane] = levels[lane]
        self.errors.is_cut = True

    def cut_widths(self, const double[::1] values):
        """How far bounds are from the given values, rounded up: float64, shape (reach + 1,).

        Those of the last level are the bounds of its cut.
        """
        widths = np.zeros(self.kernel.levels.reach + 1)
        cdef double[::1] view = widths
        levels_cut_widths(
            &self.kernel.levels, &self.rows.own[0], &self.lower[0], &values[0], self.size,
            &view[0])
        return widths

    def bracket(self, double[::1] values, double shift):
        """Set bounds around the given values; the block's own are lost.

        Parameters
        ----------
        values : float64, shape (block size * lanes,)
            The block's, in rank order. They say which moves the lanes of the cut keep to.
        shift : float
            The initial distance of the bounds from them.
        """
        cdef int64_t k
        cdef LevelRows given = self.rows.rows
        cdef uint8_t[:, ::1] choices = np.empty((self.n_chunks, CHUNK * 2 * THROWS), dtype=np.uint8)
        given.own = &values[0]
        for k in prange(self.n_chunks, nogil=True, schedule="dynamic", num_threads=self.threads):
            levels_choose(
                &self.kernel.levels, self.chunks[k].counts, self.chunks[k].words,
                self._pairs_of(k), &given, &choices[k, 0])
        self.choices = choices
        self.memory = None
        if self.lower is None:
            self.lower = np.empty(values.shape[0])
        # an addition, rounded to nearest
        upper, lower = self._own(), np.asarray(self.lower)
        np.add(values, shift, out=upper)
        np.nextafter(upper, np.inf, out=upper)
        np.subtract(values, shift, out=lower)
        np.nextafter(lower, -np.inf, out=lower)

    def narrow(self, int threads):
        """Sweep both bounds, each operation rounded outwards."""
        cdef int64_t k
        cdef LevelRows lower = self.rows.rows
        lower.own = &self.lower[0]
        for k in prange(self.n_chunks, nogil=True, schedule="dynamic", num_threads=threads):
            levels_narrow(
                &self.kernel.levels, self.chunks[k].counts, self.chunks[k].words,
                &self.choices[k, 0], self._pairs_of(k), &self.rows.rows, &lower, &self.errors)

    def width(self, const double[::1] values):
        """How far the bounds are from the given values, rounded up, and at which rank."""
        cdef int64_t where = 0
        width = levels_width(
            &self.rows.own[0], &self.lower[0], &values[0], values.shape[0], &where)
        return width, self.first * self.kernel.levels.lanes + where

    def store(self, double[::1] values):
        """Write the block's values to `values`, float64, shape (block size * lanes,), by rank."""
        values[:] = self.rows.own

    def load(self, const double[::1] values):
        """Take the block's values from `values`, float64, shape (block size * lanes,), by rank."""
        self._own()[:] = values
