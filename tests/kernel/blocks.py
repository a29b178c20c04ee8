"""Kernels side by side: blocks laid out with a chosen one, and fixed points of both."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ur_solver.kernel import Workspace, move_tables
from ur_solver.kernel._generic import GenericKernel
from ur_solver.kernel._tiled import TiledBlock, TiledKernel
from ur_solver.kernel.tiling import Tiling
from ur_solver.solve.iterate import iterate
from ur_solver.space import Block, Space

Values = npt.NDArray[np.float64]

ROUNDING = 3e-15
"""How far two ways of summing up the same throws may differ for values of about 1."""

SINGLE_ROUNDING = 5e-7
"""The same in single precision, of values less 1/2."""


class RowLists(Tiling):
    """A tiling whose rows are always read from lists, never unrolled."""

    lane = None  # type: ignore[assignment]


def generic_kernel(space: Space) -> GenericKernel:
    return GenericKernel(space.ranking, move_tables(space))


def tiled_kernel(space: Space, instruction_set: str | None = None) -> TiledKernel:
    return TiledKernel(Tiling(space), space.ranking, instruction_set)


def lay_out(
    kernel: TiledKernel,
    block: Block,
    values: Values,
    workspace: Workspace | None = None,
    *,
    single: bool = False,
) -> TiledBlock:
    halves = [(half.mine, half.theirs) for half in block.halves]
    return TiledBlock(kernel, workspace or Workspace(), halves, values, single=single)


def loaded(kernel: TiledKernel, block: Block, values: Values) -> TiledBlock:
    work = lay_out(kernel, block, values)
    work.load(values)
    return work


def ranks_of(block: Block) -> slice:
    return slice(block.offset, block.offset + block.size)


def random_values(n: int, seed: int) -> Values:
    return np.random.default_rng(seed).random(n)


def random_ranks(space: Space, count: int, seed: int) -> list[int]:
    return np.random.default_rng(seed).integers(0, space.n_positions, count).tolist()


def block_of(space: Space, rank: int) -> Block:
    firsts = [block.offset for block in space.blocks]
    return space.blocks[int(np.searchsorted(firsts, rank, side="right")) - 1]


def tiled_fixed_point(space: Space, kernel: TiledKernel, threads: int = 1) -> Values:
    values = np.empty(space.n_positions)
    workspace = Workspace()
    for block in space.blocks:
        work = lay_out(kernel, block, values, workspace, single=True)
        iterate(work, 1e-14, threads)
        work.store(values)
    return values


def generic_fixed_point(space: Space) -> Values:
    kernel = generic_kernel(space)
    values = np.full(space.n_positions, 0.5)
    for block in space.blocks:
        for _ in range(5000):
            if kernel.sweep(values, block.offset, block.size) < 4e-15:
                break
        else:
            raise AssertionError(f"no fixed point of block {block.index}")
    return values


def probes(space: Space, count: int, seed: int) -> Iterator[tuple[Block, Values]]:
    """Values of about a half but for one, whose own update then makes the residual."""
    values = 0.45 + 0.1 * random_values(space.n_positions, seed)
    for rank in random_ranks(space, count, seed):
        before, values[rank] = values[rank], 1.0
        yield block_of(space, rank), values
        values[rank] = before
