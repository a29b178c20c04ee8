"""The values of a block under a policy, which says which move is made after every throw.

A sweep under a policy looks at one move of a throw instead of all, and goes over positions one by
one, the most advanced first, whatever tiles they are of: moves that capture nothing then lead to
positions that the same sweep has updated.
"""

from cython.parallel cimport prange, threadid
from libc.string cimport memcpy, memset

import numpy as np

from ur_solver.kernel.rounding import NOISE
from ur_solver.kernel.sampling import sample_step

from ur_solver.kernel._row_layout cimport RowLayout, RowSweeper
from ur_solver.kernel._workspace cimport Region, Workspace

cdef enum:
    LANES = 8                    # pairs in a vector
    VECTORS = 512                # that a thread updates at a time
    PART = 1 << 16               # values that a thread copies at a time
    FEWEST = 1 << 12             # positions of a block in which a policy pays
    USUAL = 1 << 25              # at most, where rows are long
    LARGEST = 1 << 30            # for the numbers of positions

cdef double MANY_WORDS = 2.5     # of lists, a position, where rows are short


cdef int64_t pairs_of(RowLayout layout) noexcept:
    # Pairs of positions that pass to each other, in whole vectors.
    return ((layout.size + layout.n_diagonal) // 2 + LANES - 1) // LANES * LANES


cpdef bint policies_pay(int64_t size, double words):
    """Whether policies pay in a block of this many positions, whose lists have this many words.

    In large blocks values under a policy come from memory one by one, and a sweep of long rows takes
    little more time.
    """
    return FEWEST <= size <= LARGEST and (size <= USUAL or words >= MANY_WORDS * size)


cdef bint has_policies(RowLayout layout):
    # Where a side chooses before it throws, few sweeps are needed.
    cdef bint is_possible = layout.rules.policy_chances.shape[0] > 0
    return is_possible and policies_pay(layout.size, layout.n_words())


cdef int64_t policy_bytes(RowLayout layout):
    # What a block's policy takes, with the values under it.
    cdef int64_t n = 2 * pairs_of(layout), n_throws = layout.rules.policy_chances.shape[0]
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
    layout : RowLayout
        In double precision.
    workspace : Workspace
    threads : int
        That number the positions, and copy values.
    """

    def __init__(self, RowLayout layout, Workspace workspace, int threads):
        cdef int64_t n = 2 * pairs_of(layout)
        self.layout, self.threads = layout, threads
        self.chances = layout.rules.policy_chances
        cdef int n_throws = <int>self.chances.shape[0]
        self.policy.n_pairs, self.policy.n_throws = n // 2, n_throws
        self.policy.chances = &self.chances[0]
        cdef Region region = workspace.memory
        self.policy.followed = <double*>region.take(policy_bytes(layout))
        # a value more, of no move; the rest begins at a whole vector
        self.policy.next = <uint32_t*>(self.policy.followed + n + LANES)
        self.policy.numbers = self.policy.next + n * n_throws
        self.policy.limits = <float*>(self.policy.numbers + layout.size)
        self.policy.noted = <uint8_t*>(self.policy.limits + layout.n_rows())
        memset(self.policy.noted, UR_NEVER_NOTED, n_throws * layout.size)
        cdef int64_t k, length = n * n_throws
        cdef uint32_t none = <uint32_t>n
        for k in prange(length, nogil=True, num_threads=threads):
            self.policy.next[k] = none

    cdef object open(self, const PolicySweeper* sweeper, double* values, double[::1] room):
        # What sweeps, where the block's values are, and room for as many.
        cdef int64_t size = self.layout.size
        self.sweeper, self.values, self.is_same = sweeper, values, False
        self.policy.n_leaving = size // LANES * LANES
        # a vector more, so that there always is one
        self.room = room
        self.behind = np.zeros(2 * self.policy.n_pairs - self.policy.n_leaving + LANES)
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
            self.sweeper.count(&layout.block, &layout.chunks[k], &counts[k, 0])
        # by advance, the most advanced first, then by chunk: where each begins
        by_advance = np.asarray(counts).T[::-1].ravel()
        starts = np.cumsum(by_advance, dtype=np.int64) - by_advance
        counts = np.ascontiguousarray(
            starts.reshape(most + 1, -1)[::-1].T.astype(np.int32))
        for k in prange(layout.n_chunks, nogil=True, num_threads=self.threads):
            self.sweeper.number(&layout.block, &layout.chunks[k], &counts[k, 0], &self.policy)

    cdef object choose(self, uint8_t[:, ::1] scratch, int threads):
        # The best policy by the block's values; then those values are followed.
        cdef RowLayout layout = self.layout
        cdef int64_t k
        cdef int64_t[::1] changed = np.zeros(layout.n_chunks, dtype=np.int64)
        if not self.is_same:
            self.policy.drift = 0.0
            memset(self.policy.limits, 0, layout.n_rows() * sizeof(float))
        for k in prange(layout.n_chunks, nogil=True, schedule="dynamic", num_threads=threads):
            changed[k] = self.sweeper.choose(
                &layout.block, &layout.chunks[k], self.values, &self.policy,
                &scratch[threadid(), 0])
        self.n_changed = int(np.sum(changed))
        if not self.is_same:
            for k in prange(layout.n_chunks, nogil=True, num_threads=threads):
                self.sweeper.load(&layout.block, &layout.chunks[k], self.values, &self.policy)
        self.is_same = False

    @property
    def noise(self):
        """The largest change that may be due to rounding."""
        return NOISE

    def refine(self):
        """False: in double precision from the start."""
        return False

    def sweep(self, int threads):
        """Update every value in place; the largest change."""
        cdef int64_t vectors = self.policy.n_pairs // LANES
        cdef int64_t n_runs = (vectors + VECTORS - 1) // VECTORS, k
        cdef double[::1] deltas = np.zeros(n_runs)
        for k in prange(n_runs, nogil=True, schedule="dynamic", num_threads=threads):
            deltas[k] = self.sweeper.follow(
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
            self.sweeper.store(&layout.block, &layout.chunks[k], self.values, &self.policy)
        self.is_same = True
