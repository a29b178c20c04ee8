"""Games in batches: by the readable rules, and against exact chances."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

from ur_solver.api.table import Table
from ur_solver.envs import GameBatch
from ur_solver.errors import InputError
from ur_solver.estimators.network import features_of
from ur_solver.moves import generator_of
from ur_solver.players.policies import policy_of
from ur_solver.rules import named_rules
from ur_solver.rules.turns import turn

pytestmark = pytest.mark.medium

FAMILIES = ("finkel:2", "casual-roll-again:2", "birds:2", "skiriuk:2", "ben:2", "bell-stakes:2")


def read(batch: GameBatch, game: int = 0):
    """The position of a game's decision, and its throw or None."""
    text, _, throw = batch.text(game).partition(" throw ")
    return batch.rules.position(text), int(throw) if throw else None


def options_of(position, throw, may=None):
    """The options of a decision by the readable rules, as texts, with the positions they lead to.

    With a choice before the throw the choices that a throw may have come after are tried.
    """
    choices = turn(position)
    if throw is None:
        return {choice.name: None for choice in choices}
    found = {}
    for choice in choices:
        for outcome in choice.outcomes:
            if outcome.throws[-1] == throw and len(outcome.moves) > 1:
                found |= {move.text: move.position for move in outcome.moves}
    return found


def leads_to(turns, wanted):
    """Whether passes and forced moves lead to a decision; None stands for a game that is over.

    Parameters
    ----------
    turns : iterable of (Position, Choice or None)
        Where this begins, and the choice before the throw, None if it is still to be made.
    """
    left, seen = deque(turns), set()
    while left:
        here, choice = left.popleft()
        choices = turn(here)
        if choice is None and len(choices) != 1:
            if wanted == (here.notation if choices else None):
                return True
            continue
        for outcome in (choice or choices[0]).outcomes:
            if len(outcome.moves) > 1:
                if wanted == f"{here.notation} throw {outcome.throws[-1]}":
                    return True
                continue
            after = outcome.moves[0].position if outcome.moves else here.pass_turn()
            if after.notation not in seen:
                seen.add(after.notation)
                left.append((after, None))
    return False


@pytest.mark.memory
@pytest.mark.parametrize("word", FAMILIES)
def test_decisions_by_the_readable_rules(word):
    batch = GameBatch(word, 1, agent="both", renews=False)
    generator = generator_of(batch.rules)
    rng = np.random.default_rng(5)
    for seed in range(2):
        batch.begin(seed)
        for _ in range(15):
            position, throw = read(batch)
            turns, _ = next(batch._turns(np.array([0])))
            actions = batch.actions.of(turns)
            assert sorted(actions) == np.flatnonzero(batch.masks[0]).tolist()
            dark = np.full(len(actions), position.side == "D")
            texts = (
                [choice.name for choice in turns.choices]
                if turns.choices
                else generator.texts(turns, np.arange(len(actions)), dark).tolist()
            )
            options = options_of(position, throw)
            assert set(texts) <= set(options)
            assert len(texts) == len(set(texts)) > 1
            if len(turn(position)) == 1:
                assert set(texts) == set(options)
            k = int(rng.integers(len(texts)))
            batch.step([actions[k]])
            begun = (options[texts[k]], None)
            if throw is None:
                begun = position, next(each for each in turn(position) if each.name == texts[k])
            assert leads_to([begun], None if batch.ended[0] else batch.text())
            if batch.ended[0]:
                break


@pytest.mark.memory
@pytest.mark.parametrize("word", FAMILIES)
def test_observations_are_features_and_the_throw(word):
    batch = GameBatch(word, 40)
    batch.begin(1)
    features, throws = features_of(batch.rules), generator_of(batch.rules).throws
    space = generator_of(batch.rules).space
    for _ in range(6):
        for game in range(len(batch)):
            position, throw = read(batch, game)
            row = np.array([list(space.encode(position))], dtype=space.state_dtype)
            seen = features.of(row)[0].tolist() + [float(throw == each) for each in throws]
            assert batch.observations[game].tolist() == pytest.approx(seen)
            assert batch.names[: len(features)] == features.names
        batch.step(batch.masks.argmax(axis=1))


def played(batch, policy, n_steps, seed=1):
    """The rewards of the games that end within some steps, each summed up."""
    batch.begin(seed)
    sums, found = np.zeros(len(batch)), []
    for _ in range(n_steps):
        batch.step(batch.chosen_by(policy))
        sums += batch.rewards
        found += sums[batch.ended > 0].tolist()
        sums[batch.ended > 0] = 0
    return np.array(found)


@pytest.mark.parametrize("opponent", ["random", policy_of("random", None)])
def test_chances_are_the_exact_ones(query2, opponent):
    # by tests/cli/test_evaluate.py light wins 0.7549949159 of these games
    batch = GameBatch("finkel:2", 4000, agent="light", opponent=opponent)
    rewards = played(batch, policy_of("table", query2), 60)
    assert set(rewards) == {-1.0, 1.0}
    error = 1 / np.sqrt(len(rewards))
    assert rewards.mean() == pytest.approx(2 * 0.7549949159 - 1, abs=3 * error)


def test_money_is_what_a_table_says(solved):
    with Table(solved(named_rules("bell-stakes:2"))) as table:
        batch = GameBatch(table.rules, 4000, agent="both")
        rewards = played(batch, policy_of("table", table), 60)
        expected = 2 * table.start_value - table.rules.payoff.total(0)
    assert len(rewards) > 4000
    assert rewards.mean() == pytest.approx(expected, abs=3 * rewards.std() / np.sqrt(len(rewards)))


@pytest.mark.memory
@pytest.mark.parametrize("word", ["finkel:2", "birds:2", "bell-stakes:2"])
def test_an_opponent_plays_as_the_agent_would_in_its_place(word, solved):
    with Table(solved(named_rules(word))) as table:
        policy, nets = policy_of("table", table), []
        for agent in ("both", "light", "dark"):
            batch = GameBatch(word, 300, agent=agent, opponent="table", table=table, renews=False)
            batch.begin(1)
            net = np.zeros(300)
            while batch.masks.any():
                batch.step(batch.chosen_by(policy))
                net += batch.rewards
            nets.append(net)
    both, light, dark = nets
    assert np.mean(both == light) > 0.5  # the others had begun anew
    assert np.mean(both == -dark) > 0.5
    assert len(set(both.tolist())) >= 2


@pytest.mark.memory
def test_a_seed_plays_the_same_games_with_any_number_of_threads():
    texts = []
    for threads, seed in ((1, 7), (2, 7), (1, 8)):
        batch = GameBatch("finkel:3", 600, threads=threads)
        batch.begin(seed)
        for _ in range(20):
            batch.step(batch.masks.argmax(axis=1))
        texts.append([batch.text(game) for game in range(600)])
    assert texts[0] == texts[1] != texts[2]


def test_regrets_are_the_losses_of_moves(query2):
    batch = GameBatch("finkel:2", 50, agent="both", table=query2)
    batch.begin(2)
    for _ in range(10):
        chosen = batch.masks.argmax(axis=1)
        places = [batch.actions.names[action] for action in chosen.tolist()]
        expected = []
        for game, place in enumerate(places):
            position, throw = read(batch, game)
            light = position if position.side == "L" else position.mirror()
            start = "A@" if place == "home" else place
            (move,) = (
                each for each in query2.moves(light, throw) if str(each.move).startswith(start)
            )
            expected.append(move.loss)
        batch.step(chosen)
        assert batch.regrets.tolist() == pytest.approx(expected, abs=1e-12)


@pytest.mark.memory
def test_an_action_that_is_not_legal_forfeits_the_game(query2):
    batch = GameBatch("finkel:2", 30, agent="either", table=query2, renews=False)
    batch.begin(1)
    batch.step(batch.masks.argmin(axis=1))
    assert (batch.rewards == -1).all()
    assert (batch.ended == np.where(batch.agent == 0, 4 + 2, 4 + 1)).all()
    assert np.isnan(batch.regrets).all()
    assert not batch.masks.any()
    batch.step(np.zeros(30))  # which counts in no game
    assert not batch.rewards.any()


@pytest.mark.memory
def test_a_game_that_is_too_long_is_cut_off():
    batch = GameBatch("finkel:3", 20, most_throws=5)
    batch.begin(1)
    ended = []
    for _ in range(5):
        batch.step(batch.masks.argmax(axis=1))
        ended += batch.ended.tolist()
        assert not batch.rewards.any()
    assert set(ended) == {0, 3}


@pytest.mark.memory
@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"rules": "finkel:1"}, "no decisions"),
        ({"agent": "nobody"}, "expected one of light, dark, either, both"),
        ({"opponent": "table"}, "none is given"),
        ({"opponent": "lucky"}, "unknown part"),
        ({"n_games": 0}, "n_games"),
        ({"rules": "blitz:2", "table": "finkel:2"}, "the games are of blitz"),
        ({"threads": 0}, "threads is 0; expected 1 or more"),
    ],
)
def test_faults(options, fault, query2):
    options = {"rules": "finkel:2", "n_games": 2} | options
    if "table" in options:
        options["table"] = query2
    with pytest.raises(InputError, match=fault):
        GameBatch(**options).begin(1)


@pytest.mark.memory
def test_actions_of_another_shape_are_refused():
    batch = GameBatch("finkel:2", 3)
    batch.begin(1)
    with pytest.raises(InputError, match="shape"):
        batch.step([1, 2])
