"""One block being solved: its values, and the sweeps and bounds of `row_sweep.h` over them."""

from cython.parallel cimport prange, threadid
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memcpy, memset

import numpy as np

from ur_solver.errors import SolveError
from ur_solver.kernel.rounding import (
    NOISE,
    READ_ROUNDING,
    SINGLE_COARSENESS,
    SINGLE_NOISE,
    SINGLE_READ_ROUNDING,
    SINGLE_RESIDUAL,
)
from ur_solver.kernel.sampling import sample_step

from ur_solver.kernel._inputs cimport Inputs
from ur_solver.kernel._row_layout cimport RowLayout, row_double, row_single
from ur_solver.kernel._row_moves cimport UR_ROW_SPARE
from ur_solver.kernel._row_policy cimport (
    PolicySweeper,
    PolicyValues,
    has_policies,
    policy_bytes,
)
from ur_solver.kernel._row_rules cimport RowRules
from ur_solver.kernel._sets cimport find_set
from ur_solver.kernel._workspace cimport Workspace

cdef extern from "row_sweep.h" nogil:
    const PolicySweeper row_policy

cdef enum:
    PAGE = 4096
    PART = 1 << 16               # values that a thread copies at a time


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
        One of `instruction_sets` (`_tiled`); by default the best there is.
    is_single : bool
        Whether its values are floats.

    Raises
    ------
    MemoryError
    ValueError
        If the processor lacks the instruction set.
    """

    def __init__(
        self, RowRules rules, block, halves, Inputs inputs, Workspace workspace, int threads,
        instruction_set=None, bint is_single=False
    ):
        self.sweeper = &row_single if is_single else &row_double
        self.is_single, self.lanes, self.n_matrices = is_single, 1, 2
        self.layout = RowLayout(
            rules, block, halves, inputs, threads, self._set_of(instruction_set), is_single)
        self._open(workspace, threads)
        memset(self.values, 0, self._bytes())

    cdef int _set_of(self, instruction_set) except -1:
        # The number of an instruction set, or of the best.
        cdef int number
        if instruction_set is None:
            number = find_set(NULL)
        else:
            name = instruction_set.encode()
            number = find_set(name)
        if number < 0:
            raise ValueError(f"this processor has no {instruction_set}")
        return number

    cdef object _open(self, Workspace workspace, int threads):
        # Room for the values of the layout.
        self.size, self.threads = self.layout.size * self.lanes, threads
        self.n_parts = (self.size + PART - 1) // PART
        self.workspace = workspace
        self.lower = NULL
        self.values = <uint8_t*>workspace.buffer.take(self._bytes())
        self._take_scratch(threads)

    cdef int64_t _bytes(self) noexcept nogil:
        # What values take, or bounds of one side.
        return (self.n_matrices * self.size + UR_ROW_SPARE) * self.sweeper.value_size

    cdef object _take_scratch(self, int threads):
        # Every thread's begins in a page of its own.
        if self.n_scratch < threads:
            size = (self.sweeper.scratch_bytes(&self.layout.block) + PAGE - 1) // PAGE * PAGE
            self.scratch = np.empty((threads, size), dtype=np.uint8)
            self.n_scratch = threads

    cdef int64_t _left(self, int64_t part) noexcept nogil:
        # How many values a part of the block has.
        return min(<int64_t>PART, self.size - part * PART)

    @property
    def list_bytes(self):
        """What the block's lists, maps and tiles take, in bytes."""
        return self.layout.list_bytes()

    @property
    def word_bytes(self):
        """What the words of rows take of that: twice as much where places need 64 bits."""
        return self.layout.word_bytes()

    @property
    def policy_bytes(self):
        """What `follow` takes; bounds take the same memory."""
        return policy_bytes(self.layout)

    @property
    def noise(self):
        """The largest change that may be due to rounding."""
        return SINGLE_NOISE if self.is_single else NOISE

    @property
    def coarseness(self):
        """How many times as much room bounds need for rounding as those of float64."""
        return SINGLE_COARSENESS if self.is_single else 1.0

    @property
    def read_rounding(self):
        """What reading a value of another block may change it by."""
        return SINGLE_READ_ROUNDING if self.is_single else READ_ROUNDING

    @property
    def has_policies(self):
        """Whether it has: not in single precision, with lanes, of every size, or together with bounds."""
        return not self.is_single and self.n_matrices == 2 and self.lower == NULL and (
            has_policies(self.layout))

    def follow(self, double[::1] room, int threads):
        """The values under the best policy by them, to be swept until it is closed.

        Some of the policy is kept in `room`, float64, shape (block size,), the same at every call.
        """
        if not self.has_policies:
            raise SolveError("this block has no policies")
        if self.policy is None:
            self.policy = PolicyValues(self.layout, self.workspace, self.threads)
            self.policy.open(&row_policy, <double*>self.values, room)
        self._take_scratch(threads)
        self.policy.choose(self.scratch, threads)
        return self.policy

    cdef void _leave_policy(self) noexcept:
        # The block's values are about to be others than those under its policy.
        if self.policy is not None:
            self.policy.is_same = False

    def refine(self):
        """False: in one precision from the start."""
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
        self._leave_policy()
        # Threads share the chunks from the first on, so that they work side by side; one may
        # read a value while another rewrites it: either, the old or the new, serves.
        for k in prange(layout.n_chunks, nogil=True, schedule="dynamic", num_threads=threads):
            deltas[k] = self.sweeper.sweep(
                &layout.block, &layout.chunks[k], self.values, &self.scratch[threadid(), 0])
        return float(np.max(deltas))

    def residual(self, int threads):
        """The largest abs(T(V) - V); in single precision it is at most that."""
        cdef RowLayout layout = self.layout
        cdef int64_t k
        cdef double[::1] deltas = np.zeros(layout.n_chunks)
        self._take_scratch(threads)
        for k in prange(layout.n_chunks, nogil=True, schedule="dynamic", num_threads=threads):
            deltas[k] = self.sweeper.residual(
                &layout.block, &layout.chunks[k], self.values, &self.scratch[threadid(), 0])
        return float(np.max(deltas)) + (SINGLE_RESIDUAL if self.is_single else 0.0)

    cdef void _show(self, uint8_t* values, const uint8_t* other) noexcept:
        cdef RowLayout layout = self.layout
        cdef int64_t k
        for k in prange(layout.n_chunks, nogil=True, schedule="static", num_threads=self.threads):
            self.sweeper.show(&layout.block, &layout.chunks[k], values, other)

    def sample(self):
        """Some of the values, always the same: float64, a copy."""
        cdef int64_t step = sample_step(self.size, self.size)
        cdef double[::1] chances = np.empty((self.size + step - 1) // step)
        self.sweeper.sample(self.values, &chances[0], step, chances.shape[0])
        return np.asarray(chances)

    def remember(self, double[::1] room):
        """Keep a copy of the values in `room`, float64, shape (block size,)."""
        cdef int64_t k, size = self.sweeper.value_size
        cdef uint8_t* copy = <uint8_t*>&room[0]
        self.memory = room
        for k in prange(self.n_parts, nogil=True, schedule="static", num_threads=self.threads):
            memcpy(copy + k * PART * size, self.values + k * PART * size, self._left(k) * size)

    def extrapolate(self, double factor):
        """Add `factor` times the change since `remember`."""
        cdef int64_t k
        self._leave_policy()
        for k in prange(self.n_parts, nogil=True, schedule="static", num_threads=self.threads):
            self.sweeper.extrapolate(
                self.values, &self.memory[0], factor, k * PART, self._left(k))
        self._show(self.values, self.values)

    def store(self, double[::1] values):
        """Write the block's values to `values`, float64, shape (block size,), by rank."""
        cdef int64_t k
        for k in prange(self.n_parts, nogil=True, schedule="static", num_threads=self.threads):
            self.sweeper.store(self.values, &values[0], k * PART, self._left(k))

    def load(self, const double[::1] values):
        """Take the block's values from `values`, float64, shape (block size,), by rank."""
        cdef int64_t k
        self._leave_policy()
        for k in prange(self.n_parts, nogil=True, schedule="static", num_threads=self.threads):
            self.sweeper.load(self.values, &values[0], k * PART, self._left(k))
        self._show(self.values, self.values)

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
        cdef int64_t k
        if self.lower == NULL:
            self.policy = None  # it is in the same memory
            self.lower = <uint8_t*>self.workspace.memory.take(self._bytes())
            memset(self.lower, 0, self._bytes())
        for k in prange(self.n_parts, nogil=True, schedule="static", num_threads=self.threads):
            self.sweeper.bracket(
                self.values, self.lower, &values[0], shift, k * PART, self._left(k))
        self._show(self.values, self.lower)
        self._show(self.lower, self.values)

    def narrow(self, int threads):
        """Sweep both bounds, each operation rounded outwards."""
        cdef RowLayout layout = self.layout
        cdef double blur = layout.rules.blur
        cdef int64_t k
        self._take_scratch(threads)
        for k in prange(layout.n_chunks, nogil=True, schedule="dynamic", num_threads=threads):
            self.sweeper.narrow(
                &layout.block, &layout.chunks[k], self.values, self.lower, blur,
                &self.scratch[threadid(), 0])

    def width(self, const double[::1] values):
        """How far the bounds are from the given values, rounded up, and at which rank."""
        cdef int64_t where = 0
        width = self.sweeper.width(self.values, self.lower, &values[0], self.size, &where)
        return width, self.layout.first * self.lanes + where
