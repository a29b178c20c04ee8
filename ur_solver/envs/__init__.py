"""Environments for learning agents, and the exact regret of policies.

`OnePlayerEnv` and `ManyGamesEnv` are Gymnasium's, `TwoPlayerEnv` is PettingZoo's: they need ``pip
install 'ur-solver[envs]'``. `ur_solver.envs.spiel_game` is OpenSpiel's. `GameBatch`, which all but
the last share, needs none of these packages.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ur_solver.envs.game_batch import Actions, AgentPolicy, GameBatch, actions_of
from ur_solver.envs.regret import PlayRegret, SpaceRegret, policy_regret
from ur_solver.errors import InputError, missing_extra

if TYPE_CHECKING:
    from ur_solver.envs.gym_envs import ManyGamesEnv, OnePlayerEnv
    from ur_solver.envs.two_player import TwoPlayerEnv

_HOMES = {
    "ManyGamesEnv": "gym_envs",
    "OnePlayerEnv": "gym_envs",
    "TwoPlayerEnv": "two_player",
}

__all__ = [
    "Actions",
    "AgentPolicy",
    "GameBatch",
    "ManyGamesEnv",
    "OnePlayerEnv",
    "PlayRegret",
    "SpaceRegret",
    "TwoPlayerEnv",
    "actions_of",
    "policy_regret",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = importlib.import_module(f"{__name__}.{_HOMES[name]}")
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in ("gymnasium", "pettingzoo"):
            raise
        need = "environments need Gymnasium and PettingZoo"
        raise InputError(missing_extra(need, "envs", package)) from None
    return getattr(module, name)
