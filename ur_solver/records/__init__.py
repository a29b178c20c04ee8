"""Recorded games in RoyalUr's JSON, in RGN and in the plain notation, checked by the rules."""

from ur_solver.records.notations import (
    NOTATIONS,
    Notation,
    check_output,
    find_files,
    notation_of,
    read_file,
    read_text,
    register_notation,
    write_games,
    written_games,
)
from ur_solver.records.parts import opening_text, opening_words, round_text
from ur_solver.records.plain import read_plain, write_plain
from ur_solver.records.record import Ending, GameRecord, Ply, RecordFault, Replay, last_position
from ur_solver.records.rgn import read_rgn, write_rgn
from ur_solver.records.royalur_json import read_json_game, write_json_game
from ur_solver.records.settings import (
    rules_from_settings,
    rules_text,
    rules_word,
    settings_of,
)
from ur_solver.records.steps import Step, stepper_of

__all__ = [
    "NOTATIONS",
    "Ending",
    "GameRecord",
    "Notation",
    "Ply",
    "RecordFault",
    "Replay",
    "Step",
    "check_output",
    "find_files",
    "last_position",
    "notation_of",
    "opening_text",
    "opening_words",
    "read_file",
    "read_json_game",
    "read_plain",
    "read_rgn",
    "read_text",
    "register_notation",
    "round_text",
    "rules_from_settings",
    "rules_text",
    "rules_word",
    "settings_of",
    "stepper_of",
    "write_games",
    "write_json_game",
    "write_plain",
    "write_rgn",
    "written_games",
]
