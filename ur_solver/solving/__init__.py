"""Solving a rule set into a table: a request, the plan made of it, and its run.

A `Request` says what is wanted and is validated once. `plan_of` looks at what is there and what the
machine has, and touches nothing. `run` carries a plan out and reports events as it goes.

Names are imported when they are first asked for: the solver takes a while to load.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ur_solver.solving.events import (
        Begun,
        BlockDone,
        Event,
        Finished,
        FolderMade,
        Resumed,
        RoomShort,
        WorkersChanged,
        counts_for,
    )
    from ur_solver.solving.execution import run
    from ur_solver.solving.plan import Plan, Verdict, path_of, plan_of
    from ur_solver.solving.request import Request

_NAMES = {
    "events": (
        *("Begun", "BlockDone", "Event", "Finished", "FolderMade", "Resumed", "RoomShort"),
        *("WorkersChanged", "counts_for"),
    ),
    "execution": ("run",),
    "plan": ("Plan", "Verdict", "path_of", "plan_of"),
    "request": ("Request",),
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names}
"""The modules that names come from."""

__all__ = [
    "Begun",
    "BlockDone",
    "Event",
    "Finished",
    "FolderMade",
    "Plan",
    "Request",
    "Resumed",
    "RoomShort",
    "Verdict",
    "WorkersChanged",
    "counts_for",
    "path_of",
    "plan_of",
    "run",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
