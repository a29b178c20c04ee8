"""Training on a GPU by CuPy (https://cupy.dev), for `train_estimators.py --gpu`.

The GPU values the many successors of full backups, and learns; the processor generates them.
"""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np
import numpy.typing as npt

from ur_solver.answers.values import Values
from ur_solver.estimators.network import Inputs, Rows, Shape, Weights, features_of, scale_of
from ur_solver.estimators.training import Backend, Sizes
from ur_solver.rules import RuleSet

_SUM = """
    const long long row = i / width, feature = i % width;
    float found = 0;
    for (int k = 0; k < columns; k++)
        found += table[(long long) numbers[row * columns + k] * width + feature];
    sum = found;
"""


class GpuBackend(Backend):
    """By CuPy."""

    sizes = Sizes(streams=2, games=4096, batch=1024, shares=1, epochs=1)

    def __init__(self, rules: RuleSet) -> None:
        super().__init__(rules)
        features = features_of(rules)
        ends = np.cumsum([lookup.shape for lookup in features.lookups], axis=0)
        table = np.zeros((ends[-1, 0], len(features)), dtype=np.float32)
        for lookup, (row, column) in zip(features.lookups, ends, strict=True):
            table[row - len(lookup) : row, column - lookup.shape[1] : column] = lookup
        self._table = cupy.asarray(table)
        self._parts = cupy.asarray(features.parts)
        self._first = cupy.asarray(features.first)
        parameters = "raw int32 numbers, raw float32 table, int32 columns, int32 width"
        self._sum = cupy.ElementwiseKernel(parameters, "float32 sum", _SUM, "ur_inputs")

    def array(self, array: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        found: npt.NDArray[np.float32] = cupy.asarray(array)
        return found

    def numpy(self, array: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        found: npt.NDArray[np.float32] = cupy.asnumpy(array)
        return found

    def inputs(self, rows: Rows) -> Inputs:
        features, columns = features_of(self.rules), len(self._first)
        own = np.ascontiguousarray(rows[:, : columns - 2], dtype=np.int32)
        numbers = cupy.asarray(own) + self._first[:-2]
        off = features.full - self._parts[numbers].sum(axis=1).astype(np.int32)
        numbers = cupy.concatenate([numbers, off + self._first[-2:]], axis=1)
        inputs: Inputs = cupy.empty((len(rows), len(features)), dtype=np.float32)
        self._sum(numbers, self._table, columns, len(features), inputs)
        if self.rules.payoff.has_fines:
            inputs[:, -1] = cupy.asarray(features.fine_of(rows))
        return inputs

    def values(self, shape: Shape, weights: Weights) -> Values:
        return _GpuValues(self, self.rules, shape, weights.copy())


_CHUNK = 1 << 16


class _GpuValues:
    """`ur_solver.answers.values.Values` by a network on a GPU."""

    def __init__(self, backend: GpuBackend, rules: RuleSet, shape: Shape, weights: Weights) -> None:
        self.rules = rules
        self._backend = backend
        self._shape = shape
        self._weights = weights

    def state_values(self, states: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        values = np.empty(len(states))
        for first in range(0, len(states), _CHUNK):
            part = states[first : first + _CHUNK]
            outputs = self._shape.outputs(self._weights, self._backend.inputs(part))
            values[first : first + _CHUNK] = self._backend.numpy(outputs) * scale_of(
                self.rules, part
            )
        return values
