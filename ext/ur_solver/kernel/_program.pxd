# What the compiled sweeps read of a block: tiles.h.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t


cdef extern from "tiles.h" nogil:
    enum:
        LANES
        FEW_MOVES
        MAX_THROWS
        MAX_ROWS
        LANE_SQUARES
        LANE_ROWS
        LANE_VECTORS
        CORNER
        MOVES_AHEAD
        SMALL
        NO_BIT
        NO_ENTRY
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
        uint8_t forks
        int32_t mirror
        uint8_t n_moves[8]
    ctypedef struct Move:
        MatrixRef matrix
        uint16_t n
        uint8_t entry
        uint8_t lost
        uint8_t gained
        uint8_t captured
    ctypedef struct EntryMoves:
        pass
    ctypedef struct Program:
        Tile* tiles
        Move* moves
        MatrixRef* refs
        MatrixRef* slots
        const uint8_t* pass_bits
        void* frames
        int64_t frame_step
        int64_t frame_size
        const EntryMoves* entry_moves[2]
        const uint8_t* leaving[2]
        const uint8_t* mask_order[2]
        const uint8_t* mask_pieces[2]
        int32_t n_masks[2]
        int32_t max_pairs[2]
        int32_t is_lane
        int32_t lane_again[8]
        int32_t lane_slot[8][5]
        int32_t n_throws
        int32_t n_slots
        int32_t is_near
        int64_t first_strip
        int64_t end_strips
        uint16_t with_bit[15][512]
        double chance[256][8]
        double pass_chance[256]
        float chance_single[256][8]
        float pass_chance_single[256]
    MatrixRef matrix_of(const Program*, int64_t move)
    int is_strip(const Program*, const Tile*)
    int is_turned(const Program*, const Tile*)
    int64_t matrix_vectors(const Program*, const Tile*)
    int list_length(const Program*, const Tile*, int n_moves)
