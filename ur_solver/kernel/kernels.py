"""The kernels: one for each kind of state space, behind the interface that all share."""

from __future__ import annotations

import sys
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from ur_solver.kernel import _graph, _levels
from ur_solver.kernel._generic import GenericKernel
from ur_solver.kernel._graph import GraphBlock, GraphKernel
from ur_solver.kernel._levels import LevelsBlock, LevelsKernel
from ur_solver.kernel._tiled import TiledBlock, TiledKernel
from ur_solver.kernel._workspace import Workspace
from ur_solver.kernel.inputs import inputs_of
from ur_solver.kernel.interface import FinishedBlocks, Kernel, Values
from ur_solver.kernel.sampling import sample_bytes
from ur_solver.kernel.tables import move_tables
from ur_solver.kernel.tiling import Tiling
from ur_solver.kernel.turn_tables import turn_tables
from ur_solver.rules import HOME, LIGHT
from ur_solver.space import Block, ContentSpace, RaceSpace, Space, StakesSpace

_LIST_BYTES = 10 << 30
"""The most memory for the lists of one block in the graph kernel."""

_LEVELS_WORDS = 12
"""Words of lists by position in the levels kernel: an upper bound of the mean."""


class RaceKernel:
    """The tiled kernel, for the race family; the generic one checks it.

    Parameters
    ----------
    space : RaceSpace
    options
        Of `TiledKernel`.
    """

    most_values = sys.maxsize

    def __init__(self, space: RaceSpace, tiling: Tiling | None = None, **options: Any) -> None:
        self.space = space
        self.tiling = tiling or Tiling(space)
        self.tiled = TiledKernel(self.tiling, space.ranking, **options)

    @cached_property
    def generic(self) -> GenericKernel:
        """The generic kernel of the same space."""
        return GenericKernel(self.space.ranking, move_tables(self.space))

    def lay_out(
        self,
        block: Block,
        finished: FinishedBlocks,
        workspace: Workspace,
        threads: int = 1,
        *,
        single: bool = False,
    ) -> TiledBlock:
        """As `Kernel.lay_out` says."""
        halves = [(half.mine, half.theirs) for half in block.halves]
        inputs = inputs_of(self.space, block, finished)
        return TiledBlock(self.tiled, workspace, halves, inputs, threads, single)

    def block_residual(
        self, block: Block, values: Values, finished: FinishedBlocks, threads: int = 1
    ) -> float:
        """As `Kernel.block_residual` says."""
        work = self.lay_out(block, finished, Workspace(), threads)
        work.load(values)
        return work.residual(threads)

    def residual(
        self,
        block: Block,
        values: Values,
        finished: FinishedBlocks,
        first: int,
        count: int,
        threads: int = 1,
    ) -> float:
        """As `Kernel.residual` says, by the generic kernel."""
        return self.generic.residual(inputs_of(self.space, block, finished, values), first, count)

    def workspace_bytes(self, block: Block, *, certify: bool = False) -> int:
        """As `Kernel.workspace_bytes` says."""
        return self.tiling.workspace_bytes(block, certify)


class ContentKernel:
    """The graph kernel, for every rule set without stakes.

    Parameters
    ----------
    space : ContentSpace
    list_bytes : int
        The most memory for the lists of a block; positions beyond it are unfolded in every sweep.
    """

    most_values = _graph.MOST_POSITIONS

    def __init__(self, space: ContentSpace, list_bytes: int = _LIST_BYTES) -> None:
        self.space = space
        self.list_bytes = list_bytes
        self.graph = GraphKernel(space.ranking, turn_tables(space))

    def lay_out(
        self,
        block: Block,
        finished: FinishedBlocks,
        workspace: Workspace,
        threads: int = 1,
        *,
        single: bool = False,
    ) -> GraphBlock:
        """As `Kernel.lay_out` says; in double precision always."""
        ranks = (block.offset, block.size)
        inputs = inputs_of(self.space, block, finished)
        return GraphBlock(self.graph, ranks, inputs, self.list_bytes, threads)

    def block_residual(
        self, block: Block, values: Values, finished: FinishedBlocks, threads: int = 1
    ) -> float:
        """As `Kernel.block_residual` says; without lists of the whole block."""
        return self.residual(block, values, finished, block.offset, block.size, threads)

    def residual(
        self,
        block: Block,
        values: Values,
        finished: FinishedBlocks,
        first: int,
        count: int,
        threads: int = 1,
    ) -> float:
        """As `Kernel.residual` says."""
        inputs = inputs_of(self.space, block, finished)
        return _graph.residual(self.graph, values, inputs, block.offset, first, count, threads)

    def workspace_bytes(self, block: Block, *, certify: bool = False) -> int:
        """As `Kernel.workspace_bytes` says."""
        # lists of a word a move; the values and, for extrapolation, a copy; the order of pairs
        rules = self.space.rules
        targets = (
            max(len(rules.mechanics.targets(LIGHT, source, throw)) for source in (HOME, 0))
            for throw in rules.dice.throws
        )
        # each throw's are made even
        words = 2 + sum(-(-n * (rules.pieces + 1) // 2) * 2 for n in targets)
        bounds = 16 if certify else 0
        lists = min(self.list_bytes, block.size * 4 * words)
        return lists + (20 + bounds) * block.size + sample_bytes(block.size, block.size)


class StakesKernel:
    """The levels kernel, for games for money.

    Parameters
    ----------
    space : StakesSpace
    """

    most_values = _graph.MOST_POSITIONS

    def __init__(self, space: StakesSpace) -> None:
        self.space = space
        tables = turn_tables(space.positions)
        squares = np.array(space.positions.squares)[tables.landing_cell]
        pays = np.isin(squares, list(space.rules.rosettes)).astype(np.uint8)
        fine = space.stakes.fine / space.unit
        self.levels = LevelsKernel(
            space.positions.ranking, tables, pays, space.reach, fine, space.pots
        )

    def lay_out(
        self,
        block: Block,
        finished: FinishedBlocks,
        workspace: Workspace,
        threads: int = 1,
        *,
        single: bool = False,
    ) -> LevelsBlock:
        """As `Kernel.lay_out` says; in double precision always."""
        n = self.space.values_per_position
        rows = (block.offset // n, block.size // n)
        return LevelsBlock(self.levels, rows, inputs_of(self.space, block, finished), threads)

    def block_residual(
        self, block: Block, values: Values, finished: FinishedBlocks, threads: int = 1
    ) -> float:
        """As `Kernel.block_residual` says; without lists of the whole block."""
        return self.residual(block, values, finished, block.offset, block.size, threads)

    def residual(
        self,
        block: Block,
        values: Values,
        finished: FinishedBlocks,
        first: int,
        count: int,
        threads: int = 1,
    ) -> float:
        """As `Kernel.residual` says."""
        n = self.space.values_per_position
        row, end = first // n, -(-(first + count) // n)
        inputs = inputs_of(self.space, block, finished)
        return _levels.residual(
            self.levels, values, inputs, block.offset // n, row, end - row, threads
        )

    def workspace_bytes(self, block: Block, *, certify: bool = False) -> int:
        """As `Kernel.workspace_bytes` says."""
        # lists of two words a move, and what sorting takes; the values and a copy of them
        lists = block.size // self.space.values_per_position * (4 * _LEVELS_WORDS + 16)
        return lists + 16 * block.size + sample_bytes(block.size, block.size)


_KERNELS: dict[type[Space], Any] = {
    RaceSpace: RaceKernel,
    ContentSpace: ContentKernel,
    StakesSpace: StakesKernel,
}


@lru_cache(maxsize=8)
def kernel_of(space: Space) -> Kernel:
    """The kernel of a space, built once and shared."""
    kernel: Kernel = _KERNELS[type(space)](space)
    return kernel
