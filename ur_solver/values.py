"""What the audit, the players and the maps need of a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ur_solver.rules import RuleSet
from ur_solver.space import space_of


class Values(Protocol):
    """What answers for many states at once; `ur_solver.query.Query` does."""

    @property
    def rules(self) -> RuleSet:
        """The rule set."""
        ...

    def state_values(self, states: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """The value of each encoded state to its side to throw, float64 in [0, 1]."""
        ...


def row_values(values: Values, rows: Sequence[bytes]) -> Iterator[float]:
    """The values of encoded states, each as `Space.encode` gives it, asked for in one go."""
    if not rows:
        return iter(())
    dtype = space_of(values.rules).state_dtype
    states = np.frombuffer(b"".join(rows), dtype=dtype).reshape(len(rows), -1)
    return iter(values.state_values(states).tolist())
