# Values of finished blocks, as compiled code reads them.

from libc.stdint cimport int32_t, int64_t


cdef class Inputs:
    cdef const double** base            # (array): its values
    cdef int64_t[::1] first             # (array): the rank of its first value, ascending
    cdef int64_t[::1] end               # (array): and the one behind its last
    cdef const int32_t[:, ::1] place    # (half of the block, side config) -> array, -1
    cdef readonly tuple arrays

    cdef int find(self, int64_t rank) noexcept nogil
    cdef const double* values_from(self, int64_t rank) noexcept nogil
    cdef double at(self, int64_t rank) noexcept nogil
    cdef const double* reached_from(self, int half, int config, int64_t rank) noexcept nogil
