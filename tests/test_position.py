from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ur_solver.errors import IllegalPositionError, PositionSyntaxError
from ur_solver.rules import CATALOGUE, named_rules
from ur_solver.space import space_of

FINKEL = named_rules("finkel")
RACE = ["finkel", "masters", "blitz", "aseb", "murray", "conventional"]


def test_starts():
    assert FINKEL.start().notation == "....__../......../....__.. L 7 7"
    aseb = CATALOGUE["aseb"]
    assert aseb.start().notation == "....________/............/....________ L 5 5"


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(RACE), st.floats(0, 1, exclude_max=True), st.sampled_from("LD"))
def test_printing_and_parsing_are_inverse_and_mirroring_twice_is_nothing(name, share, side):
    rules = named_rules(name)
    space = space_of(rules)
    position = space.unrank(int(share * space.n_values), side)
    assert rules.position(position.notation) == position
    assert position.mirror().mirror() == position
    assert position.winner is None


def test_mirror_swaps_rows_colours_and_homes():
    position = FINKEL.position("L...__../..LD..../...D__D. L 3 2")
    mirrored = position.mirror()
    assert mirrored.notation == "...L__L./..DL..../D...__.. D 2 3"


def test_pieces_borne_off_are_what_is_missing():
    position = FINKEL.position("L...__../..LD..../...D__D. L 3 2")
    assert (position.n_off("L"), position.n_off("D")) == (2, 2)
    assert FINKEL.position("....__../......../....__.. L 0 3").winner == "L"
    assert FINKEL.position("....__../......../....__.. L 3 0").winner == "D"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "0 fields"),
        ("x", "1 field, expected 4"),
        ("....__../......../....__.. L 7", "3 fields"),
        ("....__../......../....__.. L 7 7 7", "5 fields"),
        ("....__../........ L 7 7", "2 rows"),
        ("....__../......../....__../.... L 7 7", "4 rows"),
        ("....__./......../....__.. L 7 7", "row A"),
        ("....__../........./....__.. L 7 7", "row B"),
        ("....__../......../....__ L 7 7", "row C"),
        ("......../......../....__.. L 7 7", "A5"),
        ("....__../...._.../....__.. L 7 7", "B5"),
        ("....__../...X..../....__.. L 7 7", "B4"),
        ("....__../...é..../....__.. L 7 7", "B4"),
        ("....__../......../....__.. l 7 7", "side to throw"),
        ("....__../......../....__.. X 7 7", "side to throw"),
        ("....__../......../....__.. L x 7", "light's home"),
        ("....__../......../....__.. L 7 -1", "dark's home"),
        ("....__../......../....__.. L 7 ²", "dark's home"),
        ("." * 1000, "1000 characters"),
    ],
)
def test_a_bad_string_gets_an_error_that_names_the_part(text, part):
    with pytest.raises(PositionSyntaxError, match=part):
        FINKEL.position(text)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("finkel", "'.', 'L' or 'D'"),
        ("murray", "'.', 'L' or 'D', small letters for marked pieces"),
        ("bell", "'.', 'L' or 'D'"),
        (
            "skiriuk",
            "'.', 'L' or 'D', small letters for marked pieces, or two pieces or more in "
            "parentheses",
        ),
    ],
)
def test_what_may_stand_on_squares_is_said_by_the_rules(name, expected):
    with pytest.raises(PositionSyntaxError) as caught:
        CATALOGUE[name].position("....__../...X..../....__.. L 5 5")
    assert str(caught.value).endswith(f"B4 begins with 'X', expected {expected}")


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("D...__../......../....__.. L 6 6", ["A1"]),
        ("....__../l......./....__.. L 6 7", ["B1"]),
        ("....__../......../....__.. L 8 7", ["light has 8"]),
        ("....__../.LD...../....__.. L 7 7", ["light has 8", "dark has 8"]),
        ("D...__../......../L...__.. L 8 9", ["A1", "C1", "light has 9", "dark has 10"]),
        ("....__../......../....__.. L 0 0", ["both sides"]),
    ],
)
def test_every_fault_is_listed(text, faults):
    with pytest.raises(IllegalPositionError) as caught:
        FINKEL.position(text)
    for fault in faults:
        assert fault in str(caught.value)
    assert repr(text) in str(caught.value)


def test_second_legs_are_written_in_lower_case():
    murray = named_rules("murray")
    text = "..l.__../...d..../....__L. D 4 5"
    assert murray.position(text).notation == text
    with pytest.raises(IllegalPositionError, match="B8"):
        murray.position("....__../.......l/....__.. L 4 5")


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60) | st.text("LDld._/ 0123456789", max_size=60))
def test_any_text_is_a_position_or_a_clear_error(text):
    try:
        position = FINKEL.position(text)
    except (PositionSyntaxError, IllegalPositionError):
        return
    assert FINKEL.position(position.notation) == position
