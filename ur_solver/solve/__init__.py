"""Solving: the order of blocks, stopping, residuals and checkpoints."""

from ur_solver.solve.result import BlockResult

__all__ = ["BlockResult"]
