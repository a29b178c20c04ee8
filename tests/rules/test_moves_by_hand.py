"""Moves that were listed by hand, from the documents, for options of rule sets.

`tests/data/moves-by-hand.tsv` has the rule set, its changes as JSON, a position, the choice if
there is one and the throw, the moves, ``!`` after those that earn an extra throw, ``-`` for none,
and the reason.
"""

from __future__ import annotations

import json
import pathlib

import pytest

from ur_solver.errors import IllegalPositionError
from ur_solver.rules import RuleSet, named_rules

LINES = (pathlib.Path(__file__).parents[1] / "data" / "moves-by-hand.tsv").read_text().splitlines()


def rules_of(word: str, changes: str) -> RuleSet:
    return RuleSet.from_json(named_rules(word).to_json() | json.loads(changes))


@pytest.mark.parametrize("line", LINES)
def test_moves(line):
    word, changes, text, throw, expected, _ = line.split("\t")
    rules = rules_of(word, changes)
    *choice, throw = throw.split()
    moves = rules.legal_moves(rules.position(text), int(throw), *choice)
    found = " ".join(move.text + "!" * move.again for move in moves)
    assert found == ("" if expected == "-" else expected)


@pytest.mark.parametrize(
    ("word", "changes", "text", "throw", "move", "after"),
    [
        # turned over on the corner, or beyond it
        (
            "skiriuk:2",
            {"flip": "on"},
            "....__L./......../....__.. L 1 2",
            1,
            "A7A8",
            "....__.l/......../....__.. D 1 2",
        ),
        (
            "skiriuk:2",
            {},
            "....__L./......../....__.. L 1 2",
            1,
            "A7A8",
            "....__.L/......../....__.. D 1 2",
        ),
        # the piece that has earned a throw rests, and no other
        (
            "skiriuk:2",
            {"another_piece": True},
            "....__../......../....__.. L 2 2",
            4,
            "A@A1*",
            "L^...__../......../....__.. L 1 2",
        ),
        (
            "skiriuk:2",
            {"another_piece": True},
            "L^...__../L......./....__.. L 0 2",
            3,
            "B1B4*",
            "L...__../...L^..../....__.. L 0 2",
        ),
        # it wakes up when the turn ends
        (
            "skiriuk:2",
            {"another_piece": True},
            "L^...__../......../....__.. L 1 2",
            1,
            "A@A4",
            "L..L__../......../....__.. D 0 2",
        ),
        (
            "skiriuk:2",
            {"another_piece": True},
            "L^...__../......../....__.. L 0 2",
            1,
            None,
            "L...__../......../....__.. D 0 2",
        ),
        # a piece that is borne off does not rest
        (
            "skiriuk:2",
            {"another_piece": True, "extra_on_bearing_off": True},
            "....__../ll....../....__.. L 0 2",
            1,
            "B1B+",
            "....__../.l....../....__.. L 0 2",
        ),
    ],
)
def test_positions_after_moves(word, changes, text, throw, move, after):
    rules = rules_of(word, json.dumps(changes))
    assert rules.play(rules.position(text), throw, move).notation == after


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("L^...__../L......./C^...__.. L 0 1", "begins with 'C'"),
        ("L^...__../...L^..../....__.. L 0 2", "2 pieces rest, where one may"),
        ("L^...__../......../....__.. D 1 2", "a piece rests whose side is not about to throw"),
        ("....__../L^......./....__.. L 1 2", r"'L\^' cannot stand on B1"),
    ],
)
def test_positions_in_which_a_piece_may_not_rest(text, fault):
    rules = named_rules("skiriuk:2").changed(another_piece=True)
    with pytest.raises(Exception, match=fault) as caught:
        rules.position(text)
    assert isinstance(caught.value, IllegalPositionError) == ("begins" not in fault)
