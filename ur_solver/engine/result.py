"""The result of solving one block."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ur_solver.blocks.block_record import BlockRecord


@dataclass(frozen=True)
class BlockResult:
    """A finished block.

    Attributes
    ----------
    index : int
        Its place in `Space.blocks`.
    values : float64, shape (block size,)
        Win probabilities in [0, 1], with stakes in the units of the space; in rank order.
    residual : float
        The largest abs(T(V) - V) over the block, from a separate pass.
    sweeps : int
        The number of sweeps.
    seconds : float
        The time the block took, from its layout to its residual and its proof.
    error : float or None
        The proven error of the values; None if none was proven.
    """

    index: int
    values: npt.NDArray[np.float64]
    residual: float
    sweeps: int
    seconds: float
    error: float | None = None

    @property
    def record(self) -> BlockRecord:
        """All but the values."""
        return BlockRecord(self.index, self.residual, self.sweeps, self.seconds, self.error)

    @staticmethod
    def of(record: BlockRecord, values: npt.NDArray[np.float64]) -> BlockResult:
        """A record with the values again."""
        return BlockResult(
            index=record.index,
            values=values,
            residual=record.residual,
            sweeps=record.sweeps,
            seconds=record.seconds,
            error=record.error,
        )
