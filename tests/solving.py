"""A whole space solved, its values as one array."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from ur_solver import engine
from ur_solver.engine import BlockResult, ThreadRunner
from ur_solver.kernel import Kernel, Values
from ur_solver.space import Space


def solve(
    space: Space,
    *,
    tolerance: float,
    certify: bool = False,
    threads: int | None = None,
    kernel: Kernel | None = None,
    finished: Iterable[BlockResult] = (),
    on_block: Callable[[BlockResult], object] = lambda result: None,
) -> Values:
    """The values of all positions of a space, by rank; finished ones among them."""
    values = np.empty(space.n_values)

    def keep(result: BlockResult) -> BlockResult:
        block = space.blocks[result.index]
        values[block.offset : block.offset + block.size] = result.values
        return result

    engine.solve(
        space,
        tolerance=tolerance,
        certify=certify,
        kernel=kernel,
        runner=ThreadRunner(threads),
        finished=map(keep, finished),
        on_block=lambda result: on_block(keep(result)),
    )
    return values
