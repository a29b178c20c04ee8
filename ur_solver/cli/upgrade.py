"""`ur upgrade`."""

from __future__ import annotations

import json
import pathlib

import click

from ur_solver.answers.locate import path_of
from ur_solver.cli.messages import Messages, message_options
from ur_solver.cli.options import TABLE_PATH, json_option, output_option, table_argument
from ur_solver.cli.output import echo, size_text
from ur_solver.table.reader import TableFile
from ur_solver.table.upgrade import open_earlier, upgrade


@click.command()
@table_argument
@output_option(
    "Write to FILE; by default TABLE is replaced once the new one is complete.",
    TABLE_PATH,
    "FILE",
)
@click.option("--force", is_flag=True, help="Replace an existing FILE.")
@json_option
@message_options
def command(
    word: str, output: pathlib.Path | None, force: bool, as_json: bool, messages: Messages
) -> None:
    """Rewrite TABLE, of the race family and format version 3 to 6, in the current format.

    TABLE is a file or a rule set, such as finkel:3. The values, and what is proven of them, stay
    the same for every position; nothing is solved again. All other tables of version 3 or later are
    read as they are.

    \b
    ur upgrade finkel-3.h5
    """
    path = path_of(word)
    with (
        open_earlier(path) as table,
        messages.progress("rewriting", table.part.n_positions) as progress,
    ):
        replaced = upgrade(table, output or path, force=force, progress=progress)
    if replaced is not None:
        messages.say(f"replaced {replaced}", "replaced", replaced=replaced)
    with TableFile(output or path) as now:
        if as_json:
            echo(json.dumps({"path": str(now.path), "digest": now.digest, "bytes": now.n_bytes}))
        elif not messages.is_quiet:
            echo(f"{now.path}, {size_text(now.n_bytes)}")
