"""Many games side by side, each at a decision of its agent; the core of all environments.

A decision is a turn with two options or more, after the throw or, where the rules have a choice
before it, then. Passes and forced moves are played by themselves, and games that end before the
agent's first decision are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

import numpy as np
import numpy.typing as npt

from ur_solver.answers.values import Values
from ur_solver.common.machine import chosen_threads
from ur_solver.common.text import whole_number
from ur_solver.envs import _stepper
from ur_solver.envs.actions import actions_of
from ur_solver.errors import InputError
from ur_solver.estimators.features import features_of
from ur_solver.moves import TurnBatch, generator_of
from ur_solver.players.policies import (
    Policy,
    PolicyLike,
    TablePolicy,
    policy_of,
)
from ur_solver.rules import RuleSet, named_rules
from ur_solver.study.match import drawn

Agent = Literal["light", "dark", "either", "both"]
"""Whose decisions are the agent's; ``either`` draws a side for each game."""

AGENTS: dict[str, int] = {
    "light": _stepper.LIGHT_AGENT,
    "dark": _stepper.DARK_AGENT,
    "either": _stepper.EITHER_AGENT,
    "both": _stepper.BOTH_AGENTS,
}

MOST_THROWS = 5000
"""The throws after which a game is cut off: bad players can play for very long."""

_MOST_EMPTY = 1000
"""The most games in a row that end before the agent's first decision."""

_PART = 256
"""The fewest games worth a thread."""


class GameBatch:
    """Games of one rule set, stepped together.

    Parameters
    ----------
    rules : RuleSet or str
        Or its name, such as ``"finkel:3"``.
    n_games : int
    agent : {"light", "dark", "either", "both"}
        Whose decisions are asked for. ``both`` asks for all of them, without an opponent.
    opponent : Policy, function or str
        The other side's player (`policy_of`). ``"random"`` is the fastest: it is compiled.
    table : Values, optional
        A table of the rules: for regrets, and for an opponent that plays by it.
    renews : bool
        Whether a new game begins where one has ended.
    most_throws : int
        After which a game is cut off.
    threads : int, optional
        One for each processor, if not given; the games are the same with any number.

    Attributes
    ----------
    observations : float32, shape (games, features)
        Of the state before each game's decision, seen by the side that decides: the features of
        `names`, in [0, 1].
    masks : int8, shape (games, actions)
        1 for each legal action. All are 0 for a game that is over.
    sides, agent : uint8, shape (games,)
        Who decides, and which side is the agent's: 0 for light, who threw first, 1 for dark; 3 if
        both are.
    rewards : float64, shape (games,)
        Of the last step: 1 if the agent has won, -1 if it has lost, else 0. With stakes, what it
        has got less what its opponent has, in money. If both sides are agents, light's.
    ended : uint8, shape (games,)
        How the last step left each game: 0 going on, 1 or 2 won by light or dark, 3 cut off; and
        4 more if the other side took an action that is not legal.
    regrets : float64, shape (games,), or None
        Of the last step, with a table: the value of the best option less that of the action taken,
        as a probability, with stakes as money; nan for an action that is not legal.

    Raises
    ------
    InputError
        If a name is unknown, or a player needs a table that is not given or of other rules; if
        games of the rules have no decisions.
    """

    def __init__(
        self,
        rules: RuleSet | str,
        n_games: int,
        *,
        agent: Agent = "either",
        opponent: PolicyLike = "random",
        table: Values | None = None,
        renews: bool = True,
        most_throws: int = MOST_THROWS,
        threads: int | None = None,
    ) -> None:
        self.rules = named_rules(rules) if isinstance(rules, str) else rules
        if table is not None and not table.rules.is_same_game(self.rules):
            raise InputError(
                f"the table is of {table.rules.title}; the games are of {self.rules.title}"
            )
        if agent not in AGENTS:
            raise InputError(f"agent {agent!r:.50}: expected one of {', '.join(AGENTS)}")
        n_games = whole_number("n_games", n_games, 1)
        whole_number("most_throws", most_throws, 1)
        self.generator = generator_of(self.rules)
        self.actions = actions_of(self.rules)
        self._features = features_of(self.rules)
        throws = [f"throw {throw}" for throw in self.generator.throws]
        self.names: tuple[str, ...] = (*self._features.names, *throws)
        is_random = isinstance(opponent, str) and opponent == "random"
        self._policy = None
        if agent != "both" and not is_random:
            self._policy = policy_of(opponent, table)
        self._judge = None if table is None else TablePolicy(table)
        self._renews = renews
        self._all = np.arange(n_games)
        n_threads = chosen_threads(threads)
        self._pool = ThreadPoolExecutor(n_threads)
        self._n_parts = max(1, min(n_threads, n_games // _PART))
        self._rng = np.random.default_rng()
        self.sides, self.agent, self._may = (np.zeros(n_games, dtype=np.uint8) for _ in range(3))
        self.masks = np.zeros((n_games, len(self.actions)), dtype=np.int8)
        self.observations = np.zeros((n_games, len(self.names)), dtype=np.float32)
        self.rewards = np.zeros(n_games)
        self.ended = np.zeros(n_games, dtype=np.uint8)
        self.regrets = None if table is None else np.zeros(n_games)
        self._rows = self.generator.start(n_games).astype(np.uint32)
        self._throws = np.full(n_games, -1, dtype=np.int32)
        self._streams = np.zeros(n_games, dtype=np.uint64)
        self._nets = np.zeros(n_games)
        self._stepper = _stepper.GameStepper(self, AGENTS[agent], is_random, most_throws)

    def __len__(self) -> int:
        return len(self._all)

    def begin(self, seed: int) -> None:
        """Begin new games everywhere; the same seed throws the same dice.

        Parameters
        ----------
        seed : int
            Of the dice and of the opponent's random choices.
        """
        sequence = np.random.SeedSequence(whole_number("seed", seed))
        self._streams[:] = sequence.generate_state(len(self), np.uint64)
        self._rng = np.random.default_rng(sequence)
        left = self._all
        for _ in range(_MOST_EMPTY):
            self.rewards[left] = 0
            self.ended[left] = 0
            if not self._stepper.begin(left):
                break
            self._answer(left)
            self._carry(left[self.ended[left] == 0])
            # games that have ended before the agent's first decision, unless they are renewed
            left = left[~self.masks[left].any(axis=1)]
            if not len(left):
                self.rewards[:] = 0
                self.ended[:] = 0
                return
        raise InputError(f"games of {self.rules.title} have no decisions for an agent")

    def step(self, actions: npt.ArrayLike) -> None:
        """Take an action in every game, and play each on to the agent's next decision.

        An action that is not legal forfeits the game. In a game that is over, and not renewed, the
        action does not count.

        Parameters
        ----------
        actions : integers, shape (games,)
        """
        chosen = np.ascontiguousarray(actions, dtype=np.int64)
        if chosen.shape != self._all.shape:
            raise InputError(f"actions of shape {chosen.shape}, expected {self._all.shape}")
        going = self._all
        if not self._renews:
            going = np.flatnonzero(self.ended == 0)
            self.rewards[:] = 0
            chosen = chosen[going]
        if self.regrets is not None:
            self.regrets[going] = self._regrets(going, chosen)
        self._step(going, chosen)
        self._answer(going)

    def _step(self, members: npt.NDArray[np.int64], actions: npt.NDArray[np.int64]) -> None:
        parts = min(self._n_parts, max(1, len(members) // _PART))
        pieces = zip(np.array_split(members, parts), np.array_split(actions, parts), strict=True)
        if parts == 1:
            self._stepper.step(members, actions, self._renews)
        else:
            steps = [self._pool.submit(self._stepper.step, *each, self._renews) for each in pieces]
            for each in steps:
                each.result()

    def _answer(self, members: npt.NDArray[np.int64]) -> None:
        """Play the opponent's decisions until every game waits for its agent."""
        if self._policy is None:
            return
        rewards, ended = self.rewards.copy(), self.ended.copy()
        while True:
            is_going = self.masks[members].any(axis=1)
            members = members[is_going & (self.sides[members] != self.agent[members])]
            if not len(members):
                break
            self._step(members, self._chosen(self._policy, members))
            begun = ended[members] > 0  # where one has ended: what it pays counts at its next step
            same, new = members[~begun], members[begun]
            rewards[same] += self.rewards[same]
            ended[same] = self.ended[same]
            self._carry(new[self.ended[new] == 0])
        self.rewards[:], self.ended[:] = rewards, ended

    def _carry(self, members: npt.NDArray[np.int64]) -> None:
        """Count what has been paid in some games with their next step."""
        self._nets[members] += np.where(self.agent[members] == 1, -1, 1) * self.rewards[members]

    def chosen_by(self, policy: Policy) -> npt.NDArray[np.int64]:
        """The actions of a policy in all games, shape (games,); 0 in games that are over."""
        actions = np.zeros(len(self), dtype=np.int64)
        going = np.flatnonzero(self.masks.any(axis=1))
        actions[going] = self._chosen(policy, going)
        return actions

    def _chosen(self, policy: Policy, members: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        actions = np.empty(len(members), dtype=np.int64)
        for turns, those in self._turns(members):
            actions[those] = self.actions.of(turns)[drawn(policy, turns, self._rng)]
        return actions

    def _turns(
        self, members: npt.NDArray[np.int64]
    ) -> Iterator[tuple[TurnBatch, npt.NDArray[np.int64]]]:
        """The decisions of some games, with the indices among them that each batch has."""
        generator = self.generator
        rows = self._rows[members].astype(generator.space.state_dtype)
        before = np.flatnonzero(self._throws[members] < 0)
        after = np.flatnonzero(self._throws[members] >= 0)
        if len(before):
            for choices, those in generator.by_choices(rows[before]):
                yield generator.before_throw(rows[before[those]], choices), before[those]
        if len(after):
            at = members[after]
            yield generator.successors(rows[after], self._throws[at], self._may[at]), after

    def _regrets(
        self, members: npt.NDArray[np.int64], actions: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        assert self._judge is not None
        regrets = np.full(len(members), np.nan)
        for turns, those in self._turns(members):
            worth = self._judge.option_values(turns)
            best = np.maximum.reduceat(worth, turns.starts[:-1])
            taken = np.flatnonzero(self.actions.of(turns) == actions[those][turns.turn_of])
            of = turns.turn_of[taken]
            regrets[those[of]] = best[of] - worth[taken]
        return regrets

    def text(self, game: int = 0) -> str:
        """A game's position in notation, light being the side that threw first, and its throw."""
        position = self.generator.position(self._rows[game])
        notation = (position.mirror() if self.sides[game] else position).notation
        throw = int(self._throws[game])
        return f"{notation} throw {self.generator.throws[throw]}" if throw >= 0 else notation

    def waiting(self, game: int = 0) -> npt.NDArray[np.float32]:
        """The features of a game as the side that waits sees it, float32, shape (features,)."""
        dtype = self.generator.space.state_dtype
        rows = self.generator.mirror(self._rows[game : game + 1].astype(dtype))
        throws = np.zeros(len(self.generator.throws), dtype=np.float32)
        return np.concatenate([self._features.of(rows)[0], throws])

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()
