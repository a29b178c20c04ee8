"""`ur practise`: asked, tried again, shown and scored; lists, cards and pictures."""

from __future__ import annotations

import csv
import json
import re
import xml.etree.ElementTree

import pytest
from click.testing import CliRunner

from tests.games import random_game
from ur_solver.cli import cli
from ur_solver.cli import practise as cli_practise
from ur_solver.cli.practise import Quiz, write_cards
from ur_solver.records import write_games
from ur_solver.rules import named_rules
from ur_solver.study.practise import Problem, Weighed

GAME = """rules: finkel:2
Light: =Ann()
Dark: Ben

L 3 A@A2
D 0
L 4 A@A1
L 2 A2B1
D 0
L 3 A1B3
D 0
L 1 B1B2
end: unfinished
"""


@pytest.fixture(autouse=True)
def _table_of_finkel_2(finkel2):
    """Every command finds this table."""


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "evening.ur"
    write_games([random_game(named_rules("finkel:2"), seed) for seed in range(3)], path)
    return path


def practise(*arguments, stdin="", code=0):
    result = CliRunner().invoke(cli, ["practise", *map(str, arguments)], input=stdin)
    assert result.exit_code == code, result.output
    return result


def listed(*arguments):
    return [json.loads(line) for line in practise(*arguments, "--json").stdout.splitlines()]


def test_mistakes_are_asked_the_worst_first_and_once(path):
    found = listed(path, path, "--count", 50, "--cost", 0.01)
    costs = [each["cost"] for each in found]
    assert costs == sorted(costs, reverse=True)
    assert min(costs) >= 0.01
    keys = [(each["position"], each["choice"], *each["throws"]) for each in found]
    assert len(set(keys)) == len(keys)
    assert listed(path, "--count", 2, "--cost", 0.01) == found[:2]


def test_right_wrong_and_shown(path):
    first, second, third = listed(path, "--count", 3)
    wrong, right = first["options"][-1]["move"], first["options"][0]["move"]
    answers = f"{wrong}\n{right.lower()}\nnonsense\n{second['options'][0]['move']}\nshow\n"
    shown = practise(path, "--count", 3, stdin=answers)
    assert "2 of 3" in shown.stdout
    assert shown.stdout.count("try again") == 1
    before, _, after = shown.stdout.partition("try again")
    assert f"{right} is the best" not in before
    assert f"{right} is the best" in after
    assert f"in the game {third['played']} was played" in after
    assert "'nonsense' is not a move here: 1 " in shown.stderr
    lost = 100 * (first["options"][-1]["loss"] + third["cost"]) / 3
    assert (
        f"1 of 3 decisions right at the first try; your first answers cost {lost:.1f} points each"
        in after
    )


def test_skipping_and_leaving(path):
    shown = practise(path, "--count", 3, stdin="skip\nquit\n")
    assert "2 of 3: finkel:2" in shown.stdout
    assert "first try" not in shown.stdout
    assert "is the best" not in shown.stdout
    practise(path, "--count", 3, stdin="")  # the end of the input


def test_one_player(tmp_path):
    path = tmp_path / "evening.ur"
    path.write_text(GAME)
    found = listed(path, "--cost", 0, "--player", "light")
    assert found
    assert listed(path, "--cost", 0, "--player", "=ann()") == found
    assert "no decision in which" in practise(path, "--cost", 0, "--player", "Ben").stderr
    assert "plays in none" in practise(path, "--player", "Cleo", code=2).stderr
    assert "needs FILE" in practise("finkel:2", "--player", "Ben", code=2).stderr


def test_drawn_decisions_cost_enough_and_follow_the_seed():
    found = listed("finkel:2", "--cost", 0.1)
    assert len(found) == 10
    for each in found:
        best, second, *_ = each["options"]
        assert each["cost"] == pytest.approx(second["loss"])
        assert each["cost"] >= 0.1
        assert best["loss"] == 0
        assert "played" not in each
    assert listed("finkel:2", "--cost", 0.1) == found
    assert listed("finkel:2", "--cost", 0.1, "--seed", 2) != found


def rows_of(cards):
    lines = cards.read_text().splitlines(keepends=True)
    assert all(line.startswith("#") for line in lines[:4])
    return list(csv.reader(lines[4:]))


def test_cards(tmp_path, path):
    cards, pictures = tmp_path / "cards.csv", tmp_path / "media"
    shown = practise(path, "--count", 4, "--cards", cards, "--pictures", pictures)
    assert shown.stderr == f"4 cards written to {cards}\n"
    rows = rows_of(cards)
    found = listed(path, "--count", 4)
    for (front, back, tags), each in zip(rows, found, strict=True):
        name = front.removeprefix('<img src="').partition('"')[0]
        assert xml.etree.ElementTree.parse(pictures / name).getroot().tag.endswith("svg")
        assert f"threw {each['throws'][0]}" in front
        assert all(option["move"] in front for option in each["options"])
        assert back.startswith(f"<p><b>{each['options'][0]['move']}</b></p>")
        assert tags == "ur finkel-2"
    assert len(list(pictures.iterdir())) == len({row[0].split('"')[1] for row in rows})
    assert len(listed(path, "--count", 1, "--cards", cards)) == 1
    (row,) = rows_of(cards)
    assert row[0].startswith("<pre>     1  2  3")


def test_every_best_move_is_an_answer(tmp_path):
    """Of moves with equal values, none is better because it comes first."""
    options = tuple(
        Weighed(text, 0.5 - loss, loss, 0.0, 0.0)
        for text, loss in (("A1A2", 0.1), ("B1B2", 1e-13), ("A@A3", 0.0), ("C1C2", 0.01))
    )
    write_cards([Problem(named_rules("finkel:2").start(), "", (3,), options)], tmp_path / "a.csv")
    (row,) = rows_of(tmp_path / "a.csv")
    assert row[1].startswith("<p><b>A@A3</b> or <b>B1B2</b></p>")
    assert row[1].count("<td>best</td>") == 2
    assert row[1].count(" lost</td>") == 2


def test_no_field_of_a_card_is_a_formula(tmp_path):
    path, cards = tmp_path / "=1+2.ur", tmp_path / "cards.csv"
    path.write_text(GAME)
    practise(path, "--cost", 0, "--cards", cards)
    for row in rows_of(cards):
        assert not any(field.startswith(("=", "+", "-", "@", "\t")) for field in row)


def test_games_that_fail_are_reported(tmp_path, path):
    path.write_text(f"{path.read_text()}\nrules: finkel:2\nL 9 A@A2\nend: unfinished\n")
    assert "throw 9" in practise(path, stdin="quit\n", code=2).stderr
    assert "needs '--cards'" in practise(path, "--pictures", tmp_path / "x", code=2).stderr


def test_an_estimator_asks_too(tmp_path):
    from tests.estimators.test_file import stored_of
    from ur_solver.estimators.file import write

    write(tmp_path / "e.h5", stored_of("skiriuk:3"))
    found = listed(tmp_path / "e.h5", "--plies", "1", "--cost", 0, "--count", 2)
    assert all("error" in option for option in found[0]["options"])
    shown = practise(tmp_path / "e.h5", "--plies", "1", "--cost", 0, "--count", 1, stdin="show\n")
    assert "values with ± are estimates" in shown.stdout


def test_the_best_and_what_is_too_close_to_call_are_kept_apart(tmp_path, monkeypatch, capsys):
    found = {"A@A3": (0.0, 0.0), "A1A2": (0.02, 0.05), "C1C2": (0.2, 0.05)}
    options = tuple(
        Weighed(text, 0.5 - lost, lost, 0.04, off) for text, (lost, off) in found.items()
    )
    problem = Problem(named_rules("finkel:2").start(), "", (3,), options)
    write_cards([problem], tmp_path / "a.csv")
    (row,) = rows_of(tmp_path / "a.csv")
    assert row[1].startswith("<p><b>A@A3</b>; too close to call: <b>A1A2</b></p>")
    assert re.findall(r"<td>([^<]*)</td></tr>", row[1]) == [
        "best", "2.0 points lost, too close to call", "20.0 points lost"
    ]  # fmt: skip
    verdicts = [each["verdict"] for each in problem.to_json()["options"]]
    assert verdicts == ["best", "close", "worse"]
    monkeypatch.setattr(cli_practise, "_next_text", lambda *_: "")
    monkeypatch.setattr(cli_practise, "note_of", lambda _: "")
    answers = iter(["C1C2", "A1A2", "A1A2", "A@A3"])
    monkeypatch.setattr(cli_practise, "ask", lambda *_: next(answers))
    Quiz([(problem, None)] * 3).ask()
    said = capsys.readouterr().out
    assert said.count("A1A2 is too close to call, and A@A3 may be better:") == 2
    assert said.count("A@A3 is the best:") == 1
    assert said.count("-2.00, too close to call") == 3
    assert "1 of 3 decisions right at the first try, 1 too close to call;" in said
