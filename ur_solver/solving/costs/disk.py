"""Disk: what a solve takes of it, and what there is."""

from __future__ import annotations

import os
import pathlib
import shutil

from ur_solver.blocks.file_names import checkpoint_folder
from ur_solver.errors import DiskLimitError, OutputError
from ur_solver.solving.costs.cost import table_bytes
from ur_solver.solving.request import Request
from ur_solver.table.present import is_unfinished
from ur_solver.table.table_folder import is_folder_name


def disk_bytes(request: Request) -> int:
    """What a solve takes at most: the blocks' files, with 8 bytes a value, and the table's."""
    return 8 * request.part.n_values + table_bytes(request)


def free_bytes(output: pathlib.Path) -> int:
    """What is free where `output` will be.

    Raises
    ------
    OutputError
        If there is no such folder.
    """
    try:
        return shutil.disk_usage(output.parent).free
    except OSError as error:
        raise OutputError(
            f"cannot write to the folder {str(output.parent)!r}: {error.strerror}"
        ) from None


def nearest_place(output: pathlib.Path) -> pathlib.Path:
    """A path named as the output, in the nearest of its folders that exists."""
    return next(each for each in output.absolute().parents if each.is_dir()) / output.name


def check_disk(request: Request, output: pathlib.Path) -> None:
    """Refuse a solve whose files would not fit.

    What an interrupted solve has left of its checkpoint counts as there already.

    Parameters
    ----------
    request : Request
    output : Path
        The table's file or folder.

    Raises
    ------
    DiskLimitError
        Saying what it needs and what there is.
    OutputError
        If there is no such folder.
    """
    part, free = request.part, free_bytes(output)
    if is_folder_name(output):
        # the blocks' files are the table; one that is replaced stays until the new one is whole
        needed = 8 * part.n_values - (_taken(output) if is_unfinished(output) else 0)
    else:
        needed = disk_bytes(request) - _taken(checkpoint_folder(output))
    if needed > free:
        raise DiskLimitError(
            f"{part.title} needs {needed / 1e9:.3g} GB in "
            f"{str(output.parent)!r} while it is solved; {free / 1e9:.3g} GB are free: name a file "
            "on another disk"
        )


def _taken(folder: pathlib.Path) -> int:
    """The bytes on disk of a folder's files."""
    # a name may be too long for a folder, which those who write it say
    found = [each.stat() for each in (folder.rglob("*") if os.path.isdir(folder) else ())]
    return sum(getattr(each, "st_blocks", each.st_size // 512) * 512 for each in found)
