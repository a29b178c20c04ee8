"""The moves of encoded states: one set of tables, and one compiled generator for all rule sets."""

from ur_solver.moves._generator import AGAIN, CAPTURE, OPTIONAL, PASS, ROSETTE, WIN
from ur_solver.moves.generator import MoveGenerator, generator_of
from ur_solver.moves.tables import MoveTables, move_tables
from ur_solver.moves.turns import Rows, Turns

__all__ = [
    "AGAIN",
    "CAPTURE",
    "OPTIONAL",
    "PASS",
    "ROSETTE",
    "WIN",
    "MoveGenerator",
    "MoveTables",
    "Rows",
    "Turns",
    "generator_of",
    "move_tables",
]
