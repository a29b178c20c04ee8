"""`ur solve`."""

from __future__ import annotations

import pathlib
from typing import Any

import click

from ur_solver.cli.options import custom_rule_options, custom_rules, pieces_option
from ur_solver.cli.output import bound_text, say, size_text, time_text, worth
from ur_solver.cli.progress import position_bar
from ur_solver.errors import CertificateError, NotATableError, OutputError, UrError
from ur_solver.locate import make_folder, new_table_path
from ur_solver.make import MakeSummary, make_table
from ur_solver.rules import RuleSet
from ur_solver.solve import MIN_TOLERANCE
from ur_solver.space import space_of
from ur_solver.table import VALUE_TYPES, Table


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
    if output.exists() and not force:
        _check_present(output, chosen, tolerance, value_type, certify)
        if not quiet:
            say(f"{output} is there already; --force solves it again")
        return

    def on_resume(done: int, total: int) -> None:
        if not quiet:
            say(f"going on from {done} of {total} blocks that an earlier solve finished")

    try:
        with position_bar("solving", space_of(chosen).n_placements, quiet) as progress:
            summary = make_table(
                chosen,
                output,
                tolerance=tolerance,
                certify=certify,
                threads=threads,
                value_type=value_type,
                progress=progress,
                on_resume=on_resume,
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


def _check_present(
    output: pathlib.Path, rules: RuleSet, tolerance: float, value_type: str, certify: bool
) -> None:
    """Accept the file at `output` if it is what would be made; OutputError if not."""
    try:
        with Table(output) as table:
            header = table.header
    except NotATableError:
        raise OutputError(
            f"{str(output)!r} is there and is not a table; name another with -o"
        ) from None
    except UrError as error:
        raise OutputError(f"{error}; --force replaces it") from None
    rounding = VALUE_TYPES[value_type].rounding
    if not (
        header.rules.is_same_game(rules)
        and header.rules.stakes == rules.settled().stakes
        and header.value_type == value_type
        and header.tolerance <= tolerance + rounding
    ):
        raise OutputError(
            f"{str(output)!r} holds {header.rules.name} with {header.rules.pieces} pieces as "
            f"{header.value_type}, tolerance {header.tolerance:.3g}; --force replaces it, -o "
            "names another file"
        )
    if certify and (header.error is None or header.error > tolerance):
        proven = "nothing" if header.error is None else f"an error of {bound_text(header.error)}"
        raise OutputError(
            f"{str(output)!r} is there, and of it {proven} is proven; 'ur certify' proves what "
            "can be, --force solves it again"
        )


def _worst_blocks(output: pathlib.Path, tolerance: float) -> str:
    """Where the proven error is above the tolerance."""
    with Table(output) as table:
        above = table.blocks["error"] > tolerance
        first = table.blocks[above][0]
        return (
            f"{above.sum()} of {len(table.blocks)} blocks are above it, the first of them block "
            f"{first['index']} with {bound_text(first['error'])}"
        )


def _report(rules: RuleSet, summary: MakeSummary, tolerance: float) -> str:
    verb = "wins" if rules.stakes is None else "gets"
    proven = (
        ""
        if summary.error is None
        else f"  no value is off by more than {bound_text(summary.error)}, proven\n"
    )
    return (
        f"{rules.name} with {rules.pieces} pieces: the first to throw {verb} "
        f"{worth(rules, summary.value, tolerance * space_of(rules).unit)}\n"
        f"  {summary.positions:,} positions in {time_text(summary.seconds)}, largest residual "
        f"{summary.residual:.3g}\n{proven}"
        f"  {summary.path}, {size_text(summary.table_bytes)}"
    )
