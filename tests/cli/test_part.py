"""Commands on tables that hold a part of a game, and the commands that make them."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from tests.solving import make_table
from ur_solver.api.table import Table
from ur_solver.cli import cli
from ur_solver.errors import BeyondTableError
from ur_solver.rules import named_rules
from ur_solver.serve.shelf import Shelf, open_shelf
from ur_solver.space import part_from, part_of, space_of
from ur_solver.table.names import FOLDER_VARIABLE
from ur_solver.table.reader import TableFile

RULES = named_rules("finkel:3")
START = "....__../......../....__.. L 3 3"
LATE = "L...__../.......L/....__.D L 0 1"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Of the tables that commands find; where `endings` is, if a test asks for it."""
    path = tmp_path / "tables"
    path.mkdir(exist_ok=True)
    monkeypatch.setenv(FOLDER_VARIABLE, str(path))
    return path


def run(*words, code=0):
    result = CliRunner().invoke(cli, list(words))
    assert result.exit_code == code, result.output
    return result.output


def test_commands_answer_or_say_so(endings):
    path = str(endings)
    assert "light wins" in run("query", path, LATE)
    assert "Error: position" in run("query", path, START, code=2)
    assert "is beyond table" in run("best", path, START, "2", code=2)
    batch = CliRunner().invoke(cli, ["query", path, "-", "--json"], input=f"{START}\n{LATE}\n")
    assert batch.exit_code == 2
    first, second = (json.loads(line) for line in batch.stdout.splitlines())
    assert (first["line"], second["position"]) == (1, LATE)
    assert "is beyond" in first["message"]
    batch = CliRunner().invoke(cli, ["best", path, "-"], input=f"{START}\t2\n{LATE}\t2\n")
    assert [line.count("is beyond") for line in batch.stdout.splitlines()] == [1, 0]


def test_commands_say_what_it_holds(endings, tmp_path):
    text = run("info", str(endings))
    assert "holds             the positions with at most 2 pieces left a side" in text
    assert "12,869 of 263,121" in text
    assert "first player" not in text
    (listed,) = run("tables", "--json").splitlines()
    assert [json.loads(listed)[key] for key in ("left", "is_whole")] == [2, False]
    assert "2 left: 12,869" in run("tables")
    make_table(RULES, tmp_path / "part.h5", part=part_from(space_of(RULES), [20]))
    assert "blocks of positions" in run("info", str(tmp_path / "part.h5"))
    make_table(
        named_rules("skiriuk:2"), tmp_path / "s.h5", part=part_of(named_rules("skiriuk:2"), 1)
    )
    assert "starts wins" not in run("info", str(tmp_path / "s.h5"))


def test_verify_and_certify_are_of_what_it_holds(endings):
    run("certify", str(endings))
    with TableFile(endings) as table:
        assert table.header.error < 1e-11
        assert len(table.blocks) == 28
    found = json.loads(run("verify", str(endings), "--json"))
    assert (found["positions"], found["blocks"], found["right"]) == (12_869, 28, True)
    assert "right" in run("tables", "verify", str(endings))


def test_what_takes_a_whole_game_is_refused(endings, tmp_path):
    path = str(endings)
    for words in (
        ["study", path],
        ["compare", path],
        ["evaluate", path],
        ["play", path],
        ["export", path, str(tmp_path / "map.rgu")],
    ):
        said = run(*words, code=2)
        assert "takes the whole game, and table" in said, words
    assert "is beyond table" in run("sample", path, code=2)
    assert list(tmp_path.glob("*.rgu*")) == []
    assert list(tmp_path.glob(".*")) == []
    with pytest.raises(BeyondTableError, match="ur serve takes the whole game"):
        Shelf([Table(path)])
    said = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ur_solver.serve.shelf.FIRST_TABLE", "finkel:1")
        assert list(open_shelf(said.append)) == ["finkel-1"]
    assert "it is not served" in said[0]


def test_left_on_the_command_line(folder):
    found = json.loads(run("solve", "finkel", "-n", "3", "--left", "1", "--json"))
    assert (found["left"], found["value"], found["positions"]) == (1, None, 217)
    assert found["path"] == str(folder / "finkel-3-left-1.h5")
    again = json.loads(run("solve", "finkel", "-n", "3", "--left", "1", "--json"))
    assert (again["solved"], again["left"]) == (False, 1)
    said = run("solve", "finkel", "-n", "3", "--left", "2")
    assert said.startswith("finkel with 3 pieces: the positions with at most 2 pieces left a side")
    assert "no part of finkel with 3 pieces: expected 1 to 2" in run(
        "solve", "finkel:3", "--left", "3", code=2
    )
    cost = json.loads(run("solve", "skiriuk", "--left", "3", "--dry-run", "--json"))
    whole = json.loads(run("solve", "skiriuk:3", "--dry-run", "--json"))
    assert cost["path"] == str(folder / "skiriuk-7-left-3.h5")
    for key in ("positions", "table_bytes", "disk_bytes", "fits"):
        assert cost[key] == whole[key]
    assert cost["memory_bytes"] == pytest.approx(whole["memory_bytes"], rel=0.1)
    plan = json.loads(run("plan", "finkel:7", "--left", "3", "--json"))
    fewer = json.loads(run("plan", "finkel:3", "--json"))
    assert plan["left"] == 3
    for key in ("positions", "blocks", "largest_block", "disk_bytes"):
        assert plan[key] == fewer[key]
    assert plan["memory_bytes"] == pytest.approx(fewer["memory_bytes"], rel=0.1)
    assert run("plan", "skiriuk:7", "--left", "7", code=2).startswith("Error: at most 7 pieces")
    said = run("solve", "skiriuk:7", "--left", "6", "--memory", "1GiB", "--dry-run", code=1)
    assert "skiriuk with 7 pieces and at most 6 left a side has" in said
    assert "; at most 3 left would fit" in said
