"""`ur evaluate` through click's runner."""

import json

import pytest

from tests.cli.test_commands import run
from ur_solver.rules import named_rules

pytestmark = pytest.mark.medium


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


def test_the_regret_of_a_policy_in_a_file(tmp_path, solved):
    solved(named_rules("ben:1"))
    mine = tmp_path / "mine.py"
    mine.write_text("def policy(position, options):\n    return options[0]\n")
    arguments = ("evaluate", "ben:1", "--examples", "2", "--policy")
    page = run(*arguments, str(mine))
    decisions = json.loads(run(*arguments, "greedy", "--json"))["decisions"]
    assert f"{decisions:,} in all positions" in page
    assert page.count("....__") >= 2


@pytest.mark.slow
def test_the_regret_of_a_policy():
    arguments = ("evaluate", "finkel:2", "--examples", "2", "--policy")
    found = json.loads(run(*arguments, "greedy", "--json"))
    perfect = json.loads(run("evaluate", "finkel:2", "--json"))["light_chance"]
    as_light = json.loads(run("evaluate", "finkel:2", "--light", "greedy", "--json"))[
        "light_chance"
    ]
    as_dark = json.loads(run("evaluate", "finkel:2", "--dark", "greedy", "--json"))["light_chance"]
    loss = (perfect - as_light + as_dark - perfect) / 2
    assert found["in_play"]["loss"] == pytest.approx(loss, abs=1e-11)
    assert len(found["closest"]) == len(found["worst"]) == 2
    classes = sum(each["decisions"] for each in found["margins"])
    assert classes + found["ties"] == found["decisions"] == 30301


def test_policies_that_cannot_be_judged(tmp_path):
    assert "without --games" in run("evaluate", "finkel:2", "--policy", "first", "-g", "9", code=2)
    assert "no file" in run("evaluate", "finkel:2", "--policy", str(tmp_path / "no.py"), code=2)
    bad = tmp_path / "bad.py"
    bad.write_text("def policy(position, options):\n    return options[9]\n")
    assert "has failed: IndexError" in run("evaluate", "finkel:2", "--policy", str(bad), code=2)
