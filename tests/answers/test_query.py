from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.meaningless import write_meaningless
from ur_solver.answers.query import Answers
from ur_solver.api.table import Table
from ur_solver.errors import (
    BeyondTableError,
    IllegalPositionError,
    RuleSetMismatchError,
    ThrowError,
)
from ur_solver.rules import DARK, Position, named_rules, opponent
from ur_solver.space import space_of

RULES = named_rules("finkel:2")
START = RULES.start()


def position(text: str) -> Position:
    return RULES.position(text)


def test_start_of_finkel_2(query2):
    assert query2.value(START) == pytest.approx(0.518572907495, abs=1e-11)
    assert query2.tolerance == 1e-12


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("....__../......../....__.. L 2 0", 0.0),
        ("....__../......../....__.. D 2 0", 1.0),
        ("....__../......../....__.. L 0 2", 1.0),
        ("....__../......../....__.. D 0 2", 0.0),
    ],
)
def test_a_game_that_is_over_is_won_or_lost(query2, text, value):
    over = position(text)
    assert query2.value(over) == value
    assert query2.values([START, over]).tolist() == [query2.value(START), value]
    assert query2.moves(over, 2) == []
    assert query2.best(over, 2) is None
    assert query2.throws(over) == []


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 12868), min_size=1, max_size=20), st.booleans())
def test_many_values_are_the_single_ones(ranks, as_dark):
    query = _queries[0]
    positions = [query.space.unrank(rank, DARK if as_dark else "L") for rank in ranks]
    one_by_one = [query.value(each) for each in positions]
    assert query.values(positions).tolist() == one_by_one
    states = np.array([list(query.space.encode(each)) for each in positions], dtype=np.uint16)
    assert query.state_values(states).tolist() == one_by_one
    assert [query.value(each.mirror()) for each in positions] == one_by_one


_queries: list[Table] = []


@pytest.fixture(autouse=True, scope="module")
def _make_query(tmp_path_factory):
    path = tmp_path_factory.mktemp("query") / "hashes.h5"
    write_meaningless(path, RULES)
    with Table(path) as query:
        _queries.append(query)
        yield
        _queries.clear()


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 12868), st.sampled_from([0, 1, 2, 3, 4]), st.sampled_from("LD"))
def test_moves_are_all_there_best_first_with_their_losses(rank, throw, side):
    # with hashes as values, so that the values of neighbouring ranks are unrelated
    query = _queries[0]
    before = query.space.unrank(rank, side)
    moves = query.moves(before, throw)
    assert sorted(each.move.text for each in moves) == sorted(
        move.text for move in RULES.legal_moves(before, throw)
    )
    assert [each.value for each in moves] == sorted((m.value for m in moves), reverse=True)
    for each in moves:
        after = query.value(each.move.position)
        assert each.value == (after if each.move.position.side == side else 1 - after)
        assert each.loss == moves[0].value - each.value
    assert query.best(before, throw) == (moves[0] if moves else None)


def test_the_mean_over_throws_is_the_value(query2):
    for rank in range(0, 12869, 137):
        before = query2.space.unrank(rank)
        throws = query2.throws(before)
        assert [each.throw for each in throws] == [0, 1, 2, 3, 4]
        assert sum(each.probability for each in throws) == 1
        mean = sum(float(each.probability) * each.value for each in throws)
        assert mean == pytest.approx(query2.value(before), abs=1e-12)


def test_a_winning_move_is_worth_1(query2):
    best = query2.best(position("....__L./......../....__.. L 0 2"), 1)
    assert (best.move.text, best.value, best.loss) == ("A7A+", 1.0, 0.0)


def test_a_throw_without_a_move_is_worth_the_pass(query2):
    blocked = position("....__LL/......../....__.. L 0 2")
    worth = query2.throws(blocked)[3]
    assert worth.best is None
    assert worth.value == 1 - query2.value(dataclasses.replace(blocked, side=DARK))


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        (dataclasses.replace(START, light_home=3), "light"),
        (dataclasses.replace(START, light_home=-1), "count of pieces"),
        (dataclasses.replace(START, contents=("D", *START.contents[1:])), "A1"),
        (dataclasses.replace(START, light_home=0, dark_home=0), "off"),
    ],
)
def test_positions_that_the_rules_forbid_are_refused(query2, wrong, fault):
    for ask in (query2.value, lambda p: query2.moves(p, 1), lambda p: query2.values([START, p])):
        with pytest.raises(IllegalPositionError, match=fault):
            ask(wrong)


def test_positions_of_other_rule_sets_are_refused(query2):
    for wrong in (named_rules("finkel:3").start(), named_rules("aseb:2").start()):
        for ask in (
            query2.value,
            lambda p: query2.moves(p, 1),
            lambda p: query2.values([START, p]),
        ):
            with pytest.raises(RuleSetMismatchError, match="not of finkel:2"):
                ask(wrong)


def test_states_that_are_none_are_refused(query2):
    states = np.zeros((2, query2.space.state_width), dtype=np.uint16)
    states[:, -2:] = 2
    assert np.isfinite(query2.state_values(states)).all()
    states[1, 0] = 2
    with pytest.raises(IllegalPositionError, match="A1"):
        query2.state_values(states)


def test_throws_that_the_dice_cannot_show_are_refused(query2):
    with pytest.raises(ThrowError, match="throw 5"):
        query2.moves(START, 5)


class Leads(Answers):
    """Values that are not of a table: by how many pieces the side about to throw leads."""

    rules = RULES

    def check(self, position):
        if position.light_home == 2:
            raise BeyondTableError("all at home")
        return super().check(position)

    def state_values(self, states):
        own = [space_of(RULES).decode(row.tolist()) for row in states]
        leads = [each.n_off(each.side) - each.n_off(opponent(each.side)) for each in own]
        return 0.5 + np.array(leads) / 8


def test_answers_take_values_that_are_not_of_a_table():
    answers = Leads()
    before = position("....__L./......../....__.. L 1 2")
    found = {each.move.text: (each.value, each.loss) for each in answers.moves(before, 1)}
    assert found == {"A7A+": (0.625, 0.0), "A@A4": (0.5, 0.125)}
    assert answers.best(before, 1).move.text == "A7A+"
    assert [each.value for each in answers.throws(before)] == [0.5, 0.625, 0.5, 0.5, 0.5]
    assert answers.choices(before) == {}
    with pytest.raises(BeyondTableError):
        answers.moves(START, 1)
