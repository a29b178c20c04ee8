# A block laid out as tiles.

from libc.stdint cimport int64_t, uint8_t

from ur_solver.kernel._inputs cimport Inputs
from ur_solver.kernel._layout_tables cimport LayoutTables
from ur_solver.kernel._program cimport MatrixRef, Program, Tile
from ur_solver.kernel._tile_places cimport TilePlaces
from ur_solver.kernel._tiles cimport Filling, TileTables
from ur_solver.kernel._workspace cimport Region


cdef class TileLayout(TilePlaces):
    cdef uint8_t* pass_bits
    cdef readonly bint is_single    # whether numbers are floats, values less 1/2
    cdef void* buffer               # room for the values, then the matrices of moves that leave

    cdef _take_lists(self, Program* program, Region moves, Region slots)
    cdef void _fill_no_moves(self) noexcept nogil
    cdef void _write_values(self, const double* values, int64_t at, int64_t n) noexcept nogil
    cdef double _value(self, int64_t at) noexcept nogil
    cdef void _lay_out(
        self, LayoutTables common, TileTables tables, int64_t first, Inputs inputs, double* room
    ) noexcept nogil
    cdef void _link(
        self, LayoutTables common, TileTables tables, int64_t number, const Filling* filling,
        int64_t external
    ) noexcept nogil
    cdef int _list_moves(
        self, LayoutTables common, TileTables tables, const Tile* tile, const Filling* filling,
        int n, int64_t at, int64_t* external
    ) noexcept nogil
    cdef MatrixRef _land(
        self, LayoutTables common, TileTables tables, const Tile* tile, const Filling* filling,
        int source, int target, int n
    ) noexcept nogil
    cdef void _read_externals(
        self, LayoutTables common, TileTables tables, const Tile* tile, const Filling* filling,
        Inputs inputs, double* room
    ) noexcept nogil
    cdef int64_t _external(self, const Tile* tile, int n, int64_t move) noexcept nogil
    cdef void _leave(
        self, LayoutTables common, TileTables tables, const Tile* tile, Inputs inputs,
        const Filling* filling, int source, int n, double* rows
    ) noexcept nogil
    cdef void _mark_passes(self, LayoutTables common, const Tile* tile) noexcept nogil
    cdef void _mark_slots(self, LayoutTables common, const Tile* tile, uint8_t* bits) noexcept nogil
