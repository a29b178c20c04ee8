"""Value types: how values are stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class ValueType:
    """How a value is stored.

    Attributes
    ----------
    name : str
    dtype : numpy dtype
        In the file and in memory.
    rounding : float
        The most that storing changes a probability.
    scale : int
        The stored number of a probability of 1.
    """

    name: str
    dtype: np.dtype[Any]
    rounding: float
    scale: int = 1

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
