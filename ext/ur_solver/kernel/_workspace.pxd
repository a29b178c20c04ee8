# Memory for one block at a time.

from libc.stdint cimport int64_t


cdef class Region:
    cdef void* memory
    cdef int64_t size

    cdef void* take(self, int64_t size) except NULL
    cdef double* vectors(self, int64_t count) except NULL


cdef class Workspace:
    cdef Region tiles, moves, slots, pass_bits, buffer, memory, frames
    cdef Region kept_tiles, kept_moves, kept_slots

    cpdef release(self)
