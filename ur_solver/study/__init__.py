"""Studies of rule sets: policies against each other, and statistics of many games."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ur_solver.players.policies import Policy, policy_of
    from ur_solver.study.estimates import IntervalEstimate
    from ur_solver.study.exact_play import Evaluation, evaluate
    from ur_solver.study.studies import study

_HOMES = {
    "Evaluation": "study.exact_play",
    "IntervalEstimate": "study.estimates",
    "Policy": "players.policies",
    "evaluate": "study.exact_play",
    "policy_of": "players.policies",
    "study": "study.studies",
}
"""The modules of the names, each of which is loaded when a name of it is asked for."""

__all__ = ["Evaluation", "IntervalEstimate", "Policy", "evaluate", "policy_of", "study"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"ur_solver.{_HOMES[name]}"), name)
