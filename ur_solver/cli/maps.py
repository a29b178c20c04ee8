"""`ur import` and `ur export`: RoyalUr's solved maps, and columns."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import numpy as np
import numpy.typing as npt

from ur_solver.answers.locate import is_rule_set, open_file
from ur_solver.api.table import Table
from ur_solver.cli.messages import Messages, message_options
from ur_solver.cli.options import TABLE_PATH, memory_option, output_option, table_argument
from ur_solver.cli.output import echo, say
from ur_solver.common.files import check_outputs, make_folder
from ur_solver.common.machine import free_memory
from ur_solver.common.progress import shown_task
from ur_solver.common.text import size_text
from ur_solver.records import rules_word
from ur_solver.records.maps import (
    VALUE_TYPES,
    MapHeader,
    block_results,
    read_header,
    read_values,
    settings_and_keys,
    write_map,
)
from ur_solver.rules import named_rules
from ur_solver.space import space_of
from ur_solver.table.output import check_replaceable, new_table_path
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
    TABLE_PATH,
)
@click.option("--force", is_flag=True, help="Replace an existing table.")
def import_command(file: Path, output: Path | None, force: bool) -> None:
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
    with shown_task("importing"), _array(header, output.parent) as values:
        read_values(header, values)
        results = list(block_results(header.rules, values))
        residual = max(result.record.residual for result in results)
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


_EXPORT_MEMORY = 1 << 28
"""Bytes of decoded values by default; a table that takes no more is kept in memory."""


@click.command()
@table_argument
@click.argument("file", type=TABLE_PATH)
@click.option("--parquet", is_flag=True, help="Write columns as Parquet.")
@click.option("--arrow", is_flag=True, help="Write columns as an Arrow IPC file.")
@click.option("--npy", is_flag=True, help="Write columns as a structured NumPy array.")
@click.option(
    "--columns",
    metavar="NAMES",
    help="Write only these columns, separated by commas, such as position,value.",
)
@memory_option("Keep this much of the table in memory, such as 1GiB; by default 256 MiB.")
@click.option(
    "--value-type",
    type=click.Choice(list(VALUE_TYPES)),
    help="Store a map's values in this type; by default percent16.",
)
@click.option("--author", help="Write this name into a map's metadata.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
@message_options
def export_command(
    word: str,
    file: Path,
    parquet: bool,
    arrow: bool,
    npy: bool,
    columns: str | None,
    memory: int | None,
    value_type: str | None,
    author: str | None,
    force: bool,
    messages: Messages,
) -> None:
    """Export TABLE, a file or a rule set such as finkel:3.

    By default FILE is a map in RoyalUr's format (.rgu). With --parquet, --arrow or --npy it has a
    row for each position, which pandas, polars and DuckDB read, with its value, its error and, for
    each throw, the best move, its margin to the second best and the number of moves.

    \b
    ur export finkel:2 finkel2p.rgu
    ur export finkel:2 finkel-2.parquet --parquet
    """
    kind = _kind_of({"parquet": parquet, "arrow": arrow, "npy": npy})
    _check_options(file, kind, columns, value_type, author)
    check_outputs({"FILE": file}, [word])
    check_replaceable(file, force=force)
    if kind is None and is_rule_set(word):
        settings_and_keys(named_rules(word))  # a MapError comes before a table is solved
    with Table(open_file(word, say=say)) as table:
        replaced = check_replaceable(file, force=force, source=table.path)
        if kind is None:
            table.check_whole("a map")
            count, what = write_map(file, table, value_type or "percent16", author), "entries"
        else:
            table.limit_memory(memory or _EXPORT_MEMORY)
            names = None if columns is None else [each.strip() for each in columns.split(",")]
            with messages.progress("exporting", table.header.positions) as progress:
                count, what = table.export(file, kind, names, progress), "positions"
    if not messages.is_quiet:
        if replaced is not None:
            say(f"replaced {replaced}")
        say(f"{count:,} {what}, {size_text(file.stat().st_size)}")
        echo(str(file))


def _kind_of(asked: dict[str, bool]) -> str | None:
    """The kind of file that is asked for; None for a map."""
    kinds = [kind for kind, is_asked in asked.items() if is_asked]
    if len(kinds) > 1:
        raise click.UsageError(f"--{kinds[0]} and --{kinds[1]} name different kinds: give one")
    return kinds[0] if kinds else None


def _check_options(
    file: Path, kind: str | None, columns: str | None, value_type: str | None, author: str | None
) -> None:
    """Check that options are of the kind of file that is written."""
    suffix = file.suffix.lower().removeprefix(".")
    if suffix in ("parquet", "arrow", "npy") and suffix != kind:
        written = "a map, such as map.rgu" if kind is None else f"--{kind}"
        raise click.UsageError(f"{str(file)!r} is a name for --{suffix}, not for {written}")
    if kind is None and columns is not None:
        raise click.UsageError("--columns is for --parquet, --arrow and --npy")
    if kind is not None and (value_type is not None or author is not None):
        raise click.UsageError(f"--value-type and --author are for maps, not for --{kind}")
