from __future__ import annotations

import dataclasses
import os
import zlib

import h5py
import hdf5plugin  # noqa: F401 - as any reader of the file has to
import numpy as np
import pytest

from tests.meaningless import hash_results, hash_values, write_meaningless
from ur_solver import __version__
from ur_solver.errors import OutputError
from ur_solver.rules import RuleSet, named_rules
from ur_solver.space import space_of
from ur_solver.table import Table, TableWriter, write_table
from ur_solver.table.format import CHUNK_LENGTH, chunk_length_for

RULES = named_rules("finkel:2")


def test_the_file_is_as_specified_to_plain_h5py(tmp_path):
    path = tmp_path / "hashes.h5"
    values = write_meaningless(path, RULES)
    with h5py.File(path) as file:
        assert set(file) == {"blocks", "checksums", "values"}
        assert set(file.attrs) == {
            *("format", "version", "rules", "value_type", "tolerance", "residual", "error"),
            *("positions", "seconds", "made", "program", "digest"),
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


def test_uint16_holds_65535_times_the_value(tmp_path):
    path = tmp_path / "hashes.h5"
    values = write_meaningless(path, RULES, "uint16")
    with Table(path) as table:
        assert np.array_equal(table.load(), np.rint(values * 65535).astype(np.uint16))


def test_chunks_are_no_larger_than_the_largest_block_needs():
    assert chunk_length_for(space_of(named_rules("finkel:1"))) == 256
    assert chunk_length_for(space_of(named_rules("finkel:7"))) == CHUNK_LENGTH


def test_blocks_may_come_in_any_order(tmp_path):
    path = tmp_path / "hashes.h5"
    results = list(hash_results(RULES))[::-1]
    write_table(path, RULES, results, tolerance=1e-12, seconds=1)
    with Table(path) as table:
        assert np.array_equal(table.load(), hash_values(12869))


def test_a_block_too_few_leaves_nothing_behind(tmp_path):
    results = list(hash_results(RULES))[:-1]
    with pytest.raises(ValueError, match="1 blocks are missing, the first of them 27"):
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
    with Table(path) as table:
        assert table.header.positions == 12869
    assert list(tmp_path.iterdir()) == [path]


def _first():
    return next(hash_results(RULES))


@pytest.mark.parametrize(
    ("result", "fault"),
    [
        (dataclasses.replace(_first(), index=28), "block 28"),
        (dataclasses.replace(_first(), index=-1), "block -1"),
        (dataclasses.replace(_first(), values=np.zeros(3)), "expected"),
        (dataclasses.replace(_first(), values=_first().values * np.nan), "not in"),
        (dataclasses.replace(_first(), values=_first().values + 1.5), "not in"),
        (dataclasses.replace(_first(), values=-_first().values - 1), "not in"),
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
        with pytest.raises(ValueError, match="block 0 is there already"):
            writer.add(_first())


def test_a_folder_that_is_not_there_is_an_output_error(tmp_path):
    with pytest.raises(OutputError, match="No such file"):
        TableWriter(tmp_path / "nowhere" / "table.h5", RULES, tolerance=1e-12)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_folder_that_cannot_be_written_is_an_output_error(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match="Permission"):
        TableWriter(tmp_path / "table.h5", RULES, tolerance=1e-12)
