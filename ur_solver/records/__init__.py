"""Recorded games: RoyalUr's JSON notation and RGN, checked against the rules."""

from ur_solver.records.files import find_files, read_games, write_games
from ur_solver.records.record import SIDE_NAMES, Ending, GameRecord, Ply, RecordFault, Replay
from ur_solver.records.rgn import read_rgn, write_rgn
from ur_solver.records.royalur_json import read_json_game, write_json_game
from ur_solver.records.settings import known_rules, rules_from_settings, rules_word, settings_of
from ur_solver.records.steps import Step, Stepper, stepper_of

__all__ = [
    "SIDE_NAMES",
    "Ending",
    "GameRecord",
    "Ply",
    "RecordFault",
    "Replay",
    "Step",
    "Stepper",
    "find_files",
    "known_rules",
    "read_games",
    "read_json_game",
    "read_rgn",
    "rules_from_settings",
    "rules_word",
    "settings_of",
    "stepper_of",
    "write_games",
    "write_json_game",
    "write_rgn",
]
