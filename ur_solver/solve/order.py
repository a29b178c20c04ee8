"""Which blocks a block's moves lead to: the graph that the solver walks from its end."""

from __future__ import annotations

from collections.abc import Iterator

from ur_solver.space import Block, Space
from ur_solver.space.layout import SideConfig


def _next_configs(space: Space, config: SideConfig) -> Iterator[SideConfig]:
    # Every way in which one piece can get further for good, dice aside.
    n_frozen, mask, off = len(space.layout.frozen), config.frozen_mask, config.off
    has_free = config.settled < space.rules.pieces
    for bit in range(n_frozen):
        if has_free and not mask >> bit & 1:
            yield SideConfig(off, mask | 1 << bit)
        if mask >> bit & 1:
            left = mask & ~(1 << bit)
            yield SideConfig(off + 1, left)
            for further in range(bit + 1, n_frozen):
                if not mask >> further & 1:
                    yield SideConfig(off, left | 1 << further)
    if has_free:
        yield SideConfig(off + 1, mask)


def dependencies(space: Space) -> list[set[int]]:
    """For each block the earlier blocks that must be final before it is solved."""
    number = {config: k for k, config in enumerate(space.configs)}
    successors = [
        [number[after] for after in _next_configs(space, config) if after in number]
        for config in space.configs
    ]
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
