"""Rank and unrank of rows of contents, without stored keys and without holes.

A row holds the number of every square's content in board order, then my home stock and
the opponent's. `ur_solver.space.content` builds the tables and documents the order of
ranks; here they are only read.
"""

from libc.stdint cimport int32_t, int64_t, uint16_t

NO_CONTENT = 0xFFFF
"""A number that is no content of any square."""


cdef class ContentRanking:
    """The counting tables of one state space, ready for compiled code.

    Thread safe: nothing is written after construction.
    """

    def __init__(self, tables):
        self.take = tables["take"]
        self.n_contents = tables["n_contents"]
        self.first_content = tables["first_content"]
        self.parts = tables["parts"]
        self.mirror_cell = tables["mirror_cell"]
        self.mirror_content = tables["mirror_content"]
        self.ranked = tables["ranked"]
        self.order_of = tables["order_of"]
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
        self.n_ranked = self.ranked.shape[0]
        self.n_frozen = self.frozen.shape[1]
        self.n_stocks = self.take.shape[0]
        if self.n_cells + 2 > MAX_WIDTH:
            raise ValueError("a board larger than the compiled limits")

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

    cdef int64_t rank_row(self, const uint16_t* row) noexcept nogil:
        # -1 for a row that is over or not of this space.
        cdef int mine, theirs
        self.off_stocks(row, &mine, &theirs)
        if mine < 0:
            return -1
        return self.rank_placed(row, mine, theirs)

    cdef int64_t rank_placed(
        self, const uint16_t* row, int my_off, int their_off
    ) noexcept nogil:
        # The rank of a sound row whose pieces off are known; -1 if it is over.
        cdef int my_code = 0, their_code = 0, k, s, cell, content, part
        for k in range(self.n_frozen):
            cell = self.frozen[0, k]
            part = self.parts[self.first_content[cell] + row[cell], 0]
            my_code = my_code * self.n_stocks + part
            cell = self.frozen[1, k]
            part = self.parts[self.first_content[cell] + row[cell], 1]
            their_code = their_code * self.n_stocks + part
        cdef int mine = self.config_of[my_off, my_code]
        cdef int theirs = self.config_of[their_off, their_code]
        if mine < 0 or theirs < 0:
            return -1
        cdef int i = self.config_free[mine], j = self.config_free[theirs]
        cdef int64_t rank = self.half_offset[mine, theirs]
        for s in range(self.n_ranked):
            cell = self.ranked[s]
            content = row[cell]
            # nothing comes before an empty square, and it takes nothing
            if content:
                rank += self.below[
                    self.below_start[s]
                    + (<int64_t>i * self.n_stocks + j) * self.n_contents[cell] + content]
                content += self.first_content[cell]
                i -= self.parts[content, 0]
                j -= self.parts[content, 1]
        return rank

    cdef void trace(
        self, const uint16_t* row, int my_off, int their_off, Trace* trace
    ) noexcept nogil:
        # How the rank of a sound row that is not over adds up.
        cdef int s, cell, content
        trace.mine[self.n_ranked] = row[self.n_cells]
        trace.theirs[self.n_ranked] = row[self.n_cells + 1]
        trace.rank[self.n_ranked] = self.rank_placed(row, my_off, their_off)
        for s in range(self.n_ranked - 1, -1, -1):
            cell = self.ranked[s]
            content = self.first_content[cell] + row[cell]
            trace.mine[s] = trace.mine[s + 1] + self.parts[content, 0]
            trace.theirs[s] = trace.theirs[s + 1] + self.parts[content, 1]
            trace.rank[s] = trace.rank[s + 1] - self.below[
                self.below_start[s]
                + (<int64_t>trace.mine[s] * self.n_stocks + trace.theirs[s])
                * self.n_contents[cell] + row[cell]]

    cdef int64_t rank_changed(
        self, const uint16_t* row, const Trace* trace, int first, int last
    ) noexcept nogil:
        # The rank of a row that differs from a traced one in ranked squares only, none
        # before square `first` and none after `last`; nothing of it is off that was not.
        # Past the last change the sum is the traced one's as soon as the stocks agree.
        cdef int i = trace.mine[first], j = trace.theirs[first], s, cell, content
        cdef int64_t rank = trace.rank[first]
        for s in range(first, self.n_ranked):
            if s > last and i == trace.mine[s] and j == trace.theirs[s]:
                return rank + trace.rank[self.n_ranked] - trace.rank[s]
            cell = self.ranked[s]
            content = row[cell]
            if content:
                rank += self.below[
                    self.below_start[s]
                    + (<int64_t>i * self.n_stocks + j) * self.n_contents[cell] + content]
                content += self.first_content[cell]
                i -= self.parts[content, 0]
                j -= self.parts[content, 1]
        return rank

    cdef void write_row(self, int64_t rank, uint16_t* row) noexcept nogil:
        cdef Py_ssize_t low = 0, high = self.half_start.shape[0] - 1, middle
        cdef int mine, theirs, i, j, s, k, cell, first, last, half
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
        for s in range(self.n_ranked):
            cell = self.ranked[s]
            below = &self.below[self.below_start[s]
                                + (<int64_t>i * self.n_stocks + j) * self.n_contents[cell]]
            # the last content with no more before it than the rank: contents that need a
            # piece too many add no ranks, so that it is none of them
            first, last = 0, self.n_contents[cell] - 1
            while first < last:
                half = (first + last + 1) // 2
                if below[half] <= rank:
                    first = half
                else:
                    last = half - 1
            rank -= below[first]
            row[cell] = <uint16_t>first
            first += self.first_content[cell]
            i -= self.parts[first, 0]
            j -= self.parts[first, 1]
        row[self.n_cells] = <uint16_t>i
        row[self.n_cells + 1] = <uint16_t>j


    cdef void write_mirror(self, const uint16_t* row, uint16_t* other) noexcept nogil:
        # The row as the other side sees it.
        cdef int cell
        for cell in range(self.n_cells):
            other[self.mirror_cell[cell]] = self.mirror_content[
                self.first_content[cell] + row[cell]]
        other[self.n_cells] = row[self.n_cells + 1]
        other[self.n_cells + 1] = row[self.n_cells]


def rank_states(ContentRanking ranking, const uint16_t[:, ::1] states, int64_t[::1] ranks):
    """Write the rank of each state row to `ranks`; -1 where a row is no state."""
    cdef Py_ssize_t k
    with nogil:
        for k in range(states.shape[0]):
            ranks[k] = ranking.rank_row(&states[k, 0])


def unrank_states(ContentRanking ranking, const int64_t[::1] ranks, uint16_t[:, ::1] states):
    """Write the state row of each rank, all in 0 .. n_values - 1, to `states`."""
    cdef Py_ssize_t k
    with nogil:
        for k in range(ranks.shape[0]):
            ranking.write_row(ranks[k], &states[k, 0])
