"""A small network that values states: what it reads of them, its layers, and how it learns.

It reads binary features, derived from the encoding of states alone. Each square, home and off has
features of its own, in this order:

    squares   in the order of a row. Of a stack, whose order matters: for each place from the top
              down, and each piece that may stand in it, whether it does. Of any other square: for
              each kind of piece and each number, whether this many or more of them stand there.
    homes     mine, then theirs: whether 1, 2, ... or more pieces are there; where pieces have
              numbers, whether each of them is
    off       the same of the pieces borne off
    fines     with stakes, what a fine is of a pot with one fine more: a number in (0, 1]

A kind of piece is what is written of it: its side as the side to throw sees it (``L`` is mine),
lower case if it is marked, and its number. Nothing depends on a rule set's name or family.
`Features.names` lists them; a network is only read with the names that it was trained with.

Layers are of ReLU, with one output, in NumPy. The output is a probability (sigmoid) or, where money
is played for, a number (linear). Either way the gradient of the loss by the last sum is the output
less the target: cross-entropy goes with the one, half of the squared error with the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.answers.decisions import Values
from ur_solver.common.copies import Unchanging
from ur_solver.estimators._first_layer import first_layer
from ur_solver.rules import RuleSet
from ur_solver.rules.contents import LETTERS, side_of, split
from ur_solver.space import StakesSpace, positions_of, space_of

Rows = npt.NDArray[Any]
"""Encoded states, shape (states, state width), of the space's own type."""

Inputs = npt.NDArray[np.float32]
"""Features of some states, shape (states, features)."""


class Features(Unchanging):
    """The features of one rule set's states; `features_of` gives the shared one. Thread safe.

    `names` say what each feature is: ``B4 L>=1`` (a square and how many), ``B3 1:l`` (a stack, the
    place from the top and the piece there), ``home L>=2``, ``off D>=1``, ``home L:3``, ``fine``.
    `lookups`, float32 of shape (numbers, features), are those of each column of a row but the
    fines, and of mine and theirs borne off: by the number there the features that it decides, in
    the order of `names`. `first`, int32 of shape (columns,), is which of all these numbers is 0 of
    each column; `parts`, int32 of shape (numbers of all columns, 2), what each takes of my stock of
    pieces and of theirs; `full` the stock of all pieces.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        space = positions_of(rules)
        self._is_numbered = space.stock.is_numbered
        numbers = range(1, rules.pieces + 1)
        self._kinds = (
            [f"{side}{n}" for side in "LD" for n in numbers] if self._is_numbered else "LD"
        )
        self._lookups: list[npt.NDArray[np.float32]] = []
        names: list[str] = []
        pieces: list[str] = []
        for square, contents in zip(space.squares, space.contents, strict=True):
            is_stack = rules.mechanics.squares[square].is_stack
            found = [_counted(split(each), is_stack) for each in contents]
            own = sorted({each for one in found for each in one}, key=_order)
            text = f"{square} {{0}}:{{1}}" if is_stack else f"{square} {{1}}>={{0}}"
            names += [text.format(*each) for each in own]
            pieces += [piece for _, piece in own]
            self._lookups.append(_lookup(found, own))
        stocks = np.arange(space.stock.size)[:, np.newaxis]
        k = np.arange(rules.pieces)
        home = stocks >> k & 1 if self._is_numbered else stocks > k
        self._lookups += [home.astype(np.float32)] * 2
        ends = [f"{side}{':' if self._is_numbered else '>='}{n}" for side in "LD" for n in numbers]
        names += [f"home {end}" for end in ends]
        pieces += self._kinds if self._is_numbered else [end[0] for end in ends]
        kinds = [self._kinds.index(_kind(piece, self._is_numbered)) for piece in pieces]
        self.lookups = (*self._lookups, *self._lookups[-2:])
        sizes = [len(lookup) for lookup in self.lookups]
        self.first = np.cumsum([0, *sizes[:-1]]).astype(np.int32)
        stock = np.arange(space.stock.size)
        none = np.zeros_like(stock)
        of_homes = [np.stack(pair, axis=1) for pair in ((stock, none), (none, stock))]
        self.parts = np.concatenate([*space.parts, *of_homes, *of_homes]).astype(np.int32)
        self.full = space.stock.full
        self._counts = np.eye(len(self._kinds), dtype=np.float32)[kinds]
        names += [f"off {end}" for end in ends]
        if rules.payoff.has_fines:
            names.append("fine")
        self.names = tuple(names)

    def __reduce__(self) -> tuple[Callable[[RuleSet], Features], tuple[RuleSet]]:
        return features_of, (self.rules,)

    def __len__(self) -> int:
        return len(self.names)

    def of(self, rows: Rows) -> Inputs:
        """The features of some states that are not over, float32, shape (states, features)."""
        inputs = np.empty((len(rows), len(self.names)), dtype=np.float32)
        first = 0
        for column, lookup in enumerate(self._lookups):
            end = first + lookup.shape[1]
            inputs[:, first:end] = lookup[rows[:, column]]
            first = end
        there, pieces = inputs[:, :first] @ self._counts, self.rules.pieces
        end = first + 2 * pieces
        if self._is_numbered:
            inputs[:, first:end] = there < 0.5
        else:
            inputs[:, first:end] = (pieces - there).repeat(pieces, 1) > np.tile(
                np.arange(pieces), 2
            ) + 0.5
        if self.rules.payoff.has_fines:
            inputs[:, -1] = self.fine_of(rows)
        return inputs

    def fine_of(self, rows: Rows) -> npt.NDArray[np.float32]:
        """With stakes, the feature of the fines."""
        share = self.rules.payoff.cost(True) / scale_of(self.rules, rows)
        return np.asarray(share, dtype=np.float32)


def scale_of(rules: RuleSet, rows: Rows) -> npt.NDArray[np.float64] | float:
    """What an output of 1 stands for: a certain win or, with stakes, the pot with a fine more."""
    payoff = rules.payoff
    if not payoff.has_fines:
        return 1.0
    base, step = payoff.total(1), payoff.total(1) - payoff.total(0)
    return np.asarray(base + rows[:, -1].astype(np.float64) * step)


def _counted(pieces: tuple[str, ...], is_stack: bool) -> list[tuple[int, str]]:
    """The pieces of a content with their places from the top, or with how many there are so far."""
    if is_stack:
        return list(enumerate(pieces[::-1], start=1))
    return [(pieces[: k + 1].count(piece), piece) for k, piece in enumerate(pieces)]


def _order(counted: tuple[int, str]) -> tuple[int, int, str]:
    """Numbers ascending, stacks from the top down; pieces in the order of notation."""
    k, piece = counted
    return k, LETTERS.index(piece[0]), piece[1:]


def _lookup(
    found: list[list[tuple[int, str]]], own: list[tuple[int, str]]
) -> npt.NDArray[np.float32]:
    """A square's features by the number of its content."""
    lookup = np.zeros((len(found), len(own)), dtype=np.float32)
    for row, counted in enumerate(found):
        lookup[row, [own.index(each) for each in counted]] = 1
    return lookup


def _kind(piece: str, is_numbered: bool) -> str:
    """Whose piece it is, with its number if it has one."""
    return side_of(piece) + (piece[1:] if is_numbered else "")


@lru_cache(maxsize=8)
def features_of(rules: RuleSet) -> Features:
    """The features of a rule set, built once and shared."""
    return Features(rules)


Weights = npt.NDArray[np.float32]
"""All weights of a network, one layer after the other: its matrix, then its biases."""

_REMEMBERED = 256_000
"""The positions, the latest, over which the mean of the weights is taken."""

_MOST_SUM = 1e30
"""Far above any sum of a trained network, and far below the largest float32."""

_LEAST = -30.0
"""Sums below it are raised, so that the exponential does not overflow."""


@dataclass(frozen=True)
class Shape:
    """The layers of a network: the sizes of its input and hidden layers, and one output.

    The output is a probability (`is_chance`), or money.
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

    def is_finite(self, weights: Weights) -> bool:
        """Whether all weights are numbers, and no sum of theirs can overflow a float32."""
        largest = np.ones(self.inputs)
        with np.errstate(over="ignore", invalid="ignore"):
            for matrix, biases in self.layers(weights):
                largest = largest @ np.abs(matrix).astype(np.float64) + np.abs(biases)
                if not (largest < _MOST_SUM).all():
                    return False
        return True

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

    `mean` is that of the weights of the last steps: less noisy than the weights, and what is kept.
    `first` and `second` are the running moments of the gradient.
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
    return 1 <= len(sizes) <= 4 and all(type(size) is int and 1 <= size <= 1024 for size in sizes)


_CHUNK = 4096
"""States whose features are worked out together: they stay in the cache."""


class NetworkValues(Values):
    """What a network says of states: `Values` for players and searches.

    Thread safe as long as nobody writes to the weights.
    """

    rules: RuleSet

    def __init__(self, rules: RuleSet, shape: Shape, weights: Weights) -> None:
        self.rules = rules
        self.shape = shape
        self.weights = weights
        self._features = features_of(rules)
        matrix, self._biases = shape.layers(weights)[0]
        space = space_of(rules)
        self._owed = space.owed if isinstance(space, StakesSpace) else None
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
            scale = scale_of(self.rules, part)
            values[first : first + _CHUNK] = outputs * scale
            if self._owed is not None:  # money has no bounds in a network
                pot = scale - self.rules.payoff.cost(True)
                own = values[first : first + _CHUNK]
                np.clip(own, -self._owed, pot + self._owed, out=own)
        return values

    def _first_layer(self, rows: Rows) -> npt.NDArray[np.float32]:
        features, biases = self._features, self._biases
        found = np.empty((len(rows), len(biases)), dtype=np.float32)
        own = np.ascontiguousarray(rows[:, : len(features.lookups) - 2])
        first_layer(own, features.first, features.parts, features.full, self._added, biases, found)
        if self.rules.payoff.has_fines:
            found += features.fine_of(rows)[:, np.newaxis] * self._of_fine
        return np.maximum(found, 0, out=found)
