"""Audits of recorded games by a table (losses, luck, marks, reports), and reference players."""

from ur_solver.audit.judge import GameAudit, JudgedPly, audit_games
from ur_solver.audit.output import game_json, write_csv
from ur_solver.audit.report import account_text, action_text, html_report, result_text, signed
from ur_solver.audit.selfplay import (
    SampleStatistics,
    losses_per_choice,
    play_games,
    play_many,
    reference_losses,
)
from ur_solver.audit.summary import (
    Mark,
    PlayerSummary,
    Thresholds,
    strength,
    summarise,
    worst_plies,
)

__all__ = [
    "GameAudit",
    "JudgedPly",
    "Mark",
    "PlayerSummary",
    "SampleStatistics",
    "Thresholds",
    "account_text",
    "action_text",
    "audit_games",
    "game_json",
    "html_report",
    "losses_per_choice",
    "play_games",
    "play_many",
    "reference_losses",
    "result_text",
    "signed",
    "strength",
    "summarise",
    "worst_plies",
    "write_csv",
]
