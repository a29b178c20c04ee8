"""Checks of an output's path before writing."""

from __future__ import annotations

import os
import pathlib

from ur_solver.blocks.file_names import HEAD
from ur_solver.errors import NotATableError, OutputError, TableInUseError, UrError
from ur_solver.table.checked_file import is_table_file
from ur_solver.table.format import OBJECTIVES
from ur_solver.table.reader import TableFile
from ur_solver.table.table_folder import TABLE, is_folder_name


def contents_of(path: pathlib.Path) -> str | None:
    """The contents of a path, in words: ``a table of finkel with 3 pieces``; None if it is free."""
    if not os.path.lexists(path):
        return None
    try:
        with TableFile(path, OBJECTIVES) as table:
            lengths = "lengths of " if table.header.objective else ""
            part = "" if table.part.is_whole else f" ({table.part.scope})"
            proven = "" if table.header.error is None else ", certified"
            return f"a table of {lengths}{table.rules.title}{part}{proven}"
    except TableInUseError:
        return "a table that another program is writing"
    except NotATableError:
        if path.is_dir():
            return "an unfinished solve" if is_unfinished(path) else "a folder that is no table"
        return "a file that is no table" if path.is_file() else "no file"
    except UrError:
        return "a table that cannot be read"


def is_unfinished(path: pathlib.Path) -> bool:
    """Whether a path is the folder of an unfinished solve."""
    return os.path.isfile(path / HEAD) and not os.path.isfile(path / TABLE)


def check_replaceable(
    output: pathlib.Path, *, force: bool, source: pathlib.Path | None = None
) -> str | None:
    """Check that a table or a map may be written to a path.

    Parameters
    ----------
    output : Path
    force : bool
        Whether an existing file, table or unfinished solve may be replaced.
    source : Path, optional
        The source of the output, which is never replaced.

    Returns
    -------
    str or None
        What will be replaced, as in `contents_of`; None if there is nothing.

    Raises
    ------
    OutputError
        If an existing file must stay.
    """
    there = contents_of(output)
    if there is None:
        return None
    if source is not None and output.exists() and output.samefile(source):
        raise OutputError(f"{str(output)!r} is itself the source; name another output")
    is_folder = (output / HEAD).is_file() and is_folder_name(output)
    if not (is_folder or output.is_file()):
        raise OutputError(f"{str(output)!r} exists and is {there}; name another output")
    if not force:
        raise OutputError(f"{str(output)!r} already exists and is {there}; --force replaces it")
    return there


def check_place(output: pathlib.Path) -> None:
    """Check that no file is where a table would be a folder.

    Raises
    ------
    OutputError
    """
    if is_folder_name(output) and os.path.isfile(output):
        raise OutputError(
            f"{str(output)!r} is a file, and a table of this name is a folder: end the name in "
            ".h5, or name another output"
        )


def refuse_table(output: pathlib.Path) -> None:
    """Check that a report, games or any other file may be written to a path.

    Raises
    ------
    OutputError
        If a table exists there, or the path is in the folder of a table or of an unfinished solve.
    """
    for folder in output.absolute().parents[:2]:
        if os.path.isfile(folder / HEAD):
            raise OutputError(
                f"{str(output)!r} is in {str(folder)!r}, {contents_of(folder)}; name another output"
            )
    is_named_so = not is_folder_name(output) and os.path.isfile(output)
    if is_named_so or is_table_file(output):
        raise OutputError(f"{str(output)!r} is {contents_of(output)}; name another output")
