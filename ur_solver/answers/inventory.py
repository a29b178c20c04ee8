"""The contents of the folders of tables: tables, unfinished solves, damaged files."""

from __future__ import annotations

import hashlib
import json
import pathlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from ur_solver.answers.locate import ignored_text
from ur_solver.blocks.folder import remove_blocks
from ur_solver.blocks.lock import HEAD, checkpoint_folder
from ur_solver.errors import (
    NotATableError,
    OutputError,
    TableInUseError,
    TableVersionError,
    UrError,
)
from ur_solver.rules import RuleSet
from ur_solver.table.format import OBJECTIVES, TABLE, disk_bytes
from ur_solver.table.names import readable_name, table_folders
from ur_solver.table.output import is_unfinished
from ur_solver.table.reader import TableFile

_UNFINISHED = checkpoint_folder(pathlib.Path("x.h5")).name.removeprefix("x")
"""The suffix of the folder of an unfinished solve: ``.h5.blocks``."""


class Kind(StrEnum):
    """The kind of a file in a folder of tables."""

    TABLE = "table"
    UNFINISHED = "unfinished"
    DAMAGED = "damaged"
    """A table that cannot be read."""
    VERSION = "other version"
    """A table of a format version that this program does not read; `message` says what to do."""
    IN_USE = "in use"
    """A table that cannot be read while another program is writing to it."""
    OTHER = "other"
    """A file with a table's name that is neither a table nor a solve, or with an estimator's name
    that is no estimator."""
    ESTIMATOR = "estimator"
    """A network that estimates values; `ur_solver.estimators.estimator` finds them."""


@dataclass(frozen=True)
class Kept:
    """A table, an unfinished solve, an estimator or a damaged file; unknown fields are None."""

    path: pathlib.Path
    kind: Kind
    n_bytes: int  # on disk
    rules: str | None = None  # the rule set's name
    pieces: int | None = None
    positions: int | None = None  # the number in the table
    left: int | None = None  # as `ur_solver.Table.left`
    is_whole: bool | None = None  # whether the table holds the whole game
    value_type: str | None = None
    tolerance: float | None = None  # from the table, as is its error, None without a certificate
    error: float | None = None
    objective: str | None = None  # what the values are, if not chances of winning, or money
    made: str | None = None  # when, ISO 8601, UTC
    message: str | None = None  # why a table cannot be read
    digest: str | None = None  # SHA-256 of all that a table holds, hexadecimal

    @classmethod
    def of(cls, path: pathlib.Path) -> Self | None:
        """The table or solve at a path; None if it is neither."""
        if path.is_dir() and not (path / TABLE).is_file():
            if not _is_of_solve(path):
                return None
            rules = _rules_of(path)
            name, pieces = (None, None) if rules is None else (rules.name, rules.pieces)
            return cls(path, Kind.UNFINISHED, disk_bytes(path), name, pieces)
        n_bytes = disk_bytes(path)
        try:
            with TableFile(path, OBJECTIVES) as table:
                header = table.header
                return cls(
                    path,
                    Kind.TABLE,
                    n_bytes,
                    rules=header.rules.name,
                    pieces=header.rules.pieces,
                    positions=table.part.n_positions,
                    left=table.part.left,
                    is_whole=table.part.is_whole,
                    value_type=header.value_type,
                    tolerance=header.tolerance * table.space.unit,
                    error=None if header.error is None else header.error * table.space.unit,
                    objective=header.objective,
                    made=header.made,
                    digest=table.digest,
                )
        except NotATableError:
            return None
        except TableInUseError as error:
            return cls(path, Kind.IN_USE, n_bytes, message=str(error))
        except TableVersionError as error:
            return cls(path, Kind.VERSION, n_bytes, message=str(error))
        except UrError as error:
            return cls(path, Kind.DAMAGED, n_bytes, message=str(error))

    @classmethod
    def _other(cls, path: pathlib.Path) -> Self:
        """What lies under a table's name and is none."""
        error = NotATableError(f"{str(path)!r} is not a solution table")
        return cls(path, Kind.OTHER, disk_bytes(path), message=ignored_text(path, error))


def _is_of_solve(path: pathlib.Path) -> bool:
    """Whether a folder has the blocks of a solve, by its name or its head."""
    return path.name.endswith(_UNFINISHED) or (path / HEAD).is_file()


def _rules_of(folder: pathlib.Path) -> RuleSet | None:
    """The rules in the head of a folder of blocks of any version."""
    try:
        return RuleSet.from_json(json.loads((folder / HEAD).read_bytes())["rules"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def kept_tables() -> Iterator[Kept]:
    """The files in the folders of tables that have names of tables or solves, folder by folder."""
    seen = set()
    for folder in table_folders():
        if not folder.is_dir():
            continue
        for path in sorted(folder.iterdir()):
            is_ours = path.name.endswith(".h5") or _is_of_solve(path)
            if is_ours and path.resolve() not in seen:
                seen.add(path.resolve())
                yield Kept.of(path) or Kept._other(path)


def unfinished_solve(rules: RuleSet) -> Kept | None:
    """An unfinished solve of a rule set in the folders of tables; None if there is none."""
    for folder in table_folders():
        for path in sorted(folder.glob(f"{readable_name(rules)}*")) if folder.is_dir() else ():
            found = _rules_of(path)
            if is_unfinished(path) and found is not None and found.is_same_game(rules):
                return Kept.of(path)
    return None


def remove_kept(kept: Kept) -> None:
    """Remove a table or a solve; OutputError if it cannot be, or a solve is writing there."""
    if kept.kind is Kind.IN_USE:
        raise OutputError(kept.message)
    if kept.path.is_dir():
        remove_blocks(kept.path)
        return
    try:
        kept.path.unlink()
    except OSError as error:
        raise OutputError(f"cannot remove {str(kept.path)!r}: {error.strerror}") from None


def checksums(kept: Kept) -> Iterator[tuple[str, pathlib.Path]]:
    """SHA-256 of the bytes of a table's file, or of each file of its folder, with its path."""
    path = kept.path
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    for each in files:
        if each.is_file():
            with each.open("rb") as file:
                yield hashlib.file_digest(file, "sha256").hexdigest(), each
