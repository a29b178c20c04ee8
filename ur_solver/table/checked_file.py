"""Opening a file without trusting its contents.

Every fault becomes one of the errors of `ur_solver.errors`, with one sentence. Types and shapes are
checked before reading, so no memory is allocated for data that a file only claims to hold.
"""

from __future__ import annotations

import os
import pathlib
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt

from ur_solver.blocks.file_names import HEAD
from ur_solver.blocks.lock import is_held
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
from ur_solver.table.chunk import BITSHUFFLE, are_parameters
from ur_solver.table.format import ATTRIBUTES, FIRST_VERSION, FORMAT, MAX_TEXT, OPTIONAL, VERSION

_REMEDY = "make it again with 'ur solve', or fetch it again"


def damaged(path: pathlib.Path, fault: str) -> UrError:
    """The error with the fault of a table and the way to replace it.

    It is TableInUseError while another program writes to the file, otherwise DamagedTableError.
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
    return os.path.isfile(path) and bool(h5py.is_hdf5(path))


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
    if (found := _attribute(path, file, "format", str)) != FORMAT:
        raise NotATableError(
            f"{str(path)!r} is not a solution table: its format is {found!r:.60}, not {FORMAT!r}"
        )
    version = _attribute(path, file, "version", int)
    check_version(path, version)
    return version, {
        name: _attribute(path, file, name, kind)
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
            + ("a newer ur_solver reads it" if is_newer else "make it again")
        )


def _attribute(path: pathlib.Path, file: h5py.File, name: str, kind: type) -> Any:
    # The type and shape come first, so no memory is allocated for an attribute's claims.
    if name not in file.attrs:
        raise damaged(path, f"the attribute {name!r} is missing")
    found = file.attrs.get_id(name)
    is_sound = found.shape == () and found.dtype.kind == _KINDS[kind]
    if not is_sound or found.dtype.itemsize > (MAX_TEXT if kind is str else 8):
        raise damaged(path, f"the attribute {name!r} is of type {found.dtype}, shape {found.shape}")
    value = file.attrs[name]
    return bytes(value).decode("ascii") if kind is str else value.item()


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


def stored_chunk(found: h5py.Dataset, first: int, most: int) -> bytes:
    """The stored bytes of a chunk of a dataset whose filters `check_filters` has allowed.

    Parameters
    ----------
    found : Dataset
        With one dimension.
    first : int
        The index in it at which the chunk begins.
    most : int
        The most bytes of a sound chunk: of one that claims more, or other filters, none are read.
    """
    place = found.id.get_chunk_info_by_coord((first,))
    if place.filter_mask or place.size > most:
        return b""
    stored: bytes = found.id.read_direct_chunk((first,))[1]
    return stored
