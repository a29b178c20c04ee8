"""The interfaces of a block being solved and of the values of finished blocks.

`BlockWork` is one block laid out by a `Kernel` (`ur_solver.kernel.kernels`). The code that solves,
proves or verifies uses these two and no kernel by name. `inputs_of` collects the values that a
block reads, for compiled code.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from ur_solver.errors import MissingBlockError
from ur_solver.kernel._inputs import Inputs
from ur_solver.space import Block, Space

Values = npt.NDArray[np.float64]
"""Values in rank order: chances in [0, 1], with stakes what ranks stand for (`space.stakes`)."""


class FinishedBlocks(Protocol):
    """A source of the values of finished blocks: memory, files or another machine."""

    def values_of(self, index: int) -> Values | None:
        """The values of a block, float64, shape (block size,), in rank order.

        None if they are not available (any more). The array must not be written to.
        """


class SweptValues(Protocol):
    """The part of a block being solved that the iteration uses."""

    @property
    def noise(self) -> float:
        """The largest change that may be due to rounding."""

    def refine(self) -> bool:
        """Go on by more careful sweeps, as in float64; return whether there are any."""

    def sweep(self, threads: int) -> float:
        """Update every value in place; return the delta, the largest change."""

    def sample(self) -> Values:
        """A copy of a fixed subset of the values."""

    def remember(self, room: Values) -> None:
        """Keep a copy of the values, for `extrapolate`.

        `room`, shape (block size,), may be overwritten, then and until the next `remember`; a
        kernel may do without it.
        """

    def extrapolate(self, factor: float) -> None:
        """Add `factor` times the change since `remember` to every value."""


class FollowedValues(SweptValues, Protocol):
    """The values of a block under a policy: the move that is made after each throw.

    The policy is the one that was best by the block's values before.
    """

    @property
    def n_changed(self) -> int:
        """The number of positions whose moves differ from those of the last policy."""

    def close(self) -> None:
        """Give these values to the block, as they are by now."""


class BlockWork(SweptValues, Protocol):
    """One block being solved: laid out in a workspace, with values of its own.

    Threads of a sweep may read a value while another thread writes it; the old and the new value
    are both valid. All other methods are for one caller at a time.
    """

    @property
    def is_single(self) -> bool:
        """Whether values are of float32 to the end."""

    @property
    def has_policies(self) -> bool:
        """Whether this is `PolicyWork`, and sweeps under a policy cost less than others."""

    def keep_all(self) -> bool:
        """Use all moves from now on; return whether some may have been left out."""

    def residual(self, threads: int) -> float:
        """The largest abs(T(V) - V) over the block; writes no values."""

    def store(self, values: Values) -> None:
        """Write the values to an array of shape (block size,), in rank order."""

    def load(self, values: Values) -> None:
        """Take the values from an array of shape (block size,), in rank order."""

    # Bounds, where the rules can be proven (`ur_solver.kernel.bounds`).

    def carry(self, outside: float) -> bool:
        """Let bounds include the most that the values that moves lead to may be off, if they have
        to.

        False where they need not, as the two errors add up: bounds take these values as exact.
        """

    def bracket(self, values: Values, shift: float) -> None:
        """Set bounds at a distance around given values, shape (block size,); the block's own are
        lost.
        """

    def narrow(self, threads: int) -> None:
        """Sweep both bounds, each operation rounded outwards."""

    def width(self, values: Values) -> tuple[float, int]:
        """The largest distance of the bounds from given values, rounded up, and its rank."""


class PolicyWork(BlockWork, Protocol):
    """A block being solved that can be swept under a policy."""

    def follow(self, room: Values, threads: int) -> FollowedValues:
        """The values under the best policy by them; the block's own are lost until that is closed.

        `room`, shape (block size,), is overwritten by the first call. Part of the policy is kept in
        it: the same array is to be passed every time, as it was left. SolveError if the block has
        no policies.
        """


class ArrayBlocks:
    """All values of a space in one array, by rank, as finished blocks."""

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
    """The values that the moves of a block lead to, its `own` included if they are given.

    MissingBlockError if `finished` lacks a block.
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
