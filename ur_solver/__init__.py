"""Exact solutions of the Royal Game of Ur.

    >>> import ur_solver as ur
    >>> with ur.solve("finkel:3") as table:                 # solved if it is missing
    ...     here = table.rules.position("L...__../..D...../....__.. L 2 2")
    ...     table.best(here, throw=2).move
    Move('A1B2')

The library's interface consists of the names here and the attributes of these objects without an
underscore. All modules of the package are internal and may change. A name is imported on first
use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    __version__: str
    from ur_solver import errors
    from ur_solver.answers.decisions import Mark, Thresholds
    from ur_solver.answers.openings import EvaluatedRound
    from ur_solver.answers.query import Decision, EvaluatedChoice, EvaluatedMove, ThrowValue
    from ur_solver.api.games import Games, read_games, sample, write_games
    from ur_solver.api.lengths import Lengths, MoveLength, solve_lengths
    from ur_solver.api.solving import open_table, rule_set, solve, solve_from
    from ur_solver.api.table import Table
    from ur_solver.audit.audits import GameAudit, JudgedPly, PlayerSummary
    from ur_solver.estimators.estimator import Estimator, open_estimator
    from ur_solver.estimators.evaluator import open_evaluator
    from ur_solver.estimators.training import train
    from ur_solver.records import GameRecord, Ply, RecordFault
    from ur_solver.rules import (
        CATALOGUE,
        DICE,
        PATHS,
        Board,
        Dice,
        Family,
        Move,
        Path,
        Position,
        RuleSet,
        SquareRule,
        Stakes,
        register_family,
        register_rules,
        register_square_rule,
    )
    from ur_solver.space import StateLayout

_NAMES = {
    "answers.decisions": ("Mark", "Thresholds"),
    "answers.openings": ("EvaluatedRound",),
    "answers.query": ("Decision", "EvaluatedChoice", "EvaluatedMove", "ThrowValue"),
    "api.games": ("Games", "read_games", "sample", "write_games"),
    "api.lengths": ("Lengths", "MoveLength", "solve_lengths"),
    "api.solving": ("open_table", "rule_set", "solve", "solve_from"),
    "api.table": ("Table",),
    "audit.audits": ("GameAudit", "JudgedPly", "PlayerSummary"),
    "estimators.evaluator": ("open_evaluator",),
    "estimators.training": ("train",),
    "estimators.estimator": ("Estimator", "open_estimator"),
    "records": ("GameRecord", "Ply", "RecordFault"),
    "rules": (
        *("CATALOGUE", "DICE", "PATHS", "Board", "Dice", "Family", "Move", "Path", "Position"),
        *("RuleSet", "SquareRule", "Stakes"),
        *("register_family", "register_rules", "register_square_rule"),
    ),
    "space": ("StateLayout",),
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names}
"""The modules of the names."""

__all__ = [
    "CATALOGUE",
    "DICE",
    "PATHS",
    "Board",
    "Decision",
    "Dice",
    "Estimator",
    "EvaluatedChoice",
    "EvaluatedMove",
    "EvaluatedRound",
    "Family",
    "GameAudit",
    "GameRecord",
    "Games",
    "JudgedPly",
    "Lengths",
    "Mark",
    "Move",
    "MoveLength",
    "Path",
    "PlayerSummary",
    "Ply",
    "Position",
    "RecordFault",
    "RuleSet",
    "SquareRule",
    "Stakes",
    "StateLayout",
    "Table",
    "Thresholds",
    "ThrowValue",
    "errors",
    "open_estimator",
    "open_evaluator",
    "open_table",
    "read_games",
    "register_family",
    "register_rules",
    "register_square_rule",
    "rule_set",
    "sample",
    "solve",
    "solve_from",
    "solve_lengths",
    "train",
    "write_games",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return importlib.import_module(f"{__name__}.common.machine").program_version()
    if name == "errors":
        return importlib.import_module(f"{__name__}.errors")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
