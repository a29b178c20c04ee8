"""An estimator is asked as a table is, and says what it does not know."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from tests.estimators.test_file import stored_of
from tests.solving import make_table
from ur_solver.api.table import Table
from ur_solver.errors import IllegalPositionError, InputError
from ur_solver.estimators.estimator import Estimator
from ur_solver.rules import named_rules
from ur_solver.rules.turns import move_value
from ur_solver.study.studies import opening_tree

HERE = "L...__../..D...../....__.. L 2 2"


@pytest.fixture
def finkel3() -> Estimator:
    return Estimator(stored_of("finkel:3"), plies=2)


def test_moves_are_those_of_the_rules_best_first(finkel3):
    moves = finkel3.moves(HERE, 2)
    legal = finkel3.rules.legal_moves(finkel3.rules.position(HERE), 2)
    assert {each.move for each in moves} == set(legal)
    for each in moves:
        assert each.value == pytest.approx(move_value(each.move, finkel3.value))
        assert each.loss == pytest.approx(moves[0].value - each.value)
    assert finkel3.best(HERE, 2) == moves[0]


def test_the_mean_of_throws_is_the_value_by_a_ply_more(finkel3):
    throws = finkel3.throws(HERE)
    mean = sum(float(each.probability) * each.value for each in throws)
    assert mean == pytest.approx(finkel3.looking(3).value(HERE), abs=1e-6)


def test_many_positions_at_once_are_each_on_its_own(finkel3):
    over = "....__../......../....__.. L 0 1"
    positions = [HERE, over, finkel3.rules.start()]
    assert finkel3.values(positions) == pytest.approx([finkel3.value(each) for each in positions])
    assert finkel3.value(over) == 1
    assert finkel3.error(over) is None
    assert finkel3.is_exact(over)
    with pytest.raises(IllegalPositionError):
        finkel3.value("LLLL__../......../....__.. L 0 1")


def test_endings_are_exact_and_the_rest_is_not(endings):
    with Table(endings) as table:
        found = Estimator(stored_of("finkel:3"), plies=2, exact=table)
        ending = "....__../..L..D../....__.. L 1 0"
        assert table.holds(ending)
        assert found.value(ending) == table.value(ending)
        assert (found.is_exact(ending), found.error(ending)) == (True, None)
        assert not found.is_exact(HERE)
        # half the width of the interval at 2 plies, at its widest
        assert found.error(HERE) == pytest.approx(0.3 * 0.52, abs=0.01)
        assert found.error(HERE) > found.looking(4).error(HERE) > 0


def test_a_choice_before_a_throw():
    birds = Estimator(stored_of("birds:2"), plies=1)
    here = "L1...__../......../....__.. L 2 12"
    assert set(birds.choices(here)) == {"move", "enter"}
    assert birds.looking(2).value(here) == pytest.approx(max(birds.choices(here).values()))


def test_money():
    bell = Estimator(stored_of("bell-stakes:2"), plies=2)
    here = "....__../.L....../....__.. L 1 2 p3"
    moves = bell.moves(here, 3)
    assert len(moves) == 2
    assert all(math.isnan(each.chance) for each in moves)
    assert moves[0].value == pytest.approx(bell.throws(here)[3].value)
    assert bell.value("....__../......../....__.. L 0 1 p3") == 23
    found = bell.columns([here])
    assert found["value"] == pytest.approx([bell.value(here)])
    assert np.isnan(found["chance"]).all()


def test_the_opening_throw_is_given():
    skiriuk = Estimator(stored_of("skiriuk:3"), plies=1)
    (only,) = skiriuk.moves(skiriuk.rules.start(), 1)
    assert skiriuk.opening_value() == pytest.approx(only.value)


def test_rollouts_from_what_is_over_are_exact(finkel3):
    found = finkel3.rollout("....__../......../....__.. L 1 0", 5)
    assert (found.value, found.is_exact) == (0, True)
    some = finkel3.rollout(HERE, 200, plies=5)
    assert some.low < some.value < some.high
    assert some == finkel3.rollout(HERE, 200, plies=5)


def test_columns_are_those_of_a_table(finkel3):
    found = finkel3.columns([HERE])
    assert found["error"] == pytest.approx([finkel3.error(HERE)])
    moves = finkel3.move_columns([HERE])
    assert moves["move"].tolist()[:3] == [None, *(m.move.text for m in finkel3.moves(HERE, 1))]


def test_how_errors_go_together_is_known_by_plies():
    found = [Estimator(stored_of("finkel:1"), plies=plies).agreement for plies in (1, 2, 3, 4)]
    assert found == pytest.approx([1 - 25 / 16, 1 - 4 / 9, 1 - 1 / 4, 0.9])
    nothing = dataclasses.replace(stored_of("finkel:1"), errors=np.zeros(4))
    assert Estimator(nothing).agreement == 0


def test_plies_are_limited():
    for plies in (0, 5):
        with pytest.raises(InputError, match=f"plies is {plies}; expected 1 to 4"):
            Estimator(stored_of("finkel:1"), plies=plies)


def test_states_are_valued_as_positions_are(finkel3):
    rows = finkel3.encode([HERE])
    assert np.array_equal(finkel3.values(rows), finkel3.values([HERE]))
    structures = finkel3.space.state_layout.structured(rows)
    assert np.array_equal(finkel3.values(structures), finkel3.values([HERE]))
    for states in (rows, structures):
        assert np.array_equal(finkel3.errors(states), finkel3.errors([HERE]))
    assert named_rules("finkel:3").is_same_game(finkel3.rules)


def test_openings_have_the_intervals_of_their_values(finkel3):
    n_losses = 0
    for first in opening_tree(finkel3, depth=2):
        reached = finkel3.rules.position(first["position"])
        for second in first["then"]:
            light = finkel3.rules.position(second["position"])
            value, error = finkel3.value(light), finkel3.error(light)
            figure = second["value"]
            assert figure["value"] == pytest.approx(value if light.side == "L" else 1 - value)
            assert figure["high"] - figure["value"] == pytest.approx(error)
            if second["second"] is not None:
                best, other = finkel3.moves(reached, second["throws"][0][0])[:2]
                errors = [finkel3.error(each.move.position) for each in (best, other)]
                loss = second["second"]
                assert loss["value"] == pytest.approx(best.value - other.value)
                # the widths of differences are 2/3 of those of values
                together = 2 * (1 - 4 / 9) * math.prod(errors)
                wanted = math.sqrt(math.hypot(*errors) ** 2 - together)
                assert loss["value"] - loss["low"] == pytest.approx(wanted)
                n_losses += 1
    assert n_losses >= 3


@pytest.mark.parametrize("certify", [False, True])
def test_openings_that_a_table_has_have_no_intervals(certify, tmp_path):
    rules, path = named_rules("finkel:1"), tmp_path / "table.h5"
    make_table(rules, path, certify=certify)
    with Table(path) as table:
        found = Estimator(stored_of("finkel:1"), plies=2, exact=table)
        assert (found.error(rules.start()) is not None) is certify
        assert opening_tree(found, depth=2) == opening_tree(table, depth=2)
