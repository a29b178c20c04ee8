"""The rule sets with rules of their own against the values of two independent solvers."""

import json
import pathlib
from functools import cache

import pytest

from tests.golden import EQUIPMENT
from tests.value_iteration import Equations, reachable
from ur_solver.rules import CATALOGUE, Stakes, named_rules
from ur_solver.rules.openings import opening_value
from ur_solver.rules.turns import evaluate, final_value

pytestmark = pytest.mark.medium

GOLDEN = pathlib.Path(__file__).parents[1] / "data" / "golden"
STARTS = json.loads((GOLDEN / "own-rules-starts.json").read_text())
BEN = {1: 55.3971, 2: 50.6803, 3: 49.4305}
"""What Ben's first player wins, in per cent, by the number of pieces, as another program found."""
OWN = [name for name in STARTS if name != "bell-stakes"]


def golden_values(name):
    lines = (GOLDEN / f"{name}-1.tsv").read_text().splitlines()
    return {text: float(value) for text, value in (line.split("\t") for line in lines)}


def test_no_rule_set_is_left_out():
    own = {name for name, rules in CATALOGUE.items() if not rules.mechanics.has_race_turns()}
    assert own - {*EQUIPMENT} == {*OWN, "bell-stakes"}


@pytest.mark.parametrize("name", OWN)
def test_one_piece(name):
    rules, expected = named_rules(name, 1), golden_values(name)
    values = Equations(rules).solve()
    found = {position.notation: value for position, value in values.items()}
    assert found == pytest.approx(expected, abs=1e-10)
    assert len(found) == STARTS[name]["1"]["reachable_states"]
    check_start(rules, values, STARTS[name]["1"])


def check_start(rules, values, expected):
    begin = rules.start()
    assert values[begin] == pytest.approx(expected["start_value"], abs=1e-10)

    @cache
    def value(position):
        # Ben's opening leaves a piece on 4-eyes, where no turn ends
        return values[position] if position in values else evaluate(position, value)

    opening = opening_value(rules, value)
    if rules.mechanics.both_enter:
        assert 100 * opening == pytest.approx(BEN[rules.pieces], abs=5.1e-5)
    else:
        first = "start_value" if rules.mechanics.has_free_first_throw else "opening_value"
        assert opening == pytest.approx(expected[first], abs=1e-10)


@pytest.mark.parametrize("name", OWN)
def test_one_step_of_value_iteration_leaves_the_values_as_they_are(name):
    rules = named_rules(name, 1)
    values = {rules.position(text): value for text, value in golden_values(name).items()}

    def value(position):
        return values[position] if position in values else final_value(position)

    for position in list(values)[::7]:
        assert evaluate(position, value) == pytest.approx(values[position], abs=1e-10)


@pytest.mark.parametrize("max_fines", [6, 9])
def test_one_piece_with_stakes(max_fines):
    bell = named_rules("bell", 1)
    rules = bell.changed(stakes=Stakes(ante=10, fine=1))
    values = Equations(rules, max_fines, Equations(bell).solve()).solve()
    found = {position.notation: value for position, value in values.items()}
    expected = golden_values("bell-stakes")
    assert {text: found[text] for text in expected} == pytest.approx(expected, abs=1e-10)
    check_start(rules, values, STARTS["bell-stakes"]["1"])


@pytest.mark.long
def test_two_pieces_with_stakes():
    bell = named_rules("bell", 2)
    rules = bell.changed(stakes=Stakes(ante=10, fine=1))
    values = Equations(rules, 8, Equations(bell).solve()).solve()
    check_start(rules, values, STARTS["bell-stakes"]["2"])


@pytest.mark.long
@pytest.mark.parametrize("name", OWN)
def test_two_pieces(name):
    equations = Equations(named_rules(name, 2))
    assert len(equations.index) == STARTS[name]["2"]["reachable_states"]
    check_start(equations.rules, equations.solve(), STARTS[name]["2"])


def test_two_pieces_counts_of_the_small_ones():
    assert len(reachable(named_rules("bell", 2))) == STARTS["bell"]["2"]["reachable_states"]
