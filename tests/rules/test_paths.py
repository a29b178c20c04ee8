"""Paths and boards of one's own: what is wrong with one in words, and the way through JSON."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from tests.paths import random_paths
from ur_solver.cli import cli
from ur_solver.errors import RuleSetError
from ur_solver.rules import CATALOGUE, PATHS, UR, Board, Path, RuleSet

FINKEL = CATALOGUE["finkel"].to_json()
SHORT = {"name": "short", "board": "ur", "squares": ["A2", "A1", "B1", "B2", "B3", "A8"]}
SMALL = {"name": "small", "rows": ["..._", "....", "..._"], "rosettes": ["B2"]}


def rules_with(path: object, **rest: object) -> RuleSet:
    return RuleSet.from_json(FINKEL | {"path": path} | rest)


def squares(text: str) -> dict[str, object]:
    return {"squares": text.split()}


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (
            squares("A4 B9"),
            "path 'short': 'B9' is no square of the board 'ur', whose squares are A1",
        ),
        (squares("A4 B9 X1 A5"), "nor are 'X1', 'A5'"),
        (squares("A4 B1 B2 B1 B3 B1"), "it visits B1 3 times, and at most two visits"),
        (squares(""), "path 'short': it has 0 squares, not 2 to 63"),
        (squares("B1"), "it has 1 square, not 2 to 63"),
        (squares("B1 " * 64), "it has 64 squares, not 2 to 63"),
        (squares("A4 A3 A2"), "4-binary dice show 4, a longer step than the 3 squares of the path"),
        # both visits of B1 come before the first of B2
        (
            squares("B1 B2 B1 B3 B3 A4"),
            r"comes back to B1 \(index 2\) before its first visit of B3 \(index 3\)",
        ),
        (squares("B1 B2 B3 B4 B1") | {"second_leg": 5}, "second_leg is 5, not 1 to 4, between the"),
        (squares("B1 B2 B3 B4 B1") | {"second_leg": 0}, "second_leg is 0, not 1 to 4, between the"),
        ({"second_leg": 7}, "second_leg is 7, not 0 to 6"),
        ({"second_leg": -1}, "second_leg is -1, not 0 to 6"),
        ({"second_leg": "3"}, "path: second_leg is '3', not a whole number"),
        ({"board": "chess"}, "board is 'chess'; the boards are ur, aseb"),
        ({"board": 3}, "board is 3; the boards are"),
        ({"squares": "A4 A3"}, "write a custom path as"),
        ({"squares": [1, 2]}, "write a custom path as"),
        ({"name": ""}, "path: name is ''"),
        ({"name": "bell"}, "path 'bell': another path has that name, A4 A3 A2 A1 B1"),
        ({"length": 3}, "write a custom path as"),
        ({"board": {"name": "x", "rows": ["..", ".."], "rosettes": []}}, "write a custom board as"),
        ({"board": SMALL | {"rosettes": 3}}, "write a custom board as"),
        ({"board": SMALL | {"name": "ur"}}, "board 'ur': another board has that name"),
        (
            {"board": SMALL | {"rows": ["...", "....", "..."]}},
            "rows have 3, 4 and 3 columns, not as many",
        ),
        ({"board": SMALL | {"rows": ["..._", "....", ".._."]}}, "but they mirror each other"),
        ({"board": SMALL | {"rows": ["x", ".", "x"]}}, "row A is 'x', not 1 to 12 characters"),
        ({"board": SMALL | {"rows": ["." * 13] * 3}}, r"row B is '\.+', not 1 to 12 characters"),
        (
            {"board": SMALL | {"rows": ["....", "....", "...."], "rosettes": ["B5"]}},
            "board 'small': the rosette 'B5' is none of its squares",
        ),
        (
            {"board": SMALL | {"rows": ["....", "....", "...."], "rosettes": ["A1"]}},
            "A1 is a rosette and its mirror image C1 is none",
        ),
    ],
)
def test_what_is_wrong_is_said(change, fault):
    with pytest.raises(RuleSetError, match=fault) as caught:
        rules_with(SHORT | change)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("key", ["name", "board", "squares"])
def test_what_is_missing_is_said(key):
    with pytest.raises(RuleSetError, match="write a custom path as"):
        rules_with({name: value for name, value in SHORT.items() if name != key})


def test_the_second_leg_begins_where_a_square_is_visited_again():
    for name, path in PATHS.items():
        given_leg = 13 if name == "skiriuk" else None
        assert Path.of(name, path.board, path.light, given_leg) == path
    assert Path.of("x", UR, ["A4", "B1", "B2", "B1", "A8"]).second_leg == 3
    assert Path.of("x", UR, ["A4", "B1", "B2"]).second_leg == 3


def test_a_path_in_full_that_is_known_is_the_known_one():
    bell = PATHS["bell"]
    full = {"name": "bell", "board": "ur", "squares": list(bell.light)}
    assert rules_with(full) == CATALOGUE["finkel"]
    assert rules_with(full).to_json() == FINKEL
    # under another name it is another path for people, and the same game
    other = rules_with(full | {"name": "mine"})
    assert other != CATALOGUE["finkel"]
    assert other.is_same_game(CATALOGUE["finkel"])
    assert other.to_json()["path"]["squares"] == list(bell.light)


def test_boards_of_other_rosettes_make_other_games():
    board = {"name": "b", "rows": ["....__..", "........", "....__.."], "rosettes": ["B4"]}
    own = {"name": "p", "board": board, "squares": list(PATHS["bell"].light)}
    rules = rules_with(own)
    assert not rules.is_same_game(CATALOGUE["finkel"])
    assert rules.rosettes == {"B4"}
    every = board | {"name": "every", "rosettes": sorted(UR.rosettes)}
    assert rules_with(own | {"board": every}).is_same_game(CATALOGUE["finkel"])


@given(random_paths(), st.booleans())
def test_json_there_and_back(path, unsafe):
    rules = CATALOGUE["finkel-3dice"].changed(name="own", path=path, safe_rosettes=not unsafe)
    values = json.loads(json.dumps(rules.to_json()))
    assert RuleSet.from_json(values) == rules
    assert RuleSet.from_json(values).is_same_game(rules)


@given(st.lists(st.sampled_from([*UR.squares, "B9", "", "b1"]), max_size=70), st.integers(-1, 70))
def test_any_squares_are_a_path_or_a_clear_error(names, leg):
    try:
        path = Path.of("any", UR, names, leg)
    except RuleSetError as error:
        fault = str(error)
    else:
        fault = None
    if fault is not None:
        assert fault.startswith("path 'any': ")
        return
    # a letter and a square tell where on its path a piece is
    assert len({(square, i >= leg) for i, square in enumerate(path.light)}) == len(path)


@pytest.mark.parametrize("rows", [(), ("..",), ("", "", "")])
def test_rows_that_make_no_board(rows):
    with pytest.raises(RuleSetError, match="board 'any': "):
        Board("any", rows, frozenset())


def test_the_command_line_writes_and_reads_them(tmp_path):
    values = FINKEL | {
        "name": "mine",
        "pieces": 1,
        "path": SHORT
        | {"board": SMALL | {"rows": ["........", "....", "........"], "rosettes": []}},
    }
    values["path"]["board"]["rows"] = ["....__..", "....____", "....__.."]
    (tmp_path / "mine.json").write_text(json.dumps(values))
    run = CliRunner().invoke
    written = run(cli, ["rules", str(tmp_path / "mine.json"), "--json"])
    assert json.loads(written.output) == values
    page = run(cli, ["rules", str(tmp_path / "mine.json")]).output
    assert "Path short: A2 A1 B1 B2 B3 A8, off" in page
    custom = run(cli, ["rules", str(tmp_path / "mine.json"), "--path", "bell", "--json"])
    assert json.loads(custom.output)["path"] == "bell"
    changed = run(cli, ["rules", str(tmp_path / "mine.json"), "--no-safe-rosettes", "--json"])
    assert json.loads(changed.stdout)["path"] == values["path"]
    values["path"]["squares"].append("B8")
    (tmp_path / "mine.json").write_text(json.dumps(values))
    wrong = run(cli, ["rules", str(tmp_path / "mine.json")])
    assert wrong.exit_code == 2
    assert "'B8' is no square of the board 'small'" in wrong.output
