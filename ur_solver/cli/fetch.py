"""`ur fetch`."""

from __future__ import annotations

import json
import pathlib
from functools import partial

import click

from ur_solver.answers.fetch import fetch, name_of
from ur_solver.cli.messages import Messages, message_options
from ur_solver.cli.options import TABLE_PATH, json_option, output_option
from ur_solver.cli.output import echo, size_text
from ur_solver.table.format import OBJECTIVES
from ur_solver.table.names import table_folders
from ur_solver.table.new_path import make_folder
from ur_solver.table.reader import TableFile


@click.command()
@click.argument("url")
@output_option(
    "Write to FILE; by default to the folder of tables, under the name in URL.",
    TABLE_PATH,
    "FILE",
)
@click.option(
    "--sha256", metavar="HEX", help="Expect this checksum; by default the one at URL.sha256."
)
@click.option("--force", is_flag=True, help="Replace an existing table.")
@json_option
@message_options
def command(
    url: str,
    output: pathlib.Path | None,
    sha256: str | None,
    force: bool,
    as_json: bool,
    messages: Messages,
) -> None:
    """Fetch the table at URL, and check it against its checksum.

    The checksum is in the format of sha256sum, at the same address with .sha256 appended. An
    interrupted fetch resumes when the same command is given again.

    \b
    ur fetch https://example.org/finkel-7.h5
    """
    name = name_of(url)
    if output is None:
        output = table_folders()[0] / name
        if make_folder(output.parent):
            messages.say(f"made the folder {output.parent}", "folder", path=str(output.parent))
    shown = partial(messages.progress, "fetching", unit="bytes")
    replaced = fetch(url, output, sha256=sha256, force=force, shown=shown)
    if replaced is not None:
        messages.say(f"replaced {replaced}", "replaced", replaced=replaced)
    with TableFile(output, OBJECTIVES) as table:
        if as_json:
            found = {"path": str(output), "digest": table.digest, "bytes": table.n_bytes}
            echo(json.dumps(found))
        elif not messages.is_quiet:
            echo(f"{output}, {table.rules.title}, {size_text(table.n_bytes)}")
