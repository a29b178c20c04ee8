"""Policies against each other: equations by the readable rules, and games that are played."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.linalg import splu

from tests.golden import CHANCES
from tests.thumbs import ORDERS, greedy
from ur_solver.api.table import Table
from ur_solver.errors import InputError
from ur_solver.moves import generator_of
from ur_solver.players.policies import policy_of
from ur_solver.rules import named_rules
from ur_solver.rules.turns import final_value, turn
from ur_solver.space import space_of
from ur_solver.study.estimates import mean_of
from ur_solver.study.exact_play import ExactPlay, evaluate, exact_evaluation
from ur_solver.study.match import play

pytestmark = pytest.mark.slow

# Whether anybody can ever move is asked of the same positions again and again.
final = lru_cache(50_000)(final_value)


def steps_of(position, choices, order):
    """What an order comes to in a position: probabilities and positions."""
    names = [choice.name for choice in choices]
    chosen = order(names) if len(names) > 1 else 0
    for outcome in choices[chosen].outcomes:
        chance = float(outcome.probability)
        if not outcome.moves:
            yield chance, position.pass_turn()
        elif len(outcome.moves) == 1:
            yield chance, outcome.moves[0].position
        else:
            yield chance, outcome.moves[order(outcome.moves)].position


def linear_system(rules, light, dark):
    """Chances and throws of all positions by the readable rules: one sparse linear system."""
    space = generator_of(rules).space
    n = space.n_values
    rows, columns, entries = [], [], []
    chances, throws = np.zeros(2 * n), np.ones(2 * n)
    for rank in range(n):
        position = space.unrank(rank)
        choices = turn(position)
        for side, order in enumerate((light, dark)):
            own = 2 * rank + side
            if final(position) is not None:  # neither can ever move
                chances[own], throws[own] = 0.5, 0
                continue
            for chance, reached in steps_of(position, choices, order):
                turned = reached.side == "D"
                end = final(reached)
                if end is not None:
                    chances[own] += chance * (1 - end if turned else end)
                    continue
                to = 2 * space.rank(reached) + (1 - side if turned else side)
                rows.append(own)
                columns.append(to)
                entries.append((chance, turned))
                chances[own] += chance * turned
    weights = np.array([chance for chance, _ in entries])
    signs = np.array([-1.0 if turned else 1.0 for _, turned in entries])
    shape = (2 * n, 2 * n)
    one = csr_array((np.ones(2 * n), (np.arange(2 * n), np.arange(2 * n))), shape=shape)
    to_chances = csr_array((weights * signs, (rows, columns)), shape=shape)
    to_throws = csr_array((weights, (rows, columns)), shape=shape)
    # in solving order, in which moves lead back only within a block
    solved = (
        splu((one - part).tocsc(), permc_spec="NATURAL", diag_pivot_thresh=0).solve(right)
        for part, right in ((to_chances, chances), (to_throws, throws))
    )
    return tuple(solution.reshape(n, 2).T for solution in solved)


def check_against_linear_solve(rules, light, dark):
    exact = ExactPlay(generator_of(rules))
    ours, theirs = (exact.weights(policy_of(name, None)) for name in (light, dark))
    chances, throws = linear_system(rules, ORDERS[light], ORDERS[dark])
    found = exact.chances(ours, theirs)
    assert np.abs(np.array(found) - chances).max() < 1e-11
    means = exact.throws(ours, theirs)
    assert np.abs(np.array(means) - throws).max() < 1e-9 * throws.max()


@pytest.mark.parametrize("name", CHANCES)
def test_one_piece_by_a_linear_solve(name):
    check_against_linear_solve(named_rules(name, 1), "greedy", "first")


@pytest.mark.long
@pytest.mark.parametrize("name", CHANCES)
def test_two_pieces_by_a_linear_solve(name):
    check_against_linear_solve(named_rules(name, 2), "greedy", "first")


# The others differ from one of them in their dice alone, as do their spaces of one piece.
OTHER_DICE = ("finkel-3dice", "murray-0-to-3", "masters-4dice", "skiriuk-d4")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.long if name in OTHER_DICE else ()) for name in CHANCES],
)
def test_two_pieces_by_the_readable_equations(name):
    """The one solution of the linear equations is recognized by them, position by position."""
    rules = named_rules(name, 2)
    generator = generator_of(rules)
    exact = ExactPlay(generator)
    written = [exact.weights(policy_of(each, None)) for each in ORDERS]
    chances, throws = exact.chances(*written), exact.throws(*written)
    rng = np.random.default_rng(3)
    for rank in rng.choice(exact.n, 150, replace=False).tolist():
        position = generator.space.unrank(rank)
        if final(position) is not None:  # drawn: neither can ever move
            continue
        choices = turn(position)
        for side, order in enumerate(ORDERS.values()):
            expected, length = 0.0, 1.0
            for chance, reached in steps_of(position, choices, order):
                worth = final(reached)
                turned = reached.side == "D"
                if worth is None:
                    after = generator.space.rank(reached)
                    worth = chances[side ^ turned][after]
                    length += chance * throws[side ^ turned][after]
                expected += chance * (1 - worth if turned else worth)
            assert chances[side][rank] == pytest.approx(expected, abs=1e-12)
            assert throws[side][rank] == pytest.approx(length, rel=1e-11)


@pytest.mark.parametrize("pieces", [pytest.param(1, marks=pytest.mark.memory), 2])
def test_who_does_not_look_at_the_pot_plays_for_money_as_without(pieces):
    """The exact figures of bell are those of bell with stakes, for policies that see no fines."""
    stakes, bell = (named_rules(name, pieces) for name in ("bell-stakes", "bell"))
    policies = [policy_of(name, None) for name in ("greedy", "first")]
    exact = exact_evaluation(ExactPlay(generator_of(bell)), *policies)
    games = play(stakes, *policies, 20_000, seed=2)
    chance, throws = mean_of(games.results), mean_of(games.throws)
    assert abs(chance.value - exact.chance.value) < 1.5 * chance.margin
    assert abs(throws.value - exact.throws.value) < 1.5 * throws.margin


SMALL = [
    (name, pieces)
    for name in CHANCES
    for pieces in (1, 2)
    if space_of(named_rules(name, pieces)).n_values <= 50_000
]


@pytest.mark.parametrize(("name", "pieces"), SMALL)
def test_the_table_against_itself_is_its_value(name, pieces, solved):
    rules = named_rules(name, pieces)
    with Table(solved(rules)) as table:
        expected = table.opening_value()
        assert evaluate(table).chance.value == pytest.approx(expected, abs=1e-10)


@pytest.mark.memory
def test_one_piece_of_finkel_as_another_program_has_it(solved):
    with Table(solved(named_rules("finkel:1"))) as table:
        found = evaluate(table)
    assert found.chance.value == pytest.approx(0.530049839525, abs=1e-12)
    assert found.throws.value == pytest.approx(17.0619, abs=1e-4)
    assert found.games == 0


@pytest.mark.memory
def test_the_best_reply(query2):
    """No policy does better against another than the best reply; against the table none gains."""
    for dark in ("greedy", "random"):
        reply = evaluate(query2, "reply", dark).chance.value
        others = [evaluate(query2, light, dark).chance.value for light in ("table", "capture")]
        assert reply > max(others)
    best = query2.value(query2.rules.start())
    assert evaluate(query2, "reply", "table").chance.value == pytest.approx(best, abs=1e-10)
    assert evaluate(query2, "table", "reply").chance.value == pytest.approx(best, abs=1e-10)
    mirrored = evaluate(query2, "greedy", "reply").chance.value
    assert mirrored < evaluate(query2, "greedy", "table").chance.value


@pytest.mark.parametrize(
    ("rules", "light", "dark"),
    [
        ("finkel:2", "table", "random"),
        ("finkel:2", "weak", "greedy"),
        ("birds:2", "greedy", "table"),
        ("skiriuk:2", "capture+safe", "table"),
        ("ben:2", "random", "first"),
    ],
)
def test_sampled_and_exact_figures_agree(rules, light, dark, solved):
    with Table(solved(named_rules(rules))) as table:
        exact = evaluate(table, light, dark)
        sampled = evaluate(table, light, dark, games=20_000, seed=7)
    # 1.5 times the margins: 99.7 % of seeds, and this one for good
    assert abs(sampled.chance.value - exact.chance.value) < 1.5 * sampled.chance.margin
    assert abs(sampled.throws.value - exact.throws.value) < 1.5 * sampled.throws.margin
    difference = abs(sampled.deviation.value - exact.deviation.value)
    assert difference < 1.5 * sampled.deviation.margin
    assert 0.005 < sampled.chance.margin < 0.008


def test_games_are_repeatable(query2):
    policies = [policy_of(name, query2) for name in ("weak", "random")]
    first, again = (
        play(query2.rules, *policies, 25_000, seed=3, threads=threads) for threads in (1, 3)
    )
    assert (first.throws == again.throws).all()
    assert (first.light_won == again.light_won).all()
    other = play(query2.rules, *policies, 25_000, seed=4)
    assert (first.throws != other.throws).any()


def test_a_policy_of_ones_own(query2):
    named = evaluate(query2, "greedy", "random", games=200)
    own = evaluate(query2, lambda _, options: options[greedy(options)], "random", games=200)
    assert own == named


def test_what_cannot_be_evaluated(query2, solved):
    with pytest.raises(InputError, match="needs a policy to reply to"):
        evaluate(query2, "reply", "reply")
    with pytest.raises(InputError, match="is computed exactly"):
        evaluate(query2, "reply", "table", games=10)
    with Table(solved(named_rules("bell-stakes:1"))) as table:
        assert evaluate(table, games=2000).games == 2000
        with pytest.raises(InputError, match="without stakes"):
            evaluate(table, "reply", "table")
    with pytest.raises(InputError, match="has stakes"):
        ExactPlay(generator_of(named_rules("bell-stakes:1")))
    with pytest.raises(InputError, match="has 12,869 positions, more than the 100"):
        ExactPlay(generator_of(query2.rules), 100)
