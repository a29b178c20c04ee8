"""`ur pack`."""

from __future__ import annotations

import pathlib

import click

from ur_solver.answers.locate import open_file
from ur_solver.blocks.value_types import VALUE_TYPES
from ur_solver.cli.options import table_argument
from ur_solver.cli.output import echo, say, size_text
from ur_solver.table.pack import pack
from ur_solver.table.reader import TableFile


@click.command()
@table_argument
@click.argument("output", type=click.Path(path_type=pathlib.Path))
@click.option(
    "--value-type",
    type=click.Choice(list(VALUE_TYPES)),
    help="Store values in this type; by default as in TABLE.",
)
@click.option("--force", is_flag=True, help="Replace an existing output.")
@click.option("--quiet", "-q", is_flag=True, help="Print nothing unless the command fails.")
def command(
    word: str, output: pathlib.Path, value_type: str | None, force: bool, quiet: bool
) -> None:
    """Copy TABLE to OUTPUT: one file if its name ends in .h5, otherwise a folder.

    TABLE is a file, a folder or a rule set. A folder has one file per block, like the result of a
    large solve. Without --value-type the copied values are identical to the last bit.

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
