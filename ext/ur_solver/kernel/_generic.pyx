"""The generic kernel: one state at a time, by rank and unrank.

It shares nothing with the tiled kernel but the numbering of states, which makes it the
second opinion in tests, and it makes no assumption on where a rule set's squares lie.
"""

from libc.math cimport fabs
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memcpy

from ur_solver.kernel._inputs cimport Inputs
from ur_solver.space._ranking cimport MAX_CELLS, Decoded, Ranking


cdef enum:
    MAX_MOVES = 8             # of one throw: each piece on the board, and one from home
    WON = -1


cdef struct Step:
    # Where a move leads: a rank, or WON, and whether the other side throws there.
    int64_t rank
    bint is_turned


cdef class GenericKernel:
    """Value iteration on one space; thread safe as long as blocks are not shared."""

    cdef Ranking ranking
    cdef int n_cells, length, n_throws, extra_on_throw
    cdef bint safe_rosettes, extra_on_rosette, extra_on_capture
    cdef const uint8_t[::1] my_cell, my_code, is_rosette, mirror_cell
    cdef const double[::1] chance

    def __init__(self, Ranking ranking, tables):
        self.ranking = ranking
        self.my_cell = tables.my_cell
        self.my_code = tables.my_code
        self.is_rosette = tables.is_rosette
        self.mirror_cell = tables.mirror_cell
        self.chance = tables.chance
        self.safe_rosettes = tables.safe_rosettes
        self.extra_on_rosette = tables.extra_on_rosette
        self.extra_on_capture = tables.extra_on_capture
        self.extra_on_throw = tables.extra_on_throw
        self.n_cells = ranking.n_cells
        self.length = self.my_cell.shape[0]
        self.n_throws = self.chance.shape[0]

    cdef int64_t mirror_rank(self, const uint8_t* state) noexcept nogil:
        # The rank of a state that the other side throws in.
        cdef uint8_t other[MAX_CELLS + 2]
        cdef int cell, code
        for cell in range(self.n_cells):
            code = state[cell]
            if code:
                code = ((code - 1) ^ 1) + 1
            other[self.mirror_cell[cell]] = <uint8_t>code
        other[self.n_cells] = state[self.n_cells + 1]
        other[self.n_cells + 1] = state[self.n_cells]
        return self.ranking.rank_state(other)

    cdef bint has_won(self, const uint8_t* state) noexcept nogil:
        cdef int cell
        if state[self.n_cells]:
            return False
        for cell in range(self.n_cells):
            if state[cell] & 1:
                return False
        return True

    cdef int moves(self, const uint8_t* state, int throw, Step* steps) noexcept nogil:
        # How many legal moves a throw has, and where they lead.
        cdef uint8_t after[MAX_CELLS + 2]
        cdef int source, target, cell, occupant, n = 0
        cdef bint again
        for source in range(-1, self.length if throw else -1):
            target = source + throw
            if target > self.length:
                break
            if source < 0:
                if state[self.n_cells] == 0:
                    continue
            elif state[self.my_cell[source]] != self.my_code[source]:
                continue
            occupant = 0
            if target < self.length:
                cell = self.my_cell[target]
                occupant = state[cell]
                if occupant & 1:
                    continue
                if occupant and self.safe_rosettes and self.is_rosette[target]:
                    continue
            memcpy(after, state, self.n_cells + 2)
            if source < 0:
                after[self.n_cells] -= 1
            else:
                after[self.my_cell[source]] = 0
            again = self.extra_on_throw == throw
            if target < self.length:
                after[self.my_cell[target]] = self.my_code[target]
                if occupant:
                    after[self.n_cells + 1] += 1
                    again = again or self.extra_on_capture
                again = again or (self.extra_on_rosette and self.is_rosette[target])
            if target == self.length and self.has_won(after):
                steps[n].rank, steps[n].is_turned = WON, True
            else:
                steps[n].rank = (
                    self.ranking.rank_state(after) if again else self.mirror_rank(after))
                steps[n].is_turned = not again
            n += 1
        return n

    cdef double backup(self, Inputs values, const uint8_t* state) noexcept nogil:
        # One application of the Bellman operator to one state.
        cdef Step steps[MAX_MOVES]
        cdef int throw, i, n
        cdef double best, value, total = 0.0
        for throw in range(self.n_throws):
            if self.chance[throw] == 0.0:
                continue
            best = -1.0
            n = self.moves(state, throw, steps)
            for i in range(n):
                value = 0.0 if steps[i].rank == WON else values.at(steps[i].rank)
                if steps[i].is_turned:
                    value = 1.0 - value
                if value > best:
                    best = value
            if n == 0:
                best = 1.0 - values.at(self.mirror_rank(state))
            total += self.chance[throw] * best
        return total

    def successors(self, int64_t rank):
        """Where the moves from a rank lead.

        Parameters
        ----------
        rank : int
            From 0 to n_values - 1.

        Returns
        -------
        passed : int
            The rank in which the turn is passed.
        choices : list
            The one choice: for each throw, 0 upwards, None if the dice do not show it, or
            its legal moves as tuples: the rank that is reached, from the side to throw, -1
            if the game is won; and whether the other side throws there.
        """
        cdef Decoded decoded
        cdef uint8_t state[MAX_CELLS + 2]
        cdef Step steps[MAX_MOVES]
        cdef int throw, i
        throws = []
        self.ranking.decode(rank, &decoded)
        self.ranking.write_state(&decoded, state)
        for throw in range(self.n_throws):
            found = None
            if self.chance[throw] != 0.0:
                found = [
                    (steps[i].rank, bool(steps[i].is_turned))
                    for i in range(self.moves(state, throw, steps))
                ]
            throws.append(found)
        return self.mirror_rank(state), [throws]

    def sweep(self, double[::1] own, Inputs values, int64_t first, int64_t count):
        """Update ranks first .. first + count - 1 in place, last rank first.

        Parameters
        ----------
        own : float64, shape (count,), IN and OUT
            The values of these ranks, the same memory that `values` has them in.
        values : Inputs
            The values of these ranks and of all that their moves lead to.
        first, count : int

        Returns
        -------
        float
            The delta: the largest change.
        """
        if own.shape[0] != count:
            raise ValueError(f"{own.shape[0]} values of {count} ranks")
        return self._pass(&own[0], values, first, count)

    def residual(self, Inputs values, int64_t first, int64_t count):
        """The largest abs(T(V) - V) over ranks first .. first + count - 1; writes nothing."""
        return self._pass(NULL, values, first, count)

    cdef double _pass(self, double* own, Inputs values, int64_t first, int64_t count):
        cdef double value, change, delta = 0.0
        cdef int64_t rank
        cdef Decoded decoded
        cdef uint8_t state[MAX_CELLS + 2]
        with nogil:
            for rank in range(first + count - 1, first - 1, -1):
                self.ranking.decode(rank, &decoded)
                self.ranking.write_state(&decoded, state)
                value = self.backup(values, state)
                change = fabs(value - values.at(rank))
                if change > delta:
                    delta = change
                if own != NULL:
                    own[rank - first] = value
        return delta
