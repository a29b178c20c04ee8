"""The move generator: the moves of encoded states, and the states that they lead to.

`ur_solver.moves.tables` makes the tables from the readable rules and documents them. A state is a
row of `TileSpace`: the number of every square's content, my home stock and theirs, seen by the side
to throw; with stakes a last number counts the fines (`StakesSpace`). Nothing here knows how states
are ranked, or what they are worth.

A row and its mirror image are changed side by side, so that neither is ever made anew after a move.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.string cimport memcpy

import numpy as np

from ur_solver.errors import RuleSetError

AGAIN, WIN, ROSETTE, PASS, CAPTURE, OPTIONAL = (
    AGAIN_, WIN_, ROSETTE_, PASS_, CAPTURE_, OPTIONAL_)
"""Flags of an option: the same side throws next, it wins, it lands on a rosette, it is a pass, it
captures, the side that makes it chooses who throws next."""

LIMITS = {"squares": MAX_CELLS - 3, "pieces": MAX_MOVERS - 1}
"""As `ur_solver.rules.limits` has them, or more."""

ctypedef fused Number:
    uint16_t
    uint32_t


cdef class Generator:
    """The moves of one rule set; thread safe.

    Parameters
    ----------
    tables : MoveTables
    has_fines : bool
        Whether states end with the fines paid, and are of uint32; otherwise they are of uint16.

    Raises
    ------
    RuleSetError
        If the rules are larger than the compiled limits.
    """

    def __init__(self, tables, bint has_fines=False):
        self.mover_cell = tables.mover_cell
        self.mover_source = tables.mover_source
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
        self.is_rosette = tables.is_rosette
        self.first_content = tables.first_content
        self.mirror_cell = tables.mirror_cell
        self.mirror_content = tables.mirror_content
        self.awake = tables.awake
        self.may_rest = tables.may_rest
        self.n_mine = tables.n_mine
        self.advance = tables.advance
        self.take = tables.take
        self.stock_count = tables.stock_count
        self.type_of = tables.type_of
        self.n_choices = tables.n_choices
        self.from_home = tables.from_home
        self.from_board = tables.from_board
        self.chance = tables.chance
        self.pass_chance = tables.pass_chance
        self.has_fines = has_fines
        self.n_cells = self.mirror_cell.shape[0]
        self.n_movers = self.mover_cell.shape[0]
        self.n_throws = self.step_start.shape[1] - 1
        # each piece on the board and one from home, and two options where the mover may choose
        pieces = self.stock_count[self.stock_count.shape[0] - 1]
        steps = np.diff(tables.step_start, axis=1).max(initial=1)
        self.max_movable = pieces + 1
        self.max_options = max(
            1, self.max_movable * steps * (2 if np.any(tables.again == 3) else 1))
        if (
            self.n_cells + 2 > MAX_CELLS or self.max_movable > MAX_MOVERS
            or self.max_options > MAX_OPTIONS or self.n_movers >= 1 << 15
        ):
            raise RuleSetError(
                f"{pieces} pieces with up to {steps} moves each on {self.n_cells} squares are more "
                "than the move generator has room for")

    cdef void write_mirror(self, const uint16_t* row, uint16_t* other) noexcept nogil:
        # The row as the other side sees it.
        cdef int cell, n = self.n_cells
        for cell in range(n):
            other[self.mirror_cell[cell]] = self.mirror_content[
                self.first_content[cell] + row[cell]]
        other[n] = row[n + 1]
        other[n + 1] = row[n]

    cdef bint has_pieces(self, const uint16_t* row) noexcept nogil:
        # Whether the side to throw has a piece at home or on the board.
        cdef int cell
        if row[self.n_cells]:
            return True
        for cell in range(self.n_cells):
            if self.n_mine[self.first_content[cell] + row[cell]]:
                return True
        return False

    cdef int find_movable(self, const uint16_t* row, int may, Movable* movable) noexcept nogil:
        # The pieces that may move, 1 from home and 2 on the board; how many there are.
        cdef int m, cell, n = 0
        cdef uint16_t left
        cdef bint from_home = may & 1
        for m in range(self.n_movers):
            cell = self.mover_cell[m]
            left = 0
            if cell < 0:
                # of the pieces at home the lowest, where they are numbered
                if not from_home or self.take[row[self.n_cells], self.mover_part[m]] < 0:
                    continue
                from_home = False
                movable[n].before = 0
            else:
                if not may & 2:
                    break
                left = self.lift[self.lift_start[m] + row[cell]]
                if left == NONE:
                    continue
                movable[n].before = row[cell]
            movable[n].mover, movable[n].cell, movable[n].left = m, cell, left
            n += 1
            if n == self.max_movable:
                break
        return n

    cdef void wake(self, uint16_t* own, Movable* movable, int n_movable) noexcept nogil:
        # Let the piece that rests wake up, once those that may move are found. The mirror image
        # has none.
        cdef int cell, k
        if not self.may_rest:
            return
        for cell in range(self.n_cells):
            own[cell] = self.awake[self.first_content[cell] + own[cell]]
        for k in range(n_movable):
            if movable[k].cell >= 0:
                movable[k].before = own[movable[k].cell]

    cdef int list_moves(
        self, uint16_t* own, uint16_t* other, const Movable* movable, int n_movable, int throw,
        uint16_t* after, Option* options
    ) noexcept nogil:
        # Write the legal moves with a throw in the order of `legal_moves`, and the rows that they
        # lead to one after the other, seen by the side that throws next. Return how many there are.
        # `own` and its mirror image are left as they were.
        cdef int n_cells = self.n_cells, n = 0, k, m, step, to, landing, cell, part, taken, again
        cdef int flags
        cdef uint16_t held = 0, content
        cdef size_t n_bytes = (n_cells + 2) * sizeof(uint16_t)
        cdef const Movable* piece
        for k in range(n_movable):
            piece = &movable[k]
            m = piece.mover
            if self.step_start[m, throw] == self.step_start[m, throw + 1]:
                continue
            part = self.mover_part[m]
            if piece.cell < 0:
                own[n_cells] -= <uint16_t>part
                other[n_cells + 1] -= <uint16_t>part
            else:
                put(self, own, other, piece.cell, piece.left)
            for step in range(self.step_start[m, throw], self.step_start[m, throw + 1]):
                to, landing = self.step_target[step], self.step_landing[step]
                flags = taken = cell = 0
                if landing >= 0:
                    cell = self.landing_cell[landing]
                    held = own[cell]
                    content = self.landing_content[self.landing_start[landing] + held]
                    if content == NONE:
                        continue
                    taken = self.landing_taken[self.landing_start[landing] + held]
                    put(self, own, other, cell, content)
                    own[n_cells + 1] += <uint16_t>taken
                    other[n_cells] += <uint16_t>taken
                    flags = CAPTURE_ * (taken != 0) + ROSETTE_ * self.is_rosette[to]
                    again = self.again[throw, to, taken != 0]
                elif self.has_pieces(own):
                    again = self.again[throw, to, 0]
                else:
                    flags, again = WIN_, 1
                if again == 3:
                    flags |= OPTIONAL_
                options[n].mover, options[n].target = <int16_t>m, <int8_t>to
                options[n].taken, options[n].flags = self.stock_count[taken], <uint8_t>flags
                if again == 3:
                    options[n + 1] = options[n]
                if again & 1:
                    memcpy(after, other, n_bytes)
                    after += n_cells + 2
                    n += 1
                if again & 2:
                    memcpy(after, own, n_bytes)
                    options[n].flags |= AGAIN_
                    after += n_cells + 2
                    n += 1
                if landing >= 0:
                    put(self, own, other, cell, held)
                    own[n_cells + 1] -= <uint16_t>taken
                    other[n_cells] -= <uint16_t>taken
            if piece.cell < 0:
                own[n_cells] += <uint16_t>part
                other[n_cells + 1] += <uint16_t>part
            else:
                put(self, own, other, piece.cell, piece.before)
        return n

    cdef bint may_capture(
        self, const uint16_t* row, const Movable* movable, int n_movable, int throw
    ) noexcept nogil:
        # Whether a throw has a move that captures.
        cdef int k, m, step, landing, at
        for k in range(n_movable):
            m = movable[k].mover
            for step in range(self.step_start[m, throw], self.step_start[m, throw + 1]):
                landing = self.step_landing[step]
                if landing < 0:
                    continue
                at = self.landing_start[landing] + row[self.landing_cell[landing]]
                if self.landing_content[at] != NONE and self.landing_taken[at]:
                    return True
        return False

    def moves(self, bytes state, int throw, int may):
        """The legal moves of one state, in the order of `legal_moves`.

        Parameters
        ----------
        state : bytes
            A row that is not over.
        throw : int
            Its number in `MoveTables.throws`.
        may : int
            1 if a piece may enter, plus 2 if one on the board may move.

        Returns
        -------
        list of (int, int, int, bytes)
            The number of the mover, the target's path index, the flags, and the row afterwards,
            seen by the side that throws next.
        """
        cdef uint16_t own[MAX_CELLS]
        cdef uint16_t other[MAX_CELLS]
        cdef uint16_t after[MAX_OPTIONS * MAX_CELLS]
        cdef Movable movable[MAX_MOVERS]
        cdef Option options[MAX_OPTIONS]
        cdef int n, k
        cdef uint32_t fines = self._read(state, own)
        self.write_mirror(own, other)
        n = self.find_movable(own, may, movable)
        self.wake(own, movable, n)
        n = self.list_moves(own, other, movable, n, throw, after, options)
        return [
            (options[k].mover, options[k].target, options[k].flags,
             self._state(after + k * (self.n_cells + 2), fines + paid(options[k].flags)))
            for k in range(n)]

    def mirror(self, bytes state):
        """The row as the other side sees it: the state after a pass."""
        cdef uint16_t own[MAX_CELLS]
        cdef uint16_t other[MAX_CELLS]
        cdef uint32_t fines = self._read(state, own)
        self.write_mirror(own, other)
        return self._state(other, fines)

    def is_over(self, bytes state):
        """Whether either side has borne off all its pieces."""
        cdef uint16_t own[MAX_CELLS]
        cdef uint16_t other[MAX_CELLS]
        self._read(state, own)
        self.write_mirror(own, other)
        return not (self.has_pieces(own) and self.has_pieces(other))

    cdef uint32_t _read(self, bytes state, uint16_t* row) except? 0xFFFFFFFF:
        # Read a row; the fines paid, 0 without stakes.
        cdef const uint32_t* wide
        cdef int k, n = self.n_cells + 2
        if len(state) != ((n + 1) * 4 if self.has_fines else n * 2):
            raise ValueError(f"a state of {len(state)} bytes")
        if not self.has_fines:
            memcpy(row, PyBytes_AS_STRING(state), n * sizeof(uint16_t))
            return 0
        wide = <const uint32_t*>PyBytes_AS_STRING(state)
        for k in range(n):
            row[k] = <uint16_t>wide[k]
        return wide[n]

    cdef bytes _state(self, const uint16_t* row, uint32_t fines):
        cdef uint32_t wide[MAX_CELLS + 1]
        cdef int k, n = self.n_cells + 2
        if not self.has_fines:
            return PyBytes_FromStringAndSize(<const char*>row, n * sizeof(uint16_t))
        for k in range(n):
            wide[k] = row[k]
        wide[n] = fines
        return PyBytes_FromStringAndSize(<const char*>wide, (n + 1) * sizeof(uint32_t))


cdef inline void put(
    Generator self, uint16_t* own, uint16_t* other, int cell, int content
) noexcept nogil:
    # Change a square in a row and in its mirror image.
    own[cell] = <uint16_t>content
    other[self.mirror_cell[cell]] = self.mirror_content[self.first_content[cell] + content]


cdef inline int paid(int flags) noexcept nogil:
    # The fines of an option, where there are stakes.
    return 1 if flags & ROSETTE_ else 0


cdef inline void read(const Number* row, int n, uint16_t* own) noexcept nogil:
    cdef int k
    for k in range(n):
        own[k] = <uint16_t>row[k]


cdef inline void write(const uint16_t* row, int n, Number* after) noexcept nogil:
    cdef int k
    for k in range(n):
        after[k] = row[k]


def mirror(Generator generator, const Number[:, ::1] rows, Number[:, ::1] others):
    """Write to `others` each row as the other side sees it."""
    cdef uint16_t own[MAX_CELLS]
    cdef uint16_t other[MAX_CELLS]
    cdef int n = generator.n_cells + 2
    cdef Py_ssize_t k
    check_width(generator, rows.shape[1])
    with nogil:
        for k in range(rows.shape[0]):
            read(&rows[k, 0], n, own)
            generator.write_mirror(own, other)
            write(other, n, &others[k, 0])
            if generator.has_fines:
                others[k, n] = rows[k, n]


def successors(
    Generator generator,
    const Number[:, ::1] rows,
    const int32_t[::1] throws,
    const uint8_t[::1] may,
    int64_t[::1] starts,
    Number[:, ::1] after,
    int16_t[::1] mover,
    int8_t[::1] target,
    uint8_t[::1] taken,
    uint8_t[::1] flags,
):
    """Write the options of turns: the legal moves in the order of `moves.py`, or a pass.

    Parameters
    ----------
    generator : Generator
    rows : shape (turns, width)
        States that are not over.
    throws : int32, shape (turns,)
        The number of the throw that a piece is moved by; -1 if nothing moves.
    may : uint8, shape (turns,)
        1 if a piece may enter, plus 2 if one on the board may move.
    starts : int64, shape (turns + 1,), OUT
        The options of turn k are `starts[k]` to `starts[k + 1]`.
    after, mover, target, taken, flags : OUT
        By option: the state afterwards, seen by the side that throws next, or the state before
        where the option wins; the number of the mover, -1 for a pass; the path index; the pieces
        captured; flags (`AGAIN` and so on). They must have room for `max_options` each turn.

    Returns
    -------
    int
        How many options there are.
    """
    cdef uint16_t own[MAX_CELLS]
    cdef uint16_t other[MAX_CELLS]
    cdef uint16_t scratch[MAX_OPTIONS * MAX_CELLS]
    cdef Movable movable[MAX_MOVERS]
    cdef Option options[MAX_OPTIONS]
    cdef const uint16_t* reached
    cdef Py_ssize_t k
    cdef int64_t n = 0
    cdef int width = generator.n_cells + 2, count, i
    check_width(generator, rows.shape[1])
    if not throws.shape[0] == may.shape[0] == rows.shape[0]:
        raise ValueError(
            f"{rows.shape[0]} states, {throws.shape[0]} throws, {may.shape[0]} choices")
    if after.shape[0] < rows.shape[0] * generator.max_options:
        raise ValueError("too little room for the options")
    with nogil:
        starts[0] = 0
        for k in range(rows.shape[0]):
            read(&rows[k, 0], width, own)
            generator.write_mirror(own, other)
            count = 0
            if throws[k] >= 0:
                count = generator.find_movable(own, may[k], movable)
                generator.wake(own, movable, count)
                count = generator.list_moves(
                    own, other, movable, count, throws[k], scratch, options)
            if count == 0:
                memcpy(scratch, other, width * sizeof(uint16_t))
                options[0].mover, options[0].target = -1, -1
                options[0].taken, options[0].flags, count = 0, PASS_, 1
            for i in range(count):
                reached = &own[0] if options[i].flags & WIN_ else &scratch[i * width]
                write(reached, width, &after[n, 0])
                if generator.has_fines:
                    after[n, width] = rows[k, width] + paid(options[i].flags)
                mover[n], target[n] = options[i].mover, options[i].target
                taken[n], flags[n] = options[i].taken, options[i].flags
                n += 1
            starts[k + 1] = n
    return n


def capture_chances(
    Generator generator,
    const Number[:, ::1] rows,
    const uint8_t[::1] may,
    const double[::1] chance,
    double[::1] found,
):
    """Write to `found` the chance that a throw has a move that captures.

    Parameters
    ----------
    generator : Generator
    rows : shape (states, width)
    may : uint8, shape (states,)
        As `successors` takes it.
    chance : float64, shape (throws,)
        Of each throw.
    found : float64, shape (states,), OUT
    """
    cdef uint16_t own[MAX_CELLS]
    cdef Movable movable[MAX_MOVERS]
    cdef Py_ssize_t k
    cdef int throw, n
    check_width(generator, rows.shape[1])
    with nogil:
        for k in range(rows.shape[0]):
            read(&rows[k, 0], generator.n_cells + 2, own)
            n = generator.find_movable(own, may[k], movable)
            found[k] = 0.0
            for throw in range(generator.n_throws):
                if chance[throw] > 0.0 and generator.may_capture(own, movable, n, throw):
                    found[k] += chance[throw]


cdef int check_width(Generator generator, Py_ssize_t width) except -1:
    if width != generator.n_cells + 2 + generator.has_fines:
        raise ValueError(f"states of {width} numbers")
    return 0
