"""The rules: boards, dice, families, rule sets, positions, moves and turns, in readable Python."""

from ur_solver.rules.board import ASEB, DICE, PATHS, UR, Board, Dice, Path, mirror_square
from ur_solver.rules.catalogue import RACES, named_rules
from ur_solver.rules.contents import DARK, LIGHT, opponent
from ur_solver.rules.drawing import SIDE_NAMES
from ur_solver.rules.family import (
    ENTER,
    FAMILIES,
    FREE_THROW,
    HOME,
    MOVE,
    STOP,
    Family,
    register_family,
)
from ur_solver.rules.game import CATALOGUE, Move, Position, RuleSet, digest_of, register_rules
from ur_solver.rules.limits import MAX_PIECES
from ur_solver.rules.payoff import CHANCES, Payoff, Stakes
from ur_solver.rules.squares import SQUARE_RULES, SquareRule, register_square_rule

__all__ = [
    "ASEB",
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
    "named_rules",
    "opponent",
    "register_family",
    "register_rules",
    "register_square_rule",
]
