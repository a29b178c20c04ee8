"""A block's moves as lists, made once by the generic kernel, and sweeps that read them.

A sweep of `Turns` unfolds every position again; one of lists looks at a number a move.
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

# A position's list is its turn type, the place of its mirror image, to which a turn passes, and for
# each choice and throw that the dice may show a head, 2 * moves that stay in the block, and 1 more
# if others leave it; two words with the value of the best of those; and the moves that stay, each
# 2 * place, and 1 more if the same side throws again.
cdef enum:
    RUN = 1024                # positions whose lists are one piece of memory
    BEFORE = 2                # words of a position
    OF_THROW = 3              # words of a throw, besides the moves that stay


cdef int64_t MOST = <int64_t>1 << 31  # positions of a block: a place and a bit are one word


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
        return _sweep(self, values, values, FE_TONEAREST, 0.0, threads)

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
        _sweep(self, upper, lower, FE_UPWARD, blur, threads)
        _sweep(self, lower, upper, FE_DOWNWARD, -blur, threads)


cdef double _sweep(
    TurnLists lists, double[::1] own, double[::1] other, int mode, double more, int threads
) except? -1.0:
    # Update `own` in a rounding mode, `more` added; where the turn passes `other` is read.
    cdef int64_t k, n_runs = lists.n_runs
    cdef double[::1] deltas = np.zeros(max(1, n_runs))
    if own.shape[0] != lists.count or other.shape[0] != lists.count:
        raise ValueError(f"{own.shape[0]} and {other.shape[0]} values of {lists.count} positions")
    for k in prange(n_runs, nogil=True, schedule="dynamic", num_threads=threads):
        deltas[k] = _sweep_run_in(
            mode, lists.turns, lists.lists[n_runs - 1 - k], &own[0], &other[0], more,
            (n_runs - 1 - k) * RUN, min(lists.count, (n_runs - k) * RUN))
    return float(np.max(deltas))


cdef double _sweep_run_in(
    int mode, Turns turns, const uint32_t* words, double* own, const double* other, double more,
    int64_t start, int64_t end
) noexcept nogil:
    # What is computed lies between a load and a store, which stay between the calls.
    cdef int before = fegetround()
    cdef double delta
    fesetround(mode)
    delta = _sweep_run(turns, words, own, other, more, start, end)
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
    int64_t start, int64_t end
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
        own[k] = most + more
    return delta
