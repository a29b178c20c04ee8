"""`ur certify`."""

from __future__ import annotations

import click

from ur_solver.cli.options import table_argument
from ur_solver.cli.output import bound_text, say
from ur_solver.locate import open_file
from ur_solver.make import certify_table
from ur_solver.progress import is_watched, position_bar


@click.command(short_help="Prove how far a table's values can be off.")
@table_argument
@click.option("--threads", type=click.IntRange(1), help="Threads; one a processor by default.")
@click.option("--quiet", "-q", is_flag=True, help="Say nothing unless it fails.")
def command(word: str, threads: int | None, quiet: bool) -> None:
    """Prove how far the values of TABLE can be off, and write that into its file.

    TABLE is a file or a rule set, such as finkel:3. The proof needs the values only,
    whoever made them, and 'ur verify' repeats it.

    \b
    ur certify finkel:3
    """
    with (
        open_file(word, say=say) as opened,
        position_bar(
            "certifying", opened.header.positions, is_shown=is_watched() and not quiet
        ) as progress,
    ):
        error = certify_table(opened, threads=threads, progress=progress)
    if not quiet:
        click.echo(f"{opened.path}: no value is off by more than {bound_text(error)}, proven")
