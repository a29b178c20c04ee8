# The moves of a rule set by rank, position by position.

from libc.stdint cimport int64_t, uint8_t, uint16_t

from ur_solver.kernel._inputs cimport Inputs
from ur_solver.moves._generator cimport MAX_OPTIONS, NONE, Generator
from ur_solver.space._tile_ranking cimport TileRanking

cdef enum:
    MAX_THROWS = 12           # that move a piece, as `ur_solver.rules.limits` has it
    WON = -1                  # the rank that a move leads to which ends the game


cdef struct Successors:
    # Where one throw may lead: ranks, seen by the side that throws there, and the options' flags.
    int n
    int64_t rank[MAX_OPTIONS]
    uint8_t flags[MAX_OPTIONS]


cdef class Turns(Generator):
    cdef TileRanking ranking
    cdef int full

    cdef void list_successors(
        self, uint16_t* own, uint16_t* other, int turn_type, int choice, Successors* found
    ) noexcept nogil
    cdef int open_turn(
        self, int64_t rank, uint16_t* own, uint16_t* other
    ) noexcept nogil
    cdef double backup(self, Inputs values, int64_t rank) noexcept nogil
    cdef bint _can_move(
        self, uint16_t* own, uint16_t* other, int turn_type, Successors* found
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
    cdef double _sweep_run(
        self, double* own, Inputs values, int64_t first, int64_t start, int64_t end
    ) noexcept nogil
    cdef double _residual_of_run(self, Inputs values, int64_t first, int64_t end) noexcept nogil
    cdef double _residual_of_one(self, Inputs values, int64_t rank) noexcept nogil
