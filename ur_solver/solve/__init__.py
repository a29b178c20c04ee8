"""Solving: the order of blocks, stopping, residuals, proofs and checkpoints."""

from ur_solver.solve.certify import BlockBound, certify
from ur_solver.solve.checkpoint import Checkpoint
from ur_solver.solve.engine import MIN_TOLERANCE, solve
from ur_solver.solve.order import peak_together
from ur_solver.solve.result import BlockResult
from ur_solver.solve.walk import default_threads

__all__ = [
    "MIN_TOLERANCE",
    "BlockBound",
    "BlockResult",
    "Checkpoint",
    "certify",
    "default_threads",
    "peak_together",
    "solve",
]
