from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ur_solver.errors import MoveError, ThrowError
from ur_solver.rules import named_rules
from ur_solver.space import space_of


def moves(rules_name: str, text: str, throw: int) -> dict[str, tuple[str, bool]]:
    """For each legal move its text, where it leads and whether the side throws again."""
    rules = named_rules(rules_name)
    return {
        move.text: (move.position.notation, move.again)
        for move in rules.legal_moves(rules.position(text), throw)
    }


@pytest.mark.parametrize(
    ("rules", "text", "throw", "expected"),
    [
        # entering: throw n lands on index n - 1; the fourth square is a rosette
        ("finkel:2", "....__../......../....__.. L 2 2", 1,
         {"A@A4": ("...L__../......../....__.. D 1 2", False)}),
        ("finkel:2", "....__../......../....__.. D 2 2", 4,
         {"C@C1*": ("....__../......../D...__.. D 2 1", True)}),
        ("finkel:2", "....__../......../....__.. L 2 2", 0, {}),
        # no move may land on a piece of its own side; pieces may jump over any piece
        ("finkel:2", "..L.__../......../....__.. L 1 2", 2,
         {"A3A1*": ("L...__../......../....__.. L 1 2", True)}),
        # a captured piece goes home; rosettes are safe in some rule sets only
        ("finkel:2", "L...__../D......./....__.. L 1 1", 1,
         {"A@A4": ("L..L__../D......./....__.. D 0 1", False),
          "A1B1x": ("....__../L......./....__.. D 1 2", False)}),
        ("finkel:2", "....__../L..D..../....__.. L 0 1", 3, {}),
        ("masters:2", "....__../L..D..../....__.. L 0 1", 3,
         {"B1B4x*": ("....__../...L..../....__.. L 0 2", True)}),
        # an extra throw follows a capture in blitz, and only a throw of 4 in four-again
        ("blitz:2", "....__../LD....../....__.. L 0 1", 1,
         {"B1B2x": ("....__../.L....../....__.. L 0 2", True)}),
        ("four-again:2", "....__../......../....__.. L 2 2", 4,
         {"A@A1*": ("L...__../......../....__.. L 1 2", True),
          "A@A1* stop": ("L...__../......../....__.. D 1 2", False)}),
        ("four-again:2", "...L__../......../....__.. L 0 2", 3,
         {"A4A1*": ("L...__../......../....__.. D 0 2", False)}),
        # bearing off needs the exact count; the last piece off ends the game
        ("finkel:2", "....__.L/......../....__.. L 0 2", 2,
         {"A8A+": ("....__../......../....__.. D 0 2", False)}),
        ("finkel:2", "....__.L/......../....__.. L 0 2", 3, {}),
        ("finkel:2", "....__../......../....__.. L 0 2", 1, {}),
        # murray: first legs in capitals, second in lower case; off from A4
        ("murray:2", "....__L./......../....__.. L 0 2", 1,
         {"A7B7": ("....__../......l./....__.. D 0 2", False)}),
        ("murray:2", "...l__../......../....__.. L 0 2", 1,
         {"A4A+": ("....__../......../....__.. D 0 2", False)}),
        ("murray:2", "....__../l.d...../....__.. D 0 0", 2,
         {"B3B1x": ("....__../d......./....__.. L 1 0", False)}),
    ],
)  # fmt: skip
def test_moves(rules, text, throw, expected):
    assert moves(rules, text, throw) == expected


NAMES = ["finkel", "masters", "four-again", "blitz", "aseb", "murray", "murray-0-to-3"]


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(NAMES), st.floats(0, 1, exclude_max=True), st.integers(0, 4))
def test_laws_of_moves(name, share, throw):
    rules = named_rules(name)
    space = space_of(rules)
    position = space.unrank(int(share * space.n_values))
    if throw not in rules.dice.throws:
        with pytest.raises(ThrowError):
            rules.legal_moves(position, throw)
        return
    found = rules.legal_moves(position, throw)
    mirrored = rules.legal_moves(position.mirror(), throw)
    assert [move.position.mirror() for move in found] == [move.position for move in mirrored]
    for move in found:
        after = move.position
        assert rules.find_move(position, throw, move.text) == move
        assert move.target - move.source == throw
        assert rules.position(after.notation) == after
        assert after.n_off("L") - position.n_off("L") == (move.target == len(rules.path)), (
            "scores never fall, and rise by bearing off alone"
        )
        assert after.n_off("D") == position.n_off("D")
        assert after.home("D") - position.home("D") == move.is_capture
        assert (after.side == "L") == move.again
        assert not (move.again and after.winner)


def test_a_pass_changes_the_side_alone():
    rules = named_rules("finkel:2")
    position = rules.position("L...__../......../...D__.. L 1 1")
    assert position.pass_turn().notation == "L...__../......../...D__.. D 1 1"


def test_moves_that_are_not_legal():
    rules = named_rules("finkel:2")
    position = rules.position("L...__../......../....__.. L 1 2")
    with pytest.raises(MoveError, match="legal: A@A4, A1B1"):
        rules.find_move(position, 1, "A1B2")
    with pytest.raises(MoveError, match="none, the turn passes"):
        rules.find_move(position, 0, "A1B1")


@pytest.mark.parametrize("text", ["5", "-1", "", "1.0", "٢", "one", "1" * 100])
def test_throws_that_the_dice_cannot_show(text):
    with pytest.raises(ThrowError, match="0, 1, 2, 3, 4"):
        named_rules("finkel").dice.parse(text)


@pytest.mark.parametrize(
    ("name", "choice", "fault"),
    [
        # with no bird on the board one must be entered
        ("birds", "", "'move' is not allowed before the throw .*; allowed: enter"),
        ("birds", "move", "'move' is not allowed before the throw .*; allowed: enter"),
        ("finkel", "enter", "'enter' is not allowed before the throw .*; allowed: none"),
    ],
)
def test_choices_that_are_not_allowed(name, choice, fault):
    rules = named_rules(name)
    for move in ("A@A4", "1A@A4"):
        with pytest.raises(MoveError, match=fault):
            rules.find_move(rules.start(), 1, move, choice)
    with pytest.raises(MoveError, match=fault):
        rules.play(rules.start(), 1, None, choice)
