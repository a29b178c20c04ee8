"""The turns of a block, unfolded: what the graph kernel sweeps. `_unfolding.pxd` says how."""

from libc.math cimport INFINITY
from libc.stdint cimport INT64_MAX, int64_t, uint8_t, uint16_t, uint32_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memset

from ur_solver.kernel._inputs cimport Inputs
from ur_solver.space._contents cimport MAX_WIDTH, ContentRanking, Trace

cdef enum:
    NONE = 0xFFFF


cdef void release(Chunk* chunk) noexcept nogil:
    free(chunk.kinds)
    free(chunk.counts)
    free(chunk.words)
    free(chunk.constants)
    chunk.kinds = chunk.counts = NULL
    chunk.words = NULL
    chunk.constants = NULL


cdef class Unfolding:
    """What the turns of one space unfold into; thread safe.

    Parameters
    ----------
    ranking : ContentRanking
    tables : TurnTables
    """

    def __init__(self, ContentRanking ranking, tables):
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
        self.n_cells = ranking.n_cells
        self.n_movers = self.mover_cell.shape[0]
        self.n_throws = len(tables.throws)
        self.full = ranking.n_stocks - 1
        if self.n_throws > MAX_THROWS or self.chance.shape[1] > MAX_CHOICES:
            raise ValueError("rules larger than the compiled limits")

    cdef uint16_t advance_of(self, int64_t rank) noexcept nogil:
        # 1 more than the advance of a rank; 0 if its image, listed for both, comes before.
        cdef uint16_t own[MAX_WIDTH]
        cdef uint16_t other[MAX_WIDTH]
        cdef int my_off, their_off, cell, advance = 1
        self.ranking.write_row(rank, own)
        self.ranking.off_stocks(own, &my_off, &their_off)
        self.ranking.write_mirror(own, other)
        if self.ranking.rank_placed(other, their_off, my_off) < rank:
            return 0
        for cell in range(self.n_cells):
            advance += self.advance[self.ranking.first_content[cell] + own[cell]]
        return <uint16_t>advance

    cdef void put(self, uint16_t* own, uint16_t* other, int cell, int content) noexcept nogil:
        # Change a square in a row and in its mirror image.
        own[cell] = <uint16_t>content
        other[self.ranking.mirror_cell[cell]] = self.ranking.mirror_content[
            self.ranking.first_content[cell] + content]

    cdef void lead(
        self, Moves* moves, int64_t rank, bint turns, Inputs inputs, int64_t first, int64_t size
    ) noexcept nogil:
        # Note that a throw may lead to a rank.
        cdef double value
        if first <= rank < first + size:
            if moves.n < MAX_MOVES:
                moves.places[moves.n] = ~(rank - first) if turns else rank - first
                moves.n += 1
            return
        value = 1.0 - inputs.at(rank) if turns else inputs.at(rank)
        if value > moves.constant:
            moves.constant = value

    cdef int64_t rank_after(
        self, const uint16_t* row, const Trace* trace, int source, int target, int my_off,
        int their_off
    ) noexcept nogil:
        # The rank of a row after a move between two cells of the traced one.
        cdef int first = self.ranking.order_of[target], last = self.ranking.order_of[source]
        if first < 0 or last < 0:
            return self.ranking.rank_placed(row, my_off, their_off)
        return self.ranking.rank_changed(row, trace, min(first, last), max(first, last))

    cdef void unfold_choice(
        self, uint16_t* own, uint16_t* other, const Trace* trace, const Trace* other_trace,
        int my_off, int their_off, bint from_home, bint from_board, const double* chance,
        Inputs inputs, int64_t first, int64_t size, Moves* moves
    ) noexcept nogil:
        # The moves after one choice, by throw; rows are left as they were.
        cdef int n_cells = self.n_cells
        cdef int m, n, step, source, target, landing, cell, part, off, again
        cdef int left = 0, before = 0, held, content, taken, from_, to
        cdef int64_t rank
        for n in range(self.n_throws):
            moves[n].n = 0
            moves[n].constant = -INFINITY
        for m in range(self.n_movers):
            source, part = self.mover_cell[m], self.mover_part[m]
            if source < 0:
                # of the pieces at home the lowest, where they are numbered
                if not from_home or self.ranking.take[own[n_cells], part] < 0:
                    continue
                own[n_cells] -= part
                other[n_cells + 1] -= part
            else:
                if not from_board:
                    continue
                before = own[source]
                left = self.lift[self.lift_start[m] + before]
                if left == NONE:
                    continue
                self.put(own, other, source, left)
            for n in range(self.n_throws):
                if chance[n] == 0.0:
                    continue
                for step in range(self.step_start[m, n], self.step_start[m, n + 1]):
                    target, landing = self.step_target[step], self.step_landing[step]
                    if landing < 0:
                        off = my_off + part
                        if off == self.full:
                            moves[n].constant = 1.0
                            continue
                        again = self.again[n, target, 0]
                        if again & 2:
                            self.lead(&moves[n], self.ranking.rank_placed(own, off, their_off),
                                      False, inputs, first, size)
                        if again & 1:
                            self.lead(&moves[n], self.ranking.rank_placed(other, their_off, off),
                                      True, inputs, first, size)
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
                    again = self.again[n, target, taken != 0]
                    if again & 2:
                        rank = self.rank_after(
                            own, trace, source if source >= 0 else cell, cell, my_off, their_off)
                        self.lead(&moves[n], rank, False, inputs, first, size)
                    if again & 1:
                        from_ = self.ranking.mirror_cell[source if source >= 0 else cell]
                        to = self.ranking.mirror_cell[cell]
                        rank = self.rank_after(other, other_trace, from_, to, their_off, my_off)
                        self.lead(&moves[n], rank, True, inputs, first, size)
                    self.put(own, other, cell, held)
                    own[n_cells + 1] -= taken
                    other[n_cells] -= taken
            if source < 0:
                own[n_cells] += part
                other[n_cells + 1] += part
                from_home = False  # only the first that is there
            else:
                self.put(own, other, source, before)

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
        cdef int my_off, their_off, kind, c, n, i
        cdef Trace trace, other_trace
        cdef Moves moves[MAX_THROWS]
        self.ranking.write_row(rank, own)
        self.ranking.off_stocks(own, &my_off, &their_off)
        self.ranking.write_mirror(own, other)
        self.ranking.trace(own, my_off, their_off, &trace)
        self.ranking.trace(other, their_off, my_off, &other_trace)
        kind = self.type_of[own[self.n_cells], own[self.n_cells] + my_off != self.full]
        choices = []
        for c in range(self.n_choices[kind]):
            # as if all ranks were of one block, so that no move leaves it but one that wins
            self.unfold_choice(
                own, other, &trace, &other_trace, my_off, their_off, self.from_home[kind, c],
                self.from_board[kind, c], &self.chance[kind, c, 0], None, 0, INT64_MAX, moves)
            throws = []
            for n in range(self.n_throws):
                found = None
                if self.chance[kind, c, n] != 0.0:
                    found = [
                        (max(moves[n].places[i], ~moves[n].places[i]), moves[n].places[i] < 0)
                        for i in range(moves[n].n)
                    ]
                    if moves[n].constant > -INFINITY:
                        found.append((-1, True))
                throws.append(found)
            choices.append(throws)
        return other_trace.rank[self.ranking.n_ranked], choices

    cdef int make_room(self, Chunk* chunk) noexcept nogil:
        # Room for one position more; 0 if there is no memory.
        cdef void* room
        if chunk.room_words < chunk.n_words + MOST_WORDS + AHEAD:
            chunk.room_words = 2 * (chunk.room_words + MOST_WORDS + AHEAD)
            room = realloc(chunk.words, chunk.room_words * sizeof(uint32_t))
            if room == NULL:
                return 0
            chunk.words = <uint32_t*>room
        if chunk.room_constants < chunk.n_constants + MOST_COUNTS:
            chunk.room_constants = 2 * (chunk.room_constants + MOST_COUNTS)
            room = realloc(chunk.constants, chunk.room_constants * sizeof(double))
            if room == NULL:
                return 0
            chunk.constants = <double*>room
        return 1

    cdef int unfold_one(
        self, Chunk* chunk, uint16_t* own, uint16_t* other, const Trace* trace,
        const Trace* other_trace, int my_off, int their_off, Inputs inputs, int64_t first,
        int64_t size
    ) noexcept nogil:
        # Add a position to a stream; 0 if there is no memory.
        cdef Moves moves[MAX_THROWS]
        cdef int64_t place
        cdef int kind, c, n, i
        if not self.make_room(chunk):
            return 0
        kind = self.type_of[own[self.n_cells], own[self.n_cells] + my_off != self.full]
        chunk.kinds[chunk.n_kinds] = <uint8_t>kind
        chunk.n_kinds += 1
        for c in range(self.n_choices[kind]):
            self.unfold_choice(
                own, other, trace, other_trace, my_off, their_off, self.from_home[kind, c],
                self.from_board[kind, c], &self.chance[kind, c, 0], inputs, first, size, moves)
            for n in range(self.n_throws):
                if self.chance[kind, c, n] == 0.0:
                    continue
                if moves[n].n % 2:
                    moves[n].places[moves[n].n] = moves[n].places[0]
                    moves[n].n += 1
                chunk.counts[chunk.n_counts] = <uint8_t>moves[n].n
                if moves[n].constant > -INFINITY:
                    chunk.counts[chunk.n_counts] |= CONSTANT
                    chunk.constants[chunk.n_constants] = moves[n].constant
                    chunk.n_constants += 1
                chunk.n_counts += 1
                for i in range(moves[n].n):
                    place = moves[n].places[i]
                    chunk.words[chunk.n_words] = (
                        <uint32_t>~place | TURNS if place < 0 else <uint32_t>place)
                    chunk.n_words += 1
        return 1

    cdef int unfold(
        self, Chunk* chunk, Inputs inputs, int64_t first, int64_t size
    ) noexcept nogil:
        # Fill a chunk's stream; its block has the ranks from `first` on, `size` of them.
        # 0 if there is no memory.
        cdef uint16_t own[MAX_WIDTH]
        cdef uint16_t other[MAX_WIDTH]
        cdef int my_off, their_off
        cdef int64_t k, image
        cdef Trace trace, other_trace
        for k in range(chunk.n_pairs):
            if not self.make_room(chunk):
                return 0
            self.ranking.write_row(first + chunk.places[k], own)
            self.ranking.off_stocks(own, &my_off, &their_off)
            self.ranking.write_mirror(own, other)
            self.ranking.trace(own, my_off, their_off, &trace)
            self.ranking.trace(other, their_off, my_off, &other_trace)
            image = other_trace.rank[self.ranking.n_ranked] - first
            chunk.words[chunk.n_words] = chunk.places[k]
            if image == chunk.places[k]:
                chunk.words[chunk.n_words] |= ALONE
                chunk.n_words += 1
            else:
                chunk.words[chunk.n_words + 1] = <uint32_t>image
                chunk.n_words += 2
            if not self.unfold_one(
                    chunk, own, other, &trace, &other_trace, my_off, their_off, inputs, first,
                    size):
                return 0
            if image != chunk.places[k] and not self.unfold_one(
                    chunk, other, own, &other_trace, &trace, their_off, my_off, inputs, first,
                    size):
                return 0
        memset(&chunk.words[chunk.n_words], 0, AHEAD * sizeof(uint32_t))
        chunk.n_words += AHEAD
        return 1

    cdef int claim(self, Chunk* chunk, const uint32_t* places, int n_pairs) noexcept nogil:
        # Room for the parts of a chunk's stream that do not grow.
        memset(chunk, 0, sizeof(Chunk))
        chunk.places, chunk.n_pairs = places, n_pairs
        chunk.kinds = <uint8_t*>malloc(2 * CHUNK)
        chunk.counts = <uint8_t*>malloc(2 * CHUNK * MOST_COUNTS)
        return chunk.kinds != NULL and chunk.counts != NULL
