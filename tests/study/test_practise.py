"""Decisions to practise against queries of a table: options, losses, and the next throws."""

import pytest

import ur_solver as ur
from tests.games import random_game
from ur_solver.errors import InputError
from ur_solver.records import read_text
from ur_solver.rules import named_rules
from ur_solver.study.practise import exercises, mistakes, next_throws, opening_problem, problem


@pytest.fixture(params=["finkel:2", "birds:2", "bell-stakes:2", "skiriuk:2"])
def table(request, solved):
    with ur.Table(solved(named_rules(request.param))) as table:
        yield table


def decisions_of(table):
    """Drawn ones, and the mistakes of random games."""
    for each in exercises(table, 20, cost=0.001, games=100):
        yield problem(table, each.position, each.choice, each.throws)
    games = [random_game(table.rules, seed) for seed in range(3)]
    for audit in table.audits(games):
        yield from mistakes(audit, table, cost=0.001)


def test_options_are_those_of_queries(table):
    kinds = set()
    for each in decisions_of(table):
        kinds.add((bool(each.throws), each.played is None))
        if not each.throws:
            worth = {k: v for k, v in table.choices(each.position).items() if v is not None}
            assert each.question.endswith(" is about to throw and chooses between move and enter")
        else:
            moves = table.moves(each.position, each.throws[-1], each.choice or None)
            worth = {one.move.text: one.value for one in moves}
            assert (f" chose {each.choice} and threw " in each.question) == bool(each.choice)
        found = {one.text: one.value for one in each.options}
        assert found == pytest.approx(worth, abs=1e-9)
        best = max(worth.values())
        assert [one.loss for one in each.options] == pytest.approx(
            [best - worth[one.text] for one in each.options], abs=1e-9
        )
        if each.played is None:
            lost = best - sorted(worth.values())[-2]
        else:
            lost = best - worth[each.played]
        assert each.cost == pytest.approx(lost / (each.total or 1), abs=1e-9)
        assert each.cost >= 0.001 - 1e-9
    assert {is_drawn for _, is_drawn in kinds} == {True, False}
    assert ((False, True) in kinds) == (table.rules.name == "birds")


def test_the_mean_of_the_next_throws_is_the_value_of_the_move(table):
    seen = 0
    for each in decisions_of(table):
        if not each.throws:
            continue
        found = table.moves(each.position, each.throws[-1], each.choice or None)
        again = {one.move.text: one.move.again for one in found}
        for option in each.options:
            side, throws = next_throws(table, each.position, option)
            if not throws:
                continue
            seen += 1
            assert sum(one.probability for one in throws) == pytest.approx(1)
            mean = sum(one.probability * one.value for one in throws)
            assert mean == pytest.approx(option.value, abs=1e-7)
            assert (side == each.position.side) == again[option.text]
    assert seen > 10


def test_mistakes_are_those_of_the_audit_by_side_and_cost(finkel2):
    with ur.Table(finkel2) as table:
        (audit,) = table.audits([random_game(table.rules, 5)])
        for least in (0.0001, 0.05):
            expected = [
                (judged.ply.side, judged.ply.throws, audit.taken_text(judged))
                for judged in audit.plies
                if judged.is_choice and not judged.is_best and judged.loss >= least
            ]
            found = list(mistakes(audit, table, cost=least))
            assert expected == [(each.position.side, each.throws, each.played) for each in found]
            of_dark = [each for each in expected if each[0] == "D"]
            assert len(list(mistakes(audit, table, cost=least, sides="D"))) == len(of_dark)
        assert found


def test_nothing_to_decide(finkel2):
    with ur.Table(finkel2) as table:
        start = table.rules.start()
        for throws in ((1,), (0,), (7,)):
            with pytest.raises(InputError, match="there is nothing to decide in"):
                problem(table, start, "", throws)


@pytest.fixture
def ben(solved):
    with ur.Table(solved(named_rules("ben:2"))) as table:
        yield table


def test_squares_to_choose_in_an_opening(ben):
    """Every choice by hand: a zero of one side, from home, and from A4 to A2 with both there."""
    found = [
        each
        for each in exercises(ben, 10_000, cost=0, has_openings=True)
        if each.source is not None
    ]
    before = {(each.position.side, each.position.notation, each.throws) for each in found}
    assert {side for side, *_ in before} == {"L", "D"}
    homes = [each for each in found if each.source == -1]
    # light's choice and dark's are the same one, on the other side of the board
    assert sorted(sorted(each.throws) for each in homes) == [[0, 1], [0, 2], [0, 3]]
    assert len({(each.source, *sorted(each.throws)) for each in found}) == len(found)
    for each in homes:
        assert (each.throws[0] == 0) == (each.position.side == "L")
        asked = opening_problem(ben, each.source, each.throws)
        assert asked.cost == pytest.approx(each.cost, abs=1e-9)
        assert asked.position == each.position
        lane = {"L": "A@A", "D": "C@C"}[each.position.side]
        assert [one.text for one in asked.options] == [f"{lane}{column}" for column in (4, 3, 2, 1)]
        entered = max(each.throws)
        for one, column in zip(asked.options, (4, 3, 2, 1), strict=True):
            if 5 - column == entered:  # as far as the other: another round, nobody's favour
                assert one.value == 0.5
                assert next_throws(ben, asked.position, one)[1] == []
                continue
            side, throws = next_throws(ben, asked.position, one)
            assert (side == each.position.side) == (5 - column > entered)
            mean = sum(then.probability * then.value for then in throws)
            assert mean == pytest.approx(one.value, abs=1e-7)


def test_a_square_badly_chosen_in_an_opening_is_a_mistake(ben):
    (game,) = read_text("rules: ben:2\nopening: 2-0 A@A3 C@C4\n\nend: unfinished")
    (audit,) = ben.audits([game])
    (found,) = mistakes(audit, ben, cost=0.0001)
    assert found.question == "in the opening light threw 2 and dark 0; dark chooses a square"
    assert found.played == "C@C4"
    assert found.cost == pytest.approx(audit.dark.loss, abs=1e-9)
    assert list(mistakes(audit, ben, cost=0.0001, sides="L")) == []
    assert found.to_json()["opening"] is True
