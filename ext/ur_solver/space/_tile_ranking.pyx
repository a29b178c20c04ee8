"""Rank and unrank of rows of contents, without stored keys and without holes.

A row holds the number of every square's content in board order, then my home stock and
the opponent's. `ur_solver.space.tiles` builds the tables and documents the order of
ranks; here they are only read.
"""

from libc.stdint cimport int64_t, uint16_t

import numpy as np

NO_CONTENT = 0xFFFF
"""A number that is no content of any square."""


cdef class TileRanking:
    """The counting tables of one state space, ready for compiled code.

    Thread safe: nothing is written after construction.
    """

    def __init__(self, tables):
        cdef int cell, content, shape
        self.take = tables["take"]
        self.n_contents = tables["n_contents"]
        self.first_content = tables["first_content"]
        self.parts = tables["parts"]
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
        self.frozen_content = tables["frozen_content"]
        self.config_of = tables["config_of"]
        self.config_free = tables["config_free"]
        self.config_frozen = tables["config_frozen"]
        self.half_offset = tables["half_offset"]
        self.half_start = tables["half_start"]
        self.half_configs = tables["half_configs"]
        self.n_cells = self.n_contents.shape[0]
        self.n_shared = self.shared.shape[0]
        self.n_private = self.private.shape[0]
        self.n_frozen = self.frozen.shape[1]
        self.n_stocks = self.take.shape[0]
        if self.n_cells + 2 > MAX_WIDTH or self.n_shared > MAX_SHARED:
            raise ValueError("a board larger than the compiled limits")
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

    cdef void off_stocks(self, const uint16_t* row, int* mine, int* theirs) noexcept nogil:
        # The pieces of each side that are off, -1 where the row holds too many, or a
        # content that its square cannot have.
        cdef int cell, content
        mine[0] = theirs[0] = -1
        if row[self.n_cells] >= self.n_stocks or row[self.n_cells + 1] >= self.n_stocks:
            return
        cdef int i = self.n_stocks - 1 - row[self.n_cells]
        cdef int j = self.n_stocks - 1 - row[self.n_cells + 1]
        for cell in range(self.n_cells):
            content = row[cell]
            if content == 0:
                continue
            if content >= self.n_contents[cell]:
                return
            content += self.first_content[cell]
            i = self.take[i, self.parts[content, 0]]
            if i < 0:
                return
            j = self.take[j, self.parts[content, 1]]
            if j < 0:
                return
        mine[0], theirs[0] = i, j

    cdef int config(self, const uint16_t* row, int side, int off) noexcept nogil:
        # The number of a side's config, mine for side 0; -1 if that side has won.
        cdef int k, cell, code = 0
        for k in range(self.n_frozen):
            cell = self.frozen[side, k]
            code = code * self.n_stocks + self.parts[self.first_content[cell] + row[cell], side]
        return self.config_of[off, code]

    cdef bint find_place(
        self, const uint16_t* row, int my_off, int their_off, Place* place
    ) noexcept nogil:
        # The place of a sound row whose pieces off are known; False if it is over.
        cdef int mine = self.config(row, 0, my_off), theirs = self.config(row, 1, their_off)
        cdef int s, cell, content, shape, my_row = 0, their_row = 0, my_details = 1
        cdef int their_details = 1
        cdef int64_t weight = 1, my_code = 0, their_code = 0
        if mine < 0 or theirs < 0:
            return False
        # what is left of stocks: j in the order of tiles, k in that of columns
        cdef int i = self.config_free[mine], j = self.config_free[theirs], k = j
        place.tile = self.half_offset[mine, theirs]
        for s in range(self.n_shared):
            cell = self.shared[s]
            content = row[cell]
            # nothing comes before an empty square, and it takes nothing
            if content:
                shape = self.shape_of[self.first_content[cell] + content]
                place.tile += weight * self.below[
                    self.below_start[s]
                    + (<int64_t>i * self.n_stocks + j) * self.n_shapes[cell] + shape]
                content += self.first_content[cell]
                shape += self.first_shape[cell]
                my_row = my_row * self.n_digits[i, shape, 0] + self.digit_of[i, content, 0]
                my_details *= self.n_digits[i, shape, 0]
                their_details *= self.n_digits[j, shape, 1]
                weight = <int64_t>my_details * their_details
                i -= self.parts[content, 0]
                j -= self.parts[content, 1]
            # theirs in the order in which they are mine as the other side sees it
            cell = self.shared_mirror[s]
            content = row[cell]
            if content:
                content += self.first_content[cell]
                shape = self.first_shape[cell] + self.shape_of[content]
                their_row = their_row * self.n_digits[k, shape, 1] + self.digit_of[k, content, 1]
                k -= self.parts[content, 1]
        for s in range(self.n_private):
            cell = self.private[s]
            my_code += self.radix[s] * row[cell]
            cell = self.mirror_cell[cell]
            their_code += self.radix[s] * self.mirror_content[self.first_content[cell] + row[cell]]
        place.row = my_row * self.n_placements[i] + self.placement_of[i, my_code]
        place.column = their_row * self.n_placements[j] + self.placement_of[j, their_code]
        place.n_columns = their_details * self.n_placements[j]
        return True

    cdef int64_t rank_placed(
        self, const uint16_t* row, int my_off, int their_off
    ) noexcept nogil:
        # The rank of a sound row whose pieces off are known; -1 if it is over.
        cdef Place place
        if not self.find_place(row, my_off, their_off, &place):
            return -1
        return place.tile + <int64_t>place.row * place.n_columns + place.column

    cdef int64_t rank_row(self, const uint16_t* row) noexcept nogil:
        # -1 for a row that is over or not of this space.
        cdef int mine, theirs
        self.off_stocks(row, &mine, &theirs)
        if mine < 0:
            return -1
        return self.rank_placed(row, mine, theirs)

    cdef void write_row(self, int64_t rank, uint16_t* row) noexcept nogil:
        cdef uint16_t shapes[MAX_SHARED]
        cdef uint16_t my_details[MAX_SHARED]
        cdef uint16_t their_details[MAX_SHARED]
        cdef Py_ssize_t low = 0, high = self.half_start.shape[0] - 1, middle
        cdef int mine, theirs, i, j, s, k, cell, first, last, half
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
        rank -= self.half_start[low]
        for k in range(self.n_frozen):
            row[self.frozen[0, k]] = self.frozen_content[0, k, self.config_frozen[mine, k]]
            row[self.frozen[1, k]] = self.frozen_content[1, k, self.config_frozen[theirs, k]]
        i, j = self.config_free[mine], self.config_free[theirs]
        for s in range(self.n_shared):
            cell = self.shared[s]
            below = &self.below[self.below_start[s]
                                + (<int64_t>i * self.n_stocks + j) * self.n_shapes[cell]]
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
        i = self.find_details(
            shapes, 0, self.config_free[mine], number // n_placements, my_details)
        j = self.find_details(
            shapes, 1, self.config_free[theirs], other // n_others, their_details)
        for s in range(self.n_shared):
            first = self.first_shape[self.shared[s]] + shapes[s]
            row[self.shared[s]] = self.content_of[
                self.shape_start[first] + my_details[s] * self.n_details[first, 1]
                + their_details[s]]
        self.write_placement(0, i, number % n_placements, row)
        self.write_placement(1, j, other % n_others, row)

    cdef int find_details(
        self, const uint16_t* shapes, int side, int stock, int line, uint16_t* details
    ) noexcept nogil:
        # A side's details on shared squares in a line of rows or of columns, those that differ in
        # the placement alone; what they leave of its stock. Shapes and details are in the order of
        # tiles.
        cdef int places[MAX_SHARED]  # by digit, its square's in that order
        cdef int n_digits[MAX_SHARED]
        cdef int s, k, shape, n_places = 0, left = stock, n = 1
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
            details[k] = self.detail_at[stock, self.first_entry[shape, side] + line // n]
            line %= n
            stock -= self.parts[self.content_by(shape, self.shared[k], side, details[k]), side]
        return stock

    cdef int line_of(
        self, const uint16_t* shapes, int side, int stock, const uint16_t* details, int* left
    ) noexcept nogil:
        # The line that has these details, the inverse of `find_details`; what is left of the stock.
        cdef int s, k, shape, content, line = 0
        for s in range(self.n_shared):
            k = s if side == 0 else self.mirror_place[s]
            if shapes[k] == 0:
                continue
            shape = self.first_shape[self.shared[k]] + shapes[k]
            content = self.content_by(shape, self.shared[k], side, details[k])
            line = line * self.n_digits[stock, shape, side] + self.digit_of[stock, content, side]
            stock -= self.parts[content, side]
        left[0] = stock
        return line

    cdef void write_placement(
        self, int side, int stock, int placement, uint16_t* row
    ) noexcept nogil:
        # A side's private squares, and the rest of a stock at home.
        cdef int64_t code = self.code_of[stock, placement]
        cdef int s, cell, content
        for s in range(self.n_private):
            cell = self.private[s]
            content = <int>(code // self.radix[s])
            code %= self.radix[s]
            stock -= self.parts[self.first_content[cell] + content, 0]
            if side == 0:
                row[cell] = <uint16_t>content
            else:
                row[self.mirror_cell[cell]] = self.mirror_content[
                    self.first_content[cell] + content]
        row[self.n_cells + side] = <uint16_t>stock

    cdef void write_mirror(self, const uint16_t* row, uint16_t* other) noexcept nogil:
        # The row as the other side sees it.
        cdef int cell
        for cell in range(self.n_cells):
            other[self.mirror_cell[cell]] = self.mirror_content[
                self.first_content[cell] + row[cell]]
        other[self.n_cells] = row[self.n_cells + 1]
        other[self.n_cells + 1] = row[self.n_cells]


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
