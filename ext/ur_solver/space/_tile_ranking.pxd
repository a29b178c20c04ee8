# The compiled half of `ur_solver.space.tiles`: rank and unrank of rows of contents.

cimport cython
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint64_t

cdef enum:
    # of `ur_solver.rules.limits`, which says why, and two home stocks
    MAX_SHARED = 36
    MAX_WIDTH = MAX_SHARED + 2


cdef struct Tally:
    # What contents add up to, mine in the lower bits: parts of both stocks in 16 bits each and
    # above them the codes of frozen squares; the codes of placements in 32 bits each.
    uint64_t parts, codes


cdef struct Content:
    # What a content is to counting: what it takes of my reserve and of theirs, and of both as
    # one number, which is an index of counts; its shape.
    int32_t both
    int16_t mine, theirs
    uint16_t shape


cdef struct Cell:
    int32_t n_contents
    const Tally* tally             # by content
    const Content* counted


cdef struct Square:
    # A shared one: its cell, and the counts of positions that have smaller shapes there.
    int32_t cell, n_shapes, has_details
    const int64_t* below         # (both reserves, shape)


cdef struct Place:
    # Where a position is: its tile's first rank, and its row and column there.
    int64_t tile
    int32_t row, column
    int32_t n_columns


@cython.final
cdef class TileRanking:
    cdef int n_cells, n_shared, n_private, n_frozen, n_reserves, n_stocks
    cdef bint is_numbered, has_details
    cdef const int16_t[:, ::1] take            # (reserve, use) -> the rest, -1
    cdef const int32_t[::1] n_contents         # cell -> contents
    cdef const int32_t[::1] first_content      # cell -> first row of `parts`
    cdef const int16_t[:, ::1] parts           # content -> part of my stock, of theirs
    cdef const int16_t[:, ::1] uses            # content -> part of my reserve, of theirs
    cdef const int32_t[:, :, ::1] codes        # (content, side): added to the codes of placement, frozen squares
    cdef Tally* tally                            # by content
    cdef Content* counted                      # by content
    cdef Cell cells[MAX_WIDTH]
    cdef Square squares[MAX_SHARED]
    cdef const int32_t[::1] mirror_cell
    cdef const uint16_t[::1] mirror_content    # content -> number on the mirror cell
    cdef const int32_t[::1] shared             # square by significance -> cell
    cdef const int32_t[::1] shared_mirror      # the cells across the board of those
    cdef int32_t[::1] mirror_place             # place in `shared` of those
    cdef const int32_t[::1] private            # my private square -> cell
    cdef const int64_t[::1] radix              # by private square, in codes of placements
    cdef const int32_t[::1] n_placements       # reserve -> placements
    cdef const int32_t[:, ::1] placement_of    # (reserve, code) -> number, -1
    cdef const int32_t[:, ::1] code_of         # (reserve, number) -> code
    cdef const int32_t[::1] n_shapes           # cell -> shapes
    cdef const int32_t[::1] first_shape        # cell -> first row of `n_details`
    cdef const int32_t[:, ::1] n_details       # shape -> details of mine, of theirs
    cdef const uint16_t[::1] shape_of          # content -> number of its shape on its cell
    cdef const uint16_t[:, ::1] detail_of      # content -> number of its detail, mine, theirs
    cdef const int32_t[:, :, ::1] n_digits     # (reserve, shape, side) -> details it has pieces for
    cdef const int16_t[:, :, ::1] rest         # (reserve, shape, side) -> one of as many as are left
    cdef const uint16_t[:, :, ::1] digit_of    # (reserve, content, side) -> its detail among those
    cdef const uint16_t[:, ::1] detail_at      # (reserve, entry of a shape and side) -> by digit
    cdef const int32_t[:, ::1] first_entry     # (shape, side) -> its first entry
    cdef int32_t[::1] shape_start              # shape -> its first entry of `content_of`
    cdef uint16_t[::1] content_of              # by shape: (my detail, their detail) -> content
    cdef const int64_t[::1] below              # by shared square: (reserve, reserve, shape)
    cdef const int64_t[::1] below_start        # shared square -> its first entry of `below`
    cdef const int32_t[:, ::1] frozen          # (side, frozen square) -> cell
    cdef const uint8_t[::1] is_closing         # frozen square -> whether pieces set out there too
    cdef const uint16_t[:, :, ::1] frozen_content  # (side, frozen square, part) -> content
    cdef const int32_t[:, ::1] config_of       # (off, code of frozen squares) -> config, -1
    cdef const int32_t[::1] config_free        # its reserve while the other side throws
    cdef const int32_t[::1] config_own         # its reserve while it throws itself
    cdef const int32_t[:, ::1] config_frozen   # (config, frozen square) -> part
    cdef const int64_t[:, ::1] half_offset     # (config, config) -> first rank
    cdef const int64_t[::1] half_start         # sorted first ranks
    cdef const int32_t[:, ::1] half_configs    # in that order: (mine, theirs)

    cdef _tell(self)
    cdef bint add_up(self, const uint16_t* row, Tally* tally) noexcept nogil
    cdef inline int off(self, const Tally* tally, int side) noexcept nogil:
        # A side's stock that is off.
        return self.n_stocks - 1 - <uint16_t>(tally.parts >> 16 * side)

    cdef bint find_place(self, const uint16_t* row, const Tally* tally, Place* place) noexcept nogil
    cdef int64_t rank_row(self, const uint16_t* row) noexcept nogil
    cdef void write_row(self, int64_t rank, uint16_t* row) noexcept nogil
    cdef int find_details(
        self, const uint16_t* shapes, int side, int reserve, int line, uint16_t* details
    ) noexcept nogil
    cdef int line_of(
        self, const uint16_t* shapes, int side, int reserve, const uint16_t* details, int* left
    ) noexcept nogil
    cdef inline int content_by(self, int shape, int cell, int side, int detail) noexcept nogil:
        # A content with a shape and a detail of a side, counted over all cells.
        return self.first_content[cell] + self.content_of[
            self.shape_start[shape] + (detail if side else detail * self.n_details[shape, 1])]

    cdef void write_placement(
        self, int side, int reserve, int placement, uint16_t* row
    ) noexcept nogil
    cdef void write_frozen(self, int side, int config, uint16_t* row) noexcept nogil
