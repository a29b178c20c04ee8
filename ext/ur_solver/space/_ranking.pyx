"""Rank and unrank of encoded states, without stored keys and without holes.

A state is a row of bytes: the content code of every square in board order, then my
home count and the opponent's. `ur_solver.space.race` builds the tables and documents
the order of ranks; here they are only read.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint32_t


cdef inline int popcount8(uint32_t bits) noexcept nogil:
    cdef int count = 0
    bits &= 0xFF
    while bits:
        bits &= bits - 1
        count += 1
    return count


cdef class Ranking:
    """The counting tables of one state space, ready for compiled code.

    Thread safe: nothing is written after construction.
    """

    def __init__(self, tables, int pieces, int64_t n_values):
        self.pieces = pieces
        self.n_values = n_values
        self.cell_bits = tables["cell_bits"]
        self.cell_digit = tables["cell_digit"]
        self.cell_shared = tables["cell_shared"]
        self.shared_cell = tables["shared_cell"]
        self.digit_code = tables["digit_code"]
        self.config_of = tables["config_of"]
        self.config_off = tables["config_off"]
        self.config_mask = tables["config_mask"]
        self.config_free = tables["config_free"]
        self.config_shape = tables["config_shape"]
        self.row_of = tables["row_of"]
        self.row_mask = tables["row_mask"]
        self.row_prefix = tables["row_prefix"]
        self.below = tables["below"]
        self.half_offset = tables["half_offset"]
        self.half_start = tables["half_start"]
        self.half_configs = tables["half_configs"]
        self.n_cells = self.cell_bits.shape[0]
        self.n_shared = self.shared_cell.shape[0]
        self.n_configs = self.config_off.shape[0]
        self.n_digits = self.below.shape[5]
        self.n_shapes = self.below.shape[0]
        if self.n_shared > MAX_SHARED or self.n_cells > MAX_CELLS:
            raise ValueError("a board larger than the compiled limits")

    cdef int64_t rank_state(self, const uint8_t* state) noexcept nogil:
        # -1 for a state that is over or not of this space.
        cdef Decoded decoded
        cdef uint32_t bits = 0
        cdef int cell, code, digit, square
        cdef int on_board_mine = 0, on_board_theirs = 0, off_mine, off_theirs
        cdef uint32_t my_frozen, their_frozen
        for cell in range(self.n_cells):
            code = state[cell]
            if code >= N_CODES:
                return -1
            digit = self.cell_digit[cell, code]
            if digit < 0:
                return -1
            if code == 1 or code == 3:
                on_board_mine += 1
            elif code:
                on_board_theirs += 1
            square = self.cell_shared[cell]
            if square >= 0:
                decoded.digits[square] = digit
            else:
                bits |= self.cell_bits[cell, code]
        off_mine = self.pieces - on_board_mine - state[self.n_cells]
        off_theirs = self.pieces - on_board_theirs - state[self.n_cells + 1]
        if off_mine < 0 or off_theirs < 0:
            return -1
        my_frozen = (bits >> 8) & 0xFF
        their_frozen = (bits >> 24) & 0xFF
        decoded.mine = self.config_of[off_mine, my_frozen]
        decoded.theirs = self.config_of[off_theirs, their_frozen]
        if decoded.mine < 0 or decoded.theirs < 0:
            return -1
        decoded.my_row = self.row_of[my_frozen, bits & 0xFF]
        decoded.their_row = self.row_of[their_frozen, (bits >> 16) & 0xFF]
        return self.rank_decoded(&decoded)

    cdef int64_t rank_decoded(self, const Decoded* state) noexcept nogil:
        cdef int mine_shape = self.config_shape[state.mine]
        cdef int their_shape = self.config_shape[state.theirs]
        cdef int i = self.config_free[state.mine]
        cdef int j = self.config_free[state.theirs]
        cdef int s, code
        cdef int64_t rank = self.half_offset[state.mine, state.theirs]
        for s in range(self.n_shared):
            rank += self.below[mine_shape, their_shape, s, i, j, state.digits[s]]
            code = self.digit_code[s, state.digits[s]]
            if code:
                if code & 1:
                    i -= 1
                else:
                    j -= 1
        return rank + state.my_row * self.row_prefix[their_shape, j] + state.their_row

    cdef void decode(self, int64_t rank, Decoded* state) noexcept nogil:
        cdef Py_ssize_t low = 0, high = self.half_start.shape[0] - 1, middle
        cdef int mine_shape, their_shape, i, j, s, digit, code, columns
        cdef int64_t below
        while low < high:
            middle = (low + high + 1) // 2
            if self.half_start[middle] <= rank:
                low = middle
            else:
                high = middle - 1
        state.mine = self.half_configs[low, 0]
        state.theirs = self.half_configs[low, 1]
        rank -= self.half_start[low]
        mine_shape = self.config_shape[state.mine]
        their_shape = self.config_shape[state.theirs]
        i = self.config_free[state.mine]
        j = self.config_free[state.theirs]
        for s in range(self.n_shared):
            digit = self.n_digits - 1
            while True:
                below = self.below[mine_shape, their_shape, s, i, j, digit]
                if 0 <= below <= rank:
                    break
                digit -= 1
            state.digits[s] = digit
            rank -= below
            code = self.digit_code[s, digit]
            if code:
                if code & 1:
                    i -= 1
                else:
                    j -= 1
        columns = self.row_prefix[their_shape, j]
        state.my_row = <int32_t>(rank // columns)
        state.their_row = <int32_t>(rank % columns)

    cdef void write_state(self, const Decoded* decoded, uint8_t* state) noexcept nogil:
        cdef int cell, code, s
        cdef uint32_t my_frozen = self.config_mask[decoded.mine]
        cdef uint32_t their_frozen = self.config_mask[decoded.theirs]
        cdef uint32_t my_entry = self.row_mask[my_frozen, decoded.my_row]
        cdef uint32_t their_entry = self.row_mask[their_frozen, decoded.their_row]
        cdef uint32_t bits = (
            my_entry | (my_frozen << 8) | (their_entry << 16) | (their_frozen << 24)
        )
        cdef int mine = self.config_free[decoded.mine] - popcount8(my_entry)
        cdef int theirs = self.config_free[decoded.theirs] - popcount8(their_entry)
        for cell in range(self.n_cells):
            s = self.cell_shared[cell]
            state[cell] = 0
            if s >= 0:
                code = self.digit_code[s, decoded.digits[s]]
                state[cell] = <uint8_t>code
                if code:
                    if code & 1:
                        mine -= 1
                    else:
                        theirs -= 1
            else:
                for code in range(1, N_CODES):
                    if self.cell_digit[cell, code] >= 0 and self.cell_bits[cell, code] & bits:
                        state[cell] = <uint8_t>code
        state[self.n_cells] = <uint8_t>mine
        state[self.n_cells + 1] = <uint8_t>theirs


def rank_states(Ranking ranking, const uint8_t[:, ::1] states, int64_t[::1] ranks):
    """Write the rank of each state row to `ranks`; -1 where a row is no state."""
    cdef Py_ssize_t k
    with nogil:
        for k in range(states.shape[0]):
            ranks[k] = ranking.rank_state(&states[k, 0])


def unrank_states(Ranking ranking, const int64_t[::1] ranks, uint8_t[:, ::1] states):
    """Write the state row of each rank, all in 0 .. n_values - 1, to `states`."""
    cdef Py_ssize_t k
    cdef Decoded decoded
    with nogil:
        for k in range(ranks.shape[0]):
            ranking.decode(ranks[k], &decoded)
            ranking.write_state(&decoded, &states[k, 0])


def rank_one(Ranking ranking, const uint8_t[::1] state):
    """The rank of one state row; -1 if it is no state."""
    if state.shape[0] != ranking.n_cells + 2:
        return -1
    return ranking.rank_state(&state[0])
