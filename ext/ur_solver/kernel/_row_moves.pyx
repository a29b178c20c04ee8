"""Listing the moves of a row, with the columns left open.

A move is a row of the tile that it leads to and, where it touches what columns hold, a map of
columns. What it leads to in finished blocks is looked up here, column by column.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from ur_solver.kernel._row_rules cimport Touched
from ur_solver.kernel._turns cimport NONE
from ur_solver.space._tile_ranking cimport MAX_SHARED

cdef extern from "memory.h" nogil:
    void* fitted(void* memory, int64_t size)
    int make_room(void** memory, int64_t* room, int64_t needed, int64_t size)

cdef enum:
    MOST_WORDS = 1 + 2 * MAX_THROWS * (1 + 3 * MOST_ROWS)  # of a row


cdef class RowLister:
    """What the rows of one block lead to; thread safe, each thread with a desk of its own.

    Parameters
    ----------
    rules : RowRules
    block : (first rank, size)
    halves : int32, shape (halves, 2)
        Configs, mine and theirs.
    inputs : Inputs
        The values of the blocks that this one's moves lead to.
    most_columns : int
        Of a tile.
    lanes : int
        Values of a position in a game for money, else 0. With lanes lists are as `levels.h` has them.
    places : int64, shape (inputs + 1,), optional
        If there are lanes, the place of the first row of each of `inputs`, and the one behind all.
    """

    def __init__(
        self, RowRules rules, block, const int32_t[:, ::1] halves, Inputs inputs,
        int64_t most_columns, int lanes, const int64_t[::1] places
    ):
        self.rules, self.ranking, self.turns, self.inputs = (
            rules, rules.ranking, rules.turns, inputs)
        self.first, self.size = block
        self.halves, self.most_columns = halves, most_columns
        self.lanes, self.places = lanes, places
        self.is_overfull = False

    cdef Desk* open_desk(self) noexcept nogil:
        # NULL if there is no memory.
        cdef Desk* desk = <Desk*>calloc(1, sizeof(Desk))
        if desk == NULL:
            return NULL
        desk.leaving = <double*>malloc(MAX_THROWS * self.most_columns * sizeof(double))
        desk.column_after = <int32_t*>malloc(self.most_columns * sizeof(int32_t))
        desk.line_details = <uint16_t*>malloc(
            self.most_columns * (self.ranking.n_shared + 1) * sizeof(uint16_t))
        desk.line_left = <int32_t*>malloc(self.most_columns * sizeof(int32_t))
        if (desk.leaving == NULL or desk.column_after == NULL or desk.line_details == NULL
                or desk.line_left == NULL):
            close_desk(desk)
            return NULL
        return desk

    cdef int list_row(self, RowChunk* chunk, Desk* desk, int kind, int home) noexcept nogil:
        # Add a row's words, and its moves that leave the block, to a chunk.
        cdef int c, n, k
        cdef uint32_t head
        cdef Found* found
        # a row has a map for every place that its moves lead to, at most
        if not make_chunk_room(chunk, MAX_THROWS * UR_ROW_CHOICES * <int64_t>desk.columns,
                               MOST_MAPS * <int64_t>(desk.columns + UR_ROW_LANES)):
            return 0
        add_word(chunk, kind)
        for c in range(self.turns.n_choices[kind]):
            for n in range(self.turns.n_throws):
                desk.found[n].n_rows = desk.found[n].n_mapped = 0
                desk.found[n].leaves = desk.found[n].is_covered = desk.found[n].wins = False
            list_moves(self, chunk, desk, kind, c, home)
            for n in range(self.turns.n_throws):
                if self.turns.chance[kind, c, n] == 0.0:
                    continue
                found = &desk.found[n]
                if found.wins:
                    found.leaves = found.is_covered = True
                    if self.lanes == 0:  # no other move is as good
                        found.n_rows = found.n_mapped = 0
                head = found.n_rows | found.n_mapped << UR_MAPPED_SHIFT
                if found.leaves:
                    head |= UR_LEAVES
                    if self.lanes == 0:
                        write_leaving(chunk, found, desk.leaving + n * self.most_columns,
                                      desk.columns)
                if found.is_covered:
                    head |= UR_COVERED
                add_word(chunk, head)
                for k in range(found.n_rows):
                    add_word(chunk, found.rows[k])
                for k in range(2 * found.n_mapped):
                    add_word(chunk, found.mapped[k])
        return 1


cdef void list_moves(
    RowLister self, RowChunk* chunk, Desk* desk, int kind, int choice, int home
) noexcept nogil:
    # What each throw leads to after a choice; the row is left as it was.
    cdef Side* side = &desk.side
    cdef const Change* change
    cdef const Mover* mover
    cdef const Touched* source
    cdef const double* chance = &self.turns.chance[kind, choice, 0]
    cdef int m, before, left, shape, detail
    cdef int64_t k, first
    cdef bint from_home = self.turns.from_home[kind, choice]
    cdef bint from_board = self.turns.from_board[kind, choice]
    for m in range(self.turns.n_movers):
        mover = &self.rules.movers[m]
        source = &mover.source
        if mover.is_home:
            # of the pieces at home the lowest, where they are numbered
            if from_home and self.ranking.take[home, mover.part] >= 0:
                list_steps(self, chunk, desk, chance, mover, NULL)
                from_home = False
            continue
        if not from_board:
            continue
        if source.shared >= 0:
            shape, detail = side.shape[source.shared], side.detail[source.shared]
            first = source.first_change + source.first_pair[shape] + detail
            for k in range(self.rules.first_change[first], self.rules.first_change[first + 1]):
                change = &self.rules.changes[k]
                side.shape[source.shared] = <uint16_t>change.shape
                side.detail[source.shared] = <uint16_t>change.detail
                list_steps(self, chunk, desk, chance, mover, change)
            side.shape[source.shared] = <uint16_t>shape
            side.detail[source.shared] = <uint16_t>detail
            continue
        before = side.content[source.cell]
        left = source.after[before]
        if left == NONE:
            continue
        self.rules.change(side, source, before, left)
        list_steps(self, chunk, desk, chance, mover, NULL)
        self.rules.change(side, source, left, before)


cdef void list_steps(
    RowLister self, RowChunk* chunk, Desk* desk, const double* chance, const Mover* mover,
    const Change* lifted
) noexcept nogil:
    # Where each throw takes a piece that is off its square.
    cdef Side* side = &desk.side
    cdef const Change* change
    cdef const Step* step
    cdef const Touched* landing
    cdef int s, before, after, shape, detail, config = side.mine
    cdef int64_t k, first
    for s in range(mover.first_step, mover.end_step):
        step = &self.rules.steps[s]
        landing = &step.landing
        if chance[step.throw] == 0.0:
            continue
        if step.is_off:
            if side.off + mover.part == self.turns.full:
                desk.found[step.throw].wins = True
                continue
            side.mine = self.ranking.config_of[side.off + mover.part, side.frozen]
            add_move(self, chunk, desk, step, step.again[0], lifted, NULL)
        elif landing.shared >= 0:
            shape, detail = side.shape[landing.shared], side.detail[landing.shared]
            first = landing.first_change + landing.first_pair[shape] + detail
            side.mine = self.ranking.config_of[side.off, side.frozen]
            for k in range(self.rules.first_change[first], self.rules.first_change[first + 1]):
                change = &self.rules.changes[k]
                side.shape[landing.shared] = <uint16_t>change.shape
                side.detail[landing.shared] = <uint16_t>change.detail
                add_move(
                    self, chunk, desk, step, step.again[change.is_capture], lifted, change)
            side.shape[landing.shared] = <uint16_t>shape
            side.detail[landing.shared] = <uint16_t>detail
        else:
            before = side.content[landing.cell]
            after = landing.after[before]
            if after == NONE:
                continue
            self.rules.change(side, landing, before, after)
            side.mine = self.ranking.config_of[side.off, side.frozen]
            add_move(self, chunk, desk, step, step.again[0], lifted, NULL)
            self.rules.change(side, landing, after, before)
        side.mine = config


cdef void add_move(
    RowLister self, RowChunk* chunk, Desk* desk, const Step* step, int again, const Change* lifted,
    const Change* landed
) noexcept nogil:
    # Note that a throw leads to the row of the desk's side.
    cdef Side* side = &desk.side
    cdef Found* found = &desk.found[step.throw]
    cdef int at = <int>((
        (3 * <uint64_t>lifted + 5 * <uint64_t>landed) // sizeof(Change) + side.mine) % MOST_LEADS)
    cdef Lead* lead = &desk.leads[at]
    cdef int placement
    cdef int64_t place
    if (lead.origin != desk.line or lead.lifted != lifted or lead.landed != landed
            or lead.mine != side.mine):
        lead.origin, lead.mine = desk.line, side.mine
        lead.lifted, lead.landed = lifted, landed
        find_lead(self, chunk, desk, at)
    if not lead.is_legal:
        return
    placement = self.ranking.placement_of[lead.line.mine, side.code]
    if lead.is_full:
        found.is_covered = True
    if lead.leaves:
        leave(self, desk, step.throw, again, lead, lead.line.row + placement)
        return
    if max(found.n_rows, found.n_mapped) + 2 > MOST_ROWS:
        self.is_overfull = True
        return
    place = lead.place + <int64_t>placement * lead.line.columns
    if self.lanes:
        add_row(self, found, lead, 2 * place + step.pays)
        return
    if again & 2:
        add_row(self, found, lead, place)
    if again & 1:
        add_row(self, found, lead, place + self.size)


cdef void add_row(RowLister self, Found* found, const Lead* lead, int64_t row) noexcept nogil:
    if not lead.is_mapped:
        found.rows[found.n_rows] = row
        found.n_rows += 1
        return
    found.mapped[2 * found.n_mapped] = row
    found.mapped[2 * found.n_mapped + 1] = lead.number
    found.n_mapped += 1


cdef void find_lead(RowLister self, RowChunk* chunk, Desk* desk, int at) noexcept nogil:
    # Where a lead leads to, which is known to differ from others.
    cdef Lead* lead = &desk.leads[at]
    cdef int input
    cdef bint is_outside = desk.side.mine != self.halves[desk.half, 0]
    lead.is_legal = self.rules.find_line(&desk.side, &lead.line)
    if not lead.is_legal:
        return
    lead.is_mapped = moves_columns(self, desk, lead)
    lead.is_full = (lead.lifted == NULL or lead.lifted.is_full) and (
        lead.landed == NULL or lead.landed.is_full)
    # with lanes, lists name rows of other blocks too
    lead.leaves = is_outside and self.lanes == 0
    if lead.leaves:
        lead.mirror = self.rules.mirror_tile(&desk.side)
        return
    lead.place = lead.line.tile + <int64_t>lead.line.row * lead.line.columns
    if is_outside:
        input = self.inputs.place[desk.half, desk.side.mine]
        lead.place += self.places[input] - self.inputs.first[input] // self.lanes
    else:
        lead.place -= self.first
    if lead.is_mapped:
        lead.number = number_map(self, chunk, desk, lead)


cdef void leave(
    RowLister self, Desk* desk, int throw, int again, const Lead* lead, int row
) noexcept nogil:
    # Look up what a move out of the block is worth, column by column.
    cdef double* best = desk.leaving + throw * <int64_t>self.most_columns
    cdef const double* values = self.inputs.reached_from(
        desk.half, desk.side.mine, lead.line.tile + <int64_t>row * lead.line.columns)
    cdef const double* theirs = self.inputs.reached_from(
        desk.half, desk.side.mine, lead.mirror + row)
    cdef int64_t column
    cdef int c
    cdef double value
    if not desk.found[throw].leaves:
        desk.found[throw].leaves = True
        for c in range(desk.columns):
            best[c] = UR_NO_MOVE
    if lead.is_mapped:
        write_columns(self, desk, lead, desk.column_after)
    for c in range(desk.columns):
        column = desk.column_after[c] if lead.is_mapped else c
        if column < 0:
            continue
        if again & 2:
            best[c] = max(best[c], values[column] - 0.5)
        if again & 1:
            best[c] = max(best[c], 0.5 - theirs[column * lead.line.rows])


cdef bint moves_columns(RowLister self, const Desk* desk, const Lead* lead) noexcept nogil:
    # Whether columns do not all stay in their places.
    if touching(lead.lifted) == NULL and touching(lead.landed) == NULL:
        return False
    # without details, placements of a larger stock begin with those of a smaller one
    return self.rules.is_numbered or not (
        desk.columns == self.ranking.n_placements[desk.theirs]
        and lead.line.columns == self.ranking.n_placements[lead.line.theirs])


cdef int64_t number_map(RowLister self, RowChunk* chunk, Desk* desk, const Lead* lead) noexcept nogil:
    # Where a lead's map of columns begins among those of a chunk; a tile has most of them once.
    cdef int k
    cdef int64_t start = chunk.n_maps, column
    for k in range(desk.n_maps):
        if (touching(desk.maps[k].lifted) == touching(lead.lifted)
                and touching(desk.maps[k].landed) == touching(lead.landed)):
            return desk.maps[k].number
    write_columns(self, desk, lead, chunk.maps + start)
    chunk.n_maps += (desk.columns + UR_ROW_LANES - 1) // UR_ROW_LANES * UR_ROW_LANES
    for column in range(start + desk.columns, chunk.n_maps):
        chunk.maps[column] = -1
    if desk.n_maps < MOST_MAPS:
        desk.maps[desk.n_maps] = lead[0]
        desk.maps[desk.n_maps].number = start
        desk.n_maps += 1
    return start


cdef void write_columns(RowLister self, Desk* desk, const Lead* lead, int32_t* columns) noexcept nogil:
    # Where a lead takes each column of the desk's tile, in the tile of its side; -1 where there
    # is no move.
    cdef uint16_t details[MAX_SHARED]
    cdef int n = self.ranking.n_shared, stock = self.ranking.config_free[desk.side.theirs]
    cdef int n_lines = desk.columns // self.ranking.n_placements[desk.theirs]
    cdef int line, p, left, left_to, to
    if not desk.knows_lines:
        for line in range(n_lines):
            desk.line_left[line] = self.ranking.find_details(
                desk.shapes, 1, stock, line, desk.line_details + line * n)
        desk.knows_lines = True
    for line in range(n_lines):
        memcpy(details, desk.line_details + line * n, n * sizeof(uint16_t))
        left, to = desk.line_left[line], -1
        if change_detail(self, lead.lifted, details) and change_detail(self, lead.landed, details):
            to = self.ranking.line_of(desk.side.shape, 1, stock, details, &left_to)
        for p in range(self.ranking.n_placements[left]):
            columns[p] = -1 if to < 0 else (
                to * self.ranking.n_placements[left_to]
                + self.ranking.placement_of[left_to, self.ranking.code_of[left, p]])
        columns += self.ranking.n_placements[left]


cdef bint change_detail(RowLister self, const Change* change, uint16_t* details) noexcept nogil:
    # Change theirs on the square that a move touches, if any; False if they forbid it.
    cdef int place, after
    if change == NULL:
        return True
    place = self.rules.shared_place[change.cell]
    after = self.rules.detail_map[change.first_map + details[place]]
    details[place] = <uint16_t>after
    return after >= 0


cdef const Change* touching(const Change* change) noexcept nogil:
    # NULL if it leaves what is theirs as it is.
    if change == NULL or change.is_plain:
        return NULL
    return change


cdef void close_desk(Desk* desk) noexcept nogil:
    free(desk.leaving)
    free(desk.column_after)
    free(desk.line_details)
    free(desk.line_left)
    free(desk)


cdef int word_size(const RowChunk* chunk) noexcept nogil:
    return sizeof(uint64_t) if chunk.is_wide else sizeof(uint32_t)


cdef int value_size(const RowChunk* chunk) noexcept nogil:
    return sizeof(float) if chunk.is_single else sizeof(double)


cdef void add_word(RowChunk* chunk, int64_t word) noexcept nogil:
    # There must be room.
    if chunk.is_wide:
        (<uint64_t*>chunk.words)[chunk.n_words] = <uint64_t>word
    else:
        (<uint32_t*>chunk.words)[chunk.n_words] = <uint32_t>word
    chunk.n_words += 1


cdef int make_chunk_room(RowChunk* chunk, int64_t leaving, int64_t maps) noexcept nogil:
    # Room for one more row; 0 if there is no memory.
    return (
        make_room(&chunk.words, &chunk.room_words, chunk.n_words + MOST_WORDS + UR_ROW_AHEAD,
                  word_size(chunk))
        and make_room(&chunk.leaving, &chunk.room_leaving,
                      chunk.n_leaving + leaving + UR_ROW_SPARE, value_size(chunk))
        and make_room(<void**>&chunk.maps, &chunk.room_maps, chunk.n_maps + maps, sizeof(int32_t)))


cdef int close_chunk(RowChunk* chunk) noexcept nogil:
    # Leave what a chunk has at its length; 0 if there is no memory.
    if not make_chunk_room(chunk, 0, 0):
        return 0
    # words past the end are looked at to fetch their rows ahead; vectors reach past rows
    memset(<char*>chunk.words + chunk.n_words * word_size(chunk), 0,
           UR_ROW_AHEAD * word_size(chunk))
    memset(<char*>chunk.leaving + chunk.n_leaving * value_size(chunk), 0,
           UR_ROW_SPARE * value_size(chunk))
    chunk.words = fitted(chunk.words, (chunk.n_words + UR_ROW_AHEAD) * word_size(chunk))
    chunk.maps = <int32_t*>fitted(chunk.maps, chunk.n_maps * sizeof(int32_t))
    chunk.leaving = fitted(
        chunk.leaving, (chunk.n_leaving + UR_ROW_SPARE) * value_size(chunk))
    return 1


cdef void write_leaving(
    RowChunk* chunk, const Found* found, const double* best, int columns
) noexcept nogil:
    cdef int c
    cdef double value
    cdef double* leaving = <double*>chunk.leaving + chunk.n_leaving
    cdef float* single = <float*>chunk.leaving + chunk.n_leaving
    for c in range(columns):
        value = 0.5 if found.wins else best[c]
        if not chunk.is_single:
            leaving[c] = value
        else:
            single[c] = UR_NO_MOVE_SINGLE if value == UR_NO_MOVE else <float>value
    chunk.n_leaving += columns
