"""A finished block: its record, in memory and in files, and its values."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

_MAGIC = b"urb\x01"

RECORD = np.dtype(
    [
        ("magic", "S4"),
        ("checksum", "<u4"),  # CRC-32 of all fields that follow
        ("index", "<i8"),
        ("size", "<i8"),  # in values
        ("residual", "<f8"),
        ("sweeps", "<i8"),
        ("seconds", "<f8"),
        ("error", "<f8"),  # not a number unless certified
        ("solve", "<u4"),  # CRC-32 of solve.json
        ("values", "<u4"),  # CRC-32 of the checksums of the chunks
    ]
)
"""The record of a finished block in files; zeros if it is not finished."""

Row = np.void
"""One number of `RECORD`."""


@dataclass(frozen=True)
class BlockRecord:
    """A finished block without its values.

    Attributes
    ----------
    index : int
        Its place in `Space.blocks`.
    residual : float
        The largest abs(T(V) - V) over the block, from a separate pass.
    sweeps : int
        The number of sweeps.
    seconds : float
        The time of the block, from its layout to its residual and its proof.
    error : float or None
        The proven error of the values; None without a proof.
    """

    index: int
    residual: float
    sweeps: int
    seconds: float
    error: float | None = None

    @staticmethod
    def of(row: Any) -> BlockRecord:
        """The record of a row."""
        error = float(row["error"])
        return BlockRecord(
            index=int(row["index"]),
            residual=float(row["residual"]),
            sweeps=int(row["sweeps"]),
            seconds=float(row["seconds"]),
            error=None if math.isnan(error) else error,
        )

    def with_values(self, values: npt.NDArray[np.float64]) -> BlockResult:
        """The record with the values of the block."""
        return BlockResult(**vars(self), values=values)

    def row(self, size: int, solve: int, values: int) -> Row:
        """The record as files hold it.

        Parameters
        ----------
        size : int
            The number of values of the block.
        solve, values : int
            Checksums; see `RECORD`.
        """
        rows = np.zeros(1, RECORD)
        error = math.nan if self.error is None else self.error
        rows[0] = (
            *(_MAGIC, 0, self.index, size, self.residual, self.sweeps, self.seconds, error),
            *(solve, values),
        )
        rows["checksum"] = _checksum(rows)
        row: Row = rows[0]
        return row


@dataclass(frozen=True, kw_only=True)
class BlockResult(BlockRecord):
    """A finished block with its values.

    Attributes
    ----------
    values : float64, shape (block size,)
        Win probabilities in [0, 1], with stakes in the units of the space; in rank order.
    """

    values: npt.NDArray[np.float64]

    @property
    def record(self) -> BlockRecord:
        """All but the values."""
        return BlockRecord(self.index, self.residual, self.sweeps, self.seconds, self.error)


def is_sound(row: Row) -> bool:
    """Whether a row belongs to a finished block and matches its checksum."""
    rows: npt.NDArray[Any] = np.array([row], RECORD)
    return bool(rows["magic"][0] == _MAGIC and rows["checksum"][0] == _checksum(rows))


def _checksum(rows: npt.NDArray[Any]) -> int:
    return zlib.crc32(rows.tobytes()[RECORD.fields["index"][1] :])  # type: ignore[index]
