"""A table as a folder: the block files of its solve, and the files that complete it.

Besides the files of `ur_solver.blocks.block_files`, the folder of a complete table holds

    table.json       the attributes of `ur_solver.table.format`, among them version and digest
    checksums.bin    the checksums of all chunks, uint32, in the order of ``/checksums``

The manifest has the data of ``/blocks``, and zeros for blocks outside the table. So the digest is
that of the same table in one file, and `ur pack` converts one to the other.
table.json is written last.
"""

from __future__ import annotations

import pathlib
from typing import Any

import numpy.typing as npt

from ur_solver.blocks.chunks import chunk_length_for
from ur_solver.space import Part
from ur_solver.table.format import empty_blocks

TABLE, CHECKSUMS = "table.json", "checksums.bin"
_FILE_SUFFIXES = (".h5", ".hdf5")


def is_folder_name(path: pathlib.Path) -> bool:
    """Whether a table of this name is a folder: it has no suffix of a table file."""
    return path.suffix.lower() not in _FILE_SUFFIXES


def disk_bytes(path: pathlib.Path) -> int:
    """The bytes of a file, or of all files of a folder."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(each.stat().st_size for each in files if each.is_file())


def blocks_of_rows(part: Part, rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The records of a part's blocks in a manifest, as the rows of ``/blocks``."""
    blocks = empty_blocks(part, chunk_length_for(part.space))
    for name in ("residual", "sweeps", "seconds", "error"):
        blocks[name] = rows[name][blocks["index"]]
    return blocks
