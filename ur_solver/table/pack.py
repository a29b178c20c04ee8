"""Packing: a folder as one file, a file as a folder, either in another value type."""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Iterable

from ur_solver.blocks.block_record import BlockRecord, BlockResult
from ur_solver.blocks.folder import BlockFolder, remove_blocks
from ur_solver.blocks.job import Job
from ur_solver.blocks.value_types import VALUE_TYPES
from ur_solver.errors import InputError
from ur_solver.space import Part
from ur_solver.table.folder_writer import FolderWriter, remove_folder
from ur_solver.table.format import Header
from ur_solver.table.part_file import part_path
from ur_solver.table.present import check_place, check_replaceable
from ur_solver.table.reader import TableFile
from ur_solver.table.table_folder import is_folder_name
from ur_solver.table.writer import TableWriter


def pack(
    table: TableFile, output: pathlib.Path, *, value_type: str | None = None, force: bool = False
) -> str | None:
    """Write a table again, as one file or as a folder.

    Parameters
    ----------
    table : TableFile
    output : Path
        A name that ends in .h5 or .hdf5 is a file's, any other a folder's.
    value_type : str, optional
        Of the copy; the table's own by default, and then its digest is the same too. A coarser one
        has no certificate.
    force : bool
        Replace an existing output.

    Returns
    -------
    str or None
        What the copy replaced, in words.

    Raises
    ------
    InputError
        If the value type is finer than the table's.
    DamagedTableError
        If the table's values cannot be read.
    OutputError
        If the copy cannot be written, or the output exists.
    """
    kind = VALUE_TYPES[value_type or table.header.value_type]
    own = VALUE_TYPES[table.header.value_type]
    if kind.rounding < own.rounding:
        raise InputError(f"values of type {own.name!r} are less exact than {kind.name!r}")
    check_place(output)
    replaced = check_replaceable(output, force=force, source=table.path)
    header = _header(table.header, kind.name)
    results = (
        _record(row, header).with_values(table.read_block(int(row["index"])))
        for row in table.blocks
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
    if output.is_dir():
        remove_folder(output)
    partial.rename(output)
    return replaced


def _write_folder(
    path: pathlib.Path, job: Job, part: Part, header: Header, results: Iterable[BlockResult]
) -> None:
    with BlockFolder(path, job) as folder:
        packed = FolderWriter(folder, part)
        kind = VALUE_TYPES[job.value_type]
        for result in results:
            packed.add(result)
            folder.note(folder.files.write(result, kind.encode(result.values), is_read_again=False))
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
