"""Which blocks a block's moves lead to: the graph that is walked from its end."""

from __future__ import annotations

from ur_solver.space.base import Block, Space


def dependencies(space: Space) -> list[set[int]]:
    """For each block the earlier blocks that its moves lead to, themselves or by way of others."""
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
