"""What is played for: what the values of the two sides sum to, cost and are written as."""

from __future__ import annotations

import pytest

from ur_solver.rules import CATALOGUE, CHANCES, Stakes
from ur_solver.rules.turns import final_value, total

BELL = CATALOGUE["bell-stakes"].with_pieces(1)


@pytest.mark.parametrize("name", CATALOGUE)
def test_only_stakes_are_not_chances(name):
    payoff = CATALOGUE[name].payoff
    assert payoff == (Stakes() if name == "bell-stakes" else CHANCES)
    assert payoff.has_fines == (name == "bell-stakes")


def test_chances():
    assert [CHANCES.total(fines) for fines in (0, 5)] == [1, 1]
    assert CHANCES.cost(True) == CHANCES.cost(False) == 0
    assert CHANCES.unit(7) == 1
    assert CHANCES.text(0.5162, 1e-6) == "51.6200 %"
    assert CHANCES.text(0.5, 0) == "50.000000000000 %"
    assert (CHANCES.verb, CHANCES.words(7)) == ("wins", [])
    assert (CHANCES.figures, CHANCES.won(1)) == ((), "won")
    units = CHANCES.units
    assert (units.value(0.2345), units.value(0.23456, 2)) == ("23.4 %", "23.46 %")
    assert (units.amount(0.117), units.mean(0.1171)) == ("11.7", "11.71")
    assert units.lost(0.117) == "11.7 points lost"


def test_stakes():
    stakes = Stakes(ante=7, fine=2)
    assert [stakes.total(fines) for fines in (0, 3)] == [14, 20]
    assert (stakes.cost(True), stakes.cost(False)) == (2, 0)
    assert stakes.unit(1) == stakes.total(stakes.reach_of(1) + 1) == 68
    assert stakes.text(10.25161, 1e-3) == "10.252"
    assert stakes.verb == "gets"
    assert (stakes.figures, stakes.won(22)) == (("cut_error", "chance"), "won the pot of 22")
    assert (stakes.units.value(9.8712), stakes.units.mean(0.8512)) == ("9.87", "0.851")
    assert stakes.units.lost(0.8512) == "0.85 lost"
    assert "pays 7 into the pot, and 2 more" in stakes.words(7)[0]


def test_moves_and_turns_ask_the_payoff():
    position = BELL.position(".L..__../......../....__.. L 0 1 p3")
    (move,) = BELL.legal_moves(position, 2)
    assert move.text == "A2A1*"
    assert (move.cost, move.position.fines) == (1, 4)
    assert (total(position), total(move.position)) == (23, 24)
    won = BELL.position("....__../......../....__.. L 0 1 p3")
    assert final_value(won) == 23
    plain = BELL.changed(stakes=None)
    (move,) = plain.legal_moves(plain.position(".L..__../......../....__.. L 0 1"), 2)
    assert (move.cost, move.position.fines, total(move.position)) == (0, 0, 1)
