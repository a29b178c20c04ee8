"""What waits to be written."""

from __future__ import annotations

import threading

import pytest

from ur_solver.engine.store import Backlog


@pytest.fixture
def backlog():
    backlog = Backlog("written", 10)
    yield backlog
    backlog.close()


def test_writes_are_made_in_turn_beside_the_caller(backlog):
    written, gate = [], threading.Event()
    backlog.submit(4, lambda: gate.wait(60))
    for k in range(3):
        backlog.submit(2, lambda k=k: written.append((k, threading.current_thread().name)))
    backlog.settle()  # ten bytes may wait
    assert written == []
    gate.set()
    backlog.wait()
    assert [k for k, _ in written] == [0, 1, 2]
    assert all(name.startswith("written") for _, name in written)


def test_it_is_waited_for_where_too_much_waits(backlog):
    gate, opened = threading.Event(), []

    def wait_and_note():
        gate.wait(60)
        opened.append(True)

    backlog.submit(9, wait_and_note)
    backlog.submit(2, lambda: None)
    timer = threading.Timer(0.05, gate.set)
    timer.start()
    backlog.settle()
    assert opened == [True]


def test_the_first_error_is_raised_from_then_on(backlog):
    def fail(reason):
        raise OSError(reason)

    backlog.submit(1, lambda: None)
    backlog.submit(0, lambda: fail("full"))
    backlog.submit(1, lambda: fail("gone"))
    for _ in range(2):
        with pytest.raises(OSError, match="full"):
            backlog.wait()
