"""Bounding what the cut of the fines costs, level by level.

A table of a game with stakes keeps a number of levels of fines and takes those beyond by a straight
line. What the last level is worth in the game without that cut lies between two of its values
(`ur_solver.space.stakes`). The levels below are bounded from there: each reads the level above, so
that the cut counts by the chance of reaching it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

import numpy as np
import numpy.typing as npt

from ur_solver.errors import CertificateError
from ur_solver.kernel._level_block import LevelBlock
from ur_solver.kernel._workspace import Workspace
from ur_solver.kernel.interface import FinishedBlocks, Values
from ur_solver.kernel.kernels import Kernel
from ur_solver.space import Block, StakesSpace

_FURTHER = 2.0
"""Bounds begin at this multiple of what they can end at, by the errors that they start from."""

_LEAST = 1e-12
"""And at this at least."""

_SWEEPS, _WORTH_THEM = 4, 0.9
"""Sweeps continue while this many bring some level's bounds to this fraction."""

_SETTLED = 1.02
"""And until the last level is off by the cut times this at most: it takes some sweeps until those
bounds move that are far from the ways out of a block."""

_MOST_SWEEPS = 500

Levels = npt.NDArray[np.float64]


def bound_cut(
    kernel: Kernel,
    block: Block,
    values: Values,
    finished: FinishedBlocks,
    workspace: Workspace,
    *,
    levels: Mapping[int, Levels],
    errors: Mapping[int, float],
    threads: int = 1,
    between: Callable[[], object] = lambda: None,
) -> Levels:
    """How far a block's values can be off in the game whose fines are not cut.

    Parameters
    ----------
    kernel : Kernel
        Of a space with stakes.
    block : Block
    values : float64, shape (block size,)
        The block's.
    finished : FinishedBlocks
        Must have the blocks that its moves lead to.
    workspace : Workspace
        As for `Kernel.lay_out`.
    levels : mapping of int to float64, shape (reach + 1,)
        What was returned for each of these blocks, by its number.
    errors : mapping of int to float
        The proven error of each, and of this block, the cut left out.
    threads, between
        As for `ur_solver.kernel.prove`.

    Returns
    -------
    float64, shape (reach + 1,)
        By level the most that a value of the block can be off.

    Raises
    ------
    CertificateError
        If nothing can be shown.
    """
    space = cast(StakesSpace, kernel.space)
    work = cast(LevelBlock, kernel.lay_out(block, finished, workspace, threads))
    reads = space.reads(block.index)
    levels_outside = np.max([np.zeros(space.reach + 1), *(levels[k] for k in reads)], axis=0)
    outside = max((errors[k] for k in reads), default=0.0)
    work.carry_cut(levels_outside, outside)
    cut = space.cut_error(values)[0]
    shift = _FURTHER * (float(levels_outside.max()) + cut + outside) + _LEAST
    work.bracket(values, shift)
    before = np.full(space.reach + 1, shift)
    for sweep in range(1, _MOST_SWEEPS + 1):
        between()
        work.narrow(threads)
        if sweep % _SWEEPS:
            continue
        widths = work.cut_widths(values)
        is_settled = widths[-1] <= _SETTLED * cut + 2 * errors[block.index]
        if is_settled and (widths > _WORTH_THEM * before).all():
            if work.width(values)[0] < shift:
                return widths
            break
        before = widths
    raise CertificateError(
        f"no bound can be proven for the cut of the fines in block {block.index}, which begins "
        f"with {space.unrank(block.offset).notation!r}"
    )
