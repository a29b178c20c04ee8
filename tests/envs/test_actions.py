"""The numbers of actions."""

from __future__ import annotations

from ur_solver.envs import actions_of
from ur_solver.moves import generator_of
from ur_solver.rules import named_rules


def names(word):
    return actions_of(named_rules(word)).names


def test_finkel_moves_a_piece_from_home_or_from_a_square():
    path = ["A4", "A3", "A2", "A1", "B1", "B2", "B3", "B4", "B5", "B6", "B7", "B8", "A8", "A7"]
    assert names("finkel") == ("home", *path) == names("finkel:2")


def test_what_a_rule_set_adds():
    assert names("casual-roll-again")[:3] == ("home", "home again", "A4")
    assert names("birds:2")[:3] == ("home:1", "home:2", "A4:1")
    assert names("birds:2")[-2:] == ("move", "enter")
    assert names("ben")[:5] == ("home 1", "home 2", "home 3", "home 4", "A4 1")
    assert len(set(names("ben"))) == len(names("ben"))


def test_numbers_are_those_of_turns():
    for word in ("finkel:3", "ben:2", "casual-roll-again:2"):
        rules = named_rules(word)
        generator, actions = generator_of(rules), actions_of(rules)
        rows = generator.start()
        for _ in range(4):
            ((choices, _),) = generator.by_choices(rows[:1])
            turns = generator.every_throw(rows[:1], *choices)
            for k, action in enumerate(actions.of(turns).tolist()):
                mover, throw = int(turns.mover[k]), int(turns.throws[turns.turn_of[k]])
                if mover < 0:
                    assert action == -1
                    continue
                again = bool(turns.flags[k] & 1)
                assert action == actions.number(mover, throw, int(turns.target[k]), again)
            rows = turns.after[-1:]
