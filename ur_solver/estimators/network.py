"""A small network: layers of ReLU, one output; its gradient and Adam, in NumPy.

The output is a probability (sigmoid) or, where money is played for, a number (linear). Either way
the gradient of the loss by the last sum is the output less the target: cross-entropy goes with the
one, half of the squared error with the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.estimators.features import Inputs

Weights = npt.NDArray[np.float32]
"""All weights of a network, one layer after the other: its matrix, then its biases."""

_REMEMBERED = 256_000
"""The positions, the latest, over which the mean of the weights is taken."""

_LEAST = -30.0
"""Sums below it are raised, so that the exponential does not overflow."""


@dataclass(frozen=True)
class Shape:
    """The layers of a network.

    Parameters
    ----------
    inputs : int
    hidden : tuple of int
        The sizes of the hidden layers.
    is_chance : bool
        Whether the output is a probability.
    """

    inputs: int
    hidden: tuple[int, ...]
    is_chance: bool

    @property
    def sizes(self) -> list[tuple[int, int]]:
        """Of each layer the numbers of inputs and outputs."""
        return list(pairwise((self.inputs, *self.hidden, 1)))

    @property
    def n_weights(self) -> int:
        """How many weights the network has."""
        return sum((n + 1) * m for n, m in self.sizes)

    def layers(self, weights: Weights) -> list[tuple[Weights, Weights]]:
        """The matrix and the biases of each layer: views."""
        found, first = [], 0
        for n, m in self.sizes:
            middle, end = first + n * m, first + (n + 1) * m
            found.append((weights[first:middle].reshape(n, m), weights[middle:end]))
            first = end
        return found

    def drawn(self, rng: np.random.Generator) -> Weights:
        """Weights to begin with (He et al. 2015); the last layer's are small."""
        weights = np.zeros(self.n_weights, dtype=np.float32)
        layers = self.layers(weights)
        for matrix, _ in layers:
            spread = np.sqrt(2 / len(matrix)) if matrix.shape[1] > 1 else 0.01
            matrix[:] = rng.normal(0, spread, matrix.shape)
        if not self.is_chance:
            layers[-1][1][:] = 0.5
        return weights

    def outputs(self, weights: Weights, inputs: Inputs) -> npt.NDArray[np.float32]:
        """The outputs of a network, shape (inputs,)."""
        matrix, biases = self.layers(weights)[0]
        return self.outputs_of(weights, np.maximum(inputs @ matrix + biases, 0))

    def outputs_of(
        self, weights: Weights, first: npt.NDArray[np.float32]
    ) -> npt.NDArray[np.float32]:
        """The outputs by what the first layer gives, shape (inputs,)."""
        *hidden, (matrix, biases) = self.layers(weights)[1:]
        found = first
        for each, own in hidden:
            found = found @ each
            found += own
            np.maximum(found, 0, out=found)
        return self._output((found @ matrix + biases)[:, 0])

    def _output(self, sums: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        if not self.is_chance:
            return sums
        chances: npt.NDArray[Any] = 1 / (1 + np.exp(-np.maximum(sums, _LEAST)))
        return chances

    def gradient(
        self, weights: Weights, inputs: Inputs, targets: npt.NDArray[np.float32]
    ) -> Weights:
        """The gradient of the loss by the weights, summed over inputs."""
        layers = self.layers(weights)
        seen = [inputs]
        for matrix, biases in layers[:-1]:
            seen.append(np.maximum(seen[-1] @ matrix + biases, 0))
        matrix, biases = layers[-1]
        change = (self._output((seen[-1] @ matrix + biases)[:, 0]) - targets)[:, np.newaxis]
        gradient = np.empty_like(weights)
        for k, (for_matrix, for_biases) in reversed(list(enumerate(self.layers(gradient)))):
            for_matrix[:] = seen[k].T @ change
            change.sum(axis=0, out=for_biases)
            if k:
                change = (change @ layers[k][0].T) * (seen[k] > 0)
        return gradient


@dataclass
class Adam:
    """Kingma and Ba's optimiser (2015), with a running mean of the weights.

    Attributes
    ----------
    weights : float32
    mean : float32
        Of the weights of the last steps: less noisy than the weights, and what is kept.
    first, second : float32
        The running moments of the gradient.
    steps : int
    """

    weights: Weights
    mean: Weights
    first: Weights
    second: Weights
    steps: int = 0

    @classmethod
    def of(cls, weights: Weights) -> Adam:
        """At the beginning."""
        return cls(weights, weights.copy(), np.zeros_like(weights), np.zeros_like(weights))

    def step(self, gradient: Weights, rate: float, positions: int) -> None:
        """Change the weights against the mean gradient of some positions."""
        self.steps += 1
        self.first += 0.1 * (gradient - self.first)
        self.second += 0.001 * (gradient * gradient - self.second)
        corrected = rate * math.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps)
        self.weights -= corrected * self.first / (np.sqrt(self.second) + 1e-8)
        self.mean += (self.weights - self.mean) * max(positions / _REMEMBERED, 1 / self.steps)


def default_hidden(n_features: int) -> tuple[int, ...]:
    """The hidden layers for some number of features."""
    return (128, 64) if n_features <= 100 else (256, 128, 32)


def is_sound(sizes: Sequence[int]) -> bool:
    """Whether a network can have these hidden layers."""
    return 1 <= len(sizes) <= 4 and all(
        isinstance(size, int) and 1 <= size <= 1024 for size in sizes
    )
