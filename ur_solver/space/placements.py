"""The placements on a side's private squares, numbered for every reserve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ur_solver.space.reserves import Reserves

NO_PART = -1
"""The part of contents that a private square cannot have."""


@dataclass(frozen=True, eq=False)  # == of arrays is no bool
class Placements:
    """The ways to fill private squares.

    A placement's *code* is the sum of each square's content times the square's radix. Of a
    reserve, those are numbered that need no piece which it lacks and no square that is closed, the
    fewest pieces first: where pieces have no numbers, the numbers of a larger stock begin with
    those of a smaller one.

    Attributes
    ----------
    radix : int64, shape (squares,)
    n : int64, shape (reserves,)
        The number of placements of a reserve.
    number_of : int32, shape (reserves, codes)
        -1 where the reserve lacks a piece or a square is closed.
    code_of : int32, shape (reserves, most placements)
        The inverse.
    """

    radix: npt.NDArray[np.int64]
    n: npt.NDArray[np.int64]
    number_of: npt.NDArray[np.int32]
    code_of: npt.NDArray[np.int32]

    @classmethod
    def of(
        cls, reserves: Reserves, cells: Sequence[int], parts: Sequence[npt.NDArray[np.int64]]
    ) -> Placements:
        """The placements on squares, the most advanced first.

        Parameters
        ----------
        reserves : Reserves
        cells : sequence of int
            The squares.
        parts : sequence of int64 arrays, shape (contents,)
            For each square what each content uses up of the side's reserve, `NO_PART` for one that
            it cannot have.
        """
        full = reserves.own(reserves.stock.full)
        radix, codes = [], 1
        for part in reversed(parts):
            radix.append(codes)
            codes *= len(part)
        radix.reverse()
        # what a code needs, -1 if no stock has it; which squares it holds, by bit
        needs, held = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
        for bit, part in enumerate(parts):
            left = np.where(needs >= 0, full - needs, 0)
            fits = (needs >= 0)[:, np.newaxis] & (part >= 0)
            fits &= reserves.take[left][:, np.maximum(part, 0)] >= 0
            needs = np.where(fits, needs[:, np.newaxis] + part, -1).ravel()
            held = (held[:, np.newaxis] | (part != 0).astype(np.int64) << bit).ravel()
        counts = np.array([reserves.count(need) if need >= 0 else 0 for need in needs.tolist()])
        # the furthest on first among those with as many pieces
        order = np.lexsort((-np.arange(codes), counts))
        order = order[needs[order] >= 0]
        number_of = np.full((reserves.size, codes), -1, dtype=np.int32)
        fitting = []
        for reserve in range(reserves.size):
            closed = reserves.closed_of(reserve)
            bits = sum(1 << bit for bit, cell in enumerate(cells) if cell in closed)
            has = reserves.take[reserve][needs[order]] >= 0
            fitting.append(order[has & (held[order] & bits == 0)])
        n = np.array([len(each) for each in fitting], dtype=np.int64)
        code_of = np.zeros((reserves.size, int(n.max())), dtype=np.int32)
        for reserve, each in enumerate(fitting):
            number_of[reserve, each] = np.arange(len(each))
            code_of[reserve, : len(each)] = each
        return cls(np.array(radix, dtype=np.int64), n, number_of, code_of)
