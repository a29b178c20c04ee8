"""What the audit, the players and the maps need of a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ur_solver.rules import RuleSet
from ur_solver.space import space_of


class Values(Protocol):
    """What answers for many states at once; `ur_solver.lookup.Lookup` does."""

    @property
    def rules(self) -> RuleSet:
        """The rule set."""
        ...

    def state_values(self, states: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """The value of each encoded state to its side to throw, float64 in [0, 1]."""
        ...


class TableValues(Values, Protocol):
    """The values of a table, which may hold a part of its game."""

    def holds_states(self, states: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """For each encoded state, whether there is a value of it."""
        ...


def row_values(values: Values, rows: Sequence[bytes]) -> Iterator[float]:
    """The values of encoded states, each as `Space.encode` gives it, asked for in one go."""
    if not rows:
        return iter(())
    return iter(values.state_values(states_of(values.rules, rows)).tolist())


def states_of(rules: RuleSet, rows: Sequence[bytes]) -> npt.NDArray[Any]:
    """Encoded states as an array, a row each: of the space's dtype, shape (states, width)."""
    space = space_of(rules)
    states = np.frombuffer(b"".join(rows), dtype=space.state_dtype)
    return states.reshape(len(rows), space.state_width)
