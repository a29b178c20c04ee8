"""Tables of earlier format versions, written again with today's ranks."""

from __future__ import annotations

import dataclasses
import pathlib

import numpy as np

from ur_solver.blocks.stored import BlockResult
from ur_solver.common.progress import Progress
from ur_solver.errors import BeyondTableError, InputError, TableVersionError
from ur_solver.rules import RuleSet
from ur_solver.space import Part, Space, part_of
from ur_solver.space.earlier_races import LAST_VERSION, EarlierRaces
from ur_solver.table.format import OBJECTIVES, is_folder_name, table_error
from ur_solver.table.output import check_replaceable
from ur_solver.table.reader import TableFile
from ur_solver.table.writer import TableWriter


def _earlier_space(path: pathlib.Path, version: int, rules: RuleSet) -> Space:
    if version > LAST_VERSION or not EarlierRaces.serves(rules):
        raise TableVersionError(
            f"table {str(path)!r} of {rules.name} has format version {version}; only tables of the "
            f"race family, of versions 3 to {LAST_VERSION}, can be upgraded"
        )
    return EarlierRaces(rules)


def open_earlier(path: pathlib.Path) -> TableFile:
    """Open a table whose positions had other ranks than today; its space is an `EarlierRaces`.

    Raises
    ------
    InputError
        If it is a table of today, or a folder.
    TableVersionError
        If its ranks are not known any more.
    NotATableError, MissingTableError, DamagedTableError, TableInUseError
        As `TableFile` does.
    """
    try:
        with TableFile(path, OBJECTIVES):
            raise InputError(f"table {str(path)!r} needs no upgrade: it is read as it is")
    except TableVersionError:
        if path.is_dir():
            raise
    return TableFile(path, spaces=_earlier_space)


def upgrade(
    table: TableFile,
    output: pathlib.Path,
    *,
    force: bool = False,
    progress: Progress | None = None,
) -> str | None:
    """Write a table again in today's format, with the same values by position.

    Parameters
    ----------
    table : TableFile
        From `open_earlier`.
    output : Path
        Of the new file; the table's own path to replace it, which happens at the end.
    force : bool
        Replace another existing output.
    progress : Progress, optional
        Of positions.

    Returns
    -------
    str or None
        What was replaced, in words, besides the table itself.

    Raises
    ------
    InputError
        If the output is no file's name.
    BeyondTableError
        If the table holds a part of the game other than an ending.
    DamagedTableError
        If its values cannot be read.
    OutputError
        If the new file cannot be written, or the output exists.
    """
    replaced = _checked(table, output, force=force)
    header = table.header
    part = part_of(header.rules, None if table.part.is_whole else table.part.left)
    done = 0
    with TableWriter(
        output, header.rules, tolerance=header.tolerance, value_type=header.value_type, part=part
    ) as writer:
        errors = []
        for index in part.indices:
            result = _block(table, part, index)
            writer.add(result)
            errors.append(np.nan if result.error is None else result.error)
            done += len(result.values)
            if progress is not None:
                progress(done, part.n_values)
        rows = np.array(errors, dtype=[("error", np.float64)])
        writer.finish(
            seconds=header.seconds, header=dataclasses.replace(header, error=table_error(rows))
        )
    return replaced


def _checked(table: TableFile, output: pathlib.Path, *, force: bool) -> str | None:
    """What an upgrade replaces; raises as it does, where it cannot begin."""
    if is_folder_name(output):
        raise InputError(f"{str(output)!r} is not a file's name: expected one that ends in .h5")
    is_own = output.exists() and output.samefile(table.path)
    replaced = None if is_own else check_replaceable(output, force=force)
    if table.part.left is None:
        raise BeyondTableError(
            f"table {str(table.path)!r} holds {table.part.scope} of {table.rules.title}, not all "
            "positions with a number of pieces left: solve it again"
        )
    return replaced


def _block(table: TableFile, part: Part, index: int) -> BlockResult:
    """A block of today with the values of the table.

    Its positions may come from several earlier blocks; what is said of it holds for all of these.
    """
    block = part.space.blocks[index]
    states = part.space.unrank_states(np.arange(block.offset, block.offset + block.size))
    ranks = table.space.rank_states(states)
    starts = table.blocks["first_rank"]
    rows = table.blocks[np.unique(np.searchsorted(starts, ranks, side="right") - 1)]
    error = float(rows["error"].max())
    return BlockResult(
        index=index,
        values=table.read_many(ranks),
        residual=float(rows["residual"].max()),
        sweeps=int(rows["sweeps"].max()),
        seconds=float(rows["seconds"].max()),
        error=None if np.isnan(error) else error,
    )
