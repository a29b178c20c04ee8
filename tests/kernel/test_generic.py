"""One update of the generic kernel against the readable moves, on meaningless values."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import pytest

from tests.kernel.blocks import generic_kernel, random_ranks
from tests.meaningless import hash_values
from ur_solver.rules import DICE, LIGHT, PATHS, RACES, named_rules
from ur_solver.rules.board import Dice
from ur_solver.space import space_of

FINKEL = named_rules("finkel:2")
FIVE = Dice.of("fives", {n: Fraction(1, 5) for n in (0, 1, 2, 3, 5)})
CUSTOM = [
    dataclasses.replace(FINKEL, name="royalur", path=PATHS["murray-royalur"]),
    dataclasses.replace(FINKEL, name="fives", dice=FIVE),
    FINKEL.changed(name="d4", dice=DICE["d4"], extra_on_capture=True),
    FINKEL.changed(name="unsafe", safe_rosettes=False, extra_on_rosette=False),
    FINKEL.changed(name="a throw", extra_on_throw=2, extra_on_rosette=False),
    FINKEL.changed(name="another piece", another_piece=True, extra_on_capture=True),
]
GAMES = [*(rules.with_pieces(n) for rules in RACES.values() for n in (1, 2)), *CUSTOM]
GAMES += [named_rules("finkel:4"), named_rules("masters:3")]


def readable_update(space, values, position) -> float:
    """T at one position that light is about to throw in, from the definition of the game."""
    rules = space.rules

    def worth(after) -> float:
        over = after.winner
        if over is not None:
            return float(over == LIGHT)
        value = float(values[space.rank(after)])
        return value if after.side == LIGHT else 1.0 - value

    total = 0.0
    for throw in rules.dice.throws:
        moves = rules.legal_moves(position, throw)
        after = [move.position for move in moves] or [position.pass_turn()]
        total += float(rules.dice.probabilities[throw]) * max(map(worth, after))
    return total


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: f"{rules.name}-{rules.pieces}")
def test_one_update_by_the_readable_moves(rules):
    space = space_of(rules)
    kernel = generic_kernel(space)
    values = hash_values(space.n_values)
    for rank in random_ranks(space, 150, 1):
        before = values[rank]
        position = space.unrank(rank)
        expected = readable_update(space, values, position)
        text = position.notation
        residual = kernel.residual(values, rank, 1)
        assert residual == pytest.approx(abs(expected - before), abs=2e-15), text
        assert kernel.sweep(values, rank, 1) == residual
        assert values[rank] == pytest.approx(expected, abs=2e-15), text
        values[rank] = before


@pytest.mark.memory
def test_a_sweep_updates_its_ranks_only():
    space = space_of(named_rules("blitz:2"))
    before = hash_values(space.n_values)
    values = before.copy()
    generic_kernel(space).sweep(values, 100, 50)
    assert (values[100:150] != before[100:150]).all()
    assert (values[:100] == before[:100]).all()
    assert (values[150:] == before[150:]).all()
