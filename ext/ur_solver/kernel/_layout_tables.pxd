# What the layouts of a space's blocks share.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from ur_solver.kernel._program cimport Program
from ur_solver.kernel._tiles cimport TileTables
from ur_solver.space._tile_ranking cimport TileRanking


cdef class LayoutTables:
    cdef TileTables tables
    cdef TileRanking ranking
    cdef int n_leading, length, n_throws, n_slots, first_frozen, pieces
    cdef int64_t near              # the most vectors of a block that is not prefetched
    cdef bint extra_on_capture
    cdef readonly object tiling
    # of side configs: pieces off, those neither off nor frozen, frozen squares by bit
    cdef const int32_t[::1] config_off, config_free, config_mask
    cdef const int32_t[:, ::1] config_of            # (off, frozen squares): -1 if won
    cdef const uint8_t[::1] mask_of                 # (row): entry squares held, by bit
    cdef const uint8_t[:, ::1] stuck                # (is home empty, row): as the tiling says
    cdef const int32_t[::1] throws, slot_target, slot_throw, slot_source
    cdef const uint8_t[:, ::1] gives_extra          # (path index, throw number)
    # of path indices, by bit:
    cdef uint64_t shared            # on shared squares
    cdef uint64_t safe              # nobody is captured there
    cdef uint64_t leaving           # frozen, and beyond the end of the path
    cdef Program program            # what all blocks have in common of theirs
