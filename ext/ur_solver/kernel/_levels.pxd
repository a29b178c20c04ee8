# The rules of a space of levels, unfolded for `levels.h`.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t

from ur_solver.kernel._inputs cimport Inputs
from ur_solver.space._tile_ranking cimport TileRanking

cdef extern from "levels.h" nogil:
    const int UR_MAX_LANES, UR_CUT_LANES, UR_AHEAD, UR_WINS
    const uint32_t UR_ROSETTE
    enum:
        THROWS "UR_LEVEL_THROWS"  # that move pieces
    ctypedef struct Levels:
        int reach
        int lanes
        double fine
        double blur
        double* chances
        double pass_chance
        double* pots
    ctypedef struct LevelRows:
        double* own
        int64_t n_own
        int n_inputs
        const int64_t* first
        const double* const* base


cdef struct Chunk:
    uint8_t* counts
    uint32_t* words
    int64_t n_words


cdef class Rows:
    cdef LevelRows rows
    cdef Inputs inputs
    cdef int64_t first          # the rank of the block's first position
    cdef int lanes
    cdef double[::1] own
    cdef int64_t[::1] places    # by input: the place of its first row
    cdef const double** base

    cdef uint32_t place_of(self, int64_t rank) noexcept nogil


cdef class LevelsKernel:
    cdef TileRanking ranking
    cdef Levels levels
    cdef int n_cells, n_movers, full
    cdef const int32_t[::1] mover_cell, lift_start
    cdef const uint16_t[::1] lift, landing_content
    cdef const int32_t[:, ::1] step_start
    cdef const int32_t[::1] step_landing, landing_cell, landing_start, landing_taken
    cdef const int32_t[::1] advance
    cdef const uint8_t[::1] pays      # by landing, whether it is on a rosette

    cdef uint16_t advance_of(self, int64_t rank) noexcept nogil
    cdef void unfold_one(
        self, uint8_t* counts, uint32_t** words, uint16_t* own, int my_off, int their_off, Rows rows
    ) noexcept nogil
    cdef int unfold(
        self, Chunk* chunk, const uint32_t* places, int n_pairs, Rows rows
    ) noexcept nogil


cdef void release(Chunk* chunk) noexcept nogil
