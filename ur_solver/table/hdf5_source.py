"""A table in one HDF5 file, as a source of values."""

from __future__ import annotations

import pathlib
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt

from ur_solver.blocks.chunks import chunk_length_for
from ur_solver.blocks.value_types import VALUE_TYPES
from ur_solver.table.checked_file import (
    check_filters,
    damaged,
    dataset,
    length_of,
    open_file,
    read_attributes,
    read_rules,
    read_small,
    reading,
    stored_chunk,
)
from ur_solver.table.chunk import decode, max_stored
from ur_solver.table.contents import Contents, Spaces, checked_contents, part_of_blocks
from ur_solver.table.format import BLOCK_DTYPE, empty_blocks, holds_all, n_chunks


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
