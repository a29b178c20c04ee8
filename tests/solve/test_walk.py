"""How a walk shares threads among blocks."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

import pytest

from ur_solver.rules import named_rules
from ur_solver.solve import walk
from ur_solver.solve.walk import Walk
from ur_solver.space import RaceSpace, space_of

SPACE = space_of(named_rules("finkel:2"))
LONG = 60.0


@dataclass(frozen=True)
class Done:
    index: int


class Waits(Walk[Done]):
    """Two blocks that run at once; the second waits for a spare thread."""

    def __init__(self):
        super().__init__(SPACE, 2, lambda done: None)
        self.lock = threading.Lock()
        self.at_work: set[int] = set()
        self.both = threading.Event()
        self.before: list[int] = []
        self.after = 0

    def work_on(self, index, threads, workspace):
        with self.lock:
            self.at_work.add(index)
            if len(self.at_work) == 2:
                self.before = [self.spare_threads(each) for each in self.at_work]
                self.both.set()
        assert self.both.wait(LONG)
        if index == 1:
            until = time.monotonic() + LONG
            while not self.spare_threads(index) and time.monotonic() < until:
                time.sleep(0.001)
            self.after = self.spare_threads(index)
        return Done(index)


@pytest.fixture
def pair(monkeypatch):
    """Two blocks, and none that waits for them, as near the end of a large game."""
    monkeypatch.setattr(RaceSpace, "blocks", SPACE.blocks[:2])
    monkeypatch.setattr(walk, "dependencies", lambda space: [set(), set()])


def test_a_thread_without_a_block_helps_another(pair, monkeypatch):
    monkeypatch.setattr(walk, "_SHARED_SIZE", 0)
    run = Waits()
    run.run()
    assert run.before == [0, 0]
    assert run.after == 1


def test_small_blocks_take_no_help(pair):
    run = Waits()
    run._spare = 1
    assert [run.spare_threads(index) for index in (0, 1)] == [0, 0]


class Room:
    """A workspace that counts how often it was released."""

    def __init__(self):
        self.releases = 0

    def release(self):
        self.releases += 1


class Rooms(Walk[Done]):
    """Blocks that note their workspace and how often each has been released so far."""

    def __init__(self, threads):
        super().__init__(SPACE, threads, lambda done: None)
        self.rooms = list(self.workspaces.queue)
        self.seen: list[tuple[int, int, list[int]]] = []

    def work_on(self, index, threads, workspace):
        releases = [room.releases for room in self.rooms]
        self.seen.append((threads, self.rooms.index(workspace), releases))
        return Done(index)


@pytest.fixture
def row(monkeypatch):
    """Three blocks, each of which needs the one before."""
    monkeypatch.setattr(RaceSpace, "blocks", SPACE.blocks[:3])
    monkeypatch.setattr(walk, "dependencies", lambda space: [set(), {0}, {1}])
    monkeypatch.setattr(walk, "Workspace", Room)


def test_a_block_with_several_threads_has_the_memory_of_idle_ones(row, monkeypatch):
    monkeypatch.setattr(walk, "_SHARED_SIZE", 0)
    run = Rooms(3)
    run.run()
    used = run.seen[0][1]
    assert [(threads, room) for threads, room, _ in run.seen] == [(3, used)] * 3
    for nth, (_, _, releases) in enumerate(run.seen, start=1):
        assert releases == [0 if room == used else nth for room in range(3)]


def test_a_block_with_one_thread_leaves_the_others_their_pages(row):
    run = Rooms(3)
    run.run()
    used = run.seen[0][1]
    assert run.seen == [(1, used, [0, 0, 0])] * 3
