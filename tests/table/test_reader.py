from __future__ import annotations

import multiprocessing
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.meaningless import write_meaningless
from tests.solving import is_present, make_table
from ur_solver.answers.inventory import Kept, Kind, remove_kept
from ur_solver.blocks.folder import BlockFolder, Job
from ur_solver.blocks.stored import VALUE_TYPES
from ur_solver.errors import MissingTableError, NotATableError, OutputError, TableInUseError
from ur_solver.rules import named_rules
from ur_solver.table.reader import TableFile

RULES = named_rules("finkel:2")


@pytest.fixture(scope="module", params=list(VALUE_TYPES))
def stored(request, tmp_path_factory):
    """A meaningless table of each value type, and the values that must be read from it."""
    path = tmp_path_factory.mktemp("tables") / "hashes.h5"
    values = write_meaningless(path, RULES, request.param)
    expected = {
        "float64": values,
        "float32": values.astype(np.float32).astype(np.float64),
        "uint16": np.rint(values * 65535) / 65535,
    }[request.param]
    assert np.abs(expected - values).max() <= VALUE_TYPES[request.param].rounding
    return path, expected


def test_every_value_is_read_back(stored):
    path, expected = stored
    with TableFile(path) as table:
        assert [table.read_one(rank) for rank in range(len(expected))] == expected.tolist()


def test_many_values_by_chunks_and_from_memory_are_the_same(stored):
    path, expected = stored
    ranks = np.random.default_rng(0).integers(0, len(expected), 5)
    with TableFile(path) as table:
        assert np.array_equal(table.read_many(ranks), expected[ranks])
        assert table._flat is None, "a few values do not load the table"
        everything = np.arange(len(expected))[::-1].reshape(-1, 1)
        assert np.array_equal(table.read_many(everything), expected[everything])
        assert table._flat is not None
        assert table.read_one(int(ranks[0])) == expected[ranks[0]]


def test_without_room_in_memory_many_values_are_read_by_chunks(stored, monkeypatch):
    path, expected = stored
    monkeypatch.setattr("ur_solver.table.reader.has_room", lambda *_: False)
    with TableFile(path) as table:
        ranks = np.random.default_rng(1).permutation(len(expected))
        assert np.array_equal(table.read_many(ranks), expected[ranks])
        assert table._flat is None


def test_without_room_for_all_chunks_as_many_are_kept_as_there_is_room_for(stored, monkeypatch):
    path, expected = stored
    monkeypatch.setattr("ur_solver.table.reader.has_room", lambda *_: False)
    monkeypatch.setattr("ur_solver.table.reader.CACHED_CHUNKS", 1)
    with TableFile(path) as table:
        reads = []
        source, read = table._source, table._source.read
        monkeypatch.setattr(source, "read", lambda *each: reads.append(each[0]) or read(*each))
        monkeypatch.setattr("ur_solver.table.reader.free_memory", lambda: 1)
        ranks = np.arange(len(expected))
        for _ in range(2):
            assert np.array_equal(table.read_many(ranks), expected[ranks])
        assert sorted(reads) == sorted([*range(table.n_chunks)] * 2), "one chunk is too few"
        monkeypatch.setattr("ur_solver.table.reader.free_memory", lambda: 1 << 30)
        for _ in range(3):
            assert np.array_equal(table.read_many(ranks), expected[ranks])
        assert sorted(reads) == sorted([*range(table.n_chunks)] * 3)


def test_blocks_are_read_in_rank_order(stored):
    path, expected = stored
    with TableFile(path) as table:
        blocks = [table.read_block(index) for index in range(len(table.blocks))]
        assert np.array_equal(np.concatenate(blocks), expected)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 12868), max_size=50))
def test_any_ranks_in_any_order(ranks):
    table = _shared_table()
    expected = [table.read_one(rank) for rank in ranks]
    assert table.read_many(np.array(ranks, dtype=np.int64)).tolist() == expected


_TABLES: list[TableFile] = []


@pytest.fixture(autouse=True, scope="module")
def _make_shared_table(tmp_path_factory):
    path = tmp_path_factory.mktemp("shared") / "hashes.h5"
    write_meaningless(path, RULES)
    _TABLES.append(TableFile(path))
    yield
    _TABLES.pop().close()


def _shared_table() -> TableFile:
    return _TABLES[0]


@pytest.mark.parametrize("rank", [-1, 12869, 1 << 60])
def test_ranks_out_of_range_are_refused(rank):
    table = _shared_table()
    with pytest.raises(IndexError, match="0 to 12868"):
        table.read_one(rank)
    with pytest.raises(IndexError, match="0 to 12868"):
        table.read_many(np.array([0, rank]))


def test_ranks_must_be_whole_and_blocks_must_exist():
    with pytest.raises(IndexError, match="float64"):
        _shared_table().read_many(np.array([0.5]))
    with pytest.raises(IndexError, match="block 28"):
        _shared_table().read_block(28)


def test_no_ranks_give_no_values():
    assert _shared_table().read_many([]).shape == (0,)


def test_the_header_holds_what_was_written(stored):
    path, _ = stored
    with TableFile(path) as table:
        header = table.header
        assert header.rules == RULES
        assert header.positions == 12869
        assert header.seconds == 2.5
        assert header.residual == 27 * 1e-15
        assert header.tolerance == 1e-12 + VALUE_TYPES[header.value_type].rounding
        assert table.blocks["sweeps"].tolist() == list(range(28))


def test_threads_read_the_right_values(stored):
    path, expected = stored
    with TableFile(path) as table, ThreadPoolExecutor(8) as pool:

        def read(seed: int) -> bool:
            ranks = np.random.default_rng(seed).integers(0, len(expected), 300)
            ones = [table.read_one(rank) for rank in ranks.tolist()]
            return ones == expected[ranks].tolist() == table.read_many(ranks).tolist()

        assert all(pool.map(read, range(40)))


def _read_in_child(ranks: list[int]) -> list[float]:
    table = _shared_table()
    return [*map(table.read_one, ranks), *table.read_many(np.arange(12869))[ranks].tolist()]


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="no fork on this system"
)
def test_forked_processes_read_the_right_values():
    table = _shared_table()
    table.read_one(0)
    groups = [np.random.default_rng(seed).integers(0, 12869, 200).tolist() for seed in range(8)]
    with table._lock, warnings.catch_warnings():
        # The lock is held during the fork, as if another thread held it.
        warnings.simplefilter("ignore", DeprecationWarning)  # about forking with threads
        pool = multiprocessing.get_context("fork").Pool(3)
    with pool:
        answers = pool.map(_read_in_child, groups)
    for ranks, answer in zip(groups, answers, strict=True):
        assert answer == 2 * [table.read_one(rank) for rank in ranks]


def test_a_missing_file_names_the_command_that_makes_one(tmp_path: pathlib.Path):
    with pytest.raises(MissingTableError, match="'ur tables' lists"):
        TableFile(tmp_path / "nothing.h5")


def test_a_folder_is_not_a_table(tmp_path: pathlib.Path):
    with pytest.raises(NotATableError):
        TableFile(tmp_path)


def test_a_table_is_opened_while_its_writer_still_holds_its_lock(finkel2):
    fcntl = pytest.importorskip("fcntl", reason="locks of Unix")
    with open(finkel2, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with TableFile(finkel2) as table:
            assert 0.0 < table.read_one(0) < 1.0


WRITER = """
import sys, h5py
file = h5py.File(sys.argv[1], sys.argv[2], libver=sys.argv[3])
file.attrs["title"] = "mine"
print(flush=True)
input()
"""


@pytest.mark.parametrize("mode", ["r+", "w"])
@pytest.mark.parametrize("version", ["earliest", "latest"])
def test_a_table_that_another_program_writes_is_in_use(finkel2, tmp_path, mode, version):
    pytest.importorskip("fcntl", reason="locks of Unix")
    path = tmp_path / "finkel-2.h5"
    shutil.copy(finkel2, path)
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), mode, version],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    writer.stdout.readline()
    try:
        if (mode, version) != ("r+", "earliest"):  # which leaves a table that can be read
            with pytest.raises(TableInUseError, match="is in use: another program is writing"):
                TableFile(path)
            kept = Kept.of(path)
            assert kept.kind is Kind.IN_USE
            with pytest.raises(OutputError, match="is in use"):
                remove_kept(kept)
            with pytest.raises(TableInUseError):
                is_present(path, named_rules("finkel:2"))
    finally:
        writer.communicate(b"\n")
    if mode == "r+":
        with TableFile(path) as table:
            assert table.read_one(0)


def test_a_folder_that_a_solve_writes_is_in_use(tmp_path):
    rules = named_rules("finkel:1")
    with (
        BlockFolder(tmp_path / "folder", Job(rules, 1e-12)),
        pytest.raises(TableInUseError, match="is in use: a solve is writing to it"),
    ):
        TableFile(tmp_path / "folder")


@pytest.mark.parametrize("kind", ["pipe", "socket", "device"])
def test_what_is_no_file_is_refused_at_once(tmp_path, kind):
    path = tmp_path / "finkel-2.h5"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(os.path.relpath(path))
    else:
        path.symlink_to("/dev/zero")
    with pytest.raises(NotATableError, match="is a pipe or a device, not a solution table"):
        TableFile(path)
    with pytest.raises(OutputError, match="is not a table; name another file"):
        is_present(path, named_rules("finkel:2"))
    with pytest.raises(OutputError, match="name another output"):
        make_table(named_rules("finkel:2"), path, force=True)
    assert [path] == list(tmp_path.iterdir())
