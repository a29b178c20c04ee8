"""The rules: boards, dice, families, rule sets, positions, moves and turns, in readable Python."""

from ur_solver.rules.board import ASEB, BOARDS, PATHS, UR, Board, Path, mirror_square
from ur_solver.rules.catalogue import RACES, named_rules
from ur_solver.rules.contents import DARK, LIGHT, opponent
from ur_solver.rules.dice import DICE, Dice
from ur_solver.rules.drawing import SIDE_NAMES
from ur_solver.rules.families import ENTER, FREE_THROW, HOME, MOVE, STOP, Family
from ur_solver.rules.limits import MAX_PIECES
from ur_solver.rules.moves import Move
from ur_solver.rules.naming import digest_of
from ur_solver.rules.payoff import CHANCES, Payoff, Stakes
from ur_solver.rules.position import Position
from ur_solver.rules.registry import (
    CATALOGUE,
    FAMILIES,
    SQUARE_RULES,
    register_family,
    register_rules,
    register_square_rule,
)
from ur_solver.rules.rules_json import named_dice, named_path
from ur_solver.rules.ruleset import RuleSet
from ur_solver.rules.squares import SquareRule

__all__ = [
    "ASEB",
    "BOARDS",
    "CATALOGUE",
    "CHANCES",
    "DARK",
    "DICE",
    "ENTER",
    "FAMILIES",
    "FREE_THROW",
    "HOME",
    "LIGHT",
    "MAX_PIECES",
    "MOVE",
    "PATHS",
    "RACES",
    "SIDE_NAMES",
    "SQUARE_RULES",
    "STOP",
    "UR",
    "Board",
    "Dice",
    "Family",
    "Move",
    "Path",
    "Payoff",
    "Position",
    "RuleSet",
    "SquareRule",
    "Stakes",
    "digest_of",
    "mirror_square",
    "named_dice",
    "named_path",
    "named_rules",
    "opponent",
    "register_family",
    "register_rules",
    "register_square_rule",
]
