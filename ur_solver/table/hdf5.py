"""A table in an HDF5 file, which is opened without trusting its contents, and its chunks of values.

Every fault becomes one of the errors of `ur_solver.errors`, with one sentence. Types and shapes are
checked before reading, so no memory is allocated for data that a file only claims to hold.

Chunks are stored through Bitshuffle with LZ4, then Fletcher-32. They are encoded and decoded here,
and HDF5 gets the stored bytes. So no filter must be registered with the library, and any program
with Bitshuffle reads the file. hdf5plugin in place of this would add 186 MB to an installation and
12 ms to a query, and reads a chunk in 0.28 ms instead of 0.25.

A stored chunk holds, with all numbers big-endian but the last: the size of its values (uint64); the
size of a Bitshuffle block (uint32); each block as its length (uint32) and LZ4 data; the values that
do not fill a group of eight; and the Fletcher-32 checksum of all that (uint32, little-endian).
"""

from __future__ import annotations

import json
import math
import os
import pathlib
import stat
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import h5py
import lz4.block
import numpy as np
import numpy.typing as npt

from ur_solver.blocks.lock import HEAD, is_held
from ur_solver.blocks.stored import VALUE_TYPES, are_figures, chunk_length_for, is_measure
from ur_solver.errors import (
    DamagedTableError,
    MissingTableError,
    NotATableError,
    RuleSetError,
    TableInUseError,
    TableVersionError,
    UnregisteredError,
    UrError,
)
from ur_solver.rules import RuleSet
from ur_solver.rules.game import catalogued
from ur_solver.space import Part, Space, space_of, whole_of
from ur_solver.table import _bits
from ur_solver.table.format import (
    ATTRIBUTES,
    BLOCK_DTYPE,
    FIRST_VERSION,
    FORMAT,
    MAX_TEXT,
    OBJECTIVES,
    OPTIONAL,
    VERSION,
    Header,
    digest,
    empty_blocks,
    holds_all,
    is_laid_out_alike,
    n_chunks,
    table_error,
)

BITSHUFFLE = 32008
"""The number under which Bitshuffle is registered with the HDF Group."""

_FORMAT = (0, 4)
"""The version of Bitshuffle's format: its first two parameters."""

_BLOCK_AND_LZ4 = (0, 2)
"""Its last two parameters: blocks of the usual size, compressed by LZ4."""

_HEAD = struct.Struct(">QI")
_LENGTH = struct.Struct(">I")
_CHECKSUM = struct.Struct("<I")
_BLOCK_BYTES = 8192
"""The usual size of a block of Bitshuffle's."""

_MAX_FRAME = 1 << 12
"""An upper limit of the bytes of sizes and checksums in the smallest chunk."""


def compressed(itemsize: int) -> dict[str, Any]:
    """Arguments of h5py's `create_dataset` for chunks of `encode`, of numbers of `itemsize` bytes.

    Where the process has registered Bitshuffle, as hdf5plugin does, the filter itself puts its
    first three parameters before the others.
    """
    first = () if h5py.h5z.filter_avail(BITSHUFFLE) else (*_FORMAT, itemsize)
    return {
        "compression": BITSHUFFLE,
        "compression_opts": (*first, *_BLOCK_AND_LZ4),
        "allow_unknown_filter": True,
    }


def are_parameters(found: tuple[int, ...], itemsize: int) -> bool:
    """Whether a file's parameters of Bitshuffle are those of `compressed`, in any version."""
    return found[len(_FORMAT) :] == (itemsize, *_BLOCK_AND_LZ4)


def max_stored(length: int, itemsize: int) -> int:
    """An upper limit of the stored bytes of a chunk of `length` numbers."""
    return 2 * length * itemsize + _MAX_FRAME


def encode(numbers: npt.NDArray[Any], length: int) -> bytes:
    """The stored bytes of a chunk of `length` numbers, of which the last may be left out as zeros.

    `numbers` has shape (n,), little-endian and contiguous.
    """
    itemsize = numbers.dtype.itemsize
    size, end = length * itemsize, length // 8 * 8 * itemsize
    # blocks behind the last number are the same in all chunks: most of a small block of positions
    used = min(size, -(-numbers.nbytes // _BLOCK_BYTES) * _BLOCK_BYTES)
    content = np.zeros(used, dtype=np.uint8)
    content[: numbers.nbytes] = numbers.view(np.uint8)
    rows = np.empty(min(used, end), dtype=np.uint8)
    _bits.shuffle(content[: len(rows)], rows, itemsize, _BLOCK_BYTES // itemsize)
    parts = [_HEAD.pack(size, _BLOCK_BYTES)]
    for at in range(0, end, _BLOCK_BYTES):
        if at < used:
            parts += _packed(rows[at : at + _BLOCK_BYTES].data)
        else:
            parts += _packed_zeros(min(_BLOCK_BYTES, end - at))
    parts.append(content[end:].tobytes().ljust(size - end, b"\0"))
    stored = b"".join(parts)
    checksum = _bits.fletcher32(np.frombuffer(stored, dtype=np.uint8))
    return stored + _CHECKSUM.pack(checksum)


def _packed(block: memoryview | bytes) -> tuple[bytes, bytes]:
    """A Bitshuffle block as its length and LZ4 data."""
    data = lz4.block.compress(block, store_size=False)
    return _LENGTH.pack(len(data)), data


@cache
def _packed_zeros(size: int) -> tuple[bytes, bytes]:
    return _packed(bytes(size))


def decode(stored: bytes | memoryview, numbers: npt.NDArray[Any]) -> None:
    """Decode a stored chunk, which may be malicious, into `numbers`, without checking its checksum.

    `numbers` has the chunk's length, little-endian and contiguous. ValueError if this is not an
    encoded chunk of that length.
    """
    content, itemsize = numbers.view(np.uint8), numbers.dtype.itemsize
    end = len(numbers) // 8 * 8 * itemsize
    try:
        if _HEAD.unpack_from(stored) != (len(content), _BLOCK_BYTES):
            raise ValueError("its sizes are not those of its dataset")
        blocks, at = [], _HEAD.size
        view = memoryview(stored)
        for start in range(0, end, _BLOCK_BYTES):
            (length,) = _LENGTH.unpack_from(stored, at)
            at += _LENGTH.size
            size = min(_BLOCK_BYTES, end - start)
            block = lz4.block.decompress(view[at : at + length], uncompressed_size=size)
            if len(block) != size:
                raise ValueError("a block has another size")
            blocks.append(block)
            at += length
    except (struct.error, lz4.block.LZ4BlockError) as error:
        raise ValueError(str(error)) from error
    rest = view[at : len(stored) - _CHECKSUM.size]
    if len(rest) != len(content) - end:
        raise ValueError("it is longer or shorter than its blocks")
    rows = np.frombuffer(b"".join(blocks), dtype=np.uint8)
    _bits.restore(rows, content[:end], itemsize, _BLOCK_BYTES // itemsize)
    content[end:] = rest


_REMEDY = "make it again with 'ur solve', or fetch it again"


def damaged(path: pathlib.Path, fault: str) -> UrError:
    """The error with the fault of a table and the way to replace it.

    It is TableInUseError while another program writes to it, otherwise DamagedTableError.
    """
    if is_held(path):
        return TableInUseError(
            f"table {str(path)!r} is in use: another program is writing to it; try again later"
        )
    return DamagedTableError(f"table {str(path)!r} is damaged: {fault}; {_REMEDY}")


@contextmanager
def reading(path: pathlib.Path) -> Iterator[None]:
    """Convert any exception of h5py on a damaged file to DamagedTableError."""
    try:
        yield
    except UrError:
        raise
    # Which exception a flipped bit leads to depends on where it is. OSError, KeyError,
    # RuntimeError, ValueError, TypeError and others have been observed.
    except Exception as error:
        reason = " ".join(str(error).split())
        raise damaged(path, f"{reason:.200}") from error


def is_table_file(path: str | os.PathLike[str]) -> bool:
    """Whether a path is an HDF5 file or a folder of blocks, not a file of games or rules."""
    if os.path.isdir(path):
        return os.path.isfile(os.path.join(path, HEAD))
    with suppress(OSError):  # of a file that cannot be read
        return os.path.isfile(path) and bool(h5py.is_hdf5(path))
    return False


def stated_format(file: h5py.File) -> str | None:
    """The attribute ``format``; None if there is none that is a text."""
    with suppress(UrError):
        return str(attribute(file, "format", str, NotATableError))
    return None


def format_of(path: pathlib.Path) -> str | None:
    """The same of the file at a path, which may be anything."""
    with suppress(Exception):  # whatever h5py raises
        if path.is_file() and h5py.is_hdf5(path):
            with h5py.File(path, "r", locking=False) as file:
                return stated_format(file)
    return None


def open_file(path: pathlib.Path) -> h5py.File:
    """Open an HDF5 file for reading; raises as `TableFile` does."""
    try:
        is_file = stat.S_ISREG(path.stat().st_mode)  # reading a pipe would wait for its writer
        is_empty = is_file and not _first_byte(path)
    except FileNotFoundError:
        raise MissingTableError(missing_text(path)) from None
    except (OSError, ValueError) as error:  # ValueError if the path has a null byte
        reason = getattr(error, "strerror", None) or error
        raise NotATableError(f"cannot read table {str(path)!r}: {reason}") from None
    if not is_file:
        raise NotATableError(f"{str(path)!r} is a pipe or a device, not a solution table")
    if is_empty or not h5py.is_hdf5(path):
        if is_held(path):
            raise damaged(path, "")
        raise NotATableError(
            f"{str(path)!r} is not a solution table: expected an HDF5 file as 'ur solve' makes it"
        )
    with reading(path):
        # HDF5's chunk cache is off, since `TableFile` has its own. Its lock is off, since a file
        # has its name only once it is complete, and its writer holds a lock until just after that.
        return h5py.File(path, "r", rdcc_nbytes=0, locking=False)


def _first_byte(path: pathlib.Path) -> bytes:
    with path.open("rb") as file:
        return file.read(1)


def missing_text(path: pathlib.Path) -> str:
    """The error for a missing file, with a guess of what was meant."""
    if catalogued(str(path).partition(":")[0]) is not None:
        return (
            f"there is no file {str(path)!r}; of the rule set, ur_solver.open_table({str(path)!r}) "
            f"opens the table, and ur_solver.solve({str(path)!r}) makes it"
        )
    return f"there is no table {str(path)!r}; 'ur tables' lists all tables"


_KINDS = {str: "S", int: "i", float: "f"}
"""The kinds of the types in which NumPy reads attributes."""


def read_attributes(path: pathlib.Path, file: h5py.File) -> tuple[int, dict[str, Any]]:
    """The format version and its attributes except the format, after checking both."""
    if "format" not in file.attrs:
        raise NotATableError(
            f"{str(path)!r} is an HDF5 file, but not a solution table: it lacks the attribute "
            f"format = {FORMAT!r}"
        )
    fault = partial(damaged, path)
    if (found := attribute(file, "format", str, fault)) != FORMAT:
        raise NotATableError(
            f"{str(path)!r} is not a solution table: its format is {found!r:.60}, not {FORMAT!r}"
        )
    version = attribute(file, "version", int, fault)
    check_version(path, version)
    return version, {
        name: attribute(file, name, kind, fault)
        for name, kind in ATTRIBUTES.items()
        if name in file.attrs or name not in OPTIONAL
    }


def check_version(path: pathlib.Path, version: Any) -> None:
    """Raises TableVersionError unless this program reads a version of the format."""
    if version not in range(FIRST_VERSION, VERSION + 1):
        is_newer = isinstance(version, int) and version > VERSION
        raise TableVersionError(
            f"table {str(path)!r} has format version {version!r}; this program reads versions "
            f"{FIRST_VERSION} to {VERSION}: "
            + ("a newer ur_solver reads it" if is_newer else "make it again by 'ur solve'")
        )


def attribute(file: h5py.File, name: str, kind: type, fault: Callable[[str], UrError]) -> Any:
    """An attribute of a file: a printable text, an int or a float; `fault` makes the error."""
    # The type and shape come first, so no memory is allocated for an attribute's claims.
    attributes = file.attrs
    if name not in attributes:
        raise fault(f"the attribute {name!r} is missing")
    found = attributes.get_id(name)
    is_sound = found.shape == () and found.dtype.kind == _KINDS[kind]
    if not is_sound or found.dtype.itemsize > (MAX_TEXT if kind is str else 8):
        raise fault(f"the attribute {name!r} is of type {found.dtype}, shape {found.shape}")
    value = attributes[name]
    if kind is not str:
        return value.item()
    text = bytes(value).decode("ascii", "replace")
    if not (text.isascii() and text.isprintable()):
        raise fault(f"the attribute {name!r} is not printable text")
    return text


def read_rules(path: pathlib.Path, text: str) -> RuleSet:
    """The rule set in an attribute."""
    try:
        return RuleSet.from_json(text)
    except UnregisteredError as error:
        raise UnregisteredError(f"table {str(path)!r}: {error}") from None
    except RuleSetError as error:
        raise damaged(path, str(error)) from None


def dataset(
    path: pathlib.Path,
    file: h5py.File,
    name: str,
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
) -> h5py.Dataset:
    """A dataset of this type and shape, whose values are in this file."""
    found = _linked(path, file, name)
    if found.is_virtual or found.external:
        raise damaged(path, f"the values of the dataset {name!r} are in other files")
    if found.dtype != dtype or found.shape != shape:
        raise damaged(
            path,
            f"the dataset {name!r} is {found.dtype}{list(found.shape or ())}, expected "
            f"{dtype}{list(shape)}",
        )
    return found


def _linked(path: pathlib.Path, file: h5py.File, name: str) -> h5py.Dataset:
    # an external link, or a virtual dataset, would open files that the file's author names
    is_here = isinstance(file.get(name, getlink=True), h5py.HardLink)
    found = file[name] if is_here else None
    if not isinstance(found, h5py.Dataset):
        raise damaged(path, f"the dataset {name!r} is missing")
    return found


def length_of(path: pathlib.Path, file: h5py.File, name: str, most: int) -> int:
    """The length of a dataset of one dimension, from 1 to `most`."""
    shape = _linked(path, file, name).shape
    if shape is None or len(shape) != 1 or not 1 <= shape[0] <= most:
        raise damaged(path, f"the dataset {name!r} has the shape {shape}, not 1 to {most} rows")
    return int(shape[0])


def read_small(
    path: pathlib.Path, file: h5py.File, name: str, dtype: np.dtype[Any], length: int
) -> npt.NDArray[Any]:
    """The values of a small dataset, which must be stored without gaps."""
    found = dataset(path, file, name, dtype, (length,))
    is_whole = found.id.get_storage_size() == length * dtype.itemsize
    if found.chunks is not None or not is_whole:
        raise damaged(path, f"the dataset {name!r} is not stored whole")
    values: npt.NDArray[Any] = found[()]
    return values


def check_filters(path: pathlib.Path, found: h5py.Dataset) -> None:
    """Raise DamagedTableError if a dataset has filters other than Bitshuffle and Fletcher-32.

    Otherwise any filter, with any parameters, would be run on data that cannot be trusted.
    """
    plist = found.id.get_create_plist()
    filters = [plist.get_filter(k) for k in range(plist.get_nfilters())]
    numbers = [number for number, _, _, _ in filters]
    is_known = numbers == [BITSHUFFLE, h5py.h5z.FILTER_FLETCHER32]
    if not is_known or not are_parameters(filters[0][2], found.dtype.itemsize):
        raise damaged(path, f"the dataset {found.name!r} is stored through other filters")


def stored_chunk(found: h5py.Dataset, first: int, most: int) -> bytes | memoryview:
    """The stored bytes of the chunk that begins at an index of a dataset of one dimension.

    `check_filters` has allowed its filters. Of a chunk with others, or that claims more than `most`
    bytes, there are none.
    """
    # h5py refuses a chunk larger than the room; `get_chunk_info_by_coord` would look at all chunks
    room = np.empty(most, dtype=np.uint8)
    try:
        skipped, stored = found.id.read_direct_chunk((first,), out=room)
    except ValueError:
        return b""
    return b"" if skipped else memoryview(stored)


@dataclass(frozen=True, eq=False)  # == of arrays is no bool
class Contents:
    """All of a table but its values, checked."""

    header: Header
    part: Part  # of the state space, as it is in the table
    chunk_length: int
    blocks: npt.NDArray[Any]  # of `BLOCK_DTYPE`
    checksums: npt.NDArray[np.uint32]  # shape (chunks,)
    digest: str


def space_of_version(path: pathlib.Path, version: int, rules: RuleSet) -> Space:
    """The space of a table's rules; TableVersionError if its format version has other ranks."""
    space = space_of(rules)
    if version < space.first_version:
        import shlex  # noqa: PLC0415 - for old tables alone

        raise TableVersionError(
            f"table {str(path)!r} has format version {version}, which numbers the positions of "
            f"{rules.name} differently: make it again by "
            f"'ur solve {rules.word} -o {shlex.quote(str(path))} --force'"
        )
    return space


def part_of_blocks(
    path: pathlib.Path, version: int, space: Space, indices: npt.NDArray[np.integer[Any]]
) -> Part:
    """The part of a space that has blocks of these numbers, if there are such blocks."""
    if holds_all(version):
        return whole_of(space)  # `checked_contents` compares all of its rows
    found = indices.astype(np.int64)
    is_sound = len(found) and 0 <= found[0] and found[-1] < len(space.blocks)
    if not (is_sound and (np.diff(found) > 0).all()):
        raise damaged(path, f"its blocks are not those of {space.rules.name}, in their order")
    return Part(space, found.tolist())


def _level_errors(path: pathlib.Path, text: str, reach: int) -> tuple[float, ...]:
    """The errors of levels, from an attribute."""
    try:
        errors = json.loads(text)
    except (ValueError, RecursionError):
        errors = None
    is_sound = (
        isinstance(errors, list)
        and len(errors) == reach + 1
        and all(isinstance(each, float) and 0.0 <= each < math.inf for each in errors)
    )
    if not is_sound:
        raise damaged(path, f"level_errors is {text!r:.100}, not {reach + 1} errors")
    return tuple(errors)


_FIGURES = [name for name, kind in ATTRIBUTES.items() if kind is float]


def checked_contents(
    path: pathlib.Path,
    version: int,
    attributes: dict[str, Any],
    part: Part,
    blocks: npt.NDArray[Any],
    checksums: npt.NDArray[np.uint32],
) -> Contents:
    """The header of a table, if it is consistent."""
    if attributes["value_type"] not in VALUE_TYPES:
        raise damaged(path, f"value_type is {attributes['value_type']!r:.100}")
    objective = attributes.get("objective")
    if objective is not None and objective not in OBJECTIVES[1:]:
        raise damaged(path, f"objective is {objective!r:.100}")
    if objective is not None and attributes["value_type"] != "float64":
        raise damaged(path, f"its lengths are stored as {attributes['value_type']}, not float64")
    for name in ("cut_error", "cut_growth") if part.space.has_levels else ():
        if name not in attributes:
            raise damaged(path, f"the attribute {name!r} is missing")
    rules = part.space.rules
    length = chunk_length_for(part.space)
    whole = attributes.pop("digest")
    if digest(attributes, blocks, checksums, version) != whole:
        raise damaged(path, "its digest does not match its attributes and checksums")
    if not is_laid_out_alike(blocks, empty_blocks(part, length)):
        raise damaged(path, f"its blocks are not those of {rules.name}")
    # money and throws may be off by more than a chance can be
    most = math.inf if objective is not None or part.space.has_levels else 1.0
    if not are_figures(blocks, most):
        raise damaged(path, "a residual, an error or a duration of its blocks is impossible")
    figures = {name: float(attributes[name]) for name in _FIGURES if name in attributes}
    for name, value in figures.items():
        is_unproven = name == "error" and math.isnan(value)
        if not (is_unproven or is_measure(value, math.inf if name == "seconds" else most)):
            raise damaged(path, f"its {name.replace('_', ' ')} is {value!r}, which is impossible")
    error = figures["error"]
    read: dict[str, Any] = figures | {"rules": rules, "error": None if math.isnan(error) else error}
    if "level_errors" in attributes:
        read["level_errors"] = _level_errors(path, attributes["level_errors"], part.space.reach)
    header = Header(**(attributes | read))
    if header.positions != part.n_values:
        raise damaged(path, f"positions is {header.positions}, not {part.n_values}")
    if header.error != table_error(blocks):
        raise damaged(path, "its error is not the largest error of its blocks")
    return Contents(header, part, length, blocks, checksums, whole)


class Hdf5Source:
    """A table in one HDF5 file."""

    def __init__(self, path: pathlib.Path) -> None:
        self._path = path
        self._file = open_file(path)
        try:
            with reading(path):
                self.contents = self._read_head()
                self._values = self._open_values()
        except BaseException:
            self._file.close()
            raise

    def _read_head(self) -> Contents:
        path, file = self._path, self._file
        version, attributes = read_attributes(path, file)
        rules = read_rules(path, attributes["rules"])
        space = space_of_version(path, version, rules)
        n_blocks = len(space.blocks)
        if not holds_all(version):
            n_blocks = length_of(path, file, "blocks", n_blocks)
        blocks = read_small(path, file, "blocks", BLOCK_DTYPE, n_blocks)
        part = part_of_blocks(path, version, space, blocks["index"])
        length = chunk_length_for(space)
        chunks = n_chunks(empty_blocks(part, length), length)
        checksums = read_small(path, file, "checksums", np.dtype("<u4"), chunks)
        return checked_contents(path, version, attributes, part, blocks, checksums)

    def _open_values(self) -> h5py.Dataset:
        contents = self.contents
        chunks, length = len(contents.checksums), contents.chunk_length
        dtype = VALUE_TYPES[contents.header.value_type].dtype
        values = dataset(self._path, self._file, "values", dtype, (chunks * length,))
        if values.chunks != (length,):
            raise damaged(self._path, f"values has chunks of {values.chunks}")
        if values.id.get_num_chunks() != chunks:
            raise damaged(self._path, "chunks of values are missing")
        check_filters(self._path, values)
        return values

    def read(self, chunk: int, out: npt.NDArray[Any]) -> None:
        """See `Source.read`."""
        length = self.contents.chunk_length
        is_whole = len(out) == length
        numbers = out if is_whole else np.empty(length, dtype=out.dtype)
        with reading(self._path):
            stored = stored_chunk(self._values, chunk * length, max_stored(length, out.itemsize))
        decode(stored, numbers)
        if not is_whole:
            out[:] = numbers[: len(out)]

    def close(self) -> None:
        """Close the file."""
        self._file.close()
