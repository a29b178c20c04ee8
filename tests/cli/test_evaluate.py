"""`ur evaluate` through click's runner."""

import json

import pytest

from tests.cli.test_commands import run


@pytest.fixture(autouse=True)
def _table_of_finkel_2(finkel2):
    """Every command finds this table."""


def test_exact_figures():
    lines = run("evaluate", "finkel:2", "--dark", "random").splitlines()
    assert lines[0].split() == ["table", "(light)", "wins", "75.49949159", "%"]
    assert lines[1].split() == ["random", "(dark)", "wins", "24.50050841", "%"]
    assert lines[2].split() == ["throws", "in", "a", "game", "36.725383"]
    assert lines[-1].endswith("none: the figures are exact")
    found = json.loads(run("evaluate", "finkel:2", "--dark", "random", "--json"))
    assert list(found) == ["light", "dark", "light_chance", "throws", "throws_deviation", "games"]
    assert found["light_chance"] == pytest.approx(0.7549949159, abs=1e-9)


def test_sampled_figures():
    arguments = ("evaluate", "finkel:2", "--light", "capture+safe", "-g", "500", "--json")
    found = json.loads(run(*arguments))
    assert found == json.loads(run(*arguments))
    assert found["games"] == 500
    chance = found["light_chance"]
    assert list(chance) == ["value", "low", "high"]
    assert chance["low"] < chance["value"] < chance["high"]
    assert "±" in run(*arguments[:-1])


def test_faults():
    assert "unknown part 'lucky'" in run("evaluate", "finkel:2", "--light", "lucky", code=2)
    both = run("evaluate", "finkel:2", "--light", "reply", "--dark", "reply", code=2)
    assert "needs a policy to reply to" in both
