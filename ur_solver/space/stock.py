"""The pieces of a side in some place: a count or, if numbered, a set of numbers.

Both are written as one number, so that compiled code can treat them alike: a count as
it is, a set as the sum of its members' powers of two. A part of a stock may be
subtracted from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ur_solver.rules.contents import Pieces, number_of


@dataclass(frozen=True)
class Stock:
    """The pieces of one side.

    Parameters
    ----------
    pieces : int
        N.
    is_numbered : bool
    """

    pieces: int
    is_numbered: bool

    @property
    def size(self) -> int:
        """The number of stocks: 0 to `full`."""
        return self.full + 1

    @property
    def full(self) -> int:
        """All pieces."""
        return (1 << self.pieces) - 1 if self.is_numbered else self.pieces

    def units(self, stock: int) -> tuple[int, ...]:
        """The single pieces in a stock that differ, each as a part of it."""
        if self.is_numbered:
            return tuple(1 << k for k in range(self.pieces) if stock >> k & 1)
        return (1,) * (stock > 0)

    def count(self, stock: int) -> int:
        """The number of pieces in a stock."""
        return stock.bit_count() if self.is_numbered else stock

    def has(self, stock: int, part: int) -> bool:
        """Whether `part` is in `stock`."""
        return stock & part == part if self.is_numbered else part <= stock

    def of(self, pieces: Pieces) -> int:
        """The stock of some pieces of one side."""
        if self.is_numbered:
            return sum(1 << number_of(piece) - 1 for piece in pieces)
        return len(pieces)

    def numbers(self, stock: int) -> tuple[int, ...]:
        """The numbers of the pieces in a stock, ascending; empty if they have none."""
        if not self.is_numbered:
            return ()
        return tuple(k + 1 for k in range(self.pieces) if stock >> k & 1)

    @cached_property
    def take(self) -> npt.NDArray[np.int16]:
        """The stock without a part, -1 if it does not contain it: int16, shape (size, size)."""
        stocks = np.arange(self.size)
        left = stocks[:, np.newaxis] - stocks
        is_subset = (stocks[:, np.newaxis] & stocks) == stocks
        is_part = is_subset if self.is_numbered else left >= 0
        return np.where(is_part, left, -1).astype(np.int16)
