"""The sources of an open table's data: an HDF5 file, or a folder of block files."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Collection
from typing import Any, Protocol

import numpy.typing as npt

from ur_solver.errors import ObjectiveError
from ur_solver.table.contents import Contents, Spaces
from ur_solver.table.format import WIN
from ur_solver.table.hdf5_source import Hdf5Source


class Source(Protocol):
    """An open table."""

    contents: Contents

    def read(self, chunk: int, out: npt.NDArray[Any]) -> None:
        """Decode a chunk into `out`, which may end before its padding; unchecked.

        Raises
        ------
        ValueError
            If it cannot be decoded.
        """

    def close(self) -> None:
        """Close it."""


def open_source(path: pathlib.Path, objectives: Collection[str], spaces: Spaces) -> Source:
    """Open a table of either kind, with one of some objectives; raises as `TableFile` does."""
    source: Source
    if os.path.isdir(path):
        from ur_solver.table.folder_source import FolderSource  # noqa: PLC0415 - few are folders

        source = FolderSource(path)
    else:
        source = Hdf5Source(path, spaces)
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
