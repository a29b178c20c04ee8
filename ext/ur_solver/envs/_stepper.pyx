"""Many games side by side, each played on to its next decision.

`ur_solver.envs.game_batch.GameBatch` is the readable face of this module and documents its arrays. A
decision is a turn with two options or more: passes and forced moves are played here, and so are
the turns of a random opponent. Each game has its own stream of random numbers (SplitMix64: Steele,
Lea and Flood, "Fast splittable pseudorandom number generators", 2014), so that what happens in it
depends on nothing but its seed and the actions.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

import numpy as np

from ur_solver.moves._generator cimport (
    AGAIN_, MAX_CELLS, MAX_MOVERS, MAX_OPTIONS, ROSETTE_, WIN_, Generator, Movable, Option)

LIGHT_AGENT, DARK_AGENT, EITHER_AGENT, BOTH_AGENTS = 0, 1, 2, 3
"""Who decides: light, dark, one of them drawn for each game, or both."""

GOING, LIGHT_WON, DARK_WON, UNFINISHED = 0, 1, 2, 3
"""How a step left a game."""

cdef enum:
    EITHER = 2
    BOTH = 3
    CUT = 3                   # UNFINISHED
    ILLEGAL = 4               # added to the winner of a game that the other side forfeits
    MOST_EMPTY = 1000         # games in a row without a decision


cdef struct Game:
    uint16_t own[MAX_CELLS]
    uint16_t other[MAX_CELLS]
    uint32_t fines
    int throw, may, side, agent, length
    uint64_t stream
    double net                # what light has got since the last step, less what dark has
    # the options of its decision
    int n_options
    uint16_t after[MAX_OPTIONS * MAX_CELLS]
    Option options[MAX_OPTIONS]


cdef inline uint64_t drawn(Game* game) noexcept nogil:
    cdef uint64_t z
    game.stream += <uint64_t>0x9E3779B97F4A7C15
    z = game.stream
    z = (z ^ (z >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t>0x94D049BB133111EB
    return z ^ (z >> 31)


cdef inline int drawn_below(Game* game, int n) noexcept nogil:
    return <int>(((drawn(game) >> 32) * <uint64_t>n) >> 32)


cdef class GameStepper:
    """The games of a batch; different games may be stepped by several threads at once.

    Parameters
    ----------
    batch : GameBatch
        Its arrays are changed in place.
    agents : int
        Who decides: `LIGHT_AGENT`, `DARK_AGENT`, `EITHER_AGENT` or `BOTH_AGENTS`.
    is_random : bool
        Whether the other side's decisions are drawn here; otherwise the game waits for them.
    most_throws : int
        After which a game stays unfinished.
    """

    cdef Generator generator
    cdef const uint32_t[::1] start
    cdef int opening, agents, most_throws, steps, ends, n_actions, n_columns
    cdef bint is_random, has_types
    cdef double pot, fine
    cdef const int16_t[:, :, ::1] step_of
    cdef const int32_t[:, ::1] choice_action
    cdef const float[::1] lookup      # the features of every number of every column
    cdef const int32_t[::1] first, widths, at
    cdef const int32_t[:, ::1] parts
    cdef int full
    cdef double fine_cost, fine_base  # of the feature of the fines: a fine, and a pot with one
    cdef uint32_t[:, ::1] rows
    cdef int32_t[::1] throws, lengths
    cdef uint8_t[::1] may, sides, agent, ended
    cdef uint64_t[::1] streams
    cdef double[::1] nets, rewards
    cdef int8_t[:, ::1] masks
    cdef float[:, ::1] observations, finals

    def __init__(self, batch, int agents, bint is_random, int most_throws):
        actions, features, payoff = batch.actions, batch._features, batch.rules.payoff
        opening, lookups = batch.generator.opening, features.lookups
        widths = [lookup.shape[1] for lookup in lookups]
        of_numbers = np.repeat(widths, [len(lookup) for lookup in lookups])
        self.generator = batch.generator.compiled
        self.start = batch.generator.start()[0].astype(np.uint32)
        self.opening = -1 if opening is None else opening
        self.agents, self.is_random, self.most_throws = agents, is_random, most_throws
        self.pot = payoff.total(0)
        self.fine = payoff.total(1) - payoff.total(0)
        self.step_of, self.steps, self.ends = actions.step_of, actions.steps, actions.ends
        self.choice_action = actions.choice_action
        # by column its first number, and how many features it has; by number where those begin
        self.first, self.widths = features.arrays["first"], np.array(widths, dtype=np.int32)
        self.lookup = np.concatenate([lookup.ravel() for lookup in lookups])
        self.at = (np.cumsum(of_numbers) - of_numbers).astype(np.int32)
        self.parts, self.full = features.arrays["parts"], features.full
        self.fine_cost, self.fine_base = payoff.cost(True), payoff.total(1)
        self.rows, self.throws, self.may = batch._rows, batch._throws, batch._may
        self.sides, self.agent = batch.sides, batch.agent
        self.lengths, self.streams, self.nets = batch._lengths, batch._streams, batch._nets
        self.masks, self.observations, self.finals = batch.masks, batch.observations, batch.finals
        self.rewards, self.ended = batch.rewards, batch.ended
        self.n_actions, self.n_columns = self.masks.shape[1], self.generator.n_cells + 2
        self.has_types = self.generator.n_choices.shape[0] > 1

    def begin(self, const int64_t[::1] members):
        """Begin new games in the places of some; False if games of these rules have no decision."""
        cdef Game game
        cdef Py_ssize_t i
        cdef bint is_sound = True
        with nogil:
            for i in range(members.shape[0]):
                self.load(members[i], &game)
                if self.renew(&game):
                    self.store(members[i], &game)
                else:
                    is_sound = False
        return is_sound

    def step(self, const int64_t[::1] members, const int64_t[::1] actions, bint renews):
        """Take an action in some games, and play each on to its next decision or its end.

        Parameters
        ----------
        members : int64, shape (games,)
            Games that wait for a decision, none twice.
        actions : int64, shape (games,)
            One that is not legal forfeits the game.
        renews : bool
            Whether new games begin where others end.
        """
        cdef Game game
        cdef Py_ssize_t i
        cdef int64_t k
        cdef int status
        cdef double net
        with nogil:
            for i in range(members.shape[0]):
                k = members[i]
                self.load(k, &game)
                status = self.act(&game, actions[i])
                net = game.net
                if status & CUT and status & CUT != CUT:
                    net += self.worth(&game) * (1 if status & 1 else -1)
                self.ended[k] = <uint8_t>status
                self.rewards[k] = 0.0 - net if game.agent == 1 else net
                game.net = 0.0
                if status:
                    self.store_end(k, &game)
                    self.observe_end(&game, &self.finals[k, 0])
                if status == 0 or (renews and self.renew(&game)):
                    self.store(k, &game)

    cdef double worth(self, const Game* game) noexcept nogil:
        return self.pot + self.fine * game.fines

    cdef void load(self, int64_t k, Game* game) noexcept nogil:
        cdef int c
        for c in range(self.n_columns):
            game.own[c] = <uint16_t>self.rows[k, c]
        game.fines = self.rows[k, self.n_columns] if self.generator.has_fines else 0
        self.generator.write_mirror(game.own, game.other)
        game.throw, game.may, game.side = self.throws[k], self.may[k], self.sides[k]
        game.agent, game.length = self.agent[k], self.lengths[k]
        game.stream, game.net = self.streams[k], self.nets[k]

    cdef void store_end(self, int64_t k, const Game* game) noexcept nogil:
        cdef int c
        for c in range(self.n_columns):
            self.rows[k, c] = game.own[c]
        if self.generator.has_fines:
            self.rows[k, self.n_columns] = game.fines
        self.throws[k], self.may[k], self.sides[k] = game.throw, <uint8_t>game.may, <uint8_t>game.side
        self.agent[k], self.lengths[k] = <uint8_t>game.agent, game.length
        self.streams[k], self.nets[k] = game.stream, game.net
        memset(&self.masks[k, 0], 0, self.n_actions)

    cdef void store(self, int64_t k, Game* game) noexcept nogil:
        # The game with what its decision shows: which actions are legal, and the features.
        cdef int i
        self.store_end(k, game)
        for i in range(game.n_options):
            self.masks[k, self.action_of(game, i)] = 1
        self.observe(game, &self.observations[k, 0])

    cdef int64_t action_of(self, const Game* game, int i) noexcept nogil:
        # The action of an option of the decision.
        cdef const Option* option = &game.options[i]
        cdef int64_t action
        if game.throw < 0:
            return self.choice_action[self.type_of(game), i]
        action = option.mover * self.steps
        if self.steps > 1:
            action += self.step_of[option.mover, game.throw, option.target]
        action *= self.ends
        return action + 1 if self.ends > 1 and option.flags & AGAIN_ else action

    cdef int type_of(self, const Game* game) noexcept nogil:
        cdef int c
        cdef bint is_on_board = False
        if not self.has_types:
            return 0
        for c in range(self.generator.n_cells):
            if self.generator.n_mine[self.generator.first_content[c] + game.own[c]]:
                is_on_board = True
                break
        return self.generator.type_of[game.own[self.generator.n_cells], is_on_board]

    cdef void observe(self, const Game* game, float* out) noexcept nogil:
        cdef int column, number, mine = self.full, theirs = self.full, n
        for column in range(self.n_columns):
            number = self.first[column] + game.own[column]
            mine -= self.parts[number, 0]
            theirs -= self.parts[number, 1]
            n = self.widths[column]
            memcpy(out, &self.lookup[self.at[number]], n * sizeof(float))
            out += n
        for column in range(self.n_columns, self.n_columns + 2):
            number = self.first[column] + (mine if column == self.n_columns else theirs)
            n = self.widths[column]
            memcpy(out, &self.lookup[self.at[number]], n * sizeof(float))
            out += n
        if self.generator.has_fines:
            out[0] = <float>(self.fine_cost / (self.fine_base + self.fine * game.fines))
            out += 1
        for n in range(self.generator.n_throws):
            out[n] = 1.0 if n == game.throw else 0.0

    cdef void observe_end(self, Game* game, float* out) noexcept nogil:
        # A game that is over, as the agent sees it; as light does where both sides are agents. The
        # game is left as that side sees it.
        if game.side != (game.agent == 1):
            memcpy(game.own, game.other, self.n_columns * sizeof(uint16_t))
        game.throw = -1
        self.observe(game, out)

    cdef bint renew(self, Game* game) noexcept nogil:
        # Begin a new game, and play to its first decision; those without one are skipped.
        cdef int c, k
        for k in range(MOST_EMPTY):
            for c in range(self.n_columns):
                game.own[c] = <uint16_t>self.start[c]
            game.fines = self.start[self.n_columns] if self.generator.has_fines else 0
            self.generator.write_mirror(game.own, game.other)
            game.side, game.length, game.net, game.throw = 0, 0, 0.0, -1
            game.agent = self.agents
            if self.agents == EITHER:
                game.agent = drawn_below(game, 2)
            if self.to_choice(game) == 0:
                return True
        return False

    cdef int act(self, Game* game, int64_t action) noexcept nogil:
        # Take an action; how the game is left.
        cdef int i, n
        if game.throw < 0:
            self.offer_choices(game)
        else:
            self.list_options(game)
        for i in range(game.n_options):
            if self.action_of(game, i) == action:
                break
        else:
            return ILLEGAL + (2 - game.side)  # the other side wins
        if game.throw < 0:
            return self.after_choice(game, i)
        return self.take(game, i)

    cdef void offer_choices(self, Game* game) noexcept nogil:
        game.throw = -1
        game.n_options = self.generator.n_choices[self.type_of(game)]

    cdef void list_options(self, Game* game) noexcept nogil:
        cdef Movable movable[MAX_MOVERS]
        cdef uint16_t awake[MAX_CELLS]  # the game itself keeps the piece that rests
        cdef int n = 0
        if game.throw >= 0:
            n = self.generator.find_movable(game.own, game.may, movable)
            memcpy(awake, game.own, self.n_columns * sizeof(uint16_t))
            self.generator.wake(awake, movable, n)
            n = self.generator.list_moves(
                awake, game.other, movable, n, game.throw, game.after, game.options)
        game.n_options = n

    cdef int to_choice(self, Game* game) noexcept nogil:
        # From the beginning of a turn to a decision or the end of the game.
        cdef int option = 0
        self.offer_choices(game)
        if game.n_options > 1 and not (game.length == 0 and self.opening >= 0):
            if not self.is_drawn_here(game):
                return 0
            option = drawn_below(game, game.n_options)
        return self.after_choice(game, option)

    cdef bint is_drawn_here(self, const Game* game) noexcept nogil:
        return self.is_random and game.agent != BOTH and game.agent != game.side

    cdef int after_choice(self, Game* game, int choice) noexcept nogil:
        # Throw after a choice, and play on. Turns without a decision are played in a loop.
        cdef int kind, option, status
        while True:
            kind = self.type_of(game)
            game.may = (self.generator.from_home[kind, choice]
                        + 2 * self.generator.from_board[kind, choice])
            game.throw = self.opening
            if game.length > 0 or self.opening < 0:
                game.throw = self.thrown(game, kind, choice)
            game.length += 1
            if game.length > self.most_throws:
                game.throw = -1
                return CUT
            self.list_options(game)
            if game.n_options > 1:
                if not self.is_drawn_here(game):
                    return 0
                option = drawn_below(game, game.n_options)
            else:
                option = 0
            if self.applied(game, option):
                return 1 + game.side
            self.offer_choices(game)
            choice = 0
            if game.n_options > 1:
                if not self.is_drawn_here(game):
                    return 0
                choice = drawn_below(game, game.n_options)

    cdef int take(self, Game* game, int option) noexcept nogil:
        if self.applied(game, option):
            return 1 + game.side
        return self.to_choice(game)

    cdef bint applied(self, Game* game, int i) noexcept nogil:
        # Take an option, or pass if there is none; whether it wins.
        cdef size_t n_bytes = self.n_columns * sizeof(uint16_t)
        cdef const Option* option = &game.options[i]
        if game.n_options == 0:
            memcpy(game.own, game.other, n_bytes)
            game.side = 1 - game.side
        else:
            if self.generator.has_fines and option.flags & ROSETTE_:
                game.fines += 1
                game.net += self.fine if game.side else -self.fine
            if option.flags & WIN_:  # what is after it is seen by the side that has lost
                memcpy(game.other, &game.after[i * self.n_columns], n_bytes)
                self.generator.write_mirror(game.other, game.own)
                game.throw = -1
                return True
            memcpy(game.own, &game.after[i * self.n_columns], n_bytes)
            if not option.flags & AGAIN_:
                game.side = 1 - game.side
        self.generator.write_mirror(game.own, game.other)
        return False

    cdef int thrown(self, Game* game, int kind, int choice) noexcept nogil:
        # A throw that moves a piece somewhere, or -1.
        cdef double left = (drawn(game) >> 11) * (1.0 / 9007199254740992.0)
        cdef int number, last = -1
        for number in range(self.generator.n_throws):
            if self.generator.chance[kind, choice, number] > 0.0:
                last = number
                left -= self.generator.chance[kind, choice, number]
                if left < 0.0:
                    return number
        return -1 if self.generator.pass_chance[kind, choice] > 0.0 else last
