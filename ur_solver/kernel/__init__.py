"""The compiled kernels that update values, behind one interface.

`kernel_of` returns the kernel of a space, a `Kernel`.
"""

from __future__ import annotations

import os

# Threads that share a block meet at a barrier at the end of each sweep. By default OpenMP lets
# them spin there for milliseconds, which on a busy machine delays the thread that they wait for:
# measured, a block of 0.1 s then took 3.9 s. The library reads this when it is loaded.
os.environ.setdefault("GOMP_SPINCOUNT", "1000")

from ur_solver.kernel._workspace import Workspace
from ur_solver.kernel.bounds import bound_cut, check_provable, is_within, prove, prove_values
from ur_solver.kernel.interface import (
    ArrayBlocks,
    BlockWork,
    FinishedBlocks,
    PolicyWork,
    SweptValues,
    Values,
    inputs_of,
)
from ur_solver.kernel.kernels import Kernel, RaceKernel, RowKernel, StakesKernel, kernel_of
from ur_solver.kernel.policy import MOST_POLICY_POSITIONS
from ur_solver.kernel.rounding import (
    DOUBLE,
    MAX_TOLERANCE,
    MIN_TOLERANCE,
    PRECISIONS,
    check_precision,
    default_tolerance,
)

__all__ = [
    "DOUBLE",
    "MAX_TOLERANCE",
    "MIN_TOLERANCE",
    "MOST_POLICY_POSITIONS",
    "PRECISIONS",
    "ArrayBlocks",
    "BlockWork",
    "FinishedBlocks",
    "Kernel",
    "PolicyWork",
    "RaceKernel",
    "RowKernel",
    "StakesKernel",
    "SweptValues",
    "Values",
    "Workspace",
    "bound_cut",
    "check_precision",
    "check_provable",
    "default_tolerance",
    "inputs_of",
    "is_within",
    "kernel_of",
    "prove",
    "prove_values",
]
