"""What a kernel offers, and what the values of finished blocks are read through.

`Kernel` serves one state space; `BlockWork` is one block laid out by it. Whoever solves, proves or
verifies knows these two and no kernel by name; `ur_solver.kernel.kernel_of` gives the one that
serves a space.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from ur_solver.kernel._workspace import Workspace
from ur_solver.space import Block, Space

Values = npt.NDArray[np.float64]
"""Values in rank order: chances in [0, 1], with stakes what ranks stand for (`space.stakes`)."""


class FinishedBlocks(Protocol):
    """Where the values of finished blocks are read: memory, files, another machine."""

    def values_of(self, index: int) -> Values | None:
        """The values of a block, float64, shape (block size,), in rank order.

        None where they are not, or no longer, there. They are not written to.
        """


class SweptValues(Protocol):
    """Values that sweeps bring to their fixed point: what an iteration needs of a block."""

    @property
    def noise(self) -> float:
        """Changes up to this are rounding."""

    def refine(self) -> bool:
        """Go on in double precision, if in single so far; whether it was."""

    def sweep(self, threads: int) -> float:
        """Update every value in place; the delta, the largest change."""

    def sample(self) -> Values:
        """Some of the values, always the same ones: a copy."""

    def remember(self) -> None:
        """Keep a copy of the values, for `extrapolate`."""

    def extrapolate(self, factor: float) -> None:
        """Add `factor` times the change since `remember` to every value."""


class BlockWork(SweptValues, Protocol):
    """One block in work: laid out in a workspace, with values of its own.

    Threads that sweep read values which others are writing; either, the old or the new, serves.
    All other methods are for one caller at a time.
    """

    def keep_all(self) -> bool:
        """Look at all moves from now on; whether some may have been left out."""

    def residual(self, threads: int) -> float:
        """The largest abs(T(V) - V) over the block; writes no values."""

    def store(self, values: Values) -> None:
        """Write the values to an array of shape (block size,), in rank order."""

    def load(self, values: Values) -> None:
        """Take the values from an array of shape (block size,), in rank order."""

    # Bounds, where the rules can be proven (`ur_solver.kernel.bounds`).

    def bracket(self, values: Values, shift: float, outside: float) -> None:
        """Lay bounds around given values; the block's own are lost.

        Parameters
        ----------
        values : float64, shape (block size,)
        shift : float
            How far the bounds begin from them.
        outside : float
            How far the values may be off that the block's moves lead to.
        """

    def narrow(self, threads: int) -> None:
        """Sweep both bounds, each operation rounded outwards."""

    def width(self, values: Values) -> tuple[float, int]:
        """How far the bounds are from given values, rounded up, and at which rank."""


class Kernel(Protocol):
    """What updates the values of one state space; thread safe."""

    @property
    def space(self) -> Space:
        """The state space that it serves."""

    @property
    def most_values(self) -> int:
        """The most values that a block may have."""

    def lay_out(
        self,
        block: Block,
        finished: FinishedBlocks,
        workspace: Workspace,
        threads: int = 1,
        *,
        single: bool = False,
    ) -> BlockWork:
        """A block laid out, its values all 1/2, or half of what is at stake.

        Parameters
        ----------
        block : Block
        finished : FinishedBlocks
            Must have the blocks that this one's moves lead to (`Space.reads`); they are read
            here and, by some kernels, until the block is done with.
        workspace : Workspace
            Must serve no other block until this one is done with.
        threads : int
            That the layout may use.
        single : bool
            Sweep in single precision until `BlockWork.refine`, where the kernel can.

        Raises
        ------
        MissingBlockError
            If a block is not there whose values are needed.
        MemoryError
            If there is no room for the workspace.
        """

    def block_residual(
        self, block: Block, values: Values, finished: FinishedBlocks, threads: int = 1
    ) -> float:
        """The largest abs(T(V) - V) over a block of given values.

        Parameters
        ----------
        block : Block
        values : float64, shape (block size,)
            The block's.
        finished : FinishedBlocks
            As for `lay_out`.
        threads : int
        """

    def residual(
        self,
        block: Block,
        values: Values,
        finished: FinishedBlocks,
        first: int,
        count: int,
        threads: int = 1,
    ) -> float:
        """The largest abs(T(V) - V) over `count` ranks of a block, from rank `first` on.

        Computed rank by rank, without a layout, where the kernel has a second way to do it. With
        stakes all ranks of a position are looked at, and outside the race family those of the
        mirror images too.

        Parameters
        ----------
        block, values, finished, threads
            As for `block_residual`.
        first, count : int
        """

    def workspace_bytes(self, block: Block, *, certify: bool = False) -> int:
        """At most how many bytes `lay_out` and the sweeps take, proofs among them or not."""
