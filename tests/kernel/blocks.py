"""Blocks laid out with a chosen kernel, and fixed points by two kernels, for comparison."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from tests.solving import block_of, solve
from ur_solver.engine.block import Lease, iterate
from ur_solver.kernel._inputs import Inputs
from ur_solver.kernel._turns import Turns
from ur_solver.kernel._workspace import Workspace
from ur_solver.kernel.interface import ArrayBlocks, BlockWork
from ur_solver.kernel.kernels import Kernel, RaceKernel
from ur_solver.moves import move_tables
from ur_solver.rules import RuleSet
from ur_solver.space import Block, Space, TileSpace, space_of

Values = npt.NDArray[np.float64]

ROUNDING = 3e-15
"""How much the sum over the throws, for values of about 1, may depend on the order of addition."""

SINGLE_ROUNDING = 5e-7
"""The same in single precision, in which 1/2 is subtracted from values."""


NO_ROOM = np.empty(0)
"""For the tiled kernel, which has room of its own."""


class Generic:
    """The generic kernel on the values of a whole space."""

    def __init__(self, space: TileSpace) -> None:
        self.kernel = Turns(space.ranking, move_tables(space))

    def sweep(self, values: Values, first: int, count: int) -> float:
        own = values[first : first + count]
        return self.kernel.sweep(own, Inputs([values], [0]), first, count)

    def residual(self, values: Values, first: int, count: int) -> float:
        return self.kernel.residual(Inputs([values], [0]), first, count)


def generic_kernel(space: TileSpace) -> Generic:
    return Generic(space)


def tiled_kernel(space: TileSpace, instruction_set: str | None = None) -> RaceKernel:
    return RaceKernel(space, instruction_set=instruction_set)


@functools.cache
def solution(rules: RuleSet) -> Values:
    """The values of a rule set's space, at most 1e-13 off, which are solved once in a process."""
    values = solve(space_of(rules), tolerance=1e-13)
    values.flags.writeable = False
    return values


def lay_out(
    kernel: Kernel,
    block: Block,
    values: Values,
    workspace: Workspace | None = None,
    *,
    single: bool = False,
) -> BlockWork:
    """A block laid out by the values of a whole space."""
    blocks = ArrayBlocks(kernel.space, values)
    return kernel.lay_out(block, blocks, workspace or Workspace(), single=single)


def loaded(kernel: Kernel, block: Block, values: Values) -> BlockWork:
    work = lay_out(kernel, block, values)
    work.load(values[ranks_of(block)])
    return work


def ranks_of(block: Block) -> slice:
    return slice(block.offset, block.offset + block.size)


def random_values(n: int, seed: int) -> Values:
    return np.random.default_rng(seed).random(n)


def random_ranks(space: Space, count: int, seed: int) -> list[int]:
    return np.random.default_rng(seed).integers(0, space.n_values, count).tolist()


def tiled_fixed_point(space: TileSpace, kernel: RaceKernel, threads: int = 1) -> Values:
    values = np.empty(space.n_values)
    workspace = Workspace()
    for block in space.blocks:
        work = lay_out(kernel, block, values, workspace, single=True)
        iterate(work, NO_ROOM, 1e-14, Lease(Workspace(), lambda: threads))
        work.store(values[ranks_of(block)])
    return values


def generic_fixed_point(space: TileSpace) -> Values:
    kernel = generic_kernel(space)
    values = np.full(space.n_values, 0.5)
    for block in space.blocks:
        for _ in range(5000):
            if kernel.sweep(values, block.offset, block.size) < 4e-15:
                break
        else:
            raise AssertionError(f"no fixed point of block {block.index}")
    return values


def probes(space: Space, count: int, seed: int) -> Iterator[tuple[Block, Values]]:
    """Values of about 1/2 except for one, whose own update then has the largest residual."""
    values = 0.45 + 0.1 * random_values(space.n_values, seed)
    for rank in random_ranks(space, count, seed):
        before, values[rank] = values[rank], 1.0
        yield block_of(space, rank), values
        values[rank] = before
