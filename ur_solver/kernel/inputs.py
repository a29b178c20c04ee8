"""Collecting the values that a block reads, for compiled code."""

from __future__ import annotations

import numpy as np

from ur_solver.errors import MissingBlockError
from ur_solver.kernel._inputs import Inputs
from ur_solver.kernel.interface import FinishedBlocks, Values
from ur_solver.space import Block, Space


class ArrayBlocks:
    """All values of a space in one array, as finished blocks.

    Parameters
    ----------
    space : Space
    values : float64, shape (n_values,)
        By rank.
    """

    def __init__(self, space: Space, values: Values) -> None:
        self._blocks = space.blocks
        self._values = values

    def values_of(self, index: int) -> Values:
        """The values of a block, a view."""
        block = self._blocks[index]
        return self._values[block.offset : block.offset + block.size]


def inputs_of(
    space: Space, block: Block, finished: FinishedBlocks, own: Values | None = None
) -> Inputs:
    """The values that the moves of a block lead to.

    Parameters
    ----------
    space : Space
    block : Block
    finished : FinishedBlocks
    own : float64, shape (block size,), optional
        The block's own values, if they are to be included.

    Raises
    ------
    MissingBlockError
        If `finished` lacks a block.
    """
    numbers = space.reads(block.index)
    arrays, first = [], []
    for number in numbers:
        values = finished.values_of(number)
        if values is None:
            raise MissingBlockError(
                f"block {block.index} of {space.rules.word} reads block {number}, whose values "
                "are not there"
            )
        arrays.append(values)
        first.append(space.blocks[number].offset)
    if own is not None:
        arrays.append(own)
        first.append(block.offset)
    place = np.full((len(block.halves), space.n_configs), -1, dtype=np.int32)
    for k, half in enumerate(block.halves):
        for config in space.next_configs(half.mine):
            place[k, config] = numbers.index(space.block_number(config, half.theirs))
    return Inputs(arrays, first, place)
