"""How games end in environments: the last state, the cut, what is asked too early; copies go on."""

from __future__ import annotations

import copy
import pickle
import re

import numpy as np
import pyspiel
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics

from ur_solver.envs import GameBatch, ManyGamesEnv, OnePlayerEnv, TwoPlayerEnv, spiel_game
from ur_solver.errors import InputError
from ur_solver.players.policies import policy_of
from ur_solver.rules import named_rules

pytestmark = pytest.mark.medium

FAMILIES = ("finkel:2", "casual-roll-again:2", "birds:2", "skiriuk:2", "ben:2", "bell-stakes:2")


def by_hand(names, text, rules, is_dark):
    """The features of a position of finkel as its text shows it, seen by one side."""
    here = rules.position(text)
    board, _, *homes = (here.mirror() if is_dark else here).notation.split()
    homes = dict(zip("LD", homes, strict=True))
    rows = dict(zip("ABC", board.split("/"), strict=True))
    seen = []
    for name in names:
        where, _, count = name.rpartition(" ")
        if where == "throw":
            seen.append(0.0)
            continue
        piece, least = count.split(">=")
        on_board = board.count(piece)
        number = {
            "home": int(homes[piece]),
            "off": rules.pieces - int(homes[piece]) - on_board,
        }.get(where)
        if number is None:
            number = int(rows[where[0]][int(where[1]) - 1] == piece)
        seen.append(float(number >= int(least)))
    return seen


def played_out(env, seed):
    """The last observation of a game of first moves, with how it ended and the last info."""
    _, info = env.reset(seed=seed)
    while True:
        seen, _, is_over, is_cut, info = env.step(info["action_mask"].argmax())
        if is_over or is_cut:
            return seen, is_over, is_cut, info


@pytest.mark.parametrize("most_throws", [9, 10, 25, 5000])
@pytest.mark.parametrize("agent", ["light", "dark"])
def test_the_last_observation_is_the_last_state(most_throws, agent):
    env = OnePlayerEnv(
        "finkel:2", "random", agent=agent, most_throws=most_throws, render_mode="ansi"
    )
    cuts = 0
    for seed in range(6):
        seen, is_over, is_cut, info = played_out(env, seed)
        text = env.render()
        assert is_over != is_cut
        cuts += is_cut
        assert "throw" not in text  # a cut game waits for a throw, and one that is over for nothing
        rules = env.batch.rules
        assert (rules.position(text).winner is not None) == is_over
        assert seen.tolist() == by_hand(env.batch.names, text, rules, agent == "dark")
        assert not info["action_mask"].any()
        again = env.step(0)
        assert again[0].tolist() == seen.tolist()
        assert again[1] == 0
    assert (cuts > 0) == (most_throws < 5000)


@pytest.mark.parametrize("word", FAMILIES)
def test_many_games_give_what_one_gives(word):
    many = ManyGamesEnv(word, 1, most_throws=30)
    for seed in range(4):
        wanted, is_over, is_cut, info = played_out(OnePlayerEnv(word, most_throws=30), seed)
        _, infos = many.reset(seed=seed)
        assert not {"final_obs", "final_info"} & {*infos}
        while True:
            seen, _, over, cut, infos = many.step(infos["action_mask"].argmax(axis=1))
            if over[0] or cut[0]:
                break
            assert not {"final_obs", "final_info"} & {*infos}
        assert (over[0], cut[0]) == (is_over, is_cut)
        assert infos["final_obs"][0].tolist() == wanted.tolist()
        assert infos["final_info"]["action_mask"][0].tolist() == info["action_mask"].tolist()
        assert infos["action_mask"].any()
        assert seen[0].tolist() != wanted.tolist()


def test_infos_are_those_of_gymnasium():
    def one():
        return OnePlayerEnv("finkel:2", most_throws=15)

    theirs = SyncVectorEnv([one], autoreset_mode=AutoresetMode.SAME_STEP)
    ours = ManyGamesEnv("finkel:2", 1, most_throws=15)
    found = [env.reset(seed=3)[1] for env in (theirs, ours)]
    is_over = False
    while not is_over:
        steps = [env.step(found[0]["action_mask"].argmax(axis=1)) for env in (theirs, ours)]
        found = [step[4] for step in steps]
        is_over = bool(steps[0][2][0] or steps[0][3][0])
        assert {*found[0]} == {*found[1]}
        for name in {*found[0]} - (
            {"action_mask", "final_info", "final_obs"} if is_over else set()
        ):
            assert found[0][name].tolist() == found[1][name].tolist(), name
    # a new game begins in its own way
    for name, column in found[0]["final_info"].items():
        assert found[1]["final_info"][name].tolist() == column.tolist()
    last = [each["final_obs"] for each in found]
    assert last[0].dtype == last[1].dtype
    assert last[0][0].tolist() == last[1][0].tolist()


def test_games_go_on_after_their_threads_have_ended():
    batch = GameBatch("finkel:2", 1024, threads=2)
    batch.begin(1)
    batch.close()
    other = GameBatch("finkel:2", 1024, threads=2)
    other.begin(1)
    for each in (batch, other):
        each.step(each.masks.argmax(axis=1))
    assert (batch.observations == other.observations).all()


@pytest.mark.parametrize("opponent", ["random", policy_of("random", None)])
def test_the_protocol_of_the_same_step_is_kept(query2, opponent):
    env = ManyGamesEnv("finkel:2", 600, opponent, table=query2, most_throws=20)
    recorded = DictInfoToList(RecordEpisodeStatistics(env))
    _, infos = recorded.reset(seed=1)
    n_ends = 0
    for _ in range(30):
        masks = np.array([each["action_mask"] for each in infos])
        _, _, over, cut, infos = recorded.step(masks.argmax(axis=1))
        for info, ended in zip(infos, over | cut, strict=True):
            assert ("final_obs" in info) == ("final_info" in info) == ended
            assert info["action_mask"].any()
            if ended:
                assert info["final_obs"] in env.single_observation_space
                assert not info["final_info"]["action_mask"].any()
                assert info["final_info"]["regret"] == info["regret"]
                n_ends += 1
    assert n_ends > 300


def test_two_players_see_the_end_from_their_sides():
    for most_throws in (13, 5000):
        env = TwoPlayerEnv("finkel:2", most_throws=most_throws, render_mode="ansi")
        env.reset(seed=2)
        while not any(env.terminations.values()) and not any(env.truncations.values()):
            env.step(env.observe(env.agent_selection)["action_mask"].argmax())
        for agent, is_dark in (("player_0", False), ("player_1", True)):
            seen = env.observe(agent)
            wanted = by_hand(env.batch.names, env.render(), env.batch.rules, is_dark)
            assert seen["observation"].tolist() == wanted
            assert not seen["action_mask"].any()
        for _ in env.agents[:]:
            env.step(None)
        with pytest.raises(InputError, match=r"the game is over.*call reset"):
            env.step(None)


def test_environments_say_that_no_game_has_begun():
    one = OnePlayerEnv("finkel:2", render_mode="ansi")
    two = TwoPlayerEnv("finkel:2", render_mode="ansi")
    many, batch = ManyGamesEnv("finkel:2", 3), GameBatch("finkel:2", 3)
    for ask in (
        *(lambda: one.step(0), one.action_masks, one.render, lambda: many.step([0, 0, 0])),
        *(lambda: two.step(0), two.render, lambda: two.observe("player_0")),
        *(lambda: batch.step([0, 0, 0]), batch.text),
        lambda: copy.deepcopy(one).step(0),
    ):
        with pytest.raises(InputError, match=r"^no game has begun; call reset first"):
            ask()
    for ask in (two.last, lambda: list(two.agent_iter()), lambda: two.num_agents):
        with pytest.raises(AttributeError, match=r"^no game has begun, so there is no"):
            ask()
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = two.nothing


def test_spiel_states_say_what_is_not_possible():
    state = pyspiel.load_game(spiel_game.NAME, {"rules": "finkel:2"}).new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(state.chance_outcomes()[-1][0])
            continue
        illegal = next(k for k in range(99) if k not in state.legal_actions())
        before = str(state)
        with pytest.raises(InputError, match=re.escape(f"action {illegal} is not legal in")):
            state.apply_action(illegal)
        assert str(state) == before
        state.apply_action(state.legal_actions()[0])
    with pytest.raises(InputError, match="the game is over"):
        state.apply_action(0)


def pickled(thing):
    return pickle.loads(pickle.dumps(thing))


@pytest.mark.parametrize("copied", [copy.deepcopy, pickled])
@pytest.mark.parametrize("word", ["finkel:2", "birds:2", "bell-stakes:2"])
def test_copies_go_on_with_the_same_dice(word, copied, query2):
    table = query2 if word == "finkel:2" else None
    opponent = "weak" if table else "greedy"
    for env in (
        OnePlayerEnv(word, opponent, table=table),
        ManyGamesEnv(word, 600, opponent, table=table, most_throws=40),
    ):
        _, info = env.reset(seed=3)
        for _ in range(3):
            info = env.step(info["action_mask"].argmax(axis=-1))[-1]
        one, other = copied(env), copied(env)
        masks = info["action_mask"]
        found = []
        for each in (env, one):  # one after the other: neither moves the other on
            info = {"action_mask": masks}
            for _ in range(25):
                seen, reward, _, _, info = each.step(info["action_mask"].argmax(axis=-1))
                found.append((seen.tolist(), np.asarray(reward).tolist(), str(info.get("regret"))))
            if isinstance(each, OnePlayerEnv):  # the next games are the same, too
                found.append(each.reset()[0].tolist())
            each.close()
        assert found[: len(found) // 2] == found[len(found) // 2 :]
        assert (other.step(masks.argmax(axis=-1))[0] == np.array(found[0][0])).all()
        other.close()


@pytest.mark.parametrize("copied", [copy.deepcopy, pickled])
def test_copies_of_a_game_of_two_go_on(copied):
    env = TwoPlayerEnv("finkel:2", render_mode="ansi")
    assert copied(env).possible_agents == env.possible_agents  # before it has begun
    env.reset(seed=1)
    env.step(env.last()[0]["action_mask"].argmax())
    games = [env, copied(env)]
    texts = [[], []]
    for game, seen in zip(games, texts, strict=True):
        while not any(game.terminations.values()):
            game.step(game.last()[0]["action_mask"].argmax())
            seen.append((game.render(), game.agent_selection, dict(game.rewards)))
        game.reset()
        seen.append(game.render())
    assert texts[0] == texts[1]


@pytest.mark.parametrize("copied", [copy.deepcopy, pickled])
def test_spiel_states_copy(copied):
    state = pyspiel.load_game(spiel_game.NAME, {"rules": "birds:2"}).new_initial_state()
    for _ in range(6):
        is_chance = state.is_chance_node()
        state.apply_action(
            state.chance_outcomes()[-1][0] if is_chance else state.legal_actions()[0]
        )
    again = copied(state)
    assert str(again) == str(state)
    assert again.legal_actions() == state.legal_actions()
    observers = [state.get_game().make_py_observer(), copied(state.get_game().make_py_observer())]
    for observer in observers:
        observer.set_from(state, 0)
    assert observers[0].tensor.any()
    assert observers[0].tensor.tolist() == observers[1].tensor.tolist()


def test_a_piece_that_rests_wakes_up():
    # an extra throw is another piece's, so that at most one of a side's rests
    rules = named_rules("finkel:5").changed(another_piece=True)
    batch, rng, n_rest = GameBatch(rules, 300, agent="both"), np.random.default_rng(1), 0
    batch.begin(1)
    for _ in range(60):
        batch.step([rng.choice(np.flatnonzero(mask)) for mask in batch.masks])
        for game in range(len(batch)):
            text, _, throw = batch.text(game).partition(" throw ")
            assert text.count("^") <= 1
            n_rest += "^" in text
            if game < 20:
                moves = rules.legal_moves(rules.position(text), int(throw))
                assert len(moves) == batch.masks[game].sum()
    assert n_rest > 100
