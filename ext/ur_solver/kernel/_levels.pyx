"""The generic kernel of games for money: all levels of a position, by rank and unrank.

The lanes of a position are described in `levels.h`. It shares nothing with the sweeps over rows but
the numbering of positions and the tables of the rules.
"""

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int64_t, uint16_t

import numpy as np

from ur_solver.kernel._turns cimport MAX_THROWS, WON, Successors
from ur_solver.moves._generator cimport ROSETTE_
from ur_solver.space._tile_ranking cimport MAX_WIDTH, TileRanking

cdef enum:
    ONLY_AGAIN = 2            # in `Turns.again`: the same side throws


cdef class LevelTurns(Turns):
    """What may be done in the positions of a game for money; thread safe.

    Parameters
    ----------
    ranking, tables
        As of `Turns`, for the positions without their fines. `residual` counts positions, and reads all
        lanes of each.
    reach : int
        The last level.
    fine : float
        In units of the values.
    pots : float64, shape (lanes,)
        For each lane what the two sides' values sum to.

    Raises
    ------
    ValueError
        If the rules are none of those that levels are made for: one choice, and another throw after
        every move.
    """

    def __init__(
        self, TileRanking ranking, tables, int reach, double fine, pots
    ):
        cdef int lane
        Turns.__init__(self, ranking, tables)
        if np.any(tables.n_choices != 1) or np.any(tables.again != ONLY_AGAIN):
            raise ValueError("rules that levels are not made for")
        if len(pots) != reach + 1 + UR_CUT_LANES or len(pots) > UR_MAX_LANES:
            raise ValueError(f"{len(pots)} lanes, for {reach} fines, at most {UR_MAX_LANES}")
        self.levels.reach, self.levels.lanes, self.levels.fine = reach, len(pots), fine
        for lane in range(len(pots)):
            self.levels.pots[lane] = pots[lane]
            # `reach`, `least` and `most` go on in a straight line
            self.levels.slope[lane] = fine if lane - reach in (0, 4, 5) else 0.0
            self.levels.cost[lane] = fine if lane <= reach or lane - reach in (4, 5) else 0.0

    cdef const double* _row(self, Inputs values, int64_t position) noexcept nogil:
        # The lanes of a position.
        cdef int64_t rank = position * self.levels.lanes
        return values.values_from(rank)

    cdef double _worth(self, const double* row, bint pays, int lane) noexcept nogil:
        # What a lane of a move is worth that leads to a row.
        cdef int reach = self.levels.reach
        cdef double fine = self.levels.fine
        if not pays or reach < lane < reach + 4:
            return row[lane]
        if lane < reach:
            return row[lane + 1] - fine
        # in a straight line, by the chance of winning that goes with the lane
        return row[lane] + fine * row[reach + 1 if lane == reach else lane - 2] - fine

    cdef double _residual_of_one(self, Inputs values, int64_t position) noexcept nogil:
        cdef uint16_t own[MAX_WIDTH]
        cdef uint16_t other[MAX_WIDTH]
        cdef Successors found[MAX_THROWS]
        cdef double total[UR_MAX_LANES]
        cdef double best[UR_MAX_LANES]
        cdef int n, i, lane, behind, reach = self.levels.reach
        cdef int lanes = self.levels.lanes
        cdef int turn_type = self.open_turn(position, own, other)
        cdef const double* image = self._row(
            values, self.ranking.rank_row(other))
        cdef const double* row
        cdef bint pays, is_preferred
        cdef double worth, bar, chance, passes = self.pass_chance[turn_type, 0], delta = 0.0
        for lane in range(lanes):
            total[lane] = 0.0
        self.list_successors(own, other, turn_type, 0, found)
        for n in range(self.n_throws):
            chance = self.chance[turn_type, 0, n]
            if found[n].n == 0:
                passes += chance
                continue
            bar = -INFINITY
            for lane in range(lanes):
                best[lane] = -INFINITY
            for i in range(found[n].n):
                pays = False
                if found[n].rank[i] == WON:
                    row = self.levels.pots
                else:
                    row = self._row(values, found[n].rank[i])
                    pays = found[n].flags[i] & ROSETTE_
                worth = self._worth(row, pays, reach)
                is_preferred = worth > bar
                if is_preferred:
                    bar = worth + UR_PREFERRED
                for lane in range(lanes):
                    worth = self._worth(row, pays, lane)
                    if lane == reach + 2 or lane == reach + 4:
                        best[lane] = worth if is_preferred else best[lane]
                    else:
                        best[lane] = max(best[lane], worth)
            for lane in range(lanes):
                total[lane] += chance * best[lane]
        row = self._row(values, position)
        for lane in range(lanes):
            behind = lane - reach
            # what the one side has at least the other has at most
            worth = image[reach + (behind ^ 1) if behind >= 2 else lane]
            total[lane] += passes * (self.levels.pots[lane] - worth)
            delta = max(delta, fabs(total[lane] - row[lane]))
        return delta
