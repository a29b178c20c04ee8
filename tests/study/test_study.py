"""What a study says: figures known from elsewhere, and notes of games held against audits."""

from __future__ import annotations

import itertools
import json
from functools import partial

import numpy as np
import pytest

from tests.games import HashValues
from ur_solver.api.table import Table
from ur_solver.audit.judge import audit_games
from ur_solver.moves import CAPTURE, PASS, generator_of
from ur_solver.players.policies import PRIORITIES, TablePolicy, policy_of
from ur_solver.records import Replay
from ur_solver.rules import named_rules
from ur_solver.rules.payoff import CHANCES
from ur_solver.study import study
from ur_solver.study.estimates import loss_text, mean_of
from ur_solver.study.exact_play import ExactPlay
from ur_solver.study.match import (
    ChanceObserver,
    Counts,
    Snapshots,
    Squares,
    best_order,
    choices_of,
    play,
)
from ur_solver.study.studies import opening_tree

pytestmark = pytest.mark.slow


class Recorder:
    """Keeps what was thrown and done in every game, to be replayed by the readable rules."""

    def __init__(self, generator, n_games, rng):
        self.generator = generator
        self.plies = [[] for _ in range(n_games)]

    def see(self, step):
        turns = step.turns
        for k, game in enumerate(step.games):
            throw = int(turns.throws[k])
            option = int(step.chosen[k] - turns.starts[k])
            passed = bool(turns.flags[step.chosen[k]] & PASS)
            self.plies[game].append((throw, -1 if passed else option))

    def notes(self):
        plies = np.empty(len(self.plies), dtype=object)
        plies[:] = self.plies
        return {"plies": plies}


@pytest.mark.parametrize("rules", ["finkel:3", "conventional:2", "casual:3", "ben:2"])
def test_notes_of_games_are_those_of_an_audit(rules):
    rules = named_rules(rules)
    values = HashValues(rules)  # meaningless: leads change often, and moves are bad
    generator = generator_of(rules)
    observers = (
        Recorder,
        Counts,
        Squares,
        partial(ChanceObserver, values),
    )
    policies = (policy_of("random", values), policy_of("greedy", values))
    games = play(rules, *policies, 25, seed=2, observers=observers)
    records = [replayed(rules, generator, plies) for plies in games.notes["plies"]]
    for k, audit in enumerate(audit_games(records, values)):
        plies = audit.plies
        assert len(plies) == games.throws[k]
        assert games.is_finished[k]
        assert (records[k].winner == "L") == games.light_won[k]
        steps = [each.ply.step for each in plies]
        assert games.notes["moves"][k] == sum(step is not None for step in steps)
        assert games.notes["passes"][k] == sum(step is None for step in steps)
        assert games.notes["choices"][k] == sum(each.is_choice for each in plies)
        captures = [step.target for step in steps if step is not None and step.is_capture]
        assert games.notes["captured"][k].sum() >= len(captures)
        assert set(np.flatnonzero(games.notes["captured"][k])) == set(captures)
        light = [each.value if each.ply.side == "L" else 1 - each.value for each in plies]
        winner = light if games.light_won[k] else [1 - value for value in light]
        assert games.notes["least_of_winner"][k] == pytest.approx(min(winner))
        still_open = [n for n, value in enumerate(winner, start=1) if value < 0.9]
        assert games.notes["decided"][k] == max(still_open, default=0)
        changes = np.count_nonzero(np.diff(np.sign(np.array(light) - 0.5)))
        assert games.notes["lead_changes"][k] == changes
        signs = [1 if each.ply.side == "L" else -1 for each in plies]
        luck = sum(sign * each.luck for sign, each in zip(signs, plies, strict=True))
        loss = sum(sign * each.loss for sign, each in zip(signs, plies, strict=True))
        assert games.notes["luck"][k] == pytest.approx(luck)
        assert games.notes["loss"][k] == pytest.approx(-loss)


def replayed(rules, generator, plies):
    replay = Replay(rules)
    for throw, option in plies:
        if throw < 0:
            throws = next(t for t in rules.dice.throws if t not in generator.throws)
        else:
            throws = generator.throws[throw]
        steps = replay.legal((throws,), "")
        replay.take((throws,), steps, option, choices=(), chosen=-1)
    return replay.finish(file="test", number=1)


@pytest.fixture(scope="module")
def study_of_finkel_2(solved):
    with Table(solved(named_rules("finkel:2"))) as table:
        return study(table, games=2000, seed=3)


def test_a_study_is_json_and_repeatable(study_of_finkel_2, solved):
    with Table(solved(named_rules("finkel:2"))) as table:
        again = study(table, games=2000, seed=3)
        assert table.rules.to_json() == again["rules"]
    assert json.loads(json.dumps(again)) == study_of_finkel_2


def test_exact_figures_of_a_study(study_of_finkel_2):
    found = study_of_finkel_2
    assert found["word"] == "finkel:2"
    assert found["positions"] == 12869
    assert found["fairness"]["first_player"] == pytest.approx(0.518572907495, abs=1e-11)
    throws = found["fairness"]["first_throw"]
    assert [each["chance"] for each in throws] == [1 / 16, 1 / 4, 3 / 8, 1 / 4, 1 / 16]
    assert sum(each["chance"] * each["gain"] for each in throws) == pytest.approx(0, abs=1e-11)
    assert found["length"]["throws"] == pytest.approx(39.7980016413802)
    ladder = found["ladder"]
    table, random = (ladder["policies"].index(name) for name in ("table", "random"))
    # the mean of both sides of `ur evaluate finkel:2 --dark random`
    assert ladder["wins"][table][random] == pytest.approx(0.7366, abs=0.02)
    for i, row in enumerate(ladder["wins"]):
        for k, share in enumerate(row):
            assert share + ladder["wins"][k][i] == pytest.approx(1)
        assert ladder["wins"][table][i] >= 0.5 - 1e-12
    lead = ladder["wins"][table][random] - 0.5
    n = ladder["games_apart"][table][random]
    assert n == pytest.approx(1.645**2 * (0.25 - lead**2) / lead**2, abs=1)
    assert sum(found["length"]["distributions"]["throws"]["histogram"]["counts"]) == 2000


def test_squares_of_a_study(study_of_finkel_2):
    places = study_of_finkel_2["squares"]["places"]
    assert [place["square"] for place in places][:5] == ["A4", "A3", "A2", "A1", "B1"]
    worth = [place["worth"]["value"] for place in places]
    # the further on, the more, but for the last rosette
    assert worth[0] < worth[4] < worth[7] < worth[11]
    safe = [place for place in places if place["is_rosette"] or place["square"][0] == "A"]
    assert all(place["captures"]["value"] == 0 for place in safe)
    assert places[5]["captures"]["value"] > 0.5


def test_openings_of_a_study(study_of_finkel_2, query2):
    for branch in study_of_finkel_2["openings"]:
        ((throw,),) = branch["throws"]
        assert (branch["say"], branch["other_loses"]) == (None, None)
        best = query2.best(query2.rules.start(), throw)
        assert branch["move"] == (None if best is None else best.move.text)
        light = query2.rules.position(branch["position"])
        value = query2.value(light)
        assert branch["value"] == pytest.approx(value if light.side == "L" else 1 - value)


def test_openings_where_something_is_said(solved):
    """In birds: the best choice, and what the other one loses, as the table has it."""
    with Table(solved(named_rules("birds:2"))) as table:
        found, start = opening_tree(table), table.rules.start()
        n_choices = 0
        for first in found:
            assert (first["say"], first["other_loses"]) == (
                "enter",
                None,
            )  # nothing is on the board
            for second in first["then"]:
                for third in second["then"]:
                    position = table.rules.position(second["position"])
                    choices = {k: v for k, v in table.choices(position).items() if v is not None}
                    best = max(choices, key=choices.__getitem__)
                    assert third["say"] == best
                    others = [choices[best] - v for name, v in choices.items() if name != best]
                    assert third["other_loses"] == pytest.approx(min(others, default=None))
                    n_choices += len(others)
        assert n_choices > 20
        # 1 of four binary dice comes once in four throws; then the second throw places the piece
        assert [first["throws"] for first in found[1:]] == [[[1, k]] for k in (1, 2, 3, 4)]
        assert found[0]["throws"] == [[0], [1, 0], [2], [3], [4]]
        assert sum(first["chance"] for first in found) == pytest.approx(1)
        mean = sum(first["chance"] * first["value"] for first in found)
        assert mean == pytest.approx(table.value(start))


def test_a_throw_that_the_rules_give_is_certain(solved):
    with Table(solved(named_rules("skiriuk:1"))) as table:
        (first,) = opening_tree(table, 2)
        assert (first["throws"], first["chance"]) == ([[1]], 1)
        assert sum(second["chance"] for second in first["then"]) == pytest.approx(1)


def test_a_loss_within_its_interval_is_too_close_to_call():
    assert loss_text(CHANCES, 0.0123) == "1.23"
    assert loss_text(CHANCES, {"value": 0.042, "low": 0.01, "high": 0.074}) == "4.2"
    assert (
        loss_text(CHANCES, {"value": 0.004, "low": -0.01, "high": 0.018})
        == "0.4, too close to call"
    )


@pytest.fixture(scope="module")
def study_of_finkel_3(solved):
    """Of a game too large for exact lengths and an exact ladder."""
    with Table(solved(named_rules("finkel:3"))) as table:
        return study(table, games=500, seed=3)


def test_policies_play_a_thousand_games_in_a_study_of_fewer(study_of_finkel_3, solved):
    at_most = 1.97 * np.sqrt(0.25 / 1000)  # half the interval of a share of 1,000 games
    for row in study_of_finkel_3["ladder"]["wins"]:
        for share in row:
            if isinstance(share, dict):
                assert (share["high"] - share["low"]) / 2 < at_most
    with Table(solved(named_rules("finkel:3"))) as table:
        more = study(table, games=5000, seed=3)  # a fifth are 1,000
    assert study_of_finkel_3["luck"]["against"] == more["luck"]["against"]


def test_every_sampled_figure_has_an_interval(study_of_finkel_3):
    def check(figure, path):
        if isinstance(figure, dict) and "value" in figure and "low" in figure:
            assert set(figure) == {"value", "low", "high"}
            assert figure["low"] <= figure["value"] <= figure["high"]
            assert figure["low"] < figure["high"] or path.endswith(
                ("0.05", "0.25", "0.5", "0.75", "0.95", "games_apart")  # whole numbers
            ), path
        elif isinstance(figure, dict):
            for name, each in figure.items():
                check(each, f"{path}.{name}".lstrip("."))
        elif isinstance(figure, list):
            for each in figure:
                check(each, path)
        elif isinstance(figure, float):
            assert path in EXACT, path

    check(study_of_finkel_3, "")


OPENING = ("chance", "value", "second")
EXACT = {
    "rules",
    *(f"fairness.{name}" for name in ("first_player", "first_throw_spread")),
    *(f"fairness.first_throw.{name}" for name in ("chance", "gain")),
    "ladder.wins",  # of a policy against itself: one half
    *(f"length.distributions.{name}.histogram.edges" for name in ("throws", "turns", "moves")),
    "drama.least_of_a_winner",  # of the games that were seen, with the share beyond it
    *(f"openings{then}.{name}" for then in ("", ".then", ".then.then") for name in OPENING),
}


def test_snapshots_are_drawn_evenly(query2):
    """On average they show a piece on each square as often as the states of their games do."""
    generator = generator_of(query2.rules)
    best = TablePolicy(query2)
    games = play(query2.rules, best, best, 4000, seed=5, observers=(Snapshots, Counts, Squares))
    notes = games.notes
    length = len(query2.rules.path)
    stood = notes["stood"] / games.throws[:, None]
    beyond = generator.placed(notes["row"])[:, :length] - stood
    for index in range(length):
        found = mean_of(beyond[:, index])
        assert abs(found.value) < 2 * found.margin, index
    turns = generator.successors(notes["choice_row"], notes["choice_throw"], notes["choice_may"])
    assert (turns.n_options > 1).all()


def test_losses_at_choices(query2):
    best = TablePolicy(query2)
    games = play(query2.rules, best, best, 3000, seed=5, observers=(Snapshots, Counts))
    choices = choices_of(games.notes, best)
    assert choices.loss(best).value == pytest.approx(0, abs=1e-15)
    captures = choices.loss(policy_of("capture", query2))
    assert captures.low < captures.value < captures.high
    assert choices.turns.has(CAPTURE).any()
    k = int(np.flatnonzero(choices.turns.has(CAPTURE))[0])
    turn = int(choices.turns.turn_of[k])
    position = choices.turns.generator.position(choices.turns.rows[turn])
    throw = choices.turns.generator.throws[choices.turns.throws[turn]]
    expected = [each.value for each in query2.moves(position, throw)]
    mine = choices.options.worth[choices.turns.starts[turn] : choices.turns.starts[turn + 1]]
    assert sorted(mine, reverse=True) == pytest.approx(expected)


def test_the_best_order(query2):
    opponent = policy_of("random", query2)
    found = best_order(query2.rules, opponent, 2000, seed=1)
    shares = [share for _, share in found]
    assert all(low.value < high.value for low, high in itertools.pairwise(shares))
    for k, (order, _) in enumerate(found):
        assert len(order) == k + 1
        assert {*(found[k - 1][0] if k else ())} < {*order}
    # the first one is the best by the exact figures too, or as good but for chance
    exact = ExactPlay(generator_of(query2.rules))
    theirs, singles = exact.weights(opponent), {}
    for name in PRIORITIES:
        policy = policy_of(name, query2)
        chances = exact.chances(exact.weights(policy), theirs)
        singles[name] = exact.beginnings(policy).chance(chances)
    assert singles[found[0][0][0]] > max(singles.values()) - 0.03


@pytest.mark.parametrize("rules", ["bell-stakes:1", "birds:1", "skiriuk:2", "casual-roll-again:2"])
def test_studies_of_other_families(rules, solved, monkeypatch):
    monkeypatch.setattr("ur_solver.study.studies._LEAST", 100)
    with Table(solved(named_rules(rules))) as table:
        found = study(table, games=400, seed=1)
    text = json.dumps(found, allow_nan=False)
    assert json.loads(text) == found
    assert ("with_a_free_first_throw" in found["fairness"]) == (rules == "skiriuk:2")
    assert found["openings"]
