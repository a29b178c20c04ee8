# The compiled half of `ur_solver.space.content`: rank and unrank of rows of contents.

from libc.stdint cimport int16_t, int32_t, int64_t, uint16_t

cdef enum:
    MAX_WIDTH = 40


cdef struct Trace:
    # The rank of a row as it adds up, before each ranked square and after the last: what
    # comes before it, and the stocks that are left.
    int64_t rank[MAX_WIDTH]
    int32_t mine[MAX_WIDTH]
    int32_t theirs[MAX_WIDTH]


cdef class ContentRanking:
    cdef int n_cells, n_ranked, n_frozen, n_stocks
    cdef const int16_t[:, ::1] take            # (stock, part) -> the rest, -1
    cdef const int32_t[::1] n_contents         # cell -> contents
    cdef const int32_t[::1] first_content      # cell -> first row of `parts`
    cdef const int16_t[:, ::1] parts           # content -> part of mine, of theirs
    cdef const int32_t[::1] mirror_cell
    cdef const uint16_t[::1] mirror_content    # content -> number on the mirror cell
    cdef const int32_t[::1] ranked             # square by significance -> cell
    cdef const int32_t[::1] order_of           # cell -> its significance, -1 if frozen
    cdef const int64_t[::1] below              # by square: (stock, stock, content)
    cdef const int64_t[::1] below_start        # square -> its first entry of `below`
    cdef const int32_t[:, ::1] frozen          # (side, frozen square) -> cell
    cdef const uint16_t[:, :, ::1] frozen_content  # (side, frozen square, part) -> content
    cdef const int32_t[:, ::1] config_of       # (off, frozen code) -> config, -1
    cdef const int32_t[::1] config_free        # stock neither off nor frozen
    cdef const int32_t[:, ::1] config_frozen   # (config, frozen square) -> part
    cdef const int64_t[:, ::1] half_offset     # (config, config) -> first rank
    cdef const int64_t[::1] half_start         # sorted first ranks
    cdef const int32_t[:, ::1] half_configs    # in that order: (mine, theirs)

    cdef int64_t rank_row(self, const uint16_t* row) noexcept nogil
    cdef int64_t rank_placed(
        self, const uint16_t* row, int my_off, int their_off
    ) noexcept nogil
    cdef void trace(
        self, const uint16_t* row, int my_off, int their_off, Trace* trace
    ) noexcept nogil
    cdef int64_t rank_changed(
        self, const uint16_t* row, const Trace* trace, int first, int last
    ) noexcept nogil
    cdef void write_row(self, int64_t rank, uint16_t* row) noexcept nogil
    cdef void write_mirror(self, const uint16_t* row, uint16_t* other) noexcept nogil
    cdef void off_stocks(self, const uint16_t* row, int* mine, int* theirs) noexcept nogil
