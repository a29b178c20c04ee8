"""Solving: blocks and their graph, runners, stores and proofs."""

from ur_solver.engine.block import Lease, solve_block
from ur_solver.engine.graph import BlockGraph, critical_paths
from ur_solver.engine.runners import (
    Allowance,
    Assignment,
    Cluster,
    Dispatcher,
    Runner,
    Task,
    ThreadRunner,
)
from ur_solver.engine.solve import bound_levels, certify, goal_of, solve
from ur_solver.engine.store import Backlog, BlockStore, FileStore, MemoryStore, largest_error

__all__ = [
    "Allowance",
    "Assignment",
    "Backlog",
    "BlockGraph",
    "BlockStore",
    "Cluster",
    "Dispatcher",
    "FileStore",
    "Lease",
    "MemoryStore",
    "Runner",
    "Task",
    "ThreadRunner",
    "bound_levels",
    "certify",
    "critical_paths",
    "goal_of",
    "largest_error",
    "solve",
    "solve_block",
]
