"""`ur pack`."""

from __future__ import annotations

import pathlib

import click

from ur_solver.cli.options import table_argument
from ur_solver.cli.output import echo, say, size_text
from ur_solver.locate import open_file
from ur_solver.table import VALUE_TYPES, TableFile, pack


@click.command(short_help="A table as one file, or as a folder.")
@table_argument
@click.argument("output", type=click.Path(path_type=pathlib.Path))
@click.option(
    "--value-type",
    type=click.Choice(list(VALUE_TYPES)),
    help="How values are stored; as in TABLE by default.",
)
@click.option("--force", is_flag=True, help="Replace what is there.")
@click.option("--quiet", "-q", is_flag=True, help="Say nothing unless it fails.")
def command(
    word: str, output: pathlib.Path, value_type: str | None, force: bool, quiet: bool
) -> None:
    """Write TABLE again to OUTPUT, as one file if its name ends in .h5, or as a folder.

    TABLE is a file, a folder or a rule set. A folder has a file for each block, as a large solve
    leaves it. Without --value-type the copy holds the same to the last bit.

    \b
    ur pack finkel:3 finkel-3
    """
    with open_file(word, say=say) as table:
        replaced = pack(table, output, value_type=value_type, force=force)
    if not quiet:
        if replaced is not None:
            say(f"replaced {replaced}")
        with TableFile(output) as packed:
            echo(f"{output}, {size_text(packed.n_bytes)}")
