"""What blocks that are in work at once take together."""

from __future__ import annotations

import heapq


def peak_together(needs: list[set[int]], weights: dict[int, int], threads: int) -> int:
    """The most that blocks which can be in work at once weigh together.

    Parameters
    ----------
    needs : list of set of int
        As `dependencies` returns it.
    weights : dict
        By block, for the blocks that count.
    threads : int
        How many blocks can be in work at once.
    """
    before: list[int] = []  # by block, a bit for each block that must be done before
    for needed in needs:
        bits = 0
        for index in needed:
            bits |= before[index] | 1 << index
        before.append(bits)
    peak = 0
    for index, weight in weights.items():
        beside = (
            other_weight
            for other, other_weight in weights.items()
            if other != index and not before[index] >> other & 1 and not before[other] >> index & 1
        )
        peak = max(peak, weight + sum(heapq.nlargest(threads - 1, beside)))
    return peak
