"""A block's moves as lists, made once by the generic kernel, and sweeps that read them.

A sweep of `Turns` unfolds every position again; one of lists looks at a number a move. Under a
policy, which says which move is made after every throw, a sweep looks at a number a throw.
"""

from cython.parallel cimport prange
from libc.math cimport INFINITY, fabs
from libc.stdint cimport int64_t, uint16_t, uint32_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy

import numpy as np

from ur_solver.kernel._inputs cimport Inputs
from ur_solver.kernel._turns cimport MAX_THROWS, WON, Successors, Turns
from ur_solver.moves._generator cimport AGAIN_
from ur_solver.space._tile_ranking cimport MAX_WIDTH

cdef extern from "<fenv.h>" nogil:
    int FE_TONEAREST, FE_UPWARD, FE_DOWNWARD
    int fegetround()
    int fesetround(int mode)

cdef extern from "memory.h" nogil:
    void* fitted(void* memory, int64_t size)
    void fetch_named(const double* values, const uint32_t* words, int n)

# A position's list is its turn type, the place of its mirror image, to which a turn passes, and for
# each choice and throw that the dice may show a head, 2 * moves that stay in the block, and 1 more
# if others leave it; two words with the value of the best of those; and the moves that stay, each
# 2 * place, and 1 more if the same side throws again.
cdef enum:
    RUN = 1024                # positions whose lists are one piece of memory
    AHEAD = 32                # positions whose moves' values are on their way
    BEFORE = 2                # words of a position
    OF_THROW = 3              # words of a throw, besides the moves that stay


# Positions of a block: a place, or that of no position, and a bit are one word.
cdef int64_t MOST = (<int64_t>1 << 31) - 1


cdef class TurnLists:
    """The moves of all positions of a block; thread safe.

    Parameters
    ----------
    turns : Turns
    values : Inputs
        The values of finished blocks, which are read here only.
    first, count : int
        The block's ranks, `first` to `first + count - 1`; it has the mirror images of its positions.
    threads : int

    Raises
    ------
    OverflowError
        If the block has more positions than a word can name.
    MemoryError
        If there is no room for the lists.
    """

    cdef Turns turns
    cdef int64_t count, n_runs
    cdef uint32_t** lists

    def __cinit__(self):
        self.lists = NULL
        self.n_runs = 0

    def __init__(self, Turns turns, Inputs values, int64_t first, int64_t count, int threads=1):
        cdef int64_t k, n_runs = (count + RUN - 1) // RUN
        if count > MOST:
            raise OverflowError(f"lists serve at most {MOST} positions, not {count}")
        self.turns, self.count = turns, count
        self.lists = <uint32_t**>calloc(n_runs + 1, sizeof(uint32_t*))
        if self.lists == NULL:
            raise MemoryError(f"no memory for lists of {count} positions")
        self.n_runs = n_runs
        for k in prange(n_runs, nogil=True, schedule="dynamic", num_threads=threads):
            self.lists[k] = _list_run(
                turns, values, first, count, k * RUN, min(count, (k + 1) * RUN))
        for k in range(n_runs):
            if self.lists[k] == NULL:
                raise MemoryError(f"no memory for lists of {count} positions")

    def __dealloc__(self):
        cdef int64_t k
        for k in range(self.n_runs):
            free(self.lists[k])
        free(self.lists)

    def sweep(self, double[::1] values, int threads=1):
        """Update every value in place, the last first.

        Parameters
        ----------
        values : float64, shape (count,), IN and OUT
            In rank order.
        threads : int
            One may read a value while another writes it: either, the old or the new, serves.

        Returns
        -------
        float
            The delta: the largest change.
        """
        return _sweep(self, values, values, FE_TONEAREST, 0.0, True, threads)

    def residual(self, double[::1] values, int threads=1):
        """The largest abs(T(V) - V) of values, float64, shape (count,), in rank order."""
        return _sweep(self, values, values, FE_TONEAREST, 0.0, False, threads)

    def narrow(self, double[::1] upper, double[::1] lower, double blur, int threads=1):
        """Update both bounds of every value, each operation rounded outwards.

        Parameters
        ----------
        upper, lower : float64, shape (count,), IN and OUT
            In rank order.
        blur : float
            How far an update can be off because chances are rounded; it moves outwards by that.
        threads : int
        """
        _sweep(self, upper, lower, FE_UPWARD, blur, True, threads)
        _sweep(self, lower, upper, FE_DOWNWARD, -blur, True, threads)


cdef class ListPolicy:
    """A policy of all positions of a block, to be chosen before it is followed.

    Parameters
    ----------
    lists : TurnLists
        Of a rule set that has policies.

    Raises
    ------
    ValueError
        If it has none: `Turns.policy_chances`.
    MemoryError
        If there is no room for the policy.
    """

    cdef TurnLists lists
    cdef double[::1] chances       # of the throws that move a piece, and of passing
    cdef int width                 # how many they are
    cdef uint32_t[:, ::1] moves    # by position and throw, 2 * place, and 1 more to throw again
    cdef double[::1] leaving       # what the moves that leave the block add to a position's value

    def __init__(self, TurnLists lists):
        chances = lists.turns.policy_chances()
        if len(chances) == 0:
            raise ValueError("these rules have no policies")
        self.chances = np.append(chances, 1.0 - chances.sum())
        self.lists, self.width = lists, <int>self.chances.shape[0]
        self.moves = np.zeros((lists.count, self.width), dtype=np.uint32)
        self.leaving = np.zeros(lists.count)

    def choose(self, const double[::1] values, int threads=1):
        """Take the best moves by these values.

        Parameters
        ----------
        values : float64, shape (count,)
            In rank order.
        threads : int

        Returns
        -------
        int
            The number of positions whose moves have changed.
        """
        cdef int64_t k, count = self.lists.count
        if values.shape[0] != count:
            raise ValueError(f"{values.shape[0]} values of {count} positions")
        cdef int64_t[::1] changed = np.zeros(max(1, self.lists.n_runs), dtype=np.int64)
        for k in prange(self.lists.n_runs, nogil=True, schedule="dynamic", num_threads=threads):
            changed[k] = _choose_run(
                self.lists.lists[k], &self.chances[0], self.width, &values[0],
                &self.moves[0, 0], &self.leaving[0], count, k * RUN, min(count, (k + 1) * RUN))
        return int(np.sum(changed))

    def sweep(self, double[::1] values, int threads=1):
        """Update every value in place, the last first, by the moves of the policy.

        Parameters
        ----------
        values : float64, shape (count + 1,), IN and OUT
            In rank order, and 0, the value of no position.
        threads : int
            As for `TurnLists.sweep`.

        Returns
        -------
        float
            The delta: the largest change.
        """
        cdef int64_t k, count = self.lists.count, n_runs = self.lists.n_runs
        if values.shape[0] != count + 1:
            raise ValueError(f"{values.shape[0]} values of {count} positions and of none")
        cdef double[::1] deltas = np.zeros(max(1, n_runs))
        for k in prange(n_runs, nogil=True, schedule="dynamic", num_threads=threads):
            deltas[k] = _follow_run(
                &self.chances[0], self.width, &values[0], &self.moves[0, 0], &self.leaving[0],
                (n_runs - 1 - k) * RUN, min(count, (n_runs - k) * RUN))
        return float(np.max(deltas))


cdef int64_t _choose_run(
    const uint32_t* words, const double* chances, int width, const double* values,
    uint32_t* moves, double* leaving, int64_t count, int64_t start, int64_t end
) noexcept nogil:
    # The best moves of places `start` to `end - 1` by their lists; how many places have new ones.
    cdef double best, value, left
    cdef uint32_t* chosen
    cdef uint32_t passed, move, differs, stay, i, away = <uint32_t>(2 * count + 1)
    cdef int64_t k, n_changed = 0
    cdef int n
    for k in range(end - 1, start - 1, -1):
        chosen, left, differs = moves + k * width, 0.0, 0
        passed = 2 * words[1]
        words += BEFORE
        for n in range(width - 1):
            best, move = -INFINITY, passed
            stay = words[0] >> 1
            if words[0] & 1:
                memcpy(&best, words + 1, sizeof(double))
                move = away
                words += OF_THROW
            else:
                words += 1
            for i in range(stay):
                value = values[words[i] >> 1]
                if not words[i] & 1:
                    value = 1.0 - value
                if value > best:
                    best, move = value, words[i]
            words += stay
            if move == away:
                left += chances[n] * best
            differs |= chosen[n] ^ move
            chosen[n] = move
        differs |= chosen[width - 1] ^ passed
        chosen[width - 1] = passed
        leaving[k] = left
        n_changed += differs != 0
    return n_changed


cdef double _follow_run(
    const double* chances, int width, double* values, const uint32_t* moves,
    const double* leaving, int64_t start, int64_t end
) noexcept nogil:
    # Update places `start` to `end - 1` by their policy; the largest change.
    cdef double total, value, delta = 0.0
    cdef const uint32_t* chosen
    cdef int64_t k
    cdef int n
    for k in range(end - 1, start - 1, -1):
        chosen, total = moves + k * width, leaving[k]
        if k >= AHEAD:
            fetch_named(values, chosen - AHEAD * width, width)
        for n in range(width):
            value = values[chosen[n] >> 1]
            total += chances[n] * (value if chosen[n] & 1 else 1.0 - value)
        delta = max(delta, fabs(total - values[k]))
        values[k] = total
    return delta


cdef double _sweep(
    TurnLists lists, double[::1] own, double[::1] other, int mode, double more, bint writes,
    int threads
) except? -1.0:
    # Update `own` in a rounding mode, `more` added, or find only by how much it would change; where
    # the turn passes `other` is read.
    cdef int64_t k, n_runs = lists.n_runs
    cdef double[::1] deltas = np.zeros(max(1, n_runs))
    if own.shape[0] != lists.count or other.shape[0] != lists.count:
        raise ValueError(f"{own.shape[0]} and {other.shape[0]} values of {lists.count} positions")
    for k in prange(n_runs, nogil=True, schedule="dynamic", num_threads=threads):
        deltas[k] = _sweep_run_in(
            mode, lists.turns, lists.lists[n_runs - 1 - k], &own[0], &other[0], more,
            writes, (n_runs - 1 - k) * RUN, min(lists.count, (n_runs - k) * RUN))
    return float(np.max(deltas))


cdef double _sweep_run_in(
    int mode, Turns turns, const uint32_t* words, double* own, const double* other, double more,
    bint writes, int64_t start, int64_t end
) noexcept nogil:
    # What is computed lies between a load and a store, which stay between the calls.
    cdef int before = fegetround()
    cdef double delta
    fesetround(mode)
    delta = _sweep_run(turns, words, own, other, more, writes, start, end)
    fesetround(before)
    return delta


cdef uint32_t* _list_run(
    Turns turns, Inputs values, int64_t first, int64_t count, int64_t start, int64_t end
) noexcept nogil:
    # The lists of places `start` to `end - 1`, the last first; NULL if there is no memory.
    cdef int64_t most = BEFORE + <int64_t>turns.chance.shape[1] * turns.n_throws * (
        OF_THROW + turns.max_options)
    cdef int64_t room = 0, used = 0, k
    cdef uint32_t* words = NULL
    cdef uint32_t* grown
    for k in range(end - 1, start - 1, -1):
        if room - used < most:
            room = 2 * room + most
            grown = <uint32_t*>realloc(words, room * sizeof(uint32_t))
            if grown == NULL:
                free(words)
                return NULL
            words = grown
        used += _list_position(turns, values, first, count, first + k, words + used)
    return <uint32_t*>fitted(words, used * sizeof(uint32_t))


cdef int64_t _list_position(
    Turns turns, Inputs values, int64_t first, int64_t count, int64_t rank, uint32_t* words
) noexcept nogil:
    # Write the list of a rank; how many words it has.
    cdef uint16_t own[MAX_WIDTH]
    cdef uint16_t other[MAX_WIDTH]
    cdef Successors found[MAX_THROWS]
    cdef int turn_type = turns.open_turn(rank, own, other)
    cdef int c, n
    cdef int64_t used = BEFORE
    words[0] = turn_type
    words[1] = <uint32_t>(turns.ranking.rank_row(other) - first)
    for c in range(turns.n_choices[turn_type]):
        turns.list_successors(own, other, turn_type, c, found)
        for n in range(turns.n_throws):
            if turns.chance[turn_type, c, n] != 0.0:
                used += _list_throw(&found[n], values, first, count, words + used)
    return used


cdef int64_t _list_throw(
    const Successors* found, Inputs values, int64_t first, int64_t count, uint32_t* words
) noexcept nogil:
    # Write the list of a throw; how many words it has.
    cdef double value, best = -INFINITY
    cdef int64_t rank, stay = 0
    cdef int i, leave = 0, used
    cdef bint again
    for i in range(found.n):
        rank = found.rank[i]
        if rank == WON or rank < first or rank >= first + count:
            leave = 1
    used = OF_THROW if leave else 1
    for i in range(found.n):
        rank, again = found.rank[i], found.flags[i] & AGAIN_
        if rank != WON and first <= rank < first + count:
            words[used + stay] = <uint32_t>(2 * (rank - first) + again)
            stay += 1
        else:
            value = 0.0 if rank == WON else values.at(rank)
            best = max(best, value if again else 1.0 - value)
    words[0] = <uint32_t>(2 * stay + leave)
    if leave:
        memcpy(words + 1, &best, sizeof(double))
    return used + stay


cdef double _sweep_run(
    Turns turns, const uint32_t* words, double* own, const double* other, double more,
    bint writes, int64_t start, int64_t end
) noexcept nogil:
    # Update places `start` to `end - 1` by their lists; the largest change.
    cdef double passed, best, value, total, most, delta = 0.0
    cdef int64_t k
    cdef int c, n, turn_type
    cdef uint32_t stay, i
    for k in range(end - 1, start - 1, -1):
        turn_type, passed, most = words[0], 1.0 - other[words[1]], -INFINITY
        words += BEFORE
        for c in range(turns.n_choices[turn_type]):
            total = turns.pass_chance[turn_type, c] * passed
            for n in range(turns.n_throws):
                if turns.chance[turn_type, c, n] == 0.0:
                    continue
                best = -INFINITY
                stay = words[0] >> 1
                if words[0] == 0:
                    best = passed
                if words[0] & 1:
                    memcpy(&best, words + 1, sizeof(double))
                    words += OF_THROW
                else:
                    words += 1
                for i in range(stay):
                    if words[i] & 1:
                        value = own[words[i] >> 1]
                    else:
                        value = 1.0 - other[words[i] >> 1]
                    best = max(best, value)
                words += stay
                total += turns.chance[turn_type, c, n] * best
            most = max(most, total)
        delta = max(delta, fabs(most - own[k]))
        if writes:
            own[k] = most + more
    return delta
