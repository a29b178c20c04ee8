"""Folders of blocks: resuming from them, and which files are refused."""

from __future__ import annotations

import dataclasses
import errno
import fcntl
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys

import numpy as np
import pytest

from tests.checkpoints import block_files, finished_blocks
from tests.meaningless import hash_results
from tests.solving import make_table, solve
from ur_solver.blocks import lock
from ur_solver.blocks.folder import RECORD, BlockFolder, BlockResult, Job
from ur_solver.blocks.lock import HEAD, LOCK, MANIFEST, checkpoint_folder
from ur_solver.errors import CheckpointError, OutputError
from ur_solver.rules import named_rules
from ur_solver.solving.execution import Resumed
from ur_solver.space import space_of
from ur_solver.table.reader import TableFile

RULES = named_rules("finkel:2").settled()
TOLERANCE = 1e-12
RESULTS = list(hash_results(RULES))


@pytest.fixture
def output(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / "table.h5"


def folder(output: pathlib.Path) -> pathlib.Path:
    return output.with_name("table.h5.blocks")


def opened(output: pathlib.Path, rules=RULES, tolerance=TOLERANCE, certify=False) -> BlockFolder:
    return BlockFolder(checkpoint_folder(output), Job(rules, tolerance, certify))


def save(checkpoint: BlockFolder, result: BlockResult) -> None:
    checkpoint.note(checkpoint.files.write(result.record, result.values))


def read(checkpoint: BlockFolder) -> list[BlockResult]:
    return [
        BlockResult(each, checkpoint.files.values_of(each.index)) for each in checkpoint.finished()
    ]


def fill(output: pathlib.Path, results=RESULTS) -> None:
    with opened(output) as checkpoint:
        for result in results:
            save(checkpoint, result)


def found(output: pathlib.Path):
    with opened(output) as checkpoint:
        return read(checkpoint)


def assert_same(one, other) -> None:
    assert one.record == other.record
    assert np.array_equal(one.values, other.values)


def test_blocks_come_back_as_they_were_saved(output):
    fill(output, RESULTS[::3])
    again = found(output)
    assert [each.record for each in again] == [each.record for each in RESULTS[::3]]
    for one, other in zip(again, RESULTS[::3], strict=True):
        assert_same(one, other)


def test_nothing_is_there_at_first_and_after_remove(output):
    with opened(output) as checkpoint:
        assert read(checkpoint) == []
        save(checkpoint, RESULTS[0])
        checkpoint.remove()
    assert not folder(output).exists()
    assert found(output) == []


def test_a_resumed_solve_is_the_uninterrupted_one(output, tmp_path):
    # bit for bit with one thread, as a block's sweeps read only itself and final values
    whole = tmp_path / "whole.h5"
    make_table(RULES, whole, threads=1)
    for after in (1, 9, 27):
        reported = 0

        def interrupt(_done, _total, after=after):
            nonlocal reported
            reported += 1
            if reported == after:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            make_table(RULES, output, threads=1, progress=interrupt)
        assert not output.exists()
        # the block whose progress was reported is being written or has been written
        kept = len(finished_blocks(output))
        assert after - 1 <= kept <= after
        events = []
        summary = make_table(RULES, output, threads=1, events=events)
        assert summary.resumed_blocks == kept
        notes = [each for each in events if isinstance(each, Resumed)]
        assert notes == ([Resumed(kept, 28)] if kept else [])
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
        opened(output, named_rules(word).settled(), tolerance).__enter__()
    assert len(found(output)) == 1  # nothing was lost, and the lock is free


def test_the_same_game_by_another_name_goes_on(output):
    fill(output, RESULTS[:1])
    with opened(output, named_rules("british-museum:2").settled()) as checkpoint:
        assert len(read(checkpoint)) == 1


@pytest.mark.parametrize(
    "content",
    [
        *("", "{", "[]", "3", "null", "{}", "[" * 100_000, '{"version": 5}'),
        '{"version": 5, "rules": {"name": "x"}, "tolerance": 1e-12, "certify": false}',
        '{"version": 5, "rules": "no", "tolerance": 1e-12, "certify": false}',
    ],
)
def test_an_unreadable_head_is_said_so(output, content):
    fill(output, RESULTS[:1])
    (folder(output) / "solve.json").write_text(content)
    with pytest.raises(CheckpointError, match=r"solve.json' cannot be read; remove"):
        found(output)


@pytest.mark.parametrize("version", [0, 4, 8, "5", None])
def test_another_version_is_named_whatever_else_it_holds(output, version):
    fill(output, RESULTS[:1])
    head = {"version": version, "game": "of a later format"}
    (folder(output) / "solve.json").write_text(json.dumps(head))
    with pytest.raises(CheckpointError, match=rf"is of version {version!r}, this program reads 5"):
        found(output)


@pytest.mark.parametrize(("name", "version"), [("birds", 6), ("finkel", 7)])
def test_blocks_whose_positions_had_other_numbers_are_refused(output, name, version):
    birds = named_rules(name, 1).settled()
    with opened(output, birds):
        pass
    head = folder(output) / "solve.json"
    head.write_text(head.read_text().replace(f'"version": {version}', '"version": 5'))
    said = f"is of version 5, this program reads {version} for {name}; remove"
    with pytest.raises(CheckpointError, match=said), opened(output, birds):
        pass


@pytest.mark.parametrize("name", ["blocks.bin", "000"])
def test_blocks_without_a_head_are_nobodys(output, name):
    fill(output, RESULTS[:1])
    (folder(output) / "solve.json").unlink()
    if name != "000":
        (folder(output) / "000").rename(folder(output) / name)
    with pytest.raises(CheckpointError, match=r"solve.json' is missing; remove"):
        found(output)
    assert (folder(output) / name).exists()


def test_a_head_that_was_not_finished_is_written_again(output):
    folder(output).mkdir()
    (folder(output) / ".0a1b2c.part").write_text("{")
    fill(output, RESULTS[:1])
    assert len(found(output)) == 1


def test_blocks_of_another_solve_are_solved_again(output):
    other = named_rules("finkel-3dice:2").settled()
    with opened(output.with_name("other.h5"), other) as checkpoint:
        save(checkpoint, RESULTS[1])
        assert len(read(checkpoint)) == 1
    fill(output, RESULTS[:1])
    block_files(output.with_name("other.h5"))[1].rename(folder(output) / "000" / "000001.block")
    assert [each.record.index for each in found(output)] == [0]


def test_a_block_that_is_not_in_the_manifest_yet_counts(output):
    # its solve was killed between the two
    fill(output, RESULTS[:3])
    (folder(output) / "manifest.bin").write_bytes(b"")
    assert [each.record.index for each in found(output)] == [0, 1, 2]


def test_a_file_other_than_the_manifest_names_is_solved_again(output):
    # other blocks have read the one that the manifest names
    fill(output, RESULTS[:3])
    block_files(output)[1].unlink()
    with opened(output) as checkpoint:
        checkpoint.files.write(
            dataclasses.replace(RESULTS[1].record, seconds=9.0), RESULTS[1].values
        )
    assert [each.record.index for each in found(output)] == [0, 2]
    assert sorted(block_files(output)) == [0, 2]


def test_the_first_whole_file_of_a_block_stays(output):
    record, values = RESULTS[5]
    other = BlockResult(dataclasses.replace(record, seconds=9.0), 1 - values)
    fill(output, [RESULTS[5], other])
    (again,) = found(output)
    assert_same(again, RESULTS[5])


def test_the_first_whole_file_stays_where_there_are_no_hard_links(output, monkeypatch):
    def refuse(_source, _target):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    test_the_first_whole_file_of_a_block_stays(output)


@pytest.mark.parametrize("error", [errno.EACCES, errno.ESTALE])
def test_a_block_that_cannot_be_opened_is_kept(output, monkeypatch, error):
    fill(output, RESULTS[:3])
    open_file = pathlib.Path.open

    def refuse(path, *arguments, **named):
        if path.name == "000001.block":
            raise OSError(error, os.strerror(error))
        return open_file(path, *arguments, **named)

    with monkeypatch.context() as patched:
        patched.setattr(pathlib.Path, "open", refuse)
        with pytest.raises(OutputError, match=r"cannot read block 1, .*000001\.block"):
            found(output)
    assert len(found(output)) == 3


def test_a_file_that_is_no_block_gives_way(output):
    fill(output, [RESULTS[5]])
    block_files(output)[5].write_bytes(b"half of it")
    fill(output, [RESULTS[5]])
    (again,) = found(output)
    assert_same(again, RESULTS[5])


def test_what_a_killed_solve_left_half_written_goes(output):
    fill(output, RESULTS[:1])
    part = folder(output) / "000" / ".000003.block.host-1-0.part"
    part.write_bytes(b"half")
    assert len(found(output)) == 1
    assert not part.exists()


def test_a_block_has_its_name_once_all_of_it_is_synced(output, monkeypatch):
    synced = []
    sync = os.fsync
    with opened(output) as checkpoint:

        def look(file: int) -> None:
            sync(file)
            synced.append((os.fstat(file).st_size, sorted(block_files(output))))

        monkeypatch.setattr(os, "fsync", look)
        save(checkpoint, RESULTS[5])
        save(checkpoint, RESULTS[3])
        sizes = [block_files(output)[index].stat().st_size for index in (5, 3)]
    assert synced == [(sizes[0], []), (sizes[1], [5])]


def test_values_that_do_not_lie_together(output):
    spread = np.repeat(RESULTS[20].values, 2)[::2]
    assert not spread.flags.c_contiguous
    fill(output, [RESULTS[20]._replace(values=spread)])
    (again,) = found(output)
    assert_same(again, RESULTS[20])


def rewrite(output: pathlib.Path, index: int, change) -> bool:
    """Change the file of a block; returns whether it still counts as finished."""
    path = block_files(output)[index]
    whole = path.read_bytes()
    content = bytearray(whole)
    change(content)
    path.write_bytes(content)
    again = {each.record.index: each for each in found(output)}
    assert index in again or not path.exists()
    path.write_bytes(whole)
    for each in again.values():
        assert_same(each, RESULTS[each.record.index])
    return index in again


def values_of(index: int) -> slice:
    """The place of a block's values in its file."""
    size = 8 * len(RESULTS[index].values)
    chunks = -(-len(RESULTS[index].values) // 2048)  # the largest block has 1,960 values
    first = -(-(RECORD.itemsize + 4 * chunks) // 64) * 64
    return slice(first, first + size)


def test_torn_blocks_are_solved_again(output):
    fill(output)
    for index in (5, 27):
        assert rewrite(output, index, lambda content: None)
        end = values_of(index).stop
        assert block_files(output)[index].stat().st_size == end
        for cut in (0, 1, RECORD.itemsize, values_of(index).start, end - 1):

            def tear(content: bytearray, cut=cut) -> None:
                del content[cut:]

            assert not rewrite(output, index, tear)
        assert not rewrite(output, index, lambda content: content.extend(b"more"))


def test_foreign_blocks_are_solved_again(output):
    fill(output)
    one, other = block_files(output)[7], block_files(output)[8]
    assert len(RESULTS[7].values) == len(RESULTS[8].values)
    content = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(content)
    assert {each.record.index for each in found(output)} == set(range(len(RESULTS))) - {7, 8}
    size = values_of(20).stop - values_of(20).start
    for by in (os.urandom(size), bytes(size)):

        def replace(content: bytearray, by=by) -> None:
            content[values_of(20)] = by

        assert not rewrite(output, 20, replace)


def test_no_flipped_bit_is_taken_for_a_value(output):
    fill(output, RESULTS[:4])
    dice = np.random.default_rng(1)
    for index in (0, 1):
        length = RECORD.itemsize + 4
        places = [*range(length), *range(values_of(index).start, values_of(index).stop)]
        for at in places:

            def flip(content: bytearray, at=at) -> None:
                content[at] ^= 1 << int(dice.integers(8))

            assert not rewrite(output, index, flip)


def test_certified_blocks_and_others_are_not_taken_for_each_other(output):
    record, values = RESULTS[1]
    certified = BlockResult(dataclasses.replace(record, error=3e-13), values)
    with opened(output, certify=True) as checkpoint:
        save(checkpoint, RESULTS[0])
        save(checkpoint, certified)
        assert [(each.record.index, each.record.error) for each in read(checkpoint)] == [(1, 3e-13)]
    with pytest.raises(CheckpointError, match="of blocks that are certified; remove"):
        found(output)


def test_what_is_no_file_of_a_block_is_none(output):
    fill(output)
    block_files(output)[1].unlink()
    (folder(output) / "000" / "000001.block").mkdir()
    with opened(output) as checkpoint:
        assert 1 not in [each.record.index for each in read(checkpoint)]
        with pytest.raises(OutputError, match=r"cannot write block 1 .*Is a directory"):
            save(checkpoint, RESULTS[1])


def test_blocks_that_go_away_are_solved_again(output):
    fill(output)
    with opened(output) as checkpoint:
        blocks = checkpoint.finished()
        assert next(blocks).index == 0
        for path in block_files(output).values():
            path.unlink()
        assert list(blocks) == []


def test_a_damaged_block_is_solved_again(output):
    expected = solve(space_of(RULES), tolerance=TOLERANCE, threads=1)
    with pytest.raises(KeyboardInterrupt):
        make_table(RULES, output, threads=1, progress=_interrupt_at(10_000))
    kept = finished_blocks(output)
    largest = max(kept, key=lambda index: len(RESULTS[index].values))
    content = bytearray(block_files(output)[largest].read_bytes())
    content[(values_of(largest).start + values_of(largest).stop) // 2] ^= 16
    block_files(output)[largest].write_bytes(content)
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
from tests.blocks.test_folder import opened
with opened(pathlib.Path(sys.argv[1])):
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
        opened(output),
        pytest.raises(OutputError, match="another solve is writing"),
    ):
        found(output)


def test_a_folder_is_held_until_it_is_gone(output, monkeypatch):
    fill(output, RESULTS[:3])
    refused = []
    unlink = pathlib.Path.unlink

    def look(path, **named):
        if path.name in (MANIFEST, HEAD):
            with pytest.raises((OutputError, CheckpointError)):
                found(output)
            refused.append(path.name)
        unlink(path, **named)

    with opened(output) as checkpoint:
        monkeypatch.setattr(pathlib.Path, "unlink", look)
        checkpoint.remove()
    assert sorted(refused) == sorted([MANIFEST, HEAD])
    assert not folder(output).exists()


def test_a_folder_goes_where_an_open_file_stays(output, monkeypatch):
    fill(output, RESULTS[:3])
    unlink, release = pathlib.Path.unlink, BlockFolder._release

    def rename(path, **named):  # as NFS does
        path.rename(path.with_name(".nfs1")) if path.name == LOCK else unlink(path, **named)

    def close(checkpoint):
        release(checkpoint)
        if (left := checkpoint.folder / ".nfs1").exists():
            unlink(left)

    with opened(output) as checkpoint:
        monkeypatch.setattr(pathlib.Path, "unlink", rename)
        monkeypatch.setattr(BlockFolder, "_release", close)
        checkpoint.remove()
    assert not folder(output).exists()


def test_a_look_at_the_lock_does_not_refuse_a_solve(output, monkeypatch):
    fill(output, RESULTS[:1])
    with opened(output):
        pass
    handle = os.open(folder(output) / LOCK, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_SH)  # as `is_held` does
    flock, tries = fcntl.flock, []

    def look(file, operation):
        tries.append(file)
        if len(tries) == 2:
            os.close(handle)
        flock(file, operation)

    monkeypatch.setattr(lock, "_PATIENCE", 60.0)
    monkeypatch.setattr(fcntl, "flock", look)
    assert len(found(output)) == 1
    assert len(tries) >= 2


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
    with opened(output) as checkpoint:
        save(checkpoint, RESULTS[0])
        shutil.rmtree(folder(output))
        with pytest.raises(OutputError, match=r"cannot write block 1 .*No such file"):
            save(checkpoint, RESULTS[1])


FULL = """
import pathlib, resource, signal, sys
from tests.blocks.test_folder import RESULTS, opened, read, save
from ur_solver.errors import OutputError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
output = pathlib.Path(sys.argv[1])
with opened(output) as checkpoint:
    save(checkpoint, RESULTS[0])
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
    try:
        save(checkpoint, RESULTS[-1])
    except OutputError as error:
        print(error)
    print([each.index for each in checkpoint.finished()])
resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
try:
    with opened(output.with_name("other.h5")):
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
    assert first.endswith(f"{full}")
    assert second == "[0]"
    assert third.startswith("cannot write ")
    assert third.endswith(f"solve.json': {full}")
