"""The sources of an open table's data: an HDF5 file, or a folder of block files."""

from __future__ import annotations

import json
import math
import os
import pathlib
import shlex
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import h5py
import numpy as np
import numpy.typing as npt

from ur_solver.blocks import (
    HEAD,
    MANIFEST,
    RECORD,
    VALUE_TYPES,
    Job,
    chunk_length_for,
    files_of,
    is_being_written,
)
from ur_solver.errors import (
    CheckpointError,
    ClosedTableError,
    DamagedBlockError,
    NotATableError,
    ObjectiveError,
    TableInUseError,
    TableVersionError,
)
from ur_solver.rules import RuleSet
from ur_solver.rules.words import counted
from ur_solver.space import Part, Space, space_of, whole_of
from ur_solver.table.checked_file import (
    check_filters,
    check_version,
    damaged,
    dataset,
    length_of,
    open_file,
    read_attributes,
    read_chunk,
    read_cut,
    read_objective,
    read_rules,
    read_small,
    reading,
)
from ur_solver.table.format import (
    BLOCK_DTYPE,
    OBJECTIVES,
    WIN,
    Header,
    digest,
    empty_blocks,
    holds_all,
    is_laid_out_alike,
    n_chunks,
    table_error,
)
from ur_solver.table.table_folder import CHECKSUMS, TABLE, blocks_of_rows

_OPEN_FILES = 64
"""The number of block files that stay mapped."""


@dataclass(frozen=True)
class Contents:
    """All of a table but its values, checked.

    Attributes
    ----------
    header : Header
    part : Part
        The part of the state space in the table.
    chunk_length : int
    blocks : structured array, dtype `BLOCK_DTYPE`
    checksums : uint32, shape (chunks,)
    digest : str
    """

    header: Header
    part: Part
    chunk_length: int
    blocks: npt.NDArray[Any]
    checksums: npt.NDArray[np.uint32]
    digest: str


class Source(Protocol):
    """An open table."""

    contents: Contents

    @property
    def n_bytes(self) -> int:
        """The bytes on disk."""

    def read(self, chunk: int, out: npt.NDArray[Any]) -> None:
        """Decode a chunk into `out`, which may end before its padding; unchecked.

        Raises
        ------
        ValueError
            If it cannot be decoded.
        """

    def close(self) -> None:
        """Close it."""


Spaces = Callable[[pathlib.Path, int, RuleSet], Space]
"""The space whose ranks a table has, by its path, its format version and its rules."""


def present_space(path: pathlib.Path, version: int, rules: RuleSet) -> Space:
    """Today's space; TableVersionError if the version has other ranks."""
    space = space_of(rules)
    if version < space.first_version:
        from ur_solver.space.earlier_races import EarlierRaces  # noqa: PLC0415 - of old tables alone

        again = f"make it again by 'ur solve {rules.word} --force'"
        if EarlierRaces.serves(rules) and not path.is_dir():
            again = f"'ur upgrade {shlex.quote(str(path))}' rewrites it without solving again"
        raise TableVersionError(
            f"table {str(path)!r} has format version {version}, which numbers the positions of "
            f"{rules.name} differently: {again}"
        )
    return space


def open_source(path: pathlib.Path, objectives: Collection[str], spaces: Spaces) -> Source:
    """Open a table of either kind, with one of some objectives; raises as `TableFile` does."""
    source: Source = FolderSource(path) if os.path.isdir(path) else Hdf5Source(path, spaces)
    found = source.contents.header.objective or WIN
    if found not in objectives:
        source.close()
        if found == WIN:
            advice = "leave out --objective"
        else:
            advice = f"'ur query', 'ur best' and 'ur verify' read it with --objective {found}"
        raise ObjectiveError(
            f"table {str(path)!r} has the objective {found!r}, not "
            f"{' or '.join(map(repr, objectives))}; {advice}"
        )
    return source


class Hdf5Source:
    """A table in one HDF5 file."""

    def __init__(self, path: pathlib.Path, spaces: Spaces) -> None:
        self._path = path
        self._spaces = spaces
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
        space = self._spaces(path, version, rules)
        if space.has_levels:
            attributes |= read_cut(path, file)
        attributes |= read_objective(path, file)
        n_blocks = len(space.blocks)
        if not holds_all(version):
            n_blocks = length_of(path, file, "blocks", n_blocks)
        blocks = read_small(path, file, "blocks", BLOCK_DTYPE, n_blocks)
        part = _part_of(path, version, space, blocks["index"])
        length = chunk_length_for(space)
        chunks = n_chunks(empty_blocks(part, length), length)
        checksums = read_small(path, file, "checksums", np.dtype("<u4"), chunks)
        return _checked(path, version, attributes, part, blocks, checksums)

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

    @property
    def n_bytes(self) -> int:
        """The file's size."""
        return self._path.stat().st_size

    def read(self, chunk: int, out: npt.NDArray[Any]) -> None:
        """See `Source.read`."""
        length = self.contents.chunk_length
        is_whole = len(out) == length
        numbers = out if is_whole else np.empty(length, dtype=out.dtype)
        fault = None
        with reading(self._path):
            try:
                read_chunk(self._values, chunk * length, numbers)
            except ValueError as error:
                fault = error
        if fault is not None:
            raise fault
        if not is_whole:
            out[:] = numbers[: len(out)]

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class FolderSource:
    """A table of block files, which are opened on demand."""

    def __init__(self, path: pathlib.Path) -> None:
        self._path = path
        self.contents = self._read_head()
        self._first_chunks = self.contents.blocks["first_chunk"]
        self._indices = self.contents.blocks["index"]
        self._map = lru_cache(_OPEN_FILES)(self._files.map)

    def _read_head(self) -> Contents:
        path = self._path
        if not (path / HEAD).is_file():
            raise NotATableError(f"{str(path)!r} is a folder without a table's blocks")
        if not (path / TABLE).is_file():
            if is_being_written(path):
                raise TableInUseError(f"{str(path)!r} is in use: a solve is writing to it")
            raise NotATableError(
                f"{str(path)!r} holds the blocks of a solve that is not finished; the same "
                "'ur solve' finishes it"
            )
        try:
            head = json.loads((path / TABLE).read_bytes())
            version = head.pop("version")
            check_version(path, version)
            _check_types(path, head)
            rules = read_rules(path, head["rules"])
            space = present_space(path, version, rules)
            self._files = files_of(path, Job.read(path / HEAD))
            rows = np.fromfile(path / MANIFEST, RECORD)
            checksums = np.fromfile(path / CHECKSUMS, "<u4")
            if len(rows) != len(space.blocks):
                raise damaged(path, f"{MANIFEST} has {counted(len(rows), 'record')}")
            held = np.flatnonzero(rows["magic"] != b"")
            part = _part_of(path, version, space, held)
            return _checked(path, version, head, part, blocks_of_rows(part, rows), checksums)
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise damaged(path, " ".join(str(error).split())[:200]) from None
        except CheckpointError:
            raise damaged(path, f"{HEAD} cannot be read") from None

    @property
    def n_bytes(self) -> int:
        """The size of its files."""
        return sum(each.stat().st_size for each in self._path.rglob("*") if each.is_file())

    def read(self, chunk: int, out: npt.NDArray[Any]) -> None:
        """See `Source.read`."""
        row = int(np.searchsorted(self._first_chunks, chunk, side="right")) - 1
        first = (chunk - int(self._first_chunks[row])) * self.contents.chunk_length
        try:
            out[:] = self._map(int(self._indices[row]))[first : first + len(out)]
        except DamagedBlockError as error:
            raise ValueError(str(error)) from None

    def close(self) -> None:
        """Close the files."""
        self._map.cache_clear()


class ClosedSource:
    """A table after it was closed, which can still say what it held."""

    def __init__(self, path: pathlib.Path, contents: Contents) -> None:
        self._path = path
        self.contents = contents

    @property
    def n_bytes(self) -> int:
        """Raises ClosedTableError."""
        raise self._fault()

    def read(self, chunk: int, out: npt.NDArray[Any]) -> None:
        """Raise ClosedTableError."""
        raise self._fault()

    def close(self) -> None:
        """Do nothing: it is closed."""

    def _fault(self) -> ClosedTableError:
        return ClosedTableError(f"table {str(self._path)!r} is closed: open it again to ask it")


_TYPES: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("rules", "value_type", "made", "program", "digest", "level_errors"), str),
    **dict.fromkeys(("tolerance", "residual", "seconds", "error"), (int, float)),
    "positions": int,
}
_CUT = ("cut_error", "cut_growth")


def _check_types(path: pathlib.Path, head: dict[str, Any]) -> None:
    for name, value in head.items():
        expected = (int, float) if name in _CUT else _TYPES.get(name)
        if expected is None or not isinstance(value, expected):
            raise damaged(path, f"{name!r:.100} in {TABLE} is {value!r:.100}")


def _part_of(
    path: pathlib.Path, version: int, space: Space, indices: npt.NDArray[np.integer[Any]]
) -> Part:
    """The part of a space that has blocks of these numbers, if there are such blocks."""
    if holds_all(version):
        return whole_of(space)  # of which `_checked` compares all rows
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


def _checked(
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
    rules = part.space.rules
    length = chunk_length_for(part.space)
    whole = attributes.pop("digest")
    if digest(attributes, blocks, checksums, version) != whole:
        raise damaged(path, "its digest does not match its attributes and checksums")
    if not is_laid_out_alike(blocks, empty_blocks(part, length)):
        raise damaged(path, f"its blocks are not those of {rules.name}")
    error = attributes["error"]
    read = {"rules": rules, "error": None if math.isnan(error) else error}
    if "level_errors" in attributes:
        read["level_errors"] = _level_errors(path, attributes["level_errors"], part.space.reach)
    header = Header(**(attributes | read))
    if header.positions != part.n_values:
        raise damaged(path, f"positions is {header.positions}, not {part.n_values}")
    if header.error != table_error(blocks):
        raise damaged(path, "its error is not the largest error of its blocks")
    return Contents(header, part, length, blocks, checksums, whole)
