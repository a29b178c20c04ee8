"""Positions as callers give them: read from notation, checked, ranked and encoded."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeGuard

import numpy as np
import numpy.typing as npt

from ur_solver.errors import IllegalPositionError, WrongTypeError
from ur_solver.rules import DARK, Position, RuleSet
from ur_solver.rules.turns import total
from ur_solver.space import Space

PositionLike: TypeAlias = Position | str
"""A position, or its notation."""

PositionsLike: TypeAlias = Iterable[PositionLike] | npt.NDArray[Any]
"""Several of them, in whatever holds them, or encoded states."""


@dataclass(frozen=True, eq=False)  # == of arrays is no bool
class States:
    """Some legal positions, encoded in the space's own type and seen from the side about to throw.

    `is_dark` says whether that is dark (False where encoded states were given), and `ranks` are -1
    where the game is over.
    """

    rows: npt.NDArray[Any]
    is_dark: npt.NDArray[np.bool_]
    ranks: npt.NDArray[np.int64]


def position_from(rules: RuleSet, position: PositionLike) -> Position:
    """A position, read if it is notation; WrongTypeError for anything else."""
    if isinstance(position, str):
        return rules.position(position)
    if not isinstance(position, Position):
        raise WrongTypeError(
            f"{position!r:.80} is not a position; expected a Position or its notation, such as "
            f"{rules.start().notation!r}"
        )
    return position


def rank_of(space: Space, position: Position) -> int:
    """The rank of a position, -1 if the game is over.

    RuleSetMismatchError or IllegalPositionError, which lists every fault, if it is none of the
    space's rules.
    """
    space.rules.check_position(position)
    try:
        return space.rank(position)
    except ValueError:
        value_when_over(space.rules, position)  # raises if the position is not over
        return -1


def goes_on(space: Space, position: Position) -> bool:
    """Whether the game goes on in a position; raises as `rank_of` does, without ranks."""
    space.rules.check_position(position)
    if space.go_on(np.array([space.encode(position)], dtype=space.state_dtype))[0]:
        return True
    value_when_over(space.rules, position)  # raises if the position is not over
    return False


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


def states_from(space: Space, positions: PositionsLike, *, has_ranks: bool = True) -> States:
    """Several positions, encoded and ranked.

    They are in a list, an array of strings or a column of a data frame (anything that NumPy makes
    an array of, which those of pandas, polars and Arrow are); or they are encoded states, as plain
    numbers or as structures (`StateLayout`). Without `has_ranks`, every rank is 0 where the game
    goes on, and no table of ranks is built. WrongTypeError if one position is given, or something
    else than positions; the errors of `rank_of` and PositionSyntaxError are raised for the first at
    fault.
    """
    if are_states(positions):
        return _checked(space, positions, has_ranks)
    column = column_of(positions)
    rows, is_dark, is_read = space.state_layout.read(column)
    ranks = _ranks(space, rows, has_ranks)
    for k in np.flatnonzero(~is_read | (ranks < 0)):
        position = position_from(space.rules, column[k])
        ranks[k] = rank_of(space, position) if has_ranks else goes_on(space, position) - 1
        rows[k] = list(space.encode(position))
        is_dark[k] = position.side == DARK
    return States(rows, is_dark, ranks)


def are_states(positions: object) -> TypeGuard[npt.NDArray[Any]]:
    """Whether positions are given as encoded states."""
    return isinstance(positions, np.ndarray) and (
        positions.dtype.kind in "iu" or positions.dtype.names is not None
    )


def _ranks(space: Space, rows: npt.NDArray[Any], has_ranks: bool) -> npt.NDArray[np.int64]:
    return space.rank_states(rows) if has_ranks else space.go_on(rows).astype(np.int64) - 1


def _checked(space: Space, states: npt.NDArray[Any], has_ranks: bool) -> States:
    layout = space.state_layout
    rows = layout.plain(states) if states.dtype.names else states
    ranks = _ranks(space, rows, has_ranks)
    for k in np.flatnonzero(ranks < 0):
        value_when_over(space.rules, space.decode(rows[k].tolist()))
    rows = np.ascontiguousarray(rows, dtype=space.state_dtype)
    return States(rows, np.zeros(len(rows), dtype=bool), ranks)


def column_of(positions: Iterable[PositionLike]) -> npt.NDArray[np.object_]:
    """Texts and positions, in whatever holds them, as an array of objects."""
    if isinstance(positions, (str, bytes, Position)):
        raise WrongTypeError(f"{positions!r:.80} is one position; expected several, as in a list")
    if hasattr(positions, "__array__"):
        found = np.asarray(positions)
        if found.ndim != 1:
            raise WrongTypeError(
                f"positions in an array of shape {found.shape}; expected one dimension"
            )
        if found.dtype.kind == "S":
            found = np.char.decode(found, "ascii", "replace")
        return np.ascontiguousarray(found, dtype=object)
    try:
        listed = list(positions)
    except TypeError:
        raise WrongTypeError(
            f"{positions!r:.80}: expected several positions, as in a list"
        ) from None
    column = np.empty(len(listed), dtype=object)
    column[:] = listed
    return column
