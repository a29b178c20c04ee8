"""The compiled kernels on paths drawn at random, against the readable rules."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from tests.paths import lanes, parted_paths, random_boards, random_paths
from tests.solving import assert_as_the_rules_say, solve
from tests.ways import count_positions
from ur_solver.errors import RuleSetError
from ur_solver.kernel.kernels import RaceKernel, RowKernel
from ur_solver.rules import DICE, PATHS, RACES, UR, Path, RuleSet, SquareRule, named_rules
from ur_solver.rules.board import Dice
from ur_solver.rules.squares import (
    CapturedBy,
    Converting,
    Dueling,
    Ordinary,
    Paired,
    Refuge,
    Shared,
    Stack,
)
from ur_solver.space import is_race_of_tiles, space_of

pytestmark = pytest.mark.medium

BOARDS = st.one_of(st.just(UR), random_boards())

some_dice = st.sampled_from([DICE["4-binary"], DICE["3-binary"], DICE["d4"]])
some_switches = st.fixed_dictionaries(
    {
        "safe_rosettes": st.booleans(),
        "extra_on_rosette": st.booleans(),
        "extra_on_capture": st.booleans(),
        "extra_on_throw": st.sampled_from([None, 1, 2]),
        "extra_throw": st.sampled_from(["must", "may"]),
    }
)


BACK_AT_ONCE = Path.of("back", UR, ["B1", "B2", "B3", "B4", "B5", "B6", "B7", "B8", "B5"])
"""A throw of 4 takes a piece from B5 to B5."""

LONG_TAIL = Path.of("tail", UR, ["B1", "B2", "B3", "B4", "A4", "A3", "A2", "A1", "A7", "A8"])
"""Six squares that are safe for good."""

ALL_SAFE = Path.of("safe", UR, ["A4", "A3", "A2", "A1", "A7"])
"""The players never meet."""


def rules_of(path: Path, dice, switches, pieces: int) -> RuleSet:
    return RuleSet("random", path, dice, pieces, switches=switches)


def assert_solved_as_the_rules_say(rules: RuleSet) -> None:
    """All positions there are, solved, and every value by those that its moves lead to."""
    space = space_of(rules)
    values = solve(space, tolerance=1e-12, threads=1)

    ranks = range(space.n_values) if rules.pieces == 1 else range(0, space.n_values, 37)
    assert_as_the_rules_say(space, values, ranks)


@pytest.mark.memory
@given(random_paths(), some_dice, some_switches)
@settings(max_examples=40, deadline=None)
@example(path=BACK_AT_ONCE, dice=DICE["4-binary"], switches={})
@example(path=LONG_TAIL, dice=DICE["3-binary"], switches={})
@example(path=ALL_SAFE, dice=DICE["d4"], switches={})
def test_one_piece_by_the_readable_rules(path, dice, switches):
    assert_solved_as_the_rules_say(rules_of(path, dice, switches, 1))


@st.composite
def some_squares(draw: st.DrawFn, path: Path) -> dict[str, SquareRule]:
    """Rules of some squares of a path, of every kind that there is."""
    simple = st.one_of(
        st.builds(Ordinary, st.booleans()),
        st.just(Shared()),
        st.builds(Stack, st.integers(1, 3), st.booleans()),
        st.builds(Refuge, st.integers(1, 3)),
        st.builds(Dueling, st.booleans()),
        st.just(Converting()),
        st.just(Paired()),
    )
    throws = st.sets(st.integers(1, 4), min_size=1).map(sorted).map(tuple)
    rule = st.one_of(simple, st.builds(CapturedBy, st.builds(Ordinary, st.booleans()), throws))
    squares = st.sets(st.sampled_from(path.light), min_size=1, max_size=3)
    return {square: draw(rule) for square in sorted(draw(squares))}


@pytest.mark.slow
@pytest.mark.memory
@given(st.data(), random_paths(), some_dice, some_switches, st.sampled_from([1, 1, 1, 2]))
@settings(max_examples=100, deadline=None)
def test_squares_of_every_kind_by_the_readable_rules(data, path, dice, switches, pieces):
    squares = data.draw(some_squares(path))
    try:
        rules = RuleSet("random", path, dice, pieces, switches=switches, squares=squares)
    except RuleSetError:
        assume(False)
    assert_solved_as_the_rules_say(rules)


BACK_TO_ENTRY = Path.of(
    "entry", UR, ["A1", "A2", "A3", "A4", "B1", "B2", "B3", "B4", "B5", "B6", "B7", "B8", "A1"]
)
"""It ends on an entry square, and some squares of the board are on nobody's path."""


@pytest.mark.slow
@given(parted_paths(BOARDS), some_dice, some_switches)
@settings(max_examples=8, deadline=None)
@example(path=BACK_TO_ENTRY, dice=DICE["4-binary"], switches={})
def test_two_pieces_by_the_readable_rules(path, dice, switches):
    assert_solved_as_the_rules_say(rules_of(path, dice, switches, 2))


@given(random_paths(), some_dice)
@settings(max_examples=40, deadline=None)
def test_as_many_positions_as_squares_can_hold(path, dice):
    rules = rules_of(path, dice, {}, 2)
    assert space_of(rules).n_values == count_positions(rules)


@given(lanes(), some_dice, some_switches, st.integers(1, 2))
@settings(max_examples=25, deadline=None)
def test_both_kernels_agree_where_both_serve(path, dice, switches, pieces):
    # of ranks both use the same; the readable rules check those
    rules = rules_of(path, dice, switches, pieces)
    assert is_race_of_tiles(rules)
    space = space_of(rules)
    values = solve(space, tolerance=1e-12, kernel=RaceKernel(space))
    others = solve(space, tolerance=1e-12, kernel=RowKernel(space))
    assert np.abs(values - others).max() < 1e-11


def test_which_rules_fall_into_tiles():
    # those of the literature, but on paths that are no lanes, or with other throws
    others = [rules for rules in RACES.values() if not is_race_of_tiles(rules)]
    assert {rules.path.name for rules in others} == {"murray"}
    finkel = named_rules("finkel:1")
    six = Dice.of("six", {throw: Fraction(1, 4) for throw in (1, 2, 3, 6)})
    assert not is_race_of_tiles(dataclasses.replace(finkel, path=PATHS["murray-royalur"]))
    assert not is_race_of_tiles(dataclasses.replace(finkel, dice=six))


def test_which_paths_fall_into_tiles():
    def serves(squares: str, dice: str = "4-binary", pieces: int = 7) -> bool:
        return is_race_of_tiles(RuleSet("x", Path.of("x", UR, squares.split()), DICE[dice], pieces))

    for path in PATHS.values():
        is_served = is_race_of_tiles(RuleSet("x", path, DICE["d4"], 7))
        assert is_served == (len({*path.light}) == len(path))
    lane = "A4 A3 A2 A1 B1 B2 B3 B4"
    assert serves(lane)
    assert serves(f"{lane} B5 B6 B7 B8 A8 A7", "3-binary")
    # other entry squares than four, or not at the head of the path
    assert not serves("A3 A2 A1 B1 B2 B3 B4")
    assert not serves("A4 A3 A2 A1 A7 B1 B2 B3 B4")
    assert not serves("A4 A3 A2 B1 A1 B2 B3 B4 B5")
    # a piece may jump over all contested squares
    assert not serves("A4 A3 A2 A1 B1 B2 B3 A8")
    assert serves("A4 A3 A2 A1 B1 B2 B3 A8", "3-binary")
    # squares visited twice, wherever they are
    assert not serves(f"{lane} A4")
    assert not serves(f"{lane} B3 B2")
    assert not serves(f"{lane} A8 A7 A8")
    # rules of their own
    assert not is_race_of_tiles(named_rules("casual"))
