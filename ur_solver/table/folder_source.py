"""A table of block files, as a source of values."""

from __future__ import annotations

import json
import math
import pathlib
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.blocks.folder import RECORD, Job, files_of
from ur_solver.blocks.lock import HEAD, MANIFEST, is_held
from ur_solver.common.text import counted
from ur_solver.errors import (
    CheckpointError,
    DamagedBlockError,
    NotATableError,
    OutputError,
    TableInUseError,
)
from ur_solver.table.format import ATTRIBUTES, CHECKSUMS, TABLE, blocks_of_rows
from ur_solver.table.hdf5 import (
    Contents,
    check_version,
    checked_contents,
    damaged,
    part_of_blocks,
    read_rules,
    reading,
    space_of_version,
)

_OPEN_FILES = 64
"""The number of block files that stay mapped."""


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
            if is_held(path):
                raise TableInUseError(f"{str(path)!r} is in use: a solve is writing to it")
            raise NotATableError(
                f"{str(path)!r} holds the blocks of a solve that is not finished; the same "
                "'ur solve' finishes it"
            )
        with reading(path):
            return self._checked_head()

    def _checked_head(self) -> Contents:
        path = self._path
        head = json.loads((path / TABLE).read_bytes())
        if not isinstance(head, dict):
            raise damaged(path, f"{TABLE} is {head!r:.60}, not an object")
        version = head.pop("version")
        check_version(path, version)
        if head.get("error", 0.0) is None:  # JSON has no NaN
            head["error"] = math.nan
        _check_types(path, head)
        rules = read_rules(path, head["rules"])
        space = space_of_version(path, version, rules)
        try:
            self._files = files_of(path, Job.read(path / HEAD))
        except CheckpointError:
            raise damaged(path, f"{HEAD} cannot be read") from None
        rows = np.fromfile(path / MANIFEST, RECORD)
        checksums = np.fromfile(path / CHECKSUMS, "<u4")
        if len(rows) != len(space.blocks):
            raise damaged(path, f"{MANIFEST} has {counted(len(rows), 'record')}")
        held = np.flatnonzero(rows["magic"] != b"")
        part = part_of_blocks(path, version, space, held)
        return checked_contents(path, version, head, part, blocks_of_rows(part, rows), checksums)

    def read(self, chunk: int, out: npt.NDArray[Any]) -> None:
        """See `Source.read`."""
        row = int(np.searchsorted(self._first_chunks, chunk, side="right")) - 1
        first = (chunk - int(self._first_chunks[row])) * self.contents.chunk_length
        try:
            out[:] = self._map(int(self._indices[row]))[first : first + len(out)]
        except (DamagedBlockError, OutputError) as error:
            raise ValueError(str(error)) from None

    def close(self) -> None:
        """Close the files."""
        self._map.cache_clear()


def _check_types(path: pathlib.Path, head: dict[str, Any]) -> None:
    for name, value in head.items():
        kind = ATTRIBUTES.get(name, ())
        is_right = isinstance(value, kind) or (kind is float and isinstance(value, int))
        is_text = not isinstance(value, str) or (value.isascii() and value.isprintable())
        if not (is_right and is_text) or isinstance(value, bool):
            raise damaged(path, f"{name!r:.100} in {TABLE} is {value!r:.100}")
