"""Commands that an estimator answers where there is no table."""

from __future__ import annotations

import json
import pathlib

import numpy as np
import pytest
from click.testing import CliRunner

from tests.cli.test_commands import run
from tests.estimators.test_file import stored_of
from tests.solving import make_table
from ur_solver.cli import cli
from ur_solver.cli.answering import text_of
from ur_solver.estimators.estimator import Estimator
from ur_solver.estimators.file import write
from ur_solver.estimators.finding import new_estimator_path
from ur_solver.rules import named_rules
from ur_solver.space import part_of

HERE = "L...__../..D...../....__.. L 6 6"


@pytest.fixture
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A folder of tables with nothing but an estimator of finkel with 7 pieces."""
    monkeypatch.setenv("UR_TABLES", str(tmp_path / "own"))
    path = new_estimator_path(named_rules("finkel:7"))
    path.parent.mkdir(parents=True)
    write(path, stored_of("finkel:7"))
    return path.parent.parent


def test_best_says_that_moves_are_estimates(folder):
    page = run("best", "finkel", HERE, "2")
    assert page.endswith(
        "values with ± are estimates, by a search of 3 plies, with their 95 % intervals\n"
    )
    assert page.count(" % ± 1") == 2
    assert ", perhaps" in page
    answer = json.loads(run("best", "finkel", HERE, "2", "--json"))
    for each in (answer, *answer["moves"]):
        assert each["exact"] is False
        assert each["error"] == pytest.approx(0.2 * 0.52, abs=0.01)


def test_query_says_that_the_value_is_an_estimate(folder):
    assert " % ± 1" in run("query", "finkel", HERE)
    answer = json.loads(run("query", "finkel", HERE, "--json"))
    assert (answer["exact"], answer["tolerance"]) == (False, None)
    assert 0 < answer["error"] < 0.2
    lines = run("query", "finkel", "-", stdin=f"{HERE}\n").splitlines()
    assert lines[0].startswith(f"{HERE}\t")
    assert lines[0].endswith(" % ± 10")


def test_rollouts_are_played_when_asked(folder):
    page = run("query", "finkel", HERE, "--rollouts", "20", "--cut", "4")
    assert "\n  by rollouts" in page
    wide, narrow = (
        json.loads(run("query", "finkel", HERE, "--json", *asked))["rollouts"]
        for asked in (("--rollouts", "20"), ("--within", "8"))
    )
    assert wide["high"] - wide["low"] > 0.16 > narrow["high"] - narrow["low"]
    for arguments, message in (
        (("--cut", "4"), "--cut needs --rollouts or --within"),
        (("--rollouts", "20", "--within", "1"), "exclude each other"),
    ):
        assert message in run("query", "finkel", HERE, *arguments, code=2)
    assert "rollouts take one position" in run("query", "finkel", "-", "--within", "1", code=2)
    assert "rollouts need an estimator" in run("query", "finkel:1", "--within", "1", code=2)


def test_plies_are_chosen(folder):
    one, four = (
        json.loads(run("best", "finkel", HERE, "2", "--json", "--plies", plies))["error"]
        for plies in "14"
    )
    assert one > 3 * four


def test_endings_of_a_table_are_exact(folder):
    rules = named_rules("finkel:7")
    make_table(rules, folder / "finkel-7-left-1.h5", part=part_of(rules, 1), threads=1)
    ending = "....__../.......L/....__.D L 0 0"
    for word in ("finkel", str(new_estimator_path(rules))):
        answer = json.loads(run("query", word, ending, "--json"))
        assert answer["value"] == pytest.approx(0.556701, abs=1e-6)
        assert answer.get("exact", True)
        assert json.loads(run("query", word, HERE, "--json"))["exact"] is False


def test_without_either_both_commands_are_offered(folder):
    message = run("best", "masters", HERE, "2", code=2)
    assert "'ur solve masters -n 7'" in message
    assert "'ur train masters -n 7' makes an estimator of it" in message


def test_train_makes_what_best_asks(folder):
    facts = json.loads(
        run("train", "masters", "-n", "1", "--rounds", "1", "--hidden", "4", "--json", "-q")
    )
    path = new_estimator_path(named_rules("masters:1"))
    assert facts["path"] == str(path)
    assert facts["rules"]["pieces"] == 1
    assert json.loads(run("info", str(path), "--json")) == facts
    told = run("info", str(path))
    assert told.startswith("masters with 1 piece: an estimator of ")
    assert "\n  32,768 positions of play in " in told
    assert not Estimator(path).is_exact(named_rules("masters:1").start())
    both = run("train", "masters", "--rounds", "1", "--minutes", "1", code=2)
    assert "--minutes and --rounds both say how long to train" in both
    assert "is not a list of sizes such as 128,64" in run(
        "train", "masters", "--hidden", "12,x", code=2
    )


def test_digits_are_those_that_an_estimate_has():
    chances, money = (Estimator(stored_of(word)) for word in ("finkel:1", "bell-stakes:1"))
    assert text_of(chances, 0.5312, 0.021) == "53 % ± 2"
    assert text_of(chances, 0.5312, 0.0021) == "53.1 % ± 0.2"
    assert text_of(money, 12.345, 0.41) == "12.3 ± 0.4"
    assert np.isclose(float(text_of(chances, 0.25, 0).split()[0]), 25)


def test_an_estimator_plays_where_there_is_no_table(folder):
    said = "there is no table of finkel with 7 pieces: an estimator plays, 1-ply"
    sampled = run("sample", "finkel", "-g", "20", "--players", "table,random")
    assert "20, 20 of them finished" in sampled
    assert said in CliRunner().invoke(cli, ["sample", "finkel", "-g", "2"]).stderr
    shares = json.loads(run("evaluate", "finkel", "--dark", "random", "-g", "40", "--json"))
    assert shares["games"] == 40
    game = run("play", "finkel", "--light", "table", "--plies", "1", "--seed", "3")
    assert "has won" in game
    assert "loses" not in game


def test_hints_of_an_estimator_are_named_estimates(folder):
    page = run("play", "finkel", "--plies", "1", "--seed", "3", "--hints", stdin="1\nquit\n")
    assert "\n  estimates" in page
