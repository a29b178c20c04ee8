"""An estimator next to its table: `Estimator.compared_with` and `ur evaluate --against`."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner

import ur_solver as ur
from ur_solver.cli import cli
from ur_solver.envs import policy_regret
from ur_solver.errors import InputError, NotAnEstimatorError, RuleSetMismatchError
from ur_solver.estimators.calibration import positions_of_play
from ur_solver.players.policies import TablePolicy

pytestmark = pytest.mark.medium


def test_figures_are_those_of_values_one_by_one(estimator, exact):
    found = estimator.compared_with(exact, positions=300, games=2, seed=4)
    rows = positions_of_play(estimator.network, 300, 1004)
    off, inside = [], 0
    for row in rows.tolist():
        position = exact.space.decode(row)
        difference = estimator.value(position) - exact.value(position)
        off.append(difference)
        inside += abs(difference) <= estimator.error(position)
    assert found.positions == 300
    assert found.rms == pytest.approx(math.sqrt(sum(each**2 for each in off) / 300))
    assert found.p99 == pytest.approx(np.quantile(np.abs(off), 0.99))
    assert found.bias == pytest.approx(sum(off) / 300)
    assert found.inside == inside / 300


@pytest.mark.parametrize("trained", ["finkel:2"], indirect=True)
def test_losses_are_those_of_every_decision_of_the_game(trained, solved):
    # which are summed exactly, over all positions
    estimator = ur.Estimator(trained, plies=1)
    with ur.Table(solved(estimator.rules)) as table:
        found = estimator.compared_with(table, positions=100, games=4000)
        wanted = policy_regret(table, TablePolicy(estimator.player)).in_play
    assert wanted.games == 0
    for own, exactly in ((found.game_loss, wanted.loss), (found.choice_loss, wanted.mean)):
        assert abs(own.value - exactly.value) < 2 * own.margin < 0.3 * exactly.value
    assert found.games == 4000


def test_tables_that_lie_around_do_not_count(trained, exact):
    bare = ur.Estimator(trained, plies=2)
    beside = ur.Estimator(trained, plies=2, exact=exact)
    asked = {"positions": 600, "games": 40}
    assert beside.compared_with(exact, **asked) == bare.compared_with(exact, **asked)
    assert bare.compared_with(exact, **asked).rms > 0


def test_a_table_of_endings_is_asked_for_values_alone(tmp_path):
    estimator = ur.train("finkel:3", tmp_path / "finkel.h5", rounds=2, hidden=(8,))
    with ur.solve("finkel:3", tmp_path / "endings.h5", left=1) as endings:
        found = estimator.looking(1).compared_with(endings, positions=500)
        assert 10 < found.positions < 5000
        assert 0 < found.rms < 1
        assert (found.differences_inside, found.choice_loss, found.games) == (None, None, 0)
        assert json.loads(json.dumps(found.to_json()))["game_loss"] is None


def test_with_stakes_figures_are_money(tmp_path):
    estimator = ur.train("bell-stakes:1", tmp_path / "small.h5", rounds=2, hidden=(8,))
    with ur.solve("bell-stakes:1", tmp_path / "table.h5") as table:
        found = estimator.looking(1).compared_with(table, positions=200, games=40)
        value = table.value(table.rules.start())
        assert 0.01 * value < found.rms < value
        assert found.inside > 0.8


def test_what_cannot_be_compared(estimator, exact, tmp_path):
    other = ur.solve("finkel:1", tmp_path / "other.h5")
    with pytest.raises(RuleSetMismatchError, match="the table is of finkel with 1 piece"):
        estimator.compared_with(other)
    for asked, fault in (
        ({"positions": 0}, "positions is 0; expected 1 or more"),
        ({"games": 1}, "games is 1; expected 2 or more"),
        ({"seed": -1}, "seed"),
        ({"threads": 0}, "threads is 0"),
    ):
        with pytest.raises(InputError, match=fault):
            estimator.compared_with(exact, **({"positions": 5, "games": 2} | asked))


@pytest.fixture
def ur_of(tmp_path, monkeypatch):
    monkeypatch.setenv("UR_TABLES", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    ur.train("finkel:1", rounds=2, hidden=(8,))
    ur.train("finkel:1", "small.h5", rounds=2, hidden=(8,))
    ur.solve("finkel:1").close()

    def run(*words):
        return CliRunner().invoke(cli, ["evaluate", *words])

    return run


def test_the_command_prints_what_the_function_finds(ur_of):
    with ur.Estimator("small.h5") as estimator, ur.open_table("finkel:1") as table:
        wanted = [estimator.looking(n).compared_with(table, seed=3, games=60) for n in (1, 2, 3)]
    asked = ["small.h5", "--against", "finkel:1", "--seed", "3", "-g", "60"]
    found = json.loads(ur_of(*asked, "--json").output)
    assert found == {"against": "finkel:1", "comparisons": [each.to_json() for each in wanted]}
    assert found["comparisons"][0]["rms"] > 0  # the table of finkel 1 is not asked for these values
    head, *lines, units = ur_of(*asked).output.splitlines()
    assert head.split()[:5] == ["plies", "positions", "RMS", "99", "%"]
    first = wanted[0]
    assert lines[0].split()[:4] == [
        "1",
        "2,000",
        f"{100 * first.rms:.2f}",
        f"{100 * first.p99:.2f}",
    ]
    assert f"{100 * first.game_loss.value:.2f} ± {100 * first.game_loss.margin:.2f}" in lines[0]
    assert units == "errors and losses are in points"
    only = json.loads(ur_of(*asked, "--json", "--plies", "2").output)
    assert only["comparisons"] == [found["comparisons"][1]]
    by_name = json.loads(ur_of("finkel:1", *asked[1:], "--json").output)
    assert by_name == found  # both were trained alike


def test_the_command_says_what_does_not_fit(ur_of):
    for words, fault in (
        (["small.h5", "--against", "finkel:1", "--light", "first"], "without --light"),
        (["small.h5", "--against", "finkel:1", "--policy", "first"], "without --against"),
        (["small.h5", "--against", "small.h5"], "small.h5"),
        (["small.h5", "--against", "nothing.h5"], "nothing.h5"),
        (["finkel-1.h5", "--against", "finkel:1"], "finkel-1.h5"),
        (["aseb:1", "--against", "finkel:1"], "there is no estimator of aseb"),
    ):
        done = ur_of(*words)
        assert done.exit_code != 0
        assert done.exception is None or isinstance(done.exception, SystemExit | ur.errors.UrError)
        assert fault in (done.output + str(done.exception)), words
    with pytest.raises(NotAnEstimatorError):
        ur.open_estimator("finkel-1.h5")
