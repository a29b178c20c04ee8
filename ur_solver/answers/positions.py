"""Positions as callers give them: read from notation, checked, ranked and encoded."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias, TypeGuard

import numpy as np
import numpy.typing as npt

from ur_solver.errors import IllegalPositionError
from ur_solver.rules import Position, RuleSet
from ur_solver.rules.turns import total
from ur_solver.space import Space

PositionLike: TypeAlias = Position | str
"""A position, or its notation."""


def position_from(rules: RuleSet, position: PositionLike) -> Position:
    """A position, read if it is notation."""
    return rules.position(position) if isinstance(position, str) else position


def positions_from(rules: RuleSet, positions: Iterable[PositionLike]) -> list[Position]:
    """Several positions; TypeError where only one is given."""
    if isinstance(positions, (str, Position)):
        raise TypeError(f"{positions!r:.80} is one position; expected several, as in a list")
    return [position_from(rules, position) for position in positions]


def rank_of(space: Space, position: Position) -> int:
    """The rank of a position, -1 if the game is over.

    Raises
    ------
    RuleSetMismatchError
        If the position is of another rule set.
    IllegalPositionError
        If the rule set forbids the position; it lists every fault.
    """
    space.rules.check_position(position)
    try:
        return space.rank(position)
    except ValueError:
        value_when_over(space.rules, position)  # raises if the position is not over
        return -1


def value_when_over(rules: RuleSet, position: Position) -> float:
    """The value of a position in which the game is over; IllegalPositionError if it is not."""
    faults = position.faults()
    if not faults and position.winner is None:
        faults = ["a count of pieces is out of range"]
    if faults:
        raise IllegalPositionError(
            f"position {position.notation!r} is not one of {rules.title}: " + "; ".join(faults)
        )
    return float(total(position)) if position.winner == position.side else 0.0


def encoded(space: Space, positions: Iterable[PositionLike]) -> npt.NDArray[Any]:
    """Positions as rows of the space: of its dtype, shape (positions, state width)."""
    found = [list(space.encode(position_from(space.rules, position))) for position in positions]
    return np.array(found, space.state_dtype).reshape(len(found), space.state_width)


def are_states(positions: object) -> TypeGuard[npt.NDArray[Any]]:
    """Whether positions are given as encoded states."""
    return isinstance(positions, np.ndarray) and positions.dtype.kind in "iu"
