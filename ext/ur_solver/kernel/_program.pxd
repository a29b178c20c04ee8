# The compiled sweeps of the tiled kernel, and what they read of a block: sweep.h, tiles.h.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t


cdef extern from "tiles.h" nogil:
    enum:
        LANES
        FEW_MOVES
        LANE_SQUARES
        LANE_ROWS
        LANE_VECTORS
        CORNER
        MOVES_AHEAD
        SMALL
    ctypedef uint64_t MatrixRef
    ctypedef struct Tile:
        int64_t f
        int64_t first_move
        int64_t first_slot
        int64_t first_row
        uint16_t n_rows
        uint16_t n_columns
        uint8_t vectors
        uint8_t half
        uint8_t pieces
        int32_t mirror
        uint8_t n_moves[4]
    ctypedef struct Program:
        Tile* tiles
        MatrixRef* moves
        MatrixRef* slots
        const uint8_t* pass_bits
        void* frames
        int32_t again[4]
        int32_t slot[4][5]
        int32_t n_throws
        int32_t n_slots
        int32_t first_declined
        int32_t is_near
        int64_t first_strip
        int64_t end_strips
        double chance[16][4]
        double pass_chance[16]
        float chance_single[16][4]
        float pass_chance_single[16]
    int is_strip(const Tile*)
    int is_turned(const Tile*)
    int64_t matrix_vectors(const Tile*)
    int list_length(const Tile*, int n_moves)


cdef extern from "sweep.h" nogil:
    enum:
        UR_DOUBLE
        UR_SINGLE
        UR_MIXED
    ctypedef struct Sweeps:
        double (*sweep)(
            const Program*, void*, const int32_t*, const int64_t*, int64_t, int, int
        ) noexcept nogil
        void (*remember)(const Program*, const void*, void*, int64_t, int) noexcept nogil
        void (*extrapolate)(
            const Program*, void*, const void*, int64_t, double, int
        ) noexcept nogil
        void (*eliminate)(
            const Program*, const void*, const int32_t*, int64_t, double, const Program*, int
        ) noexcept nogil
        double (*residual)(const Program*, const void*, int64_t, int) noexcept nogil
        void (*write_g)(const Program*, void*, int64_t, int) noexcept nogil
        void (*narrow)(
            const Program*, const Program*, void*, const int32_t*, const int64_t*, int64_t, int,
            int
        ) noexcept nogil
        void (*widen)(void*, void*, int64_t, double) noexcept nogil
        void (*write_g_of_bounds)(const Program*, const Program*, void*, int64_t) noexcept nogil
    const Sweeps* tiled_sweeps(int set, int precision)
