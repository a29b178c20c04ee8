"""Steps on encoded states against `moves.py`, which defines the game."""

import random
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.golden import each_kind
from tests.paths import random_paths
from tests.perft_records import records
from ur_solver.records import stepper_of
from ur_solver.rules import CATALOGUE, DICE, FREE_THROW, PATHS, UR, Path, RuleSet, opponent
from ur_solver.rules.board import Dice
from ur_solver.rules.turns import total, turn

pytestmark = pytest.mark.medium

CUSTOM = RuleSet(
    "custom",
    PATHS["murray-royalur"],
    DICE["d4"],
    3,
    switches={"safe_rosettes": False, "extra_on_throw": 2},
)


@pytest.mark.parametrize(
    "rules", each_kind([*CATALOGUE.values(), CUSTOM]), ids=lambda rules: rules.name
)
def test_steps_are_the_legal_moves(rules: RuleSet) -> None:
    assert_steps_are_the_legal_moves(rules.with_pieces(min(rules.pieces, 4)), 150)


@pytest.mark.memory
@given(random_paths(), st.sampled_from([{0: 1, 2: 1}, {1: 2, 3: 1}]), st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_steps_on_any_path_with_any_dice(path: Path, weights: dict[int, int], pieces: int) -> None:
    chances = {throw: Fraction(each, sum(weights.values())) for throw, each in weights.items()}
    rules = RuleSet("random", path, Dice.of("odd", chances), pieces)
    assert_steps_are_the_legal_moves(rules, 40)


def assert_steps_are_the_legal_moves(rules: RuleSet, turns: int) -> None:
    stepper, rng = stepper_of(rules), random.Random(5)
    for begin in (rules.start(), rules.start().mirror()):
        position = begin
        for _ in range(turns):
            if position.winner:
                assert stepper.is_over(stepper.encode(position))
                position = begin
            state, side = stepper.encode(position), position.side
            assert not stepper.is_over(state)
            assert stepper.notation(state, side) == position.notation
            assert stepper.position(state, side) == position
            choices = turn(position)
            names = [choice.name for choice in stepper.choices(state)] or [FREE_THROW]
            assert names == [choice.name for choice in choices]
            choice = rng.choice(choices)
            throw = rng.choice(rules.dice.throws)
            moves = rules.legal_moves(position, throw, choice.name)
            steps = stepper.steps(state, throw, choice.name)
            rolls = stepper.rolls(state, choice.name)
            assert [roll.throws for roll in rolls] == [each.throws for each in choice.outcomes]
            assert stepper.total(state) == total(position)
            assert [
                (step.source, step.target, step.is_capture, step.again, step.is_win, step.cost)
                for step in steps
            ] == [
                (move.source, move.target, move.is_capture, move.again,
                 move.position.winner is not None, move.cost)
                for move in moves
            ]  # fmt: skip
            for move, step in zip(moves, steps, strict=True):
                assert step.state == stepper.encode(move.position)
                assert stepper.text(side, step) == move.text
                assert step.total == total(move.position)
            if moves:
                position = rng.choice(moves).position
            else:
                assert stepper.flip(state) == stepper.encode(position.pass_turn())
                position = position.pass_turn()


def test_the_sample_board_is_drawn_with_its_gaps() -> None:
    stepper = stepper_of(CATALOGUE["finkel"])
    state = stepper.encode(stepper.rules.start())
    assert stepper.notation(state, "D").split()[0] == "/".join(UR.rows)


@pytest.mark.parametrize(("name", "text", "depth", "counts"), list(records()))
def test_perft(name, text, depth, counts):
    """As many sequences and positions as the readable moves have."""
    rules = CATALOGUE[name]
    stepper, position = stepper_of(rules), rules.position(text)
    reached = Counter({(stepper.encode(position), position.side): 1})
    for _ in range(depth):
        following = Counter()
        for (state, side), ways in reached.items():
            for after, is_turned in plies(stepper, state):
                following[after, opponent(side) if is_turned else side] += ways
        reached = following
    assert (reached.total(), len(reached)) == counts


def plies(stepper, state):
    if stepper.is_over(state):
        return
    for name in [choice.name for choice in stepper.choices(state)] or [FREE_THROW]:
        for roll in stepper.rolls(state, name):
            steps = stepper.steps_after(state, roll, name)
            yield from ((step.state, not step.again) for step in steps)
            if not steps:
                yield stepper.flip(state), True
