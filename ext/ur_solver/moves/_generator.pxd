# The move generator: states in, successors out, by the tables of `ur_solver.moves.tables`.

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t

cdef enum:
    MAX_CELLS = 40
    MAX_MOVERS = 16           # that may move in one state
    MAX_OPTIONS = 256         # of one throw
    NONE = 0xFFFF             # a content that is none: the move is not there

cdef enum Flag:
    AGAIN_ = 1
    WIN_ = 2
    ROSETTE_ = 4
    PASS_ = 8
    CAPTURE_ = 16
    OPTIONAL_ = 32


cdef struct Movable:
    # A piece that may move: its mover; its cell, -1 for home; what the cell holds with the piece
    # and without it.
    int32_t mover, cell
    uint16_t before, left


cdef struct Option:
    int16_t mover             # -1 for a pass
    int8_t target
    uint8_t taken             # how many pieces are captured
    uint8_t flags


cdef class Generator:
    cdef readonly int n_cells, n_movers, n_throws, max_movable, max_options
    cdef readonly bint has_fines, may_rest
    cdef const int32_t[::1] mover_cell, mover_source, mover_part, lift_start
    cdef const uint16_t[::1] lift, landing_content
    cdef const int32_t[:, ::1] step_start
    cdef const int32_t[::1] step_target, step_landing, landing_cell, landing_start, landing_taken
    cdef const uint8_t[:, :, ::1] again
    cdef const uint8_t[::1] is_rosette
    cdef const int32_t[::1] first_content, mirror_cell, advance
    cdef const uint16_t[::1] mirror_content, awake
    cdef const uint8_t[::1] n_mine, stock_count
    cdef const int16_t[:, ::1] take
    cdef const uint8_t[:, ::1] type_of, from_home, from_board
    cdef const int32_t[::1] n_choices
    cdef const double[:, :, ::1] chance
    cdef const double[:, ::1] pass_chance

    cdef uint32_t _read(self, bytes state, uint16_t* row) except? 0xFFFFFFFF
    cdef bytes _state(self, const uint16_t* row, uint32_t fines)
    cdef void write_mirror(self, const uint16_t* row, uint16_t* other) noexcept nogil
    cdef bint has_pieces(self, const uint16_t* row) noexcept nogil
    cdef int find_movable(self, const uint16_t* row, int may, Movable* movable) noexcept nogil
    cdef void wake(self, uint16_t* own, Movable* movable, int n_movable) noexcept nogil
    cdef int list_moves(
        self, uint16_t* own, uint16_t* other, const Movable* movable, int n_movable, int throw,
        uint16_t* after, Option* options
    ) noexcept nogil
    cdef bint may_capture(
        self, const uint16_t* row, const Movable* movable, int n_movable, int throw
    ) noexcept nogil
