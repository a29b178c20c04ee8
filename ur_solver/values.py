"""What the audit, the players and the maps need of a table."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from ur_solver.rules import RuleSet


class Values(Protocol):
    """What answers for many states at once; `ur_solver.query.Query` does."""

    @property
    def rules(self) -> RuleSet:
        """The rule set."""
        ...

    def state_values(self, states: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
        """The value of each encoded state to its side to throw, float64 in [0, 1]."""
        ...
