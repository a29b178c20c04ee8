"""Rank and unrank of rows of contents, without stored keys and without holes.

A row holds the number of every square's content in board order, then my home stock and
the opponent's. `ur_solver.space.tiles` builds the tables and documents the order of
ranks; here they are only read.
"""

from libc.stdint cimport int32_t, int64_t, uint16_t

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
        cdef int s, cell, content, shape, my_row = 0, their_row = 0
        cdef int64_t weight = 1, my_code = 0, their_code = 0
        if mine < 0 or theirs < 0:
            return False
        cdef int i = self.config_free[mine], j = self.config_free[theirs]
        place.tile = self.half_offset[mine, theirs]
        place.my_details = place.their_details = 1
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
                my_row = my_row * self.n_details[shape, 0] + self.detail_of[content, 0]
                place.my_details *= self.n_details[shape, 0]
                place.their_details *= self.n_details[shape, 1]
                weight = <int64_t>place.my_details * place.their_details
                i -= self.parts[content, 0]
                j -= self.parts[content, 1]
            # theirs in the order in which they are mine as the other side sees it
            cell = self.shared_mirror[s]
            content = row[cell]
            if content:
                content += self.first_content[cell]
                shape = self.first_shape[cell] + self.shape_of[content]
                their_row = their_row * self.n_details[shape, 1] + self.detail_of[content, 1]
        for s in range(self.n_private):
            cell = self.private[s]
            my_code += self.radix[s] * row[cell]
            cell = self.mirror_cell[cell]
            their_code += self.radix[s] * self.mirror_content[self.first_content[cell] + row[cell]]
        place.mine, place.theirs = i, j
        place.row = my_row * self.n_placements[i] + self.placement_of[i, my_code]
        place.column = their_row * self.n_placements[j] + self.placement_of[j, their_code]
        place.n_columns = place.their_details * self.n_placements[j]
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
        cdef Py_ssize_t low = 0, high = self.half_start.shape[0] - 1, middle
        cdef int mine, theirs, i, j, s, k, cell, first, last, half, content
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
            weight *= self.n_details[first, 0] * self.n_details[first, 1]
            columns *= self.n_details[first, 1]
            content = self.first_content[cell] + self.content_of[self.shape_start[first]]
            i -= self.parts[content, 0]
            j -= self.parts[content, 1]
        columns *= self.n_placements[j]
        self.write_details(shapes, <int>(rank // columns), <int>(rank % columns), i, j, row)

    cdef void write_details(
        self, const uint16_t* shapes, int row, int column, int mine, int theirs, uint16_t* state
    ) noexcept nogil:
        # All of a state but its frozen squares, by the shapes of its tile, its row and its
        # column, and the stocks that placements draw on.
        cdef int my_details[MAX_WIDTH]
        cdef int their_details[MAX_WIDTH]
        cdef int32_t shape_on[MAX_WIDTH]
        cdef int s, cell, shape, content
        cdef int my_row = row // self.n_placements[mine]
        cdef int their_row = column // self.n_placements[theirs]
        cdef int64_t my_code = self.code_of[mine, row % self.n_placements[mine]]
        cdef int64_t their_code = self.code_of[theirs, column % self.n_placements[theirs]]
        for s in range(self.n_shared):
            shape_on[self.shared[s]] = self.first_shape[self.shared[s]] + shapes[s]
        for s in range(self.n_shared - 1, -1, -1):
            cell = self.shared[s]
            shape = shape_on[cell]
            my_details[cell] = my_row % self.n_details[shape, 0]
            my_row //= self.n_details[shape, 0]
            cell = self.shared_mirror[s]
            shape = shape_on[cell]
            their_details[cell] = their_row % self.n_details[shape, 1]
            their_row //= self.n_details[shape, 1]
        for s in range(self.n_shared):
            cell = self.shared[s]
            shape = shape_on[cell]
            state[cell] = self.content_of[
                self.shape_start[shape] + my_details[cell] * self.n_details[shape, 1]
                + their_details[cell]]
        for s in range(self.n_private):
            cell = self.private[s]
            content = <int>(my_code // self.radix[s])
            my_code %= self.radix[s]
            state[cell] = <uint16_t>content
            mine -= self.parts[self.first_content[cell] + content, 0]
            content = <int>(their_code // self.radix[s])
            their_code %= self.radix[s]
            theirs -= self.parts[self.first_content[cell] + content, 0]
            state[self.mirror_cell[cell]] = self.mirror_content[
                self.first_content[cell] + content]
        state[self.n_cells] = <uint16_t>mine
        state[self.n_cells + 1] = <uint16_t>theirs

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
