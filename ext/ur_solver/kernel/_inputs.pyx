"""Values of finished blocks, as compiled code reads them: by rank, from one array a block."""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc

import numpy as np


cdef class Inputs:
    """Some blocks' values; thread safe, since nothing is written.

    Parameters
    ----------
    arrays : sequence of float64 arrays
        The values of some runs of ranks.
    first : sequence of int
        The first rank of each, ascending; runs do not overlap.
    place : int32, shape (halves, side configs), optional
        For each half of the block that reads, and each side config that a move of its own
        side leads to, which of `arrays` has the values; -1 for none.
    """

    def __cinit__(self):
        self.base = NULL

    def __init__(self, arrays, first, place=None):
        cdef const double[::1] values
        cdef int64_t[::1] firsts = np.array(first, dtype=np.int64)
        cdef int k
        free(self.base)
        self.base = <const double**>malloc(max(1, len(arrays)) * sizeof(double*))
        if self.base == NULL:
            raise MemoryError("no memory for a table of blocks")
        self.arrays = tuple(arrays)
        self.first = firsts
        self.end = np.array(
            [start + len(each) for start, each in zip(first, arrays, strict=True)], dtype=np.int64)
        self.place = np.full((1, 1), -1, dtype=np.int32) if place is None else place
        for k in range(len(self.arrays)):
            values = self.arrays[k]
            self.base[k] = &values[0]

    def __dealloc__(self):
        free(self.base)

    def value_of(self, int64_t rank):
        """The value of a rank that one of the arrays has; KeyError if none has."""
        if self.find(rank) < 0:
            raise KeyError(rank)
        return self.at(rank)

    cdef int find(self, int64_t rank) noexcept nogil:
        # The array that has a rank; -1 if none has.
        cdef int low = 0, high = <int>self.first.shape[0] - 1, middle
        while low < high:
            middle = (low + high + 1) // 2
            if self.first[middle] <= rank:
                low = middle
            else:
                high = middle - 1
        if high < 0 or not self.first[low] <= rank < self.end[low]:
            return -1
        return low

    cdef const double* values_from(self, int64_t rank) noexcept nogil:
        # The values from a rank on that one of the arrays has.
        cdef int k = self.find(rank)
        return self.base[k] + (rank - self.first[k])

    cdef double at(self, int64_t rank) noexcept nogil:
        # The value of a rank that one of the arrays has.
        return self.values_from(rank)[0]

    cdef const double* reached_from(self, int half, int config, int64_t rank) noexcept nogil:
        # The values from a rank on of what a move of my side in a half leads to.
        cdef int k = self.place[half, config]
        return self.base[k] + (rank - self.first[k])
