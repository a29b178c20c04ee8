# What moves do to the rows and columns of tiles, as compiled code reads it.

cimport cython
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t

from ur_solver.kernel._turns cimport Turns
from ur_solver.space._tile_ranking cimport MAX_SHARED, MAX_WIDTH, TileRanking

cdef extern from "row_sweep.h" nogil:
    enum:
        UR_ROW_THROWS
    ctypedef struct RowKind:
        int32_t n_choices
        int32_t n_throws[2]
        double chance[2][12]


cdef struct Change:
    # What happens on a square of a tile, for a shape of it and a detail of mine: the shape and
    # the detail afterwards, whether it captures, and what each detail of theirs becomes.
    int32_t cell, shape, detail, is_capture
    int64_t first_map            # where its map begins in `detail_map`
    uint8_t is_plain             # whether every detail of theirs stays what it is
    uint8_t is_full              # whether it happens with every detail of theirs


cdef struct Taking:
    # What a detail of a shared square is to a stock: how many the stock has the pieces for, which
    # of these it is, and the pieces that are left.
    int32_t n_digits, digit, left


cdef struct Touched:
    # A square that lifting a piece, or landing, changes.
    int32_t cell
    int32_t shared               # its place among those of tiles, -1
    const uint16_t* after        # by content: the content afterwards, NONE if that cannot be
    const int32_t* codes         # by content: added to the codes of my placement, frozen squares
    const int32_t* first_pair    # by shape of a shared square: the first of its details of mine
    int32_t first_change         # of the first shape and detail


cdef struct Mover:
    # A piece that may move, and where to.
    int32_t is_home, part        # its part of a stock
    int32_t first_step, end_step
    Touched source               # but at home


cdef struct Step:
    # Where a throw takes a mover.
    int32_t throw
    int32_t is_off               # whether it is borne off
    uint8_t again[2]             # who throws next, without and with a capture
    uint8_t pays                 # whether a fine is paid for it
    Touched landing              # unless it is


cdef struct Side:
    # A position as far as a row determines it, while the row's moves are listed.
    uint16_t shape[MAX_SHARED]   # by shared square
    uint16_t detail[MAX_SHARED]  # mine
    uint16_t content[MAX_WIDTH]  # by private or frozen cell
    int32_t mine, theirs         # configs
    int32_t off                  # my stock that is off
    int32_t frozen               # my frozen squares, as `config_of` has them
    int32_t code                 # of my placement


cdef struct Line:
    # The rows of a tile that differ in my placement alone: the first rank of the tile, its size,
    # the first of the rows, and the stocks that placements draw on.
    int64_t tile
    int32_t row, rows, columns, mine, theirs


@cython.final
cdef class RowRules:
    cdef readonly Turns turns
    cdef TileRanking ranking
    cdef bint is_numbered
    cdef double blur                   # how far rounded numbers put an update off
    cdef RowKind* kinds
    cdef double[::1] policy_chances    # of throws; none where turns have choices, or other chances
    cdef int32_t[::1] shared_place     # cell -> its place among shared squares, -1
    cdef int32_t[:, ::1] my_codes      # content -> added to my placement's code, frozen squares'
    cdef Mover* movers
    cdef Step* steps
    cdef int32_t[::1] mirror_shape     # shape -> its number on the mirror cell
    cdef int32_t[::1] first_pair       # shape -> the first of its (shape, detail of mine)
    cdef int32_t[::1] shape_advance    # shape -> the path indices of its pieces, one more each
    cdef Taking* takings               # by (stock, entry of a shape, side and detail)
    cdef int n_entries
    cdef Change* changes
    cdef int64_t n_changes, room_changes
    cdef int64_t[::1] first_change     # by (lift or landing, shape, detail), and one behind
    cdef int16_t[::1] detail_map

    cdef bint find_line(self, const Side* side, Line* line) noexcept nogil
    cdef int64_t mirror_tile(self, const Side* side) noexcept nogil
    cdef int mark_advance(self, int place, int shape, int detail) noexcept nogil
    cdef void open_row(self, Side* side, int placement, int mine) noexcept nogil
    cdef void change(self, Side* side, const Touched* touched, int before, int after) noexcept nogil
