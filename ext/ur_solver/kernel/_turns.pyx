"""The generic kernel of every rule set: one position at a time, by rank and unrank.

It shares nothing with the tiled kernels but the numbering of positions and the tables of the
rules, which makes it the second opinion in tests and in `ur verify`. `Turns.backup` is one
application of the Bellman operator; `Generator.list_moves` does what the rules say.
"""

from cython.parallel cimport prange
from libc.math cimport INFINITY, fabs
from libc.stdint cimport int64_t, uint8_t, uint16_t
from libc.string cimport memcpy

import numpy as np

from ur_solver.kernel._inputs cimport Inputs
from ur_solver.moves._generator cimport (
    AGAIN_, MAX_CELLS, MAX_MOVERS, MAX_OPTIONS, WIN_, Generator, Movable, Option,
)
from ur_solver.space._tile_ranking cimport MAX_WIDTH, TileRanking, Tally

LIMITS = {"throws": MAX_THROWS, "moves": MAX_OPTIONS}
"""As `ur_solver.rules.limits` has them."""

cdef enum:
    RUN = 1024                # ranks that a thread looks at before it asks for more
    FEWEST = 1 << 12          # positions of a block in which a policy pays
    LARGEST = 1 << 30         # for which policies have numbers


cdef class Turns(Generator):
    """The moves of the positions of one space, by rank; thread safe.

    Parameters
    ----------
    ranking : TileRanking
    tables : MoveTables
    """

    def __init__(self, TileRanking ranking, tables):
        Generator.__init__(self, tables)
        self.ranking = ranking
        self.full = ranking.n_stocks - 1
        if self.n_throws > MAX_THROWS:
            raise ValueError("rules larger than the compiled limits")

    cdef void list_successors(
        self, uint16_t* own, uint16_t* other, int turn_type, int choice, Successors* found
    ) noexcept nogil:
        # Where the moves after one choice lead, by throw; rows are left as they were.
        cdef Movable movable[MAX_MOVERS]
        cdef Option options[MAX_OPTIONS]
        cdef uint16_t after[MAX_OPTIONS * MAX_CELLS]
        cdef uint16_t row[MAX_CELLS]
        cdef int n, i, n_movable = self.find_movable(
            own,
            self.from_home[turn_type, choice] + 2 * self.from_board[turn_type, choice],
            movable)
        if self.may_rest:
            memcpy(row, own, (self.n_cells + 2) * sizeof(uint16_t))
            own = row
            self.wake(own, movable, n_movable)
        for n in range(self.n_throws):
            found[n].n = 0
            if self.chance[turn_type, choice, n] == 0.0:
                continue
            found[n].n = self.list_moves(own, other, movable, n_movable, n, after, options)
            for i in range(found[n].n):
                found[n].flags[i] = options[i].flags
                found[n].rank[i] = WON if options[i].flags & WIN_ else self.ranking.rank_row(
                    after + i * (self.n_cells + 2))

    cdef int open_turn(
        self, int64_t rank, uint16_t* own, uint16_t* other
    ) noexcept nogil:
        # A rank's row and its mirror image; the turn type.
        cdef Tally tally
        self.ranking.write_row(rank, own)
        self.ranking.add_up(own, &tally)
        self.write_mirror(own, other)
        return self.type_of[own[self.n_cells], own[self.n_cells] + self.ranking.off(&tally, 0) != self.full]

    cdef double backup(self, Inputs values, int64_t rank) noexcept nogil:
        # One application of the Bellman operator to one position.
        cdef uint16_t own[MAX_WIDTH]
        cdef uint16_t other[MAX_WIDTH]
        cdef Successors found[MAX_THROWS]
        cdef int c, n, i
        cdef int turn_type = self.open_turn(rank, own, other)
        cdef double best, value, total, most = -INFINITY
        cdef double passed = 1.0 - values.at(self.ranking.rank_row(other))
        for c in range(self.n_choices[turn_type]):
            self.list_successors(own, other, turn_type, c, found)
            total = self.pass_chance[turn_type, c] * passed
            for n in range(self.n_throws):
                best = -INFINITY
                for i in range(found[n].n):
                    value = 0.0 if found[n].rank[i] == WON else values.at(found[n].rank[i])
                    if not found[n].flags[i] & AGAIN_:
                        value = 1.0 - value
                    best = max(best, value)
                if found[n].n == 0:
                    best = passed
                total += self.chance[turn_type, c, n] * best
            most = max(most, total)
        return most

    def policy_chances(self):
        """The chances of the throws that move a piece: float64, a copy.

        Under a policy every position has the same throws, and nothing to choose before them. Where
        turns have choices, or other chances, there are no policies, and the array is empty.
        """
        chances = np.asarray(self.chance)[:, 0]
        if not np.all(np.asarray(self.n_choices) == 1) or not np.all(chances == chances[0]):
            return np.empty(0)
        return chances[0][chances[0] != 0.0]

    def has_policies(self, int64_t size):
        """Whether a block of this many positions can be swept under policies."""
        return FEWEST <= size <= LARGEST and len(self.policy_chances()) > 0

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
            For each choice before throwing a list: for each throw, as `MoveTables` has them,
            None if it cannot be thrown then, or its legal moves as tuples: the rank that is
            reached, from the side to throw, -1 if the game is won; and whether the other
            side throws there.
        """
        cdef uint16_t own[MAX_WIDTH]
        cdef uint16_t other[MAX_WIDTH]
        cdef Successors found[MAX_THROWS]
        cdef int c, n, i
        cdef int turn_type = self.open_turn(rank, own, other)
        choices = []
        for c in range(self.n_choices[turn_type]):
            self.list_successors(own, other, turn_type, c, found)
            choices.append([
                None if self.chance[turn_type, c, n] == 0.0 else
                [(found[n].rank[i], not found[n].flags[i] & AGAIN_) for i in range(found[n].n)]
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
        cdef int c, n
        cdef int turn_type = self.open_turn(rank, own, other)
        return [
            ([self.chance[turn_type, c, n] for n in range(self.n_throws)], self.pass_chance[turn_type, c])
            for c in range(self.n_choices[turn_type])]

    def sweep(self, double[::1] own, Inputs values, int64_t first, int64_t count, int threads=1):
        """Update some ranks in place, the last first.

        Parameters
        ----------
        own : float64, shape (count,), IN and OUT
            The values of these ranks, the same memory that `values` has them in.
        values : Inputs
            The values of these ranks and of all that their moves lead to.
        first, count : int
            Ranks `first` to `first + count - 1`.
        threads : int
            One may read a value while another writes it: either, the old or the new, serves.

        Returns
        -------
        float
            The delta: the largest change.
        """
        cdef int64_t n_runs = (count + RUN - 1) // RUN, k
        cdef double[::1] deltas = np.zeros(max(1, n_runs))
        if own.shape[0] != count:
            raise ValueError(f"{own.shape[0]} values of {count} ranks")
        for k in prange(n_runs, nogil=True, schedule="dynamic", num_threads=threads):
            deltas[k] = _sweep_run(
                self, &own[0], values, first, max(0, count - (k + 1) * RUN), count - k * RUN)
        return float(np.max(deltas))

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
            deltas[k] = _residual_of_run(
                self, values, first + k * RUN, min(first + count, first + (k + 1) * RUN))
        return float(np.max(deltas))

    def draws(self, int64_t first, int64_t count, int threads=1):
        """Of which ranks nobody can ever move again.

        Parameters
        ----------
        first, count : int
            Ranks `first` to `first + count - 1`.
        threads : int

        Returns
        -------
        bool, shape (count,)
        """
        cdef int64_t n_runs = (count + RUN - 1) // RUN, k
        cdef uint8_t[::1] found = np.zeros(count, dtype=np.uint8)
        for k in prange(n_runs, nogil=True, schedule="dynamic", num_threads=threads):
            _find_draws(
                self, &found[0], first, first + k * RUN, min(first + count, first + (k + 1) * RUN))
        return np.asarray(found).view(bool)

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
        cdef uint8_t[::1] stays = (~self.draws(first, count, threads)).view(np.uint8)
        cdef uint8_t[::1] changed = np.ones(n_runs, dtype=np.uint8)
        while np.any(changed):
            for k in prange(n_runs, nogil=True, schedule="dynamic", num_threads=threads):
                changed[k] = _leave_out(
                    self, &stays[0], first, count,
                    first + k * RUN, min(first + count, first + (k + 1) * RUN))
        ranks = np.flatnonzero(stays)
        return first + int(ranks[0]) if ranks.size else -1

    cdef double _residual_of_one(self, Inputs values, int64_t rank) noexcept nogil:
        return fabs(self.backup(values, rank) - values.at(rank))


cdef double _sweep_run(
    Turns self, double* own, Inputs values, int64_t first, int64_t start, int64_t end
) noexcept nogil:
    # Update the ranks from `first + start` to `first + end - 1`; the largest change.
    cdef double value, delta = 0.0
    cdef int64_t k
    for k in range(end - 1, start - 1, -1):
        value = self.backup(values, first + k)
        delta = max(delta, fabs(value - own[k]))
        own[k] = value
    return delta


cdef bint _can_move(
    Turns self, uint16_t* own, uint16_t* other, int turn_type, Successors* found
) noexcept nogil:
    # Whether some throw, after some choice, moves a piece.
    cdef int c, n
    for c in range(self.n_choices[turn_type]):
        self.list_successors(own, other, turn_type, c, found)
        for n in range(self.n_throws):
            if found[n].n:
                return True
    return False


cdef void _find_draws(
    Turns self, uint8_t* found_draws, int64_t first, int64_t start, int64_t end
) noexcept nogil:
    # Mark the positions of a run from which nobody can ever move again.
    cdef uint16_t own[MAX_WIDTH]
    cdef uint16_t other[MAX_WIDTH]
    cdef Successors found[MAX_THROWS]
    cdef int turn_type, turns
    cdef bint moves
    cdef int64_t rank
    for rank in range(start, end):
        turn_type = self.open_turn(rank, own, other)
        moves = _can_move(self, own, other, turn_type, found)
        # the other side, and the side again whose resting piece wakes up after that turn
        for turns in range(2 if self.may_rest else 1):
            if moves:
                break
            turn_type = self.open_turn(self.ranking.rank_row(other), own, other)
            moves = _can_move(self, own, other, turn_type, found)
        found_draws[rank - first] = not moves


cdef bint _leave_out(
    Turns self, uint8_t* stays, int64_t first, int64_t count, int64_t start, int64_t end
) noexcept nogil:
    # Leave out the positions of a run that have to leave those that stay; whether there are.
    cdef bint changed = False
    cdef int64_t rank
    for rank in range(start, end):
        if stays[rank - first] and not _may_stay(self, stays, first, count, rank):
            stays[rank - first] = False
            changed = True
    return changed


cdef bint _may_stay(
    Turns self, const uint8_t* stays, int64_t first, int64_t count, int64_t rank
) noexcept nogil:
    # Whether after some choice every throw can lead to a position that stays.
    cdef uint16_t own[MAX_WIDTH]
    cdef uint16_t other[MAX_WIDTH]
    cdef Successors found[MAX_THROWS]
    cdef int c, n, i
    cdef int turn_type = self.open_turn(rank, own, other)
    cdef bint passed = stays[self.ranking.rank_row(other) - first]
    cdef bint all_stay, one_stays
    for c in range(self.n_choices[turn_type]):
        self.list_successors(own, other, turn_type, c, found)
        all_stay = passed or self.pass_chance[turn_type, c] == 0.0
        for n in range(self.n_throws):
            if not all_stay:
                break
            if self.chance[turn_type, c, n] == 0.0:
                continue
            one_stays = passed and found[n].n == 0
            for i in range(found[n].n):
                if 0 <= found[n].rank[i] - first < count:
                    one_stays = one_stays or stays[found[n].rank[i] - first]
            all_stay = one_stays
        if all_stay:
            return True
    return False


cdef double _residual_of_run(Turns self, Inputs values, int64_t first, int64_t end) noexcept nogil:
    cdef double delta = 0.0
    cdef int64_t rank
    for rank in range(first, end):
        delta = max(delta, self._residual_of_one(values, rank))
    return delta
