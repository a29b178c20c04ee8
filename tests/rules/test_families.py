"""Rule sets as data: round trips, messages about faults, contents of squares."""

import dataclasses
import json
from collections import Counter
from fractions import Fraction

import pytest

from ur_solver.errors import RuleSetError
from ur_solver.rules import CATALOGUE, DICE, FAMILIES, PATHS, Dice, RuleSet, Stakes, named_rules
from ur_solver.rules.contents import side_of, split

BELL_STAKES = CATALOGUE["bell"].changed(stakes=Stakes(ante=7, fine=2))


@pytest.mark.parametrize("rules", [*CATALOGUE.values(), BELL_STAKES], ids=lambda rules: rules.name)
def test_json_round_trip(rules):
    assert RuleSet.from_json(rules.to_json()) == rules
    assert RuleSet.from_json(json.dumps(rules.to_json())) == rules


@pytest.mark.parametrize("name", CATALOGUE)
def test_counts_of_pieces(name):
    most = {"birds": 5, "birds-d4": 4}.get(name, 15)
    for pieces in range(1, most + 1):
        assert named_rules(f"{name}:{pieces}").pieces == pieces
    fault = f"pieces is {most + 1}, not between 1 and {most}|d4 dice never show 5"
    with pytest.raises(RuleSetError, match=fault):
        named_rules(name, most + 1)


SWITCHES = {
    "race": [
        "safe_rosettes",
        "extra_on_rosette",
        "extra_on_capture",
        "extra_on_throw",
        "another_piece",
    ],
    "bell": ["stakes"],
    "casual": ["roll_again"],
    "birds": [],
    "skiriuk": [
        "flip",
        "safe_corners",
        "stack_height",
        "finish_stacks",
        "any_from_shared_depot",
        "extra_on_capture",
        "extra_on_bearing_off",
        "another_piece",
        "depots",
        "corners",
    ],
    "ben": ["conversions", "four_eyes"],
}
"""Besides `extra_throw` and `opening`, which all have and JSON has where they are unusual."""

# younger than some tables, whose digests are of JSON without them
LEFT_OUT_AT_THEIR_DEFAULT = {
    "race": ["another_piece"],
    "bell": [],
    "casual": [],
    "birds": [],
    "skiriuk": SWITCHES["skiriuk"],
    "ben": SWITCHES["ben"],
}

# values that are not off
ON = {
    "extra_on_throw": 1,
    "stakes": {"ante": 1, "fine": 1},
    "flip": "on",
    "stack_height": 2,
    "depots": ["A2"],
    "corners": ["A2"],
    "conversions": ["A2"],
    "four_eyes": ["A2"],
}


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_rule_set_has_the_switches_of_its_family_and_no_others(name):
    rules = CATALOGUE[name]
    values = rules.to_json()
    own = [each for each in SWITCHES[rules.family] if each != "roll_again"]
    assert list(rules.switches) == [*own, "extra_throw", "opening"]
    own = SWITCHES[rules.family]
    written = [key for key in own if key not in LEFT_OUT_AT_THEIR_DEFAULT[rules.family]]
    written += ["extra_throw", "opening"] if name.startswith("four-again") else []
    assert list(values) == ["name", "family", "path", "dice", "pieces", *written]
    others = {key for keys in SWITCHES.values() for key in keys} - {*own}
    # what a family has not is off, and JSON may say so
    off = {
        key: False if ON.get(key, True) is True else None
        for key in others
        if key not in ("flip", "stack_height")
    }
    assert RuleSet.from_json({**values, **off}) == rules
    for key in others:
        with pytest.raises(RuleSetError, match=f"{rules.family} has no switch '{key}'; it has "):
            RuleSet.from_json({**values, key: ON.get(key, True)})


@pytest.mark.parametrize("name", CATALOGUE)
def test_switches_left_out_are_at_their_default(name):
    rules = CATALOGUE[name]
    values = rules.to_json()
    usual = {switch.key: switch.default for switch in FAMILIES[rules.family].switches}
    for key in SWITCHES[rules.family]:
        fewer = {other: value for other, value in values.items() if other != key}
        stored = {"roll_again": "extra_throw"}.get(key, key)
        assert RuleSet.from_json(fewer).switches == {**rules.switches, stored: usual[stored]}


def test_a_race_rule_set_needs_no_family():
    values = CATALOGUE["finkel"].to_json()
    del values["family"]
    assert RuleSet.from_json(values) == CATALOGUE["finkel"]


def test_other_dice_where_the_rules_allow_them():
    for name, dice in (("casual", "d4"), ("ben", "4-binary"), ("ben", "d4")):
        assert dataclasses.replace(CATALOGUE[name], dice=DICE[dice]).dice == DICE[dice]


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("ben", {"path": PATHS["aseb"]}, "path 'aseb' visits no conversion square .there is none"),
        # which is too many even to list their numbers
        (
            "birds",
            {"pieces": 10**30},
            "pieces is 10{30}, not between 1 and 5; 4-binary dice never s",
        ),
        ("birds", {"dice": DICE["d4"]}, "d4 dice never show 5, without which piece 5 cannot enter"),
        ("birds", {"dice": DICE["bell"]}, "dice are 'bell', whose throws mean something"),
        ("bell", {"dice": DICE["d4"]}, "d4 dice show 1, 2, 3, 4; bell is played with throws of 0"),
        ("bell-stakes", {"path": PATHS["murray"]}, "visits squares of both sides twice, which is"),
        ("birds", {"switches": {"stakes": None}}, "birds has no switch 'stakes'; it has extra"),
        ("skiriuk", {"dice": Dice.of("2d", {2: Fraction(1)})}, "but 2d dice cannot show a 1"),
        ("skiriuk", {"switches": {"flip": "off"}}, "flip is 'off', not 'beyond' or 'on'"),
        ("skiriuk", {"switches": {"stack_height": 8}}, "stack_height is 8, not 1 to 7"),
        ("skiriuk", {"switches": {"stack_height": True}}, "stack_height is True, not 1 to 7"),
        ("skiriuk", {"switches": {"depots": ("B9",)}}, "depots: 'B9' is no square of the board"),
        ("skiriuk", {"switches": {"depots": ["B1"]}}, "depots is .*, not a tuple that squares_of"),
        (
            "skiriuk",
            {"switches": {"corners": ("A3",)}},
            "visits B1 B2 .* alike on both visits, 'l'",
        ),
        ("ben", {"switches": {"conversions": ("B8",), "four_eyes": 3}}, "four_eyes is 3, not a tu"),
        (
            "finkel",
            {"switches": {"extra_throw": "will"}},
            "extra_throw is 'will', not 'must' or 'm",
        ),
        (
            "bell",
            {"switches": {"stakes": Stakes(), "extra_throw": "may"}},
            "stakes are played for with extra_throw 'must' only",
        ),
        (
            "finkel",
            {"switches": {"roll_again": True}},
            "race has no switch 'roll_again'; it has sa",
        ),
        ("finkel", {"switches": {"safe_rosettes": 1}}, "safe_rosettes is 1, not true or false"),
        ("casual", {"switches": {"roll_again": "yes"}}, "roll_again is 'yes', not true or false"),
        ("finkel", {"switches": {"extra_throw": ["may"]}}, "extra_throw is .*, not 'must' or 'm"),
        ("finkel", {"switches": {"extra_on_throw": 4.0}}, "extra_on_throw is 4.0, which 4-bin"),
        ("skiriuk", {"switches": {"depots": (1,)}}, "depots is .*, not a tuple that squares_of"),
        ("bell", {"switches": {"stakes": 10}}, "stakes is 10, not Stakes or None"),
        ("finkel", {"name": "a\nb"}, "name is 'a.*', not a text of 1 to 80 characters"),
        ("finkel", {"dice": DICE["bell"]}, "dice are 'bell', whose throws mean something"),
        (
            "finkel",
            {"switches": {"extra_on_throw": 5}},
            "extra_on_throw is 5, .* they show 0, 1, 2, 3, 4",
        ),
        (
            "finkel",
            {"switches": {"extra_on_throw": 0}},
            "extra_on_throw is 0, but a throw of 0 moves nothing",
        ),
        ("finkel", {"family": "chess"}, "family is 'chess'; the families are race, bell"),
    ],
)
def test_contradictions_in_words(name, change, message):
    with pytest.raises(RuleSetError, match=message):
        dataclasses.replace(CATALOGUE[name], **change)


@pytest.mark.parametrize(
    ("stakes", "message"),
    [
        ({"ante": 10}, "is not such as"),
        (3, "3 is not such as"),
        ({"ante": -1, "fine": 1}, "ante is -1, not 0 to 1000000"),
        ({"ante": 1, "fine": 0}, "fine is 0, not 1 to 1000000"),
        ({"ante": 1, "fine": 1.5}, "fine is 1.5, not a whole number"),
        ({"ante": 1, "fine": 1, "reach": 59}, "reach is 59, not 0 to 58"),
        ({"ante": 1, "fine": 1, "depth": 3}, "is not such as"),
    ],
)
def test_wrong_stakes_in_words(stakes, message):
    with pytest.raises(RuleSetError, match=message):
        RuleSet.from_json({**CATALOGUE["bell"].to_json(), "stakes": stakes})


def test_wrong_family_in_json():
    with pytest.raises(RuleSetError, match=r"family is \['ben'\]; the families are race"):
        RuleSet.from_json({**CATALOGUE["ben"].to_json(), "family": ["ben"]})


def test_stakes_make_another_game_and_another_name_does_not():
    bell = CATALOGUE["bell"]
    assert bell.changed(stakes=Stakes()).name == "bell-stakes"
    assert BELL_STAKES.name == "bell-stakes-ante-7-fine-2"
    assert BELL_STAKES.changed(stakes=Stakes(fine=3)).name == "bell-stakes-fine-3"
    assert not bell.is_same_game(BELL_STAKES)
    assert bell.is_same_game(dataclasses.replace(bell, name="Bell's game"))
    assert BELL_STAKES.stakes.total(3) == 20


def test_how_far_a_table_reaches_is_not_of_the_game():
    far = BELL_STAKES.changed(stakes=Stakes(ante=7, fine=2, reach=3))
    assert far != BELL_STAKES
    assert far.is_same_game(BELL_STAKES)
    assert far.settled() == far
    settled = BELL_STAKES.settled()
    assert settled.stakes.reach == BELL_STAKES.stakes.reach_of(7)
    assert RuleSet.from_json(settled.to_json()) == settled
    assert CATALOGUE["bell"].settled() == CATALOGUE["bell"]


@pytest.mark.parametrize(
    ("name", "square", "contents"),
    [
        ("finkel:2", "B4", {"", "L", "D"}),
        ("bell:2", "A1", {"", "L"}),
        ("casual:2", "A1", {"", "L", "LL"}),
        ("casual:1", "B4", {"", "L", "D", "LD"}),
        ("casual:7", "B3", {"", "L", "D"}),
        ("birds:2", "A1", {"", "L1", "L2", "L1L2"}),
        ("birds:1", "B4", {"", "L1", "D1", "L1D1"}),
        ("skiriuk:7", "A2", {"", "L", "LL", "LLL", "LLLL"}),
        ("skiriuk:1", "B3", {"", *"LDld", "LD", "DL", "Ld", "dL", "lD", "Dl", "ld", "dl"}),
        ("skiriuk:2", "B7", {"", *"LDld", "LL", "Ll", "lL", "ll", "DD", "Dd", "dD", "dd"}),
        ("skiriuk:7", "A8", {"", "L", "d"}),
        ("ben:7", "A7", {"", "L", "LL", "d", "dd", "Ld", "Ldd", "LLd", "LLdd"}),
        ("ben:7", "B6", {"", *"LDld", "Ll", "Ld", "Dl", "Dd"}),
        ("ben:7", "A8", {"", "l", "d"}),
        ("ben:7", "B8", {"", *"LDld"}),
    ],
)
def test_contents_of_squares(name, square, contents):
    found = named_rules(name).mechanics.contents_on(square)
    assert len(found) == len(set(found))
    assert set(found) == contents


# All ways to fill the squares and the homes, including games that are over.
SIZES = {
    "finkel": (248, 13112, 264304, 2606947, 14680840, 53212388, 137913936),
    "bell": (248, 13112, 264304, 2606947, 14680840, 53212388, 137913936),
    "masters": (312, 20623, 514052, 6165948, 41264288, 172726782, 501032952),
    "casual": (249, 14071, 328981, 4150581, 33194669, 188158713, 819945003),
    "murray": (808, 133763, 7994968, 216918485, 3035055880, 23959660429, 115712429136),
    "skiriuk": (608, 87587, 5615208, 209198645, 5119933796, 87314375501, 1072025399628),
    "ben": (652, 93620, 5327665, 153985731, 2603130756, 28247893228, 210456615155),
}


@pytest.mark.parametrize("name", SIZES)
def test_contents_multiply_to_the_size_of_the_state_space(name):
    assert tuple(size(named_rules(name, pieces)) for pieces in range(1, 8)) == SIZES[name]


def size(rules):
    ways = Counter({(0, 0): 1})
    for square in rules.board.squares:
        sides = (
            [side_of(piece) for piece in split(c)] for c in rules.mechanics.contents_on(square)
        )
        alphabet = Counter((held.count("L"), held.count("D")) for held in sides)
        ways = Counter(
            {
                (light, dark): sum(
                    times * ways[light - used_light, dark - used_dark]
                    for (used_light, used_dark), times in alphabet.items()
                )
                for light in range(rules.pieces + 1)
                for dark in range(rules.pieces + 1)
            }
        )
    return sum(
        times * (rules.pieces - light + 1) * (rules.pieces - dark + 1)
        for (light, dark), times in ways.items()
    )
