"""`ur solve`."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import click

from ur_solver.api.table import Table
from ur_solver.cli.cost import cost_of
from ur_solver.cli.custom import custom_rule_options, custom_rules
from ur_solver.cli.options import (
    MAX_THREADS,
    FiniteFloat,
    json_option,
    left_option,
    memory_option,
    pieces_option,
    precision_option,
    rules_argument,
    threads_option,
)
from ur_solver.cli.output import (
    bound_text,
    columns,
    echo,
    gib_text,
    proven_text,
    say,
    size_text,
    time_text,
)
from ur_solver.cli.telling import Telling, telling_options
from ur_solver.cluster import Cluster
from ur_solver.errors import CertificateError
from ur_solver.estimates import Room
from ur_solver.kernel import (
    MAX_TOLERANCE,
    MIN_TOLERANCE,
    check_precision,
    default_tolerance,
)
from ur_solver.locate import make_folder, new_table_path
from ur_solver.make import MakeSummary, is_present, make_table
from ur_solver.rules import RuleSet
from ur_solver.rules.words import counted
from ur_solver.space import part_of, space_of
from ur_solver.table import VALUE_TYPES, TableFile


@click.command(short_help="Solve a rule set and write its table.")
@rules_argument
@pieces_option
@left_option
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=pathlib.Path),
    help="The table: a file that ends in .h5, or a folder; among the tables by default.",
)
@click.option(
    "--tolerance",
    type=FiniteFloat(MIN_TOLERANCE, MAX_TOLERANCE),
    show_default="1e-12; in single precision 1e-5",
    help="What a probability may be off.",
)
@click.option("--certify", is_flag=True, help="Prove how far values can be off.")
@precision_option
@threads_option
@memory_option
@click.option("--scheduler", help="The address of a Dask scheduler whose workers solve.")
@click.option(
    "--workers",
    type=click.IntRange(1, MAX_THREADS),
    help="Start so many workers here, which solve.",
)
@click.option(
    "--value-type",
    type=click.Choice(list(VALUE_TYPES)),
    default="float64",
    show_default=True,
    help="How values are stored.",
)
@click.option("--force", is_flag=True, help="Replace a table that is there.")
@click.option("--dry-run", is_flag=True, help="Only say what it would take, and whether it fits.")
@json_option
@telling_options
@custom_rule_options
def command(
    rules: str,
    pieces: int | None,
    left: int | None,
    output: pathlib.Path | None,
    tolerance: float | None,
    certify: bool,
    precision: str,
    threads: int | None,
    memory: int | None,
    scheduler: str | None,
    workers: int | None,
    value_type: str,
    force: bool,
    dry_run: bool,
    as_json: bool,
    telling: Telling,
    **custom: Any,
) -> None:
    """Solve RULES and write its table.

    RULES is a rule set, such as finkel or finkel:3, or a JSON file that holds one. An
    interrupted solve, by Ctrl-C, SIGTERM or a crash, goes on when the same command is given
    again. With --left the table holds the endings of a game, and answers nothing else. With
    --scheduler or --workers, processes solve that share the output's folder; --memory
    is then what each may take, and --threads how many threads a block has at most.

    \b
    ur solve finkel -n 3
    """
    chosen = custom_rules(rules, pieces, **custom)
    part = part_of(chosen.settled(), left)
    if tolerance is None:
        tolerance = default_tolerance(precision)
    check_precision(part.space, precision, tolerance)
    is_named = output is not None
    output = output or new_table_path(chosen, value_type, part)
    if dry_run:
        cost = cost_of(
            part,
            output,
            value_type=value_type,
            certify=certify,
            threads=threads,
            memory=memory,
            precision=precision,
        )
        asked = {"rules": chosen.name, "pieces": chosen.pieces, "path": str(output)}
        echo(json.dumps(asked | cost.to_json()) if as_json else columns(cost.rows(), "<<"))
        raise click.exceptions.Exit(0 if cost.reason is None else 1)
    if not is_named and make_folder(output.parent):
        telling.say(f"made the folder {output.parent}", "folder", path=str(output.parent))
    wanted: dict[str, Any] = {
        "tolerance": tolerance,
        "value_type": value_type,
        "certify": certify,
        "part": part,
    }
    if not force and is_present(output, chosen, **wanted):
        if as_json:
            echo(json.dumps(_facts_of_present(output)))
        else:
            telling.say(f"{output} is there already; --force solves it again", "present")
        return

    def on_resume(done: int, total: int) -> None:
        telling.say(
            f"going on from {done} of {total} blocks that an earlier solve finished",
            "resumed",
            blocks=done,
            total=total,
        )

    def on_room(room: Room) -> None:
        if not room.keeps_all:
            telling.say(
                f"all values in memory would take {gib_text(room.needed)} or more, and "
                f"{gib_text(room.budget)} may be taken: finished blocks are read from their files",
                "from_files",
                memory_bytes=room.budget,
                needed_bytes=room.needed,
            )

    def on_workers(count: int) -> None:
        telling.say(counted(count, "worker"), "workers", workers=count)

    cluster = None
    if scheduler is not None and workers is not None:
        raise click.UsageError("--workers starts workers here, --scheduler has some: give one")
    if scheduler is not None or workers is not None:
        cluster = Cluster(scheduler, workers, threads)
    try:
        with telling.progress("solving", part.n_positions) as progress:
            summary = make_table(
                chosen,
                output,
                precision=precision,
                threads=threads,
                memory=memory,
                cluster=cluster,
                force=force,
                progress=progress,
                on_room=on_room,
                on_resume=on_resume,
                on_workers=on_workers,
                **wanted,
            )
    except KeyboardInterrupt:
        say("interrupted; the same command goes on from the blocks that are finished")
        raise
    if summary.replaced is not None:
        telling.say(f"replaced {summary.replaced}", "replaced", replaced=summary.replaced)
    if as_json:
        echo(json.dumps(_facts(chosen, summary, tolerance, value_type)))
    elif not telling.is_quiet:
        echo(_report(chosen, summary, tolerance))
    unit = space_of(chosen).unit
    if summary.error is not None and summary.error > tolerance * unit:
        raise CertificateError(
            f"{output} is whole, but proven only to {bound_text(summary.error)}, not to "
            f"the tolerance of {tolerance * unit:.3g}: {_worst_blocks(output, tolerance)}"
        )


def _facts(
    rules: RuleSet, summary: MakeSummary, tolerance: float, value_type: str
) -> dict[str, Any]:
    """The summary as JSON values."""
    unit = space_of(rules).unit
    return {
        "rules": rules.name,
        "pieces": rules.pieces,
        "path": str(summary.path),
        "solved": True,
        "left": summary.part.left,
        "positions": summary.positions,
        "value": summary.value,
        "tolerance": (tolerance + VALUE_TYPES[value_type].rounding) * unit,
        "value_type": value_type,
        "residual": summary.residual,
        "error": summary.error,
        "bytes": summary.table_bytes,
        "seconds": summary.seconds,
        "resumed_blocks": summary.resumed_blocks,
        "sweeps": summary.sweeps,
    }


def _facts_of_present(output: pathlib.Path) -> dict[str, Any]:
    """The same of a table that was there already: nothing is known of a solve of now."""
    with Table(output) as table:
        info = table.info()
        same = (
            "left",
            "positions",
            "value",
            "tolerance",
            "value_type",
            "residual",
            "error",
            "bytes",
        )
        return {
            "rules": table.rules.name,
            "pieces": table.rules.pieces,
            "path": str(output),
            "solved": False,
            **{key: info[key] for key in same},
            "seconds": None,
            "resumed_blocks": None,
            "sweeps": None,
        }


def _worst_blocks(output: pathlib.Path, tolerance: float) -> str:
    """Where the proven error is above the tolerance."""
    with TableFile(output) as table:
        above = table.blocks["error"] > tolerance
        first = table.blocks[above][0]
        return (
            f"the bound is above it in {above.sum()} of {counted(len(table.blocks), 'block')}, the "
            f"first of them block {first['index']} with "
            f"{bound_text(first['error'] * table.space.unit)}"
        )


def _report(rules: RuleSet, summary: MakeSummary, tolerance: float) -> str:
    proven = (
        ""
        if summary.error is None
        else f"  no value is off by more than {proven_text(summary.error, rules)}, proven\n"
    )
    if summary.value is None:
        head = f"{rules.title}: {summary.part.scope}"
    else:
        head = (
            f"{rules.title}: the first to throw {rules.payoff.verb} "
            f"{rules.payoff.text(summary.value, tolerance * space_of(rules).unit)}"
        )
    return (
        f"{head}\n"
        f"  {counted(summary.positions, 'position')} in {time_text(summary.seconds)}, largest "
        f"residual {summary.residual:.3g}\n{proven}"
        f"  {summary.path}, {size_text(summary.table_bytes)}"
    )
