"""Backends: what one computes on a GPU is what NumPy computes.

No GPU is needed: the few names of CuPy that the script uses are NumPy's here.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from tests.scripts import script_module
from ur_solver.estimators.network import features_of
from ur_solver.estimators.training import Backend, Training
from ur_solver.rules import named_rules
from ur_solver.space import space_of


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch):
    """The class of backends by CuPy."""
    names = {name: getattr(np, name) for name in ("asarray", "zeros")}
    stand_in = SimpleNamespace(**names, asnumpy=np.asarray)
    monkeypatch.setitem(sys.modules, "cupy", stand_in)
    return script_module("gpu_backend").GpuBackend


@pytest.mark.parametrize("word", ["finkel:3", "skiriuk:3", "ben:2", "birds:3", "bell-stakes:2"])
def test_a_gpu_gives_the_same_inputs_and_values(word, gpu):
    rules = named_rules(word)
    space = space_of(rules)
    rows = space.unrank_states(np.random.default_rng(1).integers(0, space.n_values, 200))
    ours, theirs = Backend(rules), gpu(rules)
    every = np.eye(len(features_of(rules, True)), dtype=np.float32)
    assert np.array_equal(ours.inputs(rows) @ every, theirs.inputs(rows))
    shape = Training(rules, (16, 8)).shape
    weights = shape.drawn(np.random.default_rng(2))
    one, other = (each.values(shape, weights).state_values(rows) for each in (ours, theirs))
    assert one == pytest.approx(other, rel=1e-4, abs=1e-6)


def test_a_training_by_another_backend_of_the_same_sizes_is_the_same(gpu):
    rules = named_rules("bell-stakes:1")
    sizes = replace(Backend.sizes, games=32)
    found = []
    for backend in (Backend(rules), gpu(rules)):
        backend.sizes = sizes
        training = Training(rules, (8,), backend=backend)
        with ThreadPoolExecutor(2) as pool:
            training.round(pool, 0.0)
        found.append(training.weights)
    assert found[0] == pytest.approx(found[1], abs=1e-4)
