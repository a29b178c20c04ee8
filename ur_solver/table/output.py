"""Where a table goes, what is there already, and tables packed: copied into another form."""

from __future__ import annotations

import dataclasses
import os
import pathlib
from collections.abc import Iterable
from contextlib import suppress

from ur_solver.blocks.folder import BlockFolder, BlockRecord, BlockResult, Job, remove_blocks
from ur_solver.blocks.lock import HEAD, checkpoint_folder
from ur_solver.blocks.stored import VALUE_TYPES
from ur_solver.errors import InputError, NotATableError, OutputError, TableInUseError, UrError
from ur_solver.rules import RuleSet
from ur_solver.space import Part
from ur_solver.table.format import OBJECTIVES, TABLE, WIN, Header, is_folder_name
from ur_solver.table.hdf5 import is_table_file
from ur_solver.table.names import own_path, table_folders, table_name
from ur_solver.table.reader import TableFile
from ur_solver.table.writer import FolderWriter, TableWriter, part_path, publish_folder


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
    """Check that a table or a map may be written to a path; what will be replaced there, in words.

    None if there is nothing. OutputError if what is there must stay: it may be replaced with
    `force` if it is a file, a table or an unfinished solve, but never if it is the source of the
    output.
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
    """Raise OutputError if a file is where a table would be a folder."""
    if is_folder_name(output) and os.path.isfile(output):
        raise OutputError(
            f"{str(output)!r} is a file, and a table of this name is a folder: end the name in "
            ".h5, or name another output"
        )


def refuse_table(output: pathlib.Path) -> None:
    """Check that a report, games or any other file may be written to a path.

    OutputError if a table exists there, or the path is in the folder of a table or of an unfinished
    solve.
    """
    for folder in output.absolute().parents[:2]:
        if os.path.isfile(folder / HEAD):
            raise OutputError(
                f"{str(output)!r} is in {str(folder)!r}, {contents_of(folder)}; name another output"
            )
    is_named_so = not is_folder_name(output) and os.path.isfile(output)
    if is_named_so or is_table_file(output):
        raise OutputError(f"{str(output)!r} is {contents_of(output)}; name another output")


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


def pack(
    table: TableFile, output: pathlib.Path, *, value_type: str | None = None, force: bool = False
) -> str | None:
    """Write a table again, as one file or as a folder; what the copy replaced, in words.

    A name that ends in .h5 or .hdf5 is a file's, any other a folder's. By default the copy has the
    table's own value type, and then its digest is the same too; one in a coarser type has no
    certificate.

    InputError if the value type is finer than the table's; DamagedTableError if the table's values
    cannot be read; OutputError if the copy cannot be written, or the output exists.
    """
    kind = VALUE_TYPES[value_type or table.header.value_type]
    own = VALUE_TYPES[table.header.value_type]
    if kind.rounding < own.rounding:
        raise InputError(f"values of type {own.name!r} are less exact than {kind.name!r}")
    check_place(output)
    replaced = check_replaceable(output, force=force, source=table.path)
    header = _header(table.header, kind.name)
    results = (
        BlockResult(record, table.read_block(record.index))
        for record in (_record(row, header) for row in table.blocks)
    )
    if not is_folder_name(output):
        with TableWriter(
            output,
            header.rules,
            tolerance=header.tolerance,
            value_type=kind.name,
            part=table.part,
        ) as writer:
            for result in results:
                writer.add(result)
            writer.finish(seconds=header.seconds, header=header)
        return replaced
    is_certified = header.error is not None
    job = Job(header.rules, header.tolerance, is_certified, kind.name, table.part.name)
    partial = part_path(output)
    try:
        _write_folder(partial, job, table.part, header, results)
    except BaseException:
        if partial.is_dir():
            remove_blocks(partial)
        raise
    publish_folder(partial, output)
    return replaced


def _write_folder(
    path: pathlib.Path, job: Job, part: Part, header: Header, results: Iterable[BlockResult]
) -> None:
    with BlockFolder(path, job) as folder:
        packed = FolderWriter(folder, part)
        kind = VALUE_TYPES[job.value_type]
        for result in results:
            packed.add(result)
            stored = kind.encode(result.values)
            folder.note(folder.files.write(result.record, stored, is_read_again=False))
        packed.finish(seconds=header.seconds, header=header)


def _header(header: Header, value_type: str) -> Header:
    if value_type == header.value_type:
        return header
    rounding = VALUE_TYPES[value_type].rounding
    return dataclasses.replace(
        header,
        value_type=value_type,
        tolerance=header.tolerance + rounding,
        error=None,
        level_errors=None,
    )


def _record(row: object, header: Header) -> BlockRecord:
    record = BlockRecord.of(row)
    return record if header.error is not None else dataclasses.replace(record, error=None)
