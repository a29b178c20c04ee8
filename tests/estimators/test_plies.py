"""Full backups and rollouts, held against the readable rules and against exact tables."""

from __future__ import annotations

import numpy as np
import pytest

from ur_solver.answers.decisions import Values
from ur_solver.api.table import Table
from ur_solver.errors import InputError
from ur_solver.estimators.network import NetworkValues, Shape, features_of
from ur_solver.estimators.search import (
    Searched,
    backed_up,
    ending_rows,
    play_ply,
    rolled_out,
    rollout,
)
from ur_solver.rules import named_rules
from ur_solver.rules.turns import evaluate
from ur_solver.space import space_of
from ur_solver.study.estimates import mean_of

WORDS = ["finkel:3", "skiriuk:3", "ben:2", "birds:2", "casual-roll-again:2", "bell-stakes:2"]


def some_network(rules) -> NetworkValues:
    shape = Shape(len(features_of(rules)), (8,), not rules.payoff.has_fines)
    rng = np.random.default_rng(1)
    return NetworkValues(rules, shape, rng.normal(0, 0.3, shape.n_weights).astype(np.float32))


def some_rows(rules, n: int):
    space = space_of(rules)
    return space.unrank_states(np.random.default_rng(2).integers(0, space.n_values, n))


class Constant(Values):
    """The same value everywhere."""

    def __init__(self, rules, value=0.5):
        self.rules = rules
        self.value = value

    def state_values(self, states):
        return np.full(len(states), self.value)


@pytest.mark.parametrize("word", WORDS)
def test_a_search_of_a_ply_is_what_the_readable_rules_make_of_the_values(word):
    rules = named_rules(word)
    network, space, rows = some_network(rules), space_of(rules), some_rows(rules, 40)

    def value(position):
        if position.winner is not None:
            payoff = rules.payoff.total(position.fines)
            return payoff if position.winner == position.side else 0
        row = np.array([space.encode(position)], space.state_dtype)
        return float(network.state_values(row)[0])

    found = Searched(network, 1).state_values(rows)
    positions = [space.decode(row.tolist()) for row in rows]
    assert found == pytest.approx([evaluate(each, value) for each in positions], abs=1e-5)


@pytest.mark.parametrize("word", ["skiriuk:2", "birds:2", "bell-stakes:1"])
def test_exact_values_are_their_own_backups_and_rollouts(solved, word):
    rules = named_rules(word)
    with Table(solved(rules)) as table:
        rows = some_rows(rules, 50)
        worth = table.state_values(rows)
        assert backed_up(table, rows) == pytest.approx(worth, abs=1e-8)
        games = rolled_out(table, rows, 3, np.random.default_rng(1))
        assert games == pytest.approx(np.repeat(worth, 3).reshape(-1, 3), abs=1e-6)


def test_a_table_answers_at_the_leaves(solved):
    rules = named_rules("finkel:2")
    with Table(solved(rules)) as table:
        rows = some_rows(rules, 50)
        found = Searched(Constant(rules), 2, table).state_values(rows)
        assert found.tolist() == table.state_values(rows).tolist()


def test_rollouts_have_the_mean_of_the_games_that_are_played():
    """Those of a player without an idea; the luck is taken out and the mean stays."""
    rules = named_rules("finkel:2")
    row = some_rows(rules, 1)
    values, rng = Constant(rules), np.random.default_rng(3)
    games, won = np.repeat(row, 4000, axis=0), np.full(4000, np.nan)
    going, is_own = np.arange(4000), np.ones(4000, dtype=bool)
    while len(going):
        ply = play_ply(values, games, rng)
        over = ply.sign == 0
        won[going[over]] = is_own[over]
        is_own = np.where(ply.sign < 0, ~is_own, is_own)[~over]
        going, games = going[~over], ply.after[~over]
    found = rollout(values, row, n=4000, seed=4)
    played = mean_of(won)
    assert found.low < played.high
    assert played.low < found.high
    assert found.margin < played.margin


def test_rollouts_go_on_until_the_interval_is_narrow():
    rules = named_rules("skiriuk:2")
    row = some_rows(rules, 1)
    network = some_network(rules)
    assert rollout(network, row, n=64).margin > 0.06 > rollout(network, row, within=0.06).margin
    for wrong, text in (
        ({"n": 1}, "n is 1; expected 2 or more"),
        ({"plies": 0}, "plies is 0; expected 1 or more"),
        ({"within": 0.0}, "within 0.0: expected a number above 0"),
        ({"seed": -1}, "seed is -1; expected 0 or more"),
    ):
        with pytest.raises(InputError, match=text):
            rollout(network, row, **wrong)


def test_plies_explore_when_asked():
    rules = named_rules("skiriuk:3")
    network, rows = some_network(rules), some_rows(rules, 400)
    still = play_ply(network, rows, np.random.default_rng(1))
    assert still.is_best.all()
    half = np.where(np.arange(400) % 2, 1.0, 0.0)
    some = play_ply(network, rows, np.random.default_rng(1), half)
    assert some.is_best[::2].all()
    assert not some.is_best[1::2].all()
    # the same throws: those that do not explore go where they went
    assert np.array_equal(some.after[::2], still.after[::2])
    assert some.worth == pytest.approx(still.worth)


@pytest.mark.parametrize("word", WORDS)
def test_games_begin_with_any_number_of_pieces_borne_off(word):
    rules = named_rules(word)
    space = space_of(rules)
    left = set()
    for row in ending_rows(rules, 300, np.random.default_rng(3)):
        position = space.decode(row.tolist())
        assert all(not content for content in position.contents)
        left.add((position.home("L"), position.home("D")))
    assert left == {(a + 1, b + 1) for a in range(rules.pieces) for b in range(rules.pieces)}
