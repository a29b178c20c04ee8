"""Duels: pairs of games with the same throws, and programs that fail."""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
import time

import psutil
import pytest

from ur_solver.api.table import Table
from ur_solver.errors import InputError
from ur_solver.players.policies import policy_of
from ur_solver.rules import named_rules
from ur_solver.study import duel as module
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


@pytest.mark.parametrize(
    ("won", "share"),
    [([1, 0], 0.5), ([1, 0, 1, 1], 0.75), ([0, 0, 0, 1], 0.25)],
)
def test_the_interval_of_a_few_pairs_is_one_of_shares(monkeypatch, won, share):
    games = iter(enumerate(won))

    def game(_rules, _players, _rng):
        number, has_won = next(games)
        return has_won == (number % 2 == 0), 10  # whether light has, which the first begins as

    monkeypatch.setattr(module, "_game", game)
    found = duel(FINKEL, Recorder(), Recorder(), len(won)).share
    assert found.value == share
    assert 0 <= found.low < share < found.high <= 1
    assert (found.low, found.high) == (0, 1) or len(won) > 2


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


READY = "import os, sys, time\nprint('ready x', flush=True); input(); input()\n"
ENDLESS = "while True: print({}, flush=True)\n"


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        (READY + ENDLESS.format("'info thinking'"), "did not answer within 0.5 s"),
        (READY + ENDLESS.format("'info', end=time.sleep(0.3) or chr(10)"), "did not answer"),
        (READY + ENDLESS.format("'info ' + 'x' * 9999, end=''"), "did not answer"),
        (READY + ENDLESS.format("'x' * 9999, end=''"), "expected 'move ...'"),
        (READY + ENDLESS.format("'move', end=''"), "expected 'move ...'"),
        (READY + "time.sleep(2); print('move A@A3')", "did not answer"),
        (READY + "print('move A@A3', end='', flush=True); time.sleep(60)", "did not answer"),
        (READY + "os.close(1); time.sleep(60)", "closed its output instead of answering"),
        (READY + "os.close(0); time.sleep(60)", "did not answer"),
        (ENDLESS.format("'info thinking'"), "asked 'ur', did not answer within 0.5 s"),
        (ENDLESS.format("'hello'"), "asked 'ur', answered 'hello'"),
        (ENDLESS.format("'', end=''"), "asked 'ur', did not answer within 0.5 s"),
    ],
)
def test_a_limit_is_a_deadline_for_the_answer(code, fault, tmp_path, capfd):
    began = time.monotonic()
    with pytest.raises(InputError, match=fault):
        answer(command(tmp_path, code), 60 if code.startswith(READY) else 0.5, 0.5)
    assert time.monotonic() - began < 50
    capfd.readouterr()


def answer(text, until_ready, seconds):
    """What a program answers that has so much time for it, and so much to start."""
    with Program(text, until_ready) as program:
        program.seconds = seconds
        return program.decide(START)


def test_lines_of_any_length_that_say_nothing_are_passed_over(tmp_path, capfd):
    code = READY + (
        "print('x' * 200_000, file=sys.stderr); print('info', 'x' * 200_000)\n"
        "print('move A1B2', flush=True); input()"
    )
    with Program(command(tmp_path, code), seconds=120) as program:
        assert program.decide(START) == 1
    capfd.readouterr()


def test_a_program_that_reads_nothing_keeps_nobody(tmp_path):
    with Program(
        command(tmp_path, "print('ready x', flush=True); import time; time.sleep(60)")
    ) as it:
        for _ in range(1000):
            it.new_game("x" * 1000)


SPIN = """
import pathlib, sys, time
pathlib.Path(sys.argv[1]).touch()
time.sleep(600)
"""

STARTERS = {
    "a child": "subprocess.Popen(spin)",
    "of a shell": "subprocess.Popen(f'{shlex.join(spin)} & true', shell=True)",
    "a session": "subprocess.Popen(spin, start_new_session=True)",
    "a daemon": "subprocess.Popen(f'setsid {shlex.join(spin)} &', shell=True).wait()",
    "without environment": "subprocess.Popen(spin, env={})",
    "which ignores": "subprocess.Popen(f'trap \"\" INT TERM HUP; {shlex.join(spin)}', shell=True)",
}


def starter(tmp_path, how, and_then):
    """A program that starts another one, whose path names it among the processes."""
    spin = [sys.executable, str(tmp_path / "spin.py"), str(tmp_path / "spins")]
    (tmp_path / "spin.py").write_text(SPIN)
    code = f"""
import os, shlex, subprocess, sys, time
spin = {spin!r}
{STARTERS[how]}
while not os.path.exists(spin[-1]):
    time.sleep(0.01)
{and_then}
"""
    return command(tmp_path, code)


def left_over(tmp_path):
    """The processes that a starter has left."""
    found = []
    for process in psutil.process_iter():
        try:
            if str(tmp_path) in " ".join(process.cmdline()):
                found.append(process)
        except psutil.Error:
            pass  # it has just ended
    return found


@pytest.mark.parametrize(
    ("how", "and_then"),
    [("of a shell", READY), *((how, READY + "time.sleep(600)") for how in STARTERS)],
)
def test_what_a_program_has_started_ends_with_it(how, and_then, tmp_path):
    with pytest.raises(InputError, match="did not answer"):
        answer(starter(tmp_path, how, and_then), 60, 0.2)
    assert (tmp_path / "spins").exists()
    assert not left_over(tmp_path)


@pytest.mark.parametrize(
    ("how", "number"),
    [("of a shell", signal.SIGINT), ("a child", signal.SIGTERM), ("of a shell", signal.SIGKILL)],
)
def test_what_a_program_has_started_ends_with_us(how, number, tmp_path):
    program = starter(tmp_path, how, READY + "time.sleep(600)")
    words = [sys.executable, "-m", "ur_solver", "duel", program, "first", "--seconds", "60"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as ours:
        while not (tmp_path / "spins").exists():
            assert ours.poll() is None
            time.sleep(0.01)
        ours.send_signal(number)
        ours.communicate(timeout=60)  # they hold these pipes
    assert ours.returncode in {128 + number, -number}
    until = time.monotonic() + 60
    while left_over(tmp_path) and time.monotonic() < until:
        time.sleep(0.05)  # a killed one ends a little after its pipes
    assert not left_over(tmp_path)


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
