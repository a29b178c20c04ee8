# One block laid out for `row_sweep.h`: tiles, pairs of them, and their lists of moves in chunks.

from libc.stdint cimport int32_t, int64_t, uint16_t

from ur_solver.kernel._row_moves cimport Desk, RowChunk, RowLister
from ur_solver.kernel._row_rules cimport RowKind, RowRules
from ur_solver.kernel._turns cimport Turns
from ur_solver.space._tile_ranking cimport TileRanking

cdef extern from "row_sweep.h" nogil:
    ctypedef struct RowTile:
        int64_t first
        int32_t rows, columns, advance
    ctypedef struct RowBlock:
        const RowKind* kinds
        const RowTile* tiles
        int64_t n_values
        int32_t most_rows, most_columns
        int instruction_set, keeps_choices
        const void* levels
    ctypedef struct RowSweeper:
        int64_t value_size
        int64_t (*scratch_bytes)(const RowBlock*) noexcept nogil
        double (*sweep)(const RowBlock*, const RowChunk*, void*, void*) noexcept nogil
        double (*residual)(const RowBlock*, const RowChunk*, const void*, void*) noexcept nogil
        void (*narrow)(
            const RowBlock*, const RowChunk*, void*, void*, double, void*) noexcept nogil
        void (*show)(const RowBlock*, const RowChunk*, void*, const void*) noexcept nogil
        double (*width)(
            const void*, const void*, const double*, int64_t, int64_t*) noexcept nogil
        void (*bracket)(
            void*, void*, const double*, double, int64_t, int64_t) noexcept nogil
        void (*load)(void*, const double*, int64_t, int64_t) noexcept nogil
        void (*store)(const void*, double*, int64_t, int64_t) noexcept nogil
        void (*extrapolate)(void*, const void*, double, int64_t, int64_t) noexcept nogil
        void (*sample)(const void*, double*, int64_t, int64_t) noexcept nogil
    const RowSweeper row_double, row_single


cdef class RowLayout:
    cdef RowRules rules
    cdef TileRanking ranking
    cdef Turns turns
    cdef RowLister lister
    cdef RowBlock block
    cdef readonly int64_t first, size  # ranks
    cdef readonly int64_t n_tiles, n_chunks
    cdef readonly int64_t n_diagonal   # positions that are their own images
    cdef int64_t most_word             # that names a row, and 1
    cdef bint is_single                # whether values are floats
    cdef RowTile* tiles
    cdef uint16_t* shapes              # (tile, shared square), while it is laid out
    cdef int64_t second_half           # the first tile of the second half, or n_tiles
    cdef int32_t[:, ::1] pairs
    cdef RowChunk* chunks
    cdef const int32_t[:, ::1] halves  # configs, mine and theirs
    cdef int64_t room_tiles, room_shapes

    cdef int most_advance(self) noexcept
    cdef int64_t list_bytes(self)
    cdef int64_t n_words(self)
    cdef int64_t n_rows(self)
    cdef int64_t word_bytes(self)
