"""Certifying given values, block by block."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ur_solver.engine.lease import Lease
from ur_solver.engine.runners import Runner, run_part
from ur_solver.engine.store import largest_error
from ur_solver.kernel import (
    FinishedBlocks,
    Kernel,
    Values,
    check_provable,
    kernel_of,
    prove_values,
)
from ur_solver.space import Part, PartBlocks, Space, whole_of


@dataclass(frozen=True)
class BlockBound:
    """The proven error of one block.

    Attributes
    ----------
    index : int
        Its number in `Space.blocks`.
    error : float
        The largest possible error of its values.
    """

    index: int
    error: float


@dataclass(frozen=True)
class ProveTask:
    """Proves an error bound for a block: the task that a runner is given.

    Attributes
    ----------
    kernel : Kernel
    blocks : FinishedBlocks
        All values.
    errors : dict
        The proven error of each finished block, by number.
    """

    kernel: Kernel
    blocks: FinishedBlocks
    errors: dict[int, float]

    def __call__(self, index: int, lease: Lease) -> BlockBound:
        """Prove the bound of a block, by its number."""
        values = self.blocks.values_of(index)
        assert values is not None
        _, error = prove_values(
            self.kernel,
            self.kernel.space.blocks[index],
            values,
            self.blocks,
            lease.workspace,
            outside=largest_error(self.errors[k] for k in self.kernel.space.reads(index)),
            threads=lease.threads,
            between=lease.check_stop,
        )
        self.errors[index] = error
        return BlockBound(index, error)


def certify(
    space: Space,
    values: Values,
    *,
    part: Part | None = None,
    runner: Runner | None = None,
    on_block: Callable[[BlockBound], object] = lambda bound: None,
) -> npt.NDArray[np.float64]:
    """Prove an error bound for every block of given values.

    Parameters
    ----------
    space : Space
    values : float64, shape (n_values,)
        From any source; the proof depends on nothing else.
    part : Part, optional
        Whose values they are, block after block; by default all of the space.
    runner : Runner, optional
        As for `solve`.
    on_block : callable
        Called with every block's bound, from this thread.

    Returns
    -------
    float64, shape (blocks,)
        The errors, in the order of the part's blocks.

    Raises
    ------
    CertificateError
        If no bound can be proven for a block, or the dice are not exact in binary.
    """
    check_provable(space.rules)
    part = part or whole_of(space)
    task = ProveTask(kernel_of(space), PartBlocks(part, values), {})
    run_part(part, task, runner, on_block)
    return np.array([task.errors[index] for index in part.indices])
