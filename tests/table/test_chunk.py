"""Chunks encoded here are read by the HDF5 library's own filters, and the other way round."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress

import h5py
import hdf5plugin
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ur_solver.table.hdf5 import compressed, decode, encode

pytestmark = pytest.mark.memory

DTYPES = ("<f8", "<f4", "<u2")
LENGTHS = (1, 7, 8, 100, 1024, 1031, 1 << 15)


def some_numbers(length: int, dtype: str):
    """Numbers of which the high bytes can be compressed and the low ones cannot."""
    values = np.sin(np.arange(length) / 100) / 2 + 0.5
    return (values * 65535 if dtype == "<u2" else values).astype(dtype)


def write_ours(path, numbers, length) -> None:
    with h5py.File(path, "w") as file:
        options = compressed(numbers.itemsize)
        found = file.create_dataset(
            "values", numbers.shape, numbers.dtype, chunks=(length,), fletcher32=True, **options
        )
        for at in range(0, len(numbers), length):
            found.id.write_direct_chunk((at,), encode(numbers[at : at + length], length))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("length", LENGTHS)
def test_hdf5_reads_what_is_encoded_here(tmp_path, dtype, length):
    numbers = some_numbers(3 * length, dtype)
    write_ours(tmp_path / "ours.h5", numbers, length)
    with h5py.File(tmp_path / "ours.h5") as file:
        assert np.array_equal(file["values"][()], numbers)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("length", LENGTHS)
def test_what_is_behind_the_last_number_is_zero(tmp_path, dtype, length):
    numbers = some_numbers(length, dtype)
    for n in {1, 7, 1023, 1024, 1025, 2048, 4096, length - 1}:
        if 0 < n < length:
            with h5py.File(tmp_path / "part.h5", "w") as file:
                options = compressed(numbers.itemsize)
                found = file.create_dataset(
                    "values", length, numbers.dtype, chunks=(length,), fletcher32=True, **options
                )
                found.id.write_direct_chunk((0,), encode(numbers[:n], length))
            with h5py.File(tmp_path / "part.h5") as file:
                assert np.array_equal(file["values"][:n], numbers[:n])
                assert not file["values"][n:].any()


WITHOUT = """
import sys, h5py
from tests.table.test_chunk import some_numbers, write_ours
h5py.h5z.unregister_filter(32008)
assert not h5py.h5z.filter_avail(32008)
write_ours(sys.argv[1], some_numbers(1000, "<f4"), 200)
"""


def test_a_process_without_the_filter_writes_the_same(tmp_path):
    write_ours(tmp_path / "with.h5", some_numbers(1000, "<f4"), 200)
    subprocess.run([sys.executable, "-c", WITHOUT, tmp_path / "without.h5"], check=True)
    found = []
    for name in ("with.h5", "without.h5"):
        with h5py.File(tmp_path / name) as file:
            filters = file["values"].id.get_create_plist()
            found.append((filters.get_filter(0)[2], file["values"][()].tolist()))
    assert found[0] == found[1]
    assert found[0][0] == (0, 4, 4, 0, 2)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("length", LENGTHS)
def test_what_hdf5_writes_is_decoded_here(tmp_path, dtype, length):
    numbers = some_numbers(length, dtype)
    lz4 = hdf5plugin.Bitshuffle(cname="lz4")
    with h5py.File(tmp_path / "theirs.h5", "w") as file:
        file.create_dataset("values", data=numbers, chunks=(length,), fletcher32=True, **lz4)
    with h5py.File(tmp_path / "theirs.h5") as file:
        stored = file["values"].id.read_direct_chunk((0,))[1]
    found = np.zeros_like(numbers)
    decode(stored, found)
    assert np.array_equal(found, numbers)


def test_the_rest_of_a_short_chunk_is_zeros():
    numbers, found = some_numbers(100, "<f8"), np.ones(128)
    decode(encode(numbers, 128), found)
    assert np.array_equal(found, np.concatenate([numbers, np.zeros(28)]))


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_hostile_bytes_are_refused_or_numbers(data):
    numbers = some_numbers(1031, "<f8")
    stored = bytearray(encode(numbers, 1031))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(stored) - 1))
        stored[at : at + data.draw(st.integers(0, 8))] = data.draw(st.binary(max_size=8))
    memory = np.zeros(1031 + 64)
    found = memory[32:-32]
    with suppress(ValueError):
        decode(bytes(stored), found)
    assert not memory[:32].any()
    assert not memory[-32:].any()
