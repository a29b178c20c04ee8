"""Every object that a user holds can be copied and pickled, and answers as before."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

import ur_solver as ur
from ur_solver.envs import AgentPolicy, actions_of, policy_regret
from ur_solver.players.policies import PLAYERS, policy_of
from ur_solver.space import space_of
from ur_solver.study import evaluate

pytestmark = pytest.mark.medium

RULES = "finkel:1"
HERE = "....__../......../....__.. L 1 1"
COPIES = [copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))]


def lengths_at(thing):
    return thing.lengths([HERE]).tolist()


def values_at(thing):
    return thing.values([HERE]).tolist()


def furthest(position, options):
    """A policy of the user's own."""
    return options[-1]


def first_action(observations, masks):
    """An agent."""
    return masks.argmax(axis=1)


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    """What a user may hold, each with what is asked of it; None compares the things themselves."""
    folder = tmp_path_factory.mktemp("copies")
    table = ur.solve(RULES, folder / "finkel-1.h5")
    lengths = ur.solve_lengths(RULES, path=folder / "lengths.h5")
    estimator = ur.train(RULES, folder / "small.h5", rounds=2, hidden=(16,))
    ben = ur.solve("ben:1", folder / "ben-1.h5")
    rules, position = table.rules, table.rules.position(HERE)
    (game,) = ur.sample(table, 1, light="weak", seed=2)
    (bens,) = ur.sample(ben, 1, seed=2)
    audit = table.audit(game)
    games = {"game": game, "game of ben": bens, "ply": game.plies[0], "step": game.plies[0].steps}
    ur.write_games([game], folder / "game.ur")
    faults = ur.read_games([folder / "game.ur"])
    both = [table, estimator]
    return {
        "table": (table, values_at),
        "its file": (table.file, lambda thing: thing.read_many(np.arange(3)).tolist()),
        "its space": (table.space, lambda thing: thing.rank(position)),
        "its layout": (table.layout, lambda thing: (thing.dtype, thing.contents)),
        "space with stakes": (
            space_of(ur.rule_set("bell-stakes:1")),
            lambda thing: (thing.rules, thing.n_values),
        ),
        "verification": (table.verify(sample=5), None),
        "lengths": (lengths, lengths_at),
        "lengths of moves": (lengths.moves(HERE, 1), None),
        "estimator": (estimator, values_at),
        "with a table": (ur.Estimator(folder / "small.h5", exact=table), values_at),
        "by another depth": (estimator.looking(1), lambda thing: (thing.path, thing.digest)),
        "rollout": (estimator.rollout(HERE, 4), None),
        **{f"decision by {each!r}": (each.decision(HERE), lambda d: d.to_json()) for each in both},
        **{f"moves by {each!r}": (each.moves(HERE, 1), str) for each in both},
        **{f"audit by {each!r}": (each.audit(game), lambda a: str(a.columns())) for each in both},
        **{name: (thing, None) for name, thing in games.items()},
        "opening": (bens.opening, None),
        "stepper": (game.stepper, lambda thing: thing.rules),
        "judged ply": (audit.plies[0], None),
        "summary": (audit.light, None),
        "games": (faults, lambda thing: [each.winner for each in thing]),
        "fault": (ur.RecordFault("a.ur", 1, "line 1: nothing"), None),
        "rules": (rules, None),
        "position": (position, None),
        "move": (table.best(HERE, 1).move, None),
        "board": (rules.board, None),
        "path": (rules.path, None),
        "dice": (rules.dice, None),
        "thresholds": (ur.Thresholds(), None),
        "stakes": (ur.rule_set("bell-stakes:1").stakes, None),
        "mark": (next(iter(ur.Mark)), None),
        "catalogue": (ur.CATALOGUE, None),
        "family": (ur.Family, None),
        "error": (ur.errors.MissingTableError("there is none"), str),
        **{
            f"policy {what!r}": (policy_of(what, table), lambda p: evaluate(table, p, "first"))
            for what in (*PLAYERS, "capture+safe+furthest", furthest)
        },
        "agent": (AgentPolicy(rules, first_action), lambda p: evaluate(table, p, "first")),
        "actions": (actions_of(rules), lambda thing: thing.names),
        "regret": (policy_regret(ben, "greedy"), lambda thing: thing.to_json()),
    }


@pytest.mark.parametrize("copied", COPIES, ids=["copy", "deepcopy", "pickle"])
def test_all_copies_answer_as_before(held, copied):
    for name, (thing, ask) in held.items():
        again = copied(thing)
        assert type(again) is type(thing), name
        if ask is None:
            assert again == thing, name
        else:
            assert ask(again) == ask(thing), name


def test_a_copy_is_closed_by_itself(held):
    for name in ("table", "lengths"):
        thing, ask = held[name]
        copy.deepcopy(thing).close()
        assert ask(copy.deepcopy(thing)) == ask(thing)


def test_another_process_reads_what_was_pickled(held, tmp_path):
    names = ["table", "lengths", "estimator", "with a table"]
    things = [held[name][0] for name in names]
    path = tmp_path / "things.pickle"
    path.write_bytes(pickle.dumps(things))
    code = (
        "import pickle, sys; table, lengths, *estimators = pickle.load(open(sys.argv[1], 'rb'));"
        "print(table.value(sys.argv[2]), lengths.length(sys.argv[2]),"
        "      *[each.value(sys.argv[2]) for each in estimators])"
    )
    found = subprocess.run(
        [sys.executable, "-c", code, path, HERE], capture_output=True, text=True, check=True
    )
    wanted = [held[name][1](held[name][0])[0] for name in names]
    assert [float(each) for each in found.stdout.split()] == wanted
