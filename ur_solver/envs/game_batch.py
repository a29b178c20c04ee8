"""Many games side by side, each at a decision of its agent; the core of all environments.

A decision is a turn with two options or more, after the throw or, where the rules have a choice
before it, then. Passes and forced moves are played by themselves, and games that end before the
agent's first decision are skipped.

An action is a piece that moves, named by where it stands: what the throw makes of it follows.
Where a throw lets a piece choose between squares (the jumps of ben), each of them in order is an
action, and where a side may end its turn or throw again, both are. The choices before the throw
come last. So finkel has 15 actions: a piece from home, and one from each of 14 squares.

An `AgentPolicy` is an agent that was trained in the environments, as a policy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ur_solver.answers.decisions import Values
from ur_solver.common.copies import Unchanging
from ur_solver.common.machine import chosen_threads
from ur_solver.common.text import whole_number
from ur_solver.envs._stepper import (
    BOTH_AGENTS,
    DARK_AGENT,
    EITHER_AGENT,
    LIGHT_AGENT,
    GameStepper,
)
from ur_solver.errors import InputError
from ur_solver.estimators.network import features_of
from ur_solver.moves import AGAIN, MoveGenerator, TurnBatch, generator_of
from ur_solver.players.policies import (
    MAX_THROWS,
    Policy,
    PolicyLike,
    TablePolicy,
    Weights,
    decision_turns,
    policy_of,
)
from ur_solver.rules import HOME, RuleSet, named_rules
from ur_solver.study.match import drawn


class Actions(Unchanging):
    """The actions of a rule set; `actions_of` gives the shared ones.

    Attributes
    ----------
    names : tuple of str
        What each moves: ``home``, or the square that the piece stands on, as light; with its number
        where pieces have numbers, ``l`` for a marked piece; then, where there are several, the
        number of the square among those that it reaches, and ``again``. Or a choice before the
        throw.
    steps, ends : int
        The actions of a piece: its squares, times the ways to end the move.
    step_of : int16, shape (movers, throws, path length + 1)
        Of a move: the number of its square among those of its piece and throw, -1 if it has none.
    choice_action : int32, shape (turn types, choices)
        The actions of the choices before the throw, -1 where there is none.
    """

    def __init__(self, generator: MoveGenerator) -> None:
        tables, path = generator.tables, generator.rules.path.light
        starts = tables.step_start
        self.steps = int(np.diff(starts, axis=1).max())
        self.ends = 2 if (tables.again == 3).any() else 1
        self.step_of = np.full((*np.diff(starts, axis=1).shape, len(path) + 1), -1, dtype=np.int16)
        for mover, throw in np.ndindex(self.step_of.shape[:2]):
            targets = tables.step_target[starts[mover, throw] : starts[mover, throw + 1]]
            self.step_of[mover, throw, targets] = np.arange(len(targets))
        words = [
            ("home" if source == HOME else path[source]) + _mark(piece)
            for piece, source in tables.movers
        ]
        names = [
            word + (f" {step + 1}" if self.steps > 1 else "") + (" again" if end else "")
            for word in words
            for step in range(self.steps)
            for end in range(self.ends)
        ]
        choices = [choice.name for kind in tables.types if len(kind) > 1 for choice in kind]
        known = list(dict.fromkeys(choices))
        self.choice_action = np.full((len(tables.types), 2), -1, dtype=np.int32)
        for number, kind in enumerate(tables.types):
            if len(kind) > 1:
                found = [len(names) + known.index(choice.name) for choice in kind]
                self.choice_action[number, : len(kind)] = found
        self.names = (*names, *known)
        self._first_choice = len(names)
        self._rules = generator.rules

    def __reduce__(self) -> tuple[Callable[[RuleSet], Actions], tuple[RuleSet]]:
        return actions_of, (self._rules,)

    def __len__(self) -> int:
        return len(self.names)

    def of(self, turns: TurnBatch) -> npt.NDArray[np.int64]:
        """The action of each option of some turns, shape (options,); -1 for a pass."""
        if turns.choices is not None:
            choices = [
                self.names.index(choice.name, self._first_choice) for choice in turns.choices
            ]
            return np.tile(np.array(choices, dtype=np.int64), len(turns))
        mover = turns.mover.astype(np.int64)
        step = self.step_of[mover, turns.throws[turns.turn_of], turns.target]
        action = (mover * self.steps + step) * self.ends
        if self.ends > 1:
            action += turns.has(AGAIN)
        return np.where(mover < 0, -1, action)

    def number(self, mover: int, throw: int, target: int, is_again: bool) -> int:
        """The action of a move by its mover, its throw's number and its target's path index."""
        action = (mover * self.steps + int(self.step_of[mover, throw, target])) * self.ends
        return action + 1 if self.ends > 1 and is_again else action


def _mark(piece: str) -> str:
    """What distinguishes a piece from others on its square: its number, or that it is marked."""
    return piece[1:] and f":{piece[1:]}" if piece[0].isupper() else f":{piece}"


@lru_cache(maxsize=8)
def actions_of(rules: RuleSet) -> Actions:
    """The actions of a rule set, numbered once and shared."""
    return Actions(generator_of(rules))


Agent = Literal["light", "dark", "either", "both"]
"""Whose decisions are the agent's; ``either`` draws a side for each game."""

AGENTS: dict[str, int] = {
    "light": LIGHT_AGENT,
    "dark": DARK_AGENT,
    "either": EITHER_AGENT,
    "both": BOTH_AGENTS,
}

_MOST_EMPTY = 1000
"""The most games in a row that end before the agent's first decision."""

_PART = 256
"""The fewest games worth a thread."""


class GameBatch:
    """Games of one rule set, stepped together.

    A deep copy, or what was pickled, goes on with the same dice.

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
    finals : float32, shape (games, features)
        Of the state in which the games that the last step ended were over or cut off, as the agent
        sees it; as light does, if both sides are agents. No throw is set.
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
        most_throws: int = MAX_THROWS,
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
        self._n_threads = chosen_threads(threads)
        self._n_parts = max(1, min(self._n_threads, n_games // _PART))
        self._rng = np.random.default_rng()
        self.sides, self.agent, self._may = (np.zeros(n_games, dtype=np.uint8) for _ in range(3))
        self.masks = np.zeros((n_games, len(self.actions)), dtype=np.int8)
        self.observations = np.zeros((n_games, len(self.names)), dtype=np.float32)
        self.finals = np.zeros_like(self.observations)
        self.rewards = np.zeros(n_games)
        self.ended = np.zeros(n_games, dtype=np.uint8)
        self.regrets = None if table is None else np.zeros(n_games)
        self._rows = self.generator.start(n_games).astype(np.uint32)
        self._throws = np.full(n_games, -1, dtype=np.int32)
        self._streams = np.zeros(n_games, dtype=np.uint64)
        self._nets = np.zeros(n_games)
        self._lengths = np.zeros(n_games, dtype=np.int32)
        self._has_begun = False
        self._played = (AGENTS[agent], is_random, most_throws)
        self._open()

    def _open(self) -> None:
        """Make what works on the arrays, and is not copied."""
        self._pool = ThreadPoolExecutor(self._n_threads)
        self._stepper = GameStepper(self, *self._played)

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in vars(self).items() if k not in ("_pool", "_stepper")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._open()

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
                self._has_begun = True
                return
        raise InputError(f"games of {self.rules.title} have no decisions for an agent")

    def step(self, actions: npt.ArrayLike) -> None:
        """Take an action in every game, and play each on to the agent's next decision.

        An action that is not legal forfeits the game. In a game that is over, and not renewed, the
        action does not count.

        Parameters
        ----------
        actions : integers, shape (games,)

        Raises
        ------
        InputError
            If there are more or fewer actions than games, or no game has begun.
        """
        self.check_begun()
        chosen = np.ascontiguousarray(actions, dtype=np.int64)
        if chosen.shape != self._all.shape:
            raise InputError(f"actions of shape {chosen.shape}, expected {self._all.shape}")
        going = self._all
        if not self._renews:
            going = np.flatnonzero(self.ended == 0)
            self.rewards[:] = 0
            chosen = chosen[going]
        if self.regrets is not None:
            self.regrets[:] = 0
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
            begun = ended[members] > 0  # where one has ended: what it pays counts at its next step
            same, new = members[~begun], members[begun]
            finals = self.finals[new]
            self._step(members, self._chosen(self._policy, members))
            self.finals[new] = finals
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
        rows = self._rows[members].astype(self.generator.space.state_dtype)
        return decision_turns(self.generator, rows, self._throws[members], self._may[members])

    def _regrets(
        self, members: npt.NDArray[np.int64], actions: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        assert self._judge is not None
        regrets = np.full(len(members), np.nan)
        for turns, those in self._turns(members):
            loss = self._judge.ranked(turns).loss
            taken = np.flatnonzero(self.actions.of(turns) == actions[those][turns.turn_of])
            regrets[those[turns.turn_of[taken]]] = loss[taken]
        return regrets

    def text(self, game: int = 0) -> str:
        """A game's position in notation, light being the side that threw first, and its throw."""
        self.check_begun()
        position = self.generator.position(self._rows[game])
        notation = (position.mirror() if self.sides[game] else position).notation
        throw = int(self._throws[game])
        return f"{notation} throw {self.generator.throws[throw]}" if throw >= 0 else notation

    def check_begun(self) -> None:
        """Raise InputError if no game has begun."""
        if not self._has_begun:
            raise InputError("no game has begun; call reset first (of a GameBatch, begin)")

    def seen_by(self, side: int) -> npt.NDArray[np.float32]:
        """The features of the only game as a side sees it that need not decide, shape (features,).

        No throw is set.
        """
        rows = self._rows.astype(self.generator.space.state_dtype)
        if side != self.sides[0]:
            rows = self.generator.mirror(rows)
        throws = np.zeros(len(self.generator.throws), dtype=np.float32)
        return np.concatenate([self._features.of(rows)[0], throws])

    def close(self) -> None:
        """End the threads; others begin if games go on."""
        self._pool.shutdown()
        self._pool = ThreadPoolExecutor(self._n_threads)


Act = Callable[[npt.NDArray[np.float32], npt.NDArray[np.int8]], npt.ArrayLike]
"""The actions, shape (decisions,), for some observations, shape (decisions, features), and masks,
shape (decisions, actions)."""


class AgentPolicy:
    """The policy of an agent.

    Parameters
    ----------
    rules : RuleSet
    act : callable
        Gives the actions for many observations and masks, as `GameBatch` has them. It may be
        called from several threads at once.
    """

    def __init__(self, rules: RuleSet, act: Act) -> None:
        self._rules, self._act = rules, act
        self._actions, self._features = actions_of(rules), features_of(rules)

    def weights(self, turns: TurnBatch) -> Weights:
        """As `Policy.weights`.

        Raises
        ------
        InputError
            If the agent does not give one action for each decision, or one that is not legal.
        """
        weights = np.ones(len(turns.source))
        is_decision = turns.n_options > 1
        if not is_decision.any():
            return weights
        asked = turns.part(is_decision)
        options = self._actions.of(asked)
        masks = np.zeros((len(asked), len(self._actions)), dtype=np.int8)
        masks[asked.turn_of, options] = 1
        chosen = np.asarray(self._act(self._observations(asked), masks), dtype=np.int64)
        if chosen.shape != (len(asked),):
            raise InputError(
                f"an agent gave an array of shape {chosen.shape} for {len(asked)} decisions; "
                "expected one action for each"
            )
        is_action = (chosen >= 0) & (chosen < len(self._actions))
        is_legal = is_action & (masks[np.arange(len(asked)), np.where(is_action, chosen, 0)] == 1)
        if not is_legal.all():
            k = int(is_legal.argmin())
            raise InputError(
                f"an agent took action {chosen[k]}, which is not legal there; expected one of "
                f"{', '.join(map(str, np.flatnonzero(masks[k])))}"
            )
        weights[np.repeat(is_decision, turns.n_options)] = options == chosen[asked.turn_of]
        return weights

    def _observations(self, turns: TurnBatch) -> npt.NDArray[np.float32]:
        throws = np.arange(len(turns.generator.throws)) == turns.throws[:, np.newaxis]
        features = self._features.of(turns.rows)
        return np.concatenate([features, throws.astype(np.float32)], axis=1)
