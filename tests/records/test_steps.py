"""The fast steps against `moves.py`, which defines the game."""

import random

import pytest

from tests.games import RACES
from ur_solver.moves import legal_moves, pass_turn
from ur_solver.position import format_position, mirror, start, winner
from ur_solver.records import stepper_of
from ur_solver.rules import CATALOGUE, PATHS, UR, RuleSet, named_dice

CUSTOM = RuleSet(
    "custom", PATHS["murray-royalur"], named_dice("d4"), 3, safe_rosettes=False, extra_on_throw=2
)


@pytest.mark.parametrize("rules", [*RACES, CUSTOM], ids=lambda rules: rules.name)
def test_steps_are_the_legal_moves(rules: RuleSet) -> None:
    stepper, rng = stepper_of(rules.with_pieces(min(rules.pieces, 4))), random.Random(5)
    rules = stepper.rules
    for begin in (start(rules), mirror(rules.board, start(rules))):
        position = begin
        for _ in range(400):
            if winner(rules, position):
                assert stepper.is_over(stepper.space.encode(position))
                position = begin
            state, side = stepper.space.encode(position), position.side
            assert not stepper.is_over(state)
            assert stepper.notation(state, side) == format_position(rules, position)
            assert stepper.position(state, side) == position
            throw = rng.choice(rules.dice.throws)
            moves, steps = legal_moves(rules, position, throw), stepper.steps(state, throw)
            assert [
                (step.source, step.target, step.is_capture, step.again, step.is_win)
                for step in steps
            ] == [
                (move.source, move.target, move.is_capture, move.again,
                 winner(rules, move.position) is not None)
                for move in moves
            ]  # fmt: skip
            for move, step in zip(moves, steps, strict=True):
                assert step.state == stepper.space.encode(move.position)
                assert stepper.text(side, step) == move.text
            if moves:
                position = rng.choice(moves).position
            else:
                assert stepper.flip(state) == stepper.space.encode(pass_turn(position))
                position = pass_turn(position)


def test_the_sample_board_is_drawn_with_its_gaps() -> None:
    stepper = stepper_of(CATALOGUE["finkel"])
    state = stepper.encode(start(stepper.rules))
    assert stepper.notation(state, "D").split()[0] == "/".join(UR.rows)
