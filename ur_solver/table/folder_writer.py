"""Writing a table as a folder: making way for it, and completing the folder of a solve's blocks."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ur_solver.blocks.block_record import BlockResult
from ur_solver.blocks.file_names import HEAD, MANIFEST
from ur_solver.blocks.folder import BlockFolder, remove_blocks
from ur_solver.blocks.lock import is_being_written
from ur_solver.common.files import Closing, write_file
from ur_solver.errors import OutputError
from ur_solver.space import Part
from ur_solver.table.format import Header, sealed
from ur_solver.table.rows import TableRows
from ur_solver.table.table_folder import CHECKSUMS, TABLE, blocks_of_rows


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


class FolderWriter(Closing):
    """A folder that becomes a table; the solve writes the block files.

    Parameters
    ----------
    folder : BlockFolder
        Entered.
    part : Part
        The blocks of the table.
    """

    def __init__(self, folder: BlockFolder, part: Part) -> None:
        self._folder = folder
        job = folder.job
        self._rows = TableRows(
            job.rules, tolerance=job.tolerance, value_type=job.value_type, part=part
        )

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
        head = sealed(header, blocks, checksums)
        write_file(folder.folder / MANIFEST, folder.rows.tobytes())
        write_file(folder.folder / CHECKSUMS, checksums.tobytes())
        write_file(folder.folder / TABLE, json.dumps(head, indent=1))
        return header

    def close(self) -> None:
        """Do nothing: the files stay."""
