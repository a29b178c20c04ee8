"""What a network is trained with: NumPy or, by `scripts/gpu_backend.py`, a GPU.

`network` computes with the arrays of either. A backend makes them, and knows how much is played and
learnt at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ur_solver.answers.values import Values
from ur_solver.estimators.features import Inputs, Rows, features_of
from ur_solver.estimators.network import Shape, Weights
from ur_solver.estimators.network_values import NetworkValues
from ur_solver.rules import RuleSet


@dataclass(frozen=True)
class Sizes:
    """How much is played and learnt at once.

    Attributes
    ----------
    streams : int
        Of games.
    games : int
        Of a stream.
    batch : int
        Positions of a minibatch.
    shares : int
        Of a minibatch, by different threads.
    epochs : int
        How often a network learns from the same positions.
    """

    streams: int
    games: int
    batch: int
    shares: int
    epochs: int


class Backend(Protocol):
    """Where a network is trained.

    Attributes
    ----------
    sizes : Sizes
    """

    sizes: Sizes

    def array(self, array: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """An array of this backend."""

    def numpy(self, array: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """An array of this backend as NumPy's."""

    def inputs(self, rows: Rows) -> Inputs:
        """The features of some states, an array of this backend."""

    def values(self, shape: Shape, weights: Weights) -> Values:
        """What a network says of states, now and after its weights have changed."""


class NumpyBackend:
    """See `Backend`."""

    sizes = Sizes(streams=4, games=256, batch=256, shares=2, epochs=2)

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules

    def array(self, array: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """As `Backend.array`."""
        return array

    def numpy(self, array: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """As `Backend.numpy`."""
        return array

    def inputs(self, rows: Rows) -> Inputs:
        """As `Backend.inputs`."""
        return features_of(self._rules).of(rows)

    def values(self, shape: Shape, weights: Weights) -> Values:
        """As `Backend.values`."""
        return NetworkValues(self._rules, shape, weights.copy())
