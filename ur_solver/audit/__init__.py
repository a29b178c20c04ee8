"""Audits of recorded games by a table (losses, luck, marks, reports), and reference players."""

from ur_solver.answers.decisions import Mark, Thresholds
from ur_solver.audit.audits import GameAudit, JudgedPly, PlayerSummary, summarise, worst_plies
from ur_solver.audit.dice_test import dice_test
from ur_solver.audit.games import (
    REFERENCE_GAMES,
    References,
    SampleStatistics,
    play_many,
    references_of,
)
from ur_solver.audit.judge import NOT_REACHED, audit_games, first_covered, with_thumbs
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
from ur_solver.audit.texts import annotated, game_json, game_values, write_csv

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
