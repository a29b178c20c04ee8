"""What tables, tables of lengths and estimators have in common, as users know them."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from ur_solver.common.files import Closing
from ur_solver.rules import RuleSet
from ur_solver.table.reader import TableFile

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


def asks(
    part: str, method: Callable[Concatenate[Any, _Parameters], _Result]
) -> Callable[Concatenate[Any, _Parameters], _Result]:
    """A method, its documentation included, that the attribute `part` of its object answers."""

    @wraps(method)
    def asked(door: Any, /, *args: _Parameters.args, **options: _Parameters.kwargs) -> _Result:
        return method(getattr(door, part), *args, **options)

    return asked


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
