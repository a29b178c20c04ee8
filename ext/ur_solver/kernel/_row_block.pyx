"""One block being solved: its values, and the sweeps and bounds of `row_sweep.h` over them.

Under a policy, which says which move is made after every throw, a sweep looks at one move of a throw
instead of all. It goes over positions one by one, the most advanced first, whatever tiles they are
of: moves that capture nothing then lead to positions that the same sweep has updated.
"""

from cython.parallel cimport prange, threadid
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memcpy, memset

import numpy as np

from ur_solver.errors import SolveError
from ur_solver.kernel.rounding import NOISE, SINGLE_NOISE, SINGLE_RESIDUAL
from ur_solver.kernel.sampling import sample_step

from ur_solver.kernel._inputs cimport Inputs
from ur_solver.kernel._row_layout cimport RowBlock as RowTiles
from ur_solver.kernel._row_layout cimport RowLayout, row_double, row_single
from ur_solver.kernel._row_moves cimport UR_ROW_SPARE, RowChunk
from ur_solver.kernel._row_rules cimport RowRules
from ur_solver.kernel._sets cimport find_set
from ur_solver.kernel._workspace cimport Workspace

cdef extern from "row_sweep.h" nogil:
    enum:
        UR_NEVER_NOTED
    ctypedef struct RowPolicy:
        int64_t n_pairs
        int32_t n_throws
        const double* chances
        double* followed
        uint32_t* numbers
        uint32_t* next
        double* leaving
        double* leaving_behind
        int64_t n_leaving
        uint8_t* noted
        double drift
        float* limits
    void policy_count(const RowTiles*, const RowChunk*, int32_t*)
    void policy_number(const RowTiles*, const RowChunk*, int32_t*, const RowPolicy*)
    int64_t policy_choose(
        const RowTiles*, const RowChunk*, const void*, const RowPolicy*, void*)
    void policy_copy(const RowTiles*, const RowChunk*, double*, const RowPolicy*, int)
    double policy_follow(const RowTiles*, const RowPolicy*, int64_t, int64_t)

cdef enum:
    PAGE = 4096
    PART = 1 << 16               # values that a thread copies at a time
    LANES = 8                    # pairs in a vector of a policy
    VECTORS = 512                # that a thread updates at a time


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
        self.noise = SINGLE_NOISE if is_single else NOISE
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
        return _policy_bytes(self.layout)

    @property
    def has_policies(self):
        """Whether it has: not in single precision, with lanes, of every size, or together with bounds.

        Nor where a side chooses before it throws, which needs few sweeps.
        """
        cdef RowLayout layout = self.layout
        return (not self.is_single and self.n_matrices == 2 and self.lower == NULL
                and layout.rules.turns.has_policies(layout.size))

    def follow(self, double[::1] room, int threads):
        """The values under the best policy by them, to be swept until it is closed.

        Some of the policy is kept in `room`, float64, shape (block size,), the same at every call.
        """
        if not self.has_policies:
            raise SolveError("this block has no policies")
        if self.policy is None:
            self.policy = PolicyValues(self, room)
        self._take_scratch(threads)
        (<PolicyValues>self.policy).choose(self.scratch, threads)
        return self.policy

    cdef void _leave_policy(self) noexcept:
        # The block's values are about to be others than those under its policy.
        if self.policy is not None:
            (<PolicyValues>self.policy).is_same = False

    def refine(self):
        """Keep to no choice before a throw any more; return whether sweeps did until now.

        If both sides of a pair keep to their choices until both change them, values may go round in
        circles (birds 4). The precision is the same from the start.
        """
        if not self.layout.block.keeps_choices or self.delta <= self.noise:
            return False
        self.layout.block.keeps_choices = False
        return True

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
        self.delta = np.max(deltas)
        return self.delta

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


cdef int64_t _pairs_of(RowLayout layout) noexcept:
    # Pairs of positions that pass to each other, in whole vectors.
    return ((layout.size + layout.n_diagonal) // 2 + LANES - 1) // LANES * LANES


cdef int64_t _policy_bytes(RowLayout layout):
    # What a block's policy takes, with the values under it.
    cdef int64_t n = 2 * _pairs_of(layout), n_throws = layout.rules.policy_chances.shape[0]
    if n_throws == 0:
        return 0
    return (
        n * (sizeof(double) + n_throws * sizeof(uint32_t))
        + layout.size * (sizeof(uint32_t) + n_throws) + layout.n_rows() * sizeof(float)
        + 2 * LANES * sizeof(double))


cdef class PolicyValues:
    """A block's values under the policy that was best by its values before.

    Parameters
    ----------
    block : RowBlock
        In double precision.
    room : float64, shape (block size,)
        Taken for what leaves the block.
    """

    cdef RowLayout layout
    cdef RowPolicy policy
    cdef double[::1] chances
    cdef double[::1] room              # of what leaves the block
    cdef double[::1] behind
    cdef double* values                # F and G of the block
    cdef bint is_same                  # whether these are the block's values
    cdef double remembered             # the drift at `remember`
    cdef int threads
    cdef readonly double noise
    cdef readonly int64_t n_changed

    def __init__(self, RowBlock block, double[::1] room):
        cdef RowLayout layout = block.layout
        cdef int64_t k, n = 2 * _pairs_of(layout)
        self.layout, self.threads, self.noise = layout, block.threads, NOISE
        self.values, self.is_same = <double*>block.values, False
        self.chances = layout.rules.policy_chances
        cdef int n_throws = <int>self.chances.shape[0]
        self.policy.n_pairs, self.policy.n_throws = n // 2, n_throws
        self.policy.chances = &self.chances[0]
        self.policy.followed = <double*>block.workspace.memory.take(_policy_bytes(layout))
        # a value more, of no move; the rest begins at a whole vector
        self.policy.next = <uint32_t*>(self.policy.followed + n + LANES)
        self.policy.numbers = self.policy.next + n * n_throws
        self.policy.limits = <float*>(self.policy.numbers + layout.size)
        self.policy.noted = <uint8_t*>(self.policy.limits + layout.n_rows())
        memset(self.policy.noted, UR_NEVER_NOTED, n_throws * layout.size)
        cdef int64_t length = n * n_throws
        cdef uint32_t none = <uint32_t>n
        for k in prange(length, nogil=True, num_threads=self.threads):
            self.policy.next[k] = none
        self.policy.n_leaving = layout.size // LANES * LANES
        # a vector more, so that there always is one
        self.room, self.behind = room, np.zeros(n - self.policy.n_leaving + LANES)
        self.policy.leaving, self.policy.leaving_behind = &self.room[0], &self.behind[0]
        self._number()
        self._clear_rest()

    def _clear_rest(self):
        # The value of no move, and those that fill the last vector of pairs, which have no moves.
        cdef int64_t k, number, n = self.policy.n_pairs
        cdef int64_t first = (self.layout.size + self.layout.n_diagonal) // 2
        self.policy.followed[2 * n] = 0.0
        for k in range(2 * (n - first)):
            number = first + k // 2 + k % 2 * n
            self.policy.followed[number] = 0.0
            if number < self.policy.n_leaving:
                self.policy.leaving[number] = 0.0
            else:
                self.policy.leaving_behind[number - self.policy.n_leaving] = 0.0

    def _number(self):
        cdef RowLayout layout = self.layout
        cdef int64_t k
        cdef int most = layout.most_advance()
        cdef int32_t[:, ::1] counts = np.zeros((layout.n_chunks, most + 1), dtype=np.int32)
        for k in prange(layout.n_chunks, nogil=True, num_threads=self.threads):
            policy_count(&layout.block, &layout.chunks[k], &counts[k, 0])
        # by advance, the most advanced first, then by chunk: where each begins
        by_advance = np.asarray(counts).T[::-1].ravel()
        starts = np.cumsum(by_advance, dtype=np.int64) - by_advance
        counts = np.ascontiguousarray(
            starts.reshape(most + 1, -1)[::-1].T.astype(np.int32))
        for k in prange(layout.n_chunks, nogil=True, num_threads=self.threads):
            policy_number(&layout.block, &layout.chunks[k], &counts[k, 0], &self.policy)

    cdef object choose(self, uint8_t[:, ::1] scratch, int threads):
        # The best policy by the block's values; then those values are followed.
        cdef RowLayout layout = self.layout
        cdef int64_t k
        cdef int64_t[::1] changed = np.zeros(layout.n_chunks, dtype=np.int64)
        if not self.is_same:
            self.policy.drift = 0.0
            memset(self.policy.limits, 0, layout.n_rows() * sizeof(float))
        for k in prange(layout.n_chunks, nogil=True, schedule="dynamic", num_threads=threads):
            changed[k] = policy_choose(
                &layout.block, &layout.chunks[k], self.values, &self.policy,
                &scratch[threadid(), 0])
        self.n_changed = int(np.sum(changed))
        if not self.is_same:
            for k in prange(layout.n_chunks, nogil=True, num_threads=threads):
                policy_copy(&layout.block, &layout.chunks[k], self.values, &self.policy, False)
        self.is_same = False

    def refine(self):
        """False: in double precision from the start."""
        return False

    def sweep(self, int threads):
        """Update every value in place; the largest change."""
        cdef int64_t vectors = self.policy.n_pairs // LANES
        cdef int64_t n_runs = (vectors + VECTORS - 1) // VECTORS, k
        cdef double[::1] deltas = np.zeros(n_runs)
        for k in prange(n_runs, nogil=True, schedule="dynamic", num_threads=threads):
            deltas[k] = policy_follow(
                &self.layout.block, &self.policy, k * VECTORS,
                min((k + 1) * <int64_t>VECTORS, vectors))
        cdef double delta = np.max(deltas)
        self.policy.drift += delta
        return delta

    def sample(self):
        """Some of the values, always the same: float64, a copy."""
        cdef int64_t k, size = 2 * self.policy.n_pairs, step = sample_step(size, size)
        cdef double[::1] chances = np.empty((size + step - 1) // step)
        for k in range(chances.shape[0]):
            chances[k] = self.policy.followed[k * step]
        return np.asarray(chances)

    def remember(self, room):
        """Keep a copy of the values; `room` is not needed."""
        cdef int64_t k, n = 2 * self.policy.n_pairs, n_parts = (n + PART - 1) // PART
        self.remembered = self.policy.drift
        for k in prange(n_parts, nogil=True, num_threads=self.threads):
            memcpy(self.values + k * PART, self.policy.followed + k * PART,
                   min(<int64_t>PART, n - k * PART) * sizeof(double))

    def extrapolate(self, double factor):
        """Add `factor` times the change since `remember`."""
        cdef int64_t k, n = 2 * self.policy.n_pairs
        self.policy.drift += abs(factor) * (self.policy.drift - self.remembered)
        for k in prange(n, nogil=True, schedule="static", num_threads=self.threads):
            self.policy.followed[k] += factor * (self.policy.followed[k] - self.values[k])

    def close(self):
        """Give these values to the block."""
        cdef RowLayout layout = self.layout
        cdef int64_t k
        for k in prange(layout.n_chunks, nogil=True, num_threads=self.threads):
            policy_copy(&layout.block, &layout.chunks[k], self.values, &self.policy, True)
        self.is_same = True
