# The tiles of a block, and the places of their matrices.

from libc.stdint cimport int32_t, int64_t, uint64_t

from ur_solver.kernel._layout_tables cimport Filling, LayoutTables
from ur_solver.kernel._program cimport MatrixRef, Program, Tile
from ur_solver.kernel._workspace cimport Workspace

cdef enum:
    RUN = 64    # tiles that a thread goes through in turn: it unranks the first


cdef class TilePlaces:
    cdef LayoutTables common
    cdef Program program
    cdef Tile* tiles
    cdef Workspace workspace
    cdef int32_t[::1] order
    cdef int64_t[::1] group_start
    cdef int threads
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

    cdef void _next(self, LayoutTables common, int64_t number, Filling* filling) noexcept nogil
    cdef uint64_t _leaving(
        self, LayoutTables common, const Tile* tile, const Filling* filling, int n
    ) noexcept nogil
    cdef uint64_t _landings(self, LayoutTables common, const Filling* filling, int n) noexcept nogil
    cdef bint _is_open(self, LayoutTables common, const Filling* filling, int target) noexcept nogil
    cdef MatrixRef _matrix(self, const Tile* source, int64_t number, bint again) noexcept nogil
    cdef int64_t _row(self, const Tile* tile, int r) noexcept nogil
    cdef int64_t _first_rank(
        self, LayoutTables common, int64_t number, Filling* filling, int64_t* columns
    ) noexcept nogil
    cdef void _copy(self, void* numbers, bint is_single, double* to, const double* source) noexcept
