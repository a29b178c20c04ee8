"""The state space: ranks, blocks and how a state is encoded."""

from functools import lru_cache

from ur_solver.rules import RuleSet
from ur_solver.space.base import Block, Half, Space
from ur_solver.space.part import Part, PartBlocks, part_from, part_left, whole_of
from ur_solver.space.race import RaceSpace
from ur_solver.space.race_moves import MoveTables, move_tables
from ur_solver.space.stakes import StakesSpace
from ur_solver.space.tiles import TileSpace


@lru_cache(maxsize=32)
def space_of(rules: RuleSet) -> Space:
    """The state space of `rules`, built once (some milliseconds) and shared."""
    if not rules.payoff.is_chance:
        return StakesSpace(rules)
    return RaceSpace(rules) if RaceSpace.serves(rules) else TileSpace(rules)


def part_of(rules: RuleSet, left: int | None = None) -> Part:
    """All positions of `rules`, or those in which each side has at most `left` pieces left.

    Raises
    ------
    InputError
        If a side always has so many left, or none.
    """
    space = space_of(rules)
    return whole_of(space) if left is None else part_left(space, left)


def race_space_of(rules: RuleSet) -> RaceSpace:
    """The state space of rules that `RaceSpace.serves`, as `space_of` gives it."""
    space = space_of(rules)
    assert isinstance(space, RaceSpace)
    return space


__all__ = [
    "Block",
    "Half",
    "MoveTables",
    "Part",
    "PartBlocks",
    "RaceSpace",
    "Space",
    "StakesSpace",
    "TileSpace",
    "move_tables",
    "part_from",
    "part_left",
    "part_of",
    "race_space_of",
    "space_of",
    "whole_of",
]
