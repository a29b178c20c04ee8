"""Audits of recorded games by a table (losses, luck, marks, reports), and reference players."""

from ur_solver.audit.annotate import annotated
from ur_solver.audit.dice_test import dice_test
from ur_solver.audit.game_audit import GameAudit, JudgedPly
from ur_solver.audit.json_csv import game_json, game_values, write_csv
from ur_solver.audit.judge import NOT_REACHED, audit_games, first_covered
from ur_solver.audit.references import REFERENCE_GAMES, References, references_of
from ur_solver.audit.report import (
    ESTIMATES,
    NOTHING,
    account_text,
    action_text,
    html_report,
    mean_text,
    result_text,
    strength_text,
)
from ur_solver.audit.selfplay import (
    SampleStatistics,
    play_many,
)
from ur_solver.audit.summary import (
    Mark,
    PlayerSummary,
    Thresholds,
    summarise,
    worst_plies,
)
from ur_solver.audit.thumbs import with_thumbs

__all__ = [
    "ESTIMATES",
    "NOTHING",
    "NOT_REACHED",
    "REFERENCE_GAMES",
    "GameAudit",
    "JudgedPly",
    "Mark",
    "PlayerSummary",
    "References",
    "SampleStatistics",
    "Thresholds",
    "account_text",
    "action_text",
    "annotated",
    "audit_games",
    "dice_test",
    "first_covered",
    "game_json",
    "game_values",
    "html_report",
    "mean_text",
    "play_many",
    "references_of",
    "result_text",
    "strength_text",
    "summarise",
    "with_thumbs",
    "worst_plies",
    "write_csv",
]
