"""Train an agent by Stable-Baselines3's PPO with masks against the table, and judge it exactly.

pip install stable-baselines3 sb3-contrib
python scripts/train_agent.py finkel:3 --minutes 9
"""

from __future__ import annotations

import argparse
import time
from typing import Any

from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecEnv

import ur_solver as ur
from ur_solver.envs import AgentPolicy, ManyGamesEnv, policy_regret


class ManyGames(VecEnv):  # type: ignore[misc]
    """Many games as Stable-Baselines3 takes them."""

    def __init__(self, envs: ManyGamesEnv) -> None:
        self.envs = envs
        self._masks: Any = None
        self._actions: Any = None
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)

    def reset(self) -> Any:
        observations, infos = self.envs.reset(seed=1)
        self._masks = infos["action_mask"]
        return observations

    def step_async(self, actions: Any) -> None:
        self._actions = actions

    def step_wait(self) -> Any:
        observations, rewards, over, cut, infos = self.envs.step(self._actions)
        self._masks = infos["action_mask"]
        return observations, rewards, over | cut, [{} for _ in over]

    def env_method(self, name: str, *arguments: Any, **options: Any) -> Any:
        assert name == "action_masks"
        return list(self._masks)

    def get_attr(self, name: str, indices: Any = None) -> Any:
        return [None] * self.num_envs

    def set_attr(self, name: str, value: Any, indices: Any = None) -> None: ...

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> Any:
        return [False] * self.num_envs

    def close(self) -> None:
        self.envs.close()


def main() -> None:
    """Train, and print what is found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("word")
    parser.add_argument("--minutes", type=float, default=9)
    given = parser.parse_args()
    table = ur.solve(given.word)
    agent = MaskablePPO(
        "MlpPolicy",
        ManyGames(ManyGamesEnv(given.word, 256, "table", table=table)),
        n_steps=64,
        batch_size=4096,
        n_epochs=6,
        gamma=1.0,
        learning_rate=1e-3,
        ent_coef=0.005,
        policy_kwargs={"net_arch": [128, 128]},
        seed=1,
    )
    end = time.time() + 60 * given.minutes
    agent.learn(10**9, callback=lambda _locals, _globals: time.time() < end)

    def act(observations: Any, masks: Any) -> Any:
        return agent.predict(observations, action_masks=masks, deterministic=True)[0]

    found = policy_regret(table, AgentPolicy(table.rules, act), threads=1)
    play = found.in_play
    print(f"{agent.num_timesteps:,} decisions, {time.process_time():.0f} s of processors")
    print(f"{100 * found.mean:.2f} points a decision, {100 * found.best:.1f} % best")
    print(
        f"in play {100 * play.mean.value:.2f} points a decision, {100 * play.loss.value:.2f} a game"
    )


if __name__ == "__main__":
    main()
