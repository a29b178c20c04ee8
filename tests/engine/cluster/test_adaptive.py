"""Clusters that start and end workers as they are needed, from none on."""

from __future__ import annotations

import os
import pathlib
import signal
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import numpy as np
import pytest

from tests.solving import make_table
from ur_solver.engine.graph import BlockGraph
from ur_solver.engine.runners import SMALL_SIZE, Cluster, Dispatcher
from ur_solver.errors import ClusterError
from ur_solver.rules import named_rules
from ur_solver.solving.execution import WorkersChanged
from ur_solver.table.reader import TableFile

pytest.importorskip("distributed")

from distributed import Client, LocalCluster

from ur_solver.engine.cluster_runner import ClusterRunner, _Demand

pytestmark = [
    pytest.mark.filterwarnings(
        "ignore::ResourceWarning",
        "ignore::pytest.PytestWarning",
        "ignore:Creating scratch directories:UserWarning",  # on a machine that is busy
    ),
    pytest.mark.slow,
]

PATIENCE = 120.0


@contextmanager
def adaptive(**options):
    """An empty cluster that may have two workers."""
    with LocalCluster(
        n_workers=0,
        threads_per_worker=1,
        memory_limit=0,
        dashboard_address="127.0.0.1:0",
        silence_logs=50,
    ) as cluster:
        cluster.adapt(minimum=0, maximum=2, interval="100ms", **options)
        yield cluster


def wait_for(is_so):
    """Wait until something is so; TimeoutError if it takes too long."""
    until = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > until:
            raise TimeoutError
        time.sleep(0.02)


@dataclass(frozen=True)
class Met:
    """A task that waits until it has been begun by two workers, or for a file, by the block."""

    folder: pathlib.Path

    def __call__(self, index, lease):
        if index == 2:
            (self.folder / "is-alone").touch()
            wait_for((self.folder / "go-on").exists)
        else:
            (self.folder / f"{'after' if index > 2 else 'before'}-{os.getpid()}").touch()
            met = "after-*" if index > 2 else "before-*"
            wait_for(lambda: len(list(self.folder.glob(met))) == 2)
        return index


def test_workers_come_and_go_with_the_blocks_that_could_use_them(tmp_path):
    """Two blocks need two workers at once; then one does; then two again."""
    graph = BlockGraph([(), (), (0, 1), (2,), (2,)], [2 * SMALL_SIZE] * 5)
    seen = []
    with adaptive(wait_count=2) as cluster:

        def watch():
            with suppress(TimeoutError):
                wait_for((tmp_path / "is-alone").exists)
                wait_for(lambda: len(cluster.scheduler.workers) == 1)
                seen.append(len(cluster.scheduler.workers))
                (tmp_path / "go-on").touch()

        watching = threading.Thread(target=watch)
        watching.start()
        ClusterRunner(
            lambda: Client(cluster.scheduler_address, set_as_default=False),
            cost=lambda *_: 1,
            memory=100,
        ).run(graph, Met(tmp_path), graph.finish)
        watching.join()
        assert seen == [1]
        wait_for(lambda: not cluster.scheduler.workers)  # the demand has ended
        assert not cluster.scheduler.tasks


def test_two_solves_of_workers_that_leave(tmp_path):
    """Both clusters begin without a worker; one of their workers is killed meanwhile."""
    rules, results = named_rules("finkel:3"), {}
    make_table(rules, tmp_path / "whole.h5", threads=1)

    def solve(name, is_disturbed):
        with adaptive() as cluster:
            events, reported = [], []

            def progress(done, _total):
                reported.append(done)
                if is_disturbed and len(reported) == 20:
                    with Client(cluster.scheduler_address, set_as_default=False) as client:
                        for pid in list(client.run(os.getpid).values())[:1]:
                            os.kill(pid, signal.SIGKILL)

            make_table(
                rules,
                tmp_path / name,
                cluster=Cluster(cluster.scheduler_address, threads=1),
                progress=progress,
                events=events,
            )
            results[name] = events, reported

    names = {"a": True, "b": False}
    threads = [threading.Thread(target=solve, args=each) for each in names.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with TableFile(tmp_path / "whole.h5") as whole:
        expected = np.array(whole.load())
    for name in names:
        events, reported = results[name]
        assert WorkersChanged(0) in events
        assert WorkersChanged(1) in events
        assert len(reported) == len(set(reported))
        with TableFile(tmp_path / name) as table:
            assert np.array_equal(table.load(), expected)


def test_without_a_worker_in_time_it_is_said_so():
    with (
        LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0", silence_logs=50) as cluster,
        pytest.raises(ClusterError, match="no worker can be used"),
    ):
        ClusterRunner(
            lambda: Client(cluster.scheduler_address, set_as_default=False),
            cost=lambda *_: 1,
            patience=1.0,
        ).run(BlockGraph([()], [1]), Met(pathlib.Path()), print)


class Scheduler:
    """Dask's target for tasks of which each takes a share of a thread, counted by hand."""

    def __init__(self, share):
        self.share, self.shown, self.threads, self.workers = share, 0, 1, 0
        self.scheduler = self

    def map(self, _function, numbers, **_options):
        self.shown += len(numbers)
        return [self] * len(numbers)

    def cancel(self, futures, force):
        self.shown -= len(futures)

    def done(self):
        return False

    def adaptive_target(self):
        return int(-(-self.shown * self.share // 1))

    def sync(self, function):
        return function()


@pytest.mark.parametrize("share", [0.1, 0.9, 1.0])
@pytest.mark.parametrize("n_blocks", [1, 2, 7, 100])
def test_the_demand_is_for_what_could_be_used(share, n_blocks):
    scheduler, demand = Scheduler(share), _Demand()
    graph = BlockGraph([()] * n_blocks, [2 * SMALL_SIZE] * n_blocks)
    dispatcher = Dispatcher(graph, cost=lambda _: 1)
    for _ in range(100):
        demand.show(scheduler, dispatcher, 0)
    assert scheduler.adaptive_target() == n_blocks
    for name in range(n_blocks):
        dispatcher.add(str(name), 1, 100)
        assert dispatcher.assign() is not None
    demand.show(scheduler, dispatcher, 0)
    assert scheduler.shown == 0
