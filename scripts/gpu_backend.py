"""Training on a GPU by CuPy (https://cupy.dev), for `train_estimators.py --gpu`.

The GPU values the many successors of full backups, and learns; the processor generates them.
"""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np
import numpy.typing as npt

from ur_solver.answers.decisions import Values
from ur_solver.estimators.network import Rows, Shape, Weights, features_of, scale_of
from ur_solver.estimators.training import Backend, Sizes
from ur_solver.rules import RuleSet


class GpuBackend(Backend):
    """By CuPy."""

    sizes = Sizes(streams=2, games=4096, batch=1024, shares=1, epochs=1, last_epochs=4)

    def array(self, array: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        found: npt.NDArray[np.float32] = cupy.asarray(array)
        return found

    def numpy(self, array: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        found: npt.NDArray[np.float32] = cupy.asnumpy(array)
        return found

    def inputs(self, rows: Rows) -> npt.NDArray[np.float32]:
        found = features_of(self.rules, True).inputs(rows)
        of_states = np.repeat(np.arange(len(rows)), np.diff(found.ends, prepend=0))
        inputs: npt.NDArray[np.float32] = cupy.zeros(len(rows) * found.size, dtype=np.float32)
        inputs[cupy.asarray(of_states * found.size + found.features)] = 1
        inputs = inputs.reshape(len(rows), found.size)
        if found.fine is not None:
            inputs[:, -1] = cupy.asarray(found.fine)
        return inputs

    def values(self, shape: Shape, weights: Weights) -> Values:
        return _GpuValues(self, self.rules, shape, weights.copy())


_CHUNK = 1 << 16


class _GpuValues(Values):
    """`ur_solver.answers.decisions.Values` by a network on a GPU."""

    rules: RuleSet

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
