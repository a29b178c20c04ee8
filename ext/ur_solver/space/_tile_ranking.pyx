"""Rank and unrank of rows of contents, without stored keys and without holes.

A row holds the number of every square's content in board order, then my home stock and
the opponent's. `ur_solver.space.tiles` builds the tables and documents the order of
ranks; here they are only read.
"""

from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

import numpy as np

cdef enum:
    MOST_NUMBER = 0xFFFF

NO_CONTENT = MOST_NUMBER
"""A number that is no content of any square."""

LIMITS = {"squares": MAX_WIDTH - 2, "shared": MAX_SHARED}
"""As `ur_solver.rules.limits` has them."""


cdef class TileRanking:
    """The counting tables of one state space, ready for compiled code.

    Thread safe: nothing is written after construction.
    """

    def __cinit__(self):
        self.tally = NULL
        self.counted = NULL

    def __dealloc__(self):
        free(self.tally)
        free(self.counted)

    def __init__(self, tables):
        cdef int cell, content, shape
        self.take = tables["take"]
        self.n_contents = tables["n_contents"]
        self.first_content = tables["first_content"]
        self.parts = tables["parts"]
        self.uses = tables["uses"]
        self.codes = tables["codes"]
        self.mirror_cell = tables["mirror_cell"]
        self.mirror_content = tables["mirror_content"]
        self.shared = tables["shared"]
        self.shared_mirror = tables["mirror_cell"][tables["shared"]]
        self.mirror_place = np.array(
            [list(self.shared).index(cell) for cell in self.shared_mirror], dtype=np.int32)
        self.private = tables["private"]
        self.radix = tables["radix"]
        self.n_placements = tables["n_placements"]
        self.placement_of = tables["placement_of"]
        self.code_of = tables["code_of"]
        self.n_shapes = tables["n_shapes"]
        self.first_shape = tables["first_shape"]
        self.n_details = tables["n_details"]
        self.shape_of = tables["shape_of"]
        self.detail_of = tables["detail_of"]
        self.n_digits = tables["n_digits"]
        self.rest = tables["rest"]
        self.digit_of = tables["digit_of"]
        self.detail_at = tables["detail_at"]
        self.first_entry = tables["first_entry"]
        self.below = tables["below"]
        self.below_start = tables["below_start"]
        self.frozen = tables["frozen"]
        self.is_closing = tables["is_closing"]
        self.frozen_content = tables["frozen_content"]
        self.config_of = tables["config_of"]
        self.config_free = tables["config_free"]
        self.config_own = tables["config_own"]
        self.config_frozen = tables["config_frozen"]
        self.half_offset = tables["half_offset"]
        self.half_start = tables["half_start"]
        self.half_configs = tables["half_configs"]
        self.n_cells = self.n_contents.shape[0]
        self.n_shared = self.shared.shape[0]
        self.n_private = self.private.shape[0]
        self.n_frozen = self.frozen.shape[1]
        self.n_reserves, self.n_stocks = self.take.shape[0], tables["n_stocks"]
        self.is_numbered = tables["is_numbered"]
        if self.n_cells + 2 > MAX_WIDTH or self.n_shared > MAX_SHARED:
            raise ValueError("a board larger than the compiled limits")
        self._tell()
        details = tables["n_details"]
        sizes = details[:, 0] * details[:, 1]
        self.shape_start = (np.cumsum(sizes) - sizes).astype(np.int32)
        self.content_of = np.zeros(np.sum(sizes), dtype=np.uint16)
        for cell in range(self.n_cells):
            for content in range(self.n_contents[cell]):
                shape = self.first_shape[cell] + self.shape_of[self.first_content[cell] + content]
                self.content_of[
                    self.shape_start[shape]
                    + self.detail_of[self.first_content[cell] + content, 0]
                    * self.n_details[shape, 1]
                    + self.detail_of[self.first_content[cell] + content, 1]] = <uint16_t>content

    cdef _tell(self):
        # What each content adds up to, and what counting needs of it.
        cdef int n = self.parts.shape[0], k, s, side, cell
        cdef Content* counted
        self.tally = <Tally*>calloc(n, sizeof(Tally))
        self.counted = <Content*>calloc(n, sizeof(Content))
        if self.tally == NULL or self.counted == NULL:
            raise MemoryError("no memory for the contents of squares")
        for k in range(n):
            for side in range(2):
                self.tally[k].parts |= <uint64_t>self.parts[k, side] << 16 * side
                self.tally[k].parts |= <uint64_t>self.codes[k, side, 1] << 32 + 16 * side
                self.tally[k].codes |= <uint64_t>self.codes[k, side, 0] << 32 * side
            counted = &self.counted[k]
            counted.mine, counted.theirs = self.uses[k, 0], self.uses[k, 1]
            counted.both = counted.mine * self.n_reserves + counted.theirs
            counted.shape = self.shape_of[k]
        for cell in range(self.n_cells):
            self.cells[cell].n_contents = self.n_contents[cell]
            self.cells[cell].tally = &self.tally[self.first_content[cell]]
            self.cells[cell].counted = &self.counted[self.first_content[cell]]
        for s in range(self.n_shared):
            cell = self.shared[s]
            self.squares[s].cell, self.squares[s].n_shapes = cell, self.n_shapes[cell]
            self.squares[s].has_details = self.n_shapes[cell] < self.n_contents[cell]
            self.squares[s].below = &self.below[self.below_start[s]]
            self.has_details = self.has_details or self.squares[s].has_details

    cdef bint add_up(self, const uint16_t* row, Tally* tally) noexcept nogil:
        # What a row's contents add up to, with the pieces at home; False where it holds too many,
        # one of them twice, or a content that its square cannot have.
        cdef uint64_t parts = row[self.n_cells] | <uint64_t>row[self.n_cells + 1] << 16
        cdef uint64_t codes = 0, either = parts
        cdef int cell
        cdef const Tally* one
        if row[self.n_cells] >= self.n_stocks or row[self.n_cells + 1] >= self.n_stocks:
            return False
        for cell in range(self.n_cells):
            if row[cell] >= self.cells[cell].n_contents:
                return False
            one = &self.cells[cell].tally[row[cell]]
            parts += one.parts
            codes += one.codes
            either |= one.parts
        tally.parts, tally.codes = parts, codes
        if self.is_numbered and <uint32_t>parts != <uint32_t>either:
            return False
        return <uint16_t>parts < self.n_stocks and <uint16_t>(parts >> 16) < self.n_stocks

    cdef bint find_place(self, const uint16_t* row, const Tally* tally, Place* place) noexcept nogil:
        # The place of a sound row; False if it is over.
        cdef int mine = self.config_of[self.off(tally, 0), <uint16_t>(tally.parts >> 32)]
        cdef int theirs = self.config_of[self.off(tally, 1), tally.parts >> 48]
        cdef int s, cell, shape, content, my_row = 0, their_row = 0, my_details = 1
        cdef int their_details = 1
        cdef int64_t weight = 1
        cdef const Square* square
        cdef const Content* held
        if mine < 0 or theirs < 0:
            return False
        # what is left of reserves: j in the order of tiles, k in that of columns
        cdef int i = self.config_own[mine], j = self.config_free[theirs], k = j
        cdef int64_t both = <int64_t>i * self.n_reserves + j
        place.tile = self.half_offset[mine, theirs]
        for s in range(self.n_shared):
            square = &self.squares[s]
            held = &self.cells[square.cell].counted[row[square.cell]]
            place.tile += weight * square.below[both * square.n_shapes + held.shape]
            if square.has_details:
                content = self.first_content[square.cell] + row[square.cell]
                shape = self.first_shape[square.cell] + held.shape
                my_row = my_row * self.n_digits[i, shape, 0] + self.digit_of[i, content, 0]
                my_details *= self.n_digits[i, shape, 0]
                their_details *= self.n_digits[j, shape, 1]
                weight = <int64_t>my_details * their_details
            both -= held.both
            i -= held.mine
            j -= held.theirs
        if self.has_details:
            # theirs in the order in which they are mine as the other side sees it
            for s in range(self.n_shared):
                cell = self.shared_mirror[s]
                held = &self.cells[cell].counted[row[cell]]
                if self.squares[s].has_details:
                    content = self.first_content[cell] + row[cell]
                    shape = self.first_shape[cell] + held.shape
                    their_row = (
                        their_row * self.n_digits[k, shape, 1] + self.digit_of[k, content, 1])
                k -= held.theirs
        place.row = my_row * self.n_placements[i] + self.placement_of[i, <uint32_t>tally.codes]
        place.column = their_row * self.n_placements[j] + self.placement_of[j, tally.codes >> 32]
        place.n_columns = their_details * self.n_placements[j]
        return True

    cdef int64_t rank_row(self, const uint16_t* row) noexcept nogil:
        # -1 for a row that is over or not of this space.
        cdef Tally tally
        cdef Place place
        if not self.add_up(row, &tally) or not self.find_place(row, &tally, &place):
            return -1
        return place.tile + <int64_t>place.row * place.n_columns + place.column

    cdef void write_row(self, int64_t rank, uint16_t* row) noexcept nogil:
        cdef uint16_t shapes[MAX_SHARED]
        cdef uint16_t my_details[MAX_SHARED]
        cdef uint16_t their_details[MAX_SHARED]
        cdef Py_ssize_t low = 0, high = self.half_start.shape[0] - 1, middle
        cdef int mine, theirs, i, j, k, s, cell, first, last, half
        cdef int number, other, n_placements, n_others
        cdef int64_t weight = 1, columns = 1
        cdef const int64_t* below
        while low < high:
            middle = (low + high + 1) // 2
            if self.half_start[middle] <= rank:
                low = middle
            else:
                high = middle - 1
        mine, theirs = self.half_configs[low, 0], self.half_configs[low, 1]
        memset(row, 0, self.n_cells * sizeof(uint16_t))  # squares that no piece visits
        rank -= self.half_start[low]
        i, j = self.config_own[mine], self.config_free[theirs]
        for s in range(self.n_shared):
            cell = self.shared[s]
            below = &self.below[self.below_start[s]
                                + (<int64_t>i * self.n_reserves + j) * self.n_shapes[cell]]
            # the last shape with no more before it than the rank: shapes that need a piece
            # too many add no ranks, so that it is none of them
            first, last = 0, self.n_shapes[cell] - 1
            while first < last:
                half = (first + last + 1) // 2
                if weight * below[half] <= rank:
                    first = half
                else:
                    last = half - 1
            rank -= weight * below[first]
            shapes[s] = <uint16_t>first
            first += self.first_shape[cell]
            weight *= self.n_digits[i, first, 0] * self.n_digits[j, first, 1]
            columns *= self.n_digits[j, first, 1]
            i, j = self.rest[i, first, 0], self.rest[j, first, 1]
        columns *= self.n_placements[j]
        number, other = <int>(rank // columns), <int>(rank % columns)
        n_placements, n_others = self.n_placements[i], self.n_placements[j]
        if self.has_details:
            i = self.find_details(
                shapes, 0, self.config_own[mine], number // n_placements, my_details)
            j = self.find_details(
                shapes, 1, self.config_free[theirs], other // n_others, their_details)
        for s in range(self.n_shared):
            first = self.first_shape[self.shared[s]] + shapes[s]
            k = self.shape_start[first]
            if self.has_details:
                k += my_details[s] * self.n_details[first, 1] + their_details[s]
            row[self.shared[s]] = self.content_of[k]
        self.write_placement(0, i, number % n_placements, row)
        self.write_placement(1, j, other % n_others, row)
        self.write_frozen(0, mine, row)
        self.write_frozen(1, theirs, row)

    cdef int find_details(
        self, const uint16_t* shapes, int side, int reserve, int line, uint16_t* details
    ) noexcept nogil:
        # A side's details on shared squares in a line of rows or of columns, those that differ in
        # the placement alone; what they leave of its reserve. Shapes and details are in the order
        # of tiles.
        cdef int places[MAX_SHARED]  # by digit, its square's in that order
        cdef int n_digits[MAX_SHARED]
        cdef int s, k, shape, n_places = 0, left = reserve, n = 1
        for s in range(self.n_shared):
            k = s if side == 0 else self.mirror_place[s]
            details[k] = 0
            shape = self.first_shape[self.shared[k]] + shapes[k]
            # where a side has no piece there is no more to it
            if shapes[k] == 0 or self.rest[left, shape, side] == left:
                continue
            places[n_places], n_digits[n_places] = k, self.n_digits[left, shape, side]
            n *= n_digits[n_places]
            n_places += 1
            left = self.rest[left, shape, side]
        for s in range(n_places):
            k = places[s]
            shape = self.first_shape[self.shared[k]] + shapes[k]
            n //= n_digits[s]
            details[k] = self.detail_at[reserve, self.first_entry[shape, side] + line // n]
            line %= n
            reserve -= self.uses[self.content_by(shape, self.shared[k], side, details[k]), side]
        return reserve

    cdef int line_of(
        self, const uint16_t* shapes, int side, int reserve, const uint16_t* details, int* left
    ) noexcept nogil:
        # The line that has these details, the inverse of `find_details`; what is left of the
        # reserve.
        cdef int s, k, shape, content, line = 0
        for s in range(self.n_shared):
            k = s if side == 0 else self.mirror_place[s]
            if shapes[k] == 0:
                continue
            shape = self.first_shape[self.shared[k]] + shapes[k]
            content = self.content_by(shape, self.shared[k], side, details[k])
            line = line * self.n_digits[reserve, shape, side] + (
                self.digit_of[reserve, content, side])
            reserve -= self.uses[content, side]
        left[0] = reserve
        return line

    cdef void write_placement(
        self, int side, int reserve, int placement, uint16_t* row
    ) noexcept nogil:
        # A side's private squares, and the rest of its stock at home.
        cdef int code = self.code_of[reserve, placement], s, cell, content, radix
        for s in range(self.n_private):
            cell, radix = self.private[s], <int>self.radix[s]
            content = code // radix
            code %= radix
            reserve -= self.uses[self.first_content[cell] + content, 0]
            if side == 0:
                row[cell] = <uint16_t>content
            else:
                row[self.mirror_cell[cell]] = self.mirror_content[
                    self.first_content[cell] + content]
        row[self.n_cells + side] = <uint16_t>(reserve % self.n_stocks)

    cdef void write_frozen(self, int side, int config, uint16_t* row) noexcept nogil:
        # A side's frozen squares; those that no piece closes have what the placement says.
        cdef int k, content
        for k in range(self.n_frozen):
            content = self.frozen_content[side, k, self.config_frozen[config, k]]
            if content or not self.is_closing[k]:
                row[self.frozen[side, k]] = <uint16_t>content


def rank_states(TileRanking ranking, const uint16_t[:, ::1] states, int64_t[::1] ranks):
    """Write the rank of each state row to `ranks`; -1 where a row is no state."""
    cdef Py_ssize_t k
    with nogil:
        for k in range(states.shape[0]):
            ranks[k] = ranking.rank_row(&states[k, 0])


def unrank_states(TileRanking ranking, const int64_t[::1] ranks, uint16_t[:, ::1] states):
    """Write the state row of each rank, all in 0 .. n_values - 1, to `states`."""
    cdef Py_ssize_t k
    with nogil:
        for k in range(ranks.shape[0]):
            ranking.write_row(ranks[k], &states[k, 0])


def rank_one(TileRanking ranking, list state):
    """The rank of one state row; -1 if it is no state."""
    cdef uint16_t row[MAX_WIDTH]
    cdef int k, number
    if len(state) != ranking.n_cells + 2:
        return -1
    try:
        for k in range(ranking.n_cells + 2):
            number = state[k]
            if not 0 <= number <= MOST_NUMBER:
                return -1
            row[k] = <uint16_t>number
    except OverflowError:
        return -1
    return ranking.rank_row(row)
