"""How threads are shared among blocks."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

import pytest

from tests.solving import needs_openmp
from ur_solver.engine import runners
from ur_solver.engine.graph import BlockGraph
from ur_solver.engine.runners import Allowance, ThreadRunner
from ur_solver.errors import DamagedBlockError

LONG = 60.0


@dataclass(frozen=True)
class Done:
    index: int


def run(graph, task, threads):
    """All blocks of a graph, worked on by threads."""
    ThreadRunner(threads).run(graph, task, lambda done: graph.finish(done.index))


class Waits:
    """A task of two blocks that run at once; the second waits for a spare thread."""

    def __init__(self):
        self.lock = threading.Lock()
        self.leases = {}
        self.both = threading.Event()
        self.before = []
        self.after = 0

    def __call__(self, index, lease):
        with self.lock:
            self.leases[index] = lease
            if len(self.leases) == 2:
                self.before = [each.threads_now() for each in self.leases.values()]
                self.both.set()
        assert self.both.wait(LONG)
        if index == 1:
            until = time.monotonic() + LONG
            while lease.threads_now() == 1 and time.monotonic() < until:
                time.sleep(0.001)
            self.after = lease.threads_now()
        return Done(index)


def two_blocks(size):
    """Two blocks, and none that waits for them, as near the end of a large game."""
    return BlockGraph([(), ()], [size, size])


@needs_openmp
def test_a_thread_without_a_block_helps_another():
    task = Waits()
    run(two_blocks(1 << 17), task, 2)
    assert task.before == [1, 1]
    assert task.after == 2


def test_small_blocks_take_no_help(monkeypatch):
    offered = []
    one = property(lambda run: 1, lambda run, count: None)
    monkeypatch.setattr(runners._Run, "spare", one, raising=False)

    def task(index, lease):
        offered.append(lease.threads_now())
        return Done(index)

    run(two_blocks((1 << 17) - 1), task, 2)
    assert offered == [1, 1]


def test_blocks_that_begin_together_have_no_thread_that_was_spare_before():
    begun, both = {}, threading.Barrier(2)

    def task(index, lease):
        begun[index] = lease.threads_now()
        if index:
            both.wait(LONG)
        return Done(index)

    run(BlockGraph([(), (0,), (0,)], [1, 1 << 17, 1 << 17]), task, 2)
    assert begun == {0: 1, 1: 1, 2: 1}


class Room:
    """A workspace that counts how often it was released."""

    def __init__(self):
        self.releases = 0

    def release(self):
        self.releases += 1


class Rooms:
    """A task that notes its workspace and how often each has been released so far."""

    def __init__(self, monkeypatch):
        self.rooms = []
        self.seen = []
        monkeypatch.setattr(runners, "Workspace", self._room)

    def _room(self):
        self.rooms.append(Room())
        return self.rooms[-1]

    def __call__(self, index, lease):
        releases = [room.releases for room in self.rooms]
        self.seen.append((lease.threads_now(), self.rooms.index(lease.workspace), releases))
        return Done(index)


def row_of_blocks(size):
    """Three blocks, each of which reads the one before."""
    return BlockGraph([(), (0,), (1,)], [size] * 3)


@needs_openmp
def test_a_block_with_several_threads_has_the_memory_of_idle_ones(monkeypatch):
    task = Rooms(monkeypatch)
    run(row_of_blocks(1 << 17), task, 3)
    used = task.seen[0][1]
    assert [(threads, room) for threads, room, _ in task.seen] == [(3, used)] * 3
    for nth, (_, _, releases) in enumerate(task.seen, start=1):
        assert releases == [0 if room == used else nth for room in range(3)]


def test_a_block_with_one_thread_leaves_the_others_their_pages(monkeypatch):
    task = Rooms(monkeypatch)
    run(row_of_blocks(1), task, 3)
    used = task.seen[0][1]
    assert task.seen == [(1, used, [0, 0, 0])] * 3


def test_a_block_knows_whether_it_has_room_for_policies():
    found = {}

    def task(index, lease):
        found[index] = lease.policies
        return Done(index)

    for allowance, expected in (
        (Allowance(10, lambda index: index + 1, lambda index, cost: cost > 1), {0: False, 1: True}),
        (None, {0: True, 1: True}),
    ):
        graph = BlockGraph([(), ()], [1, 1])
        ThreadRunner(1, allowance).run(
            graph, task, lambda done, graph=graph: graph.finish(done.index)
        )
        assert found == expected


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_a_block_is_worked_on_once_and_after_those_it_reads(threads):
    reads = [(), (), (0,), (0, 1), (2, 3), (1,), (4, 5)]
    graph, finished, lock = BlockGraph(reads, [1] * len(reads)), [], threading.Lock()

    def task(index, lease):
        with lock:
            assert set(reads[index]) <= set(finished)
        return Done(index)

    def on_done(done):
        with lock:
            finished.append(done.index)
        graph.finish(done.index)

    ThreadRunner(threads).run(graph, task, on_done)
    assert sorted(finished) == list(range(len(reads)))


@pytest.mark.parametrize("later", [1, 2])
def test_what_several_find_damaged_is_worked_on_again_once(later):
    """Two blocks have read the damaged one; `later` says so when it has been found again."""
    graph = BlockGraph([(), (0,), (0,)], [1] * 3)
    both, again = threading.Barrier(2), threading.Event()
    begun, lock = [], threading.Lock()

    def task(index, lease):
        with lock:
            begun.append(index)
            is_first = begun.count(index) == 1
        if index and is_first:
            both.wait(LONG)
            if index == later:
                assert again.wait(LONG)
            raise DamagedBlockError(0, "block 0 is damaged")
        return Done(index)

    def on_done(done):
        graph.finish(done.index)
        if begun.count(0) == 2:
            again.set()

    ThreadRunner(2).run(graph, task, on_done)
    assert sorted(begun) == [0, 0, 1, 1, 2, 2]
