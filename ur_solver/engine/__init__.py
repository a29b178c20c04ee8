"""Solving: blocks, the graph of them, runners, stores, proofs and checkpoints."""

from ur_solver.engine.block import OwnLease, solve_block
from ur_solver.engine.certify import BlockBound, certify
from ur_solver.engine.checkpoint import Checkpoint, checkpoint_folder
from ur_solver.engine.graph import BlockGraph
from ur_solver.engine.result import BlockResult
from ur_solver.engine.runners import Runner, ThreadRunner, default_threads
from ur_solver.engine.solve import MIN_TOLERANCE, goal_of, solve
from ur_solver.engine.store import BlockStore, MemoryStore

__all__ = [
    "MIN_TOLERANCE",
    "BlockBound",
    "BlockGraph",
    "BlockResult",
    "BlockStore",
    "Checkpoint",
    "MemoryStore",
    "OwnLease",
    "Runner",
    "ThreadRunner",
    "certify",
    "checkpoint_folder",
    "default_threads",
    "goal_of",
    "solve",
    "solve_block",
]
