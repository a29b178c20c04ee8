"""Sources of values, and the values of many encoded states and of their successors.

`ur_solver.api.table.Lookup` is a table's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from ur_solver.answers.positions import PositionsLike, states_from
from ur_solver.moves import AGAIN, ROSETTE, WIN, TurnBatch
from ur_solver.rules import Payoff, Position, RuleSet
from ur_solver.rules.turns import Value
from ur_solver.space import space_of


class Values(Protocol):
    """What gives the values of encoded states."""

    @property
    def rules(self) -> RuleSet:
        """The rule set."""
        ...

    def state_values(self, states: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """The value of each encoded state to its side to throw, float64, shape (states,)."""
        ...


class PositionValues(Values, Protocol):
    """What gives the values of positions, too: all that `ur_solver.answers.query.Answers` need.

    Values are win probabilities of the side about to throw, or with stakes the money to come.
    """

    def check(self, position: Position) -> bool:
        """Whether the game goes on in a position.

        Raises
        ------
        RuleSetMismatchError, IllegalPositionError
            If the position is of another rule set, or its rule set forbids it.
        BeyondTableError
            If there is no value of it.
        """
        ...

    def value(self, position: Position) -> float:
        """The value to the side about to throw, before the throw; raises as `check` does."""
        ...

    def values(self, positions: PositionsLike) -> npt.NDArray[np.float64]:
        """The values of many positions, float64, shape (positions,)."""
        ...

    def chance(self, position: Position) -> float:
        """Win probability of the side about to throw if both sides play for nothing else."""
        ...

    def error(self, position: Position) -> float | None:
        """By how much the value may be off; None where that is not known."""
        ...

    def errors(self, positions: PositionsLike) -> npt.NDArray[np.float64]:
        """`error` of many positions, NaN where it is not known; shape (positions,)."""
        ...

    def cut_error(self, position: Position) -> float:
        """The largest error due to the cut of the fines; 0 without stakes."""
        ...


class TableValues(Values, Protocol):
    """The values of a table, which may hold a part of its game."""

    @property
    def tolerance(self) -> float:
        """By how much values may be off, as estimated."""
        ...

    def holds_states(self, states: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """For each encoded state, whether it has a value."""
        ...


@runtime_checkable
class EstimatedValues(TableValues, Protocol):
    """Values that are estimates, unless the rules or a table know them."""

    def state_margins(
        self, states: npt.NDArray[Any], values: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        """Half the width of the 95 % interval of each state's value, which is 0 if it is exact.

        Parameters
        ----------
        states : unsigned integers, shape (states, state width)
        values : float64, shape (states,)
            As `state_values` gives them.

        Returns
        -------
        float64, shape (states,)
        """
        ...


def position_values(values: Values) -> Value:
    """The value of a position to the side about to throw, by those of states; asked for once."""
    space = space_of(values.rules)

    @cache
    def value(position: Position) -> float:
        return float(values.state_values(states_from(space, [position]).rows)[0])

    return value


def row_estimates(values: Values, rows: Sequence[bytes]) -> Iterator[tuple[float, float]]:
    """The value of each encoded state, and half the width of its 95 % interval; asked for at once.

    Parameters
    ----------
    values : Values
    rows : sequence of bytes
        As `Space.encode` gives them.
    """
    states = states_of(values.rules, rows)
    found = values.state_values(states)
    return zip(found.tolist(), _margins(values, states, found).tolist(), strict=True)


def margin_of(values: Values, position: Position) -> float:
    """Half the width of the 95 % interval of a position's value; 0 if it is exact."""
    states = states_from(space_of(values.rules), [position]).rows
    return float(_margins(values, states, values.state_values(states))[0])


def _margins(
    values: Values, states: npt.NDArray[Any], found: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    if isinstance(values, EstimatedValues):
        return values.state_margins(states, found)
    return np.zeros(len(found))


def states_of(rules: RuleSet, rows: Sequence[bytes]) -> npt.NDArray[Any]:
    """Encoded states as an array, a row each: of the space's dtype, shape (states, width)."""
    space = space_of(rules)
    states = np.frombuffer(b"".join(rows), dtype=space.state_dtype)
    return states.reshape(len(rows), space.state_width)


def totals_of(payoff: Payoff, states: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """What the two sides' values sum to in some states, float64, shape (states,)."""
    if not payoff.has_fines:
        return np.ones(len(states))
    return payoff.total(0) + states[:, -1].astype(float) * (payoff.total(1) - payoff.total(0))


def option_values(
    turns: TurnBatch, values: Values, others: Values | None = None
) -> npt.NDArray[np.float64]:
    """What each move or pass is worth to the side that makes it, its cost taken off.

    Parameters
    ----------
    turns : TurnBatch
        After the throw.
    values : Values
    others : Values, optional
        The values where the other side throws, if they are not the same.

    Returns
    -------
    float64, shape (options,)
    """
    payoff = values.rules.payoff
    again, won = turns.has(AGAIN), turns.has(WIN)
    if others is None:
        worth = values.state_values(turns.after)
    else:
        worth = np.empty(len(again))
        worth[again] = values.state_values(turns.after[again])
        worth[~again] = others.state_values(turns.after[~again])
    total = totals_of(payoff, turns.after)
    worth = np.where(again, worth, total - worth)
    worth[won] = total[won]
    if payoff.has_fines:
        worth -= np.where(turns.has(ROSETTE), float(payoff.cost(True)), 0.0)
    return worth
