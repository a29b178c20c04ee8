"""Where a new table goes: a path that no other rule set's table has, in a folder that is there."""

from __future__ import annotations

import os
import pathlib
from contextlib import suppress

from ur_solver.blocks.file_names import HEAD, checkpoint_folder
from ur_solver.blocks.job import Job
from ur_solver.errors import OutputError, UrError
from ur_solver.rules import RuleSet
from ur_solver.space import Part
from ur_solver.table.format import OBJECTIVES, WIN
from ur_solver.table.names import own_path, table_folders, table_name
from ur_solver.table.reader import TableFile


def new_table_path(
    rules: RuleSet,
    value_type: str = "float64",
    part: Part | None = None,
    objective: str = WIN,
) -> pathlib.Path:
    """The default path of a rule set's table, whether it exists or not."""
    folder = table_folders()[0]
    return own_path(
        rules, lambda stem: folder / table_name(stem, value_type, part, objective), _rules_at
    )


def _rules_at(path: pathlib.Path) -> RuleSet | None:
    """The rules of the table at a path, or of the unfinished solve of one."""
    with suppress(UrError):
        if os.path.lexists(path):
            with TableFile(path, OBJECTIVES) as table:
                return table.rules
        head = checkpoint_folder(path) / HEAD
        if head.is_file():
            return Job.read(head).rules
    return None


def make_folder(folder: pathlib.Path) -> bool:
    """Make a folder for tables if it does not exist; return whether it was made.

    Raises
    ------
    OutputError
        If it cannot be made.
    """
    if folder.is_dir():
        return False
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot make the folder {str(folder)!r}: {error.strerror}") from None
    return True
