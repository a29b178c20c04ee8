# A block being solved by rows: what blocks of games for money have in common with others.

from libc.stdint cimport int64_t, uint8_t

from ur_solver.kernel._row_layout cimport RowLayout, RowSweeper
from ur_solver.kernel._workspace cimport Workspace


cdef class RowBlock:
    cdef const RowSweeper* sweeper
    cdef RowLayout layout
    cdef int64_t size, n_parts    # values, and parts of them
    cdef int lanes                # values of a position
    cdef int n_matrices           # F and G, or F alone
    cdef int threads
    cdef Workspace workspace
    cdef readonly bint is_single
    cdef readonly double noise    # the largest change that may be due to rounding
    cdef double delta             # the largest change of the last sweep
    cdef uint8_t* values          # F, then G, of the sweeper's type; upper bounds, where there are
    cdef uint8_t* lower           # the lower bounds, once there are some
    cdef double[::1] memory       # of F, in as many bytes as that takes
    cdef uint8_t[:, ::1] scratch  # by thread
    cdef object policy            # `PolicyValues`; None until one is followed
    cdef int n_scratch

    cdef int _set_of(self, instruction_set) except -1
    cdef object _open(self, Workspace workspace, int threads)
    cdef int64_t _bytes(self) noexcept nogil
    cdef object _take_scratch(self, int threads)
    cdef int64_t _left(self, int64_t part) noexcept nogil
    cdef void _leave_policy(self) noexcept
    cdef void _show(self, uint8_t* values, const uint8_t* other) noexcept
