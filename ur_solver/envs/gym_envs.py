"""Gymnasium's environments against a given player: one game at a time, and thousands."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ur_solver.answers.decisions import Values
from ur_solver.envs._stepper import UNFINISHED
from ur_solver.envs.game_batch import Agent, GameBatch
from ur_solver.players.policies import MAX_THROWS, PolicyLike
from ur_solver.rules import RuleSet


class OnePlayerEnv(gymnasium.Env[npt.NDArray[np.float32], np.int64]):
    """A game against a player, decision by decision.

    An observation is a float32 vector: the features of `GameBatch.names`, seen by the agent, who is
    light there. An action is a number of `Actions.names`; one that is not legal loses the game.
    The reward is 1 for a game won, -1 for one lost, 0 before; with stakes, money. ``info`` has
    ``action_mask``, 1 for each legal action, as `action_masks` gives it, and, with a table,
    ``regret``: what the action has lost against the best one, as a probability. Where a game is
    over or cut off, the observation is that of its last state, `GameBatch.finals`. A deep copy, or
    what was pickled, goes on with the same dice.

    Parameters
    ----------
    rules : RuleSet or str
    opponent, agent, table, most_throws
        As `GameBatch` takes them; ``agent`` is not ``"both"``.
    render_mode : {"ansi"}, optional
        `render` then returns the position and the throw as text.
    """

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012 - as in its base class

    def __init__(
        self,
        rules: RuleSet | str = "finkel",
        opponent: PolicyLike = "random",
        *,
        agent: Agent = "either",
        table: Values | None = None,
        most_throws: int = MAX_THROWS,
        render_mode: str | None = None,
    ) -> None:
        self.batch = GameBatch(
            rules,
            1,
            agent=agent,
            opponent=opponent,
            table=table,
            renews=False,
            most_throws=most_throws,
            threads=1,
        )
        self.render_mode = render_mode
        self.action_space = gymnasium.spaces.Discrete(len(self.batch.actions))
        self.observation_space = gymnasium.spaces.Box(0, 1, (len(self.batch.names),), np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
        """Begin a game; the same seed throws the same dice."""
        super().reset(seed=seed, options=options)
        self.batch.begin(int(self.np_random.integers(1 << 62)))
        return self.batch.observations[0].copy(), {"action_mask": self.action_masks()}

    def step(
        self, action: int | np.integer[Any]
    ) -> tuple[npt.NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Take an action, and let the opponent play to the next decision.

        InputError before the first `reset`.
        """
        batch = self.batch
        batch.step(np.array([action]))
        ended = int(batch.ended[0])
        info: dict[str, Any] = {"action_mask": self.action_masks()}
        if batch.regrets is not None:
            info["regret"] = float(batch.regrets[0])
        is_cut = ended == UNFINISHED
        observation = (batch.finals if ended else batch.observations)[0].copy()
        return observation, float(batch.rewards[0]), ended > 0 and not is_cut, is_cut, info

    def action_masks(self) -> npt.NDArray[np.int8]:
        """1 for each legal action, int8, shape (actions,); InputError before the first `reset`."""
        self.batch.check_begun()
        return np.array(self.batch.masks[0])

    def render(self) -> str | None:
        """The position and the throw as text, if they are asked for."""
        return self.batch.text() if self.render_mode == "ansi" else None

    def close(self) -> None:
        """End the threads."""
        self.batch.close()


Observations = npt.NDArray[np.float32]
Actions = npt.NDArray[np.int64]


class ManyGamesEnv(VectorEnv[Observations, Actions, npt.NDArray[Any]]):
    """Many games, each against a player; a new one begins where one ends.

    Observations, actions and rewards are those of `OnePlayerEnv`, with a row for every game. Where
    a game has ended, the observation is the first one of the next (`AutoresetMode.SAME_STEP`).
    ``infos`` has ``action_mask``, int8, shape (games, actions), and, with a table, ``regret``,
    float64, shape (games,), of the last actions. If games have ended, it has what `OnePlayerEnv`
    gives of their last states: ``final_obs``, an array of objects, None where no game has ended;
    and the dictionary ``final_info``, with arrays of a row for every game, as ``infos`` itself.
    ``_final_obs``, and likewise of every name, says for which games there is something, bool, shape
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
        most_throws: int = MAX_THROWS,
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
        masks = self.batch.masks.copy()
        infos = {"action_mask": masks, "_action_mask": np.ones(self.num_envs, dtype=bool)}
        return self.batch.observations.copy(), infos

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[Observations, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """Take an action in every game, and play each on to the next decision.

        InputError before the first `reset`, and for more or fewer actions than games.
        """
        batch = self.batch
        batch.step(actions)
        infos = self._infos(batch.masks, np.ones(self.num_envs, dtype=bool))
        has_ended = batch.ended > 0
        if has_ended.any():
            final = np.full(self.num_envs, None, dtype=object)
            for k in np.flatnonzero(has_ended):
                final[k] = batch.finals[k].copy()
            last = self._infos(np.zeros_like(batch.masks), has_ended)
            infos |= {"final_obs": final, "_final_obs": has_ended.copy()}
            infos |= {"final_info": last, "_final_info": has_ended.copy()}
        is_cut = batch.ended == UNFINISHED
        is_over = (batch.ended > 0) & ~is_cut
        return batch.observations.copy(), batch.rewards.copy(), is_over, is_cut, infos

    def _infos(self, masks: npt.NDArray[np.int8], is_set: npt.NDArray[np.bool_]) -> dict[str, Any]:
        """What a step says of the games for which `is_set` holds."""
        infos: dict[str, Any] = {"action_mask": masks.copy(), "_action_mask": is_set.copy()}
        if self.batch.regrets is not None:
            infos |= {"regret": np.where(is_set, self.batch.regrets, 0), "_regret": is_set.copy()}
        return infos

    def close_extras(self, **_options: Any) -> None:
        """End the threads."""
        self.batch.close()
