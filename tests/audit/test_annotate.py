"""Annotated games: findings against a table asked move by move, kept by every notation."""

import re

import pytest
from click.testing import CliRunner

import ur_solver as ur
from tests.games import random_game, write_text
from ur_solver.answers.decisions import Thresholds
from ur_solver.audit.texts import annotated
from ur_solver.cli import cli
from ur_solver.records import read_text
from ur_solver.rules import named_rules

GAME = """rules: finkel:2
# an evening in May
Light: Ann

L 3 A@A2  # [%clk 0:12] at last
D 0
L 2 A2B1
D 4 C@C1
D 4 C1B4
D 1 B4B5
L 3 A@A2
end: unfinished
"""


@pytest.fixture
def table(finkel2):
    with ur.Table(finkel2) as table:
        yield table


@pytest.fixture(scope="module")
def game():
    (game,) = read_text(GAME)
    return game


def command(text, name):
    found = re.search(rf"\[%{name} ([^\]]*)\]", text)
    return found and found[1]


def test_findings_are_those_of_the_table(table, game):
    """The chance before each next throw, the best move and its loss, as queries give them."""
    (audit,) = table.audits([game])
    record = annotated(audit, Thresholds())
    start = table.value(game.start)
    assert float(command(record.comments[0], "chance").rstrip(" %")) == pytest.approx(
        100 * start, abs=0.0051
    )
    for k, ply in enumerate(game.plies, start=1):
        text = record.comments[k]
        if k < len(game.plies):
            after = game.stepper.position(game.plies[k].state, game.plies[k].side)
            value = table.value(after)
            value = value if after.side == "L" else 1 - value
            assert command(text, "chance") == f"{100 * value:.2f} %"
        moves = table.moves(game.stepper.position(ply.state, ply.side), ply.throw)
        played = next((each for each in moves if each.move.text == game.move_text(ply)), None)
        if played is None or moves[0].value - played.value < 1e-6:
            assert command(text, "best") is None
            assert command(text, "loss") is None
        else:
            assert command(text, "best") == moves[0].move.text
            lost = moves[0].value - played.value
            assert command(text, "loss") == f"{100 * lost:.2f}"
            marks = [(0.06, "blunder"), (0.03, "mistake"), (0.015, "inaccuracy"), (0, None)]
            mark = next(mark for least, mark in marks if lost >= least)
            assert command(text, "mark") == mark
    assert any(command(text, "best") for text in record.comments.values())


def test_comments_stay_and_findings_are_replaced(table, game):
    (audit,) = table.audits([game])
    record = annotated(audit, Thresholds())
    assert record.comments[0].endswith("] an evening in May")
    assert record.comments[1].endswith("[%clk 0:12] at last")
    (again,) = table.audits([record])
    assert annotated(again, Thresholds()) == record
    (audit,) = table.audits([record])
    marked = annotated(audit, Thresholds(1e-6, 1e-6, 1e-6)).comments
    best = [k for k, text in record.comments.items() if command(text, "best")]
    assert [k for k, text in marked.items() if command(text, "mark") == "blunder"] == best


@pytest.mark.parametrize("suffix", [".rgn", ".json", ".ur"])
def test_every_notation_keeps_findings(table, game, suffix):
    (audit,) = table.audits([game])
    record = annotated(audit, Thresholds())
    (back,) = read_text(write_text(record, suffix))
    assert back.comments == record.comments
    assert [ply.played for ply in back.plies] == [ply.played for ply in game.plies]


@pytest.mark.parametrize("word", ["birds:2", "bell-stakes:1", "skiriuk:1"])
def test_choices_money_and_first_throws(solved, word):
    games = [random_game(named_rules(word), seed) for seed in range(4)]
    with ur.Table(solved(named_rules(word))) as table:
        records = [annotated(audit, Thresholds()) for audit in table.audits(games)]
    text = "\n".join(text for record in records for text in record.comments.values())
    assert ("[%money " in text) == (word == "bell-stakes:1")
    assert ("[%best_choice " in text) == (word == "birds:2")
    for record in records:
        assert list(record.comments) == list(range(len(record.plies) + 1))
        (back,) = read_text(write_text(record, ".ur"))
        assert back.comments == record.comments


def test_the_command(finkel2, tmp_path):
    games, output = tmp_path / "games.ur", tmp_path / "annotated.rgn"
    games.write_text(f"{GAME}\n{GAME}")
    result = CliRunner().invoke(cli, ["audit", str(games), "--annotate", str(output)])
    assert result.exit_code == 0, result.output
    assert output.read_text().count("[%best ") == output.read_text().count("[%loss ") > 0
    again = CliRunner().invoke(cli, ["audit", str(output), "--annotate", f"{output}.ur", "--json"])
    assert again.exit_code == 0, again.output
    assert len(again.stdout.splitlines()) == 2
    for name, message in (("x.txt", "nor a suffix of"), ("games.ur", "would overwrite")):
        words = ["audit", str(games), "--annotate", str(tmp_path / name)]
        result = CliRunner().invoke(cli, words)
        assert message in result.stderr
    assert games.read_text() == f"{GAME}\n{GAME}"
