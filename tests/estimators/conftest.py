from __future__ import annotations

import pathlib

import pytest

from ur_solver.api.table import Table
from ur_solver.estimators.calibration import Effort
from ur_solver.estimators.estimator import Estimator
from ur_solver.estimators.training import train_estimator
from ur_solver.rules import named_rules

ROUNDS = 8
EFFORT = Effort(positions=300, rollouts=32)


@pytest.fixture(scope="session", params=["finkel:2", "skiriuk:2"])
def trained(request, tmp_path_factory) -> pathlib.Path:
    """The file of a small estimator, trained for some seconds."""
    path = tmp_path_factory.mktemp("estimators") / f"{request.param.replace(':', '-')}.h5"
    rules = named_rules(request.param)
    train_estimator(rules, path, rounds=ROUNDS, hidden=(32, 16), effort=EFFORT)
    return path


@pytest.fixture
def estimator(trained: pathlib.Path) -> Estimator:
    return Estimator(trained, plies=1)


@pytest.fixture
def exact(estimator: Estimator, solved):
    """The exact table of the same rule set."""
    with Table(solved(estimator.rules)) as table:
        yield table
