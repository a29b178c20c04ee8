"""Blocks in files instead of memory: the same values, and what becomes of damage meanwhile."""

from __future__ import annotations

import pathlib
import time

import numpy as np
import pytest

from tests.checkpoints import block_files
from tests.meaningless import hash_results
from tests.solving import solve as solved
from ur_solver.blocks.folder import BlockFolder, Job
from ur_solver.engine import store as module
from ur_solver.engine.runners import Allowance, ThreadRunner
from ur_solver.engine.solve import solve
from ur_solver.engine.store import FileStore, MemoryStore
from ur_solver.errors import DamagedBlockError, OutputError
from ur_solver.kernel.kernels import kernel_of
from ur_solver.rules import named_rules
from ur_solver.space import space_of

RULES = named_rules("finkel:2").settled()
SPACE = space_of(RULES)
RESULTS = list(hash_results(RULES))


@pytest.fixture
def folder(tmp_path):
    with BlockFolder(tmp_path / "table.h5.blocks", Job(RULES, 1e-12)) as folder:
        yield folder


@pytest.mark.parametrize("most_kept", [0, 5000, 50_000, None])
@pytest.mark.parametrize("most_unwritten", [0, 10_000])
def test_values_come_back_from_memory_and_files(folder, most_kept, most_unwritten):
    with FileStore(folder.files, most_kept=most_kept, most_unwritten=most_unwritten) as store:
        assert store.values_of(0) is None
        for result in RESULTS:
            store.put(result)
            assert np.array_equal(store.values_of(result.record.index), result.values)
        store.wait()
        for result in RESULTS:
            values = store.values_of(result.record.index)
            assert np.array_equal(values, result.values)
            assert not values.flags.writeable or values is result.values
        in_memory = sum(
            result.values.nbytes
            for result in RESULTS
            if store.values_of(result.record.index) is result.values
        )
        whole = sum(each.values.nbytes for each in RESULTS)
        assert in_memory == whole if most_kept is None else in_memory <= most_kept
        for result in RESULTS:
            store.drop(result.record.index)
            assert np.array_equal(store.values_of(result.record.index), result.values)
    assert [each.index for each in folder.finished()] == list(range(len(RESULTS)))


def test_dropped_values_make_room(folder):
    with FileStore(folder.files, most_kept=RESULTS[1].values.nbytes, most_unwritten=0) as store:
        store.put(RESULTS[1])
        store.put(RESULTS[2])
        assert store.values_of(2) is not RESULTS[2].values
        store.drop(1)
        store.put(RESULTS[3])
        assert store.values_of(3) is RESULTS[3].values


def test_few_blocks_that_wait_for_the_table_keep_their_files_open(folder, monkeypatch):
    monkeypatch.setattr(module, "_MOST_WAITING", 4)
    for result in RESULTS:
        folder.note(folder.files.write(*result))
    n_mapped, taken = [], []

    def take(result):
        time.sleep(0.01)  # so that others wait
        maps = pathlib.Path("/proc/self/maps").read_text().splitlines()
        n_mapped.append(sum(str(folder.folder) in each for each in maps))
        taken.append(result.record.index)

    with FileStore(folder.files, most_unwritten=1 << 20, take_on=take) as store:
        for record in folder.finished():
            store.take_back(record)
        store.wait()
    assert taken == list(range(len(RESULTS)))
    assert 1 <= max(n_mapped) <= 7  # four that wait, one that is taken on and two in these loops


def test_a_block_that_cannot_be_written_is_heard_of(folder):
    folder.files.folder.rename(folder.folder.with_name("elsewhere"))
    with FileStore(folder.files, most_unwritten=0) as store:
        store.put(RESULTS[1])
        with pytest.raises(OutputError, match="cannot write block 1 to"):
            store.wait()


@pytest.mark.parametrize("threads", [1, 3])
def test_a_solve_that_keeps_nothing_is_one_that_keeps_all(folder, threads):
    expected = solved(SPACE, tolerance=1e-12, threads=1)
    with FileStore(folder.files, most_kept=0, most_unwritten=0) as store:
        solve(SPACE, tolerance=1e-12, runner=ThreadRunner(threads), store=store)
        store.wait()
        found = np.concatenate([store.values_of(block.index) for block in SPACE.blocks])
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("cut", [None, 0, 100])
def test_a_block_that_is_damaged_meanwhile_is_solved_again(folder, threads, cut):
    expected = solved(SPACE, tolerance=1e-12, threads=1)
    reported = []

    def damage(record):
        reported.append(record.index)
        if reported.count(record.index) == 1 and record.index in (4, 17):
            store.wait()
            path = block_files(folder.folder.with_name("table.h5"))[record.index]
            content = bytearray(path.read_bytes())
            content[-3] ^= 8
            path.unlink()
            if cut is None or cut:
                path.write_bytes(content[:cut])

    with FileStore(folder.files, most_kept=0, most_unwritten=0) as store:
        solve(SPACE, tolerance=1e-12, runner=ThreadRunner(threads), store=store, on_block=damage)
        store.wait()
        found = np.concatenate([store.values_of(block.index) for block in SPACE.blocks])
    assert np.array_equal(found, expected)
    assert sorted(reported) == sorted([*range(len(SPACE.blocks)), 4, 17])


def test_a_file_that_is_changed_after_it_was_read_is_found_out(folder):
    with FileStore(folder.files, most_kept=0, most_unwritten=0) as store:
        store.put(RESULTS[9])
        store.wait()
        assert np.array_equal(store.values_of(9), RESULTS[9].values)
        path = folder.files.path(9)
        content = bytearray(path.read_bytes())
        content[-1] ^= 1
        path.unlink()
        path.write_bytes(content)
        with pytest.raises(DamagedBlockError, match="is damaged"):
            store.values_of(9)


def test_damage_is_said_in_a_sentence(folder):
    with FileStore(folder.files, most_kept=0, most_unwritten=0) as store:
        store.put(RESULTS[9])
        store.wait()
        path = folder.files.path(9)
        path.write_bytes(path.read_bytes()[:-1])
        for read in (store.values_of, folder.files.row, folder.files.chunks_of):
            with pytest.raises(DamagedBlockError, match=r"09\.block' is damaged, or of .* again$"):
                read(9)
        store.lose(9)
        for read in (store.values_of, folder.files.row, folder.files.chunks_of):
            with pytest.raises(DamagedBlockError, match=r"000009\.block' is not there"):
                read(9)


def test_blocks_in_work_stay_within_their_allowance():
    in_work, most = {}, []
    costs = [7 * (index % 5) + 1 for index in range(len(SPACE.blocks))]
    values = solved(SPACE, tolerance=1e-12, threads=1)

    class Watch:
        def __init__(self, kernel):
            self._kernel = kernel

        def __getattr__(self, name):
            return getattr(self._kernel, name)

        def lay_out(self, block, *arguments, **named):
            in_work[block.index] = costs[block.index]
            most.append(sum(in_work.values()))
            return self._kernel.lay_out(block, *arguments, **named)

    store = MemoryStore()
    start = float("nan")

    def done(record):
        nonlocal start
        del in_work[record.index]
        start = store.values_of(record.index)[-1]

    solve(
        SPACE,
        tolerance=1e-12,
        kernel=Watch(kernel_of(SPACE)),
        runner=ThreadRunner(4, Allowance(30, costs.__getitem__)),
        store=store,
        on_block=done,
    )
    assert max(most) <= 30
    assert abs(start - values[-1]) < 1e-12
