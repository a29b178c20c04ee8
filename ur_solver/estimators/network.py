"""A small network that values states: what it reads of them, its layers, and how it learns.

It reads binary features, derived from the encoding of states alone. Each square, home and off has
features of its own, in this order:

    squares   in the order of a row. Of a stack, whose order matters: for each place from the top
              down, and each piece that may stand in it, whether it does. Of any other square: for
              each kind of piece and each number, whether this many or more of them stand there.
              Wide features of a stack besides: for each place, whether a piece and the one
              below it are these two; for each whole content of two pieces or more, whether it is
              this one
    homes     mine, then theirs: whether 1, 2, ... or more pieces are there; where pieces have
              numbers, whether each of them is
    off       the same of the pieces borne off
    pairs     wide features: for each two squares of which a side comes from one to the other
              within `NEAR` steps of its path, whether they have these two kinds on top. Where
              there is no order, the kind is that of all pieces there together, without numbers
    fines     with stakes, what a fine is of a pot with one fine more: a number in (0, 1]

A kind of piece is what is written of it: its side as the side to throw sees it (``L`` is mine),
lower case if it is marked, and its number. Nothing depends on a rule set's name or family.
`Features.names` lists them; a network is only read with the names that it was trained with. New
networks read wide features; those that do not are from before there were any.

Layers are of ReLU, with one output, in NumPy. The output is a probability (sigmoid) or, where money
is played for, a number (linear). Either way the gradient of the loss by the last sum is the output
less the target: cross-entropy goes with the one, half of the squared error with the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain, pairwise, product
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ur_solver.answers.decisions import Values
from ur_solver.common.copies import Unchanging
from ur_solver.estimators._first_layer import Facts, gather, scatter
from ur_solver.rules import RuleSet
from ur_solver.rules.contents import DARK, LETTERS, LIGHT, split
from ur_solver.space import StakesSpace, positions_of, space_of

Rows = npt.NDArray[Any]
"""Encoded states, shape (states, state width), of the space's own type."""

NEAR = 4
"""How many steps two squares are apart at most whose pieces have features together."""

_Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Inputs:
    """Features of some states, by those that are 1; `@` takes them as a matrix, as `.T` does.

    `features` are those that are 1, int32, state by state, and `ends` where each state's end there;
    `size` is how many there are in all. `fine`, of each state, is the last one's number, if any.
    """

    ends: _Ints
    features: _Ints
    size: int
    fine: npt.NDArray[np.float32] | None = None

    def __matmul__(self, matrix: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        found = np.zeros((len(self.ends), matrix.shape[1]), dtype=np.float32)
        gather(self.ends, self.features, matrix, found)
        if self.fine is not None:
            found += np.multiply.outer(self.fine, matrix[-1])
        return found

    @property
    def T(self) -> _Transposed:  # noqa: N802 - as of an array
        """The transposed matrix."""
        return _Transposed(self)


@dataclass(frozen=True)
class _Transposed:
    """The matrix of which each feature is a row."""

    inputs: Inputs

    def __matmul__(self, change: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        inputs = self.inputs
        found = np.zeros((inputs.size, change.shape[1]), dtype=np.float32)
        scatter(inputs.ends, inputs.features, change, found)
        if inputs.fine is not None:
            found[-1] = inputs.fine @ change
        return found


AnyInputs: TypeAlias = "Inputs | npt.NDArray[np.float32]"
"""Features of some states, by those that are 1 or as a matrix, shape (states, features)."""


class Features(Unchanging):
    """The features of one rule set's states; `features_of` gives the shared one. Thread safe.

    `names` say what each feature is: ``B4 L>=1`` (a square and how many), ``B3 1:l`` (a stack, the
    place from the top and the piece there), ``B3 1:lD`` (and the piece below), ``B3 DlL`` (a whole
    stack, from the bottom up), ``home L>=2``, ``off D>=1``, ``home L:3``, ``B3 l B4 D`` (a pair),
    ``fine``.

    `lookups`, float32 of shape (numbers, features), are those of each column of a row but the
    fines, and of mine and theirs borne off: by the number there the features that it decides, in
    the order of `names`. What `facts` is made of is in `arrays`, by the names of its parameters.
    """

    def __init__(self, rules: RuleSet, is_wide: bool) -> None:
        self.rules = rules
        self.is_wide = is_wide
        self._number_type = space_of(rules).state_dtype
        space = positions_of(rules)
        names: list[str] = []
        self.lookups: list[npt.NDArray[np.float32]] = []
        for square, contents in zip(space.squares, space.contents, strict=True):
            is_stack = rules.mechanics.squares[square].is_stack
            pieces = [split(each) for each in contents]
            found = [_counted(each, is_stack) for each in pieces]
            own = sorted({each for one in found for each in one}, key=_order)
            text = f"{square} {{0}}:{{1}}" if is_stack else f"{square} {{1}}>={{0}}"
            held = [[text.format(*each) for each in one] for one in found]
            known = [text.format(*each) for each in own]
            if is_wide and is_stack:
                more = [[f"{square} {each}" for each in _stacked(one)] for one in pieces]
                known += dict.fromkeys(each for one in more for each in one)
                held = [one + other for one, other in zip(held, more, strict=True)]
            names += known
            self.lookups.append(_lookup(held, known))
        stock = np.arange(space.stock.size)
        k, is_numbered = np.arange(rules.pieces), space.stock.is_numbered
        home = stock[:, np.newaxis] >> k & 1 if is_numbered else stock[:, np.newaxis] > k
        self.lookups += [home.astype(np.float32)] * 4
        ends = [f"{side}{':' if is_numbered else '>='}{n + 1}" for side in "LD" for n in k]
        names += [f"{place} {end}" for place in ("home", "off") for end in ends]
        none = np.zeros_like(stock)
        of_homes = [np.stack(pair, axis=1) for pair in ((stock, none), (none, stock))]
        sizes = [len(lookup) for lookup in self.lookups]
        widths = accumulate((lookup.shape[1] for lookup in self.lookups), initial=0)
        of_facts = [
            before + np.flatnonzero(each)
            for before, lookup in zip(widths, self.lookups, strict=False)
            for each in lookup
        ]
        kinds: list[list[int]] = []
        tops: list[list[str]] = []
        near = np.zeros((0, 0), dtype=np.int32)
        if is_wide:
            near = np.full((len(space.squares),) * 2, -1, dtype=np.int32)
            for square, contents in zip(space.squares, space.contents, strict=True):
                is_stack = rules.mechanics.squares[square].is_stack
                found_tops = [_top(split(each), is_stack) for each in contents]
                tops.append(sorted({*found_tops} - {""}, key=_by_letter))
                kinds.append([tops[-1].index(each) if each else 0 for each in found_tops])
            for i, j in _near(rules, space.squares):
                near[i, j] = len(of_facts)
                one, other = space.squares[i], space.squares[j]
                for here, there in product(tops[i], tops[j]):
                    of_facts.append(np.array([len(names)]))
                    names.append(f"{one} {here} {other} {there}")
        if rules.payoff.has_fines:
            names.append("fine")
        self.names = tuple(names)
        self.full = space.stock.full
        self.arrays = {
            name: np.array(array, dtype=np.int32)
            for name, array in {
                "first": [0, *accumulate(sizes[:-1])],
                "parts": np.concatenate([*space.parts, *of_homes, *of_homes]),
                "kinds": list(chain.from_iterable(kinds)),
                "pairs": near,
                "n_kinds": list(map(len, tops)),
                "starts": [0, *accumulate(map(len, of_facts))],
                "features": np.concatenate(of_facts),
            }.items()
        }
        self.facts = Facts(full=self.full, **self.arrays)

    def __reduce__(self) -> tuple[Callable[[RuleSet, bool], Features], tuple[RuleSet, bool]]:
        return features_of, (self.rules, self.is_wide)

    def __len__(self) -> int:
        return len(self.names)

    def inputs(self, rows: Rows) -> Inputs:
        """The features of some states that are not over."""
        ends = np.empty(len(rows), dtype=np.int32)
        found = np.empty(len(rows) * self.facts.most_features, dtype=np.int32)
        self.facts.active(self.columns(rows), ends, found)
        fine = self.fine_of(rows) if self.rules.payoff.has_fines else None
        return Inputs(ends, found[: ends[-1] if len(rows) else 0], len(self), fine)

    def of(self, rows: Rows) -> npt.NDArray[np.float32]:
        """The features of some states that are not over, float32, shape (states, features)."""
        return self.inputs(rows) @ np.eye(len(self), dtype=np.float32)

    def columns(self, rows: Rows) -> Rows:
        """The columns of states that have facts: all but the fines."""
        return np.ascontiguousarray(rows[:, : len(self.lookups) - 2], dtype=self._number_type)

    def added(self, matrix: Weights) -> Weights:
        """What each fact adds to the first layer, of which this is the matrix."""
        widths = [lookup.shape[1] for lookup in self.lookups]
        ends = np.cumsum(widths)
        parts = np.split(matrix[: ends[-1]], ends[:-1])
        of_numbers = [a @ b for a, b in zip(self.lookups, parts, strict=True)]
        n_pairs = len(self.arrays["starts"]) - 1 - sum(map(len, self.lookups))
        return np.concatenate([*of_numbers, matrix[ends[-1] : ends[-1] + n_pairs]])

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


def _stacked(pieces: tuple[str, ...]) -> list[str]:
    """What is wide of a stack: each piece with the one below it, and all of them together."""
    from_top = pieces[::-1]
    found = [f"{k}:{''.join(two)}" for k, two in enumerate(pairwise(from_top), start=1)]
    return [*found, "".join(pieces)] if found else []


def _lookup(found: list[list[str]], names: list[str]) -> npt.NDArray[np.float32]:
    """A square's features by the number of its content."""
    place = {name: k for k, name in enumerate(names)}
    lookup = np.zeros((len(found), len(names)), dtype=np.float32)
    for row, own in enumerate(found):
        lookup[row, [place[name] for name in own]] = 1
    return lookup


def _top(pieces: tuple[str, ...], is_stack: bool) -> str:
    """The kind of the piece on top or, where there is no order, of all there."""
    kinds = [piece[0] for piece in pieces]
    return "".join(kinds[-1:] if is_stack else sorted({*kinds}, key=LETTERS.index))


def _by_letter(kind: str) -> list[int]:
    return [LETTERS.index(letter) for letter in kind]


def _near(rules: RuleSet, squares: Sequence[str]) -> list[tuple[int, int]]:
    """The places of squares that are at most `NEAR` steps apart on a path, the earlier first."""
    found = set()
    for side in (LIGHT, DARK):
        path = [squares.index(square) for square in rules.path.squares(side)]
        found |= {
            (min(i, j), max(i, j)) for k, i in enumerate(path) for j in path[k + 1 : k + NEAR + 1]
        }
    return sorted((i, j) for i, j in found if i != j)


@lru_cache(maxsize=16)
def features_of(rules: RuleSet, is_wide: bool = False) -> Features:
    """The features of a rule set, built once and shared; those of old networks are not wide."""
    return Features(rules, is_wide)


def features_read(rules: RuleSet, n: int) -> Features:
    """The features of a rule set that a network with `n` inputs reads."""
    plain = features_of(rules)
    return plain if len(plain) == n else features_of(rules, True)


Weights = npt.NDArray[np.float32]
"""All weights of a network, one layer after the other: its matrix, then its biases."""

_REMEMBERED, _SHARE_REMEMBERED = 1_000_000, 0.1
"""The positions, the latest, over which the mean of the weights is taken, and their most share of
all steps: early weights are far from those of the end."""

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

    def outputs(self, weights: Weights, inputs: AnyInputs) -> npt.NDArray[np.float32]:
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
        self, weights: Weights, inputs: AnyInputs, targets: npt.NDArray[np.float32]
    ) -> Weights:
        """The gradient of the loss by the weights, summed over inputs."""
        layers = self.layers(weights)
        seen: list[Any] = [inputs]
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

    def step(self, gradient: Weights, rate: float, positions: float) -> None:
        """Change the weights against the mean gradient of a batch.

        `positions` are those that it adds: of all that are learnt several times, a part each time.
        """
        self.steps += 1
        self.first += 0.1 * (gradient - self.first)
        self.second += 0.001 * (gradient * gradient - self.second)
        corrected = rate * math.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps)
        self.weights -= corrected * self.first / (np.sqrt(self.second) + 1e-8)
        latest = 1 / (1 + _SHARE_REMEMBERED * (self.steps - 1))
        self.mean += (self.weights - self.mean) * max(positions / _REMEMBERED, latest)


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
        self._features = features_read(rules, shape.inputs)
        matrix, self._biases = shape.layers(weights)[0]
        space = space_of(rules)
        self._owed = space.owed if isinstance(space, StakesSpace) else None
        self._added, self._of_fine = self._features.added(matrix), matrix[-1]

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
        features.facts.first_layer(features.columns(rows), self._added, biases, found)
        if self.rules.payoff.has_fines:
            found += features.fine_of(rows)[:, np.newaxis] * self._of_fine
        return np.maximum(found, 0, out=found)
