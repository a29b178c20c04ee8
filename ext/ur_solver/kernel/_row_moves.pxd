# Listing the moves of a row, and writing them to a chunk.

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t

from ur_solver.kernel._inputs cimport Inputs
from ur_solver.kernel._row_rules cimport Change, Line, Mover, RowRules, Side, Step
from ur_solver.kernel._turns cimport MAX_THROWS, Turns
from ur_solver.space._tile_ranking cimport TileRanking

cdef extern from "row_sweep.h" nogil:
    enum:
        UR_ROW_CHOICES
        UR_ROW_LANES
        UR_ROW_SPARE
        UR_ROW_AHEAD
        UR_LEAVES
        UR_COVERED
        UR_MAPPED_SHIFT
    const double UR_NO_MOVE
    const float UR_NO_MOVE_SINGLE
    ctypedef struct RowChunk:
        const int32_t* pairs
        int32_t n_pairs, is_wide, is_single
        void* words
        void* leaving
        int32_t* maps
        uint16_t* advance
        int64_t n_words, n_leaving, n_maps, n_rows, first_row
        int64_t room_words, room_leaving, room_maps

cdef enum:
    MOST_ROWS = 256              # that one throw may lead to
    MOST_MAPS = 256              # that are compared with each other
    MOST_LEADS = 128             # that are remembered


cdef struct Lead:
    # Where moves lead that change the same on shared squares, with the same config afterwards, from
    # rows that differ in my placement alone.
    int64_t origin               # the number of these rows
    const Change* lifted         # NULL where no shared square changes
    const Change* landed
    int32_t mine                 # the config
    uint8_t is_legal, leaves, is_mapped
    uint8_t is_full              # whether they are there in every column
    Line line                    # what they lead to
    int64_t place                # of the line's first value, if lists name its rows
    int64_t number               # if they do, of its map of columns
    int64_t mirror               # the first rank of the mirror image if they do not


cdef struct Found:
    # What one throw leads to.
    int32_t n_rows, n_mapped
    uint8_t leaves, is_covered, wins
    int64_t rows[MOST_ROWS]
    int64_t mapped[2 * MOST_ROWS]


cdef struct Desk:
    # What the rows of one tile are listed with.
    Side side
    int64_t line                 # the number of rows that differ in my placement alone
    Lead leads[MOST_LEADS]       # those found last, by what distinguishes them
    const uint16_t* shapes       # the tile's
    int32_t half                 # of the block
    int32_t theirs               # the stock that their placements draw on
    int32_t columns
    int32_t n_maps
    Lead maps[MOST_MAPS]         # one that has each of the tile's
    double* leaving              # by throw a row of the best moves that leave the block
    int32_t* column_after        # by column, of a mapped move
    bint knows_lines             # whether these are the tile's:
    uint16_t* line_details       # by line of columns, details of theirs on shared squares
    int32_t* line_left           # what they leave of their stock
    Found found[MAX_THROWS]


@cython.final
cdef class RowLister:
    cdef RowRules rules
    cdef TileRanking ranking
    cdef Turns turns
    cdef Inputs inputs
    cdef int64_t first, size           # ranks of the block
    cdef const int32_t[:, ::1] halves  # configs, mine and theirs
    cdef int64_t most_columns          # of a tile
    cdef int lanes                     # of a position; 0 but in games for money
    cdef const int64_t[::1] places     # if so, by block that moves lead to: its first row's
    cdef bint is_overfull              # whether a throw leads to more rows than there is room for

    cdef Desk* open_desk(self) noexcept nogil
    cdef int list_row(self, RowChunk* chunk, Desk* desk, int kind, int home) noexcept nogil


cdef int word_size(const RowChunk* chunk) noexcept nogil
cdef int value_size(const RowChunk* chunk) noexcept nogil
cdef int close_chunk(RowChunk* chunk) noexcept nogil
cdef void close_desk(Desk* desk) noexcept nogil
