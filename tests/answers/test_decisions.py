"""Decisions of many states, and of one, are those of the readable rules."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from tests.games import OWN_RULES, RACES, HashValues, played_rows
from ur_solver.answers.decisions import (
    TIE,
    Mark,
    Ranked,
    Values,
    decide,
    decide_thrown,
    verdict_of,
)
from ur_solver.answers.query import decision, evaluated_moves
from ur_solver.errors import IllegalPositionError, RuleSetMismatchError
from ur_solver.moves import generator_of
from ur_solver.rules import CATALOGUE, named_rules
from ur_solver.rules.turns import choice_value, move_value, throw_value, total, turn
from ur_solver.space import space_of

WORDS = sorted({rules.name for rules in RACES + OWN_RULES})


class Hashes(HashValues, Values):
    """Meaningless values, each a number of its own, with meaningless errors."""

    def __init__(self, rules, *, are_exact=False):
        super().__init__(rules)
        self._are_exact = are_exact

    @property
    def are_exact(self):
        return self._are_exact

    agreement = 0.25

    def state_values(self, states):
        return super().state_values(states) * (20 if self.rules.payoff.has_fines else 1)

    def state_margins(self, states, values):
        return np.zeros(len(states)) if self._are_exact else 0.1 * values * (1 - values / 40)

    def of(self, position):
        """The value of a position and its error, by itself."""
        if position.winner is not None:
            return (float(total(position)) if position.winner == position.side else 0.0), 0.0
        space = space_of(self.rules)
        row = np.array([list(space.encode(position))], space.state_dtype)
        value = self.state_values(row)
        return float(value[0]), float(self.state_margins(row, value)[0])

    def value(self, position):
        return self.of(position)[0]


def throw_error(outcome, position, values):
    """By hand: as far as the interval of any move reaches above the best value."""
    if not outcome.moves:
        return values.of(position.pass_turn())[1]
    worth = [move_value(move, values.value) for move in outcome.moves]
    margins = [values.of(move.position)[1] for move in outcome.moves]
    return max(w + m for w, m in zip(worth, margins, strict=True)) - max(worth)


@pytest.fixture(params=WORDS, scope="module")
def asked(request):
    """A source of values, and some positions of its rule set."""
    rules = CATALOGUE[request.param].with_pieces(2)
    rows = played_rows(rules, 12, seed=1)
    return Hashes(rules), rows, [generator_of(rules).position(row) for row in rows]


def test_one_decision_is_that_of_the_readable_rules(asked):
    values, _, positions = asked
    for position in positions:
        found = decision(values, position)
        assert (found.value, found.error) == pytest.approx(values.of(position))
        choices = turn(position)
        assert [each.name for each in found.choices] == [each.name for each in choices]
        worth = [choice_value(position, each, values.value) for each in choices]
        assert [each.value for each in found.choices] == pytest.approx(worth)
        assert [each.loss for each in found.choices] == pytest.approx(
            [max(worth) - w for w in worth]
        )
        for choice, made in zip(choices, found.choices, strict=True):
            errors = [
                float(each.probability) * throw_error(each, position, values)
                for each in choice.outcomes
            ]
            assert made.error == pytest.approx(sum(errors))
            for outcome, thrown in zip(choice.outcomes, made.throws, strict=True):
                _assert_throw(thrown, outcome, position, values)
            before = made.value if choice.name else found.value
            luck = sum(float(each.probability) * each.luck for each in made.throws)
            assert luck == pytest.approx(made.value - before, abs=1e-12)


def _assert_throw(thrown, outcome, position, values):
    assert (thrown.throws, thrown.probability) == (outcome.throws, outcome.probability)
    assert thrown.value == pytest.approx(throw_value(position, outcome.moves, values.value))
    assert thrown.error == pytest.approx(throw_error(outcome, position, values))
    assert [each.move for each in thrown.options] == list(outcome.moves)
    worth = [move_value(move, values.value) for move in outcome.moves]
    margins = [values.of(move.position)[1] for move in outcome.moves]
    assert [each.value for each in thrown.options] == pytest.approx(worth)
    assert [each.error for each in thrown.options] == pytest.approx(margins)
    for k, each in enumerate(thrown.options):
        best = worth.index(max(worth))
        assert each.loss == pytest.approx(worth[best] - worth[k])
        both = math.hypot(margins[k], margins[best]), 0.5 * margins[k] * margins[best]
        wanted = 0 if k == best else math.sqrt(both[0] ** 2 - both[1])
        assert each.loss_error == pytest.approx(wanted)
        is_sure = len(worth) > 1 and each.loss > each.loss_error
        assert (each.mark is None) or is_sure
        if is_sure and each.loss > 0.06 * total(position):
            assert each.mark is Mark.BLUNDER
    losses = [each.loss for each in thrown.moves]
    assert losses == sorted(losses)
    assert thrown.best == (thrown.moves[0].move if worth else None)


def test_many_decisions_are_those_of_each(asked):
    values, rows, positions = asked
    found = decide(values, rows)
    branches = found.branches
    for k, position in enumerate(positions):
        one = decision(values, position)
        choices = slice(*branches.choice_starts[k : k + 2])
        assert found.value[k] == one.value
        assert found.error[k] == one.error
        assert found.backup[k] == pytest.approx(max(each.value for each in one.choices))
        for name in ("worth", "loss", "error", "loss_error"):
            single = [getattr(each, "value" if name == "worth" else name) for each in one.choices]
            assert getattr(found.choices, name)[choices] == pytest.approx(single), name
        for number, choice in zip(range(choices.start, choices.stop), one.choices, strict=True):
            throws = slice(*branches.throw_starts[number : number + 2])
            chances, of = branches.chances[throws], found.options
            mean = sum(float(each.probability) * each.value for each in choice.throws)
            assert chances.sum() == pytest.approx(1)
            assert chances @ of.value[throws] == pytest.approx(mean)
            assert chances @ found.luck[throws] == pytest.approx(
                sum(float(each.probability) * each.luck for each in choice.throws), abs=1e-12
            )
            numbers = branches.turns.throws[throws]
            assert len(set(numbers.tolist())) == len(numbers)
            moved = {each.options for each in choice.throws if each.options}
            sizes = branches.turns.n_options[throws]
            is_pass = branches.turns.mover[branches.option_starts[:-1][throws]] < 0
            assert sorted(sizes[~is_pass].tolist()) == sorted(
                map(len, {tuple(m.value for m in each): each for each in moved}.values())
            )


def test_turns_after_their_throws_are_decided_alike(asked):
    values, rows, _ = asked
    every = decide(values, rows)
    turns = every.branches.turns
    thrown = decide_thrown(values, turns)
    for name in ("worth", "value", "loss", "best", "error", "reach", "loss_error", "order"):
        wanted, found = getattr(every.options, name), getattr(thrown.options, name)
        assert found.tolist() == wanted.tolist(), name
    assert thrown.choices.worth.tolist() == every.options.value.tolist()
    flat = every.options.loss[every.options.order]
    for start, end in zip(turns.starts[:-1], turns.starts[1:], strict=True):
        assert (np.diff(flat[start:end]) >= 0).all()
        assert flat[start] == 0


def test_values_of_the_other_side_may_be_others(asked):
    values, rows, _ = asked
    others = Hashes(values.rules)
    same, other = decide(values, rows), decide(values, rows, others)
    assert other.options.worth.tolist() == same.options.worth.tolist()
    others.state_values = lambda states: np.full(len(states), 0.25)
    branches, found = other.branches, decide(values, rows, others)
    kept = branches.again | branches.won
    assert found.options.worth[kept].tolist() == same.options.worth[kept].tolist()
    totals = np.array([total(generator_of(values.rules).position(row)) for row in branches.after])
    paid = np.where(branches.fined, values.rules.payoff.cost(True), 0)
    assert found.options.worth[~kept] == pytest.approx((totals - 0.25 - paid)[~kept])


def test_a_decision_of_one_throw_has_that_alone():
    rules = named_rules("finkel:3")
    position = rules.position("L...__../..D...../....__.. L 2 2")
    values = Hashes(rules, are_exact=True)
    whole, one = decision(values, position), decision(values, position, throws=(2,))
    assert one.throws == whole.throws[2:3]
    moves = evaluated_moves(values, position, 2)
    assert moves == one.throws[0].moves


def test_a_decision_of_one_choice_weighs_all_its_throws():
    rules = named_rules("birds:2")
    (row,) = played_rows(rules, 30, seed=3)[-1:]
    position, values = generator_of(rules).position(row), Hashes(rules)
    whole = decision(values, position)
    for choice in whole.choices:
        shown = choice.throws[0].throws[:1]
        (one,) = decision(values, position, choice.name, shown).choices
        assert (one.value, one.error) == pytest.approx((choice.value, choice.error))
        assert one.throws == tuple(each for each in choice.throws if each.throws[:1] == shown)


def test_alternatives_are_the_best_or_worse_or_too_close_to_call():
    worth = np.array([0.5, 0.5 - 9e-7, 0.499, 0.4, 3.0, 3.0 - 9e-6])
    starts = np.array([0, 4, 6])
    errors = np.array([0.0, 0.0, 0.01, 0.01, 0.0, 0.0])
    found = Ranked(worth, starts, lambda: errors)
    assert found.best.tolist() == [0, 4]
    assert found.reach == pytest.approx([0.009, 0])
    assert found.loss_error == pytest.approx([0, 0, 0.01, 0.01, 0, 0])
    assert found.equals(np.array([1.0, 10.0])).tolist() == [True, True, False, False, True, True]
    losses = zip(found.loss, found.loss_error, np.repeat([1, 10], [4, 2]), strict=True)
    assert [verdict_of(*each) for each in losses] == [
        *("best", "best", "close", "worse", "best", "best"),
    ]
    assert TIE == 1e-6


def test_errors_that_go_together_say_less_of_what_values_differ_by():
    worth, errors = np.array([0.5, 0.4]), np.array([0.03, 0.04])
    found = [
        Ranked(worth, np.array([0, 2]), lambda: errors, agreement).loss_error[1]
        for agreement in (-1, 0, 0.5, 1)
    ]
    assert found == pytest.approx([0.07, 0.05, math.sqrt(0.0013), 0.01])
    # an exact value is as wrong as nothing
    exact = Ranked(worth, np.array([0, 2]), lambda: np.array([0.0, 0.04]), 0.9)
    assert exact.loss_error == pytest.approx([0, 0.04])


def test_a_game_that_is_over_or_cannot_go_on_has_no_choices():
    rules = named_rules("finkel:2")
    values = Hashes(rules)
    over = decision(values, "....__../......../....__.. D 0 2")
    assert (over.value, over.error, over.choices, over.throws) == (0.0, 0.0, (), ())
    answer = over.to_json()
    assert (answer["winner"], answer["value"], answer["throws"]) == ("light", 0.0, [])


def test_positions_that_the_rules_forbid_are_refused():
    values = Hashes(named_rules("finkel:2"))
    with pytest.raises(RuleSetMismatchError):
        decision(values, named_rules("finkel:3").start())
    with pytest.raises(IllegalPositionError):
        decision(values, "....__../......../....__.. L 0 0")


def test_lengths_are_the_same_to_both_sides():
    """A move is worth the throws that follow it, and a turn adds its own."""

    class Lengths(Hashes):
        is_shared = True

    rules = named_rules("finkel:2")
    values, position = Lengths(rules, are_exact=True), rules.start()
    found = decision(values, position)
    for each in found.throws:
        for move in each.options:
            assert move.value == values.value(move.move.position)
    mean = sum(float(each.probability) * each.value for each in found.throws)
    assert found.choices[0].value == pytest.approx(1 + mean)
    winning = rules.position("....__L./......../....__.. L 0 2")
    won = decision(values, winning, throws=(1,)).throws[0]
    assert won.probability == Fraction(1, 4)
    assert won.value == 0


def test_a_source_of_values_is_one_class():
    class Even(Values):
        def __init__(self, rules):
            self.rules = rules

        def state_values(self, states):
            return np.full(len(states), 0.5)

    found = decision(Even(named_rules("finkel:2")), named_rules("finkel:2").start())
    assert {each.value for each in found.throws} == {0.5}
    assert {each.mark for throw in found.throws for each in throw.options} == {None}
    answer = found.to_json()
    assert (answer["tolerance"], answer["error"], answer["total"]) == (0.0, None, 1)
    assert [each["best"] for each in answer["throws"]] == [None, "A@A4", "A@A3", "A@A2", "A@A1*"]
