"""How values are stored: their types, and the chunks that are read at once."""

from __future__ import annotations

import math
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

SLACK = 1e-12
"""How far beyond its limits a value may be: with dice of thirds, chances sum to 1 + 2e-16."""


class Possible:
    """Which numbers the values of a space can be, in units; by default those of `Space.limits`.

    NaN and infinities are never possible, nor are negative lengths.
    """

    def __init__(self, space: Space, *, are_lengths: bool = False) -> None:
        longest = np.array([np.finfo(np.float64).max])
        least, most = (np.zeros(1), longest) if are_lengths else space.limits
        self.limits = least - SLACK, np.minimum(most + SLACK, longest)
        self.noun = "the length of a game" if are_lengths else space.rules.payoff.noun
        # Read as whole numbers, the bits of floats from 0 up are in the order of the floats; those
        # of negative floats, infinities and NaN are above. So one pass decides nearly always.
        self._bits: dict[np.dtype[Any], tuple[str, Any]] = {}
        if len(least) == 1:
            for kind in (each.dtype for each in VALUE_TYPES.values() if each.scale == 1):
                bits = f"<u{kind.itemsize}"
                highest = np.minimum(self.limits[1], np.finfo(kind).max).astype(kind)
                self._bits[kind] = bits, highest.view(bits)[0]

    def fault(self, stored: npt.NDArray[Any], first: int = 0) -> int | None:
        """The index of the first stored number that no value can have; None if all are possible.

        `stored` begins with value `first` of its block. Whole numbers are all possible.
        """
        if stored.dtype.kind != "f":
            return None
        if stored.dtype in self._bits:
            bits, most = self._bits[stored.dtype]
            if stored.view(bits).max(initial=0) <= most:
                return None
        n, begin = len(stored), first % len(self.limits[0])
        lowest, highest = (np.resize(each, begin + n)[begin:] for each in self.limits)
        with np.errstate(invalid="ignore"):  # NaN may signal
            are_possible = (stored >= lowest) & (stored <= highest)
        return None if are_possible.all() else int(np.argmin(are_possible))


def are_figures(rows: npt.NDArray[Any], most: float = math.inf) -> bool:
    """Whether the figures in records of blocks are possible; residuals and errors up to `most`.

    `rows` have the fields ``residual``, ``sweeps``, ``seconds`` and ``error``; an error that is not
    proven is NaN.
    """
    errors = rows["error"]
    return (
        is_measure(rows["residual"], most)
        and is_measure(errors[~np.isnan(errors)], most)
        and is_measure(rows["seconds"])
        and bool((rows["sweeps"] >= 0).all())
    )


def is_measure(figures: npt.ArrayLike, most: float = math.inf) -> bool:
    """Whether one or more figures are finite, not negative, and at most some number."""
    found = np.asarray(figures, dtype=np.float64)
    with np.errstate(invalid="ignore"):  # NaN may signal
        return bool((np.isfinite(found) & (found >= 0) & (found <= most)).all())


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
