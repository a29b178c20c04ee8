# The compiled half of the state space: rank and unrank of encoded states.

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t

cdef enum:
    MAX_SHARED = 20
    MAX_CELLS = 40
    N_CODES = 5
    CODE_ROOM = 8      # codes are looked up unchecked, by three bits


cdef struct Decoded:
    # A state taken apart; the tiled and the generic kernel both speak it.
    int32_t mine            # side config, mine
    int32_t theirs          # side config, theirs
    int32_t my_row          # index of my entry mask
    int32_t their_row       # index of their entry mask
    int32_t digits[MAX_SHARED]


cdef class Ranking:
    cdef int n_cells, n_shared, n_configs, pieces, n_digits, n_shapes
    cdef int64_t n_values
    # cell roles
    cdef const uint32_t[:, ::1] cell_bits      # (cell, code) -> bits of four masks
    cdef const int8_t[:, ::1] cell_digit       # (cell, code) -> digit, -1 if not allowed
    cdef const int8_t[::1] cell_shared         # cell -> shared square, -1 if private
    cdef uint64_t cell_word[MAX_CELLS][CODE_ROOM]  # (cell, code) -> what it adds to a sum
    cdef const uint8_t[::1] shared_cell        # shared square -> cell
    cdef const uint8_t[:, ::1] digit_code      # (shared square, digit) -> code
    # configs
    cdef const int32_t[:, ::1] config_of       # (off, frozen mask) -> config, -1
    cdef const uint8_t[::1] config_off
    cdef const uint8_t[::1] config_mask
    cdef const uint8_t[::1] config_free        # pieces neither off nor frozen
    cdef const uint8_t[::1] config_shape
    # entry masks by config
    cdef const int16_t[:, ::1] row_of          # (frozen mask, entry mask) -> row, -1
    cdef const uint8_t[:, ::1] row_mask        # (frozen mask, row) -> entry mask
    cdef const int32_t[:, ::1] row_prefix      # (shape, pieces) -> rows
    # counting tables
    cdef const int64_t[:, :, :, :, :, ::1] below   # (shape, shape, square, i, j, digit)
    cdef const int64_t[:, ::1] half_offset     # (config, config) -> first rank
    cdef const int64_t[::1] half_start         # sorted first ranks
    cdef const int32_t[:, ::1] half_configs    # in that order: (mine, theirs)

    cdef void add_up(self) noexcept
    cdef int64_t rank_state(self, const uint8_t* state) noexcept nogil
    cdef void decode(self, int64_t rank, Decoded* state) noexcept nogil
    cdef void write_state(self, const Decoded* decoded, uint8_t* state) noexcept nogil
