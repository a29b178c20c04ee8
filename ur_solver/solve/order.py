"""Which blocks a block's moves lead to: the graph that the solver walks from its end."""

from __future__ import annotations

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
