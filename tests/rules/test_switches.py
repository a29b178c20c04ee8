"""The switches and the equipment of rule sets, against the readable rules."""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Callable

import numpy as np
import pytest
from click.testing import CliRunner

from tests.solving import assert_as_the_rules_say, solve
from tests.value_iteration import Equations, as_light
from ur_solver.cli import cli
from ur_solver.errors import RuleSetError
from ur_solver.rules import CATALOGUE, DICE, PATHS, UR, Path, Position, RuleSet
from ur_solver.rules.openings import opening_value
from ur_solver.rules.squares import Refuge, Shared, Stack
from ur_solver.rules.turns import is_draw
from ur_solver.space import space_of

pytestmark = pytest.mark.medium

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
    ("skiriuk", {"another_piece": True}),
    ("skiriuk", {"another_piece": True, "extra_on_capture": True, "any_from_shared_depot": True}),
    ("finkel", {"another_piece": True}),
    ("conventional", {"another_piece": True}),
    ("blitz", {"another_piece": True}),
    ("four-again", {"another_piece": True}),
    ("aseb", {"another_piece": True, "squares": {"B4": Shared(), "B8": Refuge(2)}}),
]


def variant(name: str, changes: dict[str, object], pieces: int) -> RuleSet:
    return CATALOGUE[name].changed(pieces=pieces, **changes)


def compare_all(rules: RuleSet, **options: Callable[[Position], Position]) -> None:
    """Every position that can be reached, with plain value iteration over the readable moves."""
    space = space_of(rules)
    values = solve(space, tolerance=1e-12)
    expected = Equations(rules, **options).solve()
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


@pytest.mark.parametrize("name", ["conventional", "finkel"])
def test_some_positions_of_two_pieces_of_which_one_rests(name):
    space = space_of(variant(name, {"another_piece": True}, 2))
    values = solve(space, tolerance=1e-12)
    assert_as_the_rules_say(space, values, random.Random(5).sample(range(space.n_values), 100))


@pytest.mark.long
@each_variant
def test_two_pieces(name, changes):
    compare_all(variant(name, changes, 2), seen_by=as_light)


def test_a_piece_that_rests_moves_again_later():
    """Light's piece lies on dark's and rests; dark cannot move, and then light moves on."""
    rules = CATALOGUE["finkel"].changed(
        pieces=1, another_piece=True, squares={"B4": Stack(2, one_side=False)}
    )
    assert not is_draw(rules.position("....__../...(DL^)..../....__.. L 0 0"))
    space = space_of(rules)
    values = solve(space, tolerance=1e-12)
    assert_as_the_rules_say(space, values, range(space.n_values))


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


def opening(rules: RuleSet) -> float:
    space = space_of(rules)
    values = solve(space, tolerance=1e-12)

    def value(position: Position) -> float:
        if position.winner is not None:
            return float(position.winner == position.side)
        return float(values[space.rank(position)])

    return opening_value(rules, value)


def test_what_another_piece_is_worth_to_the_starter():
    """By a second program, which shares nothing with this one."""
    rules = CATALOGUE["skiriuk"].with_pieces(1)
    assert opening(rules) == pytest.approx(0.492116, abs=5e-7)
    assert opening(rules.changed(another_piece=True)) == pytest.approx(0.500211, abs=5e-7)


@pytest.mark.parametrize(("name", "pieces"), [("skiriuk", 1), ("conventional", 2), ("finkel", 2)])
def test_positions_with_a_piece_that_rests_are_counted(name, pieces):
    rules = CATALOGUE[name].with_pieces(pieces)
    space, plain = space_of(rules.changed(another_piece=True)), space_of(rules)
    rosettes = [rules.board.squares.index(square) for square in rules.rosettes]
    count = 0
    for rank in range(plain.n_values):
        contents = plain.unrank(rank).contents
        count += 1 + sum(contents[square] in ("L", "l") for square in rosettes)
    assert space.n_values == count
    rows = space.unrank_states(np.arange(space.n_values))
    assert (space.rank_states(rows) == np.arange(space.n_values)).all()


def test_options_of_the_command_line():
    def rules_by(*options: str) -> RuleSet:
        arguments = ["rules", "skiriuk", *options, "--json"]
        result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
        return RuleSet.from_json(result.stdout)

    rules = CATALOGUE["skiriuk"]
    changed = rules.changed(flip="on", stack_height=2, depots=("A3", "B7"), corners=())
    given = ["--flip", "on", "--stack-height", "2", "--depots", "c3,B7,A3", "--corners", "none"]
    assert rules_by(*given) == changed
    assert changed.name == "skiriuk-no-corners-depots-A3-B7-flip-on-stack-height-2"
    assert rules_by("--another-piece", "--safe-corners", "--another-piece") == rules.changed(
        safe_corners=True, another_piece=True
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("casual --roll-again --extra-throw must", "roll_again is true, for which extra_throw is"),
        ("casual --roll-again --extra-throw none", "but extra_throw is 'none'; give one of the"),
        ("casual --no-roll-again --extra-throw may", "roll_again is false, for which extra_throw"),
        ("casual-roll-again --no-roll-again --extra-throw may", "is not 'may', but extra_throw is"),
        ("finkel --safe-rosettes --no-safe-rosettes", "--no-safe-rosettes exclude each other"),
        ("skiriuk --flip on --flip beyond", "--flip is given twice, with on and with beyond"),
        ("finkel --path bell --path masters", "--path is given twice, with bell and with masters"),
        ("bell --stakes --fine 1 --fine 2", "--fine is given twice, with 1 and with 2"),
        ("four-again --extra-on-throw 4 --no-extra-on-throw", "exclude each other"),
        ("casual:3:2", "after the colon comes the count of pieces"),
        ("casual:3 -n 4", "asks for 3 pieces and -n for 4"),
    ],
)
def test_what_contradicts_itself_is_refused(arguments, words):
    result = CliRunner().invoke(cli, ["rules", *arguments.split(), "--json"])
    assert result.exit_code == 2
    assert words in " ".join(result.output.split())
    assert result.stdout == ""


def test_what_contradicts_itself_is_refused_in_python_and_json():
    casual = CATALOGUE["casual"]
    for first, given in ((True, "must"), (True, "none"), (False, "may")):
        both = {"roll_again": first, "extra_throw": given}
        for refused in (
            lambda both=both: casual.changed(**both),
            lambda both=both: RuleSet.from_json(casual.to_json() | both),
            lambda both=both: RuleSet("c", casual.path, casual.dice, 2, "casual", both),
        ):
            with pytest.raises(RuleSetError, match="; give one of the two"):
                refused()
    for first, given in ((True, "may"), (False, "must"), (False, "none")):
        agreed = casual.changed(roll_again=first, extra_throw=given)
        assert agreed.switches["extra_throw"] == given
    twice = json.dumps(casual.to_json())[:-1] + ', "roll_again": true}'
    with pytest.raises(RuleSetError, match="the key 'roll_again' is there twice"):
        RuleSet.from_json(twice)


IDLE: list[tuple[str, dict[str, object], set[str]]] = [
    ("finkel", {"extra_on_rosette": False, "another_piece": True}, {"another_piece"}),
    ("finkel", {"extra_on_rosette": False, "extra_throw": "may"}, {"extra_throw"}),
    ("skiriuk", {"path": PATHS["aseb"], "flip": "on"}, {"flip"}),
    ("skiriuk", {"path": PATHS["aseb"], "safe_corners": True}, {"safe_corners"}),
    ("skiriuk", {"path": PATHS["aseb"], "finish_stacks": True}, {"finish_stacks"}),
    ("skiriuk", {"path": PATHS["bell"], "finish_stacks": True}, {"finish_stacks"}),
    ("skiriuk", {"path": PATHS["aseb"], "any_from_shared_depot": True}, {"any_from_shared_depot"}),
    ("skiriuk", {"depots": (), "any_from_shared_depot": True}, {"any_from_shared_depot"}),
    ("skiriuk", {"depots": ("A2", "A4", "B7")}, {"depots"}),
    ("skiriuk", {"safe_corners": True}, {"safe_corners"}),
    ("skiriuk", {"safe_corners": True, "flip": "on"}, set()),
    ("skiriuk", {"extra_on_bearing_off": True}, {"extra_on_bearing_off"}),
    ("skiriuk", {"stack_height": 2}, {"stack_height"}),
    ("skiriuk", {"stack_height": 1}, set()),
    ("ben", {"conversions": ("A8",)}, {"conversions"}),
    ("ben", {"four_eyes": ("A2",)}, set()),
    ("birds", {"extra_throw": "must"}, set()),
]


@pytest.mark.parametrize(("name", "changes", "idle"), IDLE)
def test_a_switch_that_changes_nothing_has_the_same_values(name, changes, idle):
    """With one piece. By the readable moves: both rule sets have the same positions and values."""
    rules = variant(name, changes, 1)
    assert {*rules.idle_switches} == idle
    values = {
        each.notation: value for each, value in Equations(rules, seen_by=as_light).solve().items()
    }
    for key in (key for key in changes if key in rules.switches):
        default = next(each for each in rules.mechanics.switches if each.key == key).default
        without = rules.changed(**{key: default})
        found = {
            each.notation: value
            for each, value in Equations(without, seen_by=as_light).solve().items()
        }
        is_same = values.keys() == found.keys() and values == pytest.approx(found, abs=1e-12)
        assert is_same == (key in idle)


def test_what_changes_nothing_is_said_once():
    arguments = "rules finkel -n 1 --no-extra-on-rosette --another-piece --extra-throw may --json"
    result = CliRunner().invoke(cli, arguments.split())
    assert result.stderr == (
        "another_piece and extra_throw change nothing in finkel-another-piece-no-extra-on-rosette-"
        "extra-throw-may: its values are those of the rules without them.\n"
    )
    assert json.loads(result.stdout)["another_piece"] is True
    for rules in CATALOGUE.values():
        assert rules.idle_switches == ()


def test_switches_there_and_back_through_json():
    for name, changes in VARIANTS:
        rules = variant(name, changes, 2)
        assert RuleSet.from_json(rules.to_json()) == rules
        usual = {key: getattr(CATALOGUE[name], key, None) for key in ("path", "dice")}
        back = rules.changed(
            squares={}, **usual, **{k: CATALOGUE[name].switches[k] for k in rules.switches}
        )
        assert back == CATALOGUE[name].with_pieces(2)


def test_squares_are_those_of_rows_a_and_b():
    rules = CATALOGUE["skiriuk"]
    values = rules.to_json() | {"depots": ["C2", "A2", "B7"]}
    found = RuleSet.from_json(values)
    assert found.switches["depots"] == ("A2", "B7")
    assert found.is_same_game(dataclasses.replace(rules, switches={"depots": ("A2", "B7")}))
    stacks = {square for square, rule in found.mechanics.squares.items() if rule.name == "stack"}
    assert stacks == {"A2", "C2", "B7", "B3", "B6"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("finkel", "There is no second leg."),
        ("conventional --path murray", "The second leg begins at index 16, on B7."),
        ("skiriuk", "Pieces turn over at index 13, on B8, beyond the corner."),
        ("skiriuk --path bell", "Pieces turn over at index 13, on A7, beyond the corner."),
        ("skiriuk --path aseb", "No piece turns over."),
        ("skiriuk --path bell --corners A7", "No piece turns over."),
        ("skiriuk --path murray --flip on", "Pieces turn over at index 12, on C8, the corner."),
        ("ben --path masters", "Pieces are converted at index 12, on C8; at index 14, on A8."),
        ("skiriuk --depots C3,B2", "Depots, instead of the eyes: A3 B2."),
        ("skiriuk --path bell --corners none", "Corners, instead of the wavy ones: none."),
        ("skiriuk --flip on --safe-corners", "Pieces on corners cannot be captured."),
        ("skiriuk --stack-height 2", "The most pieces in a stack: 2."),
        ("skiriuk --another-piece", "must be used by another piece than the one that earned it."),
        ("ben --four-eyes A2", "4-eyes, instead of the board's eyes: A2."),
        ("finkel --another-piece", "It must be used by another piece."),
    ],
)
def test_a_page_says_what_a_path_and_an_option_mean(arguments, words):
    result = CliRunner().invoke(cli, ["rules", *arguments.split()], catch_exceptions=False)
    assert words in " ".join(result.output.split())
