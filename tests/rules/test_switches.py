"""The switches and the equipment of rule sets, against the readable rules."""

from __future__ import annotations

import dataclasses
import random

import pytest
from value_iteration import Equations

from tests.solving import assert_as_the_rules_say, solve
from ur_solver.rules import CATALOGUE, DICE, PATHS, UR, Path, RuleSet
from ur_solver.space import space_of

OTHER_WAY = Path.of("other-way", UR, PATHS["murray"].light[:-4])
"""Skiriuk's path with the other half of the short end first."""

BOTH_CORNERS = {"flip": "on", "safe_corners": True}

VARIANTS: list[tuple[str, dict[str, object]]] = [
    ("skiriuk", {"flip": "on"}),
    ("skiriuk", {"safe_corners": True}),
    ("skiriuk", BOTH_CORNERS),
    ("skiriuk", {"stack_height": 1}),
    ("skiriuk", {"stack_height": 2}),
    ("skiriuk", {"finish_stacks": True}),
    ("skiriuk", {"any_from_shared_depot": True}),
    ("skiriuk", {"extra_on_capture": True}),
    ("skiriuk", {"extra_on_bearing_off": True}),
    ("skiriuk", {"dice": DICE["d6"]}),
    ("skiriuk", {"depots": ("A3", "B2")}),
    ("skiriuk", {"corners": ("B8",)}),
    ("skiriuk", {"path": OTHER_WAY}),
    ("skiriuk", {"path": PATHS["murray"]}),
    ("skiriuk", {"path": PATHS["bell"], "depots": ()}),
    ("ben", {"dice": DICE["4-binary"]}),
    ("ben", {"dice": DICE["d4"]}),
    ("ben", {"conversions": ("A7",), "four_eyes": ("A2", "B2")}),
    ("ben", {"path": PATHS["masters"]}),
    ("ben", {"path": PATHS["bell"]}),
    ("casual", {"path": PATHS["murray"]}),
    ("casual", {"dice": DICE["d4"]}),
    ("birds", {"path": PATHS["masters"]}),
    ("birds", {"dice": DICE["d4"]}),
    ("bell", {"path": PATHS["murray"]}),
]


def variant(name: str, changes: dict[str, object], pieces: int) -> RuleSet:
    return CATALOGUE[name].changed(pieces=pieces, **changes)


def compare_all(rules: RuleSet) -> None:
    """Every position that can be reached, with plain value iteration over the readable moves."""
    space = space_of(rules)
    values = solve(space, tolerance=1e-12)
    expected = Equations(rules).solve()
    found = [values[space.rank(position)] for position in expected]
    assert found == pytest.approx([*expected.values()], abs=1e-10)


each_variant = pytest.mark.parametrize(
    ("name", "changes"),
    VARIANTS,
    ids=lambda each: each if isinstance(each, str) else "-".join(each),
)


@each_variant
def test_one_piece(name, changes):
    compare_all(variant(name, changes, 1))


@each_variant
def test_some_positions_of_two_pieces(name, changes):
    space = space_of(variant(name, changes, 2))
    values = solve(space, tolerance=1e-12)
    assert_as_the_rules_say(space, values, random.Random(5).sample(range(space.n_values), 100))


@pytest.mark.long
@each_variant
def test_two_pieces(name, changes):
    compare_all(variant(name, changes, 2))


def start_value(rules: RuleSet) -> float:
    space = space_of(rules)
    return float(solve(space, tolerance=1e-12)[space.rank(rules.start())])


def test_which_way_the_pieces_turn_makes_no_difference():
    rules = CATALOGUE["skiriuk"].with_pieces(2)
    assert start_value(rules.changed(path=OTHER_WAY)) == pytest.approx(
        start_value(rules), abs=1e-10
    )


def test_safe_corners_make_up_for_turning_over_on_them():
    rules = CATALOGUE["skiriuk"].with_pieces(2)
    turned = start_value(rules.changed(flip="on"))
    assert abs(turned - start_value(rules)) > 1e-3
    both = start_value(rules.changed(**BOTH_CORNERS))
    assert both == pytest.approx(start_value(rules), abs=1e-10)


def test_a_stack_of_one_is_a_square_that_is_safe():
    """With height 1 depots and islands hold one piece, which nothing captures."""
    rules = CATALOGUE["skiriuk"].with_pieces(1)
    safe = {"rule": "ordinary", "is_safe": True}
    squares = dict.fromkeys(["A2", "A4", "B7", "B3", "B6"], safe)
    same = RuleSet.from_json(rules.to_json() | {"squares": squares})
    assert start_value(rules.changed(stack_height=1)) == pytest.approx(start_value(same), abs=1e-12)


def test_switches_there_and_back_through_json():
    for name, changes in VARIANTS:
        rules = variant(name, changes, 2)
        assert RuleSet.from_json(rules.to_json()) == rules
        usual = {key: getattr(CATALOGUE[name], key, None) for key in ("path", "dice")}
        back = rules.changed(**usual, **{k: CATALOGUE[name].switches[k] for k in rules.switches})
        assert back == CATALOGUE[name].with_pieces(2)


def test_squares_are_those_of_rows_a_and_b():
    rules = CATALOGUE["skiriuk"]
    values = rules.to_json() | {"depots": ["C2", "A2", "B7"]}
    found = RuleSet.from_json(values)
    assert found.switches["depots"] == ("A2", "B7")
    assert found.is_same_game(dataclasses.replace(rules, switches={"depots": ("A2", "B7")}))
    stacks = {square for square, rule in found.mechanics.squares.items() if rule.name == "stack"}
    assert stacks == {"A2", "C2", "B7", "B3", "B6"}
