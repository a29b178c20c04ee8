"""`ur solve`."""

from __future__ import annotations

import pathlib
from typing import Any

import click

from ur_solver.cli.custom import custom_rule_options, custom_rules
from ur_solver.cli.options import pieces_option
from ur_solver.cli.output import bound_text, say, size_text, time_text
from ur_solver.engine import MIN_TOLERANCE
from ur_solver.errors import CertificateError
from ur_solver.locate import make_folder, new_table_path
from ur_solver.make import MakeSummary, is_present, make_table
from ur_solver.progress import is_watched, position_bar
from ur_solver.rules import RuleSet
from ur_solver.space import space_of
from ur_solver.table import VALUE_TYPES, TableFile


@click.command(short_help="Solve a rule set and write its table.")
@click.argument("rules")
@pieces_option
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=pathlib.Path, dir_okay=False),
    help="The table's file; among the tables by default.",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(MIN_TOLERANCE, 0.5),
    default=1e-12,
    show_default=True,
    help="What a probability may be off.",
)
@click.option("--certify", is_flag=True, help="Prove how far values can be off.")
@click.option("--threads", type=click.IntRange(1), help="Threads; one a processor by default.")
@click.option(
    "--value-type",
    type=click.Choice(list(VALUE_TYPES)),
    default="float64",
    show_default=True,
    help="How values are stored.",
)
@click.option("--quiet", "-q", is_flag=True, help="Say nothing unless it fails.")
@click.option("--force", is_flag=True, help="Replace a table that is there.")
@custom_rule_options
def command(
    rules: str,
    pieces: int | None,
    output: pathlib.Path | None,
    tolerance: float,
    certify: bool,
    threads: int | None,
    value_type: str,
    quiet: bool,
    force: bool,
    **custom: Any,
) -> None:
    """Solve RULES and write its table.

    RULES is a rule set, such as finkel or finkel:3, or a JSON file that holds one. An
    interrupted solve goes on when the same command is given again.

    \b
    ur solve finkel -n 3
    """
    chosen = custom_rules(rules, pieces, **custom)
    if output is None:
        output = new_table_path(chosen, value_type)
        make_folder(output.parent)
    wanted: dict[str, Any] = {
        "tolerance": tolerance,
        "value_type": value_type,
        "certify": certify,
    }
    if not force and is_present(output, chosen, **wanted):
        if not quiet:
            say(f"{output} is there already; --force solves it again")
        return

    def on_resume(done: int, total: int) -> None:
        if not quiet:
            say(f"going on from {done} of {total} blocks that an earlier solve finished")

    try:
        with position_bar(
            "solving", space_of(chosen).n_positions, is_shown=is_watched() and not quiet
        ) as progress:
            summary = make_table(
                chosen, output, threads=threads, progress=progress, on_resume=on_resume, **wanted
            )
    except KeyboardInterrupt:
        say("interrupted; the same command goes on from the blocks that are finished")
        raise
    if not quiet:
        click.echo(_report(chosen, summary, tolerance))
    if summary.error is not None and summary.error > tolerance:
        raise CertificateError(
            f"{output} is whole, but proven only to {bound_text(summary.error)}, not to "
            f"the tolerance of {tolerance:.3g}: {_worst_blocks(output, tolerance)}"
        )


def _worst_blocks(output: pathlib.Path, tolerance: float) -> str:
    """Where the proven error is above the tolerance."""
    with TableFile(output) as table:
        above = table.blocks["error"] > tolerance
        first = table.blocks[above][0]
        return (
            f"{above.sum()} of {len(table.blocks)} blocks are above it, the first of them block "
            f"{first['index']} with {bound_text(first['error'])}"
        )


def _report(rules: RuleSet, summary: MakeSummary, tolerance: float) -> str:
    proven = (
        ""
        if summary.error is None
        else f"  no value is off by more than {bound_text(summary.error)}, proven\n"
    )
    return (
        f"{rules.name} with {rules.pieces} pieces: the first to throw {rules.payoff.verb} "
        f"{rules.payoff.text(summary.value, tolerance * space_of(rules).unit)}\n"
        f"  {summary.positions:,} positions in {time_text(summary.seconds)}, largest residual "
        f"{summary.residual:.3g}\n{proven}"
        f"  {summary.path}, {size_text(summary.table_bytes)}"
    )
