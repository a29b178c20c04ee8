from __future__ import annotations

import dataclasses
import errno
import os
import stat
import subprocess
import sys
import zlib

import h5py
import hdf5plugin  # noqa: F401 - needed to read the file
import numpy as np
import pytest

from tests.meaningless import hash_results, hash_values, write_meaningless
from tests.solving import make_table
from ur_solver import __version__
from ur_solver.blocks.stored import CHUNK_LENGTH, chunk_length_for
from ur_solver.errors import OutputError
from ur_solver.rules import RuleSet, named_rules
from ur_solver.solving.execution import certify_table
from ur_solver.space import space_of
from ur_solver.table.reader import TableFile
from ur_solver.table.writer import TableWriter, write_table

RULES = named_rules("finkel:2")


def test_the_file_is_as_specified_to_plain_h5py(tmp_path):
    path = tmp_path / "hashes.h5"
    values = write_meaningless(path, RULES)
    with h5py.File(path) as file:
        assert set(file) == {"blocks", "checksums", "values"}
        assert set(file.attrs) == {
            *("format", "version", "rules", "value_type", "tolerance", "residual", "error"),
            *("positions", "seconds", "made", "program", "digest", "description"),
        }
        assert file.attrs["format"] == b"ur-solver table"
        assert file.attrs["program"] == __version__.encode()
        assert RuleSet.from_json(file.attrs["rules"].decode()) == RULES
        length = file["values"].chunks[0]
        blocks = file["blocks"][()]
        assert [name for name, _ in blocks.dtype.descr] == [
            *("index", "mine", "theirs", "first_rank", "size", "first_chunk"),
            *("residual", "sweeps", "seconds", "error"),
        ]
        for block in blocks:
            start = block["first_chunk"] * length
            expected = values[block["first_rank"] :][: block["size"]]
            assert np.array_equal(file["values"][start : start + block["size"]], expected)
            assert file["checksums"][block["first_chunk"]] == zlib.crc32(
                expected[:length].tobytes()
            )


@pytest.mark.parametrize("value_type", ["float64", "uint16"])
def test_the_bare_file_says_how_to_read_it(tmp_path, value_type):
    """By its attributes alone, with none of this program's constants, every value is found."""
    path = tmp_path / "hashes.h5"
    values = write_meaningless(path, RULES, value_type)
    with h5py.File(path) as file:
        stored, blocks = file["values"], file["blocks"][()]
        scale, length = stored.attrs["scale"], stored.attrs["chunk_length"]
        found = np.full(len(values), np.nan)
        for block in blocks:
            first = block["first_chunk"] * length
            ranks = slice(block["first_rank"], block["first_rank"] + block["size"])
            found[ranks] = scale * stored[first : first + block["size"]]
        assert abs(found - values).max() <= file.attrs["tolerance"]
        for thing in (file, *file.values()):
            text = thing.attrs["description"].decode()
            assert text.endswith(".")
        for word in ("scale", "chunk_length", "first_rank", "first_chunk", "side about to throw"):
            assert word in stored.attrs["description"].decode()


def test_a_certificate_keeps_the_descriptions(tmp_path):
    path = tmp_path / "table.h5"
    make_table(named_rules("finkel:1"), path)
    with h5py.File(path) as file:
        before = {name: file[name].attrs["description"] for name in ("/", *file)}
    with TableFile(path) as table:
        certify_table(table)
    with h5py.File(path) as file:
        assert {name: file[name].attrs["description"] for name in ("/", *file)} == before


def test_uint16_holds_65535_times_the_value(tmp_path):
    path = tmp_path / "hashes.h5"
    values = write_meaningless(path, RULES, "uint16")
    with TableFile(path) as table:
        assert np.array_equal(table.load(), np.rint(values * 65535).astype(np.uint16))


def test_chunks_are_no_larger_than_the_largest_block_needs():
    assert chunk_length_for(space_of(named_rules("finkel:1"))) == 256
    assert chunk_length_for(space_of(named_rules("finkel:7"))) == CHUNK_LENGTH


def test_blocks_may_come_in_any_order(tmp_path):
    path = tmp_path / "hashes.h5"
    results = list(hash_results(RULES))[::-1]
    write_table(path, RULES, results, tolerance=1e-12, seconds=1)
    with TableFile(path) as table:
        assert np.array_equal(table.load(), hash_values(12869))


def test_a_block_too_few_leaves_nothing_behind(tmp_path):
    results = list(hash_results(RULES))[:-1]
    with pytest.raises(ValueError, match="1 block is missing, the first of them 27"):
        write_table(tmp_path / "hashes.h5", RULES, results, tolerance=1e-12, seconds=1)
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_write_leaves_nothing_behind_and_an_old_table_alone(tmp_path):
    path = tmp_path / "hashes.h5"
    write_meaningless(path, RULES)
    before = path.read_bytes()

    def results():
        yield next(hash_results(RULES))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_table(path, RULES, results(), tolerance=1e-12, seconds=1)
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == before


def test_a_finished_table_replaces_an_old_one(tmp_path):
    path = tmp_path / "table.h5"
    path.write_text("something else")
    write_meaningless(path, RULES)
    with TableFile(path) as table:
        assert table.header.positions == 12869
    assert list(tmp_path.iterdir()) == [path]


def _first():
    return next(hash_results(RULES))


def _numbered(index):
    first = _first()
    return first._replace(record=dataclasses.replace(first.record, index=index))


@pytest.mark.parametrize(
    ("result", "fault"),
    [
        (_numbered(28), "block 28"),
        (_numbered(-1), "block -1"),
        (_first()._replace(values=np.zeros(3)), "expected"),
        (_first()._replace(values=_first().values * np.nan), "not a probability"),
        (_first()._replace(values=_first().values + 1.5), "not a probability"),
        (_first()._replace(values=-_first().values - 1), "not a probability"),
    ],
)
def test_what_is_no_block_is_refused(tmp_path, result, fault):
    with (
        TableWriter(tmp_path / "table.h5", RULES, tolerance=1e-12) as writer,
        pytest.raises(ValueError, match=fault),
    ):
        writer.add(result)


def test_a_block_is_written_once(tmp_path):
    with TableWriter(tmp_path / "table.h5", RULES, tolerance=1e-12) as writer:
        writer.add(_first())
        with pytest.raises(ValueError, match="block 0 has been added already"):
            writer.add(_first())


def test_a_folder_that_is_not_there_is_an_output_error(tmp_path):
    with pytest.raises(OutputError, match="No such file"):
        TableWriter(tmp_path / "nowhere" / "table.h5", RULES, tolerance=1e-12)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_folder_that_cannot_be_written_is_an_output_error(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match="Permission"):
        TableWriter(tmp_path / "table.h5", RULES, tolerance=1e-12)


def test_two_writers_of_one_table_are_kept_apart(tmp_path):
    path = tmp_path / "hashes.h5"
    results = list(hash_results(RULES))
    with TableWriter(path, RULES, tolerance=1e-12) as writer:
        for result in results[:14]:
            writer.add(result)
        with pytest.raises(OutputError, match="another process is writing it"):
            TableWriter(path, RULES, tolerance=1e-12)
        for result in results[14:]:
            writer.add(result)
        writer.finish(seconds=1)
    with TableFile(path) as table:
        assert np.array_equal(table.load(), hash_values(12869))
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_hdf5_does_not_open_leaves_nothing_behind(tmp_path, monkeypatch):
    def refuse(*_arguments, **_named):
        raise OSError(errno.ENOMEM, "Cannot allocate memory")

    path = tmp_path / "hashes.h5"
    with monkeypatch.context() as patched:
        patched.setattr(h5py, "File", refuse)
        with pytest.raises(OutputError, match="Cannot allocate memory"):
            TableWriter(path, RULES, tolerance=1e-12)
    assert list(tmp_path.iterdir()) == []
    with TableWriter(path, RULES, tolerance=1e-12):
        pass


def test_a_replaced_table_keeps_its_permissions(tmp_path):
    path = tmp_path / "hashes.h5"
    write_meaningless(path, RULES)
    path.chmod(0o640)
    write_meaningless(path, RULES)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


FULL = """
import pathlib, resource, signal, sys
from tests.meaningless import write_meaningless
from ur_solver.errors import OutputError
from ur_solver.rules import named_rules
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
path = pathlib.Path(sys.argv[1])
for size in map(int, sys.argv[2:]):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    try:
        write_meaningless(path, named_rules("finkel:2"))
    except OutputError as error:
        print(error)
    assert not any(path.parent.iterdir())
"""


@pytest.mark.skipif(os.name == "nt", reason="no limit on file sizes on Windows")
def test_a_full_disk_is_an_output_error_and_the_process_ends_well(tmp_path):
    # HDF5 by itself crashes at the end of a process in which it could not flush a file.
    sizes = [0, 1, 1000, 20_000, 60_000, 100_000]
    result = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path / "table.h5"), *map(str, sizes)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
    fault = f"cannot write table {str(tmp_path / 'table.h5')!r}: {os.strerror(errno.EFBIG)}"
    assert result.stdout.splitlines() == [fault] * len(sizes)
