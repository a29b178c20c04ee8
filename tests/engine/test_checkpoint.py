"""Checkpoints: resuming from them, and which files are refused."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import pathlib
import resource
import subprocess
import sys

import numpy as np
import pytest

from tests.checkpoints import block_file, finished_blocks
from tests.meaningless import hash_results
from tests.solving import solve
from ur_solver.engine import Checkpoint
from ur_solver.engine.checkpoint import RECORD
from ur_solver.errors import CheckpointError, OutputError
from ur_solver.make import make_table
from ur_solver.rules import named_rules
from ur_solver.table import TableFile

RULES = named_rules("finkel:2")
TOLERANCE = 1e-12
RESULTS = list(hash_results(RULES))


@pytest.fixture
def output(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / "table.h5"


def folder(output: pathlib.Path) -> pathlib.Path:
    return output.with_name("table.h5.blocks")


def fill(output: pathlib.Path, results=RESULTS) -> None:
    with Checkpoint(output, RULES, TOLERANCE) as checkpoint:
        for result in results:
            checkpoint.save(result)


def found(output: pathlib.Path):
    with Checkpoint(output, RULES, TOLERANCE) as checkpoint:
        return list(checkpoint.finished())


def assert_same(one, other) -> None:
    assert (one.index, one.residual, one.sweeps, one.seconds) == (
        *(other.index, other.residual, other.sweeps, other.seconds),
    )
    assert np.array_equal(one.values, other.values)


def test_blocks_come_back_as_they_were_saved(output):
    fill(output, RESULTS[::3])
    again = found(output)
    assert [each.index for each in again] == [each.index for each in RESULTS[::3]]
    for one, other in zip(again, RESULTS[::3], strict=True):
        assert_same(one, other)


def test_nothing_is_there_at_first_and_after_remove(output):
    with Checkpoint(output, RULES, TOLERANCE) as checkpoint:
        assert list(checkpoint.finished()) == []
        checkpoint.save(RESULTS[0])
        checkpoint.remove()
    assert not folder(output).exists()
    assert found(output) == []


def test_a_resumed_solve_is_the_uninterrupted_one(output, tmp_path):
    # bit for bit with one thread, as a block's sweeps read only itself and final values
    whole = tmp_path / "whole.h5"
    make_table(RULES, whole, threads=1)
    for after in (1, 9, 27):
        told = 0

        def interrupt(_done, _total, after=after):
            nonlocal told
            told += 1
            if told == after:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            make_table(RULES, output, threads=1, progress=interrupt)
        assert not output.exists()
        # the block whose progress was reported is being written or has been written
        kept = len(finished_blocks(output, RULES))
        assert after - 1 <= kept <= after
        notes = []
        summary = make_table(
            RULES, output, threads=1, on_resume=lambda *n, notes=notes: notes.append(n)
        )
        assert summary.resumed_blocks == kept
        assert notes == ([(kept, 28)] if kept else [])
        assert not folder(output).exists()
        with TableFile(whole) as one, TableFile(output) as other:
            assert np.array_equal(one.load(), other.load())
            for name in ("residual", "sweeps"):
                assert np.array_equal(one.blocks[name], other.blocks[name])
        output.unlink()


@pytest.mark.parametrize(
    ("word", "tolerance", "fault"),
    [
        ("finkel:3", TOLERANCE, "is of finkel with 2 pieces"),
        ("blitz:2", TOLERANCE, "is of finkel with 2 pieces"),
        ("finkel:2", 1e-9, "is of tolerance 1e-12, not 1e-09"),
    ],
)
def test_another_solve_is_named(output, word, tolerance, fault):
    fill(output, RESULTS[:1])
    with pytest.raises(CheckpointError, match=f"{fault}; remove .*table.h5.blocks"):
        Checkpoint(output, named_rules(word), tolerance).__enter__()
    assert len(found(output)) == 1  # nothing was lost, and the lock is free


def test_the_same_game_by_another_name_goes_on(output):
    fill(output, RESULTS[:1])
    with Checkpoint(output, named_rules("british-museum:2"), TOLERANCE) as checkpoint:
        assert len(list(checkpoint.finished())) == 1


@pytest.mark.parametrize(
    "content",
    [
        *("", "{", "[]", "3", "null", "{}", "[" * 100_000, '{"version": 3}'),
        '{"version": 3, "rules": {"name": "x"}, "tolerance": 1e-12, "certify": false}',
        '{"version": 3, "rules": "no", "tolerance": 1e-12, "certify": false}',
    ],
)
def test_an_unreadable_head_is_said_so(output, content):
    fill(output, RESULTS[:1])
    (folder(output) / "solve.json").write_text(content)
    with pytest.raises(CheckpointError, match=r"solve.json' cannot be read; remove"):
        found(output)


@pytest.mark.parametrize("version", [0, 2, 4, "3", None])
def test_another_version_is_named_whatever_else_it_holds(output, version):
    fill(output, RESULTS[:1])
    head = {"version": version, "game": "of a later format"}
    (folder(output) / "solve.json").write_text(json.dumps(head))
    with pytest.raises(CheckpointError, match=rf"is of version {version!r}, this program reads 3"):
        found(output)


@pytest.mark.parametrize("name", ["blocks.bin", "block-00001.npz"])
def test_blocks_without_a_head_are_nobodys(output, name):
    fill(output, RESULTS[:1])
    (folder(output) / "solve.json").unlink()
    block_file(output).rename(folder(output) / name)
    with pytest.raises(CheckpointError, match=r"solve.json' is missing; remove"):
        found(output)
    assert (folder(output) / name).exists()


def test_a_head_that_was_not_finished_is_written_again(output):
    folder(output).mkdir()
    (folder(output) / "solve.part").write_text("{")
    fill(output, RESULTS[:1])
    assert len(found(output)) == 1


def test_blocks_of_another_solve_are_solved_again(output):
    other = named_rules("finkel-3dice:2")
    with Checkpoint(output, other, TOLERANCE) as checkpoint:
        checkpoint.save(RESULTS[1])
        assert len(list(checkpoint.finished())) == 1
    (folder(output) / "solve.json").unlink()
    block_file(output).rename(output.with_name("blocks.bin"))
    with Checkpoint(output, RULES, TOLERANCE) as checkpoint:
        output.with_name("blocks.bin").rename(block_file(output))
        assert list(checkpoint.finished()) == []


def test_a_block_is_synced_when_all_of_it_is_written(output, monkeypatch):
    synced = []
    sync = os.fsync
    with Checkpoint(output, RULES, TOLERANCE) as checkpoint:

        def look(file: int) -> None:
            synced.append([each.index for each in checkpoint.finished()])
            sync(file)

        monkeypatch.setattr(os, "fsync", look)
        checkpoint.save(RESULTS[5])
        checkpoint.save(RESULTS[3])
    assert synced == [[5], [3, 5]]


def test_values_that_do_not_lie_together(output):
    spread = np.repeat(RESULTS[20].values, 2)[::2]
    assert not spread.flags.c_contiguous
    fill(output, [dataclasses.replace(RESULTS[20], values=spread)])
    (again,) = found(output)
    assert_same(again, RESULTS[20])


def rewrite(output: pathlib.Path, change) -> set[int]:
    """Change the file of blocks; returns the blocks that still count as finished."""
    whole = block_file(output).read_bytes()
    content = bytearray(whole)
    change(content)
    block_file(output).write_bytes(content)
    try:
        again = found(output)
    finally:
        block_file(output).write_bytes(whole)
    for each in again:
        assert_same(each, RESULTS[each.index])
    return {each.index for each in again}


def values_of(index: int) -> slice:
    """The place of a block's values in the file."""
    first = len(RESULTS) * RECORD.itemsize + 8 * sum(len(each.values) for each in RESULTS[:index])
    return slice(first, first + 8 * len(RESULTS[index].values))


def record_of(index: int) -> slice:
    return slice(index * RECORD.itemsize, (index + 1) * RECORD.itemsize)


def replaced(at: slice, by: bytes):
    def change(content: bytearray) -> None:
        content[at] = by

    return change


def test_torn_blocks_are_solved_again(output):
    fill(output)
    everything = set(range(len(RESULTS)))

    def kept(cut: int) -> set[int]:
        return rewrite(output, replaced(slice(cut, None), b""))

    assert rewrite(output, lambda content: None) == everything
    for block in (5, 27):
        assert kept(values_of(block).start) == kept(values_of(block).stop - 1) == set(range(block))
    for cut in (0, 1, RECORD.itemsize, record_of(27).start):
        assert kept(cut) == set()
    assert rewrite(output, lambda content: content.extend(b"more")) == everything
    assert len(block_file(output).read_bytes()) == values_of(27).stop


def test_foreign_blocks_are_solved_again(output):
    fill(output)

    def swap(one: slice, other: slice):
        def change(content: bytearray) -> None:
            content[one], content[other] = content[other], content[one]

        return change

    others = set(range(len(RESULTS))) - {7, 8}  # of the same size
    assert len(RESULTS[7].values) == len(RESULTS[8].values)
    assert rewrite(output, swap(values_of(7), values_of(8))) == others
    assert rewrite(output, swap(record_of(7), record_of(8))) == others

    def swap_all(content: bytearray) -> None:
        swap(values_of(7), values_of(8))(content)
        swap(record_of(7), record_of(8))(content)

    assert rewrite(output, swap_all) == others
    everything = set(range(len(RESULTS)))
    size = len(RESULTS[20].values) * 8
    assert rewrite(output, replaced(values_of(20), os.urandom(size))) == everything - {20}
    assert rewrite(output, replaced(values_of(20), bytes(size))) == everything - {20}
    assert rewrite(output, replaced(record_of(20), bytes(RECORD.itemsize))) == everything - {20}


def test_no_flipped_bit_is_taken_for_a_value(output):
    fill(output, RESULTS[:10])
    dice = np.random.default_rng(1)
    expected = set(range(10))
    for index in (0, 3, 9):
        for where in (record_of(index), values_of(index)):
            for at in range(where.start, where.stop):

                def flip(content: bytearray, at=at) -> None:
                    content[at] ^= 1 << int(dice.integers(8))

                assert rewrite(output, flip) == expected - {index}


def test_certified_blocks_and_others_are_not_taken_for_each_other(output):
    fill(output, RESULTS[:3])
    with Checkpoint(output, RULES, TOLERANCE) as checkpoint:
        checkpoint.certify = True
        assert list(checkpoint.finished()) == []
        checkpoint.save(dataclasses.replace(RESULTS[1], error=3e-13))
        assert [(each.index, each.error) for each in checkpoint.finished()] == [(1, 3e-13)]


def test_what_is_no_file_of_blocks_holds_none(output):
    fill(output)
    block_file(output).unlink()
    block_file(output).mkdir()
    with Checkpoint(output, RULES, TOLERANCE) as checkpoint:
        assert list(checkpoint.finished()) == []
        with pytest.raises(OutputError, match=r"cannot write block 1 .*Is a directory"):
            checkpoint.save(RESULTS[1])


def test_blocks_that_cannot_be_written_are_an_output_error(output):
    fill(output)
    block_file(output).unlink()
    block_file(output).symlink_to(output.parent / "nowhere" / "blocks.bin")
    with pytest.raises(OutputError, match=r"cannot write the checkpoint .*No such file"):
        found(output)


def test_blocks_that_go_away_are_solved_again(output):
    fill(output)
    with Checkpoint(output, RULES, TOLERANCE) as checkpoint:
        blocks = checkpoint.finished()
        assert next(blocks).index == 0
        block_file(output).unlink()
        assert list(blocks) == []


def test_a_damaged_block_is_solved_again(output):
    expected = solve(Checkpoint(output, RULES, TOLERANCE).space, tolerance=TOLERANCE, threads=1)
    with pytest.raises(KeyboardInterrupt):
        make_table(RULES, output, threads=1, progress=_interrupt_at(10_000))
    kept = finished_blocks(output, RULES)
    largest = max(kept, key=lambda index: len(RESULTS[index].values))
    content = bytearray(block_file(output).read_bytes())
    content[(values_of(largest).start + values_of(largest).stop) // 2] ^= 16
    block_file(output).write_bytes(content)
    summary = make_table(RULES, output, threads=1)
    assert summary.resumed_blocks == len(kept) - 1
    with TableFile(output) as table:
        assert np.array_equal(table.load(), expected)


def _interrupt_at(positions: int):
    def progress(done: int, _total: int) -> None:
        if done >= positions:
            raise KeyboardInterrupt

    return progress


HOLD = """
import pathlib, sys
from ur_solver.rules import named_rules
from ur_solver.engine import Checkpoint
with Checkpoint(pathlib.Path(sys.argv[1]), named_rules("finkel:2"), 1e-12):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_another_process_that_holds_it_is_heard_of(output):
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(output)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "held\n"
        with pytest.raises(OutputError, match=r"another solve is writing to .*table.h5.blocks"):
            found(output)
        with pytest.raises(OutputError, match="another solve is writing"):
            make_table(RULES, output)
        process.kill()  # a lock does not outlive its process
        process.wait()
    assert found(output) == []


def test_the_same_process_twice_is_two_solves_too(output):
    with (
        Checkpoint(output, RULES, TOLERANCE),
        pytest.raises(OutputError, match="another solve is writing"),
    ):
        found(output)


def test_a_file_in_the_way_is_an_output_error(output):
    folder(output).write_text("in the way")
    with pytest.raises(OutputError, match=r"cannot write the checkpoint .*File exists"):
        found(output)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_an_output_error(output, tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match="Permission denied"):
        found(output)


def test_a_folder_that_goes_away_is_an_output_error(output):
    with Checkpoint(output, RULES, TOLERANCE) as checkpoint:
        checkpoint.save(RESULTS[0])
        for path in folder(output).iterdir():
            path.unlink()
        folder(output).rmdir()
        with pytest.raises(OutputError, match=r"cannot write block 1 .*No such file"):
            checkpoint.save(RESULTS[1])


FULL = """
import pathlib, resource, signal, sys
from tests.engine.test_checkpoint import RESULTS, RULES, TOLERANCE
from ur_solver.errors import OutputError
from ur_solver.engine import Checkpoint
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
output = pathlib.Path(sys.argv[1])
with Checkpoint(output, RULES, TOLERANCE) as checkpoint:
    checkpoint.save(RESULTS[0])
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
    try:
        checkpoint.save(RESULTS[-1])
    except OutputError as error:
        print(error)
    print([each.index for each in checkpoint.finished()])
resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
try:
    with Checkpoint(output.with_name("other.h5"), RULES, TOLERANCE):
        pass
except OutputError as error:
    print(error)
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="no limit on file sizes here")
def test_a_full_disk_is_an_output_error(output):
    result = subprocess.run(
        [sys.executable, "-c", FULL, str(output)], capture_output=True, text=True, check=True
    )
    full = os.strerror(errno.EFBIG)
    first, second, third = result.stdout.splitlines()
    assert first.startswith("cannot write block 27 to ")
    assert first.endswith(f"{full}; the blocks before it are kept")
    assert second == "[0]"
    assert third.startswith("cannot write ")
    assert third.endswith(f"solve.json': {full}")
