"""Games in which one side, or both, can never move again."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

from tests.dense import DenseGame
from tests.solving import solve
from ur_solver.errors import SolveError
from ur_solver.kernel.interface import ArrayBlocks
from ur_solver.kernel.kernels import kernel_of
from ur_solver.rules import PATHS, named_rules
from ur_solver.rules.board import Dice
from ur_solver.space import space_of

FIVE = Dice.of("fives", {0: Fraction(1, 2), 5: Fraction(1, 2)})
"""A piece is borne off by an exact throw, so that a last piece past index 9 of 14 stays."""


def fives(pieces: int, path: str = "bell"):
    return dataclasses.replace(
        named_rules("finkel", pieces), name="fives", dice=FIVE, path=PATHS[path]
    )


def is_stuck(rules, position) -> bool:
    return not any(rules.legal_moves(position, throw) for throw in rules.dice.throws)


@pytest.mark.parametrize(("path", "pieces"), [("bell", 1), ("bell", 2), ("masters", 1)])
def test_where_nobody_can_ever_move_the_value_is_a_half(path, pieces):
    rules = fives(pieces, path)
    space = space_of(rules)
    values = solve(space, tolerance=1e-12)
    drawn = [
        rank
        for rank in range(space.n_values)
        if is_stuck(rules, position := space.unrank(rank))
        and is_stuck(rules, dataclasses.replace(position, side="D").mirror())
    ]
    assert len(drawn) > 10
    assert (values[drawn] == 0.5).all()
    blocks = ArrayBlocks(space, values)
    for block in space.blocks:
        own = blocks.values_of(block.index)
        assert kernel_of(space).residual(block, own, blocks, block.offset, block.size) < 1e-12


@pytest.mark.memory
@pytest.mark.parametrize("path", ["bell", "masters"])
def test_values_beside_draws_are_those_of_the_readable_turns(path):
    space = space_of(fives(1, path))
    values = solve(space, tolerance=1e-12)
    game = DenseGame(space.unrank(rank) for rank in range(space.n_values))
    truth = {p: value for p, value in game.values().items() if p.winner is None}
    assert len(truth) == space.n_values
    found = values[[space.rank(position) for position in truth]]
    assert np.abs(found - list(truth.values())).max() < 1e-12


def test_draws_are_not_taken_for_play_without_an_end():
    # two pieces a side can capture each other for ever on this path, with fives alone
    rules = fives(2, "masters")
    with pytest.raises(SolveError, match="play can go on for ever from"):
        solve(space_of(rules), tolerance=1e-12)


@pytest.mark.memory
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # a piece on A7 or C7 (index 13) stays; one on B6 (9) bears off with a five
        ("....__L./......../....__D. L 0 0", 0.5),
        ("....__L./.....D../....__.. L 0 0", 0.0),
        ("....__../.....L../....__D. L 0 0", 1.0),
    ],
)
def test_a_side_that_is_stuck_can_still_lose(text, expected):
    rules = fives(1)
    space = space_of(rules)
    values = solve(space, tolerance=1e-12)
    assert values[space.rank(rules.position(text))] == pytest.approx(expected, abs=1e-12)
