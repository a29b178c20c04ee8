"""Games between policies, many at a time, with observers that note some numbers of every game.

Notes are counts, except for the random choices of `Snapshots`. Games are independent, so the mean
of the notes has an interval (`ur_solver.study.estimates`).

Rules of thumb are orders of priorities (`best_order`). An order is judged by games against a common
opponent that no order beats by far, since players reach positions by their own moves: the loss of
an order in the table's positions says little about its loss in its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ur_solver.answers.decisions import (
    Ranked,
    Values,
    at_stake,
    decide_thrown,
    encoded,
    position_values,
)
from ur_solver.common.machine import chosen_threads
from ur_solver.moves import (
    AGAIN,
    CAPTURE,
    PASS,
    WIN,
    MoveGenerator,
    Rows,
    TurnBatch,
    _options,
    generator_of,
)
from ur_solver.players.policies import MAX_THROWS, PRIORITIES, Policy, Priorities, TablePolicy
from ur_solver.rules import RuleSet
from ur_solver.rules.openings import beginnings
from ur_solver.study.estimates import IntervalEstimate, mean_of


class FirstStates(NamedTuple):
    """Encoded states with light, the first player, to throw, and the probability of each."""

    rows: Rows
    chances: npt.NDArray[np.float64]

    def drawn(self, n: int, rng: np.random.Generator) -> Rows:
        """The rows of `n` games."""
        if len(self.rows) == 1:
            return np.tile(self.rows, (n, 1))
        found: Rows = self.rows[rng.choice(len(self.rows), n, p=self.chances)]
        return found


def first_states(values: Values) -> FirstStates:
    """The start; where both sides enter first, what two perfect players enter to.

    A player who may choose a square chooses by `values`.
    """
    rules = values.rules
    if not rules.mechanics.both_enter:
        return FirstStates(generator_of(rules).start(), np.ones(1))
    found = beginnings(rules, position_values(values))
    rows = encoded(rules, [each.position for each in found])
    return FirstStates(rows, np.array([each.probability for each in found]))


_CHUNK = 20_000
"""The number of games that share a stream of random numbers and a thread."""

_SLOTS = 8_192
"""The number of games played at a time."""


@dataclass(frozen=True)
class GameStep:
    """A throw and the chosen option in many games at once, a turn for each game.

    `games` are their numbers, `sides` whose turn it is: 0 for light, who threw first in the game, 1
    for dark. `chosen` is the chosen option of each turn, among those of all `turns`.
    """

    games: npt.NDArray[np.int64]
    sides: npt.NDArray[np.uint8]
    turns: TurnBatch
    chosen: npt.NDArray[np.int64]


class Observer(Protocol):
    """Sees every step of some games and notes something of each game."""

    def see(self, step: GameStep) -> None:
        """Note a step."""

    def notes(self) -> dict[str, npt.NDArray[Any]]:
        """The notes by name: arrays with a row for every game."""


ObserverOf = Callable[[MoveGenerator, int, np.random.Generator], Observer]
"""Makes an observer of a number of games, with its own random numbers."""


@dataclass(frozen=True)
class PlayedGames:
    """Games that were played, with the notes of observers by name; a row for each game."""

    light_won: npt.NDArray[np.bool_]
    is_finished: npt.NDArray[np.bool_]
    throws: npt.NDArray[np.int32]
    notes: dict[str, npt.NDArray[Any]]

    def __len__(self) -> int:
        return len(self.throws)

    @property
    def results(self) -> npt.NDArray[np.float64]:
        """Light's result of every game: 1, 0, or 1/2 if it is unfinished."""
        return np.where(self.is_finished, self.light_won, 0.5)


def play(
    rules: RuleSet,
    light: Policy,
    dark: Policy,
    n_games: int,
    *,
    seed: int = 1,
    observers: Iterable[ObserverOf] = (),
    threads: int | None = None,
    first: FirstStates | None = None,
) -> PlayedGames:
    """Play games; light throws first.

    Policies are called from several threads at once. The same seed plays the same games, with any
    number of threads. Observers are made anew for every `_CHUNK` games. Games begin at the start,
    if `first` does not say otherwise.
    """
    generator, made = generator_of(rules), tuple(observers)
    first = first or FirstStates(generator.start(), np.ones(1))
    sizes = [min(_CHUNK, n_games - first) for first in range(0, n_games, _CHUNK)]
    seeds = np.random.SeedSequence(seed).spawn(len(sizes))
    table = _Table(generator, light, dark, made, first)
    with ThreadPoolExecutor(chosen_threads(threads)) as pool:
        played = list(pool.map(table.play, sizes, seeds))
    return PlayedGames(
        np.concatenate([games.light_won for games in played]),
        np.concatenate([games.is_finished for games in played]),
        np.concatenate([games.throws for games in played]),
        {name: np.concatenate([games.notes[name] for games in played]) for name in played[0].notes},
    )


class _Table:
    """Plays games between two policies."""

    def __init__(
        self,
        generator: MoveGenerator,
        light: Policy,
        dark: Policy,
        observers: Sequence[ObserverOf],
        first: FirstStates,
    ) -> None:
        self.generator = generator
        self.policies = (light,) if light is dark else (light, dark)
        self.observers = observers
        self.first = first

    def play(self, n_games: int, seed: np.random.SeedSequence) -> PlayedGames:
        """Games of one stream of random numbers; new ones begin where others end."""
        generator, rng = self.generator, np.random.default_rng(seed)
        observers = [
            make(generator, n_games, np.random.default_rng(own))
            for make, own in zip(self.observers, seed.spawn(len(self.observers)), strict=True)
        ]
        light_won, is_finished = np.zeros(n_games, dtype=bool), np.zeros(n_games, dtype=bool)
        throws = np.zeros(n_games, dtype=np.int32)
        begun = min(_SLOTS, n_games)
        games = np.arange(begun)
        rows, sides = self.first.drawn(begun, rng), np.zeros(begun, dtype=np.uint8)
        while len(games):
            turns = self._thrown(rows, sides, throws[games] == 0, rng)
            chosen = self._chosen(turns, sides, rng)
            step = GameStep(games, sides, turns, chosen)
            for observer in observers:
                observer.see(step)
            throws[games] += 1
            flags = turns.flags[chosen]
            won = (flags & WIN) != 0
            light_won[games[won]] = sides[won] == 0
            is_finished[games[won]] = True
            going = ~won & (throws[games] < MAX_THROWS)
            rows = np.take(turns.after, chosen, axis=0)
            sides = np.where(flags & AGAIN, sides, 1 - sides).astype(np.uint8)
            if not going.all():
                new = min(len(going) - int(going.sum()), n_games - begun)
                games = np.concatenate([games[going], np.arange(begun, begun + new)])
                rows = np.concatenate([rows[going], self.first.drawn(new, rng)])
                sides = np.concatenate([sides[going], np.zeros(new, dtype=np.uint8)])
                begun += new
        notes = {name: each for observer in observers for name, each in observer.notes().items()}
        return PlayedGames(light_won, is_finished, throws, notes)

    def _thrown(
        self,
        rows: Rows,
        sides: npt.NDArray[np.uint8],
        is_first: npt.NDArray[np.bool_],
        rng: np.random.Generator,
    ) -> TurnBatch:
        """The options after the throw, and after a choice before it if the rules have one."""
        generator = self.generator
        chances = rng.random(len(rows))
        throws = np.empty(len(rows), dtype=np.int32)
        may = np.empty(len(rows), dtype=np.uint8)
        for choices, members in generator.by_choices(rows):
            chosen = np.zeros(len(members), dtype=np.int64)
            if len(choices) > 1:
                turns = generator.before_throw(rows[members], choices)
                chosen = self._chosen(turns, sides[members], rng) - turns.starts[:-1]
            for k, choice in enumerate(choices):
                those = members[chosen == k] if len(choices) > 1 else members
                sums = np.cumsum([chance for _, chance in choice.outcomes[:-1]])
                numbers = np.array([number for number, _ in choice.outcomes], dtype=np.int32)
                throws[those] = numbers[np.searchsorted(sums, chances[those], side="right")]
                may[those] = choice.may
        if generator.opening is not None:
            throws[is_first] = generator.opening
        return generator.successors(rows, throws, may)

    def _chosen(
        self, turns: TurnBatch, sides: npt.NDArray[np.uint8], rng: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        """The option that each side chooses."""
        if len(self.policies) == 1:
            return drawn(self.policies[0], turns, rng)
        chosen = turns.starts[:-1].copy()
        is_choice = turns.n_options > 1
        for side, policy in enumerate(self.policies):
            asked = is_choice & (sides == side)
            if asked.any():
                part = turns.part(asked)
                chosen[asked] += drawn(policy, part, rng) - part.starts[:-1]
        return chosen


def drawn(policy: Policy, turns: TurnBatch, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """The index of the option that a policy chooses in each turn, among those of all turns."""
    taken = np.empty(len(turns), dtype=np.int64)
    _options.drawn(policy.weights(turns), turns.starts, rng.random(len(turns)), taken)
    return taken


DECIDED = 0.9
"""A game is decided for good once a side's chance stays beyond this."""

_Notes = dict[str, npt.NDArray[Any]]


class Counts:
    """Counts of events in each game.

    turns: spells of one side's throws; moves: throws that moved something; choices: throws with two
    moves or more; options: the moves there were in those; passes: throws without a move; captures:
    pieces captured; extras: further throws gained; most_options: the most moves of a throw.
    """

    _NAMES = ("turns", "moves", "choices", "options", "passes", "captures", "extras")

    def __init__(self, generator: MoveGenerator, n_games: int, rng: np.random.Generator) -> None:
        self._counts = {name: np.zeros(n_games, dtype=np.int32) for name in self._NAMES}
        self._most = np.zeros(n_games, dtype=np.int32)

    def see(self, step: GameStep) -> None:
        """As `Observer.see`."""
        games, turns, chosen = step.games, step.turns, step.chosen
        flags, n = turns.flags[chosen], turns.n_options
        counts, is_choice = self._counts, n > 1
        counts["turns"][games] += (flags & AGAIN) == 0
        counts["moves"][games] += (flags & PASS) == 0
        counts["choices"][games] += is_choice
        counts["options"][games] += np.where(is_choice, n, 0)
        counts["passes"][games] += (flags & PASS) != 0
        counts["captures"][games] += turns.taken[chosen]
        counts["extras"][games] += (flags & AGAIN) != 0
        self._most[games] = np.maximum(self._most[games], n)

    def notes(self) -> _Notes:
        """As `Observer.notes`."""
        return {**self._counts, "most_options": self._most}


class ChanceObserver:
    """The course of the chances in each game, by a table.

    With stakes they are shares of the sum of both sides' values. lead_changes: the changes of the
    better side; decided: the throw after which the winner's chance was never again below `DECIDED`;
    least_of_winner: the least chance that the winner had before a throw; luck: light's less dark's;
    loss: dark's losses less light's. Luck and loss sum to the result less the value of the start.
    swing: the sum of the absolute changes by throws.
    """

    def __init__(
        self, values: Values, generator: MoveGenerator, n_games: int, rng: np.random.Generator
    ) -> None:
        self._values = values
        self._throws, self._lead = np.zeros(n_games, np.int32), np.zeros(n_games, np.int8)
        self._changes = np.zeros(n_games, np.int32)
        self._open = {side: np.zeros(n_games, np.int32) for side in (0, 1)}
        self._least, self._most = np.ones(n_games), np.zeros(n_games)
        self._luck, self._loss = np.zeros(n_games), np.zeros(n_games)
        self._swing = np.zeros(n_games)
        self._winner = np.full(n_games, -1, dtype=np.int8)

    def see(self, step: GameStep) -> None:
        """As `Observer.see`."""
        games, turns, sides = step.games, step.turns, step.sides
        found = decide_thrown(self._values, turns)
        whole = at_stake(found.total)
        before, luck = found.value / whole, found.luck / whole
        sign = np.where(sides == 0, 1.0, -1.0)
        self._luck[games] += sign * luck
        self._loss[games] -= sign * found.options.loss[step.chosen] / whole
        self._swing[games] += np.abs(luck)
        light = np.where(sides == 0, before, 1 - before)
        lead = np.sign(np.round(light - 0.5, 12)).astype(np.int8)
        old = self._lead[games]
        self._changes[games] += (lead != 0) & (old != 0) & (lead != old)
        self._lead[games] = np.where(lead != 0, lead, old)
        self._least[games] = np.minimum(self._least[games], light)
        self._most[games] = np.maximum(self._most[games], light)
        self._throws[games] += 1
        for side, chance in ((0, light), (1, 1 - light)):
            is_open = games[chance < DECIDED]
            self._open[side][is_open] = self._throws[is_open]
        # the side that moved last has won
        self._winner[games] = sides

    def notes(self) -> _Notes:
        """As `Observer.notes`."""
        is_light = self._winner == 0
        return {
            "lead_changes": self._changes,
            "decided": np.where(is_light, self._open[0], self._open[1]),
            "least_of_winner": np.where(is_light, self._least, 1 - self._most),
            "luck": self._luck,
            "loss": self._loss,
            "swing": self._swing,
        }


class Squares:
    """The events on each square of the path, and off it: counts, shape (games, path length).

    stood: throws before which a piece of the side to throw stood there, by its path index;
    captured: pieces captured there, by the path index of the piece that captured.
    """

    def __init__(self, generator: MoveGenerator, n_games: int, rng: np.random.Generator) -> None:
        self._generator, self._length = generator, len(generator.rules.path)
        self._stood = np.zeros((n_games, self._length), dtype=np.int32)
        self._captured = np.zeros((n_games, self._length), dtype=np.int32)

    def see(self, step: GameStep) -> None:
        """As `Observer.see`."""
        games, turns, chosen = step.games, step.turns, step.chosen
        self._stood[games] += self._generator.placed(turns.rows)[:, : self._length].astype(np.int32)
        captures = (turns.flags[chosen] & CAPTURE) != 0
        taken = turns.taken[chosen[captures]]
        self._captured[games[captures], turns.target[chosen[captures]]] += taken

    def notes(self) -> _Notes:
        """As `Observer.notes`."""
        return {"stood": self._stood, "captured": self._captured}


class Snapshots:
    """One state of each game, and one throw that left a choice, each drawn with equal chances.

    row: the state; has_choice: whether there was a choice; choice_row, choice_throw, choice_may:
    the turn as `MoveGenerator.successors` takes it.
    """

    def __init__(self, generator: MoveGenerator, n_games: int, rng: np.random.Generator) -> None:
        self._rng = rng
        self._row = generator.start(n_games)
        self._seen = np.zeros(n_games, dtype=np.int64)
        self._choice = generator.start(n_games)
        self._throw = np.zeros(n_games, dtype=np.int32)
        self._may = np.zeros(n_games, dtype=np.uint8)
        self._choices = np.zeros(n_games, dtype=np.int64)

    def see(self, step: GameStep) -> None:
        """As `Observer.see`."""
        games, turns = step.games, step.turns
        self._seen[games] += 1
        taken = self._rng.random(len(games)) * self._seen[games] < 1
        self._row[games[taken]] = turns.rows[taken]
        is_choice = turns.n_options > 1
        choosing = games[is_choice]
        self._choices[choosing] += 1
        kept = self._rng.random(len(choosing)) * self._choices[choosing] < 1
        to, turn = choosing[kept], np.flatnonzero(is_choice)[kept]
        self._choice[to] = turns.rows[turn]
        self._throw[to] = turns.throws[turn]
        self._may[to] = turns.may[turn]

    def notes(self) -> _Notes:
        """As `Observer.notes`."""
        return {
            "row": self._row,
            "has_choice": self._choices > 0,
            "choice_row": self._choice,
            "choice_throw": self._throw,
            "choice_may": self._may,
        }


MOST_PRIORITIES = 3
"""The most priorities: three lines to remember."""

_LEAST_GAIN = 0.01
"""The least gain of a further priority."""

_MORE = 4
"""A chosen order plays this many times the games of a tried one."""


@dataclass(frozen=True)
class Choices:
    """Choices of games, with what their options are worth to the side that chooses."""

    turns: TurnBatch
    options: Ranked

    def loss(self, policy: Policy) -> IntervalEstimate:
        """The loss of a policy at a choice."""
        lost = self.options.loss * policy.weights(self.turns)
        return mean_of(np.add.reduceat(lost, self.turns.starts[:-1]))


def choices_of(notes: dict[str, npt.NDArray[Any]], policy: TablePolicy) -> Choices | None:
    """The choices that `Snapshots` noted; None if no game had any."""
    there = notes["has_choice"]
    if not there.any():
        return None
    turns = policy.generator.successors(
        notes["choice_row"][there], notes["choice_throw"][there], notes["choice_may"][there]
    )
    return Choices(turns, policy.ranked(turns))


def share_of_wins(
    rules: RuleSet,
    own: Policy,
    other: Policy,
    games: int,
    seed: int,
    first: FirstStates | None = None,
) -> IntervalEstimate:
    """The share that a policy wins against another, half of the games as the first player."""
    half = max(2, games // 2)
    as_light = mean_of(play(rules, own, other, half, seed=seed, first=first).results)
    as_dark = mean_of(1 - play(rules, other, own, half, seed=seed + 1, first=first).results)
    value = (as_light.value + as_dark.value) / 2
    # half-widths of two independent intervals (Newcombe)
    below = math.hypot(as_light.value - as_light.low, as_dark.value - as_dark.low) / 2
    above = math.hypot(as_light.high - as_light.value, as_dark.high - as_dark.value) / 2
    return IntervalEstimate(value, value - below, value + above)


def best_order(
    rules: RuleSet, opponent: Policy, games: int, seed: int, first: FirstStates | None = None
) -> list[tuple[tuple[str, ...], IntervalEstimate]]:
    """The order of priorities that wins most against an opponent, found one by one.

    Returns the best priority, the best order with one more before it, behind it or, later, between
    two, and so on, with the share of games that each wins; as long as a further one wins a point
    more. Each order that is tried plays `games`, all with the same throws at first. The shares are
    those of games that no order was chosen by.
    """
    found: list[tuple[str, ...]] = []
    before = -math.inf
    order: tuple[str, ...] = ()
    while len(order) < MOST_PRIORITIES:
        candidates = [
            (*order[:k], name, *order[k:])
            for name in PRIORITIES
            if name not in order
            for k in range(len(order) + 1)
        ]
        shares = [
            share_of_wins(rules, Priorities(candidate), opponent, games, seed, first).value
            for candidate in candidates
        ]
        at = max(range(len(shares)), key=shares.__getitem__)
        if shares[at] < before + _LEAST_GAIN:
            break
        order, before = candidates[at], shares[at]
        found.append(order)
    return [
        (each, share_of_wins(rules, Priorities(each), opponent, _MORE * games, seed + 2, first))
        for each in found
    ]
