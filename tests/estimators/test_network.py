from __future__ import annotations

import numpy as np
import pytest

from ur_solver.estimators.network import Adam, NetworkValues, Shape, features_of, scale_of
from ur_solver.rules import named_rules
from ur_solver.space import space_of

pytestmark = pytest.mark.memory


@pytest.mark.parametrize("is_chance", [True, False])
def test_the_gradient_is_what_small_changes_of_the_weights_do_to_the_loss(is_chance):
    shape = Shape(4, (5, 3), is_chance)
    rng = np.random.default_rng(1)
    weights = rng.normal(0, 1, shape.n_weights)
    inputs, targets = rng.normal(0, 1, (7, 4)), rng.random(7)

    def loss(changed):
        found = shape.outputs(changed, inputs).astype(np.float64)
        if is_chance:
            return -(targets * np.log(found) + (1 - targets) * np.log(1 - found)).sum()
        return ((found - targets) ** 2).sum() / 2

    gradient = shape.gradient(weights, inputs, targets)
    for k in range(shape.n_weights):
        step = np.zeros(shape.n_weights)
        step[k] = 1e-3
        slope = (loss(weights + step) - loss(weights - step)) / 2e-3
        assert gradient[k] == pytest.approx(slope, abs=5e-3)


def test_adam_finds_what_no_single_layer_can():
    shape = Shape(2, (8,), True)
    optimiser = Adam.of(shape.drawn(np.random.default_rng(1)))
    inputs = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.float32)
    either = np.array([0, 1, 1, 0], dtype=np.float32)
    for _ in range(2000):
        optimiser.step(shape.gradient(optimiser.weights, inputs, either), 0.01, len(inputs))
    assert shape.outputs(optimiser.mean, inputs) == pytest.approx(either, abs=0.1)


def test_the_first_step_is_as_long_as_the_rate():
    # the moments are corrected for having begun at nothing (Kingma and Ba 2015, section 3)
    optimiser = Adam.of(np.zeros(2, dtype=np.float32))
    optimiser.step(np.array([4, -1e-3], dtype=np.float32), 0.5, 1)
    assert optimiser.weights == pytest.approx([-0.5, 0.5], rel=1e-3)


@pytest.mark.parametrize(("steps", "positions"), [(400, 256), (4000, 256), (4000, 2560)])
def test_the_mean_is_that_of_the_latest_weights(steps, positions):
    # a gradient that stays lets weights fall evenly: their mean says how far back it goes
    optimiser = Adam.of(np.zeros(1, dtype=np.float32))
    for _ in range(steps):
        optimiser.step(np.ones(1, dtype=np.float32), 1.0, positions)
    age = (optimiser.mean - optimiser.weights)[0]
    assert age == pytest.approx(min(0.1 * steps, 1_000_000 / positions), rel=0.12)


def test_layers_are_views_that_take_up_all_weights():
    shape = Shape(3, (2,), True)
    weights = np.arange(shape.n_weights, dtype=np.float32)
    (first, biases), (last, bias) = shape.layers(weights)
    assert first.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert biases.tolist() == [6, 7]
    assert (last.ravel().tolist(), bias.tolist()) == ([8, 9], [10])


GAMES = ["finkel:3", "skiriuk:3", "ben:2", "birds:3", "bell-stakes:2"]


@pytest.mark.parametrize("is_wide", [False, True])
@pytest.mark.parametrize("word", GAMES)
def test_values_from_states_are_those_of_their_features(word, is_wide):
    """The compiled first layer takes states, the network as it is trained takes features."""
    rules = named_rules(word)
    features, space = features_of(rules, is_wide), space_of(rules)
    shape = Shape(len(features), (16, 8), not rules.payoff.has_fines)
    rng = np.random.default_rng(1)
    weights = rng.normal(0, 0.3, shape.n_weights).astype(np.float32)
    rows = space.unrank_states(rng.integers(0, space.n_values, 500))
    found = NetworkValues(rules, shape, weights).state_values(rows)
    outputs = shape.outputs(weights, features.of(rows)) * scale_of(rules, rows)
    assert found == pytest.approx(outputs, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("word", GAMES)
def test_a_network_learns_from_features_that_are_1_what_it_does_from_all(word):
    rules = named_rules(word)
    features, space = features_of(rules, True), space_of(rules)
    shape = Shape(len(features), (16, 8), not rules.payoff.has_fines)
    rng = np.random.default_rng(1)
    weights = rng.normal(0, 0.3, shape.n_weights).astype(np.float32)
    rows = space.unrank_states(rng.integers(0, space.n_values, 50))
    targets = rng.random(50).astype(np.float32)
    one = shape.gradient(weights, features.inputs(rows), targets)
    other = shape.gradient(weights, features.of(rows), targets)
    assert np.abs(other).max() > 0.1
    assert one == pytest.approx(other, rel=1e-4, abs=1e-4)
    assert len(features.inputs(rows[:0]).ends) == 0
