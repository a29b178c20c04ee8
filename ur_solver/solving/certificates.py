"""Certificates of tables: proving error bounds for a file's values, and storing them in it."""

from __future__ import annotations

import pathlib
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ur_solver.blocks.value_types import VALUE_TYPES
from ur_solver.engine import ThreadRunner, bound_levels, certify
from ur_solver.errors import InputError
from ur_solver.space import StakesSpace
from ur_solver.table.reader import TableFile
from ur_solver.table.writer import add_certificate

_LEVEL_SPARE = 1.25
"""Errors of levels are stated with this factor, so that they are found again with other threads or
in another order. They cover many orders of magnitude."""


def certify_table(
    table: TableFile,
    *,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> float:
    """Prove error bounds for the values of a table and write them into its file.

    Parameters
    ----------
    table : TableFile
        Of any value type: the proof covers the values as they are read, with their rounding. The
        open table still reads the old file.
    threads : int, optional
        One a processor by default.
    progress : callable, optional
        Called with the positions done and their total.

    Returns
    -------
    float
        The largest proven error, in units of the values: with stakes money.

    Raises
    ------
    InputError
        If the table is a folder.
    CertificateError
        If no bound can be proven for a block; the file stays unchanged.
    DamagedTableError
        If the table's values cannot be read.
    OutputError
        If the file cannot be written; it stays unchanged.
    """
    if table.path.is_dir():
        raise InputError(
            f"{str(table.path)!r} is a folder, which is certified while it is solved "
            "('ur solve --certify'); 'ur pack' copies it into one file, which can be certified"
        )
    space = table.space
    values = VALUE_TYPES[table.header.value_type].decode(table.load())
    # with stakes every block is bounded twice, which counts as half of its positions each time
    turns = space.values_per_position * (2 if space.has_levels else 1)
    done = 0

    def count(index: int) -> None:
        nonlocal done
        done += space.blocks[index].size
        if progress is not None:
            progress(done // turns, table.part.n_positions)

    errors = certify(space, values, part=table.part, runner=ThreadRunner(threads), on_block=count)
    add_certificate(table, errors, _level_errors(table, values, errors, threads, count))
    return float(errors.max()) * space.unit


def certify_levels(path: pathlib.Path, *, threads: int | None = None) -> None:
    """Write proven errors by level of fines into a certified table with stakes.

    Parameters
    ----------
    path : Path
        Of the table's file.
    threads : int, optional
        One a processor by default.

    Raises
    ------
    CertificateError
        If no bound can be proven for a block; the file stays unchanged.
    OutputError
        If the file cannot be written; it stays unchanged.
    """
    with TableFile(path) as table:
        errors = table.blocks["error"]
        add_certificate(table, errors, _level_errors(table, table.load(), errors, threads))


def _level_errors(
    table: TableFile,
    values: npt.NDArray[np.float64],
    errors: npt.NDArray[np.float64],
    threads: int | None,
    on_block: Callable[[int], object] = lambda index: None,
) -> tuple[float, ...] | None:
    """The proven errors by number of fines, with the cut; None without stakes."""
    if not isinstance(table.space, StakesSpace):
        return None
    runner = ThreadRunner(threads)
    found = bound_levels(
        table.space, values, errors, part=table.part, runner=runner, on_block=on_block
    )
    return tuple((_LEVEL_SPARE * found).tolist())
