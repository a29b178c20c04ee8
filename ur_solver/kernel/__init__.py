"""The compiled kernels that update values, and the move tables they read."""

from ur_solver.kernel.tables import MoveTables, move_tables

__all__ = ["MoveTables", "move_tables"]
