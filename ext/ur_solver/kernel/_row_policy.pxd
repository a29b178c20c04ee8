# The values of a block under a policy.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from ur_solver.kernel._row_layout cimport RowBlock, RowLayout
from ur_solver.kernel._row_moves cimport RowChunk
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
    ctypedef struct PolicySweeper:
        void (*count)(const RowBlock*, const RowChunk*, int32_t*) noexcept nogil
        void (*number)(
            const RowBlock*, const RowChunk*, int32_t*, const RowPolicy*) noexcept nogil
        int64_t (*choose)(
            const RowBlock*, const RowChunk*, const void*, const RowPolicy*, void*) noexcept nogil
        void (*load)(
            const RowBlock*, const RowChunk*, void*, const RowPolicy*) noexcept nogil
        void (*store)(
            const RowBlock*, const RowChunk*, void*, const RowPolicy*) noexcept nogil
        double (*follow)(const RowBlock*, const RowPolicy*, int64_t, int64_t) noexcept nogil


cdef class PolicyValues:
    cdef RowLayout layout
    cdef RowPolicy policy
    cdef const PolicySweeper* sweeper
    cdef double[::1] chances
    cdef double[::1] room              # of what leaves the block
    cdef double[::1] behind
    cdef double* values                # F and G of the block
    cdef bint is_same                  # whether these are the block's values
    cdef double remembered             # the drift at `remember`
    cdef int threads
    cdef readonly int64_t n_changed

    cdef object open(
        self, const PolicySweeper* sweeper, double* values, double[::1] room)
    cdef object choose(self, uint8_t[:, ::1] scratch, int threads)


cdef bint has_policies(RowLayout layout)
cpdef bint policies_pay(int64_t size, double words)
cdef int64_t policy_bytes(RowLayout layout)
