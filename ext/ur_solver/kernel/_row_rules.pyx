"""What moves do to the rows and columns of tiles, for all blocks of a space.

A move changes at most two squares, where it begins and where it ends. On a shared square it
changes the shape and my detail, and perhaps what becomes of each detail of theirs (`Change`); all
other details of theirs stay as they are.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t
from libc.stdlib cimport calloc, free

import numpy as np

from ur_solver.kernel._turns cimport NONE

cdef extern from "memory.h" nogil:
    int make_room(void** memory, int64_t* room, int64_t needed, int64_t size)


LIMITS = {"throws": UR_ROW_THROWS}
"""As `ur_solver.rules.limits` has them."""


cdef class RowRules:
    """What moves do to rows and columns, for all blocks of one space; thread safe.

    Parameters
    ----------
    turns : Turns
    is_numbered : bool
        Whether pieces have numbers.
    blur : float
        How far rounded numbers put an update off.
    pays : uint8, shape (landings,), optional
        In games for money whether a landing is on a rosette.
    """

    def __cinit__(self):
        self.kinds = NULL
        self.changes = NULL
        self.movers = NULL
        self.steps = NULL
        self.takings = NULL

    def __dealloc__(self):
        free(self.kinds)
        free(self.changes)
        free(self.movers)
        free(self.steps)
        free(self.takings)

    def __init__(
        self, Turns turns, bint is_numbered, double blur, const uint8_t[::1] pays=None
    ):
        self.turns, self.ranking, self.is_numbered = turns, turns.ranking, is_numbered
        self.blur = blur
        self._number_cells()
        self._number_shapes()
        self._tell_takings()
        self._tell_kinds()
        self._tell_movers(*self._tell_changes(), pays)

    def _number_cells(self):
        cdef TileRanking ranking = self.ranking
        cdef int k
        self.shared_place = np.full(ranking.n_cells, -1, dtype=np.int32)
        self.my_codes = np.ascontiguousarray(np.asarray(ranking.codes)[:, 0])
        for k in range(ranking.n_shared):
            self.shared_place[ranking.shared[k]] = k

    def _number_shapes(self):
        cdef TileRanking ranking = self.ranking
        cdef int n_shapes = <int>ranking.n_details.shape[0], cell, k, shape, content
        cdef int64_t pair = 0
        self.mirror_shape = np.zeros(n_shapes, dtype=np.int32)
        self.first_pair = np.zeros(n_shapes, dtype=np.int32)
        self.shape_advance = np.zeros(n_shapes, dtype=np.int32)
        for cell in range(ranking.n_cells):
            pair = 0
            for k in range(ranking.n_shapes[cell]):
                shape = ranking.first_shape[cell] + k
                content = ranking.first_content[cell] + ranking.content_of[
                    ranking.shape_start[shape]]
                self.mirror_shape[shape] = ranking.shape_of[
                    ranking.first_content[ranking.mirror_cell[cell]]
                    + ranking.mirror_content[content]]
                self.first_pair[shape] = <int32_t>pair
                pair += ranking.n_details[shape, 0]
                self.shape_advance[shape] = self.turns.advance[content]

    def _tell_takings(self):
        cdef TileRanking ranking = self.ranking
        cdef int cell, content, side, shape, reserve
        cdef int64_t entry
        cdef Taking* taking
        self.n_entries = <int>ranking.detail_at.shape[1]
        self.takings = <Taking*>calloc(ranking.n_reserves * self.n_entries, sizeof(Taking))
        if self.takings == NULL:
            raise MemoryError("no memory for details")
        for cell in range(ranking.n_cells):
            for content in range(
                    ranking.first_content[cell],
                    ranking.first_content[cell] + ranking.n_contents[cell]):
                shape = ranking.first_shape[cell] + ranking.shape_of[content]
                for side in range(2):
                    entry = ranking.first_entry[shape, side] + ranking.detail_of[content, side]
                    for reserve in range(ranking.n_reserves):
                        taking = &self.takings[reserve * self.n_entries + entry]
                        taking.n_digits = ranking.n_digits[reserve, shape, side]
                        taking.digit = ranking.digit_of[reserve, content, side]
                        taking.left = ranking.take[reserve, ranking.parts[content, side]]

    def _tell_kinds(self):
        cdef Turns turns = self.turns
        cdef int n_kinds = <int>turns.n_choices.shape[0], kind, c, n, k
        if turns.n_throws > UR_ROW_THROWS:
            raise ValueError("rules larger than the compiled limits")
        self.kinds = <RowKind*>calloc(n_kinds, sizeof(RowKind))
        if self.kinds == NULL:
            raise MemoryError("no memory for the types of turns")
        for kind in range(n_kinds):
            self.kinds[kind].n_choices = turns.n_choices[kind]
            for c in range(turns.n_choices[kind]):
                k = 0
                for n in range(turns.n_throws):
                    if turns.chance[kind, c, n] != 0.0:
                        self.kinds[kind].chance[c][k] = turns.chance[kind, c, n]
                        k += 1
                self.kinds[kind].n_throws[c] = k
        self.policy_chances = turns.policy_chances()

    def _tell_changes(self):
        # What lifting a mover, or landing, does to a shared square, for each of its shapes and
        # details of mine: where those of each mover and of each landing begin.
        cdef Turns turns = self.turns
        cdef TileRanking ranking = self.ranking
        cdef int m, cell
        maps, starts = [], []
        lift_base = np.full(turns.n_movers, -1, dtype=np.int32)
        for m in range(turns.n_movers):
            cell = turns.mover_cell[m]
            if cell >= 0 and self.shared_place[cell] >= 0:
                lift_base[m] = len(starts)
                _add_changes(self, cell, turns.lift, turns.lift_start[m], None, starts, maps)
        landing_base = np.full(max(1, turns.landing_cell.shape[0]), -1, dtype=np.int32)
        for m in range(turns.landing_cell.shape[0]):
            cell = turns.landing_cell[m]
            if self.shared_place[cell] >= 0:
                landing_base[m] = len(starts)
                _add_changes(
                    self, cell, turns.landing_content, turns.landing_start[m], turns.landing_taken,
                    starts, maps)
        starts.append(self.n_changes)
        self.first_change = np.array(starts, dtype=np.int64)
        self.detail_map = np.array(maps, dtype=np.int16)
        return lift_base, landing_base

    def _tell_movers(
        self, const int32_t[::1] lift_base, const int32_t[::1] landing_base,
        const uint8_t[::1] pays
    ):
        cdef Turns turns = self.turns
        cdef Mover* mover
        cdef Step* step
        cdef int m, n, k, landing, cell, target, n_steps = 0
        self.movers = <Mover*>calloc(turns.n_movers, sizeof(Mover))
        self.steps = <Step*>calloc(1 + turns.step_target.shape[0], sizeof(Step))
        if self.movers == NULL or self.steps == NULL:
            raise MemoryError("no memory for moves")
        for m in range(turns.n_movers):
            mover, cell = &self.movers[m], turns.mover_cell[m]
            mover.part, mover.is_home = turns.mover_part[m], cell < 0
            if cell >= 0:
                _touch(
                    self, &mover.source, cell, &turns.lift[turns.lift_start[m]], lift_base[m])
            mover.first_step = n_steps
            for n in range(turns.n_throws):
                for k in range(turns.step_start[m, n], turns.step_start[m, n + 1]):
                    step, n_steps = &self.steps[n_steps], n_steps + 1
                    landing, target = turns.step_landing[k], turns.step_target[k]
                    step.throw, step.is_off = n, landing < 0
                    step.again[0] = turns.again[n, target, 0]
                    step.again[1] = turns.again[n, target, 1]
                    if landing < 0:
                        continue
                    step.pays = pays is not None and pays[landing]
                    _touch(self, &step.landing, turns.landing_cell[landing],
                                &turns.landing_content[turns.landing_start[landing]],
                                landing_base[landing])
            mover.end_step = n_steps

    cdef bint find_line(self, const Side* side, Line* line) noexcept nogil:
        # The rows that differ from a position's in my placement alone; False if a side has won.
        cdef int s, cell, shape
        cdef const Taking* mine
        cdef const Taking* theirs
        if side.mine < 0 or side.theirs < 0:
            return False
        line.tile, line.row = self.ranking.half_offset[side.mine, side.theirs], 0
        line.mine = self.ranking.config_free[side.mine]
        line.theirs = self.ranking.config_free[side.theirs]
        line.rows = line.columns = 1
        for s in range(self.ranking.n_shared):
            shape = side.shape[s]
            if shape == 0:
                continue
            cell = self.ranking.shared[s]
            line.tile += <int64_t>line.rows * line.columns * self.ranking.below[
                self.ranking.below_start[s]
                + (<int64_t>line.mine * self.ranking.n_reserves + line.theirs) * (
                    self.ranking.n_shapes[cell]) + shape]
            shape += self.ranking.first_shape[cell]
            mine = &self.takings[
                line.mine * self.n_entries + self.ranking.first_entry[shape, 0] + side.detail[s]]
            theirs = &self.takings[
                line.theirs * self.n_entries + self.ranking.first_entry[shape, 1]]
            line.row = line.row * mine.n_digits + mine.digit
            line.rows *= mine.n_digits
            line.columns *= theirs.n_digits
            line.mine, line.theirs = mine.left, self.ranking.rest[line.theirs, shape, 1]
        line.row *= self.ranking.n_placements[line.mine]
        line.rows *= self.ranking.n_placements[line.mine]
        line.columns *= self.ranking.n_placements[line.theirs]
        return True

    cdef int64_t mirror_tile(self, const Side* side) noexcept nogil:
        # The first rank of the mirror image of a row's tile.
        cdef int s, cell, across, shape
        cdef int i = self.ranking.config_free[side.theirs], j = self.ranking.config_free[side.mine]
        cdef int64_t weight = 1, tile = self.ranking.half_offset[side.theirs, side.mine]
        for s in range(self.ranking.n_shared):
            cell, across = self.ranking.shared[s], self.ranking.shared_mirror[s]
            shape = self.mirror_shape[
                self.ranking.first_shape[across] + side.shape[self.shared_place[across]]]
            if shape == 0:
                continue
            tile += weight * self.ranking.below[
                self.ranking.below_start[s]
                + (<int64_t>i * self.ranking.n_reserves + j) * self.ranking.n_shapes[cell] + shape]
            shape += self.ranking.first_shape[cell]
            weight *= self.ranking.n_digits[i, shape, 0] * self.ranking.n_digits[j, shape, 1]
            i, j = self.ranking.rest[i, shape, 0], self.ranking.rest[j, shape, 1]
        return tile

    cdef int mark_advance(self, int place, int shape, int detail) noexcept nogil:
        # What the pieces of a shared square have advanced, by a detail of mine and their first.
        cdef int cell = self.ranking.shared[place]
        return self.turns.advance[
            self.ranking.content_by(shape + self.ranking.first_shape[cell], cell, 0, detail)]

    cdef void open_row(self, Side* side, int placement, int mine) noexcept nogil:
        # One of my placements that draw on the reserve `mine`, without frozen pieces.
        cdef int s
        cdef int code = self.ranking.code_of[mine, placement]
        side.code = code
        for s in range(self.ranking.n_private):
            side.content[self.ranking.private[s]] = <uint16_t>(code // self.ranking.radix[s])
            code %= self.ranking.radix[s]

    cdef void change(self, Side* side, const Touched* touched, int before, int after) noexcept nogil:
        # What I hold on a square that is not shared, from one content to another.
        side.content[touched.cell] = <uint16_t>after
        side.code += touched.codes[2 * after] - touched.codes[2 * before]
        side.frozen += touched.codes[2 * after + 1] - touched.codes[2 * before + 1]


cdef object _add_changes(
    RowRules self, int cell, const uint16_t[::1] after, int start, const int32_t[::1] taken, list starts,
    list maps
):
    cdef TileRanking ranking = self.ranking
    cdef int k, shape, mine, theirs, content, reached, part, n_theirs, to
    cdef Change* change
    for k in range(ranking.n_shapes[cell]):
        shape = ranking.first_shape[cell] + k
        n_theirs = ranking.n_details[shape, 1]
        for mine in range(ranking.n_details[shape, 0]):
            starts.append(self.n_changes)
            found = {}
            for theirs in range(n_theirs):
                content = ranking.content_of[
                    ranking.shape_start[shape] + mine * n_theirs + theirs]
                reached = after[start + content]
                if reached == NONE:
                    continue
                part = 0 if taken is None else taken[start + content]
                reached += ranking.first_content[cell]
                to = ranking.detail_of[reached, 1]
                # which piece is taken, of those with numbers, columns say
                key = ranking.shape_of[reached], ranking.detail_of[reached, 0], part != 0
                found.setdefault(key, [-1] * n_theirs)[theirs] = to
            for (reached, to, is_capture), details in found.items():
                change = _new_change(self)
                change.cell, change.shape = cell, reached
                change.detail, change.is_capture = to, is_capture
                change.first_map = len(maps)
                change.is_full = min(details) >= 0
                change.is_plain = (
                    details == [*range(n_theirs)] and not is_capture
                    and ranking.n_details[ranking.first_shape[cell] + reached, 1] == n_theirs)
                maps.extend(details)


cdef Change* _new_change(RowRules self) except NULL:
    self.n_changes += 1
    if not make_room(
            <void**>&self.changes, &self.room_changes, self.n_changes, sizeof(Change)):
        raise MemoryError("no memory for what moves do to squares")
    return &self.changes[self.n_changes - 1]


cdef void _touch(
    RowRules self, Touched* touched, int cell, const uint16_t* after, int first_change
) noexcept:
    touched.cell, touched.after, touched.first_change = cell, after, first_change
    touched.shared = self.shared_place[cell]
    touched.codes = &self.my_codes[self.ranking.first_content[cell], 0]
    touched.first_pair = &self.first_pair[self.ranking.first_shape[cell]]
