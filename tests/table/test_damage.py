"""Attacks on the file: each must lead to a clear error or change no value."""

from __future__ import annotations

import os
import pathlib
import random
import shutil
import struct

import h5py
import hdf5plugin
import numpy as np
import pytest

from tests.faults.tables import damaged_tables
from tests.meaningless import write_meaningless
from tests.solving import make_table
from ur_solver.errors import DamagedTableError, NotATableError, TableVersionError
from ur_solver.rules import named_rules
from ur_solver.space import part_of
from ur_solver.table.reader import TableFile

pytestmark = pytest.mark.medium

CLEAR = (DamagedTableError, NotATableError, TableVersionError)
ATTRIBUTES = (
    *("format", "version", "rules", "value_type", "tolerance", "residual", "error"),
    *("positions", "seconds", "made", "program", "digest"),
)


@pytest.fixture(scope="module", params=["finkel:1", "finkel:2"])
def sound(request, tmp_path_factory) -> pathlib.Path:
    path = tmp_path_factory.mktemp("sound") / "table.h5"
    write_meaningless(path, named_rules(request.param))
    return path


@pytest.fixture
def copy(sound, tmp_path) -> pathlib.Path:
    return pathlib.Path(shutil.copy(sound, tmp_path / "copy.h5"))


def read_whole(path: pathlib.Path):
    with TableFile(path) as table:
        return table.header, table.load().copy()


def assert_clear_error_or_same(path: pathlib.Path, expected) -> bool:
    """Whether the damage was noticed."""
    try:
        header, values = read_whole(path)
    except CLEAR as error:
        message = str(error)
    else:
        assert header == expected[0]
        assert np.array_equal(values, expected[1])
        return False
    assert str(path) in message
    assert "\n" not in message
    return True


@pytest.mark.parametrize("cut", [False, True])
def test_flipped_bits_and_cut_files_are_noticed_or_harmless(copy, cut):
    tally = damaged_tables(copy, 150, seed=20, cut=cut)
    assert tally.lost == []
    assert tally.detected > 75, "most bytes matter"


def test_files_cut_at_the_edges_are_noticed(sound, tmp_path):
    content = sound.read_bytes()
    path = tmp_path / "cut.h5"
    for length in (0, 1, 8, 512, len(content) - 1):
        path.write_bytes(content[:length])
        assert assert_clear_error_or_same(path, read_whole(sound)), length


def test_overwritten_and_lost_pages_are_noticed_or_harmless(sound, tmp_path):
    expected = read_whole(sound)
    content = sound.read_bytes()
    chance = random.Random(22)
    path = tmp_path / "pages.h5"
    for filler in (b"\0", b"\xff", b"\x55"):
        for _ in range(20):
            at, length = chance.randrange(len(content)), chance.randrange(1, 700)
            middle = filler * min(length, len(content) - at)
            path.write_bytes(content[:at] + middle + content[at + length :])
            assert_clear_error_or_same(path, expected)


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_every_attribute_is_missed(copy, name):
    with h5py.File(copy, "r+") as file:
        del file.attrs[name]
    with pytest.raises(CLEAR, match=name):
        TableFile(copy)


# if nothing is proven, `error` is NaN, and adding to it leaves it NaN
@pytest.mark.parametrize("name", sorted(set(ATTRIBUTES) - {"format", "version", "error"}))
def test_every_attribute_is_covered_by_the_digest(copy, name):
    with h5py.File(copy, "r+") as file:
        value = file.attrs[name]
        file.attrs[name] = value[:-1] + b"?" if isinstance(value, bytes) else value + 1
    with pytest.raises(CLEAR):
        TableFile(copy)


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attributes_of_another_type_are_refused(copy, name):
    for value in (np.zeros(3), "text of variable length", np.complex128(1), h5py.Empty("f8")):
        with h5py.File(copy, "r+") as file:
            file.attrs[name] = value
        with pytest.raises(CLEAR):
            TableFile(copy)


def test_an_attribute_that_claims_2_to_the_60_entries_is_not_allocated(copy):
    with h5py.File(copy, "r+") as file:
        del file.attrs["rules"]
        huge = h5py.h5s.create_simple((1 << 60,))
        try:
            h5py.h5a.create(file.id, b"rules", h5py.h5t.NATIVE_INT8, huge)
        except (OSError, RuntimeError, ValueError):
            file.attrs.create("rules", np.zeros(1 << 20, "S1"))  # HDF5 refused the first
    with pytest.raises(DamagedTableError, match="rules"):
        TableFile(copy)


@pytest.mark.parametrize("name", ["blocks", "checksums", "values"])
def test_every_dataset_is_missed(copy, name):
    with h5py.File(copy, "r+") as file:
        del file[name]
    with pytest.raises(DamagedTableError, match=name):
        TableFile(copy)


@pytest.mark.parametrize("name", ["blocks", "checksums", "values"])
def test_datasets_of_another_type_or_shape_are_refused(copy, name):
    with h5py.File(copy, "r+") as file:
        old = file[name]
        shape, dtype = old.shape, old.dtype
        del file[name]
        replacements = (
            {"shape": (shape[0] + 1,), "dtype": dtype},
            {"shape": (*shape, 1), "dtype": dtype},
            {"shape": (), "dtype": "f8"},
            {"shape": shape, "dtype": "f2"},
            {"shape": (1 << 60,), "dtype": "u1", "chunks": (1024,)},
        )
    for replacement in replacements:
        with h5py.File(copy, "r+") as file:
            file.create_dataset(name, **replacement)
        with pytest.raises(DamagedTableError, match=name):
            TableFile(copy)
        with h5py.File(copy, "r+") as file:
            del file[name]


def test_datasets_that_are_groups_or_never_written_are_refused(copy):
    with h5py.File(copy, "r+") as file:
        shape, chunks = file["values"].shape, file["values"].chunks
        del file["values"]
        file.create_dataset("values", shape=shape, dtype="f8", chunks=chunks)
    with pytest.raises(DamagedTableError, match="missing"):
        TableFile(copy)
    with h5py.File(copy, "r+") as file:
        del file["blocks"]
        file.create_group("blocks")
    with pytest.raises(DamagedTableError, match="blocks"):
        TableFile(copy)


@pytest.mark.parametrize(
    ("version", "remedy"), [(9, "newer"), (2, "again"), (0, "again"), (-1, "again")]
)
def test_other_versions_are_refused(copy, version, remedy):
    with h5py.File(copy, "r+") as file:
        file.attrs["version"] = version
    with pytest.raises(TableVersionError, match=f"version {version}.*{remedy}"):
        TableFile(copy)


@pytest.mark.parametrize(
    ("word", "version", "before"),
    [("birds:1", 6, 5), ("finkel:1", 7, 3), ("finkel:1", 7, 6), ("murray:1", 7, 4)],
)
def test_a_table_whose_positions_had_other_numbers_is_refused(tmp_path, word, version, before):
    rules = named_rules(word)
    path = tmp_path / "table.h5"
    write_meaningless(path, rules)
    with h5py.File(path, "r+") as file:
        assert file.attrs["version"] == version
        file.attrs["version"] = before
    remedy = f"make it again by 'ur solve {word} -o {path} --force'"
    said = rf"version {before}, .* {rules.name} differently: {remedy}"
    with pytest.raises(TableVersionError, match=said):
        TableFile(path)


def test_a_changed_value_is_noticed_and_the_block_is_named(copy):
    with h5py.File(copy, "r+") as file:
        last = len(file["blocks"]) - 1
        at = int(file["blocks"][last]["first_chunk"]) * file["values"].chunks[0]
        file["values"][at] = np.nextafter(file["values"][at], 2)
    with TableFile(copy) as table:
        assert table.read_one(0) >= 0, "other chunks are still good"
        rank = int(table.blocks["first_rank"][last])
        for read in (lambda: table.read_one(rank), lambda: table.read_block(last), table.load):
            with pytest.raises(DamagedTableError, match=f"block {last}"):
                read()


@pytest.mark.parametrize(
    "content", [b"", b"a text\n" * 100, b"\x89HDF\r\n\x1a\n", b"\0" * 5000, bytes(range(256)) * 40]
)
def test_other_files_are_not_tables(tmp_path, content):
    path = tmp_path / "other.h5"
    path.write_bytes(content)
    with pytest.raises(CLEAR, match=r"other\.h5"):
        TableFile(path)


def test_hdf5_files_of_others_are_not_tables(tmp_path):
    path = tmp_path / "other.h5"
    with h5py.File(path, "w") as file:
        file["values"] = np.zeros(217)
    with pytest.raises(NotATableError, match="format"):
        TableFile(path)


def fletcher32(content: bytes) -> bytes:
    """HDF5's checksum of a chunk, which is stored after it."""
    low = high = 0
    for (word,) in struct.iter_unpack(">H", content + b"\0" * (len(content) % 2)):
        low = (low + word) % 65535
        high = (high + low) % 65535
    # the sums are folded, so that a sum of 0 modulo 65535 is 65535 unless nothing was added
    return struct.pack("<HH", low or 65535, high or 65535)


def number(content: bytes, at: int, value: int, size: int) -> bytes:
    return content[:at] + value.to_bytes(size, "big") + content[at + size :]


FORGERIES = {
    **{f"values of {n} bytes": (0, n, 8) for n in (0, 1, 1 << 17, 1 << 20, 1 << 60, 2**64 - 1)},
    **{f"blocks of {n} bytes": (8, n, 4) for n in (0, 1, 7, 8191, 1 << 20, 2**32 - 1)},
    **{f"a block of {n} bytes": (12, n, 4) for n in (0, 1, 1 << 16, 1 << 20, 1 << 31, 2**32 - 1)},
}


def forge_chunk(path, content: bytes, mask: int = 0) -> None:
    with h5py.File(path, "r+") as file:
        file["values"].id.write_direct_chunk((0,), content, mask)


@pytest.fixture
def chunk(copy) -> bytes:
    """The stored bytes of the first chunk, without their checksum."""
    with h5py.File(copy) as file:
        stored = file["values"].id.read_direct_chunk((0,))[1]
    assert fletcher32(stored[:-4]) == stored[-4:]
    return stored[:-4]


@pytest.mark.parametrize("name", FORGERIES)
def test_forged_sizes_in_a_chunk_do_not_reach_the_decoder(copy, chunk, name):
    # with some of them the decoder would read outside its memory and crash
    forged = number(chunk, *FORGERIES[name])
    forge_chunk(copy, forged + fletcher32(forged))
    with TableFile(copy) as table:
        for read in (lambda: table.read_one(0), lambda: table.read_block(0), table.load):
            with pytest.raises(
                DamagedTableError, match=r"block 0, from position .*cannot be decoded"
            ):
                read()


@pytest.mark.parametrize("length", [0, 3, 11, 12, 14, 100])
def test_forged_chunks_cut_short_do_not_reach_the_decoder(copy, chunk, length):
    forge_chunk(copy, chunk[:length] + fletcher32(chunk[:length]))
    with TableFile(copy) as table, pytest.raises(DamagedTableError, match="cannot be decoded"):
        table.load()


def test_a_chunk_of_more_bytes_than_any_can_have_is_refused(copy, chunk):
    forged = chunk + bytes(1 << 20)
    forge_chunk(copy, forged + fletcher32(forged))
    with TableFile(copy) as table, pytest.raises(DamagedTableError, match="cannot be decoded"):
        table.load()


def test_chunks_that_say_they_are_not_filtered_are_refused(copy, chunk):
    forge_chunk(copy, chunk[:100], mask=3)
    with TableFile(copy) as table, pytest.raises(DamagedTableError, match="cannot be decoded"):
        table.load()


def test_forged_content_of_a_chunk_is_noticed_or_padding(copy, chunk):
    expected = read_whole(copy)
    chance = random.Random(23)
    noticed = 0
    for _ in range(50):
        forged = bytearray(chunk)
        forged[chance.randrange(16, len(chunk))] ^= chance.randrange(1, 256)
        forge_chunk(copy, bytes(forged) + fletcher32(bytes(forged)))
        noticed += assert_clear_error_or_same(copy, expected)
    assert noticed > 25


@pytest.mark.parametrize(
    "filters",
    [
        {"compression": "gzip"},
        {"compression": "gzip", "fletcher32": True},
        dict(hdf5plugin.Blosc2()),
        {**hdf5plugin.Bitshuffle(cname="zstd"), "fletcher32": True},
        {**hdf5plugin.Bitshuffle(nelems=64), "fletcher32": True},
        {},
    ],
)
def test_other_filters_are_refused(copy, filters):
    with h5py.File(copy, "r+") as file:
        values, chunks = file["values"][()], file["values"].chunks
        del file["values"]
        file.create_dataset("values", data=values, chunks=chunks, **filters)
    with pytest.raises(DamagedTableError, match="other filters"):
        TableFile(copy)


@pytest.mark.skipif(os.name == "nt", reason="named pipes of POSIX")
def test_a_link_to_a_pipe_is_not_followed(tmp_path):
    """Which would wait for its writer. Of a part of a game the length of `blocks` is looked up."""
    pipe, path = tmp_path / "pipe", tmp_path / "table.h5"
    os.mkfifo(pipe)
    rules = named_rules("finkel:2")
    make_table(rules, path, part=part_of(rules, 1))
    with h5py.File(path, "r+") as file:
        del file["blocks"]
        file["blocks"] = h5py.ExternalLink(pipe, "blocks")
    with pytest.raises(DamagedTableError, match="blocks"):
        TableFile(path)


@pytest.mark.parametrize("name", ["blocks", "checksums", "values"])
def test_values_in_other_files_are_not_looked_for(copy, tmp_path, name):
    other = pathlib.Path(shutil.copy(copy, tmp_path / "other.h5"))
    with h5py.File(copy, "r+") as file:
        shape, dtype = file[name].shape, file[name].dtype
        size = shape[0] * dtype.itemsize
    layout = h5py.VirtualLayout(shape, dtype)
    layout[:] = h5py.VirtualSource(other, name, shape)
    elsewhere = [
        lambda file: file.__setitem__(name, h5py.ExternalLink(other, name)),
        lambda file: file.__setitem__(name, h5py.SoftLink("/elsewhere")),
        lambda file: file.create_virtual_dataset(name, layout),
        lambda file: file.create_dataset(name, shape, dtype, external=[(str(other), 0, size)]),
        lambda file: file.create_dataset(name, data=b"0" * 10),
    ]
    for make in elsewhere:
        with h5py.File(copy, "r+") as file:
            del file[name]
            make(file)
        with pytest.raises(DamagedTableError, match=name):
            TableFile(copy)
