"""The versions of a game: whatever was its state can be come back to, and is in the file."""

from __future__ import annotations

import random

import pytest

from ur_solver.records import Ending, Replay
from ur_solver.records.history import History, beginning, is_same, length
from ur_solver.rules import named_rules

RULES = named_rules("finkel:2")


def told(record):
    """A game as text that says all that counts."""
    turns = " ".join(f"{ply.side}{ply.throw}{record.move_text(ply) or '-'}" for ply in record.plies)
    return f"{turns} {record.ending} {record.winner}"


def after_a_turn(record, rng):
    replay = Replay.resumed(record)
    throw = rng.choice([0, 1, 2, 3])
    steps = replay.legal((throw,))
    replay.take((throw,), steps, rng.randrange(len(steps)) if steps else -1)
    return replay.finish()


def reachable(history):
    """All that undo, redo and the versions left lead to, without taking another course."""
    found = {told(history.now)}
    steps = 0
    while history.undo():
        steps += 1
        found.add(told(history.now))
    for _ in range(steps):
        assert history.redo()
    while history.redo():
        found.add(told(history.now))
    for left in history.left:
        found |= {told(beginning(left, k)) for k in range(length(left) + 1)}
    return found


def act(history, rng):
    now = history.now
    match rng.choice(["turn", "turn", "turn", "undo", "undo", "redo", "correct", "end", "left"]):
        case "turn" if now.ending is Ending.UNFINISHED:
            history.add(after_a_turn(now, rng))
        case "undo":
            history.undo()
        case "redo":
            history.redo()
        case "correct" if now.plies:
            history.add(after_a_turn(beginning(now, rng.randrange(len(now.plies))), rng))
        case "end" if now.ending is Ending.UNFINISHED:
            history.add(Replay.resumed(now).finish(Ending.RESIGNED, "L", loser_by_choice="D"))
        case "left" if history.left:
            history.take_up(rng.randrange(len(history.left)))


@pytest.mark.parametrize("seed", range(60))
def test_every_state_can_be_come_back_to(seed, tmp_path):
    rng = random.Random(seed)
    history = History(Replay(RULES).finish())
    seen = set()
    for _ in range(rng.randrange(1, 40)):
        act(history, rng)
        seen.add(told(history.now))
    assert seen <= reachable(history)
    # and when the game is left and gone on with
    now = history.now
    history.save(tmp_path / "versions.ur")
    later = History.load(tmp_path / "versions.ur", now)
    assert told(later.now) == told(now)
    assert reachable(later) == reachable(history)


def test_undo_goes_back_a_turn_and_a_correction_at_once():
    rng = random.Random(1)
    history = History(Replay(RULES).finish())
    for _ in range(5):
        history.add(after_a_turn(history.now, rng))
    five = history.now
    corrected = Replay.resumed(beginning(five, 1))
    corrected.play_nothing(0)
    history.add(corrected.finish())
    assert history.undo()
    assert is_same(history.now, five)
    assert history.undo()
    assert is_same(history.now, beginning(five, 4))
    assert [history.redo() for _ in range(3)] == [True, True, False]
    assert is_same(history.now, corrected.finish())


@pytest.mark.parametrize("text", ["", "notes", "rules: finkel:2\nAt: x\nRun: y\n\nL 0 --\n"])
def test_a_file_that_is_no_history_is_left_aside(text, tmp_path):
    path = tmp_path / "versions.ur"
    path.write_text(text)
    now = after_a_turn(Replay(RULES).finish(), random.Random(2))
    history = History.load(path, now)
    assert is_same(history.now, now)
    assert not history.has_versions
    # nor one of another game
    other = History(Replay(RULES).finish())
    other.add(after_a_turn(other.now, random.Random(3)))
    other.undo()
    other.save(path)
    assert is_same(History.load(path, now).now, now)
