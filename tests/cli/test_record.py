"""`ur record`: a game at a real table, typed throw by throw, corrected, left and resumed."""

from __future__ import annotations

import os

import pytest
from click.testing import CliRunner

from ur_solver.cli import cli
from ur_solver.records import read_file, read_text
from ur_solver.table.names import FOLDER_VARIABLE

HEAD = "rules: finkel:2\n"


@pytest.fixture(autouse=True)
def _table_of_finkel_2(finkel2):
    """Every command finds this table."""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "evening.ur"


def record(path, *options, stdin, word="finkel:2", code=0):
    arguments = ["record", word, str(path), "--no-audit", *options]
    result = CliRunner().invoke(cli, arguments, input=stdin)
    assert result.exit_code == code, result.output
    return result


def turns_of(game):
    return [(ply.side, ply.throws, game.move_text(ply)) for ply in game.plies]


def turns(text):
    """The turns of a game in the plain notation that has not ended."""
    (game,) = read_text(f"{HEAD}{text}end: unfinished")
    return turns_of(game)


def recorded(path):
    (game,) = read_file(str(path))
    return game


def test_throws_alone_or_with_their_moves(path):
    record(path, "--light", "Ann", "--dark", "Ben", stdin="3\n0\n2 A2b1\n1 c@c4\n1\nb1b2\nquit\n")
    game = recorded(path)
    assert (game.player("L"), game.player("D"), game.ending) == ("Ann", "Ben", "unfinished")
    assert turns_of(game) == turns("L 3 A@A2\nD 0 --\nL 2 A2B1\nD 1 C@C4\nL 1 B1B2\n")


def test_the_file_is_written_after_every_turn_and_resumed(path):
    record(path, "--light", "Ann", stdin="3\n0\n")  # the end of the input, as if a line broke
    assert turns_of(recorded(path)) == turns("L 3 A@A2\nD 0 --\n")
    path.write_text(path.read_text().replace("D 0 --", "D 0 --  # what a throw"))
    record(path, "--resume", "--dark", "Ben", stdin="2 a2b1\nundo\n1 a@\n1 a@a4\nquit\n")
    game = recorded(path)
    assert turns_of(game) == turns("L 3 A@A2\nD 0 --\nL 1 A@A4\n")
    assert (game.player("L"), game.player("D")) == ("Ann", "Ben")
    assert game.comments == {2: "what a throw"}


def test_a_correction_keeps_what_fits(path):
    shown = record(path, stdin="3\n0\n2 a2b1\n1\nback 2\n1\nquit\n")
    assert "throw 2 was dark 0 no move; type it again" in shown.stderr
    assert "throw 4, dark 1 C@C4, does not fit any more" in shown.stderr  # a piece is there
    assert turns_of(recorded(path)) == turns("L 3 A@A2\nD 1 C@C4\nL 2 A2B1\n")
    path.unlink()
    shown = record(path, stdin="3\n0\n2 a2b1\n1\nback 2\n2\nquit\n")
    assert "2 later turns kept" in shown.stderr
    assert turns_of(recorded(path)) == turns("L 3 A@A2\nD 2 C@C3\nL 2 A2B1\nD 1 C@C4\n")


def test_a_throw_is_taken_back_before_its_move(path):
    shown = record(path, stdin="1\n1\n2\nundo\n3\na@a2\nback 3\n2\nundo\n1\nquit\n")
    assert shown.stderr.count("the throw is taken back; type it again") == 2
    assert turns_of(recorded(path)) == turns("L 1 A@A4\nD 1 C@C4\nL 1 A4A3\n")


def test_a_correction_is_dropped(path):
    corrections = "back 1\nundo\nback 9\nback 1\nback 2\n"
    shown = record(path, stdin=f"3\n0\n2 a2b1\n{corrections}3\nturns\nquit\n")
    assert "the correction is dropped" in shown.stderr
    assert "there is no throw 9" in shown.stderr
    assert turns_of(recorded(path)) == turns("L 3 A@A2\nD 3 C@C2\nL 2 A2B1\n")
    assert "  2  dark 3 C@C2\n" in shown.stdout


def test_what_is_typed_wrongly_is_asked_again(path):
    answers = "x\n9\n3 a@a1\nhint\n3\nundo\nundo\nundo\nquit\n"
    shown = record(path, stdin=answers).stderr
    assert "'x' is not a throw such as 3" in shown
    assert "'9': type 0 to 4" in shown
    assert "'a@a1': with a 3 you can play only A@A2" in shown
    assert "type the throw first" in shown
    assert "nothing to undo" in shown
    assert not recorded(path).plies


@pytest.mark.parametrize(
    ("said", "ending", "winner", "loser"),
    [("L wins", "ended", "L", None), ("dark resigned", "resigned", "L", "D"),
     ("light lost on time", "timeout", "D", "L"), ("resign", "resigned", "L", "D")],
)  # fmt: skip
def test_results_in_words(path, said, ending, winner, loser):
    record(path, stdin=f"3\n{said}\n" if said != "resign" else "3\n2\n2\na2b1\n1\nresign\n")
    game = recorded(path)
    assert (game.ending, game.winner, game.loser_by_choice) == (ending, winner, loser)


def test_a_game_that_has_ended_is_audited(path):
    arguments = ["record", "finkel:2", str(path)]
    shown = CliRunner().invoke(cli, arguments, input="4\n4\n4 b4b8\n2 b8a7\nL wins\n")
    assert shown.exit_code == 0, shown.output
    assert "light's chance: " in shown.stdout
    assert "finkel:2" in path.read_text()


def test_what_is_there_stays(path):
    path.write_text("my notes\n")
    for options in ((), ("--resume",)):
        assert "is no file of games" in record(path, *options, stdin="3\n", code=2).stderr
    path.write_text(f"{HEAD}L 3 A@A2\nD 9 C@C4\nend: unfinished\n\n{HEAD}L 3 A@A2\nL wins\n")
    assert "where one cannot be read" in record(path, stdin="3\n", code=2).stderr
    first = f"{HEAD}L 3 a@a2\nend: resigned by D\n"
    path.write_text(first)
    record(path, stdin="2\nL wins\n")
    record(path, stdin="2\n1 c@c4\n")
    assert path.read_text().startswith(first)
    games = [*read_file(str(path))]
    assert [(game.ending, len(game.plies)) for game in games] == [
        *(("resigned", 1), ("ended", 1), ("unfinished", 2)),
    ]
    assert "--resume to go on" in record(path, stdin="3\n", code=2).stderr
    record(path, "--resume", stdin="0\nquit\n")
    assert [len(game.plies) for game in read_file(str(path))] == [1, 1, 3]
    missing = path.with_name("no.ur")
    assert "no game to resume" in record(missing, "--resume", stdin="3\n", code=2).stderr
    assert "nor a suffix" in record(path.with_name("x.txt"), stdin="3\n", code=2).stderr


def test_a_correction_that_is_not_typed_changes_nothing(path):
    record(path, stdin="3\n0\n2 a2b1\n1\n0\n0\n0\nquit\n")
    before = path.read_bytes()
    for answers in ("back 3\nquit\n", "back 3\n", "back 3\nL wins\nundo\n", "back 3\nback 1\n"):
        record(path, "--resume", stdin=answers)
        assert path.read_bytes() == before


def test_nothing_that_was_not_typed_is_written(path):
    assert "no turn was typed, and nothing is saved" in record(path, stdin="quit\n").stdout
    assert not path.exists()
    for text in (
        f"{HEAD}l 3 a@a2\nL wins\n",
        f"{HEAD}l 3 a@a2   # well\nd 1 --\nend: unfinished\n",
    ):
        path.write_text(text)
        record(path, "--resume", stdin="turns\nhint\nquit\n")
        assert path.read_text() == text
    path.write_text(f"{HEAD}l 3 a@a2\nL wins\n")
    assert "nothing is saved" in record(path, stdin="quit\n").stdout
    assert path.read_text() == f"{HEAD}l 3 a@a2\nL wins\n"
    record(path, "--resume", "--light", "Ann", stdin="quit\n")
    assert recorded(path).player("L") == "Ann"


def test_a_file_that_somebody_else_changes_stays(path, monkeypatch):
    other = f"{HEAD}L 1 A@A4\nend: unfinished\n"
    typed = iter(["3", "0", "2 a2b1", "quit"])

    def answered(_prompt, **_options):
        answer = next(typed)
        if answer == "0":
            path.write_text(other)
        return answer

    monkeypatch.setattr("ur_solver.cli.asking.click.prompt", answered)
    said = record(path, stdin="").stderr
    own = path.with_name("evening-2.ur")
    assert f"the game goes on in {own}" in said
    assert path.read_text() == other
    assert len(recorded(own).plies) == 3


def test_choices_before_the_throw_and_two_throws(path, solved):
    from ur_solver.rules import named_rules

    solved(named_rules("birds:1"))
    record(path, word="birds:1", stdin="1 2\n1 0\n1 1a3a2\nquit\n")
    (game,) = read_file(str(path))
    assert [(ply.side, ply.choice, ply.throws) for ply in game.plies] == [
        *(("L", "enter", (1, 2)), ("D", "enter", (1, 0)), ("L", "move", (1,)))
    ]


def test_without_a_table(path, tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "none"))
    monkeypatch.setattr("ur_solver.cli.answering.open_playing", _missing)
    shown = record(path, "--hints", word="murray:7", stdin="3\nhint\nquit\n")
    assert "no hints and no audit" in shown.stderr
    (game,) = read_file(str(path))
    assert game.plies[0].throws == (3,)


def _missing(word, plies, purpose):
    from ur_solver.errors import MissingTableError

    raise MissingTableError("there is none")


@pytest.mark.parametrize("name", [os.fsdecode(b"caf\xe9.ur"), "n" * 250 + ".ur"])
def test_a_file_may_have_any_name(tmp_path, name):
    """Bytes that are no UTF-8, or as many as a name can have."""
    record(tmp_path / name, stdin="3\n0\nundo\nquit\n")
    assert turns_of(recorded(tmp_path / name)) == turns("L 3 A@A2\n")
