"""What a side may use in its placements: a stock, open squares, and whether a piece may rest.

If a path ends on squares on which it also begins, a piece that has come back closes its square
to entering ones. A *reserve* is the number of a set of closed squares and a stock as one
number. Any part of the stock may be subtracted from it; the set does not change.

Where a piece of the side to throw may rest (`Family.rests`), the reserves of that side let one do
so and come after all others. A content with such a piece uses up `Reserves.rest` besides its part
of the stock.
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
    may_rest : bool
        Whether a piece may rest.
    """

    stock: Stock
    closed: tuple[frozenset[int], ...]
    may_rest: bool

    @classmethod
    def of(cls, stock: Stock, cells: Sequence[int], may_rest: bool = False) -> Reserves:
        """The reserves if each of some cells may be closed."""
        sets = itertools.chain.from_iterable(
            itertools.combinations(cells, n) for n in range(len(cells) + 1)
        )
        return cls(stock, tuple(map(frozenset, sets)), may_rest)

    @property
    def size(self) -> int:
        """The number of reserves."""
        return (1 + self.may_rest) * self.rest

    @property
    def rest(self) -> int:
        """What a piece that rests uses up, besides its part of the stock."""
        return len(self.closed) * self.stock.size

    def own(self, reserve: int) -> int:
        """The reserve in which a piece may rest as well, if one ever may."""
        return reserve + self.may_rest * self.rest

    def count(self, use: int) -> int:
        """The number of pieces in what contents use up."""
        return self.stock.count(use % self.rest)

    def number(self, closed: Iterable[int], stock: int) -> int:
        """The reserve of a stock and some closed cells."""
        return self.closed.index(frozenset(closed)) * self.stock.size + stock

    def closed_of(self, reserve: int) -> frozenset[int]:
        """Its closed cells."""
        return self.closed[reserve % self.rest // self.stock.size]

    def stock_of(self, reserve: int) -> int:
        """Its stock."""
        return reserve % self.stock.size

    @cached_property
    def take(self) -> npt.NDArray[np.int16]:
        """The reserve without what contents use up: int16, shape (reserves, uses).

        -1 if it lacks a piece, or none may rest.
        """
        take = self.stock.take.astype(np.int16)
        first = np.arange(0, self.rest, self.stock.size, dtype=np.int16)[:, np.newaxis, np.newaxis]
        plain = np.where(take >= 0, first + take, -1).reshape(self.rest, self.stock.size)
        if not self.may_rest:
            return plain
        found = np.full((self.size, self.rest + self.stock.size), -1, dtype=np.int16)
        found[: self.rest, : self.stock.size] = found[self.rest :, self.rest :] = plain
        found[self.rest :, : self.stock.size] = np.where(plain >= 0, plain + self.rest, -1)
        return found
