"""The moves of encoded states: one set of tables, and one compiled generator for all rule sets.

A state is a row of numbers, seen by the side to throw: the number of every square's content in
board order (`TileSpace.contents`), my stock at home and theirs (a count, or the sum of the powers
of two of numbered pieces: `ur_solver.space.counting`), in uint16. With stakes the fines paid
follow, and rows are of uint32. Pieces missing from a row are off. `Space.encode` and `Space.decode`
convert positions to rows and back. A row holds no side: the side that throws next is *mine*.
"""

from ur_solver.moves._generator import AGAIN, CAPTURE, OPTIONAL, PASS, ROSETTE, WIN
from ur_solver.moves.generator import MoveGenerator, Rows, TurnBatch, generator_of
from ur_solver.moves.tables import MoveTables, move_tables

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
    "TurnBatch",
    "generator_of",
    "move_tables",
]
