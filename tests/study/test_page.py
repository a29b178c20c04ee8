"""`ur study` through click's runner."""

import json

import pytest

from tests.cli.test_commands import run

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _table_of_finkel_2(finkel2):
    """Every command finds this table."""


def test_study_for_people_and_as_json(monkeypatch):
    found = json.loads(run("study", "finkel:2", "-g", "400", "--json"))
    assert found["games"] == 400
    monkeypatch.setattr("ur_solver.cli.study.study", lambda *_given, **_named: found)
    text = run("study", "finkel:2", "-g", "400")
    for part in ("fairness", "length", "choices", "drama", "luck and skill", "squares", "remember"):
        assert part in text
    assert "the first player wins    51.8573 %" in text
    order = found["thumbs"]["orders"][-1]["order"]
    assert f"  {order}" in text
    assert "1. Prefer " in text


def test_a_study_says_what_it_does_if_asked():
    from click.testing import CliRunner

    from ur_solver.cli import cli

    result = CliRunner().invoke(cli, ["study", "finkel:2", "-g", "100", "-v", "--json"])
    lines = result.stderr.splitlines()
    assert lines[0] == "100 games of the table against itself"
    assert "table against greedy" in lines
    assert json.loads(result.stdout)["games"] == 100
