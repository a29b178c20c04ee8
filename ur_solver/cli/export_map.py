"""`ur export`."""

from __future__ import annotations

from pathlib import Path

import click

from ur_solver.answers.locate import open_file
from ur_solver.api.table import Table
from ur_solver.cli.messages import Messages, message_options
from ur_solver.cli.options import memory_option, table_argument
from ur_solver.cli.output import echo, say, size_text
from ur_solver.common.files import check_outputs
from ur_solver.records.maps import VALUE_TYPES, write_map
from ur_solver.table.present import check_replaceable

_EXPORT_MEMORY = 1 << 28
"""Bytes of decoded values by default; a table that takes no more is kept in memory."""


@click.command()
@table_argument
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--parquet", "kind", flag_value="parquet", help="Write columns as Parquet.")
@click.option("--arrow", "kind", flag_value="arrow", help="Write columns as an Arrow IPC file.")
@click.option("--npy", "kind", flag_value="npy", help="Write columns as a structured NumPy array.")
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
def command(
    word: str,
    file: Path,
    kind: str | None,
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
    _check_options(file, kind, columns, value_type, author)
    check_outputs({"FILE": file}, [word])
    check_replaceable(file, force=force)
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
