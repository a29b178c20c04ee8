"""Exercises are decisions of real positions, and cost what the table's answers say."""

from __future__ import annotations

import pytest

from ur_solver.api.table import Table
from ur_solver.errors import InputError
from ur_solver.rules import named_rules
from ur_solver.rules.turns import total
from ur_solver.study.practise import exercises


def second_best(table, exercise):
    """What the second best option loses, by the answers to one position."""
    position = exercise.position
    if not exercise.throws:
        worth = sorted(value for value in table.choices(position).values() if value is not None)
        return (worth[-1] - worth[-2]) / total(position)
    moves = table.moves(position, exercise.throws[-1])
    return moves[1].loss / total(position)


@pytest.mark.parametrize("word", ["finkel:3", "birds:2", "skiriuk:2", "ben:1", "bell-stakes:2"])
def test_an_option_other_than_the_best_costs_as_much_as_is_said(solved, word):
    with Table(solved(named_rules(word))) as table:
        found = exercises(table, 12, seed=4, cost=0.03, games=300)
        assert len(found) > 2
        for exercise in found:
            assert exercise.cost >= 0.03
            assert second_best(table, exercise) == pytest.approx(exercise.cost, abs=1e-9)
        assert len({str(each[:3]) for each in found}) == len(found)
        assert {each.position.side for each in exercises(table, 30, cost=0)} == {"L", "D"}


def test_a_seed_gives_the_same_exercises_again(query2):
    found = exercises(query2, 5, seed=9)
    assert found == exercises(query2, 5, seed=9)
    assert found != exercises(query2, 5, seed=10)
    assert len(found) == 5
    assert exercises(query2, 0) == []
    assert exercises(query2, 5, cost=0.99) == []


@pytest.mark.parametrize("cost", [-0.1, 1, float("nan")])
def test_a_cost_is_a_share(query2, cost):
    with pytest.raises(InputError, match="expected a share"):
        exercises(query2, 5, cost=cost)
