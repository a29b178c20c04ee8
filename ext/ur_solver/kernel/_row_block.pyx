"""One block in work: its values, and the sweeps and bounds of `row_sweep.h` over them."""

from cython.parallel cimport prange, threadid
from libc.math cimport INFINITY, nextafter
from libc.stdint cimport int64_t
from libc.string cimport memset

import numpy as np

from ur_solver.kernel.rounding import NOISE
from ur_solver.kernel.sampling import sample_of

from ur_solver.kernel._inputs cimport Inputs
from ur_solver.kernel._row_layout cimport (
    RowLayout,
    row_find_set,
    row_narrow,
    row_residual,
    row_scratch_size,
    row_show,
    row_show_other,
    row_sweep,
    row_width,
)
from ur_solver.kernel._row_moves cimport UR_ROW_SPARE
from ur_solver.kernel._row_rules cimport RowRules
from ur_solver.kernel._workspace cimport Region, Workspace

cdef extern from "<fenv.h>" nogil:
    int FE_UPWARD
    int fegetround()
    int fesetround(int)


cdef class RowBlock:
    """One block laid out, with its values, which begin at 1/2.

    Parameters
    ----------
    rules : RowRules
    block : (first rank, size)
    halves : int32, shape (halves, 2)
        Configs, mine and theirs.
    inputs : Inputs
        The values of the blocks that this one's moves lead to.
    workspace : Workspace
    threads : int
        That lay the block out, and copy it.
    instruction_set : str, optional
        ``"plain"``, ``"avx2"`` or ``"avx512"``; by default the best there is.
    origin : int
        As of `RowLayout`.

    Raises
    ------
    MemoryError
    ValueError
        If the processor lacks the instruction set.
    """

    noise = NOISE

    cdef RowLayout layout
    cdef int64_t size
    cdef int threads
    cdef Workspace workspace
    cdef double* values          # F, then G
    cdef double[::1] memory      # of F
    cdef double* upper           # the values, where they are bounds
    cdef double* lower
    cdef double[:, ::1] scratch  # by thread
    cdef int n_scratch

    def __init__(
        self, RowRules rules, block, halves, Inputs inputs, Workspace workspace, int threads,
        instruction_set=None, int64_t origin=0
    ):
        cdef int number = row_find_set(NULL)
        if instruction_set is not None:
            name = instruction_set.encode()
            number = row_find_set(name)
        if number < 0:
            raise ValueError(f"this processor has no {instruction_set}")
        self.layout = RowLayout(rules, block, halves, inputs, threads, number, origin)
        self.size, self.threads = self.layout.size, threads
        self.workspace = workspace
        self.upper = self.lower = NULL
        self.values = self._take(workspace.buffer)
        memset(self.values, 0, (2 * self.size + UR_ROW_SPARE) * sizeof(double))
        self._take_scratch(threads)

    cdef double* _take(self, Region region) except NULL:
        # Room for F and G.
        return <double*>region.take((2 * self.size + UR_ROW_SPARE) * sizeof(double))

    cdef object _take_scratch(self, int threads):
        # Every thread's begins in a page of its own.
        if self.n_scratch < threads:
            size = (row_scratch_size(&self.layout.block) + 511) // 512 * 512
            self.scratch = np.empty((threads, size))
            self.n_scratch = threads

    @property
    def list_bytes(self):
        """What the block's lists, maps and tiles take, in bytes."""
        return self.layout.list_bytes()

    @property
    def word_bytes(self):
        """What the words of rows take of that: twice as much where places need 64 bits."""
        return self.layout.word_bytes()

    def refine(self):
        """False: in double precision from the start."""
        return False

    def keep_all(self):
        """False: sweeps look at all moves from the start."""
        return False

    def sweep(self, int threads):
        """Update every value in place; the largest change."""
        cdef RowLayout layout = self.layout
        cdef int64_t k
        cdef double[::1] deltas = np.zeros(layout.n_chunks)
        self._take_scratch(threads)
        # Threads share the chunks from the first on, so that they work side by side; one may
        # read a value while another rewrites it: either, the old or the new, serves.
        for k in prange(layout.n_chunks, nogil=True, schedule="dynamic", num_threads=threads):
            deltas[k] = row_sweep(
                &layout.block, &layout.chunks[k], self.values, &self.scratch[threadid(), 0])
        return float(np.max(deltas))

    def residual(self, int threads):
        """The largest abs(T(V) - V)."""
        cdef RowLayout layout = self.layout
        cdef int64_t k
        cdef double[::1] deltas = np.zeros(layout.n_chunks)
        self._take_scratch(threads)
        for k in prange(layout.n_chunks, nogil=True, schedule="dynamic", num_threads=threads):
            deltas[k] = row_residual(
                &layout.block, &layout.chunks[k], self.values, &self.scratch[threadid(), 0])
        return float(np.max(deltas))

    cdef void _show(self, double* values) noexcept:
        cdef RowLayout layout = self.layout
        cdef int64_t k
        for k in prange(layout.n_chunks, nogil=True, schedule="static", num_threads=self.threads):
            row_show(&layout.block, &layout.chunks[k], values)

    def sample(self):
        """Some of the values, always the same: float64, a copy."""
        return sample_of(np.asarray(<double[:self.size]>self.values)) + 0.5

    def remember(self, double[::1] room):
        """Keep a copy of the values in `room`, float64, shape (block size,)."""
        cdef int64_t k
        self.memory = room
        for k in prange(self.size, nogil=True, schedule="static", num_threads=self.threads):
            self.memory[k] = self.values[k]

    def extrapolate(self, double factor):
        """Add `factor` times the change since `remember`."""
        cdef int64_t k
        for k in prange(self.size, nogil=True, schedule="static", num_threads=self.threads):
            self.values[k] += factor * (self.values[k] - self.memory[k])
        self._show(self.values)

    def store(self, double[::1] values):
        """Write the block's values to `values`, float64, shape (block size,), by rank."""
        cdef int64_t k
        for k in prange(self.size, nogil=True, schedule="static", num_threads=self.threads):
            values[k] = self.values[k] + 0.5

    def load(self, const double[::1] values):
        """Take the block's values from `values`, float64, shape (block size,), by rank."""
        cdef int64_t k
        for k in prange(self.size, nogil=True, schedule="static", num_threads=self.threads):
            self.values[k] = values[k] - 0.5
        self._show(self.values)

    def carry(self, double outside):
        """False: errors of chances add up."""
        return False

    def bracket(self, const double[::1] values, double shift):
        """Lay bounds around the given values; the block's own are lost.

        Parameters
        ----------
        values : float64, shape (block size,)
            The block's, in rank order.
        shift : float
            How far the bounds begin from the block's values.
        """
        cdef RowLayout layout = self.layout
        cdef int64_t k
        if self.lower == NULL:
            self.upper = self.values
            self.lower = self._take(self.workspace.memory)
        for k in prange(self.size, nogil=True, schedule="static", num_threads=self.threads):
            # two operations, each rounded to nearest
            self.upper[k] = nextafter(
                nextafter(values[k] - 0.5, INFINITY) + shift, INFINITY)
            self.lower[k] = nextafter(
                nextafter(values[k] - 0.5, -INFINITY) - shift, -INFINITY)
        for k in range(2 * self.size, 2 * self.size + UR_ROW_SPARE):
            self.upper[k] = self.lower[k] = 0.0
        for k in prange(layout.n_chunks, nogil=True, schedule="static", num_threads=self.threads):
            row_show_other(&layout.block, &layout.chunks[k], self.upper, self.lower)
            row_show_other(&layout.block, &layout.chunks[k], self.lower, self.upper)

    def narrow(self, int threads):
        """Sweep both bounds, each operation rounded outwards."""
        cdef RowLayout layout = self.layout
        cdef double blur = layout.rules.blur
        cdef int64_t k
        self._take_scratch(threads)
        for k in prange(layout.n_chunks, nogil=True, schedule="dynamic", num_threads=threads):
            row_narrow(&layout.block, &layout.chunks[k], self.upper, self.lower,
                       blur, &self.scratch[threadid(), 0])

    def width(self, const double[::1] values):
        """How far the bounds are from the given values, rounded up, and at which rank."""
        cdef int64_t where = 0
        cdef int mode = fegetround()
        fesetround(FE_UPWARD)
        width = row_width(self.upper, self.lower, &values[0], self.size, &where)
        fesetround(mode)
        return width, self.layout.first + where
