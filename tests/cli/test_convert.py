"""`ur convert`: games of any notation in another one, with all that they hold."""

from __future__ import annotations

import dataclasses

import pytest
from click.testing import CliRunner

from tests.games import GAMES
from ur_solver.cli import cli
from ur_solver.records import read_file, read_text

BIRDS = """rules: birds:2
L enter 1 3 1A@A2
end: unfinished
"""


def convert(*arguments, code=0, stdin=""):
    result = CliRunner().invoke(cli, ["convert", *map(str, arguments)], input=stdin)
    assert result.exit_code == code, result.output
    return result


def kept(game):
    """All of a record but where it was read and the times, which only JSON has."""
    values = {
        field.name: getattr(game, field.name)
        for field in dataclasses.fields(game)
        if field.name not in ("file", "number", "plies", "start_time", "end_time")
    }
    turns = [(ply.side, ply.throws, ply.played, ply.chosen) for ply in game.plies]
    return values | {"turns": turns}


@pytest.mark.parametrize("suffix", [".ur", ".rgn", ".json"])
def test_a_game_of_royalur_there_and_back(tmp_path, suffix):
    source = GAMES / "finkel-1.json"
    (game,) = read_file(str(source))
    shown = convert(source, "-o", tmp_path / f"a{suffix}")
    assert shown.stderr == f"1 game written to {tmp_path / f'a{suffix}'}\n"
    (other,) = read_file(str(tmp_path / f"a{suffix}"))
    assert kept(other) == kept(game)
    assert convert(source, "--to", suffix[1:]).stdout == (tmp_path / f"a{suffix}").read_text()


def test_games_that_fail_are_reported_and_the_others_written(tmp_path):
    (tmp_path / "a.ur").write_text(f"{BIRDS}\nrules: finkel:3\nL 3 A@A2 # so\nend: unfinished\n")
    (tmp_path / "b.rgn").write_text("Rules: finkel:3\n1. A@A9\n")
    output = tmp_path / "out.rgn"
    shown = convert(tmp_path / "a.ur", tmp_path / "b.rgn", "-o", output, code=2)
    assert "b.rgn: line 2, column 4" in shown.stderr
    assert "a.ur: RGN cannot hold games of birds:2" in shown.stderr
    (game,) = read_file(str(output))
    assert game.comments == {1: "so"}


def test_a_file_is_not_replaced_where_no_game_can_be_written(tmp_path):
    source, output = tmp_path / "a.ur", tmp_path / "out.rgn"
    source.write_text(BIRDS)
    output.write_text("other games")
    shown = convert(source, "-o", output, code=2)
    assert "not converted: " in shown.stderr
    assert "written" not in shown.stderr
    assert output.read_text() == "other games"


def test_standard_input_and_rules_that_are_not_named():
    shown = convert("-", "--to", "ur", "--rules", "finkel:3", stdin="1. A@A2 / 0")
    (game,) = read_text(shown.stdout)
    assert shown.stdout.startswith("rules: finkel:3\n")
    assert len(game.plies) == 2


def test_options_that_are_wrong(tmp_path):
    source = tmp_path / "a.ur"
    source.write_text(BIRDS)
    for words, message in (
        ((), "Missing option '--to' or '-o'"),
        (
            ("--to", "pgn"),
            "'pgn' is neither a notation of games nor a suffix of their files; there are ur",
        ),
        (("--to", "json", "-o", tmp_path / "b.rgn"), "--to is 'json', but"),
        (("-o", source), "would overwrite"),
    ):
        assert message in convert(source, *words, code=2).stderr
    assert source.read_text() == BIRDS
    assert not (tmp_path / "b.rgn").exists()
