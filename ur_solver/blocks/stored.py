"""Finished blocks as they are stored: types of values, chunks, and the record of a block."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ur_solver.space import Space


@dataclass(frozen=True)
class ValueType:
    """How a value is stored, in files and in memory."""

    name: str
    dtype: np.dtype[Any]
    rounding: float  # the most that storing changes a probability
    scale: int = 1  # the stored number of a probability of 1

    def encode(self, values: npt.NDArray[np.float64]) -> npt.NDArray[Any]:
        """Probabilities as stored numbers; float64 is not copied."""
        if self.scale != 1:
            return np.rint(values * self.scale).astype(self.dtype)
        return np.ascontiguousarray(values, dtype=self.dtype)

    def decode(self, stored: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """Stored numbers as probabilities; float64 is not copied."""
        values = stored.astype(np.float64, copy=False)
        return values if self.scale == 1 else values / self.scale


VALUE_TYPES: dict[str, ValueType] = {
    kind.name: kind
    for kind in (
        ValueType("float64", np.dtype("<f8"), 0.0),
        # half the distance between neighbouring numbers just below 1
        ValueType("float32", np.dtype("<f4"), 2.0**-25),
        ValueType("uint16", np.dtype("<u2"), 0.5 / 65535, 65535),
    )
}
"""The value types, by name."""

# A chunk is a run of a block's values that are read, and have a checksum, together.

CHUNK_LENGTH = 1 << 15
"""Values in a chunk of a large table: 256 KiB of float64.

A cold read of one value reads a chunk, in 0.2 ms. Half the length would halve that time, but double
the index and the checksums that are read on opening. Twice the length would compress no better.
"""


def chunk_length_for(space: Space) -> int:
    """The number of values in a chunk: `CHUNK_LENGTH`, or less if the largest block is smaller."""
    largest = space.largest_size
    return min(CHUNK_LENGTH, 1 << (largest - 1).bit_length())


def chunks_in(size: int, chunk_length: int) -> int:
    """The number of chunks that a block of `size` values takes."""
    return -(-size // chunk_length)


def checksum(stored: npt.NDArray[Any]) -> int:
    """CRC-32 of a chunk's values as they are stored, before compression."""
    return zlib.crc32(stored.view(np.uint8).data)


def checksums(stored: npt.NDArray[Any], chunk_length: int) -> npt.NDArray[np.uint32]:
    """The checksums of the chunks of a block's stored values: uint32, shape (chunks,)."""
    starts = range(0, len(stored), chunk_length)
    return np.array([checksum(stored[at : at + chunk_length]) for at in starts], dtype="<u4")


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
    """What is said of a finished block."""

    index: int  # its place in `Space.blocks`
    residual: float  # the largest abs(T(V) - V) over the block, from a separate pass
    sweeps: int
    seconds: float  # from its layout to its residual and its proof
    error: float | None = None  # of the values, as proven; None without a proof

    @staticmethod
    def of(row: Any) -> BlockRecord:
        """The record of a row of `RECORD`, or of a table's ``/blocks``."""
        error = float(row["error"])
        return BlockRecord(
            index=int(row["index"]),
            residual=float(row["residual"]),
            sweeps=int(row["sweeps"]),
            seconds=float(row["seconds"]),
            error=None if math.isnan(error) else error,
        )

    def row(self, size: int, solve: int, values: int) -> Row:
        """The record as files hold it, with the checksums of `RECORD`; `size` in values."""
        rows = np.zeros(1, RECORD)
        error = math.nan if self.error is None else self.error
        rows[0] = (
            *(_MAGIC, 0, self.index, size, self.residual, self.sweeps, self.seconds, error),
            *(solve, values),
        )
        rows["checksum"] = _checksum(rows)
        row: Row = rows[0]
        return row


class BlockResult(NamedTuple):
    """A finished block with its values: float64, shape (block size,), in rank order.

    They are win probabilities in [0, 1], with stakes in the units of the space.
    """

    record: BlockRecord
    values: npt.NDArray[np.float64]


def is_sound(row: Row) -> bool:
    """Whether a row belongs to a finished block and matches its checksum."""
    rows: npt.NDArray[Any] = np.array([row], RECORD)
    return bool(rows["magic"][0] == _MAGIC and rows["checksum"][0] == _checksum(rows))


def _checksum(rows: npt.NDArray[Any]) -> int:
    return zlib.crc32(rows.tobytes()[RECORD.fields["index"][1] :])  # type: ignore[index]
