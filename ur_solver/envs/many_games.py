"""A vectorised Gymnasium environment: thousands of games at a time against a given player."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ur_solver.answers.values import Values
from ur_solver.envs._stepper import UNFINISHED
from ur_solver.envs.game_batch import MOST_THROWS, Agent, GameBatch
from ur_solver.players.policies import PolicyLike
from ur_solver.rules import RuleSet

Observations = npt.NDArray[np.float32]
Actions = npt.NDArray[np.int64]


class ManyGamesEnv(VectorEnv[Observations, Actions, npt.NDArray[Any]]):
    """Many games, each against a player; a new one begins where one ends.

    Observations, actions and rewards are those of `OnePlayerEnv`, with a row for every game. Where
    a game has ended, the observation is the first one of the next (`AutoresetMode.SAME_STEP`);
    there is none of a game that is over, as nobody decides there. ``infos`` has
    ``action_mask``, int8, shape (games, actions), and, with a table, ``regret``, float64, shape
    (games,).

    Parameters
    ----------
    rules : RuleSet or str
    n_games : int
    opponent, agent, table, most_throws, threads
        As `GameBatch` takes them. With ``agent="both"`` the agent decides for both sides, rewards
        are light's, and `GameBatch.sides` says who decides.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012 - as in its base class

    def __init__(
        self,
        rules: RuleSet | str = "finkel",
        n_games: int = 1024,
        opponent: PolicyLike = "random",
        *,
        agent: Agent = "either",
        table: Values | None = None,
        most_throws: int = MOST_THROWS,
        threads: int | None = None,
    ) -> None:
        self.batch = GameBatch(
            rules,
            n_games,
            agent=agent,
            opponent=opponent,
            table=table,
            most_throws=most_throws,
            threads=threads,
        )
        self.num_envs = n_games
        self.render_mode = None
        self.single_action_space = gymnasium.spaces.Discrete(len(self.batch.actions))
        self.single_observation_space = gymnasium.spaces.Box(
            0, 1, (len(self.batch.names),), np.float32
        )
        self.action_space = batch_space(self.single_action_space, n_games)
        self.observation_space = batch_space(self.single_observation_space, n_games)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Begin new games everywhere; the same seed throws the same dice."""
        super().reset(seed=seed, options=options)
        self.batch.begin(int(self.np_random.integers(1 << 62)))
        return self.batch.observations.copy(), {"action_mask": self.batch.masks.copy()}

    def step(
        self, actions: Actions
    ) -> tuple[Observations, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """Take an action in every game, and play each on to the next decision."""
        batch = self.batch
        batch.step(actions)
        infos: dict[str, Any] = {"action_mask": batch.masks.copy()}
        if batch.regrets is not None:
            infos["regret"] = batch.regrets.copy()
        is_cut = batch.ended == UNFINISHED
        is_over = (batch.ended > 0) & ~is_cut
        return batch.observations.copy(), batch.rewards.copy(), is_over, is_cut, infos

    def close_extras(self, **_options: Any) -> None:
        """End the threads."""
        self.batch.close()
