"""The code half of the rule sets: one small module a family."""

from ur_solver.rules.families.bell import Bell
from ur_solver.rules.families.ben import Ben
from ur_solver.rules.families.birds import Birds
from ur_solver.rules.families.casual import Casual
from ur_solver.rules.families.family import ENTER, FREE_THROW, HOME, MOVE, STOP, Family, Roll
from ur_solver.rules.families.race import Race
from ur_solver.rules.families.skiriuk import Skiriuk
from ur_solver.rules.registry import register_family

for _family in (Race, Bell, Casual, Birds, Skiriuk, Ben):
    register_family(_family)

__all__ = [
    "ENTER",
    "FREE_THROW",
    "HOME",
    "MOVE",
    "STOP",
    "Bell",
    "Ben",
    "Birds",
    "Casual",
    "Family",
    "Race",
    "Roll",
    "Skiriuk",
]
