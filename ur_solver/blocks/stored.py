"""How values are stored: their types, and the chunks that are read at once."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

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
