"""Games between policies, many at a time, with observers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ur_solver.common.machine import chosen_threads
from ur_solver.moves import AGAIN, WIN, MoveGenerator, Rows, TurnBatch, _options, generator_of
from ur_solver.players.policies import Policy
from ur_solver.rules import RuleSet
from ur_solver.study.first_states import FirstStates

_CHUNK = 20_000
"""The number of games that share a stream of random numbers and a thread."""

_SLOTS = 8_192
"""The number of games played at a time."""

MAX_THROWS = 5000
"""The throws after which a game stays unfinished. Bad players can play for very long."""


@dataclass(frozen=True)
class GameStep:
    """A throw and the chosen option in many games at once.

    Attributes
    ----------
    games : int64, shape (turns,)
        The games' numbers.
    sides : uint8, shape (turns,)
        Whose turn it is: 0 for light, who threw first in the game, 1 for dark.
    turns : TurnBatch
    chosen : int64, shape (turns,)
        The chosen option.
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
    """Games that were played.

    Attributes
    ----------
    light_won, is_finished : bool, shape (games,)
    throws : int32, shape (games,)
    notes : dict
        Of the observers, by name.
    """

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

    Parameters
    ----------
    rules : RuleSet
    light, dark : Policy
        Called from several threads at once.
    n_games : int
    seed : int
        Of the dice and of random choices: the same seed plays the same games, with any number of
        threads.
    observers : iterable of callables
        They are made anew for every `_CHUNK` games.
    threads : int, optional
        One for each processor, if not given.
    first : FirstStates, optional
        Where games begin; at the start, if not given.
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
