"""`ur export`."""

from __future__ import annotations

from pathlib import Path

import click

from ur_solver.answers.locate import open_file
from ur_solver.api.table import Table
from ur_solver.cli.options import table_argument
from ur_solver.cli.output import echo, say, size_text
from ur_solver.common.files import check_outputs
from ur_solver.records.maps import VALUE_TYPES, write_map
from ur_solver.table import check_replaceable


@click.command(short_help="Convert a table to RoyalUr's solved map.")
@table_argument
@click.argument("file", metavar="FILE.rgu", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--value-type",
    type=click.Choice(list(VALUE_TYPES)),
    default="percent16",
    show_default=True,
    help="Store values in this type.",
)
@click.option("--author", help="Write this name into the map's metadata.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
def command(word: str, file: Path, value_type: str, author: str | None, force: bool) -> None:
    """Convert TABLE, a file or a rule set such as finkel:3, to a map in RoyalUr's format.

    \b
    ur export finkel:2 finkel2p.rgu
    """
    check_outputs({"FILE.rgu": file}, [word])
    check_replaceable(file, force=force)
    with Table(open_file(word, say=say)) as table:
        replaced = check_replaceable(file, force=force, source=table.path)
        table.file.check_whole("a map")
        entries = write_map(file, table, value_type, author)
    if replaced is not None:
        say(f"replaced {replaced}")
    say(f"{entries:,} entries, {size_text(file.stat().st_size)}")
    echo(str(file))
