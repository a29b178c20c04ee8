"""Ben's opening in the terminal: played, taken back, kept and gone on with, and taken down."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from ur_solver.api.table import Table
from ur_solver.cli import cli
from ur_solver.records import read_file
from ur_solver.rules import named_rules

BEN = named_rules("ben:1")
ZERO_OF_LIGHT = 7
"""A seed by which light throws a zero in the first round, and dark a 1."""


@pytest.fixture(autouse=True)
def table(solved, monkeypatch):
    path = solved(BEN)
    monkeypatch.setenv("UR_TABLES", str(path.parent))
    return path


def ur(*arguments, stdin=None):
    result = CliRunner().invoke(cli, [*map(str, arguments)], input=stdin)
    assert result.exit_code == 0, result.output
    return result.output


def play(*arguments, stdin=None):
    return ur("play", "ben:1", "--no-audit", *arguments, stdin=stdin)


def record_of(path):
    (record,) = read_file(str(path))
    return record


def test_a_zero_chooses_its_square(tmp_path):
    path = tmp_path / "game.ur"
    output = play("--seed", ZERO_OF_LIGHT, "-o", path, stdin="hint\na@a2\nquit\n")
    assert "light 0, dark 1\n" in output
    assert "1 A@A4   2 A@A3   3 A@A2   4 A@A1" in output
    assert re.search(r"4  A@A1 +60\.\d+ % +best", output)
    assert re.search(r"1  A@A4 +50\.00 % +-10\.\d+", output)
    assert "light chooses: A@A2 C@C4; light is the first player" in output
    record = record_of(path)
    assert [(each.throws, each.text) for each in record.opening] == [((0, 1), "A@A2 C@C4")]
    assert record.start.notation == ".L..__../......../...D__.. L 0 0"


def test_a_square_is_taken_back_and_the_dice_are_the_same(tmp_path):
    straight, back = tmp_path / "straight.ur", tmp_path / "back.ur"
    play("--seed", ZERO_OF_LIGHT, "-o", straight, stdin="4\n" + "1\n" * 200)
    play("--seed", ZERO_OF_LIGHT, "-o", back, stdin="1\nundo\n4\nundo\n4\n" + "1\n" * 200)
    assert record_of(back).opening == record_of(straight).opening
    assert back.read_text() == straight.read_text()


def test_a_game_left_in_its_opening_is_resumed(tmp_path):
    path = tmp_path / "game.ur"
    # the square A4 is level with dark's: another round follows
    play("--seed", ZERO_OF_LIGHT, "-o", path, stdin="1\n1\nquit\n")
    whole = record_of(path)
    assert whole.opening[0].text == "A@A4 C@C4"
    play("--seed", ZERO_OF_LIGHT, stdin="quit\n")
    play("--resume", "-o", path, stdin="1\n1\nquit\n")
    assert record_of(path).opening == whole.opening


def test_the_programs_players_choose_by_the_table(tmp_path, table):
    chosen = 0
    with Table(table) as answers:
        for seed in range(8):
            path = tmp_path / f"{seed}.ur"
            play("--light", "table", "--dark", "weak", "--seed", seed, "-o", path)
            audit = answers.audit(record_of(path))
            chosen += sum(each.is_choice for each in audit.opening)
            assert all(each.is_best for each in audit.opening if each.is_choice)
    assert chosen > 0


def test_the_audit_of_a_played_game_begins_before_the_opening():
    output = ur("play", "ben:1", "--light", "table", "--seed", 3)
    assert "50.0 before the opening" in output


def test_an_opening_is_taken_down_and_corrected(tmp_path):
    path = tmp_path / "game.ur"
    typed = ["9 9", "2", "2 2", "0-1", "a3a1", "1", "undo", "undo", "0-3", "2", "quit"]
    output = ur("record", "ben:1", path, "--no-audit", stdin="\n".join(typed) + "\n")
    assert "9-9 is not what 3-binary dice show" in output
    assert "'2' is not a round such as '2 1'" in output
    assert [each.text for each in record_of(path).opening] == ["A@A3 C@C3", "A3A1 C3B1"]
    ur("record", "ben:1", path, "--no-audit", "--resume", stdin="undo\n1 2\nquit\n")
    assert [each.throws for each in record_of(path).opening] == [(2, 2), (1, 2)]
    # a game whose opening nobody knows begins with a free throw
    other = tmp_path / "other.ur"
    ur("record", "ben:1", other, "--no-audit", stdin="skip\n2 a@a3\nquit\n")
    assert record_of(other).opening == ()
    assert len(record_of(other).plies) == 1
