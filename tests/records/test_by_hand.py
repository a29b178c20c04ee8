"""Games as people write them by hand: faults reported together, and the documents' examples."""

import copy
import json
import pathlib
import re
import textwrap

import pytest

from tests.games import GAMES
from ur_solver.errors import RecordError
from ur_solver.records import GameRecord, read_json_game, read_text
from ur_solver.rules import named_rules

JSON = json.loads((GAMES / "finkel-1.json").read_text())
FINKEL3 = named_rules("finkel:3")


def only(games):
    (game,) = games
    assert isinstance(game, GameRecord), game
    return game


def test_faults_after_an_illegal_move_are_reported_too():
    """What takes no position is checked to the end of the game; the next game is read as ever."""
    plain = """rules: finkel:3
L 3 A@A3
D 2 C@C3
L 9 A@A1
dark x
nobody 2 A@A3
L 2 A@@
end: resigned

Rules: finkel:3
l 3 a@a2
d 0
end: unfinished
"""
    fault, game = read_text(plain)
    places = ["line 2, column 5", "line 4, column 3", "line 5, column 6", "line 6, column 1",
              "line 7, column 5", "line 8"]  # fmt: skip
    assert re.findall(r"(line \d+(?:, column \d+)?): ", fault.reason) == places
    assert (game.number, game.move_text(game.plies[0])) == (2, "A@A2")

    rgn = "1. A@A2 / A@A2\n2. A2A9 / 7 --\n3. A2A1 / oops\n\n1. A@A4 / 0"
    fault, game = read_text(rgn, FINKEL3)
    assert re.findall(r"line \d, column \d+", fault.reason) == [
        *("line 1, column 11", "line 2, column 4", "line 2, column 11", "line 3, column 11")
    ]
    assert len(game.plies) == 2

    values = copy.deepcopy(JSON)
    values["states"][1]["move"]["dest"] = 1  # dark's piece is -1
    values["states"][4]["roll"]["value"] = 9
    values["states"][6]["type"] = "leap"
    with pytest.raises(RecordError) as caught:
        read_json_game(values)
    assert re.findall(r"states\[(\d+)\]: ", str(caught.value)) == ["1", "4", "6"]


@pytest.mark.parametrize(
    ("line", "end"),
    [("Ann resigned", ("resigned", "D")), ("anna bell wins", ("ended", "D")),
     ("Anna Bell lost on time", ("timeout", "L"))],
)  # fmt: skip
def test_a_result_by_a_players_name(line, end):
    game = only(read_text(f"rules: finkel:3\nLight: Ann\nDark: Anna Bell\nL 3 A@A2\n{line}\n"))
    assert (game.ending, game.winner) == end


def test_a_name_of_nobody_is_no_result():
    for names in ("Light: Ben", "Light: Ann\nDark: Ann"):
        (fault,) = read_text(f"rules: finkel:3\n{names}\nL 3 A@A2\nAnn resigned\n")
        assert "'Ann' begins neither a turn" in fault.reason


def test_the_examples_of_the_documents():
    """Both ways of writing them give the same game."""
    page = (pathlib.Path(__file__).parents[2] / "docs/records.md").read_text()
    blocks = re.findall(r"(?:^    [^\n]*\n|^\n(?=    ))+", page, re.MULTILINE)
    written, by_hand = (block for block in blocks if "had to leave" in block and "finkel" in block)
    first, second = (only(read_text(textwrap.dedent(text))) for text in (written, by_hand))
    assert first.plies[0].throws == (3,)
    assert [first.player(side) for side in "LD"] == [second.player(side) for side in "LD"]
    for name in ("rules", "ending", "winner", "loser_by_choice", "reason"):
        assert getattr(first, name) == getattr(second, name)
    turns = [[(ply.side, ply.throws, game.move_text(ply)) for ply in game.plies]
             for game in (first, second)]  # fmt: skip
    assert turns[0] == turns[1]
