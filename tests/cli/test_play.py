"""`ur play`: what is typed, taken back, shown, kept and gone on with."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
from itertools import pairwise

import pytest
from click.testing import CliRunner

from ur_solver.cli import cli
from ur_solver.cli.playing import chosen_index
from ur_solver.records import read_file
from ur_solver.rules import named_rules
from ur_solver.rules.drawing import FROM, TO, board_text, position_text
from ur_solver.table.names import FOLDER_VARIABLE, games_folder


@pytest.fixture(autouse=True)
def _table_of_finkel_2(finkel2):
    """Every command finds this table."""


def play(*arguments, stdin, code=0):
    arguments = ["play", "finkel:2", "--no-audit", *map(str, arguments)]
    result = CliRunner().invoke(cli, arguments, input=stdin)
    assert result.exit_code == code, result.output
    return result


def test_what_is_typed():
    texts = ["A@A2", "A1B3x", "B4B8*"]
    for answer, index in (
        *(("A1B3x", 1), ("a1b3x", 1), ("a1b3", 1), ("A1B3", 1), ("b4b8", 2), ("a@a2", 0)),
        *(("2", 1), ("3", 2), ("4", None), ("0", None), ("", None), ("A", None), ("a1b", None)),
    ):
        assert chosen_index(answer, texts) == index
    both = ["A1B3x", "A1B3x*"]  # as where it may be chosen whether to throw again
    assert [chosen_index(text, both) for text in ("a1b3X", "a1b3x*", "a1b3")] == [0, 1, None]
    assert chosen_index("MOVE", ["move", "enter"]) == 0


def test_moves_in_any_case(tmp_path):
    first = re.search(r"\n  1 (\S+)", play("--seed", 3, stdin="").stdout)[1]
    path = tmp_path / "game.ur"
    play("--seed", 3, "-o", path, stdin=f"{first.lower()}\nQUIT\n")
    (record,) = read_file(str(path))
    assert record.move_text(record.plies[0]) == first


def test_a_move_is_taken_back_and_the_dice_are_the_same(tmp_path):
    """As if it had not been made: with the same answers, the same game."""
    straight, back = tmp_path / "straight.ur", tmp_path / "back.ur"
    play("--seed", 11, "-o", straight, stdin="1\n" * 99)
    # after each of the first moves, take it back and make it again
    play("--seed", 11, "-o", back, stdin="1\nundo\n" * 4 + "1\n" * 99)
    assert back.read_text() == straight.read_text()
    # and a move taken back can be another one
    answers = "1\n1\nundo\n2\nquit\n"
    back.unlink()
    play("--seed", 11, "-o", back, stdin=answers)
    (record,) = read_file(str(back))
    (other,) = read_file(str(straight))
    changed = [k for k, (a, b) in enumerate(zip(record.plies, other.plies, strict=False))
               if a.played != b.played]  # fmt: skip
    assert changed
    assert record.plies[changed[0]].throws == other.plies[changed[0]].throws
    assert "no move has been made" in play("--seed", 11, stdin="undo\n").stderr


def test_the_other_sides_move_is_shown_on_the_board():
    shown = play("--seed", 3, "--dark", "first", stdin="1\n" * 99).stdout
    boards = re.split(r"\n(?= {5}1  2)", shown)
    seen = 0
    for before, board in pairwise(boards):
        moves = re.findall(r"dark throws \d+: (?!no move)(\S+)", before)
        if len(moves) != 1 or moves[0].endswith("+"):
            continue  # no piece was moved, or several, or one was borne off
        target = re.fullmatch(r"\w[\w@](\w\d)[x*]*", moves[0])
        row = next(line for line in board.splitlines() if line.startswith(f"  {target[1][0]} "))
        assert row[3 * int(target[1][1]) + 1] == "["
        assert row[3 * int(target[1][1]) + 3] == "]"
        assert board.split("\n\n")[0].count("[") == 1
        seen += 1
    assert seen > 3


def test_brackets_move_nothing_on_the_board():
    for name in ("finkel", "murray", "aseb"):
        rules = named_rules(name)
        plain = position_text(rules.start())
        marked = position_text(rules.start(), brackets={"A1": TO, "A2": FROM, "B8": TO})
        assert re.sub(r"[\[\]()]", " ", marked).split() == plain.split()
        (line,) = (line for line in marked.splitlines() if line.startswith("  A "))
        assert line.startswith("  A [*](.) .")
    stacks = named_rules("skiriuk").position(".(LL)..__../..(LdDl)...../....__.. L 2 5")
    assert "[LL  ]" in board_text(stacks.rules.board, stacks.contents, brackets={"A2": TO})


def test_a_game_that_is_left_goes_on_with_the_same_dice(tmp_path):
    straight = tmp_path / "straight.ur"
    play("--seed", 5, "--dark", "greedy", "-o", straight, stdin="1\n" * 99)
    assert not list(games_folder().glob("*"))  # a finished game is not kept
    play("--seed", 5, "--dark", "greedy", stdin="1\n1\n1\nquit\n")
    (kept,) = games_folder().iterdir()
    (record,) = read_file(str(kept))
    assert (record.ending, record.player("D")) == ("unfinished", "greedy")
    for number, answers in enumerate(("1\nquit\n", "1\n" * 99)):
        resumed = tmp_path / f"resumed-{number}.ur"
        play("--resume", "-o", resumed, stdin=answers)
    assert resumed.read_text() == straight.read_text()
    assert "no game of finkel:2 to resume" in play("--resume", stdin="", code=2).stderr


def test_a_game_that_cannot_be_saved_goes_on(tmp_path):
    games_folder().parent.mkdir(parents=True, exist_ok=True)
    games_folder().write_text("no folder")
    said = play("--seed", 5, "--dark", "greedy", "-o", tmp_path / "game.ur", stdin="1\n" * 99)
    assert said.stderr.count("the game goes on, but is not saved") == 1
    (record,) = read_file(str(tmp_path / "game.ur"))
    assert record.ending != "unfinished"
    left = play("--seed", 5, stdin="1\n1\nquit\n")
    assert "cannot make the folder" in left.stderr
    assert "saved:" not in left.stdout


def test_every_game_that_is_left_is_kept():
    for seed in (5, 6):
        play("--seed", seed, stdin="1\n1\nquit\n")
    play("--seed", 7, stdin="quit\n")  # in which nothing was played
    other, one = sorted(games_folder().iterdir())
    before = one.read_bytes()
    said = play("--seed", 7, stdin="")
    assert "a saved game exists, and stays; --resume continues it" in said.stderr
    assert "nothing is saved" in said.stdout
    play("--resume", stdin="resign\n")
    assert [*games_folder().iterdir()] == [one]  # the last one is over
    assert one.read_bytes() == before
    assert "--resume' continues it" in play("--resume", stdin="quit\n").stdout
    assert not other.exists()


def test_another_course_of_a_game_that_was_left_is_kept_too():
    play("--seed", 11, stdin="1\n1\nundo\n2\nquit\n")
    game = games_folder() / "finkel-2.ur"
    (second,) = read_file(str(game))
    said = play("--resume", stdin="versions\nversion 1\nquit\n")
    (first,) = read_file(str(game))
    assert re.search(r"^  1  \d throws, the last throw", said.stdout, re.MULTILINE)
    changed = [
        (one.side, one.throws)
        for one, other in zip(first.plies, second.plies, strict=False)
        if one.played != other.played
    ]
    assert changed[0] == ("L", changed[0][1])
    play("--resume", stdin="undo\nquit\n")
    (again,) = read_file(str(game))
    assert [ply.played for ply in again.plies] == [ply.played for ply in second.plies]


def test_what_is_expected_of_money(solved):
    solved(named_rules("bell-stakes:1"))
    arguments = ["play", "bell-stakes:1", "--seed", "3", "--dark", "first", "--no-audit"]
    shown = CliRunner().invoke(cli, arguments, input="hint\nquit\n").stdout
    found = re.search(
        r"you can expect (\d+\.\d) of the pot of 20\n  1  A@B1  (\d+\.\d+)  best", shown
    )
    assert float(found[1]) == pytest.approx(float(found[2]), abs=0.05)


def test_games_are_added_to_a_file(tmp_path):
    path = tmp_path / "me.rgn"
    for number, seed in enumerate((5, 6, 7), start=1):
        said = play("--seed", seed, "--dark", "first", "-o", path, stdin="1\n" * 99)
        assert said.stderr.endswith(f", game {number}\n") == (number > 1)
        assert [game.ending for game in read_file(str(path))] == ["won"] * number
    before = path.read_text()
    play("--seed", 8, "-o", path, stdin="1\nquit\n")
    play("--resume", "-o", path, stdin="1\nresign\n")  # in the place of its own beginning
    assert path.read_text().startswith(before)
    assert [game.ending for game in read_file(str(path))] == ["won"] * 3 + ["resigned"]
    path.write_text("my notes\n")
    assert "is no file of games" in play("-o", path, stdin="1\n", code=2).stderr
    assert path.read_text() == "my notes\n"


def test_players_can_be_changed_when_going_on(tmp_path):
    path = tmp_path / "game.ur"
    play("--dark", "greedy", "--seed", 5, stdin="1\nquit\n")
    play("--resume", "--dark", "first", "-o", path, stdin="1\nquit\n")
    (record,) = read_file(str(path))
    assert dict(record.metadata) == {"Light": "human", "Dark": "first"}


@pytest.mark.skipif(os.name == "nt", reason="no such terminals on Windows")
def test_ctrl_c_keeps_the_game():
    import pty

    terminal, end = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "ur_solver", "play", "finkel:2", "--seed", "3"],
        stdin=end, stdout=end, stderr=end, close_fds=True, start_new_session=True,
    )  # fmt: skip
    os.close(end)
    shown = b""
    while b"move> " not in shown:
        shown += os.read(terminal, 1 << 16)
    os.write(terminal, b"1\n")
    while shown.count(b"move> ") < 2:
        shown += os.read(terminal, 1 << 16)
    process.send_signal(signal.SIGINT)
    # one that comes between the prompt and the read waits for the next line
    with contextlib.suppress(OSError):  # where nobody reads it any more
        os.write(terminal, b"\n")
    assert process.wait(60) == 130
    with contextlib.suppress(OSError):  # the end, on Linux
        while part := os.read(terminal, 1 << 16):
            shown += part
    assert b"--resume' continues it" in shown
    assert b"leaves" not in shown
    os.close(terminal)
    folder = os.path.join(os.environ["XDG_STATE_HOME"], "ur_solver", "games")
    (record,) = read_file(os.path.join(folder, "finkel-2.ur"))
    assert record.ending == "unfinished"
    assert record.plies


@pytest.fixture
def nothing(monkeypatch, tmp_path):
    """Neither tables nor estimators."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setattr("ur_solver.estimators.estimator.find_estimator", lambda *_: None)
    return tmp_path


@pytest.mark.parametrize("word", ["finkel", "ben"])
@pytest.mark.parametrize("players", [("greedy", "random"), ("first", "greedy")])
def test_players_that_use_no_table_need_none(nothing, word, players):
    """A game too large to be solved on the spot is played to its end, and not audited."""
    light, dark = players
    result = CliRunner().invoke(
        cli, ["play", word, "--light", light, "--dark", dark, "--seed", "2"]
    )
    assert result.exit_code == 0, result.output
    assert result.stdout.rstrip().endswith("has won")
    assert "so the game is not audited" in result.stderr
    assert list(nothing.iterdir()) == []


def test_people_need_no_table_and_get_no_hints(nothing):
    arguments = ["play", "finkel", "--dark", "human", "--seed", "2"]
    result = CliRunner().invoke(cli, arguments, input="hint\nresign\n")
    assert result.exit_code == 0, result.output
    assert "there is no table of finkel with 7 pieces, and so there are no hints" in result.output
    assert "resigns" in result.output


@pytest.mark.parametrize("more", [["--dark", "table"], ["--dark", "weak"], ["--hints"]])
def test_what_needs_a_table_says_how_to_make_one(nothing, more):
    arguments = ["play", "finkel", "--dark", "greedy", *more]
    result = CliRunner().invoke(cli, arguments, input="")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "'ur solve finkel -n 7'" in result.stderr
