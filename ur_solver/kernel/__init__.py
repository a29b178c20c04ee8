"""The compiled kernels that update values, and the tables they read.

`open_block` lays a block out for the kernel that serves its space: the tiled kernel for the
race family, the levels kernel where there are stakes, the graph kernel for all others. The
generic kernel (`_generic`) is the race family's second opinion in tests.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

# Threads that share a block meet at the end of each sweep. OpenMP would have them spin
# there for milliseconds, which on a busy machine is time taken from the one they wait
# for: measured, a block of 0.1 s then took 3.9 s. Read when its library is loaded.
os.environ.setdefault("GOMP_SPINCOUNT", "1000")


from ur_solver.kernel import _graph, _levels
from ur_solver.kernel._generic import GenericKernel
from ur_solver.kernel._graph import GraphBlock, GraphKernel
from ur_solver.kernel._levels import LevelsBlock, LevelsKernel
from ur_solver.kernel._tiled import TiledBlock, TiledKernel
from ur_solver.kernel._workspace import Workspace
from ur_solver.kernel.bounds import check_provable, prove
from ur_solver.kernel.sampling import sample_bytes
from ur_solver.kernel.tables import MoveTables, move_tables
from ur_solver.kernel.tiling import Tiling
from ur_solver.kernel.turn_tables import turn_tables
from ur_solver.rules import HOME
from ur_solver.rules.contents import LIGHT
from ur_solver.space import Block, ContentSpace, RaceSpace, Space, StakesSpace

__all__ = [
    "KernelBlock",
    "LevelsBlock",
    "MoveTables",
    "Workspace",
    "check_provable",
    "kernel_of",
    "most_positions",
    "move_tables",
    "open_block",
    "prove",
    "prove_again",
    "residual_between",
    "residual_of",
    "workspace_bytes",
]


KernelBlock: TypeAlias = TiledBlock | GraphBlock | LevelsBlock
"""A block laid out for one of the kernels."""

_LIST_BYTES = 10 << 30
"""What the lists of one block may take in the graph kernel."""

_LEVELS_WORDS = 12
"""By position in the levels kernel, at most on average."""


@lru_cache(maxsize=8)
def tiling_of(space: RaceSpace) -> Tiling:
    """How a space is cut into tiles, built once and shared."""
    return Tiling(space)


@lru_cache(maxsize=8)
def kernel_of(space: RaceSpace) -> TiledKernel:
    """The tiled kernel of a space, built once and shared."""
    return TiledKernel(tiling_of(space), space.ranking)


@lru_cache(maxsize=8)
def graph_kernel_of(space: ContentSpace) -> GraphKernel:
    """The graph kernel of a space, built once and shared."""
    return GraphKernel(space.ranking, turn_tables(space))


@lru_cache(maxsize=8)
def levels_kernel_of(space: StakesSpace) -> LevelsKernel:
    """The levels kernel of a space, built once and shared."""
    tables = turn_tables(space.positions)
    squares = np.array(space.positions.squares)[tables.landing_cell]
    pays = np.isin(squares, list(space.rules.rosettes)).astype(np.uint8)
    fine = space.stakes.fine / space.unit
    return LevelsKernel(space.positions.ranking, tables, pays, space.reach, fine, space.pots)


def open_block(
    space: Space,
    block: Block,
    values: npt.NDArray[np.float64],
    workspace: Workspace,
    threads: int = 1,
) -> KernelBlock:
    """One block laid out in a workspace, its values all 1/2, or half of what is at stake.

    Parameters
    ----------
    space : Space
    block : Block
    values : float64, shape (n_positions,)
        Final for every block that its moves lead to; they are read here.
    workspace : Workspace
        Must serve no other block until this one is done with.
    threads : int
        That the layout may use.

    Raises
    ------
    MemoryError
        If there is no room for the workspace.
    """
    if isinstance(space, ContentSpace):
        values[block.offset : block.offset + block.size] = 0.5
    return _lay_out(space, block, values, workspace, threads, single=True)


def _lay_out(
    space: Space,
    block: Block,
    values: npt.NDArray[np.float64],
    workspace: Workspace,
    threads: int,
    single: bool = False,
) -> KernelBlock:
    if isinstance(space, RaceSpace):
        halves = [(half.mine, half.theirs) for half in block.halves]
        return TiledBlock(kernel_of(space), workspace, halves, values, threads, single)
    if isinstance(space, StakesSpace):
        rows = (block.offset // space.lanes, block.size // space.lanes)
        return LevelsBlock(levels_kernel_of(space), rows, values, threads)
    assert isinstance(space, ContentSpace)
    ranks = (block.offset, block.size)
    return GraphBlock(graph_kernel_of(space), ranks, values, _LIST_BYTES, threads)


def prove_again(
    space: Space,
    block: Block,
    values: npt.NDArray[np.float64],
    workspace: Workspace,
    *,
    outside: float,
    claimed: float | None = None,
    threads: int = 1,
    between: Callable[[], object] = lambda: None,
) -> tuple[float, float]:
    """The residual of a block of given values, and how far they are proven to be off.

    Parameters
    ----------
    space, block, values, outside, claimed, threads, between
        As for `prove`; nothing is written to `values`.
    workspace : Workspace
        As for `open_block`.

    Raises
    ------
    CertificateError
        As `prove` does.
    """
    work = _lay_out(space, block, values, workspace, threads)
    assert not isinstance(work, LevelsBlock)  # stakes are refused (`check_provable`)
    work.load(values)
    residual = work.residual(threads)
    error = prove(
        work,
        space,
        block,
        values,
        residual=residual,
        outside=outside,
        claimed=claimed,
        threads=threads,
        between=between,
    )
    return residual, error


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
    if isinstance(space, RaceSpace):
        work = _lay_out(space, block, values, Workspace(), threads)
        work.load(values)
        return work.residual(threads)
    return residual_between(space, values, block, block.offset, block.size, threads)


def residual_between(
    space: Space,
    values: npt.NDArray[np.float64],
    block: Block,
    first: int,
    count: int,
    threads: int = 1,
) -> float:
    """The largest abs(T(V) - V) over `count` ranks of a block, from `first` on, one by one.

    Outside the race family that of their mirror images is looked at too, and with stakes
    all ranks of a position.
    """
    if isinstance(space, RaceSpace):
        kernel = GenericKernel(space.ranking, move_tables(space))
        return kernel.residual(values, first, count)
    if isinstance(space, StakesSpace):
        row, end = first // space.lanes, -(-(first + count) // space.lanes)
        return _levels.residual(levels_kernel_of(space), values, row, end - row, threads)
    assert isinstance(space, ContentSpace)
    ranks = (block.offset, block.size)
    return _graph.residual(graph_kernel_of(space), values, ranks, first, count, threads)


def most_positions(space: Space) -> int:
    """How many positions a block may have for the kernel that serves its space."""
    return sys.maxsize if isinstance(space, RaceSpace) else _graph.MOST_POSITIONS


def workspace_bytes(space: Space, block: Block, certify: bool = False) -> int:
    """At most how many bytes `open_block` and the sweeps take, proofs among them or not."""
    if isinstance(space, RaceSpace):
        return tiling_of(space).workspace_bytes(block, certify)
    if isinstance(space, StakesSpace):
        # lists of two words a move, and what sorting takes; for extrapolation a copy
        lists = block.size // space.lanes * (4 * _LEVELS_WORDS + 16)
        return lists + 8 * block.size + sample_bytes(block.size, block.size)
    # lists of a word a move; for extrapolation a copy of the values; the order of the pairs
    rules = space.rules
    targets = (
        max(len(rules.play.targets(LIGHT, source, throw)) for source in (HOME, 0))
        for throw in rules.dice.throws
    )
    # each throw's are made even
    words = 2 + sum(-(-n * (rules.pieces + 1) // 2) * 2 for n in targets)
    bounds = 16 if certify else 0
    lists = min(_LIST_BYTES, block.size * 4 * words)
    return lists + (12 + bounds) * block.size + sample_bytes(block.size, block.size)
