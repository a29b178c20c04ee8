"""What a side's private squares hold, numbered for every stock that they may draw on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ur_solver.space.stock import Stock


@dataclass(frozen=True)
class Placements:
    """The ways to fill private squares.

    A placement's *code* is the sum of each square's content times the square's radix. Of a
    stock, those are numbered that need no piece which it lacks, the fewest pieces first: where
    pieces have no numbers, the numbers of a larger stock begin with those of a smaller one.

    Attributes
    ----------
    radix : int64, shape (squares,)
    n : int64, shape (stocks,)
        How many placements a stock has.
    number_of : int32, shape (stocks, codes)
        -1 where the stock lacks a piece.
    code_of : int32, shape (stocks, most placements)
        The inverse.
    """

    radix: npt.NDArray[np.int64]
    n: npt.NDArray[np.int64]
    number_of: npt.NDArray[np.int32]
    code_of: npt.NDArray[np.int32]

    @classmethod
    def of(cls, stock: Stock, parts: Sequence[npt.NDArray[np.int64]]) -> Placements:
        """The placements on squares, the most advanced first.

        Parameters
        ----------
        stock : Stock
        parts : sequence of int64 arrays, shape (contents,)
            For each square what each content takes of the side's stock.
        """
        radix, codes = [], 1
        for part in reversed(parts):
            radix.append(codes)
            codes *= len(part)
        radix.reverse()
        # what a code needs, -1 if no stock has it
        needs = np.zeros(1, dtype=np.int64)
        for part in parts:
            left = np.where(needs >= 0, stock.full - needs, 0)
            fits = (needs >= 0)[:, np.newaxis] & (stock.take[left][:, part] >= 0)
            needs = np.where(fits, needs[:, np.newaxis] + part, -1).ravel()
        counts = np.array([stock.count(need) if need >= 0 else 0 for need in needs.tolist()])
        # the furthest on first among those with as many pieces
        order = np.lexsort((-np.arange(codes), counts))
        order = order[needs[order] >= 0]
        number_of = np.full((stock.size, codes), -1, dtype=np.int32)
        fitting = [order[stock.take[held][needs[order]] >= 0] for held in range(stock.size)]
        n = np.array([len(each) for each in fitting], dtype=np.int64)
        code_of = np.zeros((stock.size, int(n.max())), dtype=np.int32)
        for held, each in enumerate(fitting):
            number_of[held, each] = np.arange(len(each))
            code_of[held, : len(each)] = each
        return cls(np.array(radix, dtype=np.int64), n, number_of, code_of)
