"""Rule sets: boards, paths, dice, the catalogue, and custom rules as JSON."""

from ur_solver.rules.board import ASEB, PATHS, UR, Board, Path, mirror_square
from ur_solver.rules.catalogue import CATALOGUE, named_rules
from ur_solver.rules.dice import DICE, Dice
from ur_solver.rules.ruleset import MAX_PIECES, RuleSet, named_dice, named_path

__all__ = [
    "ASEB",
    "CATALOGUE",
    "DICE",
    "MAX_PIECES",
    "PATHS",
    "UR",
    "Board",
    "Dice",
    "Path",
    "RuleSet",
    "mirror_square",
    "named_dice",
    "named_path",
    "named_rules",
]
