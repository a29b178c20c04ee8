"""Search over chance nodes: values by looking some plies ahead, exact where a table has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.answers.values import TableValues, Values
from ur_solver.estimators.plies import backed_up


class Searched:
    """The values of states by a full search of some plies: `ur_solver.answers.values.Values`.

    Thread safe if the values are.

    Parameters
    ----------
    values : Values
        What is asked at the leaves.
    depth : int
        The plies from a state to its leaves: with 0, `values` is asked for the state itself.
    exact : TableValues, optional
        A table of the same rule set, whole or of endings, which is asked for what it holds.
    """

    def __init__(self, values: Values, depth: int, exact: TableValues | None = None) -> None:
        self.rules = values.rules
        self._leaves = values
        self._exact = exact
        self._next = Searched(values, depth - 1, exact) if depth > 0 else None

    def state_values(self, states: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """The value of each encoded state that is not over to its side to throw."""
        if self._exact is None:
            return self._searched(states)
        is_held = self._exact.holds_states(states)
        found = np.empty(len(states))
        found[is_held] = self._exact.state_values(states[is_held])
        if not is_held.all():
            found[~is_held] = self._searched(states[~is_held])
        return found

    def _searched(self, states: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        if self._next is None:
            return self._leaves.state_values(states)
        return backed_up(self._next, states)
