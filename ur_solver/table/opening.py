"""Opening a file that may be anything, without trusting what it claims.

Every fault becomes one of the errors of `ur_solver.errors`, with one sentence. Types and shapes are
checked before anything is read, so that no memory is allocated for what a file only claims to hold.
"""

from __future__ import annotations

import pathlib
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt

from ur_solver.errors import (
    DamagedTableError,
    MissingTableError,
    NotATableError,
    RuleSetError,
    TableVersionError,
    UnregisteredError,
    UrError,
)
from ur_solver.rules import RuleSet
from ur_solver.table.format import FORMAT, MAX_TEXT, VERSION

_BITSHUFFLE, _LZ4 = 32008, 2
"""The number under which Bitshuffle is registered, and its parameter for LZ4."""

_HEAD = struct.Struct(">QI")
_BLOCK_BYTES = 8192
"""The size of Bitshuffle's blocks, unless another one is asked for."""

_FLETCHER_BYTES = 4
_MAX_FRAME = 1 << 12
"""An upper limit of the bytes that sizes and checksums take in the smallest chunk."""

_REMEDY = "make it again with 'ur solve', or fetch it again"


def damaged(path: pathlib.Path, fault: str) -> DamagedTableError:
    """The error that says what is wrong with a table and how to replace it."""
    return DamagedTableError(f"table {str(path)!r} is damaged: {fault}; {_REMEDY}")


@contextmanager
def reading(path: pathlib.Path) -> Iterator[None]:
    """Turn whatever h5py raises on a damaged file into DamagedTableError."""
    try:
        yield
    except UrError:
        raise
    # Which exception a flipped bit leads to depends on where it is. OSError, KeyError,
    # RuntimeError, ValueError, TypeError and others have been observed.
    except Exception as error:
        reason = " ".join(str(error).split())
        raise damaged(path, f"{reason:.200}") from error


def open_file(path: pathlib.Path) -> h5py.File:
    """Open an HDF5 file for reading; raises as `TableFile` does."""
    try:
        with path.open("rb") as file:
            is_empty = not file.read(1)
    except FileNotFoundError:
        raise MissingTableError(
            f"there is no table {str(path)!r}; 'ur solve finkel -o {path}' would make one"
        ) from None
    except (OSError, ValueError) as error:  # ValueError if the path has a null byte
        reason = getattr(error, "strerror", None) or error
        raise NotATableError(f"cannot read table {str(path)!r}: {reason}") from None
    if is_empty or not h5py.is_hdf5(path):
        raise NotATableError(
            f"{str(path)!r} is not a solution table: expected an HDF5 file as 'ur solve' makes it"
        )
    with reading(path):
        # HDF5's chunk cache is off, since `TableFile` has its own. Its lock is off, since a file
        # has its name only once it is complete, and its writer holds a lock until just after that.
        return h5py.File(path, "r", rdcc_nbytes=0, locking=False)


_FLOATS = ("tolerance", "residual", "seconds")
_CUT = ("cut_error", "cut_growth")
_FLOATS_OF_VERSION = {1: _FLOATS, 2: (*_FLOATS, "error")}
_WHOLE = ("positions",)
_TEXTS = ("rules", "value_type", "made", "program", "digest")


def read_attributes(path: pathlib.Path, file: h5py.File) -> tuple[int, dict[str, Any]]:
    """The format version and its attributes except the format, after checking both."""
    if "format" not in file.attrs or _attribute(path, file, "format", "S") != FORMAT:
        raise NotATableError(
            f"{str(path)!r} is an HDF5 file, but not a solution table: it lacks the attribute "
            f"format = {FORMAT!r}"
        )
    version = _attribute(path, file, "version", "i")
    if version not in _FLOATS_OF_VERSION:
        remedy = "a newer ur_solver reads it" if version > VERSION else "make it again"
        raise TableVersionError(
            f"table {str(path)!r} has format version {version}; this program reads versions "
            f"1 to {VERSION}: {remedy}"
        )
    floats = _FLOATS_OF_VERSION[version]
    kinds = dict.fromkeys(_TEXTS, "S") | dict.fromkeys(_WHOLE, "i") | dict.fromkeys(floats, "f")
    return version, {name: _attribute(path, file, name, kind) for name, kind in kinds.items()}


def read_cut(path: pathlib.Path, file: h5py.File) -> dict[str, float]:
    """The attributes that only tables of games with stakes have."""
    return {name: _attribute(path, file, name, "f") for name in _CUT}


def _attribute(path: pathlib.Path, file: h5py.File, name: str, kind: str) -> Any:
    # The type and shape come first, so that nothing is allocated for what an attribute claims.
    if name not in file.attrs:
        raise damaged(path, f"the attribute {name!r} is missing")
    found = file.attrs.get_id(name)
    is_sound = found.shape == () and found.dtype.kind == kind
    if not is_sound or found.dtype.itemsize > (MAX_TEXT if kind == "S" else 8):
        raise damaged(path, f"the attribute {name!r} is of type {found.dtype}, shape {found.shape}")
    value = file.attrs[name]
    return bytes(value).decode("ascii") if kind == "S" else value.item()


def read_rules(path: pathlib.Path, text: str) -> RuleSet:
    """The rule set that an attribute holds."""
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
    # An external link or a virtual dataset would open files that the file's author names.
    is_here = isinstance(file.get(name, getlink=True), h5py.HardLink)
    found = file[name] if is_here else None
    if not isinstance(found, h5py.Dataset):
        raise damaged(path, f"the dataset {name!r} is missing")
    if found.is_virtual or found.external:
        raise damaged(path, f"the values of the dataset {name!r} are in other files")
    if found.dtype != dtype or found.shape != shape:
        raise damaged(
            path,
            f"the dataset {name!r} is {found.dtype}{list(found.shape or ())}, expected "
            f"{dtype}{list(shape)}",
        )
    return found


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
    filters = found.id.get_create_plist()
    found_ones = [filters.get_filter(k) for k in range(filters.get_nfilters())]
    expected = [(_BITSHUFFLE, (found.dtype.itemsize, 0, _LZ4)), (h5py.h5z.FILTER_FLETCHER32, ())]
    # Bitshuffle's first two parameters are the version of the program that wrote the file
    if [(number, parameters[2:]) for number, _, parameters, _ in found_ones] != expected:
        raise damaged(path, f"the dataset {found.name!r} is stored through other filters")


def is_chunk_sound(found: h5py.Dataset, first: int) -> bool:
    """Whether Bitshuffle can safely decode the stored bytes of a chunk.

    The decoder trusts the sizes inside a chunk, and reads and writes outside its memory if they are
    wrong. Fletcher-32 does not protect from a file in which both are forged. A sound chunk holds,
    with all numbers big-endian: the size of the values (uint64); the size of one of Bitshuffle's
    blocks (uint32); each block as its length (uint32) and LZ4 data; the values that do not fill a
    group of eight; and the Fletcher-32 checksum.

    Parameters
    ----------
    found : Dataset
        With one dimension and the filters that `check_filters` allows.
    first : int
        The index in it at which the chunk begins.
    """
    n_values, size = found.chunks[0], found.dtype.itemsize
    place = found.id.get_chunk_info_by_coord((first,))
    if place.filter_mask or not place.size or place.size > 2 * n_values * size + _MAX_FRAME:
        return False
    _, stored = found.id.read_direct_chunk((first,))
    if len(stored) < 12 or _HEAD.unpack_from(stored) != (n_values * size, _BLOCK_BYTES):
        return False
    n_blocks, rest = divmod(n_values, _BLOCK_BYTES // size)
    at, end = _HEAD.size, len(stored) - _FLETCHER_BYTES - rest % 8 * size
    for _ in range(n_blocks + (rest >= 8)):
        if at + 4 > end:
            return False
        at += 4 + int.from_bytes(stored[at : at + 4], "big")
    return bool(at == end)
