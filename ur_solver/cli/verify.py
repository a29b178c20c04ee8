"""`ur verify`."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from ur_solver.answers.locate import open_file
from ur_solver.answers.verify import verify_table
from ur_solver.cli.lengths import verify as verify_lengths
from ur_solver.cli.messages import Messages, message_options
from ur_solver.cli.objective import objective_option, refuse_options
from ur_solver.cli.options import json_option, number_option, table_argument, threads_option
from ur_solver.cli.output import echo, proven_text, say
from ur_solver.common.text import counted
from ur_solver.errors import CertificateError, DamagedTableError
from ur_solver.table.format import WIN


@click.command()
@table_argument
@objective_option
@number_option(
    "--sample", within=(0, 10**9), default=500, help="Recompute N positions by the readable rules."
)
@threads_option
@json_option
@message_options
def command(
    word: str,
    objective: str,
    sample: int,
    threads: int | None,
    as_json: bool,
    messages: Messages,
) -> None:
    """Check the values of TABLE, a file or a rule set such as finkel:3, by recomputing them.

    The checks cover the checksums of all chunks, the completeness of the table, the equation of
    every position's value with its successors' values, and a random sample by the readable
    rules. A certificate in the table is proven again. The exit code is 1 if the table is wrong.
    """
    try:
        if objective != WIN:
            refuse_options(["sample", "threads"], "lengths of games")
            verify_lengths(word, objective, messages, as_json=as_json)
            return
        with (
            open_file(word, say=say) as opened,
            messages.progress("verifying", opened.part.n_positions) as progress,
        ):
            found = verify_table(opened, sample=sample, threads=threads, progress=progress)
    except (DamagedTableError, CertificateError) as error:
        if as_json:
            echo(json.dumps({"right": False, "message": str(error)}))
        raise
    if as_json:
        facts = {"path": str(opened.path), "right": True, "message": None, **asdict(found)}
        echo(json.dumps(facts))
        return
    if messages.is_quiet:
        return
    proven = (
        ""
        if found.error is None
        else f"\n  none off by more than {proven_text(found.error, opened.rules)}, proven again"
    )
    chunks = counted(found.chunks, "chunk matches its checksum", "chunks match their checksums")
    echo(
        f"{opened.path}: right\n"
        f"  {chunks}\n"
        f"  {counted(found.positions, 'position')} in {counted(found.blocks, 'block')}, each "
        f"within {found.residual:.3g} of what its moves are worth\n"
        f"  {found.sampled:,} of them recomputed by the readable rules{proven}"
    )
