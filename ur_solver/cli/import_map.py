"""`ur import`."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import numpy as np
import numpy.typing as npt

from ur_solver.api.table import Table
from ur_solver.cli.options import output_option
from ur_solver.cli.output import echo, say
from ur_solver.common.files import check_outputs
from ur_solver.common.machine import free_memory
from ur_solver.records import rules_word
from ur_solver.records.maps import MapHeader, block_results, read_header, read_values
from ur_solver.space import space_of
from ur_solver.table.new_path import make_folder, new_table_path
from ur_solver.table.present import check_replaceable
from ur_solver.table.writer import write_table

# How a table keeps a map's values without loss, and what they may be off at the least.
_KEPT_AS = {
    "percent16": ("uint16", 1 / 65535),
    "f32": ("float32", 2.0**-24),
    "f64": ("float64", 0.0),
}


@click.command()
@click.argument("file", metavar="FILE.rgu", type=click.Path(path_type=Path))
@output_option(
    "Write the table to this file; by default into the folder of tables.",
    click.Path(dir_okay=False, path_type=Path),
)
@click.option("--force", is_flag=True, help="Replace an existing table.")
def command(file: Path, output: Path | None, force: bool) -> None:
    """Convert FILE.rgu, a solved map in RoyalUr's format, to a table.

    The program must know the map's rules, and the map must have every position. The table keeps
    the map's precision. Its tolerance is the map's rounding or the residual of the values,
    whichever is larger.

    \b
    ur import finkel2p.rgu -o finkel-2-royalur.h5
    """
    check_outputs({"--output": output}, [file])
    header = read_header(file)
    value_type, rounding = _KEPT_AS[header.value_type]
    if output is None:
        output = new_table_path(header.rules, value_type)
        if make_folder(output.parent):
            say(f"made the folder {output.parent}")
    replaced = check_replaceable(output, force=force, source=file)
    say(f"{file}: {rules_word(header.rules)}, {sum(header.entries):,} entries, {header.value_type}")
    with _array(header, output.parent) as values:
        read_values(header, values)
        results = list(block_results(header.rules, values))
        residual = max(result.residual for result in results)
        write_table(
            output,
            header.rules,
            results,
            tolerance=max(rounding, residual),
            seconds=0.0,
            value_type=value_type,
        )
    if replaced is not None:
        say(f"replaced {replaced}")
    with Table(output) as table:
        value = table.rules.payoff.text(table.value(table.rules.start()), table.tolerance)
        say(f"the largest residual is {residual:.2g}; the first player wins {value}")
    echo(str(output))


@contextmanager
def _array(header: MapHeader, folder: Path) -> Iterator[npt.NDArray[np.float64]]:
    """An array for all values: in memory, or in a file in `folder` if memory is short."""
    size = space_of(header.rules).n_values
    if 8 * size < free_memory() / 2:
        yield np.empty(size)
        return
    with tempfile.TemporaryFile(dir=folder) as file:
        yield np.memmap(file, dtype=np.float64, mode="w+", shape=(size,))
