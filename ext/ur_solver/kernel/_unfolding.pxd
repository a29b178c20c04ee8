# The turns of a block unfolded into streams of numbers, which a sweep reads from front to
# back. The positions of a block are cut into *chunks* of pairs: a position and its mirror
# image, the two between which turns pass. A chunk's stream is
#
#     kinds      uint8, by position     its turn type
#     counts     uint8, by throw        how many moves stay in the block, plus CONSTANT if
#                                       others leave it; 0 if the throw passes; an odd count
#                                       is made even by its first move once more
#     words      uint32                 of a pair: the place in the block of the one, plus
#                                       ALONE if it is its own image, or the place of the
#                                       other; then by move where it leads, plus TURNS if the
#                                       other side throws there
#     constants  float64, by throw      the best of the moves that leave the block
#
# Moves that leave a block lead to values that are final, so that only the best of them
# counts.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t

from ur_solver.kernel._inputs cimport Inputs
from ur_solver.space._contents cimport ContentRanking, Trace

cdef enum:
    CHUNK = 1024              # pairs; a stream of some 100 KB stays in a core's cache
    AHEAD = 64                # words that follow a stream's last: they are prefetched
    MAX_THROWS = 8
    MAX_MOVES = 126           # of one throw
    MAX_CHOICES = 2
    CONSTANT = 0x80
    COUNT = 0x7F
    TURNS = 0x80000000
    ALONE = 0x80000000
    PLACE = 0x7FFFFFFF
    # the most counts, or constants, and the most words of a position
    MOST_COUNTS = MAX_CHOICES * MAX_THROWS
    MOST_WORDS = MAX_CHOICES * MAX_THROWS * MAX_MOVES + 2


cdef struct Chunk:
    const uint32_t* places    # of one of each pair, in the block
    int32_t n_pairs
    int32_t n_kinds
    int32_t n_counts
    int64_t n_words
    int64_t n_constants
    int64_t room_words        # allocated
    int64_t room_constants
    uint8_t* kinds
    uint8_t* counts
    uint32_t* words
    double* constants


cdef struct Moves:
    # What one throw may lead to, while a position is unfolded.
    int n
    double constant
    int64_t places[MAX_MOVES]  # in the block, or the complement where the other side throws


cdef void release(Chunk* chunk) noexcept nogil


cdef class Unfolding:
    # the tables of `TurnTables`
    cdef ContentRanking ranking
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

    cdef uint16_t advance_of(self, int64_t rank) noexcept nogil
    cdef void put(self, uint16_t* own, uint16_t* other, int cell, int content) noexcept nogil
    cdef void lead(
        self, Moves* moves, int64_t rank, bint turns, Inputs inputs, int64_t first, int64_t size
    ) noexcept nogil
    cdef int64_t rank_after(
        self, const uint16_t* row, const Trace* trace, int source, int target, int my_off,
        int their_off
    ) noexcept nogil
    cdef void unfold_choice(
        self, uint16_t* own, uint16_t* other, const Trace* trace, const Trace* other_trace,
        int my_off, int their_off, bint from_home, bint from_board, const double* chance,
        Inputs inputs, int64_t first, int64_t size, Moves* moves
    ) noexcept nogil
    cdef int make_room(self, Chunk* chunk) noexcept nogil
    cdef int unfold_one(
        self, Chunk* chunk, uint16_t* own, uint16_t* other, const Trace* trace,
        const Trace* other_trace, int my_off, int their_off, Inputs inputs, int64_t first,
        int64_t size
    ) noexcept nogil
    cdef int unfold(
        self, Chunk* chunk, Inputs inputs, int64_t first, int64_t size
    ) noexcept nogil
    cdef int claim(self, Chunk* chunk, const uint32_t* places, int n_pairs) noexcept nogil
