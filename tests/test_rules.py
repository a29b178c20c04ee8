from __future__ import annotations

import dataclasses
import json
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ur_solver.common.text import counted
from ur_solver.errors import RuleSetError
from ur_solver.rules import CATALOGUE, DICE, PATHS, UR, Dice, RuleSet, named_rules

# name, N, path, dice, safe rosettes, extra throw after rosette, capture, throw; must or may
RACE = [
    ("finkel", 7, "bell", "4-binary", True, True, False, None, "must"),
    ("british-museum", 5, "bell", "4-binary", True, True, False, None, "must"),
    ("finkel-3dice", 7, "bell", "3-binary", True, True, False, None, "must"),
    ("conventional", 7, "masters", "3-binary-0as4", True, True, False, None, "must"),
    ("four-again", 7, "masters", "3-binary-0as4", True, False, False, 4, "may"),
    ("four-again-d4", 7, "masters", "d4", True, False, False, 4, "may"),
    ("murray", 7, "murray", "3-binary-0as4", True, True, False, None, "must"),
    ("murray-0-to-3", 7, "murray", "3-binary", True, True, False, None, "must"),
    ("masters", 7, "masters", "3-binary-0as4", False, True, False, None, "must"),
    ("masters-4dice", 7, "masters", "4-binary", False, True, False, None, "must"),
    ("blitz", 5, "masters", "4-binary", False, True, True, None, "must"),
    ("aseb", 5, "aseb", "4-binary", True, True, False, None, "must"),
]

SWITCHES = (
    *("safe_rosettes", "extra_on_rosette", "extra_on_capture", "extra_on_throw"),
    "extra_throw",
)


@pytest.mark.parametrize("row", RACE, ids=lambda row: row[0])
def test_the_race_family(row):
    rules = CATALOGUE[row[0]]
    assert (
        rules.name,
        rules.pieces,
        rules.path.name,
        rules.dice.name,
        *(rules.switches[key] for key in SWITCHES),
    ) == row
    rest = {key: rules.switches[key] for key in rules.switches if key not in SWITCHES}
    assert rest == {"another_piece": False, "opening": rest["opening"]}


def test_lengths_of_paths():
    lengths = {"bell": 14, "masters": 16, "murray": 27, "murray-royalur": 27, "skiriuk": 23}
    for name, length in (lengths | {"aseb": 16}).items():
        assert len(PATHS[name]) == length
    assert PATHS["bell"].dark[:5] == ("C4", "C3", "C2", "C1", "B1")
    assert UR.rosettes == {"A1", "C1", "B4", "A7", "C7"}


@pytest.mark.parametrize("dice", DICE.values(), ids=lambda dice: dice.name)
def test_dice_sum_to_one(dice):
    assert sum(dice.probabilities) == 1


@pytest.mark.parametrize("name", [row[0] for row in RACE])
@pytest.mark.parametrize("pieces", [1, 7])
def test_json_there_and_back(name, pieces):
    rules = named_rules(name, pieces)
    assert RuleSet.from_json(json.dumps(rules.to_json())) == rules


def test_custom_dice_go_through_json():
    coin = Dice.of("coin", {1: Fraction(1, 3), 2: Fraction(2, 3)})
    rules = dataclasses.replace(CATALOGUE["finkel"], dice=coin, name="two thirds")
    assert RuleSet.from_json(json.dumps(rules.to_json())) == rules


def test_names_do_not_make_the_game():
    assert named_rules("finkel:5").is_same_game(named_rules("british-museum"))
    assert not named_rules("finkel:5").is_same_game(named_rules("finkel:4"))
    assert not named_rules("masters").is_same_game(named_rules("conventional"))


def test_counts_of_pieces():
    assert named_rules("finkel:3") == named_rules("finkel", 3) == named_rules("finkel:3", 3)
    words = ["finkel:0", "finkel:16", "finkel:x", "finkel:²", "finkel:" + "1" * 5000]
    for word, pieces in [(word, None) for word in words]:
        with pytest.raises(RuleSetError, match="1"):
            named_rules(word, pieces)
    with pytest.raises(RuleSetError, match="3 pieces and -n for 4"):
        named_rules("finkel:3", 4)


def test_titles_count_pieces():
    assert named_rules("finkel:3").title == "finkel with 3 pieces"
    assert named_rules("finkel:1").title == "finkel with 1 piece"


@pytest.mark.parametrize(
    ("count", "words", "text"),
    [
        (0, ("piece",), "0 pieces"),
        (1, ("piece",), "1 piece"),
        (2, ("piece",), "2 pieces"),
        (1234, ("position",), "1,234 positions"),
        (1, ("entry is", "entries are"), "1 entry is"),
        (12, ("entry is", "entries are"), "12 entries are"),
    ],
)
def test_counts_in_words(count, words, text):
    assert counted(count, *words) == text


FINKEL = CATALOGUE["finkel"].to_json()


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"path": "circle"}, "path is 'circle'"),
        ({"path": 3}, "path is 3"),
        ({"dice": "d8"}, "dice is 'd8'"),
        ({"dice": {"name": "x", "throws": {"1": "1/3"}}}, "sum to 1/3"),
        ({"dice": {"name": "x", "throws": {"1": "0", "2": 1}}}, "not above 0"),
        ({"dice": {"name": "x", "throws": {"13": 1}}}, "throw 13"),
        ({"dice": {"name": "x", "throws": {"0": 1}}}, "no throw moves"),
        ({"dice": {"name": "x", "throws": {"one": 1}}}, "'one'"),
        ({"dice": {"name": "x", "throws": {"1": "1/0"}}}, "1/0"),
        ({"dice": {"name": "x", "throws": {"1": "1e-999999999"}}}, "1e-999999999"),
        ({"dice": {"name": "x", "throws": {"1": "9" * 41}}}, "'1': '999"),
        ({"dice": {"name": "x", "throws": {"1": True}}}, "'1': True"),
        ({"dice": {"name": "x", "throws": {"1": -1}}}, "'1': -1"),
        ({"dice": {"name": "x", "throws": {"1": 0.5}}}, "sum to 1/2"),
        ({"dice": {"name": "x", "throws": {"01": 1}}}, "'01': 1"),
        ({"dice": {"name": "x", "throws": {}}}, "no throws"),
        ({"dice": {"throws": {"1": 1}}}, "custom dice"),
        ({"dice": {"name": "a\nb", "throws": {"1": 1}}}, r"dice: name is 'a\\nb', not a text of"),
        ({"dice": {"name": None, "throws": {"1": 1}}}, "dice: name is None, not a text of 1 to 80"),
        ({"pieces": 0}, "pieces is 0"),
        ({"pieces": 16}, "pieces is 16"),
        ({"pieces": "7"}, "pieces is '7'"),
        ({"pieces": True}, "pieces is True"),
        ({"safe_rosettes": 1}, "safe_rosettes is 1"),
        ({"extra_on_throw": 0}, "extra_on_throw is 0"),
        ({"extra_on_throw": 7}, "extra_on_throw is 7"),
        ({"name": ""}, "name is ''"),
        ({"name": "x" * 100}, "name is"),
        ({"colour": "red"}, "unknown key 'colour'"),
    ],
)
def test_what_is_wrong_is_said(change, fault):
    with pytest.raises(RuleSetError, match=fault):
        RuleSet.from_json(FINKEL | change)


@pytest.mark.parametrize("key", ["name", "path", "dice", "pieces"])
def test_what_is_missing_is_said(key):
    with pytest.raises(RuleSetError, match=f"{key!r} is missing"):
        RuleSet.from_json({name: value for name, value in FINKEL.items() if name != key})


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "null", '"finkel"', "[" * 100_000])
def test_other_json_is_refused(text):
    with pytest.raises(RuleSetError):
        RuleSet.from_json(text)


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from([*FINKEL, "other"]),
        st.none() | st.booleans() | st.integers() | st.text(max_size=10) | st.lists(st.none()),
    )
)
def test_any_json_is_a_rule_set_or_a_clear_error(change):
    try:
        rules = RuleSet.from_json(FINKEL | change)
    except RuleSetError:
        return
    assert RuleSet.from_json(rules.to_json()) == rules


def test_files(tmp_path):
    path = tmp_path / "rules.json"
    with pytest.raises(RuleSetError, match="No such file"):
        named_rules(str(path))
    path.write_text(json.dumps(FINKEL))
    assert named_rules(str(path), 3) == named_rules("finkel:3")
    for name in ("x" * 300, "\0"):
        with pytest.raises(RuleSetError, match="rule set '"):
            named_rules(f"{name}.json")
    path.write_bytes(b"\xff\xff")
    with pytest.raises(RuleSetError, match="UTF-8"):
        named_rules(str(path))
    path.write_bytes(b" " * 100_000)
    with pytest.raises(RuleSetError, match="larger than"):
        named_rules(str(path))
