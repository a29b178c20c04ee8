# What a tile's number stands for, for all blocks of a space.

from libc.stdint cimport int8_t, int32_t, int64_t

from ur_solver.space._ranking cimport MAX_SHARED, Ranking

cdef enum:
    NOBODY = 0
    MINE = 1
    THEIRS = 2


cdef struct Filling:
    # Who holds each shared square, and what that leaves.
    int32_t digits[MAX_SHARED]
    int32_t mine            # pieces left for entry squares and home
    int32_t theirs
    int32_t my_forks        # squares that my path visits twice and that I hold
    int32_t their_forks


cdef class TileTables:
    cdef Ranking ranking
    cdef int n_shared
    cdef const int64_t[:, :, :, ::1] below      # tiles: (square, i, j, digit)
    cdef const int64_t[:, ::1] count            # tiles: (i, j)
    cdef const int32_t[:, ::1] mask_counts      # (config, pieces)
    cdef const int8_t[::1] place                # square of the ranking -> square here
    cdef const int8_t[:, :, ::1] index          # (side, square, leg), -1 for no such leg
    cdef const int8_t[:, :, ::1] digit          # that of the ranking
    cdef const int8_t[::1] square, leg          # by path index of mine; -1 if not shared
    cdef const int8_t[::1] mirror               # (square)

    cdef int64_t number(self, const int32_t* digits, int i, int j) noexcept nogil
    cdef void fill(self, int64_t number, int i, int j, Filling* filling) noexcept nogil
    cdef void mirrored(self, const int32_t* digits, int32_t* other) noexcept nogil
    cdef int my_bit(self, const int32_t* digits, int square) noexcept nogil
    cdef int their_bit(self, const int32_t* digits, int square) noexcept nogil
    cdef void ranks(
        self, int mine, int theirs, const int32_t* digits, int64_t* rows, int64_t* columns
    ) noexcept nogil
