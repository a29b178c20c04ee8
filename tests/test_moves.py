from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ur_solver.errors import MoveError, ThrowError
from ur_solver.moves import find_move, legal_moves, parse_throw, pass_turn
from ur_solver.position import format_position, mirror, n_off, parse_position, winner
from ur_solver.rules import named_rules
from ur_solver.space import space_of


def moves(rules_name: str, text: str, throw: int) -> dict[str, tuple[str, bool]]:
    """Each legal move's text, with where it leads and whether the side throws again."""
    rules = named_rules(rules_name)
    return {
        move.text: (format_position(rules, move.position), move.again)
        for move in legal_moves(rules, parse_position(rules, text), throw)
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
        # no landing on one's own piece, jumping over anything
        ("finkel:2", "..L.__../......../....__.. L 1 2", 2,
         {"A3A1*": ("L...__../......../....__.. L 1 2", True)}),
        # a capture sends home; a rosette is safe, or is not
        ("finkel:2", "L...__../D......./....__.. L 1 1", 1,
         {"A@A4": ("L..L__../D......./....__.. D 0 1", False),
          "A1B1x": ("....__../L......./....__.. D 1 2", False)}),
        ("finkel:2", "....__../L..D..../....__.. L 0 1", 3, {}),
        ("masters:2", "....__../L..D..../....__.. L 0 1", 3,
         {"B1B4x*": ("....__../...L..../....__.. L 0 2", True)}),
        # blitz throws again after a capture; masters-games after a four alone
        ("blitz:2", "....__../LD....../....__.. L 0 1", 1,
         {"B1B2x": ("....__../.L....../....__.. L 0 2", True)}),
        ("masters-games:2", "....__../......../....__.. L 2 2", 4,
         {"A@A1*": ("L...__../......../....__.. L 1 2", True)}),
        ("masters-games:2", "...L__../......../....__.. L 0 2", 3,
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


NAMES = ["finkel", "masters", "masters-games", "blitz", "aseb", "murray", "murray-3dice"]


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(NAMES), st.floats(0, 1, exclude_max=True), st.integers(0, 4))
def test_laws_of_moves(name, share, throw):
    rules = named_rules(name)
    space = space_of(rules)
    position = space.unrank(int(share * space.n_positions))
    if throw not in rules.dice.throws:
        with pytest.raises(ThrowError):
            legal_moves(rules, position, throw)
        return
    found = legal_moves(rules, position, throw)
    mirrored = legal_moves(rules, mirror(rules.board, position), throw)
    assert [mirror(rules.board, move.position) for move in found] == [
        move.position for move in mirrored
    ]
    for move in found:
        after = move.position
        assert find_move(rules, position, throw, move.text) == move
        assert move.target - move.source == throw
        assert parse_position(rules, format_position(rules, after)) == after
        assert n_off(rules, after, "L") - n_off(rules, position, "L") == (
            move.target == len(rules.path)
        ), "scores never fall, and rise by bearing off alone"
        assert n_off(rules, after, "D") == n_off(rules, position, "D")
        assert after.home("D") - position.home("D") == move.is_capture
        assert (after.side == "L") == move.again
        assert not (move.again and winner(rules, after))


def test_a_pass_changes_the_side_alone():
    rules = named_rules("finkel:2")
    position = parse_position(rules, "L...__../......../...D__.. L 1 1")
    assert format_position(rules, pass_turn(position)) == "L...__../......../...D__.. D 1 1"


def test_moves_that_are_not_legal():
    rules = named_rules("finkel:2")
    position = parse_position(rules, "L...__../......../....__.. L 1 2")
    with pytest.raises(MoveError, match="legal: A@A4, A1B1"):
        find_move(rules, position, 1, "A1B2")
    with pytest.raises(MoveError, match="none, the turn passes"):
        find_move(rules, position, 0, "A1B1")


@pytest.mark.parametrize("text", ["5", "-1", "", "1.0", "٢", "one", "1" * 100])
def test_throws_that_the_dice_cannot_show(text):
    with pytest.raises(ThrowError, match="0, 1, 2, 3, 4"):
        parse_throw(named_rules("finkel"), text)
