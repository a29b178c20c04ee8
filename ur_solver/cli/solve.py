"""`ur solve`, and what it says: events while it runs, and what it has found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import click

from ur_solver.api.table import Table
from ur_solver.blocks.stored import VALUE_TYPES
from ur_solver.cli.custom import SectionedCommand, custom_rule_options, custom_rules
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
from ur_solver.cli.output import (
    bound_text,
    columns,
    echo,
    gib_text,
    proven_text,
    time_text,
)
from ur_solver.cli.plan import cost_of
from ur_solver.common.progress import Form, Progress
from ur_solver.common.text import counted, json_text, size_text
from ur_solver.engine.runners import Cluster
from ur_solver.errors import CertificateError
from ur_solver.kernel.rounding import MAX_TOLERANCE, MIN_TOLERANCE
from ur_solver.solving.execution import (
    Begun,
    BlockDone,
    Event,
    Finished,
    FolderMade,
    Resumed,
    RoomShort,
    WorkersChanged,
    run,
)
from ur_solver.solving.plan import Action, Plan, path_of, plan_of
from ur_solver.solving.request import Request
from ur_solver.table.format import WIN


@contextmanager
def show_events(messages: Messages) -> Iterator[Callable[[Event], None]]:
    """A receiver of the events of a run, which prints each of them on standard error.

    Progress is shown from the event that the solve begins until it is finished or the context ends.
    """
    with ExitStack() as stack:
        progress: Progress | None = None

        def show(event: Event) -> None:
            nonlocal progress
            match event:
                case FolderMade(folder):
                    messages.say(f"made the folder {folder}", "folder", path=str(folder))
                case Begun(positions):
                    progress = stack.enter_context(messages.progress("solving", positions))
                case Resumed(blocks, total):
                    messages.say(
                        f"resuming from {blocks} of {total} blocks that an earlier solve finished",
                        "resumed",
                        blocks=blocks,
                        total=total,
                    )
                case RoomShort(budget, needed):
                    messages.say(
                        f"all values in memory would take {gib_text(needed)} or more, and "
                        f"{gib_text(budget)} may be taken: finished blocks are read from their "
                        "files",
                        "from_files",
                        memory_bytes=budget,
                        needed_bytes=needed,
                    )
                case WorkersChanged(count):
                    text = counted(count, "worker") if count else "no workers yet; waiting for one"
                    messages.say(text, "workers", workers=count)
                case BlockDone(done, total) if progress is not None:
                    progress(done, total)
                case Finished(replaced=replaced):
                    stack.close()
                    if replaced is not None:
                        messages.say(f"replaced {replaced}", "replaced", replaced=replaced)

        yield show


_SAME = (
    *("left", "positions", "value", "opening_value", "tolerance", "value_type"),
    *("residual", "error", "bytes"),
)
"""What `ur solve --json` says as `ur info --json` does."""


def facts(table: Table, found: Finished | None) -> dict[str, Any]:
    """A solved table as JSON values; without `found` one that was there already."""
    info = table.info()
    return {
        "rules": table.rules.name,
        "pieces": table.rules.pieces,
        "path": str(table.path),
        "solved": found is not None,
        **{key: info[key] for key in _SAME},
        "seconds": found and found.seconds,
        "resumed_blocks": found and found.resumed_blocks,
        "sweeps": found and found.sweeps,
    }


def report(table: Table, found: Finished) -> str:
    """A finished solve for people."""
    rules, value, bound = table.rules, table.start_value, table.max_error
    text = partial(rules.payoff.text, tolerance=table.tolerance)
    if value is None:
        head = f"{rules.title}: {found.part.scope}"
    else:
        head = f"{rules.title}: the first player {rules.payoff.verb} {text(table.opening_value())}"
        if not rules.mechanics.has_free_first_throw:
            head += f"\n  with a free first throw {text(value)}"
    proven = (
        ""
        if bound is None
        else f"  no value is off by more than {proven_text(bound, rules)}, proven\n"
    )
    return (
        f"{head}\n"
        f"  {counted(found.positions, 'position')} in {time_text(found.seconds)}, largest "
        f"residual {table.header.residual * table.space.unit:.3g}\n{proven}"
        f"  {table.path}, {size_text(table.file.n_bytes)}"
    )


def check_proven(table: Table, tolerance: float) -> None:
    """Raise CertificateError if a table is certified to less than the tolerance asked for."""
    unit, errors = table.space.unit, table.file.blocks["error"]
    above = table.file.blocks[errors > tolerance]
    if table.max_error is not None and len(above):
        raise CertificateError(
            f"{table.path} is whole, but proven only to {bound_text(table.max_error)}, not to the "
            f"tolerance of {tolerance * unit:.3g}: the bound is above it in {len(above)} of "
            f"{counted(len(errors), 'block')}, the first of them block {above[0]['index']} with "
            f"{bound_text(above[0]['error'] * unit)}"
        )


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
def solve_command(
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
    if plan.action is not Action.PRESENT:
        _announce(request, messages)
        _solve(plan, messages, as_json=as_json)
    elif as_json:
        with Table(plan.path) as table:
            echo(json_text(facts(table, None)), raw=True)
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
    echo(json_text(asked | cost.to_json()) if as_json else columns(cost.rows(), "<<"), raw=as_json)
    raise click.exceptions.Exit(0 if cost.reason is None else 1)


def solve_now(request: Request) -> Table:
    """Solve a game that a command needs, with a bar, and open its table."""
    messages = Messages(Form.AUTO, is_quiet=False)
    with show_events(messages) as show:
        return Table(run(plan_of(request), show).path)


_LONG_SECONDS = 600
"""A solve that is expected to take longer says first what it takes."""

_SHORT_VALUES = 20_000_000
"""Fewer values take less on any machine; to expect a time takes up to a second."""


def _announce(request: Request, messages: Messages) -> None:
    """Say how long a long solve takes by one process, and how much memory and disk."""
    if messages.is_quiet or request.part.n_values < _SHORT_VALUES:
        return
    cost = cost_of(replace(request, cluster=None))
    if cost.seconds is None or cost.seconds < _LONG_SECONDS:
        return
    shared = "" if request.cluster is None else " by one process"
    messages.say(
        f"this takes some {time_text(cost.seconds)}{shared}, {gib_text(cost.memory_bytes)} of "
        f"memory and {size_text(cost.disk_bytes)} of disk on the way; Ctrl-C stops it, and the "
        "same command goes on from there",
        "cost",
        seconds=cost.seconds,
        memory_bytes=cost.memory_bytes,
        disk_bytes=cost.disk_bytes,
    )


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
            echo(json_text(facts(table, found)), raw=True)
        elif not messages.is_quiet:
            echo(report(table, found))
        check_proven(table, plan.request.tolerance)
