"""Duels: pairs of games with the same throws, and programs that fail."""

from __future__ import annotations

import shlex
import sys

import pytest

from ur_solver.api.table import Table
from ur_solver.errors import InputError
from ur_solver.players.policies import policy_of
from ur_solver.rules import named_rules
from ur_solver.study.duel import PolicyDuellist, Program, Question, duel
from ur_solver.study.exact_play import evaluate

pytestmark = pytest.mark.slow

FINKEL = named_rules("finkel:2")

ENGINE = """
import sys
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "ur":
        print("ready first-move")
    elif word == "position":
        noun, what = ("move", " moves ") if " moves " in rest else ("choice", " choices ")
        print("info thinking")
        print(noun, rest.partition(what)[2].split(", ")[{index}])
    elif word == "quit":
        break
    sys.stdout.flush()
"""


def command(tmp_path, code, name="engine.py"):
    path = tmp_path / name
    path.write_text(code)
    return shlex.join([sys.executable, str(path)])


def built_in(name, table=None, rules=FINKEL, seed=1):
    return PolicyDuellist(rules, policy_of(name, table), seed)


class Recorder:
    """Takes the first option, and notes what it is asked."""

    def __init__(self):
        self.asked, self.games = [], 0

    def new_game(self, rules):
        assert rules == "finkel:2"
        self.games += 1

    def decide(self, decision):
        self.asked.append(decision)
        return 0


def test_a_player_against_itself_wins_half_of_every_pair():
    found = duel(FINKEL, Recorder(), Recorder(), 40)
    assert found.share.value == 0.5
    assert found.games == 40
    assert found.unfinished == 0
    assert found.throws > 20


def test_the_share_is_that_of_exact_play(query2):
    found = duel(FINKEL, built_in("table", query2), built_in("random"), 240, seed=3)
    as_light = evaluate(query2, "table", "random").chance.value
    as_dark = evaluate(query2, "random", "table").chance.rest().value
    assert found.share.low < (as_light + as_dark) / 2 < found.share.high
    assert 0.03 < found.share.margin < 0.08


@pytest.mark.parametrize("word", ["finkel:2", "birds:2", "skiriuk:2", "casual-roll-again:2"])
def test_a_program_plays_as_the_same_player_here(word, tmp_path):
    rules = named_rules(word)

    class Last(Recorder):
        def new_game(self, _rules):
            self.games += 1

        def decide(self, decision):
            return len(decision.options) - 1

    with Program(command(tmp_path, ENGINE.format(index=-1)), seconds=120) as program:
        assert program.name == "first-move"
        played = duel(rules, program, built_in("greedy", rules=rules), 4, seed=5)
    assert played == duel(rules, Last(), built_in("greedy", rules=rules), 4, seed=5)


def test_what_is_asked():
    player = Recorder()
    duel(FINKEL, player, built_in("random"), 4, seed=2)
    assert player.games == 4
    for asked in player.asked:
        moves = [move.text for move in FINKEL.legal_moves(asked.position, asked.throw)]
        assert list(asked.options) == moves
        assert len(moves) > 1


START = Question(FINKEL.start(), 2, "", ("A@A3", "A1B2"))


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("print('ready x'); print(input() and input() and 'move A9')", "is none of these"),
        ("print('ready x'); print(input() and input() and 'hello')", "expected 'move ...'"),
        ("print('ready x', flush=True); input(); input(); exit(3)", "ended with exit code 3"),
        ("print('ready x', flush=True); import time; time.sleep(60)", "did not answer within"),
        ("print('ready x', flush=True); print('y' * 30000)", "expected 'move ...'"),
        ("1 / 0", "ended with exit code 1"),
        ("print('hello', flush=True)", "expected 'ready ...'"),
    ],
)
def test_a_program_that_fails(answer, fault, tmp_path, capfd):
    with (
        pytest.raises(InputError, match=fault) as error,
        Program(command(tmp_path, answer), seconds=120 if "sleep" not in answer else 3) as program,
    ):
        program.decide(START)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 1000
    capfd.readouterr()


def test_a_program_may_be_closed_twice(tmp_path):
    program = Program(command(tmp_path, ENGINE.format(index=0)), seconds=120)
    program.close()
    program.close()
    with pytest.raises(InputError, match="ended with exit code 0 instead of answering"):
        program.decide(START)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("no-such-program", "No such file"),
        ("'", "quotation"),
        ("", "has no command to start"),
    ],
)
def test_a_program_that_cannot_be_started(text, fault):
    with pytest.raises(InputError, match=fault):
        Program(text)


def test_games_come_in_pairs(query2):
    assert isinstance(query2, Table)
    for games in (0, 3):
        with pytest.raises(InputError, match="games"):
            duel(FINKEL, Recorder(), Recorder(), games)
