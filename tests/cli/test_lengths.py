"""Lengths of games on the command line."""

from __future__ import annotations

import json
import re
import shlex

import pytest
from click.testing import CliRunner

from ur_solver.cli import cli

POSITION = "'L...__../..D...../....__.. L 0 0'"


@pytest.fixture
def ask(tmp_path, monkeypatch):
    monkeypatch.setenv("UR_TABLES", str(tmp_path))

    def asked(line, code=0, **options):
        result = CliRunner().invoke(cli, shlex.split(line), **options)
        assert result.exit_code == code, result.output
        return result.stdout if code == 0 else result.stderr

    return asked


def test_lengths_are_solved_asked_and_verified(ask, tmp_path):
    report = ask("solve finkel:1 --objective length-max")
    assert report.startswith(
        "finkel with 1 piece: the longest game takes 17.061881 throws on average"
    )
    assert "proven" in report
    assert ask("solve finkel:1 --objective length-max") == ""
    facts = json.loads(ask("solve finkel:1 --objective length-max --json"))
    assert facts["path"] == str(tmp_path / "finkel-1-length-max.h5")
    assert (facts["solved"], facts["seconds"], facts["objective"]) == (False, None, "length-max")
    page = ask("query finkel:1 --objective length-max")
    assert "throws to come" in page
    assert "17.061881" in page
    found = json.loads(ask(f"query finkel:1 {POSITION} --objective length-max --json"))
    assert found["length"] == pytest.approx(
        1
        + sum(
            each["probability"] * max(move["length"] for move in each["moves"])
            for each in json.loads(ask(f"best finkel:1 {POSITION} --objective length-max --json"))[
                "throws"
            ]
        )
    )
    moves = ask(f"best finkel:1 {POSITION} 2 --objective length-max")
    assert "throws after it" in moves
    assert "A1B2" in moves
    assert "no move, the turn passes" in ask(f"best finkel:1 {POSITION} 0 --objective length-max")
    assert "proven again" in ask("verify finkel:1 --objective length-max")
    assert json.loads(ask("verify finkel:1 --objective length-max --json"))["right"]
    assert ask("tables verify").endswith("finkel-1-length-max.h5: right\n")
    (kept,) = [json.loads(line) for line in ask("tables --json").splitlines() if "length" in line]
    assert kept["objective"] == "length-max"


def test_lengths_of_best_play_take_the_table(ask, tmp_path):
    assert "both sides play to win" in ask("solve finkel:1 --objective length")
    assert (tmp_path / "finkel-1.h5").exists()
    assert "proven again" in ask("verify finkel:1 --objective length")
    replaced = json.loads(ask("solve finkel:1 --objective length --force --json"))
    assert replaced["solved"]
    (tmp_path / "finkel-1.h5").unlink()
    lines = "....__../......../....__.. L 1 1\nx\n"
    answers = ask("query finkel:1 - --objective length", 2, input=lines)
    assert "1 line of 2 could not be answered" in answers
    answers = ask("best finkel:1 - --objective length", input=f"{lines[:-2]}")
    assert answers.startswith("....__../......../....__.. L 1 1\t0: ")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("query finkel:1 --objective length", "'ur solve finkel -n 1 --objective length' makes it"),
        ("query finkel:1 --objective length --rollouts 9", "--rollouts is not for lengths"),
        ("best finkel:1 --objective length --plies 2", "--plies is not for lengths"),
        ("verify finkel:1 --objective length --threads 2", "--threads is not for lengths"),
        ("solve finkel:1 --objective length --left 1", "--left is not for lengths of games"),
        ("solve bell-stakes:1 --objective length-max", "bell-stakes has stakes"),
        ("solve finkel:1 --objective longest", "is not one of"),
    ],
)
def test_what_is_refused(ask, line, message):
    assert message in ask(line, 2)


def test_other_commands_refuse_lengths_by_name(ask, tmp_path):
    ask("solve finkel:1 --objective length-max -q")
    path = tmp_path / "finkel-1-length-max.h5"
    for command in ("query", "evaluate", "export", "certify"):
        line = f"{command} {path}" + (" map.rgu" if command == "export" else "")
        assert "has the objective 'length-max', not 'win'" in ask(line, 2)
    assert "finkel:1" in ask("tables")


def test_info_describes_a_table_of_lengths(ask, tmp_path):
    ask("solve finkel:1 --objective length-max -q")
    path = tmp_path / "finkel-1-length-max.h5"
    page = ask("info finkel:1 --objective length-max")
    lines = dict(re.split(r"  +", line, maxsplit=1) for line in page.splitlines())
    assert lines["objective"] == "length-max"
    assert lines["throws to come at the start"] == "17.061881"
    assert lines["positions"] == "217"
    assert lines["proven error"].endswith("throws")
    assert ask(f"info {path}") == page
    facts = json.loads(ask(f"info {path} --json"))
    assert facts["objective"] == "length-max"
    assert facts["length"] == pytest.approx(17.061881, abs=1e-6)
    assert facts["error"] == max(facts["block_errors"])
    assert facts["bytes"] == path.stat().st_size
    assert "makes it" in ask("info finkel:1 --objective length", 2)
