"""The state space: ranks, blocks and the encoding of states."""

from functools import lru_cache

from ur_solver.rules import RuleSet
from ur_solver.space.base import LAST_RANKS, Block, Half, Space, StateLayout
from ur_solver.space.layout import is_race_of_tiles
from ur_solver.space.part import Part, PartBlocks, part_from, part_left, whole_of
from ur_solver.space.stakes import StakesSpace
from ur_solver.space.tiles import TileSpace


@lru_cache(maxsize=32)
def space_of(rules: RuleSet) -> Space:
    """The state space of `rules`, built once (some milliseconds) and shared."""
    return TileSpace(rules) if rules.stakes is None else StakesSpace(rules)


def positions_of(rules: RuleSet) -> TileSpace:
    """The space of positions without fines: with stakes not that of `space_of`."""
    space = space_of(rules)
    positions = space.positions if isinstance(space, StakesSpace) else space
    assert isinstance(positions, TileSpace)
    return positions


def part_of(rules: RuleSet, left: int | None = None) -> Part:
    """All positions of `rules`, or those in which each side has at most `left` pieces left.

    InputError if every position, or none, has that many pieces left.
    """
    space = space_of(rules)
    return whole_of(space) if left is None else part_left(space, left)


__all__ = [
    "LAST_RANKS",
    "Block",
    "Half",
    "Part",
    "PartBlocks",
    "Space",
    "StakesSpace",
    "StateLayout",
    "TileSpace",
    "is_race_of_tiles",
    "part_from",
    "part_left",
    "part_of",
    "positions_of",
    "space_of",
    "whole_of",
]
