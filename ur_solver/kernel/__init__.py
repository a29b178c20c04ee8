"""The compiled kernels that update values, and the tables they read.

`open_block` lays a block out for the tiled kernel, which serves every rule set of the
race family. The generic kernel (`_generic`) is the second opinion in tests.
"""

from __future__ import annotations

import os
from functools import lru_cache

import numpy as np
import numpy.typing as npt

# Threads that share a block meet at the end of each level. OpenMP would have them spin
# there for milliseconds, which on a busy machine is time taken from the one they wait
# for: measured, a block of 0.1 s then took 3.9 s. Read when its library is loaded.
os.environ.setdefault("GOMP_SPINCOUNT", "1000")


from ur_solver.kernel._tiled import TiledBlock, TiledKernel, Workspace
from ur_solver.kernel.tables import MoveTables, move_tables
from ur_solver.kernel.tiling import Tiling
from ur_solver.space import Block, Space

__all__ = [
    "MoveTables",
    "Workspace",
    "kernel_of",
    "move_tables",
    "open_block",
    "residual_of",
    "workspace_bytes",
]


@lru_cache(maxsize=8)
def kernel_of(space: Space) -> TiledKernel:
    """The tiled kernel of a space, built once and shared."""
    return TiledKernel(Tiling(space), space.ranking)


def open_block(
    space: Space, block: Block, values: npt.NDArray[np.float64], workspace: Workspace
) -> TiledBlock:
    """One block laid out in a workspace, its values all 1/2.

    Parameters
    ----------
    space : Space
    block : Block
    values : float64, shape (n_positions,)
        Final for every block that its moves lead to; they are read here.
    workspace : Workspace
        Must serve no other block until this one is done with.

    Raises
    ------
    MemoryError
        If there is no room for the workspace.
    """
    halves = [(half.mine, half.theirs) for half in block.halves]
    return TiledBlock(kernel_of(space), workspace, halves, values)


def residual_of(
    space: Space, block: Block, values: npt.NDArray[np.float64], threads: int = 1
) -> float:
    """The largest abs(T(V) - V) over a block of the given values.

    Parameters
    ----------
    space : Space
    block : Block
    values : float64, shape (n_positions,)
    threads : int
    """
    work = open_block(space, block, values, Workspace())
    work.load(values)
    return work.residual(threads)


def workspace_bytes(space: Space, block: Block) -> int:
    """At most how many bytes `open_block` and the sweeps take."""
    return Tiling(space).workspace_bytes(block)
