"""Checkpoints: going on, and what is not taken for one."""

from __future__ import annotations

import errno
import json
import os
import pathlib
import resource
import subprocess
import sys

import numpy as np
import pytest

from tests.meaningless import hash_results
from ur_solver.errors import CheckpointError, OutputError
from ur_solver.make import make_table
from ur_solver.rules import named_rules
from ur_solver.solve import Checkpoint, solve
from ur_solver.table import Table

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
        # the block whose progress was told is on its way to the disk, or there
        kept = len(list(folder(output).glob("block-*.npz")))
        assert after - 1 <= kept <= after
        notes = []
        summary = make_table(
            RULES, output, threads=1, on_resume=lambda *n, notes=notes: notes.append(n)
        )
        assert summary.resumed_blocks == kept
        assert notes == ([(kept, 28)] if kept else [])
        assert not folder(output).exists()
        with Table(whole) as one, Table(output) as other:
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
        *("", "{", "[]", "3", "null", "{}", "[" * 100_000, '{"version": 2}'),
        '{"version": 2, "rules": {"name": "x"}, "tolerance": 1e-12, "certify": false}',
        '{"version": 2, "rules": "no", "tolerance": 1e-12, "certify": false}',
    ],
)
def test_an_unreadable_head_is_said_so(output, content):
    fill(output, RESULTS[:1])
    (folder(output) / "solve.json").write_text(content)
    with pytest.raises(CheckpointError, match=r"solve.json' cannot be read; remove"):
        found(output)


@pytest.mark.parametrize("version", [0, 1, 3, "2", None])
def test_another_version_is_named_whatever_else_it_holds(output, version):
    fill(output, RESULTS[:1])
    head = {"version": version, "game": "of a later format"}
    (folder(output) / "solve.json").write_text(json.dumps(head))
    with pytest.raises(CheckpointError, match=rf"is of version {version!r}, this program reads 2"):
        found(output)


def test_blocks_without_a_head_are_nobodys(output):
    fill(output, RESULTS[:1])
    (folder(output) / "solve.json").unlink()
    with pytest.raises(CheckpointError, match=r"solve.json' is missing; remove"):
        found(output)


def block_file(output: pathlib.Path, index: int) -> pathlib.Path:
    return folder(output) / f"block-{index:05d}.npz"


def test_torn_and_foreign_blocks_are_solved_again(output):
    fill(output)
    whole = block_file(output, 5).read_bytes()
    for cut in (0, 1, 100, len(whole) // 2, len(whole) - 1):
        block_file(output, 5).write_bytes(whole[:cut])
        assert [each.index for each in found(output)] == [*range(5), *range(6, 28)]
    block_file(output, 5).write_bytes(whole + b"more")  # zips may be followed by a comment
    block_file(output, 6).write_bytes(os.urandom(1000))
    block_file(output, 7).write_bytes(block_file(output, 8).read_bytes())  # of the same size
    np.savez(block_file(output, 9), values=RESULTS[9].values)
    np.savez(block_file(output, 10), values=RESULTS[10].values.astype(np.float32), index=10,
             residual=0, sweeps=1, seconds=1)  # fmt: skip
    block_file(output, 11).with_suffix(".part").write_bytes(b"not finished")
    block_file(output, 12).unlink()
    block_file(output, 12).mkdir()
    indices = {each.index for each in found(output)}
    assert indices >= {0, 1, 2, 3, 4, 8, 11, *range(13, 28)}
    assert not indices & {6, 7, 9, 10, 12}


def test_no_flipped_bit_is_taken_for_a_value(output):
    fill(output, RESULTS[:1])
    path = block_file(output, 0)
    whole = path.read_bytes()
    assert len(found(output)) == 1
    dice = np.random.default_rng(1)
    n_seen = 0
    with Checkpoint(output, RULES, TOLERANCE) as checkpoint:
        for at in range(len(whole)):
            flipped = bytearray(whole)
            flipped[at] ^= 1 << int(dice.integers(8))
            path.write_bytes(flipped)
            for result in checkpoint.finished():
                assert_same(result, RESULTS[0])  # a flip in a time stamp is harmless
                n_seen += 1
    assert n_seen < 0.4 * len(whole)


def test_a_damaged_block_is_solved_again(output):
    expected = solve(Checkpoint(output, RULES, TOLERANCE).space, tolerance=TOLERANCE, threads=1)
    with pytest.raises(KeyboardInterrupt):
        make_table(RULES, output, threads=1, progress=_interrupt_at(10_000))
    kept = sorted(folder(output).glob("block-*.npz"))
    largest = max(kept, key=lambda path: path.stat().st_size)
    content = bytearray(largest.read_bytes())
    content[len(content) // 2] ^= 16
    largest.write_bytes(content)
    summary = make_table(RULES, output, threads=1)
    assert summary.resumed_blocks == len(kept) - 1
    with Table(output) as table:
        assert np.array_equal(table.load(), expected)


def _interrupt_at(positions: int):
    def progress(done: int, _total: int) -> None:
        if done >= positions:
            raise KeyboardInterrupt

    return progress


HOLD = """
import pathlib, sys
from ur_solver.rules import named_rules
from ur_solver.solve import Checkpoint
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
from tests.solve.test_checkpoint import RESULTS, RULES, TOLERANCE
from ur_solver.errors import OutputError
from ur_solver.solve import Checkpoint
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
