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

if TYPE_CHECKING:  # mypy takes what is imported as itself for the names of the library
    __version__: str
    from ur_solver import errors as errors
    from ur_solver.answers.decisions import Mark as Mark
    from ur_solver.answers.decisions import Thresholds as Thresholds
    from ur_solver.answers.openings import EvaluatedRound as EvaluatedRound
    from ur_solver.answers.query import Decision as Decision
    from ur_solver.answers.query import EvaluatedChoice as EvaluatedChoice
    from ur_solver.answers.query import EvaluatedMove as EvaluatedMove
    from ur_solver.answers.query import ThrowValue as ThrowValue
    from ur_solver.api.games import Games as Games
    from ur_solver.api.games import ply_columns as ply_columns
    from ur_solver.api.games import read_games as read_games
    from ur_solver.api.games import sample as sample
    from ur_solver.api.games import write_games as write_games
    from ur_solver.api.lengths import Lengths as Lengths
    from ur_solver.api.lengths import MoveLength as MoveLength
    from ur_solver.api.lengths import solve_lengths as solve_lengths
    from ur_solver.api.solving import open_table as open_table
    from ur_solver.api.solving import rule_set as rule_set
    from ur_solver.api.solving import solve as solve
    from ur_solver.api.solving import solve_from as solve_from
    from ur_solver.api.table import Table as Table
    from ur_solver.audit.audits import GameAudit as GameAudit
    from ur_solver.audit.audits import JudgedPly as JudgedPly
    from ur_solver.audit.audits import PlayerSummary as PlayerSummary
    from ur_solver.estimators.against_table import TableComparison as TableComparison
    from ur_solver.estimators.deepening import SureDecision as SureDecision
    from ur_solver.estimators.estimator import Estimator as Estimator
    from ur_solver.estimators.estimator import open_estimator as open_estimator
    from ur_solver.estimators.evaluator import open_evaluator as open_evaluator
    from ur_solver.estimators.training import train as train
    from ur_solver.records import GameRecord as GameRecord
    from ur_solver.records import Ply as Ply
    from ur_solver.records import RecordFault as RecordFault
    from ur_solver.rules import CATALOGUE as CATALOGUE
    from ur_solver.rules import DICE as DICE
    from ur_solver.rules import PATHS as PATHS
    from ur_solver.rules import Board as Board
    from ur_solver.rules import Dice as Dice
    from ur_solver.rules import Family as Family
    from ur_solver.rules import Move as Move
    from ur_solver.rules import Path as Path
    from ur_solver.rules import Position as Position
    from ur_solver.rules import RuleSet as RuleSet
    from ur_solver.rules import SquareRule as SquareRule
    from ur_solver.rules import Stakes as Stakes
    from ur_solver.rules import register_family as register_family
    from ur_solver.rules import register_rules as register_rules
    from ur_solver.rules import register_square_rule as register_square_rule
    from ur_solver.space import StateLayout as StateLayout

_NAMES = {
    "answers.decisions": ("Mark", "Thresholds"),
    "answers.openings": ("EvaluatedRound",),
    "answers.query": ("Decision", "EvaluatedChoice", "EvaluatedMove", "ThrowValue"),
    "api.games": ("Games", "ply_columns", "read_games", "sample", "write_games"),
    "api.lengths": ("Lengths", "MoveLength", "solve_lengths"),
    "api.solving": ("open_table", "rule_set", "solve", "solve_from"),
    "api.table": ("Table",),
    "audit.audits": ("GameAudit", "JudgedPly", "PlayerSummary"),
    "estimators.against_table": ("TableComparison",),
    "estimators.deepening": ("SureDecision",),
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
if not TYPE_CHECKING:
    __all__ = ["errors", *_HOMES]  # noqa: PLE0604 - they are strings


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
    return sorted({*globals(), *_HOMES, "errors"})
