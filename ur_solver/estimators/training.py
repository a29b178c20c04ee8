"""Training: approximate value iteration over positions of the network's own play.

In rounds. In each, games go on for a window of plies, played by the mean of the weights; every
position gets its full backup B, over all throws and moves, and from these a lambda return

    G[t] = B[t] + lambda * sign * (G[t + 1] - V[t + 1])

backwards, V being the network's value and the sign -1 where the other side throws next. It is cut
where a move explored, at the end of a game and at the end of the window. The network is then
fitted to the returns. Without them (lambda 0) a network soon agrees with itself and stays wrong.

The first half of a training is fast: a backup looks one ply ahead. But a network plays worse by it
than its values are, and learns what that play is worth: in skiriuk it gives a lead too little. In
the second half its values are replaced by their full backups wherever B and the play ask for them,
so that both look two plies ahead. A position takes some four times as long, but few of them mend
what whole games by one ply taught (`docs/estimates.md`).

A training that begins with the weights of another network first lets it play each game for a random
number of plies. Otherwise all games would end at about the same time, and a short training would
see positions of one stage of the game after the other.

Games are divided into streams with random numbers of their own, and minibatches into shares, both
the same with any number of threads: so is what comes out.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ur_solver.answers.values import Values
from ur_solver.estimators.backends import Backend, NumpyBackend
from ur_solver.estimators.features import Rows, features_of, scale_of
from ur_solver.estimators.network import Adam, Shape, Weights, default_hidden
from ur_solver.estimators.plies import Plies, ending_rows, play_ply, start_rows
from ur_solver.estimators.search import Searched
from ur_solver.rules import RuleSet

PLIES = 32
"""Of a window."""

_APART = 256
"""The most plies that games are played on before a training, so that they do not end together."""

_EXPLORE = 0.15
"""How often a move explores, in every other game."""

_MOST_PLIES = 2000
"""After which a game is given up, as bad players may go on for ever."""

_FIRST_RATE, _LAST_RATE = 2e-3, 1e-5
"""Twice the first rate has killed all units of a layer of networks that learn from 1024 at once."""

STAGES = 6
"""Of a training that goes on until it no longer improves: the rates between first and last."""

_LEAST_ROUNDS = 30
_FIRST_LAMBDA, _LAST_LAMBDA = 0.95, 0.8

_DEEP_FROM = 0.5
"""How far a training is when its backups begin to look two plies ahead."""


class Window(NamedTuple):
    """What a stream's games brought.

    Attributes
    ----------
    rows : unsigned, shape (positions, state width)
    returns : float64, shape (positions,)
        Lambda returns, as outputs of the network.
    error : float
        The mean square of what they differ from the network's own values by.
    """

    rows: Rows
    returns: npt.NDArray[np.float64]
    error: float


def _first_rows(rules: RuleSet, n: int, rng: np.random.Generator) -> Rows:
    """Where games begin: at the start or, every other one, with pieces that are borne off already.

    Bad players of some rule sets hardly ever reach the end of a game from its start.
    """
    rows = start_rows(rules, n)
    rows[1::2] = ending_rows(rules, n // 2, rng)
    return rows


@dataclass
class TrainingGames:
    """Games of a stream, which go on from window to window.

    Attributes
    ----------
    rows : unsigned, shape (games, state width)
    ages : int64, shape (games,)
        The plies played.
    """

    rows: Rows
    ages: npt.NDArray[np.int64]

    @classmethod
    def begun(cls, rules: RuleSet, n: int, rng: np.random.Generator) -> TrainingGames:
        """As they begin."""
        return cls(_first_rows(rules, n, rng), np.zeros(n, dtype=np.int64))

    def play_apart(self, values: Values, rng: np.random.Generator) -> None:
        """Play each game for a random number of plies, fewer than `_APART`."""
        plies = rng.integers(_APART, size=len(self.ages))
        rows, ages = self.rows.copy(), self.ages.copy()
        for n in range(1, _APART):
            self._play_ply(values, rng)
            is_there = plies == n
            rows[is_there], ages[is_there] = self.rows[is_there], self.ages[is_there]
        self.rows, self.ages = rows, ages

    def _play_ply(
        self, values: Values, rng: np.random.Generator, explore: float | npt.NDArray[np.float64] = 0
    ) -> tuple[Plies, npt.NDArray[np.bool_]]:
        """Play a ply, and begin anew where a game is over; the ply, and which games it ended."""
        ply = play_ply(values, self.rows, rng, explore)
        self.ages += 1
        is_over = (ply.sign == 0) | (self.ages >= _MOST_PLIES)
        self.rows, self.ages = ply.after, np.where(is_over, 0, self.ages)
        self.rows[is_over] = _first_rows(values.rules, len(is_over), rng)[is_over]
        return ply, is_over

    def play(
        self, values: Values, rng: np.random.Generator, weight: float, depth: int = 0
    ) -> Window:
        """Play a window of plies.

        Parameters
        ----------
        values : Values
        rng : Generator
        weight : float
            Lambda, the weight of what comes later.
        depth : int
            Of the search that values what a ply leads to.
        """
        n, looking = len(self.rows), Searched(values, depth)
        explore = np.where(np.arange(n) % 2, _EXPLORE, 0.0)
        rows, worth, own, carried = [], [], [], []
        for _ in range(PLIES):
            rows.append(self.rows)
            own.append(values.state_values(self.rows))
            ply, is_over = self._play_ply(looking, rng, explore)
            worth.append(ply.worth)
            carried.append(np.where(ply.is_best & ~is_over, ply.sign, 0.0))
        returns, later = worth, np.zeros(n)
        for t in reversed(range(PLIES)):
            returns[t] = worth[t] + weight * carried[t] * later
            later = returns[t] - own[t]
        all_rows = np.concatenate(rows)
        scale = scale_of(values.rules, all_rows)
        found, before = np.concatenate(returns) / scale, np.concatenate(own) / scale
        if not values.rules.payoff.has_fines:
            found = np.clip(found, 0, 1)
        return Window(all_rows, found, float(np.mean((found - before) ** 2)))


class Training:
    """The state of a training, round after round.

    Parameters
    ----------
    rules : RuleSet
    hidden : tuple of int, optional
        The sizes of the hidden layers; by default those of `default_hidden`.
    seed : int
    backend : Backend, optional
        NumPy's by default.
    first : float32, optional
        The weights to begin with; random ones by default.

    Attributes
    ----------
    shape : Shape
    optimiser : Adam
    games : list of TrainingGames
        By stream.
    rounds : int
        That are done.
    errors : list of float
        Of each round the mean square of what returns and values differed by.
    stage : int
        Of `STAGES`, the one at work where a training goes on until it no longer improves.
    stage_began : int
        The round that it began with.
    """

    def __init__(
        self,
        rules: RuleSet,
        hidden: tuple[int, ...] | None = None,
        seed: int = 1,
        backend: Backend | None = None,
        first: Weights | None = None,
    ) -> None:
        self.rules = rules
        self.seed = seed
        self.backend = backend or NumpyBackend(rules)
        self.sizes = self.backend.sizes
        n = len(features_of(rules))
        self.shape = Shape(n, hidden or default_hidden(n), not rules.payoff.has_fines)
        drawn = self.shape.drawn(np.random.default_rng([seed, 0]))
        self.optimiser = Adam.of(self.backend.array(drawn if first is None else first.copy()))
        self.games = [
            TrainingGames.begun(rules, self.sizes.games, np.random.default_rng([seed, 0, k]))
            for k in range(self.sizes.streams)
        ]
        self.rounds = 0
        self.errors: list[float] = []
        self.stage = self.stage_began = 0

    @property
    def weights(self) -> Weights:
        """The mean of the weights as it is now."""
        return self.backend.numpy(self.optimiser.mean).copy()

    @property
    def positions(self) -> int:
        """The positions of play that it has learnt from."""
        return self.rounds * self.sizes.streams * self.sizes.games * PLIES

    def play_apart(self, pool: Executor) -> None:
        """Let the network play each game for a random number of plies, and learn nothing."""
        values = self.backend.values(self.shape, self.optimiser.weights)
        own = [np.random.default_rng([self.seed, 0, k, 1]) for k in range(self.sizes.streams)]
        list(pool.map(lambda games, rng: games.play_apart(values, rng), self.games, own))

    def round(self, pool: Executor, done: float) -> None:
        """Play a window and learn from it.

        Parameters
        ----------
        pool : Executor
            Of threads.
        done : float
            How far the training is, from 0 to 1: the rate of learning and lambda fall with it, and
            backups look a ply further from `_DEEP_FROM` on.
        """
        self.rounds += 1
        weight = _FIRST_LAMBDA + (_LAST_LAMBDA - _FIRST_LAMBDA) * done
        sizes = self.sizes
        rate = _FIRST_RATE * (_LAST_RATE / _FIRST_RATE) ** done
        depth = int(done >= _DEEP_FROM)
        values = self.backend.values(self.shape, self.optimiser.weights)
        own = [np.random.default_rng([self.seed, self.rounds, k]) for k in range(sizes.streams)]
        windows = list(
            pool.map(lambda games, rng: games.play(values, rng, weight, depth), self.games, own)
        )
        rows = np.concatenate([window.rows for window in windows])
        returns = np.concatenate([window.returns for window in windows]).astype(np.float32)
        rng = np.random.default_rng([self.seed, self.rounds])
        for _ in range(sizes.epochs):
            order = rng.permutation(len(rows))
            for first in range(0, len(order), sizes.batch):
                self._learn(pool, rows, returns, order[first : first + sizes.batch], rate)
        self.errors.append(float(np.mean([window.error for window in windows])))

    def advance(self) -> bool:
        """Go on to the next stage if this one brings no more; return whether there is none.

        It brings no more once the errors of the later half of its rounds are smaller than those of
        the earlier half by no more than chance, or by a fiftieth.
        """
        seen = np.array(self.errors[self.stage_began :])
        if len(seen) < _LEAST_ROUNDS:
            return False
        early, late = np.array_split(seen[len(seen) // 3 :], 2)
        chance = np.hypot(early.std() / len(early) ** 0.5, late.std() / len(late) ** 0.5)
        if early.mean() - late.mean() < max(chance, early.mean() / 50):
            self.stage, self.stage_began = self.stage + 1, self.rounds
        return self.stage >= STAGES

    def _learn(
        self,
        pool: Executor,
        rows: Rows,
        returns: npt.NDArray[np.float32],
        batch: npt.NDArray[np.int64],
        rate: float,
    ) -> None:
        weights = self.optimiser.weights

        def gradient(share: npt.NDArray[np.int64]) -> Weights:
            inputs, targets = self.backend.inputs(rows[share]), self.backend.array(returns[share])
            return self.shape.gradient(weights, inputs, targets)

        total, *others = pool.map(gradient, np.array_split(batch, self.sizes.shares))
        for each in others:
            total += each
        total /= len(batch)
        self.optimiser.step(total, rate, len(batch))
