"""Rank and unrank of encoded states, without stored keys and without holes.

A state is a row of bytes: the content code of every square in board order, then my
home count and the opponent's. `ur_solver.space.race` builds the tables and documents
the order of ranks; here they are only read.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

# A cell's content adds to one sum: its bits of four masks, then pieces of mine and of theirs,
# then contents that are not allowed.
cdef enum:
    MINE_SHIFT = 32
    THEIRS_SHIFT = 40
    FAULT_SHIFT = 48


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
        self.add_up()

    cdef void add_up(self) noexcept:
        # Fill `cell_word`.
        cdef int cell, code
        cdef uint64_t word
        for cell in range(self.n_cells):
            for code in range(CODE_ROOM):
                word = <uint64_t>1 << FAULT_SHIFT
                if code < N_CODES and self.cell_digit[cell, code] >= 0:
                    word = 0 if self.cell_shared[cell] >= 0 else self.cell_bits[cell, code]
                    if code:
                        word += <uint64_t>1 << (MINE_SHIFT if code & 1 else THEIRS_SHIFT)
                self.cell_word[cell][code] = word

    cdef int64_t rank_state(self, const uint8_t* state) noexcept nogil:
        # -1 for a state that is over or not of this space.
        cdef uint64_t sum = 0
        cdef uint8_t seen = 0
        cdef int cell, code, s, i, j, mine, theirs, mine_shape, their_shape, off_mine, off_theirs
        cdef uint32_t bits, my_frozen, their_frozen
        cdef int64_t rank
        cdef const int64_t* below
        cdef Py_ssize_t n_j = self.below.shape[4], n_digits = self.n_digits
        cdef Py_ssize_t square_step = self.below.shape[3] * n_j * n_digits
        for cell in range(self.n_cells):
            seen |= state[cell]
            sum += self.cell_word[cell][state[cell] & (CODE_ROOM - 1)]
        if seen >= CODE_ROOM or sum >> FAULT_SHIFT:
            return -1
        off_mine = self.pieces - <int>((sum >> MINE_SHIFT) & 0xFF) - state[self.n_cells]
        off_theirs = self.pieces - <int>((sum >> THEIRS_SHIFT) & 0xFF) - state[self.n_cells + 1]
        if off_mine < 0 or off_theirs < 0:
            return -1
        bits = <uint32_t>sum
        my_frozen = (bits >> 8) & 0xFF
        their_frozen = (bits >> 24) & 0xFF
        mine = self.config_of[off_mine, my_frozen]
        theirs = self.config_of[off_theirs, their_frozen]
        if mine < 0 or theirs < 0:
            return -1
        mine_shape, their_shape = self.config_shape[mine], self.config_shape[theirs]
        i, j = self.config_free[mine], self.config_free[theirs]
        rank = self.half_offset[mine, theirs]
        below = &self.below[mine_shape, their_shape, 0, 0, 0, 0]
        for s in range(self.n_shared):
            cell = self.shared_cell[s]
            code = state[cell]
            rank += below[(i * n_j + j) * n_digits + self.cell_digit[cell, code]]
            below += square_step
            i -= code & 1
            j -= (code != 0) - (code & 1)
        return (
            rank
            + <int64_t>self.row_of[my_frozen, bits & 0xFF] * self.row_prefix[their_shape, j]
            + self.row_of[their_frozen, (bits >> 16) & 0xFF]
        )

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
