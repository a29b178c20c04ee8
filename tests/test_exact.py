"""Exact values solve the equations of optimal play and agree with tables."""

from __future__ import annotations

import dataclasses
import decimal
import pathlib
from fractions import Fraction

import pytest

from tests.golden import CHANCES, each_kind, golden_rules, golden_values
from tests.oracles.exact import exact_values
from tests.test_golden import ONE_PIECE
from ur_solver.api.table import Table
from ur_solver.errors import SolveError
from ur_solver.rules import CATALOGUE, LIGHT, Dice, Stakes, named_rules
from ur_solver.rules.turns import is_draw, turn
from ur_solver.space import space_of

pytestmark = pytest.mark.medium

PAGE = pathlib.Path(__file__).parents[1] / "docs" / "exact.md"
FINKEL = named_rules("finkel:1")


def all_positions(rules):
    space = space_of(rules)
    return [space.unrank(rank) for rank in range(space.n_values)]


def worth(rules, values, position):
    """The value to light, whichever side throws."""
    if position.side == LIGHT:
        return values[position]
    return 1 - values[position.mirror()]


def one_step(rules, values, position):
    """A position's value, from the values of the positions that it leads to, in fractions."""
    if position.winner is not None:
        return Fraction(position.winner == LIGHT)
    if is_draw(position):
        return Fraction(1, 2)
    choices = []
    for choice in turn(position):
        total = Fraction(0)
        for outcome in choice.outcomes:
            after = [move.position for move in outcome.moves] or [position.pass_turn()]
            total += outcome.probability * max(worth(rules, values, each) for each in after)
        choices.append(total)
    return max(choices)


@pytest.mark.parametrize("name", each_kind(CHANCES))
def test_tables_hold_the_exact_values(name, solved):
    rules = CATALOGUE[name].with_pieces(1)
    positions = all_positions(rules)
    with Table(solved(rules)) as query:
        found = {position: query.value(position) for position in positions}
    exact = exact_values(rules, positions, found.__getitem__).values
    for position, value in exact.items():
        assert one_step(rules, exact, position) == value
    assert max(abs(exact[position] - Fraction(value)) for position, value in found.items()) < 1e-12
    if golden_rules(name, 1).is_same_game(rules):
        for text, golden in golden_values(name).items():
            position = rules.position(text)
            seen = position if position.side == LIGHT else position.mirror()
            assert exact[seen] == pytest.approx(golden, abs=1e-12)
    with decimal.localcontext(prec=40):
        first = exact[rules.start()]
        digits = decimal.Decimal(first.numerator) / decimal.Decimal(first.denominator)
    assert f"| {name} | {digits} |" in PAGE.read_text()


def test_fractions_by_hand():
    exact = exact_values(FINKEL, [FINKEL.start()], lambda _: 0.5).values
    for text, expected in ONE_PIECE:
        assert exact[FINKEL.position(text)] == expected
    # the derivation is in tests/test_golden.py
    rules = FINKEL.with_pieces(2)
    two = rules.position("....__LL/......../....__D. L 0 0")
    assert exact_values(rules, [two], lambda _: 0.5).values[two] == Fraction(1524, 3703)


# with one piece there are choices in these only: whether to throw again, and where to jump
@pytest.mark.parametrize("name", ["casual-roll-again", "masters-games", "ben"])
def test_a_wrong_policy_is_improved_until_it_is_optimal(name, solved):
    rules = named_rules(name, 1)
    with Table(solved(rules)) as query:
        # the best move by these values is the worst by the correct ones
        wrong = exact_values(rules, [rules.start()], lambda position: 1 - query.value(position))
        right = exact_values(rules, [rules.start()], query.value)
    assert wrong.n_rounds > 0
    assert right.n_rounds == 0
    assert wrong.values == right.values


def test_a_position_in_which_nobody_can_ever_move_is_a_draw():
    rules = dataclasses.replace(FINKEL, dice=Dice.of("twos", {2: Fraction(1)}))
    exact = exact_values(rules, [rules.start()], lambda _: 0.0).values
    # both pieces get stuck on the last square, which can be left only by a throw of 1
    stuck = rules.position("....__L./......../....__D. L 0 0")
    assert exact[stuck] == exact[rules.start()] == Fraction(1, 2)


def test_play_without_an_end_is_refused():
    # each throw of 5 enters on B1, where the other side's piece has just entered
    rules = dataclasses.replace(FINKEL, dice=Dice.of("fives", {5: Fraction(1)}))
    with pytest.raises(SolveError, match=r"finkel: play may go on for ever from '\.\.\.\.__\.\./"):
        exact_values(rules, [rules.start()], lambda _: 0.5)
    zero_too = Dice.of("fives and noughts", {0: Fraction(1, 3), 5: Fraction(2, 3)})
    rules = dataclasses.replace(FINKEL, dice=zero_too)
    assert 0 < exact_values(rules, [rules.start()], lambda _: 0.5).values[rules.start()] < 1


def test_stakes_are_refused():
    rules = CATALOGUE["bell"].with_pieces(1).changed(stakes=Stakes())
    with pytest.raises(SolveError, match="leave out the stakes"):
        exact_values(rules, [rules.start()], lambda _: 0.5)
