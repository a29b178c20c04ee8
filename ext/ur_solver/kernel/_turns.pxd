# The turns of a rule set, position by position: `TurnTables` for compiled code.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t

from ur_solver.kernel._inputs cimport Inputs
from ur_solver.space._tile_ranking cimport TileRanking

cdef enum:
    MAX_THROWS = 12           # that move a piece, as `ur_solver.rules.limits` has it
    MAX_MOVES = 126           # of one throw
    MAX_CHOICES = 2
    NONE = 0xFFFF             # a content that is none: the move is not there
    WON = -1                  # the rank that a move leads to which ends the game


cdef struct Reached:
    # Where one throw may lead, and whether the other side throws there.
    int n
    int64_t rank[MAX_MOVES]
    uint8_t turns[MAX_MOVES]
    int landing[MAX_MOVES]    # by which it gets there, -1 if it is borne off


cdef class Turns:
    cdef TileRanking ranking
    cdef int n_cells, n_movers, n_throws, full
    cdef const int32_t[::1] mover_cell, mover_part, lift_start
    cdef const uint16_t[::1] lift, landing_content
    cdef const int32_t[:, ::1] step_start
    cdef const int32_t[::1] step_target, step_landing, landing_cell, landing_start, landing_taken
    cdef const int32_t[::1] advance
    cdef const uint8_t[:, :, ::1] again
    cdef const uint8_t[:, ::1] type_of, from_home, from_board
    cdef const int32_t[::1] n_choices
    cdef const double[:, :, ::1] chance
    cdef const double[:, ::1] pass_chance

    cdef void put(self, uint16_t* own, uint16_t* other, int cell, int content) noexcept nogil
    cdef void lead(
        self, Reached* reached, const uint16_t* own, const uint16_t* other, int again, int landing
    ) noexcept nogil
    cdef void list_moves(
        self, uint16_t* own, uint16_t* other, int off, int kind, int choice, Reached* reached
    ) noexcept nogil
    cdef int open_turn(
        self, int64_t rank, uint16_t* own, uint16_t* other, int* off
    ) noexcept nogil
    cdef double backup(self, Inputs values, int64_t rank) noexcept nogil
    cdef bint _can_move(
        self, uint16_t* own, uint16_t* other, int off, int kind, Reached* reached
    ) noexcept nogil
    cdef void _leave_out_draws(
        self, uint8_t* stays, int64_t first, int64_t start, int64_t end
    ) noexcept nogil
    cdef bint _leave_out(
        self, uint8_t* stays, int64_t first, int64_t count, int64_t start, int64_t end
    ) noexcept nogil
    cdef bint _may_stay(
        self, const uint8_t* stays, int64_t first, int64_t count, int64_t rank
    ) noexcept nogil
    cdef double _residual_of_run(self, Inputs values, int64_t first, int64_t end) noexcept nogil
    cdef double _residual_of_one(self, Inputs values, int64_t rank) noexcept nogil
