# The compiled half of `ur_solver.space.tiles`: rank and unrank of rows of contents.

cimport cython
from libc.stdint cimport int16_t, int32_t, int64_t, uint16_t

cdef enum:
    MAX_WIDTH = 40
    MAX_SHARED = 24


cdef struct Place:
    # Where a position is: its tile's first rank, and its row and column there.
    int64_t tile
    int32_t row, column
    int32_t n_columns


@cython.final
cdef class TileRanking:
    cdef int n_cells, n_shared, n_private, n_frozen, n_stocks
    cdef const int16_t[:, ::1] take            # (stock, part) -> the rest, -1
    cdef const int32_t[::1] n_contents         # cell -> contents
    cdef const int32_t[::1] first_content      # cell -> first row of `parts`
    cdef const int16_t[:, ::1] parts           # content -> part of mine, of theirs
    cdef const int32_t[::1] mirror_cell
    cdef const uint16_t[::1] mirror_content    # content -> number on the mirror cell
    cdef const int32_t[::1] shared             # square by significance -> cell
    cdef const int32_t[::1] shared_mirror      # the cells across the board of those
    cdef int32_t[::1] mirror_place             # place in `shared` of those
    cdef const int32_t[::1] private            # my private square -> cell
    cdef const int64_t[::1] radix              # by private square, in codes of placements
    cdef const int32_t[::1] n_placements       # stock -> placements
    cdef const int32_t[:, ::1] placement_of    # (stock, code) -> number, -1
    cdef const int32_t[:, ::1] code_of         # (stock, number) -> code
    cdef const int32_t[::1] n_shapes           # cell -> shapes
    cdef const int32_t[::1] first_shape        # cell -> first row of `n_details`
    cdef const int32_t[:, ::1] n_details       # shape -> details of mine, of theirs
    cdef const uint16_t[::1] shape_of          # content -> number of its shape on its cell
    cdef const uint16_t[:, ::1] detail_of      # content -> number of its detail, mine, theirs
    cdef const int32_t[:, :, ::1] n_digits     # (stock, shape, side) -> details it has pieces for
    cdef const int16_t[:, :, ::1] rest         # (stock, shape, side) -> one of as many as are left
    cdef const uint16_t[:, :, ::1] digit_of    # (stock, content, side) -> its detail among those
    cdef const uint16_t[:, ::1] detail_at      # (stock, entry of a shape and side) -> by digit
    cdef const int32_t[:, ::1] first_entry     # (shape, side) -> its first entry
    cdef int32_t[::1] shape_start              # shape -> its first entry of `content_of`
    cdef uint16_t[::1] content_of              # by shape: (my detail, their detail) -> content
    cdef const int64_t[::1] below              # by shared square: (stock, stock, shape)
    cdef const int64_t[::1] below_start        # shared square -> its first entry of `below`
    cdef const int32_t[:, ::1] frozen          # (side, frozen square) -> cell
    cdef const uint16_t[:, :, ::1] frozen_content  # (side, frozen square, part) -> content
    cdef const int32_t[:, ::1] config_of       # (off, frozen code) -> config, -1
    cdef const int32_t[::1] config_free        # stock neither off nor frozen
    cdef const int32_t[:, ::1] config_frozen   # (config, frozen square) -> part
    cdef const int64_t[:, ::1] half_offset     # (config, config) -> first rank
    cdef const int64_t[::1] half_start         # sorted first ranks
    cdef const int32_t[:, ::1] half_configs    # in that order: (mine, theirs)

    cdef void off_stocks(self, const uint16_t* row, int* mine, int* theirs) noexcept nogil
    cdef int config(self, const uint16_t* row, int side, int off) noexcept nogil
    cdef bint find_place(
        self, const uint16_t* row, int my_off, int their_off, Place* place
    ) noexcept nogil
    cdef int64_t rank_placed(
        self, const uint16_t* row, int my_off, int their_off
    ) noexcept nogil
    cdef int64_t rank_row(self, const uint16_t* row) noexcept nogil
    cdef void write_row(self, int64_t rank, uint16_t* row) noexcept nogil
    cdef int find_details(
        self, const uint16_t* shapes, int side, int stock, int line, uint16_t* details
    ) noexcept nogil
    cdef int line_of(
        self, const uint16_t* shapes, int side, int stock, const uint16_t* details, int* left
    ) noexcept nogil
    cdef inline int content_by(self, int shape, int cell, int side, int detail) noexcept nogil:
        # A content with a shape and a detail of a side, counted over all cells.
        return self.first_content[cell] + self.content_of[
            self.shape_start[shape] + (detail if side else detail * self.n_details[shape, 1])]

    cdef void write_placement(
        self, int side, int stock, int placement, uint16_t* row
    ) noexcept nogil
    cdef void write_mirror(self, const uint16_t* row, uint16_t* other) noexcept nogil
