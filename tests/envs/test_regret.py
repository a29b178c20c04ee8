"""The regret of policies: by the readable rules, and by exact chances."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ur_solver.api.table import Table
from ur_solver.envs import policy_regret
from ur_solver.envs.regret import EDGES, _Judge
from ur_solver.errors import InputError
from ur_solver.players.policies import policy_of
from ur_solver.rules import named_rules
from ur_solver.rules.turns import choice_value, is_draw, move_value, turn
from ur_solver.space import space_of
from ur_solver.study.exact_play import evaluate


def last(_position, options):
    return options[-1]


def readable_decisions(table, ranks):
    """Position, throw and the values of the options of each decision, by the readable rules."""
    space = space_of(table.rules)

    def value(position):
        if position.winner is not None:
            return float(position.winner == position.side)
        return table.value(position)

    for rank in ranks:
        position = space.unrank(rank)
        if is_draw(position):
            continue
        choices = turn(position)
        if len(choices) > 1:
            yield position, None, [choice_value(position, each, value) for each in choices]
        for choice in choices:
            decided = {}
            for outcome in choice.outcomes:
                if len(outcome.moves) > 1:  # several rolls may move by the same throw
                    values = [move_value(move, value) for move in outcome.moves]
                    decided[outcome.throws[-1]] = values
            for throw, values in decided.items():
                yield position, throw, values


def judged(table, ranks):
    """The regret and the margin of each decision of `last`, each with the decision."""
    regrets, margins = [], []
    for position, throw, values in readable_decisions(table, ranks):
        best, second = sorted(values, reverse=True)[:2]
        regrets.append((best - values[-1], position.notation, throw))
        margins.append((best - second, position.notation, throw))
    return regrets, margins


def in_classes(margins, tie):
    """The ties, and how many other margins are in each class."""
    beyond = [margin for margin, _, _ in margins if margin > tie]
    ends = itertools.pairwise([0, *EDGES, 1.1])
    found = [sum(low < margin <= high for margin in beyond) for low, high in ends]
    return len(margins) - len(beyond), found


@pytest.mark.parametrize("word", ["casual-roll-again:1", "ben:1"])
def test_every_decision_by_the_readable_rules(word, solved):
    with Table(solved(named_rules(word))) as table:
        found = policy_regret(table, last, examples=4, threads=1)
        tie = 2 * table.tolerance
        regrets, margins = judged(table, range(space_of(table.rules).n_values))
    assert found.decisions == len(regrets) > 20
    assert found.mean == pytest.approx(sum(regret for regret, _, _ in regrets) / len(regrets))
    assert found.best == pytest.approx(sum(each[0] <= tie for each in regrets) / len(regrets))
    assert (found.ties, found.margins) == in_classes(margins, tie)
    beyond = sorted(each for each in margins if each[0] > tie)
    for each, (margin, _, _) in zip(found.closest, beyond, strict=False):
        assert each.difference == pytest.approx(margin, abs=1e-12)
        assert (each.position, each.throw) in {(where, throw) for _, where, throw in beyond}
    for each, (regret, _, _) in zip(found.worst, sorted(regrets)[::-1], strict=False):
        assert each.difference == pytest.approx(regret, abs=1e-12)
        assert each.other != each.best


@pytest.mark.parametrize("word", ["finkel:2", "birds:2", "skiriuk:2"])
def test_some_decisions_of_larger_games(word, solved):
    with Table(solved(named_rules(word))) as table:
        n = space_of(table.rules).n_values
        ranks = range(n // 2, n // 2 + 60)
        found = _Judge(table, policy_of(last, table), 3).part(np.array(ranks))
        regrets, margins = judged(table, ranks)
        tie = 2 * table.tolerance
    assert found.decisions == len(regrets) > 50
    assert found.total == pytest.approx(sum(regret for regret, _, _ in regrets))
    assert (found.ties, found.margins.tolist()) == in_classes(margins, tie)


LONG = [pytest.param(word, marks=pytest.mark.long) for word in ("birds:2", "skiriuk:2")]


@pytest.mark.parametrize("word", ["finkel:2", *LONG])
def test_the_loss_in_play_is_what_is_won_less(word, solved):
    """The difference lemma: both sides of it by different equations."""
    with Table(solved(named_rules(word))) as table:
        found = policy_regret(table, "greedy").in_play
        perfect = evaluate(table, "table", "table").chance.value
        as_light = perfect - evaluate(table, "greedy", "table").chance.value
        as_dark = evaluate(table, "table", "greedy").chance.value - perfect
    assert found.games == 0
    assert found.loss.value == pytest.approx((as_light + as_dark) / 2, abs=1e-11)
    assert found.mean.value == pytest.approx(found.loss.value / found.decisions.value)


def test_sampled_play_agrees_with_the_exact_figures(query2, monkeypatch):
    exact = policy_regret(query2, "greedy").in_play
    monkeypatch.setattr("ur_solver.envs.regret.can_play_exactly", lambda _: False)
    sampled = policy_regret(query2, "greedy", seed=2).in_play
    assert sampled.games > 0
    for name in ("decisions", "loss", "mean"):
        estimate, value = getattr(sampled, name), getattr(exact, name).value
        # games without a decision are skipped in play
        assert abs(estimate.value - value) < 3 * estimate.margin


@pytest.mark.parametrize("word", ["casual-roll-again:1", "birds:1"])
def test_a_policy_is_asked_once_for_every_decision(word, solved):
    asked = []

    def counted(position, options):
        asked.append((position, len(options)))
        return options[0]

    with Table(solved(named_rules(word))) as table:
        found = policy_regret(table, counted, examples=0, threads=1)
    assert all(n > 1 for _, n in asked)
    assert len(asked) == found.decisions


def test_the_table_regrets_nothing(query2):
    seen = []
    found = policy_regret(query2, "table", progress=lambda done, total: seen.append((done, total)))
    assert found.mean == found.in_play.loss.value == 0
    assert found.best == 1
    assert found.worst == []
    assert seen[-1] == (space_of(query2.rules).n_values,) * 2
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_faults(solved, query2):
    with (
        Table(solved(named_rules("bell-stakes:1"))) as table,
        pytest.raises(InputError, match="has stakes"),
    ):
        policy_regret(table, "greedy")
    with pytest.raises(InputError, match="unknown part"):
        policy_regret(query2, "lucky")
    for wrong in ({"examples": -1}, {"threads": 0}, {"seed": -1}):
        with pytest.raises(InputError, match=next(iter(wrong))):
            policy_regret(query2, "greedy", **wrong)
