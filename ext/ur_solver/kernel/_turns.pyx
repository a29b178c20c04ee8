"""The generic kernel of every rule set: one position at a time, by rank and unrank.

It shares nothing with the tiled kernels but the numbering of positions and the tables of the
rules, which makes it the second opinion in tests and in `ur verify`. `Turns.backup` is one
application of the Bellman operator; `Turns.list_moves` does what the rules say.
"""

from cython.parallel cimport prange
from libc.math cimport INFINITY, fabs
from libc.stdint cimport int64_t, uint8_t, uint16_t

import numpy as np

from ur_solver.kernel._inputs cimport Inputs
from ur_solver.space._tile_ranking cimport MAX_WIDTH, TileRanking, Told

LIMITS = {"throws": MAX_THROWS, "choices": MAX_CHOICES}
"""As `ur_solver.rules.limits` has them."""

cdef enum:
    RUN = 1024                # ranks that a thread looks at before it asks for more


cdef class Turns:
    """What may be done in the positions of one space; thread safe.

    Parameters
    ----------
    ranking : TileRanking
    tables : TurnTables
    """

    def __init__(self, TileRanking ranking, tables):
        self.ranking = ranking
        self.mover_cell = tables.mover_cell
        self.mover_part = tables.mover_part
        self.lift_start = tables.lift_start
        self.lift = tables.lift
        self.step_start = tables.step_start
        self.step_target = tables.step_target
        self.step_landing = tables.step_landing
        self.landing_cell = tables.landing_cell
        self.landing_start = tables.landing_start
        self.landing_content = tables.landing_content
        self.landing_taken = tables.landing_taken
        self.again = tables.again
        self.advance = tables.advance
        self.type_of = tables.type_of
        self.from_home = tables.from_home
        self.from_board = tables.from_board
        self.n_choices = tables.n_choices
        self.chance = tables.chance
        self.pass_chance = tables.pass_chance
        self.n_cells = ranking.n_cells
        self.n_movers = self.mover_cell.shape[0]
        self.n_throws = len(tables.throws)
        self.full = ranking.n_stocks - 1
        if self.n_throws > MAX_THROWS or self.chance.shape[1] > MAX_CHOICES:
            raise ValueError("rules larger than the compiled limits")

    cdef void put(self, uint16_t* own, uint16_t* other, int cell, int content) noexcept nogil:
        # Change a square in a row and in its mirror image.
        own[cell] = <uint16_t>content
        other[self.ranking.mirror_cell[cell]] = self.ranking.mirror_content[
            self.ranking.first_content[cell] + content]

    cdef void lead(
        self, Reached* reached, const uint16_t* own, const uint16_t* other, int again, int landing
    ) noexcept nogil:
        # Note where a throw leads: who throws next may be for the side that moved to say.
        if again & 2 and reached.n < MAX_MOVES:
            reached.rank[reached.n] = self.ranking.rank_row(own)
            reached.turns[reached.n] = False
            reached.landing[reached.n] = landing
            reached.n += 1
        if again & 1 and reached.n < MAX_MOVES:
            reached.rank[reached.n] = self.ranking.rank_row(other)
            reached.turns[reached.n] = True
            reached.landing[reached.n] = landing
            reached.n += 1

    cdef void list_moves(
        self, uint16_t* own, uint16_t* other, int off, int kind, int choice, Reached* reached
    ) noexcept nogil:
        # The moves after one choice, by throw; rows are left as they were.
        cdef bint from_home = self.from_home[kind, choice]
        cdef int n_cells = self.n_cells
        cdef int m, n, step, source, target, landing, cell, part
        cdef int left, before = 0, held, content, taken
        for n in range(self.n_throws):
            reached[n].n = 0
        for m in range(self.n_movers):
            source, part = self.mover_cell[m], self.mover_part[m]
            if source < 0:
                # of the pieces at home the lowest, where they are numbered
                if not from_home or self.ranking.take[own[n_cells], part] < 0:
                    continue
                own[n_cells] -= part
                other[n_cells + 1] -= part
            else:
                if not self.from_board[kind, choice]:
                    continue
                before = own[source]
                left = self.lift[self.lift_start[m] + before]
                if left == NONE:
                    continue
                self.put(own, other, source, left)
            for n in range(self.n_throws):
                if self.chance[kind, choice, n] == 0.0:
                    continue
                for step in range(self.step_start[m, n], self.step_start[m, n + 1]):
                    target, landing = self.step_target[step], self.step_landing[step]
                    if landing < 0:
                        if off + part == self.full:
                            reached[n].rank[reached[n].n] = WON
                            reached[n].turns[reached[n].n] = True
                            reached[n].n += 1
                        else:
                            self.lead(&reached[n], own, other, self.again[n, target, 0], landing)
                        continue
                    cell = self.landing_cell[landing]
                    held = own[cell]
                    content = self.landing_content[self.landing_start[landing] + held]
                    if content == NONE:
                        continue
                    taken = self.landing_taken[self.landing_start[landing] + held]
                    self.put(own, other, cell, content)
                    own[n_cells + 1] += taken
                    other[n_cells] += taken
                    self.lead(&reached[n], own, other, self.again[n, target, taken != 0], landing)
                    self.put(own, other, cell, held)
                    own[n_cells + 1] -= taken
                    other[n_cells] -= taken
            if source < 0:
                own[n_cells] += part
                other[n_cells + 1] += part
                from_home = False  # only the first that is there
            else:
                self.put(own, other, source, before)

    cdef int open_turn(
        self, int64_t rank, uint16_t* own, uint16_t* other, int* off
    ) noexcept nogil:
        # A rank's row, its mirror image and my stock off; the turn type.
        cdef Told told
        self.ranking.write_row(rank, own)
        self.ranking.add_up(own, &told)
        off[0] = self.ranking.off(&told, 0)
        self.ranking.write_mirror(own, other)
        return self.type_of[own[self.n_cells], own[self.n_cells] + off[0] != self.full]

    cdef double backup(self, Inputs values, int64_t rank) noexcept nogil:
        # One application of the Bellman operator to one position.
        cdef uint16_t own[MAX_WIDTH]
        cdef uint16_t other[MAX_WIDTH]
        cdef Reached reached[MAX_THROWS]
        cdef int off, c, n, i
        cdef int kind = self.open_turn(rank, own, other, &off)
        cdef double best, value, total, most = -INFINITY
        cdef double passed = 1.0 - values.at(self.ranking.rank_row(other))
        for c in range(self.n_choices[kind]):
            self.list_moves(own, other, off, kind, c, reached)
            total = self.pass_chance[kind, c] * passed
            for n in range(self.n_throws):
                best = -INFINITY
                for i in range(reached[n].n):
                    value = 0.0 if reached[n].rank[i] == WON else values.at(reached[n].rank[i])
                    if reached[n].turns[i]:
                        value = 1.0 - value
                    best = max(best, value)
                if reached[n].n == 0:
                    best = passed
                total += self.chance[kind, c, n] * best
            most = max(most, total)
        return most

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
            For each choice before throwing a list: for each throw, as `TurnTables` has them,
            None if it cannot be thrown then, or its legal moves as tuples: the rank that is
            reached, from the side to throw, -1 if the game is won; and whether the other
            side throws there.
        """
        cdef uint16_t own[MAX_WIDTH]
        cdef uint16_t other[MAX_WIDTH]
        cdef Reached reached[MAX_THROWS]
        cdef int off, c, n, i
        cdef int kind = self.open_turn(rank, own, other, &off)
        choices = []
        for c in range(self.n_choices[kind]):
            self.list_moves(own, other, off, kind, c, reached)
            choices.append([
                None if self.chance[kind, c, n] == 0.0 else
                [(reached[n].rank[i], bool(reached[n].turns[i])) for i in range(reached[n].n)]
                for n in range(self.n_throws)])
        return self.ranking.rank_row(other), choices

    def chances(self, int64_t rank):
        """For each choice of a rank the chance of every throw, and of those that move nothing.

        Parameters
        ----------
        rank : int
            From 0 to n_values - 1.

        Returns
        -------
        list of (list of float, float)
            As `successors` has the choices, chances in [0, 1].
        """
        cdef uint16_t own[MAX_WIDTH]
        cdef uint16_t other[MAX_WIDTH]
        cdef int off, c, n
        cdef int kind = self.open_turn(rank, own, other, &off)
        return [
            ([self.chance[kind, c, n] for n in range(self.n_throws)], self.pass_chance[kind, c])
            for c in range(self.n_choices[kind])]

    def sweep(self, double[::1] own, Inputs values, int64_t first, int64_t count):
        """Update some ranks in place, the last first: values as simply as can be, for comparison.

        Parameters
        ----------
        own : float64, shape (count,), IN and OUT
            The values of these ranks, the same memory that `values` has them in.
        values : Inputs
            The values of these ranks and of all that their moves lead to.
        first, count : int
            Ranks `first` to `first + count - 1`.

        Returns
        -------
        float
            The delta: the largest change.
        """
        cdef double value, delta = 0.0
        cdef int64_t k
        if own.shape[0] != count:
            raise ValueError(f"{own.shape[0]} values of {count} ranks")
        with nogil:
            for k in range(count - 1, -1, -1):
                value = self.backup(values, first + k)
                delta = max(delta, fabs(value - own[k]))
                own[k] = value
        return delta

    def residual(self, Inputs values, int64_t first, int64_t count, int threads=1):
        """The largest abs(T(V) - V) over some ranks.

        Parameters
        ----------
        values : Inputs
            The values of these ranks and of all that their moves lead to.
        first, count : int
            Ranks `first` to `first + count - 1`.
        threads : int
        """
        cdef int64_t n_runs = (count + RUN - 1) // RUN, k
        cdef double[::1] deltas = np.zeros(max(1, n_runs))
        for k in prange(n_runs, nogil=True, schedule="dynamic", num_threads=threads):
            deltas[k] = self._residual_of_run(
                values, first + k * RUN, min(first + count, first + (k + 1) * RUN))
        return float(np.max(deltas))

    def endless_rank(self, int64_t first, int64_t count, int threads=1):
        """A position from which both sides together can stay in a block for ever.

        That is, whatever is thrown, unless nobody can ever move again, which is a draw.

        Parameters
        ----------
        first, count : int
            The block's ranks, `first` to `first + count - 1`.
        threads : int

        Returns
        -------
        int
            The first such rank; -1 if there is none.
        """
        cdef int64_t n_runs = (count + RUN - 1) // RUN, k
        cdef uint8_t[::1] stays = np.ones(count, dtype=np.uint8)
        cdef uint8_t[::1] changed = np.ones(n_runs, dtype=np.uint8)
        for k in prange(n_runs, nogil=True, schedule="dynamic", num_threads=threads):
            self._leave_out_draws(
                &stays[0], first, first + k * RUN, min(first + count, first + (k + 1) * RUN))
        while np.any(changed):
            for k in prange(n_runs, nogil=True, schedule="dynamic", num_threads=threads):
                changed[k] = self._leave_out(
                    &stays[0], first, count,
                    first + k * RUN, min(first + count, first + (k + 1) * RUN))
        ranks = np.flatnonzero(stays)
        return first + int(ranks[0]) if ranks.size else -1

    cdef void _leave_out_draws(
        self, uint8_t* stays, int64_t first, int64_t start, int64_t end
    ) noexcept nogil:
        # Leave out the positions of a run from which nobody can ever move again: draws.
        cdef uint16_t own[MAX_WIDTH]
        cdef uint16_t other[MAX_WIDTH]
        cdef Reached reached[MAX_THROWS]
        cdef int off, kind
        cdef int64_t rank
        for rank in range(start, end):
            kind = self.open_turn(rank, own, other, &off)
            if self._can_move(own, other, off, kind, reached):
                continue
            kind = self.open_turn(
                self.ranking.rank_row(other), own, other, &off)
            stays[rank - first] = self._can_move(own, other, off, kind, reached)

    cdef bint _can_move(
        self, uint16_t* own, uint16_t* other, int off, int kind, Reached* reached
    ) noexcept nogil:
        # Whether some throw, after some choice, moves a piece.
        cdef int c, n
        for c in range(self.n_choices[kind]):
            self.list_moves(own, other, off, kind, c, reached)
            for n in range(self.n_throws):
                if reached[n].n:
                    return True
        return False

    cdef bint _leave_out(
        self, uint8_t* stays, int64_t first, int64_t count, int64_t start, int64_t end
    ) noexcept nogil:
        # Leave out the positions of a run that have to leave those that stay; whether there are.
        cdef bint changed = False
        cdef int64_t rank
        for rank in range(start, end):
            if stays[rank - first] and not self._may_stay(stays, first, count, rank):
                stays[rank - first] = False
                changed = True
        return changed

    cdef bint _may_stay(
        self, const uint8_t* stays, int64_t first, int64_t count, int64_t rank
    ) noexcept nogil:
        # Whether after some choice every throw can lead to a position that stays.
        cdef uint16_t own[MAX_WIDTH]
        cdef uint16_t other[MAX_WIDTH]
        cdef Reached reached[MAX_THROWS]
        cdef int off, c, n, i
        cdef int kind = self.open_turn(rank, own, other, &off)
        cdef bint passed = stays[self.ranking.rank_row(other) - first]
        cdef bint all_stay, one_stays
        for c in range(self.n_choices[kind]):
            self.list_moves(own, other, off, kind, c, reached)
            all_stay = passed or self.pass_chance[kind, c] == 0.0
            for n in range(self.n_throws):
                if not all_stay:
                    break
                if self.chance[kind, c, n] == 0.0:
                    continue
                one_stays = passed and reached[n].n == 0
                for i in range(reached[n].n):
                    if 0 <= reached[n].rank[i] - first < count:
                        one_stays = one_stays or stays[reached[n].rank[i] - first]
                all_stay = one_stays
            if all_stay:
                return True
        return False

    cdef double _residual_of_run(self, Inputs values, int64_t first, int64_t end) noexcept nogil:
        cdef double delta = 0.0
        cdef int64_t rank
        for rank in range(first, end):
            delta = max(delta, self._residual_of_one(values, rank))
        return delta

    cdef double _residual_of_one(self, Inputs values, int64_t rank) noexcept nogil:
        return fabs(self.backup(values, rank) - values.at(rank))
