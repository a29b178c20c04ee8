"""`ur solve`."""

from __future__ import annotations

import json
from typing import Any

import click

from ur_solver.api.table import Table
from ur_solver.blocks.value_types import VALUE_TYPES
from ur_solver.cli.cost import cost_of
from ur_solver.cli.custom import custom_rule_options, custom_rules
from ur_solver.cli.lengths import solve as solve_lengths
from ur_solver.cli.messages import Messages, message_options
from ur_solver.cli.objective import objective_option, refuse_options
from ur_solver.cli.options import (
    MAX_THREADS,
    TABLE_PATH,
    FiniteFloat,
    json_option,
    left_option,
    memory_option,
    number_option,
    output_option,
    pieces_option,
    precision_option,
    rules_argument,
    threads_option,
)
from ur_solver.cli.output import columns, echo
from ur_solver.cli.sections import SectionedCommand
from ur_solver.cli.solve_report import check_proven, facts, report, show_events
from ur_solver.engine.cluster import Cluster
from ur_solver.kernel import MAX_TOLERANCE, MIN_TOLERANCE
from ur_solver.solving import Plan, Request, Verdict, path_of, plan_of, run
from ur_solver.table.format import WIN

_SECTIONS = {
    "What to solve": ("pieces", "objective", "left", "tolerance", "certify", "value_type"),
    "How to solve it": ("precision", "threads", "memory", "workers", "scheduler", "dry_run"),
    "Where to put it, and what to print": (
        *("output", "force", "as_json", "quiet", "form", "verbose", "help"),
    ),
}


@click.command(cls=SectionedCommand, sections=_SECTIONS)
@rules_argument
@pieces_option
@objective_option
@left_option
@output_option(
    "Write the table to this file, which ends in .h5, or to this folder; by default in the folder "
    "of tables.",
    TABLE_PATH,
)
@click.option(
    "--tolerance",
    type=FiniteFloat(MIN_TOLERANCE, MAX_TOLERANCE),
    show_default="1e-12; in single precision 1e-5",
    help="Set the largest allowed error of a probability.",
)
@click.option("--certify", is_flag=True, help="Prove a bound on the error of the values.")
@precision_option
@threads_option
@memory_option()
@click.option("--scheduler", help="Solve with the workers of the Dask scheduler at this address.")
@number_option(
    "--workers", within=(1, MAX_THREADS), help="Solve with N worker processes on this machine."
)
@click.option(
    "--value-type",
    type=click.Choice(list(VALUE_TYPES)),
    default="float64",
    show_default=True,
    help="Store values in this type.",
)
@click.option("--force", is_flag=True, help="Replace an existing table.")
@click.option("--dry-run", is_flag=True, help="Only report the cost, and whether it fits.")
@json_option
@message_options
@custom_rule_options
def command(
    rules: str,
    pieces: int | None,
    objective: str,
    scheduler: str | None,
    workers: int | None,
    dry_run: bool,
    as_json: bool,
    messages: Messages,
    **options: Any,
) -> None:
    """Solve RULES and write its table.

    RULES is a rule set, such as finkel or finkel:3, or a JSON file that holds one. A
    solve interrupted by Ctrl-C, SIGTERM or a crash resumes when the same command is given again.
    With --left the table covers only the endings of a game. With --scheduler or --workers the
    work is shared by processes that use the output's folder; --memory is then the limit for
    each, and --threads the most threads of a block. With --objective the table holds lengths of
    games, in a file of another name (finkel-3-length-max.h5).

    \b
    ur solve finkel -n 3
    """
    asked = {key: options.pop(key) for key in _ASKED}
    if objective != WIN:
        refuse_options(_NOT_OF_LENGTHS, f"lengths of games, which --objective {objective} solves")
        solve_lengths(
            custom_rules(rules, pieces, **options).settled(),
            objective,
            asked["output"],
            messages,
            force=asked["force"],
            as_json=as_json,
        )
        return
    if scheduler is not None and workers is not None:
        raise click.UsageError("--workers and --scheduler exclude each other: give one")
    is_shared = scheduler is not None or workers is not None
    request = Request.of(
        custom_rules(rules, pieces, **options),
        cluster=Cluster(scheduler, workers, asked["threads"]) if is_shared else None,
        **asked,
    )
    if dry_run:
        _say_cost(request, as_json=as_json)
        return
    plan = plan_of(request)
    if plan.verdict is not Verdict.PRESENT:
        _solve(plan, messages, as_json=as_json)
    elif as_json:
        with Table(plan.path) as table:
            echo(json.dumps(facts(table, None)))
    else:
        messages.say(f"{plan.path} already exists; --force solves it again", "present")


_ASKED = (
    *("left", "output", "tolerance", "certify", "precision", "value_type", "threads", "memory"),
    "force",
)
"""Options that are a request's, under its names; others change the rules."""

_NOT_OF_LENGTHS = (
    *("left", "tolerance", "certify", "precision", "value_type", "threads", "memory"),
    *("workers", "scheduler", "dry_run"),
)
"""Options of chances alone. Errors of lengths are always proven."""


def _say_cost(request: Request, *, as_json: bool) -> None:
    """Say what a solve would take; exit with 1 if it does not fit."""
    cost, path = cost_of(request), path_of(request)
    asked = {"rules": request.rules.name, "pieces": request.rules.pieces, "path": str(path)}
    echo(json.dumps(asked | cost.to_json()) if as_json else columns(cost.rows(), "<<"))
    raise click.exceptions.Exit(0 if cost.reason is None else 1)


def _solve(plan: Plan, messages: Messages, *, as_json: bool) -> None:
    """Carry out a plan and say what it has found."""
    try:
        with show_events(messages) as show:
            found = run(plan, show)
    except KeyboardInterrupt:
        messages.say(
            "interrupted; the same command resumes from the blocks that are finished", "interrupted"
        )
        raise
    with Table(found.path) as table:
        if as_json:
            echo(json.dumps(facts(table, found)))
        elif not messages.is_quiet:
            echo(report(table, found))
        check_proven(table, plan.request.tolerance)
