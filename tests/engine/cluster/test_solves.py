"""Solves on the workers of a cluster of this machine's processes, undisturbed and disturbed."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import numpy as np
import psutil
import pytest

from tests.checkpoints import block_files, finished_blocks
from tests.solving import make_table
from ur_solver.blocks.folder import Job
from ur_solver.common.machine import program_version, usable_processors
from ur_solver.engine.graph import BlockGraph
from ur_solver.engine.runners import Cluster
from ur_solver.errors import (
    CheckpointError,
    ClusterError,
    DamagedBlockError,
    InputError,
    OutputError,
)
from ur_solver.rules import named_rules
from ur_solver.solving.execution import WorkersChanged
from ur_solver.space import part_of, space_of
from ur_solver.table.reader import TableFile

pytest.importorskip("distributed")

from ur_solver.engine import cluster_runner as runner
from ur_solver.engine import cluster_runner as start
from ur_solver.engine.cluster_runner import ClusterRunner

pytestmark = [
    pytest.mark.filterwarnings(
        "ignore::ResourceWarning",
        "ignore::pytest.PytestWarning",
        "ignore:Creating scratch directories:UserWarning",  # on a machine that is busy
    ),
    pytest.mark.slow,
]

RULES = named_rules("finkel:3")
N_BLOCKS = len(space_of(RULES).blocks)
TWO = Cluster(workers=2, threads=1)
REALLY_CONNECTED = start.connected


@pytest.fixture(scope="module")
def connect():
    with start.connected(TWO) as connect:
        yield connect


@pytest.fixture(scope="module", autouse=True)
def _one_cluster(connect):
    """All solves of this module in this process use the same workers."""

    @contextmanager
    def connected(cluster):
        yield connect

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(start, "connected", connected)
        yield


def values(path: pathlib.Path) -> np.ndarray:
    with TableFile(path) as table:
        return np.array(table.load())


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "table.h5"
    make_table(RULES, path, threads=1)
    return values(path)


@pytest.fixture(scope="module")
def certified(tmp_path_factory):
    path = tmp_path_factory.mktemp("certified") / "table.h5"
    make_table(RULES, path, certify=True, threads=1)
    return values(path)


@pytest.mark.parametrize("name", ["table.h5", "table"])
@pytest.mark.parametrize("certify", [False, True])
def test_workers_solve_what_one_process_solves(tmp_path, name, certify, whole, certified):
    reported, events = [], []
    summary = make_table(
        RULES,
        tmp_path / name,
        certify=certify,
        cluster=TWO,
        progress=lambda *each: reported.append(each),
        events=events,
    )
    assert np.array_equal(values(tmp_path / name), certified if certify else whole)
    assert (summary.error is not None) == certify
    assert reported[-1] == (263121, 263121)
    assert len(reported) == N_BLOCKS
    assert [each for each in events if isinstance(each, WorkersChanged)] == [WorkersChanged(2)]
    assert os.listdir(tmp_path) == [name]


def test_what_the_cut_of_the_fines_costs_is_bounded_after_a_clusters_solve(tmp_path):
    rules, levels = named_rules("bell-stakes:1"), []
    for cluster in (None, TWO):
        path = tmp_path / f"{len(levels)}.h5"
        make_table(rules, path, certify=True, cluster=cluster)
        with TableFile(path) as table:
            levels.append(table.header.level_errors)
    assert levels[0] is not None
    assert levels[0] == levels[1]


def test_another_cluster_on_this_machine_is_no_fault(connect):
    """The usual port of Dask's web server is taken then."""
    with socket.socket() as taken:
        with suppress(OSError):  # where another program has it, it is taken too
            taken.bind(("127.0.0.1", 8787))
            taken.listen()
        with REALLY_CONNECTED(Cluster(workers=1, threads=1)) as another:
            assert len(pids(another)) == 1


def test_workers_solve_a_part(tmp_path, whole):
    part = part_of(RULES, 2)
    summary = make_table(RULES, tmp_path / "part", part=part, cluster=TWO)
    assert summary.positions == 12_869
    ranks = [np.arange(block.offset, block.offset + block.size) for block in part.blocks]
    assert np.array_equal(values(tmp_path / "part"), whole[np.concatenate(ranks)])


def pids(connect) -> dict[str, int]:
    client = connect()
    try:
        return client.run(os.getpid)
    finally:
        client.close()


def test_a_worker_that_is_killed_costs_its_block(tmp_path, connect, whole):
    reported = []

    def kill(done, total):
        reported.append(done)
        if len(reported) == 20:
            os.kill(next(iter(pids(connect).values())), signal.SIGKILL)

    make_table(RULES, tmp_path / "table", cluster=TWO, progress=kill)
    assert len(reported) == N_BLOCKS
    assert np.array_equal(values(tmp_path / "table"), whole)


def test_a_block_that_is_damaged_meanwhile_is_solved_again(tmp_path, whole):
    reported = []

    def damage(done, _total):
        reported.append(done)
        if len(reported) == 30:
            # nobody has read it yet: a worker finds out when it does
            path = block_files(tmp_path / "table.h5")[max(block_files(tmp_path / "table.h5"))]
            content = bytearray(path.read_bytes())
            path.unlink()
            content[-1] ^= 1
            path.write_bytes(content)

    make_table(RULES, tmp_path / "table.h5", cluster=TWO, progress=damage)
    assert np.array_equal(values(tmp_path / "table.h5"), whole)


def test_a_driver_that_is_killed_goes_on(tmp_path, whole):
    output = tmp_path / "table.h5"
    command = [sys.executable, "-m", "ur_solver", "solve", "finkel:3", "-o", str(output)]
    command += ["--workers", "1", "--threads", "1"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    while process.poll() is None and len(finished_blocks(output)) < 10:
        time.sleep(0.01)
    workers = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.communicate()
    assert not psutil.wait_procs(workers, timeout=60)[1]
    before = finished_blocks(output)
    found = make_table(RULES, output, cluster=TWO)
    if before and process.returncode != 0:
        assert found.resumed_blocks >= len(before)
    assert np.array_equal(values(output), whole)


def test_a_worker_that_is_too_small_is_said_so(tmp_path):
    with pytest.raises(ClusterError, match=r"the largest block takes .* a worker with more memory"):
        make_table(RULES, tmp_path / "table", cluster=TWO, memory=150 << 20)


def test_without_dask_the_message_names_the_remedy(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"pip install 'ur-solver\[cluster\]'"):
        make_table(RULES, tmp_path / "table", cluster=TWO)


@dataclass(frozen=True)
class Done:
    index: int


@dataclass(frozen=True)
class Nothing:
    """A task that does nothing, or fails as often as it is told."""

    folder: str = ""
    failures: int = 0

    def __call__(self, index, lease):
        if index == 3:
            for number in range(self.failures):
                marker = pathlib.Path(self.folder) / str(number)
                if not marker.exists():
                    marker.touch()
                    raise OutputError("the disk is full")
        return Done(index)


def run(connect, task, count, **options):
    graph = BlockGraph([() if index < 10 else (index - 10,) for index in range(count)], [1] * count)
    reported = []

    def done(result):
        reported.append(result.index)
        graph.finish(result.index)

    ClusterRunner(connect, cost=lambda *_: 1, memory=100, **options).run(graph, task, done)
    return reported


def test_many_blocks_that_do_nothing(connect):
    assert sorted(run(connect, Nothing(), 500)) == list(range(500))


@dataclass(frozen=True)
class PoliciesOf:
    """A task that does nothing and returns whether it may use policies."""

    def __call__(self, index, lease):
        return index, lease.policies


def test_a_block_knows_whether_its_worker_has_room_for_policies(connect):
    graph, found = BlockGraph([(), ()], [1, 1]), {}

    def done(result):
        index, found[index] = result
        graph.finish(index)

    ClusterRunner(
        connect,
        cost=lambda index, most: most - index,
        has_policies=lambda index, cost: cost == 100,
        memory=100,
    ).run(graph, PoliciesOf(), done)
    assert found == {0: True, 1: False}


@dataclass(frozen=True)
class ThreadsOf:
    """A task that does nothing and returns the threads that it was given."""

    def __call__(self, index, lease):
        return lease.threads_now()


def test_a_block_that_is_alone_has_the_idle_threads_of_both_workers(connect):
    for most, expected in ((None, min(2, usable_processors())), (1, 1)):
        graph, reported = BlockGraph([()], [1 << 20]), []

        def done(threads, graph=graph, reported=reported):
            reported.append(threads)
            graph.finish(0)

        runner = ClusterRunner(connect, cost=lambda *_: 1, memory=100, most_threads=most)
        runner.run(graph, ThreadsOf(), done)
        assert reported == [expected]


def test_a_full_disk_is_tried_again_and_then_reported(connect, tmp_path):
    assert sorted(run(connect, Nothing(str(tmp_path), 3), 50)) == list(range(50))
    (tmp_path / "more").mkdir()
    with pytest.raises(OutputError, match="the disk is full"):
        run(connect, Nothing(str(tmp_path / "more"), 99), 50)


@dataclass(frozen=True)
class Missing:
    """A task that does not find the file of block 0, on any worker."""

    def __call__(self, index, lease):
        if index == 10:
            raise DamagedBlockError(0, "block 0 is not there")
        return Done(index)


@dataclass(frozen=True)
class Damaged:
    """A task that finds each of six blocks damaged once."""

    folder: str

    def __call__(self, index, lease):
        for number in range(6) if index == 10 else ():
            marker = pathlib.Path(self.folder) / str(number)
            if not marker.exists():
                marker.touch()
                raise DamagedBlockError(number, f"block {number} is damaged")
        return Done(index)


def test_blocks_that_are_damaged_one_after_the_other_are_solved_again(connect, tmp_path):
    assert set(run(connect, Damaged(str(tmp_path)), 20)) == set(range(20))


def test_a_block_that_is_always_missing_ends_the_solve(connect):
    with pytest.raises(ClusterError, match=r"block 10 failed 5 times; .*block 0 is not there"):
        run(connect, Missing(), 20)


def test_a_worker_that_does_not_see_the_folder_is_refused(connect, tmp_path):
    with pytest.raises(ClusterError, match="does not see the folder"):
        run(connect, Nothing(), 5, folder=str(tmp_path / "elsewhere"), patience=1.0)


def folder_of(path: pathlib.Path, word: str = "finkel:3", version: int | None = None) -> str:
    """A folder as a solve of a rule set begins it."""
    path.mkdir()
    head = json.loads(Job(named_rules(word), 1e-12).to_bytes())
    (path / "solve.json").write_text(json.dumps(head | ({"version": version} if version else {})))
    return str(path)


def test_a_worker_that_sees_another_rule_set_in_the_folder_is_refused(
    connect, tmp_path, monkeypatch
):
    """As on a machine where something else is mounted under the same path."""
    folder = folder_of(tmp_path / "a", "masters:2")
    own = Job(named_rules("finkel:3"), 1e-12).to_bytes()
    monkeypatch.setattr(runner, "_head_of", lambda _folder: own)  # in this process
    said = r"sees another solve in the folder '.*': masters with 2 pieces, tolerance 1e-12"
    with pytest.raises(ClusterError, match=said):
        run(connect, Nothing(), 5, folder=folder, patience=1.0)


@pytest.mark.parametrize(
    ("word", "version", "said"),
    [
        ("masters:2", None, "is of masters with 2 pieces; remove"),
        (
            "finkel:3",
            4,
            "is of version 4, this program reads 5 to 7; remove",
        ),
    ],
)
def test_a_folder_of_another_rule_set_or_version_is_refused(tmp_path, word, version, said):
    folder = folder_of(tmp_path / "table", word, version)
    with pytest.raises(CheckpointError, match=said):
        make_table(RULES, pathlib.Path(folder), cluster=TWO)


def pretend(source: str | None) -> None:
    """Runs on a worker, which says from then on that its program has another source."""
    from ur_solver.engine import cluster_runner, program

    said = program.source_digest if source is None else lambda _rules: source
    cluster_runner.source_digest = said


@contextmanager
def of_another_program(connect, count: int):
    """Make `count` workers appear to have another program, of the same version."""
    client = connect()
    chosen = list(client.run(os.getpid))[:count]
    client.run(pretend, "0123", workers=chosen)
    try:
        yield chosen
    finally:
        client.run(pretend, None, workers=chosen)
        client.close()


def test_workers_of_another_program_are_refused_by_name(connect):
    with of_another_program(connect, 2) as chosen:
        said = f"worker can be used: .*{chosen[0]} has another program: .* of source 0123, not "
        with pytest.raises(ClusterError, match=said):
            run(connect, Nothing(), 5, patience=1.0)
    assert len(run(connect, Nothing(), 5)) == 5


def test_a_worker_of_another_program_is_given_nothing(connect, tmp_path, whole, caplog):
    output = tmp_path / "table"
    with of_another_program(connect, 1) as chosen:
        events = []
        make_table(RULES, output, cluster=TWO, events=events)
    assert WorkersChanged(1) in events
    assert WorkersChanged(2) not in events
    assert f"worker {chosen[0]} has another program: " in caplog.text
    assert "it is given nothing" in caplog.text
    assert np.array_equal(values(output), whole)


def test_a_worker_that_does_not_answer_keeps_nobody(connect, monkeypatch):
    """As one whose folder hangs."""
    monkeypatch.setattr(runner, "_PROMPT", 0.5)
    stopped = next(iter(pids(connect).values()))
    os.kill(stopped, signal.SIGSTOP)
    try:
        assert len(run(connect, Nothing(), 5)) == 5
    finally:
        os.kill(stopped, signal.SIGCONT)


def name_version(version: str) -> None:
    """Runs on a worker, which calls its version so."""
    from ur_solver.engine import cluster_runner

    cluster_runner.program_version = lambda: version


def test_the_same_program_is_used_whatever_its_version_is_called(connect):
    """A shallow clone calls itself dev1, a full one of the same commit dev1142."""
    client = connect()
    client.run(name_version, "1.0.1.dev1")
    try:
        assert len(run(connect, Nothing(), 5)) == 5
    finally:
        client.run(name_version, program_version())
        client.close()


def test_a_scheduler_that_is_not_there_is_said_so():
    def connect():
        raise OSError("connection refused")

    with pytest.raises(ClusterError, match="no scheduler answers: connection refused"):
        run(connect, Nothing(), 5, patience=0.0)
