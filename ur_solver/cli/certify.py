"""`ur certify`."""

from __future__ import annotations

import json

import click

from ur_solver.answers.locate import open_file
from ur_solver.cli.messages import Messages, message_options
from ur_solver.cli.options import json_option, table_argument, threads_option
from ur_solver.cli.output import echo, proven_text, say
from ur_solver.solving.certificates import certify_table


@click.command()
@table_argument
@threads_option
@json_option
@message_options
def command(word: str, threads: int | None, as_json: bool, messages: Messages) -> None:
    """Prove a bound on the error of the values of TABLE, and store it in its file.

    TABLE is a file or a rule set, such as finkel:3. The proof uses the values alone,
    whatever program made them. 'ur verify' repeats it.

    \b
    ur certify finkel:3
    """
    with (
        open_file(word, say=say) as opened,
        messages.progress("certifying", opened.part.n_positions) as progress,
    ):
        error = certify_table(opened, threads=threads, progress=progress)
    if as_json:
        echo(json.dumps({"path": str(opened.path), "error": error}))
    elif not messages.is_quiet:
        proven = proven_text(error, opened.rules)
        echo(f"{opened.path}: no value is off by more than {proven}, proven")
