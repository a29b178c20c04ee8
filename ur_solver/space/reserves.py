"""The pieces and squares for a side's placements: a stock, and the squares that are open.

If a path ends on squares on which it also begins, a piece that has come back closes its square
to entering ones. A *reserve* is the number of a set of closed squares and a stock as one
number. Any part of the stock may be subtracted from it; the set does not change.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ur_solver.space.stock import Stock


@dataclass(frozen=True)
class Reserves:
    """The reserves of one side.

    Parameters
    ----------
    stock : Stock
    closed : tuple of frozenset of int
        The sets of cells that may be closed, that of none first.
    """

    stock: Stock
    closed: tuple[frozenset[int], ...]

    @classmethod
    def of(cls, stock: Stock, cells: Sequence[int]) -> Reserves:
        """The reserves if each of some cells may be closed."""
        sets = itertools.chain.from_iterable(
            itertools.combinations(cells, n) for n in range(len(cells) + 1)
        )
        return cls(stock, tuple(map(frozenset, sets)))

    @property
    def size(self) -> int:
        """The number of reserves."""
        return len(self.closed) * self.stock.size

    def number(self, closed: Iterable[int], stock: int) -> int:
        """The reserve of a stock and some closed cells."""
        return self.closed.index(frozenset(closed)) * self.stock.size + stock

    def closed_of(self, reserve: int) -> frozenset[int]:
        """Its closed cells."""
        return self.closed[reserve // self.stock.size]

    def stock_of(self, reserve: int) -> int:
        """Its stock."""
        return reserve % self.stock.size

    @cached_property
    def take(self) -> npt.NDArray[np.int16]:
        """The reserve without a part: int16, shape (reserves, stocks), -1 if it lacks a piece."""
        take = self.stock.take.astype(np.int16)
        first = np.arange(0, self.size, self.stock.size, dtype=np.int16)[:, np.newaxis, np.newaxis]
        return np.where(take >= 0, first + take, -1).reshape(self.size, self.stock.size)
