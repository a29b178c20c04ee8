"""The environments pass the tests that the packages whose interfaces they have come with."""

from __future__ import annotations

import sys

import numpy as np
import pyspiel
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

from ur_solver import envs
from ur_solver.api.table import Table
from ur_solver.envs import ManyGamesEnv, OnePlayerEnv, TwoPlayerEnv, spiel_game
from ur_solver.errors import InputError
from ur_solver.rules import named_rules
from ur_solver.rules.turns import turn

FAMILIES = ("finkel:2", "casual-roll-again:2", "birds:2", "skiriuk:2", "ben:2", "bell-stakes:2")


@pytest.mark.parametrize("word", FAMILIES)
def test_gymnasium(word):
    check_env(OnePlayerEnv(word), skip_render_check=True)


@pytest.mark.parametrize("word", FAMILIES)
# as of PettingZoo's own games with masks, whose observations are dictionaries
@pytest.mark.filterwarnings("ignore:Observation")
def test_pettingzoo(word, capsys):
    api_test(TwoPlayerEnv(word), num_cycles=100)
    seed_test(lambda: TwoPlayerEnv(word), num_cycles=20)
    assert "Passed" in capsys.readouterr().out


@pytest.mark.parametrize("word", FAMILIES)
def test_openspiel(word):
    game = pyspiel.load_game(spiel_game.NAME, {"rules": word})
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


def test_one_player_follows_the_table_and_reports_regrets(query2):
    env = OnePlayerEnv("finkel:2", "table", agent="light", table=query2, render_mode="ansi")
    observation, info = env.reset(seed=3)
    assert observation in env.observation_space
    terminated, n_steps, names = False, 0, env.batch.actions.names
    while not terminated:
        position, _, throw = env.render().partition(" throw ")
        starts = {
            names.index("home" if each.move.source < 0 else each.move.text[:2]): each.loss
            for each in query2.moves(position, int(throw))
        }
        assert sorted(starts) == np.flatnonzero(info["action_mask"]).tolist()
        action = max(starts, key=starts.get)
        _, reward, terminated, truncated, info = env.step(action)
        assert info["regret"] == pytest.approx(starts[action], abs=1e-12)
        n_steps += 1
    assert reward in (-1, 1)
    assert not truncated
    assert n_steps > 3


def test_many_games_are_those_of_a_batch():
    env = ManyGamesEnv("finkel:3", 8)
    observations, infos = env.reset(seed=1)
    again = ManyGamesEnv("finkel:3", 8)
    assert (again.reset(seed=1)[0] == observations).all()
    ends = 0
    for _ in range(60):
        actions = infos["action_mask"].argmax(axis=1)
        observations, rewards, terminated, truncated, infos = env.step(actions)
        assert observations in env.observation_space
        assert (rewards[terminated] != 0).all()
        assert not rewards[~terminated].any()
        assert not truncated.any()
        ends += int(terminated.sum())
    assert ends > 5
    env.close()


def test_two_players_take_turns_and_one_wins(query2):
    env = TwoPlayerEnv("finkel:2", table=query2, render_mode="ansi")
    env.reset(seed=1)
    rewards = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, _, _ = env.last()
        rewards[agent] += reward
        if terminated:
            env.step(None)
            continue
        side = {"player_0": "L", "player_1": "D"}[agent]
        assert env.render().split()[1] == side
        env.step(int(observation["action_mask"].argmax()))
        assert env.infos[agent]["regret"] >= 0
    assert sorted(rewards.values()) == [-1, 1]


class Tree:
    """Light's expected return in OpenSpiel's tree; where the next turn begins, by a table."""

    def __init__(self, table):
        self.table = table

    def position(self, state):
        text, _, throw = str(state).partition(" throw ")
        return self.table.rules.position(text), throw

    def begins_turn(self, state):
        position, throw = self.position(state)
        return not throw and state.is_chance_node() == (len(turn(position)) == 1)

    def worth(self, state):
        position, _ = self.position(state)
        value = 2 * self.table.value(position) - 1
        return value if position.side == "L" else -value

    def expected(self, state, is_first=True):
        if state.is_terminal():
            return state.returns()[0]
        if self.begins_turn(state) and not is_first:
            return self.worth(state)
        if state.is_chance_node():
            return sum(p * self.expected(state.child(a), False) for a, p in state.chance_outcomes())
        best = max if state.current_player() == 0 else min
        return best(self.expected(state.child(action), False) for action in state.legal_actions())


@pytest.mark.parametrize("word", ["finkel:2", "birds:2", "skiriuk:2"])
def test_openspiel_values_turns_as_a_table(word, solved):
    rng, seen = np.random.default_rng(1), 0
    with Table(solved(named_rules(word))) as table:
        tree = Tree(table)
        state = pyspiel.load_game(spiel_game.NAME, {"rules": word}).new_initial_state()
        for _ in range(40):
            if state.is_terminal():
                break
            if tree.begins_turn(state):
                assert tree.expected(state) == pytest.approx(tree.worth(state), abs=1e-9)
                seen += 1
            is_chance = state.is_chance_node()
            actions = (
                [a for a, _ in state.chance_outcomes()] if is_chance else state.legal_actions()
            )
            state.apply_action(int(rng.choice(actions)))
    assert seen > 8


def test_missing_packages_are_named(monkeypatch):
    monkeypatch.delitem(sys.modules, "ur_solver.envs.two_player")
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    with pytest.raises(InputError, match=r"pettingzoo is missing.*pip install 'ur-solver\[envs\]'"):
        _ = envs.TwoPlayerEnv
