"""Solving: the order of blocks, stopping, residuals and checkpoints."""

from ur_solver.solve.checkpoint import Checkpoint
from ur_solver.solve.engine import MIN_TOLERANCE, default_threads, solve
from ur_solver.solve.order import dependencies, peak_together
from ur_solver.solve.result import BlockResult

__all__ = [
    "MIN_TOLERANCE",
    "BlockResult",
    "Checkpoint",
    "default_threads",
    "dependencies",
    "peak_together",
    "solve",
]
