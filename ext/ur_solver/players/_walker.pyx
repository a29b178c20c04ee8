"""The options of many turns at once, on encoded states.

`ur_solver.players.tables` builds the tables from the rules and says what they mean; nothing
here knows how states are ranked, or what they are worth.
"""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy

cdef enum:
    MAX_WIDTH = 48
    MAX_THROWS = 16

AGAIN, WIN, ROSETTE, PASS, CAPTURE = 1, 2, 4, 8, 16
"""What is so of an option, as bits: the same side throws next, it wins, it lands on a rosette,
it is no move, it captures."""

cdef enum:
    AGAIN_ = 1
    WIN_ = 2
    ROSETTE_ = 4
    PASS_ = 8
    CAPTURE_ = 16

LIMITS = {"squares": MAX_WIDTH - 2, "throws": MAX_THROWS}
"""As `ur_solver.rules.limits` has them, or more."""

ctypedef fused Number:
    uint8_t
    uint16_t
    uint32_t


cdef class Tables:
    """What the walker knows of a rule set; thread safe.

    Parameters
    ----------
    tables : WalkTables
    """

    cdef readonly int n_cells, width, n_movers, n_throws
    cdef const int32_t[::1] mover_cell, mover_part, mover_source
    cdef const int32_t[:, ::1] lift
    cdef const int32_t[:, ::1] step_start
    cdef const int32_t[::1] step_target, step_landing
    cdef const int32_t[::1] landing_cell
    cdef const int32_t[:, ::1] landing_after, landing_taken
    cdef const uint8_t[::1] is_rosette
    cdef const uint8_t[:, :, ::1] again
    cdef const int32_t[::1] mirror_cell
    cdef const int32_t[:, ::1] mirror_code
    cdef const uint8_t[:, ::1] n_mine
    cdef const uint8_t[:, ::1] has_part
    cdef const uint8_t[::1] stock_count

    def __init__(self, tables):
        self.mover_cell = tables.mover_cell
        self.mover_part = tables.mover_part
        self.mover_source = tables.mover_source
        self.lift = tables.lift
        self.step_start = tables.step_start
        self.step_target = tables.step_target
        self.step_landing = tables.step_landing
        self.landing_cell = tables.landing_cell
        self.landing_after = tables.landing_after
        self.landing_taken = tables.landing_taken
        self.is_rosette = tables.is_rosette
        self.again = tables.again
        self.mirror_cell = tables.mirror_cell
        self.mirror_code = tables.mirror_code
        self.n_mine = tables.n_mine
        self.has_part = tables.has_part
        self.stock_count = tables.stock_count
        self.n_cells = self.mirror_cell.shape[0]
        self.width = tables.width
        self.n_movers = self.mover_cell.shape[0]
        self.n_throws = self.step_start.shape[1] - 1
        if self.width > MAX_WIDTH or self.n_throws > MAX_THROWS:
            raise ValueError("rules larger than the compiled limits")


cdef void mirror_row(Tables tables, const Number* row, Number* other) noexcept nogil:
    # The row as the other side sees it; what follows the homes is common to both.
    cdef int cell, n = tables.n_cells
    for cell in range(n):
        other[tables.mirror_cell[cell]] = <Number>tables.mirror_code[cell, row[cell]]
    other[n] = row[n + 1]
    other[n + 1] = row[n]
    for cell in range(n + 2, tables.width):
        other[cell] = row[cell]


cdef inline void put(
    Tables tables, Number* own, Number* other, int cell, int code
) noexcept nogil:
    # Change a square in a row and in its mirror image.
    own[cell] = <Number>code
    other[tables.mirror_cell[cell]] = <Number>tables.mirror_code[cell, code]


cdef bint has_none(Tables tables, const Number* row) noexcept nogil:
    # Whether the side to throw has no piece left, at home or on the board.
    cdef int cell
    if row[tables.n_cells]:
        return False
    for cell in range(tables.n_cells):
        if tables.n_mine[cell, row[cell]]:
            return False
    return True


def mirror(Tables tables, const Number[:, ::1] rows, Number[:, ::1] others):
    """Write to `others` each row as the other side sees it."""
    cdef Py_ssize_t k
    with nogil:
        for k in range(rows.shape[0]):
            mirror_row(tables, &rows[k, 0], &others[k, 0])


def expand(
    Tables tables,
    const Number[:, ::1] rows,
    const int32_t[::1] throws,
    const uint8_t[::1] may,
    int64_t[::1] starts,
    Number[:, ::1] after,
    int8_t[::1] source,
    int8_t[::1] target,
    int8_t[::1] taken,
    uint8_t[::1] flags,
):
    """Write the options of turns: the legal moves in the order of `moves.py`, or a pass.

    Parameters
    ----------
    tables : Tables
    rows : shape (turns, width)
        States that are not over.
    throws : int32, shape (turns,)
        The number of the throw that a piece is moved by; -1 if nothing moves.
    may : uint8, shape (turns,)
        1 if a piece may enter, plus 2 if one on the board may move.
    starts : int64, shape (turns + 1,), OUT
        The options of turn k are `starts[k]` to `starts[k + 1]`.
    after, source, target, taken, flags : OUT
        By option: the state afterwards, seen by the side that throws next, or the state before
        where the option wins; path indices; the pieces captured; what is so (`AGAIN` and so on).
        They must have room for all.

    Returns
    -------
    int
        How many options there are.
    """
    cdef Py_ssize_t k
    cdef int64_t n = 0
    cdef Number own[MAX_WIDTH]
    cdef Number other[MAX_WIDTH]
    cdef size_t n_bytes = tables.width * sizeof(Number)
    with nogil:
        starts[0] = 0
        for k in range(rows.shape[0]):
            memcpy(own, &rows[k, 0], n_bytes)
            mirror_row(tables, own, other)
            n = expand_one(
                tables, &rows[k, 0], own, other, throws[k], may[k], n, after, source, target,
                taken, flags)
            starts[k + 1] = n
    return n


cdef int64_t expand_one(
    Tables tables, const Number* row, Number* own, Number* other, int throw, int may, int64_t n,
    Number[:, ::1] after, int8_t[::1] source, int8_t[::1] target, int8_t[::1] taken,
    uint8_t[::1] flags,
) noexcept nogil:
    # Write a turn's options from number n on; rows are left as they were.
    cdef int n_cells = tables.n_cells, m, step, cell, code, part, left, held, landing, to, lost
    cdef int before = 0, again, kind
    cdef int64_t first = n
    cdef bint entered = False
    cdef size_t n_bytes = tables.width * sizeof(Number)
    for m in range(tables.n_movers if throw >= 0 else 0):
        cell, part = tables.mover_cell[m], tables.mover_part[m]
        if cell < 0:
            # of the pieces at home the lowest, where they are numbered
            if entered or not may & 1 or not tables.has_part[own[n_cells], part]:
                continue
            entered = True
            if tables.step_start[m, throw] == tables.step_start[m, throw + 1]:
                continue
            own[n_cells] -= <Number>part
            other[n_cells + 1] -= <Number>part
        else:
            if not may & 2:
                continue
            before = own[cell]
            left = tables.lift[m, before]
            if left < 0 or tables.step_start[m, throw] == tables.step_start[m, throw + 1]:
                continue
            put(tables, own, other, cell, left)
        for step in range(tables.step_start[m, throw], tables.step_start[m, throw + 1]):
            to, landing = tables.step_target[step], tables.step_landing[step]
            kind = lost = held = 0
            if landing >= 0:
                held = own[tables.landing_cell[landing]]
                code = tables.landing_after[landing, held]
                if code < 0:
                    continue
                lost = tables.landing_taken[landing, held]
                put(tables, own, other, tables.landing_cell[landing], code)
                own[n_cells + 1] += <Number>lost
                other[n_cells] += <Number>lost
                kind = CAPTURE_ * (lost != 0) + ROSETTE_ * tables.is_rosette[to]
                if tables.width > n_cells + 2:
                    own[n_cells + 2] += tables.is_rosette[to]
                    other[n_cells + 2] += tables.is_rosette[to]
                again = tables.again[throw, to, lost != 0]
            else:
                again = tables.again[throw, to, 0]
                if has_none(tables, own):
                    kind, again = WIN_, 1
            if again & 1:
                memcpy(&after[n, 0], row if kind & WIN_ else other, n_bytes)
                note(n, tables.mover_source[m], to, tables.stock_count[lost], kind,
                     source, target, taken, flags)
                n += 1
            if again & 2:
                memcpy(&after[n, 0], own, n_bytes)
                note(n, tables.mover_source[m], to, tables.stock_count[lost], kind | AGAIN_,
                     source, target, taken, flags)
                n += 1
            if landing >= 0:
                put(tables, own, other, tables.landing_cell[landing], held)
                own[n_cells + 1] -= <Number>lost
                other[n_cells] -= <Number>lost
                if tables.width > n_cells + 2:
                    own[n_cells + 2] -= tables.is_rosette[to]
                    other[n_cells + 2] -= tables.is_rosette[to]
        if cell < 0:
            own[n_cells] += <Number>part
            other[n_cells + 1] += <Number>part
        else:
            put(tables, own, other, cell, before)
    if n == first:
        memcpy(&after[n, 0], other, n_bytes)
        note(n, -1, -1, 0, PASS_, source, target, taken, flags)
        n += 1
    return n


cdef inline void note(
    int64_t n, int source_, int target_, int taken_, int kind, int8_t[::1] source,
    int8_t[::1] target, int8_t[::1] taken, uint8_t[::1] flags,
) noexcept nogil:
    source[n], target[n], taken[n] = <int8_t>source_, <int8_t>target_, <int8_t>taken_
    flags[n] = <uint8_t>kind


cdef bint may_capture(Tables tables, const Number* row, int throw, int may) noexcept nogil:
    # Whether a throw has a move that captures.
    cdef int n_cells = tables.n_cells, m, step, cell, landing, held
    cdef bint entered = False
    for m in range(tables.n_movers):
        cell = tables.mover_cell[m]
        if cell < 0:
            if entered or not may & 1 or not tables.has_part[row[n_cells], tables.mover_part[m]]:
                continue
            entered = True
        elif not may & 2 or tables.lift[m, row[cell]] < 0:
            continue
        for step in range(tables.step_start[m, throw], tables.step_start[m, throw + 1]):
            landing = tables.step_landing[step]
            if landing < 0:
                continue
            held = row[tables.landing_cell[landing]]
            if tables.landing_after[landing, held] >= 0 and tables.landing_taken[landing, held]:
                return True
    return False


def capture_chances(
    Tables tables,
    const Number[:, ::1] rows,
    const uint8_t[::1] may,
    const double[:, ::1] chance,
    double[::1] found,
):
    """Write to `found` the chance that a throw has a move that captures.

    Parameters
    ----------
    tables : Tables
    rows : shape (states, width)
    may : uint8, shape (states,)
        As `expand` takes it.
    chance : float64, shape (states, throws)
        Of each throw.
    found : float64, shape (states,), OUT
    """
    cdef Py_ssize_t k
    cdef int throw
    with nogil:
        for k in range(rows.shape[0]):
            found[k] = 0.0
            for throw in range(tables.n_throws):
                if chance[k, throw] > 0.0 and may_capture(tables, &rows[k, 0], throw, may[k]):
                    found[k] += chance[k, throw]


def first_best(const double[::1] scores, const int64_t[::1] starts, int64_t[::1] chosen):
    """Write to `chosen` the first option with the highest score of each turn."""
    cdef Py_ssize_t k
    cdef int64_t i, best
    with nogil:
        for k in range(starts.shape[0] - 1):
            best = starts[k]
            for i in range(best + 1, starts[k + 1]):
                if scores[i] > scores[best]:
                    best = i
            chosen[k] = best


def drawn(
    const double[::1] weights,
    const int64_t[::1] starts,
    const double[::1] chances,
    int64_t[::1] chosen,
):
    """Write to `chosen` the option that a number in [0, 1) draws from each turn's weights."""
    cdef Py_ssize_t k
    cdef int64_t i
    cdef double left
    with nogil:
        for k in range(starts.shape[0] - 1):
            left = chances[k]
            chosen[k] = starts[k]
            for i in range(starts[k], starts[k + 1]):
                if weights[i] > 0.0:
                    chosen[k] = i
                    left -= weights[i]
                    if left < 0.0:
                        break
