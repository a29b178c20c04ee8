"""The interfaces of a kernel and of the values of finished blocks.

A `Kernel` belongs to one state space; `BlockWork` is one block laid out by it. The code that
solves, proves or verifies uses these two and no kernel by name; `ur_solver.kernel.kernel_of`
returns the kernel of a space.
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
    """A source of the values of finished blocks: memory, files or another machine."""

    def values_of(self, index: int) -> Values | None:
        """The values of a block, float64, shape (block size,), in rank order.

        None if they are not available (any more). The array must not be written to.
        """


class SweptValues(Protocol):
    """The part of a block in work that the iteration uses."""

    @property
    def noise(self) -> float:
        """The largest change that may be due to rounding."""

    def refine(self) -> bool:
        """Switch from arithmetic with float32 to float64; return whether it did."""

    def sweep(self, threads: int) -> float:
        """Update every value in place; return the delta, the largest change."""

    def sample(self) -> Values:
        """A copy of a fixed subset of the values."""

    def remember(self, room: Values) -> None:
        """Keep a copy of the values, for `extrapolate`.

        Parameters
        ----------
        room : float64, shape (block size,)
            May be overwritten, then and until the next `remember`; a kernel may do without it.
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
    """One block in work: laid out in a workspace, with values of its own.

    Threads of a sweep may read a value while another thread writes it; the old and the new value
    are both valid. All other methods are for one caller at a time.
    """

    @property
    def has_policies(self) -> bool:
        """Whether sweeps under a policy are offered, and cost less than others."""

    def follow(self, room: Values, threads: int) -> FollowedValues:
        """The values under the best policy by them; the block's own are lost until that is closed.

        Parameters
        ----------
        room : float64, shape (block size,)
            Overwritten by the first call. Part of the policy is kept in it: the same array is to be
            passed every time, as it was left.
        threads : int

        Raises
        ------
        SolveError
            If the block has no policies.
        """

    def keep_all(self) -> bool:
        """Use all moves from now on; return whether some may have been left out."""

    def residual(self, threads: int) -> float:
        """The largest abs(T(V) - V) over the block; writes no values."""

    def store(self, values: Values) -> None:
        """Write the values to an array of shape (block size,), in rank order."""

    def load(self, values: Values) -> None:
        """Take the values from an array of shape (block size,), in rank order."""

    # Bounds, where the rules can be proven (`ur_solver.kernel.bounds`).

    @property
    def coarseness(self) -> float:
        """How many times as much room bounds need for rounding as those of float64."""

    @property
    def read_rounding(self) -> float:
        """What reading a value of another block may change it by."""

    def carry(self, outside: float) -> bool:
        """Let bounds include what the values that moves lead to may be off, if they have to.

        Parameters
        ----------
        outside : float
            The most that those values may be off.

        Returns
        -------
        bool
            False where they need not, as the two errors add up: bounds take these values as
            exact.
        """

    def bracket(self, values: Values, shift: float) -> None:
        """Set bounds around given values; the block's own values are lost.

        Parameters
        ----------
        values : float64, shape (block size,)
        shift : float
            The initial distance of the bounds from them.
        """

    def narrow(self, threads: int) -> None:
        """Sweep both bounds, each operation rounded outwards."""

    def width(self, values: Values) -> tuple[float, int]:
        """The largest distance of the bounds from given values, rounded up, and its rank."""


class Kernel(Protocol):
    """Updates the values of one state space; thread safe."""

    @property
    def space(self) -> Space:
        """The state space."""

    @property
    def precision(self) -> str:
        """What values are solved in: ``"double"``, or ``"single"`` (`check_precision`)."""

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
            Must have the blocks that this one's moves lead to (`Space.reads`). They are read
            here and, by some kernels, until the block is finished.
        workspace : Workspace
            Must not be used for another block before this one is finished.
        threads : int
            The number that the layout may use.
        single : bool
            Begin in single precision, until `BlockWork.refine`, where the kernel can.

        Raises
        ------
        MissingBlockError
            If a block that is needed is not available.
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

        Computed rank by rank, without a layout. With stakes all ranks of a position are looked at.

        Parameters
        ----------
        block, values, finished, threads
            As for `block_residual`.
        first, count : int
        """

    def endless_rank(self, block: Block, threads: int = 1) -> int | None:
        """A rank from which both sides together can stay in a block for ever; None without one.

        None too where the kernel serves only rules of which it is known that play ends.
        """

    def iterate_policies(self, block: Block, values: Values, finished: FinishedBlocks) -> Values:
        """The values of a block by policy iteration, where sweeps hardly contract.

        Parameters
        ----------
        block : Block
        values : float64, shape (block size,)
            Near the solution.
        finished : FinishedBlocks
            As for `lay_out`.

        Raises
        ------
        SolveError
            If the kernel or the machine cannot do that for this block.
        """

    def workspace_bytes(self, block: Block, *, certify: bool = False) -> int:
        """An upper bound of the bytes that `lay_out`, the sweeps and, if asked, proofs take.

        With dice that are not ordinary proofs are always counted: solves need them.
        """
