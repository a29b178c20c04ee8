"""A rule set in plain words, square by square, and its prose as data."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from itertools import product

import pytest

from tests.scripts import SCRIPTS, script_module
from ur_solver.rules import CATALOGUE, DICE, UR, Path, named_rules
from ur_solver.rules.descriptions import sections_of
from ur_solver.serve.rules_data import (
    games_values,
    measured,
    prose_values,
    short_words,
    square_words,
)


@pytest.mark.parametrize("name", DICE)
def test_dice_as_they_are_drawn_have_the_throws_of_the_rules(name):
    """By counting all faces of the dice that are drawn."""
    dice = DICE[name]
    look = dice.look
    assert set(look.marks) == set(dice.throws)
    if look.kind == "die":
        faces = [(pips,) for pips in look.marks.values()]
    else:
        faces = list(product((0, 1), repeat=look.n_dice))
    by_marks = {marks: throw for throw, marks in look.marks.items()}
    for throw in dice.throws:
        shown = sum(by_marks[sum(each)] == throw for each in faces)
        assert Fraction(shown, len(faces)) == dice.probabilities[throw]


def test_every_rule_set_has_rules_to_read():
    for rules in CATALOGUE.values():
        found = prose_values(rules)
        assert len(found["sections"]) == len(sections_of(rules))
        assert all(section["blocks"] for section in found["sections"])
        kinds = [block["kind"] for each in found["sections"] for block in each["blocks"]]
        assert "board" in kinds
        assert {*kinds} <= {"p", "li", "pre", "board"}


def test_no_word_of_the_prose_is_lost():
    rules = named_rules("skiriuk")
    found = " ".join(
        "".join(text for _, text in block.get("runs", ()))
        for section in prose_values(rules)["sections"]
        for block in section["blocks"]
    )
    prose = " ".join(
        part for section in sections_of(rules) for part in section.text.split("```")[::2]
    )
    assert sorted(re.findall(r"\w+", found)) == sorted(re.findall(r"\w+", prose))


def test_a_rule_set_in_short_says_what_it_needs():
    words = " ".join(short_words(named_rules("finkel")))
    assert "B4: Rosette. One piece; nothing captures it. Landing here gives another throw." in words
    assert "Elsewhere: One piece; an opponent captures it." in words
    assert "7 pieces" in words
    bell = " ".join(short_words(named_rules("bell")))
    assert (
        "A throw of 0 moves a piece 4 squares. A throw of 1 moves nothing. "
        "A throw of 2 moves a piece 1 square. A throw of 3 moves a piece 5 squares." in bell
    )
    assert "enters only with 3" in bell
    assert "choose whether to move a piece or to enter one" in " ".join(
        short_words(named_rules("birds"))
    )


def test_squares_say_who_comes_there():
    words = square_words(named_rules("finkel"))
    assert words["A1"] == "Rosette. Only light comes here. Landing here gives another throw."
    assert words["C8"] == "Only dark comes here."
    assert square_words(named_rules("casual"))["A4"] == "Only light comes here."


def test_what_was_measured_is_the_atlas():
    if not SCRIPTS.exists():
        pytest.skip("a tree without scripts")
    assert measured() == script_module("make_atlas").measured()
    games = games_values()
    assert [game["name"] for game in games] == list(CATALOGUE)
    assert json.dumps(games)
    assert all(game["measured"]["pieces"] == game["pieces"] for game in games)


def test_a_rule_set_whose_sides_never_meet_says_so():
    lane = Path.of("own", UR, ["A2", "A1", "A4", "A8"])
    for name in ("birds:1", "finkel:1", "casual:1"):
        *_, last = short_words(named_rules(name).changed(path=lane))
        assert last == "The two sides meet nowhere, so that nothing is captured."
