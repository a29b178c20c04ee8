"""The values of states by a network."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.estimators._first_layer import first_layer
from ur_solver.estimators.features import Rows, features_of, scale_of
from ur_solver.estimators.network import Shape, Weights
from ur_solver.rules import RuleSet

_CHUNK = 4096
"""States whose features are worked out together: they stay in the cache."""


class NetworkValues:
    """What a network says of states: `ur_solver.answers.values.Values` for players and searches.

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
        matrix, self._biases = shape.layers(weights)[0]
        self._added, self._of_fine = self._by_number(matrix), matrix[-1]

    def _by_number(self, matrix: Weights) -> Weights:
        """What each number in a row, and each stock borne off, adds to the first layer."""
        lookups = self._features.lookups
        ends = np.cumsum([lookup.shape[1] for lookup in lookups])
        parts = np.split(matrix[: ends[-1]], ends[:-1])
        return np.concatenate([a @ b for a, b in zip(lookups, parts, strict=True)])

    def state_values(self, states: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """The value of each encoded state that is not over to its side to throw.

        In [0, 1]; with stakes the money to come.
        """
        values = np.empty(len(states))
        for first in range(0, len(states), _CHUNK):
            part = states[first : first + _CHUNK]
            outputs = self.shape.outputs_of(self.weights, self._first_layer(part))
            values[first : first + _CHUNK] = outputs * scale_of(self.rules, part)
        return values

    def _first_layer(self, rows: Rows) -> npt.NDArray[np.float32]:
        features, biases = self._features, self._biases
        found = np.empty((len(rows), len(biases)), dtype=np.float32)
        own = np.ascontiguousarray(rows[:, : len(features.lookups) - 2])
        first_layer(own, features.first, features.parts, features.full, self._added, biases, found)
        if self.rules.payoff.has_fines:
            found += features.fine_of(rows)[:, np.newaxis] * self._of_fine
        return np.maximum(found, 0, out=found)
