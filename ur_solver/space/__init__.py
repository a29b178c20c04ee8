"""The state space: ranks, blocks and how a state is encoded."""

from functools import lru_cache

from ur_solver.rules import RuleSet
from ur_solver.space.base import Block, Half, Space
from ur_solver.space.race import RaceSpace
from ur_solver.space.stakes import StakesSpace
from ur_solver.space.tiles import TileSpace


@lru_cache(maxsize=32)
def space_of(rules: RuleSet) -> Space:
    """The state space of `rules`, built once (some milliseconds) and shared."""
    if not rules.payoff.is_chance:
        return StakesSpace(rules)
    return RaceSpace(rules) if RaceSpace.serves(rules) else TileSpace(rules)


def race_space_of(rules: RuleSet) -> RaceSpace:
    """The state space of rules that `RaceSpace.serves`, as `space_of` gives it."""
    space = space_of(rules)
    assert isinstance(space, RaceSpace)
    return space


__all__ = [
    "Block",
    "Half",
    "RaceSpace",
    "Space",
    "StakesSpace",
    "TileSpace",
    "race_space_of",
    "space_of",
]
