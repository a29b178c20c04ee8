# A block laid out as tiles.

from libc.stdint cimport int64_t, uint8_t

from ur_solver.kernel._inputs cimport Inputs
from ur_solver.kernel._layout_tables cimport Filling, LayoutTables
from ur_solver.kernel._program cimport MatrixRef, Program, Tile
from ur_solver.kernel._tile_places cimport TilePlaces
from ur_solver.kernel._workspace cimport Region


cdef class TileLayout(TilePlaces):
    cdef uint8_t* pass_bits
    cdef readonly bint is_single    # whether numbers are floats, values less 1/2
    cdef void* buffer               # room for the values, then the matrices of moves that leave

    cdef _take_lists(self, Program* program, Region moves, Region slots)
