"""Bounding the error of the cut of the fines in given values, block by block."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ur_solver.engine.lease import Lease
from ur_solver.engine.runners import Runner, run_part
from ur_solver.kernel import FinishedBlocks, Kernel, Values, bound_cut, kernel_of
from ur_solver.space import Part, PartBlocks, StakesSpace, whole_of


@dataclass(frozen=True)
class BlockLevels:
    """Bounds on the errors of the levels of one block.

    Attributes
    ----------
    index : int
        Its number in `Space.blocks`.
    errors : float64, shape (reach + 1,)
    """

    index: int
    errors: npt.NDArray[np.float64]


@dataclass(frozen=True)
class CutTask:
    """Bounds the levels of a block: the task that a runner is given.

    Attributes
    ----------
    kernel : Kernel
    blocks : FinishedBlocks
        All values.
    errors : mapping
        The proven error of each block by its number, without the cut.
    levels : dict
        The bounds of the levels of each finished block, by its number.
    """

    kernel: Kernel
    blocks: FinishedBlocks
    errors: Mapping[int, float]
    levels: dict[int, npt.NDArray[np.float64]]

    def __call__(self, index: int, lease: Lease) -> BlockLevels:
        """Bound the levels of a block, by its number."""
        values = self.blocks.values_of(index)
        assert values is not None
        self.levels[index] = bound_cut(
            self.kernel,
            self.kernel.space.blocks[index],
            values,
            self.blocks,
            lease.workspace,
            levels=self.levels,
            errors=self.errors,
            threads=lease.threads,
            between=lease.check_stop,
        )
        return BlockLevels(index, self.levels[index])


def bound_levels(
    space: StakesSpace,
    values: Values,
    errors: npt.NDArray[np.float64],
    *,
    part: Part | None = None,
    runner: Runner | None = None,
    on_block: Callable[[BlockLevels], object] = lambda levels: None,
) -> npt.NDArray[np.float64]:
    """Bounds on the errors of given values in the game without the cut, by level.

    Parameters
    ----------
    space : StakesSpace
    values : float64, shape (n_values,)
    errors : float64, shape (blocks,)
        Proven errors of the part's blocks, without the cut (`certify`).
    part : Part, optional
        Whose values they are, block after block; by default all of the space.
    runner : Runner, optional
        As for `solve`.
    on_block : callable
        Called with every block's bounds, from this thread.

    Returns
    -------
    float64, shape (reach + 1,)
        Bounds on the error of all values, by the number of fines paid.

    Raises
    ------
    CertificateError
        If no bound can be proven for a block.
    """
    part = part or whole_of(space)
    proven = dict(zip(part.indices, errors.tolist(), strict=True))
    task = CutTask(kernel_of(space), PartBlocks(part, values), proven, {})
    run_part(part, task, runner, on_block)
    found: npt.NDArray[np.float64] = np.max(list(task.levels.values()), axis=0)
    return found
