# A block laid out as tiles.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from ur_solver.kernel._layout_tables cimport Filling, LayoutTables
from ur_solver.kernel._program cimport MatrixRef, Program, Tile
from ur_solver.kernel._workspace cimport Region, Workspace


cdef class TileLayout:
    cdef LayoutTables common
    cdef Program program
    cdef Tile* tiles
    cdef uint8_t* pass_bits
    cdef void* buffer               # room for the values, then the matrices of moves that leave
    cdef Workspace workspace
    cdef int32_t[::1] order
    cdef int64_t[::1] group_start
    cdef int threads
    cdef readonly bint is_single    # whether numbers are floats, values less 1/2
    cdef int64_t first_tile[3]
    cdef int64_t first_rank         # the block's
    cdef int mine[2]
    cdef int theirs[2]
    cdef int my_free[2]
    cdef int their_free[2]
    cdef int n_halves
    cdef int64_t n_moves, n_rows
    cdef readonly int64_t n_tiles, n_vectors, n_state_vectors
    cdef int64_t no_moves           # where the matrices of moves that there are none of begin
    cdef int64_t n_own_vectors      # those of the matrices that no others follow from
    cdef int64_t[::1] externals     # (tile): its first matrix of moves that leave, until laid out

    cdef _take_lists(self, Program* program, Region moves, Region slots)
    cdef void _fill(self, int64_t number, Filling* filling) noexcept nogil
    cdef uint64_t _leaving(
        self, LayoutTables common, const Tile* tile, const Filling* filling, int n
    ) noexcept nogil
    cdef uint64_t _landings(self, LayoutTables common, const Filling* filling, int n) noexcept nogil
    cdef MatrixRef _land(
        self, LayoutTables common, const Tile* source, const Filling* filling, int square,
        int target, bint again
    ) noexcept nogil
    cdef int64_t _row(self, const Tile* tile, int r) noexcept nogil
    cdef void _copy(self, void* numbers, bint is_single, double* to, const double* source) noexcept
    cdef void _copy_tile(
        self, const Tile* tile, void* numbers, bint is_single, double* to, const double* source
    ) noexcept nogil
