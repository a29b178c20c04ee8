"""The generic kernel: one state at a time, by rank and unrank.

It shares nothing with the tiled kernel but the numbering of states, which makes it the
second opinion in tests, and it makes no assumption on where a rule set's squares lie.
"""

from libc.math cimport fabs
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memcpy

from ur_solver.space._ranking cimport MAX_CELLS, Decoded, Ranking


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

    cdef double look(self, const double* values, const uint8_t* state, bint again) noexcept nogil:
        # The value, to the side that moved, of a state that is still seen from it.
        cdef uint8_t other[MAX_CELLS + 2]
        cdef int cell, code
        cdef int64_t rank
        if again:
            rank = self.ranking.rank_state(state)
            return values[rank]
        for cell in range(self.n_cells):
            code = state[cell]
            if code:
                code = ((code - 1) ^ 1) + 1
            other[self.mirror_cell[cell]] = <uint8_t>code
        other[self.n_cells] = state[self.n_cells + 1]
        other[self.n_cells + 1] = state[self.n_cells]
        return 1.0 - values[self.ranking.rank_state(other)]

    cdef bint has_won(self, const uint8_t* state) noexcept nogil:
        cdef int cell
        if state[self.n_cells]:
            return False
        for cell in range(self.n_cells):
            if state[cell] & 1:
                return False
        return True

    cdef double backup(self, const double* values, const uint8_t* state) noexcept nogil:
        # One application of the Bellman operator to one state.
        cdef uint8_t after[MAX_CELLS + 2]
        cdef int throw, source, target, cell, occupant
        cdef bint again
        cdef double best, value, total = 0.0
        for throw in range(self.n_throws):
            if self.chance[throw] == 0.0:
                continue
            best = -1.0
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
                elif self.has_won(after):
                    best = 1.0
                    break
                value = self.look(values, after, again)
                if value > best:
                    best = value
            if best < 0.0:
                best = self.look(values, state, False)
            total += self.chance[throw] * best
        return total

    def sweep(self, double[::1] values, int64_t first, int64_t count):
        """Update ranks first .. first + count - 1 in place, last rank first.

        Parameters
        ----------
        values : float64, shape (n_positions,), IN and OUT
            Values of the whole space; those of earlier blocks must be final.

        Returns
        -------
        float
            The delta: the largest change.
        """
        return self._pass(values, first, count, True)

    def residual(self, double[::1] values, int64_t first, int64_t count):
        """The largest abs(T(V) - V) over the same ranks; writes nothing."""
        return self._pass(values, first, count, False)

    cdef double _pass(self, double[::1] values, int64_t first, int64_t count, bint store):
        cdef double* base = &values[0]
        cdef double value, delta = 0.0
        cdef int64_t rank
        cdef Decoded decoded
        cdef uint8_t state[MAX_CELLS + 2]
        with nogil:
            for rank in range(first + count - 1, first - 1, -1):
                self.ranking.decode(rank, &decoded)
                self.ranking.write_state(&decoded, state)
                value = self.backup(base, state)
                if fabs(value - base[rank]) > delta:
                    delta = fabs(value - base[rank])
                if store:
                    base[rank] = value
        return delta
