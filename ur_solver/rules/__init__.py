"""Rule sets: boards, paths, dice, families, the catalogue, and custom rules as JSON."""

from ur_solver.rules.board import ASEB, PATHS, UR, Board, Path, mirror_square
from ur_solver.rules.catalogue import CATALOGUE, RACES, named_rules
from ur_solver.rules.dice import DICE, Dice
from ur_solver.rules.families import ENTER, FAMILIES, FREE_THROW, HOME, MAX_PIECES, MOVE, Family
from ur_solver.rules.ruleset import RuleSet, Stakes, named_dice, named_path

__all__ = [
    "ASEB",
    "CATALOGUE",
    "DICE",
    "ENTER",
    "FAMILIES",
    "FREE_THROW",
    "HOME",
    "MAX_PIECES",
    "MOVE",
    "PATHS",
    "RACES",
    "UR",
    "Board",
    "Dice",
    "Family",
    "Path",
    "RuleSet",
    "Stakes",
    "mirror_square",
    "named_dice",
    "named_path",
    "named_rules",
]
