# A block laid out as tiles.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from ur_solver.kernel._inputs cimport Inputs
from ur_solver.kernel._layout_tables cimport LayoutTables
from ur_solver.kernel._program cimport MatrixRef, Move, Program, Tile
from ur_solver.kernel._tiles cimport Filling, TileTables
from ur_solver.kernel._workspace cimport Region, Workspace
from ur_solver.space._ranking cimport Ranking

cdef enum:
    RUN = 64    # tiles that a thread goes through in turn: it unranks the first


cdef class TileLayout:
    cdef TileTables tables
    cdef Program program
    cdef Tile* tiles
    cdef uint8_t* pass_bits
    cdef double* buffer             # room for the values, then the matrices of moves that leave
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
    cdef const uint8_t* stuck[2]    # (half): throws without an entry move, as row tables say
    cdef object keep
    cdef int64_t n_moves
    cdef readonly int64_t n_tiles, n_vectors, n_state_vectors
    cdef int64_t no_moves           # where the matrices of moves that there are none of begin
    cdef int64_t n_own_vectors      # those of the matrices that no others follow from

    cdef _take_lists(self, Program* program, Region moves, Region slots)
    cdef void _fill_no_moves(self) noexcept nogil
    cdef void _next(self, TileTables tables, int64_t number, Filling* filling) noexcept nogil
    cdef void _shape(
        self, LayoutTables common, TileTables tables, int64_t first, int64_t* counts
    ) noexcept nogil
    cdef uint64_t _leaving(
        self, LayoutTables common, const Tile* tile, const Filling* filling, int n
    ) noexcept nogil
    cdef uint64_t _landings(
        self, LayoutTables common, const Filling* filling, int n
    ) noexcept nogil
    cdef bint _is_open(
        self, LayoutTables common, const Filling* filling, int target
    ) noexcept nogil
    cdef void _place(self, LayoutTables common, int64_t* externals, int64_t* sizes) noexcept nogil
    cdef MatrixRef _matrix(self, const Tile* source, int64_t number, bint again) noexcept nogil
    cdef int64_t _row(self, const Tile* tile, int r) noexcept nogil
    cdef void _lay_out(
        self, LayoutTables common, TileTables tables, int64_t first, const int64_t* externals,
        Inputs inputs
    ) noexcept nogil
    cdef void _link(
        self, LayoutTables common, TileTables tables, int64_t number, const Filling* filling,
        int64_t external
    ) noexcept nogil
    cdef int _list_moves(
        self, LayoutTables common, TileTables tables, const Tile* tile, const Filling* filling,
        int n, int64_t at, int64_t* external
    ) noexcept nogil
    cdef void _write(self, const Move* move, int64_t at) noexcept nogil
    cdef int _n_pairs(self, const Tile* tile, int entry) noexcept nogil
    cdef void _land(
        self, LayoutTables common, TileTables tables, const Tile* tile, const Filling* filling,
        int source, int target, int n, Move* move
    ) noexcept nogil
    cdef void _read_externals(
        self, LayoutTables common, TileTables tables, const Tile* tile, const Filling* filling,
        Inputs inputs
    ) noexcept nogil
    cdef double* _external(self, const Tile* tile, int n, uint32_t move) noexcept nogil
    cdef void _leave(
        self, LayoutTables common, TileTables tables, Ranking ranking, const Tile* tile,
        Inputs inputs, const Filling* filling, int source, int n, double* rows
    ) noexcept nogil
    cdef void _mark_passes(self, LayoutTables common, const Tile* tile) noexcept nogil
    cdef void _mark_move(
        self, LayoutTables common, const Tile* tile, uint32_t number, int n, uint8_t* bits
    ) noexcept nogil
    cdef void _mark_slots(self, LayoutTables common, const Tile* tile, uint8_t* bits) noexcept nogil
    cdef int64_t _find_groups(
        self, LayoutTables common, TileTables tables, int64_t* starts, int32_t* come
    ) noexcept nogil
    cdef void _ranks(
        self, TileTables tables, int64_t number, Filling* filling, int64_t* rows, int64_t* columns
    ) noexcept nogil
