"""A PettingZoo environment: a game of two agents, in turns."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space
from gymnasium.utils import seeding
from pettingzoo import AECEnv

from ur_solver.answers.decisions import Values
from ur_solver.envs._stepper import UNFINISHED
from ur_solver.envs.game_batch import GameBatch
from ur_solver.errors import InputError
from ur_solver.players.policies import MAX_THROWS
from ur_solver.rules import RuleSet

_OF_A_GAME = (
    *("agents", "num_agents", "agent_selection", "rewards", "_cumulative_rewards"),
    *("terminations", "truncations", "infos"),
)
"""The attributes of an environment that a game has."""


class TwoPlayerEnv(AECEnv):  # type: ignore[misc]
    """A game of ``"player_0"``, light, who throws first, and ``"player_1"``, dark.

    Only decisions are asked for, so that an agent may decide several times in a row. An observation
    is a dictionary: ``observation``, the float32 features of `GameBatch.names`, seen by the agent,
    who is light there; ``action_mask``, int8, 1 for each legal action, all 0 for the agent that
    waits. Rewards, and actions that are not legal, are those of `OnePlayerEnv`. With a table,
    ``infos`` of the agent that decided has its ``regret``. A deep copy, or what was pickled, goes
    on with the same dice. Before the first `reset` there are no agents yet: asking for them raises
    AttributeError, as in PettingZoo's own environments, and a step InputError.

    Parameters
    ----------
    rules : RuleSet or str
    table, most_throws
        As `GameBatch` takes them.
    render_mode : {"ansi"}, optional
        `render` then returns the position and the throw as text.
    """

    metadata = {"render_modes": ["ansi"], "name": "royal_game_of_ur_v1", "is_parallelizable": False}  # noqa: RUF012 - as in its base class

    def __init__(
        self,
        rules: RuleSet | str = "finkel",
        *,
        table: Values | None = None,
        most_throws: int = MAX_THROWS,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.batch = GameBatch(
            rules,
            1,
            agent="both",
            table=table,
            renews=False,
            most_throws=most_throws,
            threads=1,
        )
        self.render_mode = render_mode
        self.possible_agents = ["player_0", "player_1"]
        n_actions, n_features = len(self.batch.actions), len(self.batch.names)
        self.action_spaces = {agent: Discrete(n_actions) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: Dict(
                {
                    "observation": Box(0, 1, (n_features,), np.float32),
                    "action_mask": Box(0, 1, (n_actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self._rng, _ = seeding.np_random()

    def __getattr__(self, name: str) -> Any:
        if name in _OF_A_GAME:
            raise AttributeError(f"no game has begun, so there is no {name}; call reset first")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def observation_space(self, agent: str) -> Space[Any]:
        """The space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """The space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game; the same seed throws the same dice."""
        if seed is not None:
            self._rng, _ = seeding.np_random(seed)
        self.batch.begin(int(self._rng.integers(1 << 62)))
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._decides

    @property
    def _decides(self) -> str:
        return ("player_0", "player_1")[self.batch.sides[0]]

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent sees; of a game that is over or cut off, its last state."""
        batch = self.batch
        batch.check_begun()
        if agent == self._decides and not batch.ended[0]:
            return {
                "observation": batch.observations[0].copy(),
                "action_mask": batch.masks[0].copy(),
            }
        seen = batch.seen_by(self.possible_agents.index(agent))
        return {"observation": seen, "action_mask": np.zeros_like(batch.masks[0])}

    def step(self, action: int | np.integer[Any] | None) -> None:
        """Take an action of the selected agent, and play on to the next decision.

        InputError before the first `reset`, and once both agents have left.
        """
        self.batch.check_begun()
        if not self.agents:
            raise InputError("the game is over, and both agents have left; call reset first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        batch = self.batch
        batch.step(np.array([action]))
        ended = int(batch.ended[0])
        self._cumulative_rewards[agent] = 0
        light = float(batch.rewards[0])
        self.rewards = dict(zip(self.possible_agents, (light, -light), strict=True))
        if ended:
            is_cut = ended == UNFINISHED
            self.terminations = dict.fromkeys(self.agents, not is_cut)
            self.truncations = dict.fromkeys(self.agents, is_cut)
        self.infos = {each: {} for each in self.agents}
        if batch.regrets is not None:
            self.infos[agent]["regret"] = float(batch.regrets[0])
        self.agent_selection = self._decides
        self._accumulate_rewards()

    def render(self) -> str | None:
        """The position and the throw as text, if they are asked for."""
        return self.batch.text() if self.render_mode == "ansi" else None

    def close(self) -> None:
        """End the threads."""
        self.batch.close()
