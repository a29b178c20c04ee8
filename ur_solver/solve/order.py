"""Which blocks a block's moves lead to: the graph that the solver walks from its end."""

from __future__ import annotations

import heapq

from ur_solver.space import Block, Space


def dependencies(space: Space) -> list[set[int]]:
    """For each block the earlier blocks that must be final before it is solved."""
    successors = [list(space.next_configs(config)) for config in range(space.n_configs)]
    block_of: dict[tuple[int, int], Block] = {}
    for block in space.blocks:
        for half in block.halves:
            block_of[half.mine, half.theirs] = block
    return [
        {
            block_of[after, half.theirs].index
            for half in block.halves
            for after in successors[half.mine]
        }
        for block in space.blocks
    ]


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
