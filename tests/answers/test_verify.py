from __future__ import annotations

import dataclasses
import shutil

import h5py
import hdf5plugin  # noqa: F401 - needed to read the file
import numpy as np
import pytest

from tests.meaningless import write_meaningless
from tests.solving import make_table
from ur_solver.answers.verify import verify_table
from ur_solver.blocks.stored import checksum
from ur_solver.errors import DamagedTableError
from ur_solver.kernel.kernels import RaceKernel
from ur_solver.rules import named_rules
from ur_solver.table.format import digest
from ur_solver.table.reader import TableFile

RULES = named_rules("finkel:2")


def forge(path, change, **claims) -> None:
    """Change a table's datasets and header, and adapt its checksums and digest to them."""
    with TableFile(path) as table:
        header = table.header
    with h5py.File(path, "r+") as file:
        blocks, values, checksums = (
            file["blocks"][()],
            file["values"][()],
            file["checksums"][()],
        )
        length = file["values"].chunks[0]
        change(blocks, values, length)
        claims = {"residual": float(blocks["residual"].max())} | claims
        header = dataclasses.replace(header, **claims)
        for block in blocks:
            for at in range(0, block["size"], length):
                first = block["first_chunk"] * length + at
                part = values[first : first + min(length, block["size"] - at)]
                checksums[first // length] = checksum(part)
        file["blocks"][()], file["values"][()], file["checksums"][()] = blocks, values, checksums
        for name, value in claims.items():
            file.attrs[name] = value
        whole = digest(header.attributes(), blocks, checksums, int(file.attrs["version"]))
        file.attrs["digest"] = np.bytes_(whole)


@pytest.fixture
def copy(finkel2, tmp_path):
    return shutil.copy(finkel2, tmp_path / "forged.h5")


def test_a_solved_table_is_right(finkel2):
    calls = []
    with TableFile(finkel2) as table:
        found = verify_table(table, sample=200, progress=lambda *done: calls.append(done))
    assert (found.positions, found.blocks, found.sampled) == (12869, 28, 200)
    assert found.residual < 1e-12
    assert calls[-1] == (12869, 12869)


@pytest.mark.parametrize("value_type", ["float32", "uint16"])
@pytest.mark.parametrize("name", ["finkel:1", "blitz:1", "masters-games:1"])
def test_rounded_tables_are_right(tmp_path, name, value_type):
    make_table(named_rules(name), tmp_path / "table.h5", value_type=value_type)
    with TableFile(tmp_path / "table.h5") as table:
        verify_table(table, sample=50)


@pytest.mark.parametrize("rank", [0, 20, 4000, 12868])
def test_a_value_changed_by_1e_9_is_found_and_named(copy, rank):
    with TableFile(copy) as table:
        space = table.space
        block = next(b for b in space.blocks if b.offset <= rank < b.offset + b.size)

    def change(blocks, values, length):
        at = blocks[block.index]["first_chunk"] * length + rank - block.offset
        values[at] += 1e-9 if values[at] < 0.5 else -1e-9

    forge(copy, change)
    with TableFile(copy) as table, pytest.raises(DamagedTableError) as caught:
        verify_table(table)
    # The largest residual is at the position itself or at one that leads to it. Those are in its
    # block or, where the block's own residual is not clearly too large, in a later one.
    assert f"block {block.index}," in str(caught.value)
    named = str(caught.value).split("'")[3]
    assert named == space.unrank(rank).notation


def test_a_value_that_is_no_probability_is_found(copy):
    for wrong in (np.nan, 1.5, -0.5):
        forge(copy, lambda _blocks, values, _length, wrong=wrong: values.__setitem__(0, wrong))
        with TableFile(copy) as table, pytest.raises(DamagedTableError, match="not a probability"):
            verify_table(table)


@pytest.mark.parametrize("word", ["skiriuk:1", "ben:1", "bell:2", "birds:2"])
def test_a_value_changed_by_1e_9_is_found_in_other_families(solved, tmp_path, word):
    path = shutil.copy(solved(named_rules(word)), tmp_path / "forged.h5")
    with TableFile(path) as table:
        space = table.space
        rank = space.n_values // 3
        block = next(b for b in space.blocks if b.offset <= rank < b.offset + b.size)

    def change(blocks, values, length):
        values[blocks[block.index]["first_chunk"] * length + rank - block.offset] += 1e-9

    forge(path, change)
    with TableFile(path) as table, pytest.raises(DamagedTableError) as caught:
        verify_table(table)
    assert f"block {block.index}," in str(caught.value)
    # A position whose only move leads to this one has the same residual, so either may be named.
    named = space.rank(space.rules.position(str(caught.value).split("'")[3]))
    assert block.offset <= named < block.offset + block.size


def test_a_value_changed_by_1e_9_behind_the_checksums_names_block_and_position(copy):
    with h5py.File(copy, "r+") as file:
        file["values"][0] -= 1e-9
    with TableFile(copy) as table:
        first = table.space.unrank(0).notation
        with pytest.raises(DamagedTableError, match="checksum") as caught:
            verify_table(table)
    assert f"in block 0, from position {first!r} on" in str(caught.value)


def test_a_residual_that_is_not_the_largest_of_the_blocks_is_found(copy):
    forge(copy, lambda *_datasets: None, residual=1e-15)
    with (
        TableFile(copy) as table,
        pytest.raises(DamagedTableError, match="the table records 1e-15"),
    ):
        verify_table(table)


def test_a_residual_above_the_tolerance_is_found(copy):
    def change(blocks, _values, _length):
        blocks["residual"][3] = 0.5

    forge(copy, change, residual=0.5)
    with TableFile(copy) as table, pytest.raises(DamagedTableError, match=r"block 3.*tolerance"):
        verify_table(table)


def test_meaningless_values_are_found(tmp_path):
    path = tmp_path / "hashes.h5"
    write_meaningless(path, RULES)
    with TableFile(path) as table, pytest.raises(DamagedTableError, match="block 0"):
        verify_table(table)


def test_the_readable_sample_finds_what_the_kernel_misses(copy, monkeypatch):
    # A fault of the kernel must be found by the sample, which does not use the kernel.
    forge(copy, lambda _blocks, values, _length: np.multiply(values, 0.9, out=values))
    monkeypatch.setattr(RaceKernel, "block_residual", lambda *_arguments: 0.0)
    with TableFile(copy) as table, pytest.raises(DamagedTableError, match="readable rules"):
        verify_table(table, sample=5)
