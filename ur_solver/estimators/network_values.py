"""The values of states by a network."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.estimators.features import features_of, scale_of
from ur_solver.estimators.network import Shape, Weights
from ur_solver.rules import RuleSet

_CHUNK = 4096
"""States whose features are worked out together: they stay in the cache."""


class NetworkValues:
    """What a network says of states: `ur_solver.values.Values` for players and searches.

    Thread safe as long as nobody writes to the weights.

    Parameters
    ----------
    rules : RuleSet
    shape : Shape
    weights : float32, shape (shape.n_weights,)
    """

    def __init__(self, rules: RuleSet, shape: Shape, weights: Weights) -> None:
        self.rules = rules
        self.shape = shape
        self.weights = weights
        self._features = features_of(rules)

    def state_values(self, states: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """The value of each encoded state that is not over to its side to throw.

        In [0, 1]; with stakes the money to come.
        """
        values = np.empty(len(states))
        for first in range(0, len(states), _CHUNK):
            part = states[first : first + _CHUNK]
            outputs = self.shape.outputs(self.weights, self._features.of(part))
            values[first : first + _CHUNK] = outputs * scale_of(self.rules, part)
        return values
