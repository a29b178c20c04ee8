"""A table as a folder: the block files of its solve, and the files that complete it.

Besides the files of `ur_solver.blocks.block_files`, the folder of a complete table holds

    table.json       the attributes of `ur_solver.table.format`, among them version and digest
    checksums.bin    the checksums of all chunks, uint32, in the order of ``/checksums``

The manifest has the data of ``/blocks``, and zeros for blocks outside the table. So the digest is
that of the same table in one file, and `ur pack` converts one to the other.
table.json is written last.
"""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ur_solver.blocks import (
    HEAD,
    MANIFEST,
    BlockFolder,
    chunk_length_for,
    is_being_written,
    remove_blocks,
)
from ur_solver.errors import OutputError
from ur_solver.space import Part
from ur_solver.table.format import Header, digest, empty_blocks, version_of
from ur_solver.table.rows import TableRows

if TYPE_CHECKING:  # a query does not need the kernels
    from ur_solver.engine.result import BlockResult

TABLE, CHECKSUMS = "table.json", "checksums.bin"
_FILE_SUFFIXES = (".h5", ".hdf5")


def is_folder_name(path: pathlib.Path) -> bool:
    """Whether a table of this name is a folder: it has no suffix of a table file."""
    return path.suffix.lower() not in _FILE_SUFFIXES


def remove_folder(path: pathlib.Path) -> None:
    """Remove a folder that holds a table.

    Raises
    ------
    OutputError
        If it is no table, a solve is writing to it, or it cannot be removed.
    """
    if not (path / HEAD).is_file():
        raise OutputError(f"{str(path)!r} is not a table; name another output")
    remove_blocks(path)


@contextmanager
def set_aside(path: pathlib.Path) -> Iterator[None]:
    """Make way for a new folder: an existing table comes back unless a new one replaces it.

    Raises
    ------
    OutputError
        As `remove_folder` does.
    """
    if not path.is_dir():
        yield
        return
    aside = path.with_name(f".{path.name}.part")
    if aside.is_dir():  # of a killed process
        remove_folder(aside)
    if is_being_written(path):
        raise OutputError(f"a solve is writing to {str(path)!r}")
    try:
        path.rename(aside)
    except OSError as error:
        raise OutputError(f"cannot replace {str(path)!r}: {error.strerror}") from None
    try:
        yield
    finally:
        if path.is_dir():
            remove_folder(aside)
        else:
            aside.rename(path)


def blocks_of_rows(part: Part, rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The records of a part's blocks in a manifest, as the rows of ``/blocks``."""
    blocks = empty_blocks(part, chunk_length_for(part.space))
    for name in ("residual", "sweeps", "seconds", "error"):
        blocks[name] = rows[name][blocks["index"]]
    return blocks


class FolderWriter:
    """A folder that becomes a table; the solve writes the block files.

    Parameters
    ----------
    folder : BlockFolder
        Entered.
    tolerance : float
        The tolerance of the values before they are rounded to the value type.
    part : Part, optional
        As for `ur_solver.table.TableWriter`.
    """

    def __init__(self, folder: BlockFolder, *, tolerance: float, part: Part | None = None) -> None:
        self._folder = folder
        job = folder.job
        self._rows = TableRows(job.rules, tolerance=tolerance, value_type=job.value_type, part=part)

    def add(self, result: BlockResult) -> None:
        """Record a block whose file exists or is being written; raises as `TableWriter`."""
        self._rows.check(result)
        self._rows.note(result)

    def finish(self, *, seconds: float, header: Header | None = None) -> Header:
        """Complete the folder; parameters and errors are those of `TableWriter.finish`."""
        header = header or self._rows.header(seconds=seconds)
        folder = self._folder
        part = self._rows.part
        blocks = blocks_of_rows(part, folder.rows)
        checksums = np.concatenate([folder.files.chunks_of(index) for index in part.indices])
        attributes = header.attributes()
        version = version_of(header, len(blocks))
        whole = digest(attributes, blocks, checksums, version)
        head = attributes | {"version": version, "digest": whole}
        try:
            _write(folder.folder / MANIFEST, folder.rows.tobytes())
            _write(folder.folder / CHECKSUMS, checksums.tobytes())
            _write(folder.folder / TABLE, json.dumps(head, indent=1).encode())
        except OSError as error:
            raise OutputError(
                f"cannot write table {str(folder.folder)!r}: {error.strerror or error}"
            ) from None
        return header

    def __enter__(self) -> FolderWriter:
        return self

    def __exit__(self, *exception: object) -> None:
        """Do nothing: the files stay."""


def _write(path: pathlib.Path, content: bytes) -> None:
    part = path.with_name(f".{path.name}.part")
    with part.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
