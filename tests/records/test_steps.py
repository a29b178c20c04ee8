"""The fast steps against `moves.py`, which defines the game."""

import random

import pytest

from tests.games import RACES
from ur_solver.records import stepper_of
from ur_solver.rules import CATALOGUE, PATHS, UR, RuleSet, named_dice

CUSTOM = RuleSet(
    "custom",
    PATHS["murray-royalur"],
    named_dice("d4"),
    3,
    switches={"safe_rosettes": False, "extra_on_throw": 2},
)


@pytest.mark.parametrize("rules", [*RACES, CUSTOM], ids=lambda rules: rules.name)
def test_steps_are_the_legal_moves(rules: RuleSet) -> None:
    stepper, rng = stepper_of(rules.with_pieces(min(rules.pieces, 4))), random.Random(5)
    rules = stepper.rules
    for begin in (rules.start(), rules.start().mirror()):
        position = begin
        for _ in range(400):
            if position.winner:
                assert stepper.is_over(stepper.space.encode(position))
                position = begin
            state, side = stepper.space.encode(position), position.side
            assert not stepper.is_over(state)
            assert stepper.notation(state, side) == position.notation
            assert stepper.position(state, side) == position
            throw = rng.choice(rules.dice.throws)
            moves, steps = rules.legal_moves(position, throw), stepper.steps(state, throw)
            assert [
                (step.source, step.target, step.is_capture, step.again, step.is_win)
                for step in steps
            ] == [
                (move.source, move.target, move.is_capture, move.again,
                 move.position.winner is not None)
                for move in moves
            ]  # fmt: skip
            for move, step in zip(moves, steps, strict=True):
                assert step.state == stepper.space.encode(move.position)
                assert stepper.text(side, step) == move.text
            if moves:
                position = rng.choice(moves).position
            else:
                assert stepper.flip(state) == stepper.space.encode(position.pass_turn())
                position = position.pass_turn()


def test_the_sample_board_is_drawn_with_its_gaps() -> None:
    stepper = stepper_of(CATALOGUE["finkel"])
    state = stepper.encode(stepper.rules.start())
    assert stepper.notation(state, "D").split()[0] == "/".join(UR.rows)
