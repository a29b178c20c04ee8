# What the layouts of a space's blocks share: what a tile's number stands for, and the rules.

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint64_t

from ur_solver.kernel._program cimport LANE_SQUARES, Program
from ur_solver.space._tile_ranking cimport MAX_SHARED, TileRanking

cdef extern from * nogil:
    int popcount "__builtin_popcountll"(unsigned long long)

cdef enum:
    # the shapes of a shared square, as the space numbers them
    NOBODY = 0
    THEIRS = 1
    MINE = 2


cdef struct Filling:
    # Who holds each shared square, and what that leaves.
    int32_t digits[MAX_SHARED]
    uint64_t mine                       # what I hold, as path indices of mine by bit
    uint64_t theirs                     # what they hold, as path indices of mine too
    # For each square, by what the squares before it hold, and after the last by what all do:
    int32_t i[MAX_SHARED + 1]           # pieces of mine that are left
    int32_t j[MAX_SHARED + 1]           # of theirs
    int64_t numbers[MAX_SHARED + 1]     # tiles that come before; the last is the tile's number


cdef class LayoutTables:
    cdef TileRanking ranking
    cdef int n_shared, n_leading, length, n_throws, first_frozen, pieces
    cdef int64_t near              # the most vectors of a block that is not prefetched
    cdef bint extra_on_capture, may_decline     # extra throws
    cdef readonly object tiling
    cdef int32_t[::1] config_off                    # of side configs: pieces off,
    cdef int32_t[::1] config_mask                   # frozen squares by bit
    cdef int32_t[:, ::1] config_of                  # (off, frozen squares): -1 if won
    cdef const uint8_t[::1] mask_of                 # (row): entry squares held, by bit
    cdef const int32_t[::1] throws, slot_target, slot_throw, slot_source
    # of path indices, by bit:
    cdef uint64_t extra[LANE_SQUARES]   # by throw: landing there earns an extra throw
    cdef uint64_t shared            # on shared squares
    cdef uint64_t safe              # nobody is captured there
    cdef uint64_t leaving           # frozen, and beyond the end of the path
    cdef Program program            # what all blocks have in common of theirs
    cdef const int64_t[:, :, :, ::1] below      # tiles: (square, i, j, digit)
    cdef const int64_t[:, ::1] count            # tiles: (i, j)
    cdef const int32_t[::1] mask_counts         # (pieces)
    cdef const int8_t[:, ::1] index             # (side, square)
    cdef const int8_t[::1] square               # by path index of mine; -1 if not shared
    cdef const int8_t[::1] mirror               # (square)

    cdef int64_t number(self, const int32_t* digits, int i, int j) noexcept nogil
    cdef int64_t number_after(self, const Filling* filling, int source, int target) noexcept nogil
    cdef void hold(self, Filling* filling, int s, int d) noexcept nogil
    cdef void fill(self, int64_t number, int i, int j, Filling* filling) noexcept nogil
    cdef uint64_t earning(self, const Filling* filling, int n) noexcept nogil
    cdef void mirrored(self, const int32_t* digits, int32_t* other) noexcept nogil
    cdef int64_t first_rank(
        self, int mine, int theirs, const int32_t* digits, int64_t* columns
    ) noexcept nogil
