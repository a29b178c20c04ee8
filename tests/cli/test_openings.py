"""Ben's opening in the terminal: played, taken back, kept and gone on with, and taken down."""

from __future__ import annotations

import json
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
    assert "light throws 0, dark throws 1\n" in output
    assert "\nyou threw 0: choose a square\n" in output
    assert "1 A@A4   2 A@A3   3 A@A2   4 A@A1" in output
    assert re.search(r"4  A@A1 +60\.\d+ % +best", output)
    assert re.search(r"1  A@A4 +50\.00 % +-10\.\d+", output)
    assert "you chose A2; dark's 1 enters on C4; light starts" in output
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
    assert "'9 9': for each side type 0 to 3" in output
    assert "'2' is not a round such as '2 1'" in output
    assert [each.text for each in record_of(path).opening] == ["A@A3 C@C3", "A3A1 C3B1"]
    ur("record", "ben:1", path, "--no-audit", "--resume", stdin="undo\n1 2\nquit\n")
    assert [each.throws for each in record_of(path).opening] == [(2, 2), (1, 2)]
    # a game whose opening nobody knows begins with a free throw
    other = tmp_path / "other.ur"
    ur("record", "ben:1", other, "--no-audit", stdin="skip\n2 a@a3\nquit\n")
    assert record_of(other).opening == ()
    assert len(record_of(other).plies) == 1


def test_no_turn_of_an_opening_is_gone_back_to(tmp_path):
    path = tmp_path / "opening.ur"
    output = ur("record", "ben:1", path, "--no-audit", stdin="0 0\nback 1\nquit\n")
    assert "there is no throw 1" in output


def test_sampled_games_begin_with_the_opening_and_the_best_squares(tmp_path, table):
    """The first player, and not light, has the advantage, by other programs 55.3971 %."""
    path = tmp_path / "games.ur"
    ur("sample", "ben:1", "-g", 2000, "-o", path)
    records = list(read_file(str(path)))
    assert all(record.opening[-1].position == record.start for record in records)
    wins = sum(record.winner == record.start.side for record in records)
    assert wins / 2000 == pytest.approx(0.553971, abs=4 * 0.0112)
    assert {record.start.side for record in records} == {"L", "D"}
    with Table(table) as answers:
        chosen = [
            each
            for audit in answers.audits(records[:200])
            for each in audit.opening
            if each.is_choice
        ]
    assert len(chosen) > 20
    assert all(each.is_best for each in chosen)


def test_squares_of_an_opening_are_practised(tmp_path, table):
    output = ur("practise", "ben:1", "--count", 400, "--json")
    asked = [json.loads(line) for line in output.splitlines()]
    of_openings = [each for each in asked if "opening" in each]
    assert {tuple(each["throws"]) for each in of_openings} >= {(0, 1), (1, 0)}
    path = tmp_path / "game.ur"
    path.write_text("rules: ben:1\nopening: 0-1 A@A2 C@C4\n\nend: unfinished\n")
    output = ur("practise", path, stdin="1\n4\n")
    assert "in the opening light threw 0 and dark 1; light chooses a square" in output
    assert "A@A4 is worth 50.0 %" in output
    assert "A@A1 is the best" in output
    assert "in the game A@A2 was played" in output
    assert "after A@A1, light throws" in output
    assert "choices in the opening and the first 8 throws" in ur("review", path)
