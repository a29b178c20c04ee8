"""What a table and a table of lengths have in common, as users know them: one file."""

from __future__ import annotations

import os
import pathlib

from ur_solver.common.closing import Closing
from ur_solver.rules import RuleSet
from ur_solver.table.reader import TableFile


class FileDoor(Closing):
    """What reads one table's file; read only and safe from several threads.

    Parameters
    ----------
    path : path of a file, or TableFile
    objectives : tuple of str
        The objectives that a file's table may have.

    Attributes
    ----------
    file : TableFile
    """

    def __init__(
        self, path: str | os.PathLike[str] | TableFile, objectives: tuple[str, ...]
    ) -> None:
        self.file = path if isinstance(path, TableFile) else TableFile(path, objectives)

    @property
    def rules(self) -> RuleSet:
        """The rule set of the table."""
        return self.file.rules

    @property
    def path(self) -> pathlib.Path:
        """The file."""
        return self.file.path

    def close(self) -> None:
        """Close the file; asking the table afterwards raises ClosedTableError."""
        self.file.close()
