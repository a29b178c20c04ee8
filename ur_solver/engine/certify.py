"""Proving bounds on the errors of given values, block by block."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ur_solver.engine.block import Lease
from ur_solver.engine.graph import BlockGraph
from ur_solver.engine.runners import Runner, Task, ThreadRunner
from ur_solver.engine.store import largest_error
from ur_solver.kernel import Values, bound_cut, check_provable, kernel_of, prove_values
from ur_solver.space import Part, PartBlocks, Space, StakesSpace, whole_of


def certify(
    space: Space,
    values: Values,
    *,
    part: Part | None = None,
    runner: Runner | None = None,
    on_block: Callable[[int], object] = lambda index: None,
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
        Of this process; as many threads as there are processors by default.
    on_block : callable
        Called with the number of every block that is done, from this thread.

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
    kernel, blocks, errors = kernel_of(space), PartBlocks(part, values), dict[int, float]()

    def prove(index: int, lease: Lease) -> int:
        _, errors[index] = prove_values(
            kernel,
            space.blocks[index],
            blocks.values_of(index),
            blocks,
            lease.workspace,
            outside=largest_error(errors[each] for each in space.reads(index)),
            threads=lease.threads,
            between=lease.check_stop,
        )
        return index

    _run(part, prove, runner, on_block)
    return np.array([errors[index] for index in part.indices])


def bound_levels(
    space: StakesSpace,
    values: Values,
    errors: npt.NDArray[np.float64],
    *,
    part: Part | None = None,
    runner: Runner | None = None,
    on_block: Callable[[int], object] = lambda index: None,
) -> npt.NDArray[np.float64]:
    """Bounds on the errors of given values in the game without the cut of the fines, by level.

    Parameters
    ----------
    space : StakesSpace
    values, part, runner, on_block
        As for `certify`.
    errors : float64, shape (blocks,)
        Proven errors of the part's blocks, without the cut (`certify`).

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
    kernel, blocks = kernel_of(space), PartBlocks(part, values)
    levels: dict[int, npt.NDArray[np.float64]] = {}

    def bound(index: int, lease: Lease) -> int:
        levels[index] = bound_cut(
            kernel,
            space.blocks[index],
            blocks.values_of(index),
            blocks,
            lease.workspace,
            levels=levels,
            errors=proven,
            threads=lease.threads,
            between=lease.check_stop,
        )
        return index

    _run(part, bound, runner, on_block)
    found: npt.NDArray[np.float64] = np.max(list(levels.values()), axis=0)
    return found


def _run(
    part: Part, task: Task[int], runner: Runner | None, on_block: Callable[[int], object]
) -> None:
    """Execute a task that returns its block's number on all blocks of a part."""
    graph = BlockGraph.of(part)

    def finish(index: int) -> None:
        on_block(index)
        graph.finish(index)

    (runner or ThreadRunner()).run(graph, task, finish)
