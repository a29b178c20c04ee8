"""`ur tables`."""

from __future__ import annotations

import json
import pathlib
from dataclasses import asdict

import click

from ur_solver.answers.inventory import (
    Kept,
    Kind,
    checksums,
    kept_tables,
    remove_kept,
    unfinished_solve,
)
from ur_solver.answers.lengths import Lengths, lengths_at
from ur_solver.answers.locate import is_rule_set, open_file
from ur_solver.cli.lengths import verified
from ur_solver.cli.messages import Messages, message_options
from ur_solver.cli.options import json_option, number_option
from ur_solver.cli.output import columns, echo, say, size_text
from ur_solver.common.text import counted
from ur_solver.errors import (
    CertificateError,
    DamagedTableError,
    MissingTableError,
    NotATableError,
    TableInUseError,
    TableVersionError,
)
from ur_solver.estimators.file import is_estimator_file
from ur_solver.estimators.finding import kept_estimator, kept_estimators
from ur_solver.rules import named_rules
from ur_solver.table.names import table_folders

_FAULTS = (
    *(DamagedTableError, CertificateError, NotATableError),
    *(TableInUseError, TableVersionError),
)
"""Errors of one table after which the others are still verified."""


checksums_option = click.option(
    "--checksums",
    "sums",
    is_flag=True,
    help="Print SHA-256 of each table's file, as sha256sum does.",
)


@click.group(invoke_without_command=True)
@json_option
@checksums_option
@click.pass_context
def command(ctx: click.Context, as_json: bool, sums: bool) -> None:
    """List the tables and estimators in the folders of tables, or verify or remove some.

    The folders are $UR_TABLES, that of a checkout and the user's own ('ur info --paths').
    The list includes unfinished solves and damaged files.

    \b
    ur tables
    ur tables --checksums
    ur tables verify finkel:3
    ur tables remove finkel:3
    """
    if ctx.invoked_subcommand is None:
        _list(as_json, sums)
    elif as_json or sums:
        option, then = "--json" if as_json else "--checksums", ctx.invoked_subcommand
        raise click.UsageError(f"{option} goes after the command: ur tables {then} {option}")


@command.command("list")
@json_option
@checksums_option
def list_command(as_json: bool, sums: bool) -> None:
    """List the tables, estimators, unfinished solves and damaged files, with their sizes."""
    _list(as_json, sums)


@command.command("verify")
@click.argument("words", metavar="[TABLE]...", nargs=-1)
@number_option(
    "--sample",
    within=(0, 10**9),
    default=500,
    help="Recompute N positions by the readable rules, as in 'ur verify'.",
)
@json_option
@message_options
def verify_command(words: tuple[str, ...], sample: int, as_json: bool, messages: Messages) -> None:
    """Verify TABLEs, by default all tables, with one line for each.

    The exit code is 1 if any table is wrong.
    """
    chosen = words or [str(kept.path) for kept in kept_tables() if kept.kind is not Kind.UNFINISHED]
    n_wrong = 0
    for word in chosen:
        message = _fault(word, sample, messages)
        n_wrong += message is not None
        if as_json:
            echo(json.dumps({"table": word, "right": message is None, "message": message}))
        elif message is not None or not messages.is_quiet:
            echo(f"{word}: {'right' if message is None else f'wrong: {message}'}")
    if n_wrong:
        raise DamagedTableError(f"{n_wrong} of {counted(len(chosen), 'table')} failed")


@command.command("remove")
@click.argument("words", metavar="TABLE...", nargs=-1, required=True)
@click.option("--yes", "-y", is_flag=True, help="Do not ask for confirmation.")
def remove_command(words: tuple[str, ...], yes: bool) -> None:
    """Remove TABLEs: files, rule sets such as finkel:3, estimators or unfinished solves (.blocks).

    The files and their sizes are listed for confirmation first.
    """
    chosen = {kept.path.absolute(): kept for kept in map(_kept_of, words)}.values()
    for kept in chosen:
        echo(f"{kept.path}, {size_text(kept.n_bytes)}")
    if not yes:
        click.confirm("Remove?", abort=True)
    for kept in chosen:
        remove_kept(kept)


def _kept_of(word: str) -> Kept:
    """The table, estimator or unfinished solve that a word names; it may be damaged."""
    path = pathlib.Path(word)
    if path.exists() and not word.endswith(".json"):  # a rule set
        kept = Kept.of(path)
        if kept is None and is_estimator_file(word):
            kept = kept_estimator(path)
        if kept is None:
            raise NotATableError(
                f"{word!r} is neither a table nor an estimator nor an unfinished solve"
            )
        return kept
    try:
        with open_file(word) as table:
            found = Kept.of(table.path)
    except MissingTableError:
        found = unfinished_solve(named_rules(word)) if is_rule_set(word) else None
        if found is None:
            raise
    assert found is not None
    return found


def _fault(word: str, sample: int, messages: Messages) -> str | None:
    """The fault of a table, or of an estimator; None if it is right."""
    if is_estimator_file(word):
        return kept_estimator(pathlib.Path(word)).message
    try:
        lengths = lengths_at(word)
        if lengths is not None:
            return _fault_of_lengths(lengths, messages)
        from ur_solver.answers.verify import verify_table  # noqa: PLC0415 - the kernels

        with (
            open_file(word) as table,
            messages.progress("verifying", table.part.n_positions) as progress,
        ):
            verify_table(table, sample=sample, progress=progress)
    except _FAULTS as error:
        return str(error)
    return None


def _fault_of_lengths(lengths: Lengths, messages: Messages) -> str | None:
    """The same of a table of lengths; what cannot be verified without another table is a fault."""
    try:
        with lengths:
            verified(lengths, messages)
    except MissingTableError as error:
        return str(error)
    return None


def _list(as_json: bool, sums: bool) -> None:
    if as_json and sums:
        raise click.UsageError("--json and --checksums exclude each other: give one")
    tables = list(kept_tables())
    if sums:
        for kept in tables:
            if kept.kind is Kind.TABLE:
                _print_checksums(kept)
        return
    found = [*tables, *kept_estimators()]
    if as_json:
        for kept in found:
            echo(json.dumps({**asdict(kept), "path": str(kept.path)}))
        return
    if not tables:
        folders = ", ".join(map(str, table_folders()))
        say(f"no tables in {folders}; 'ur solve finkel -n 3' makes one")
    if not found:
        return
    head = ["rule set", "positions", "values", "size", "tolerance", "proven", "made", "file"]
    echo(columns([head, *map(_row, found)], "<><>>><<"))
    total = sum(kept.n_bytes for kept in found)
    echo(f"\n{len(found)} in all, {size_text(total)}")


def _print_checksums(kept: Kept) -> None:
    """The lines of `sha256sum` for a table's files; names are relative if the files are here."""
    here = pathlib.Path.cwd()
    for checksum, path in checksums(kept):
        full = path.absolute()
        name = full.relative_to(here) if full.is_relative_to(here) else full
        echo(f"{checksum}  {name}")


def _row(kept: Kept) -> list[str]:
    def number(value: float | None) -> str:
        return "" if value is None else f"{value:.3g}"

    return [
        f"{kept.rules}:{kept.pieces}" if kept.rules else "",
        _positions(kept),
        kept.objective or kept.value_type or ("estimates" if kept.kind is Kind.ESTIMATOR else ""),
        size_text(kept.n_bytes),
        number(kept.tolerance),
        number(kept.error),
        kept.made[:10] if kept.made else kept.kind.value,
        str(kept.path) + (f" ({kept.message})" if kept.message else ""),
    ]


def _positions(kept: Kept) -> str:
    """The number of positions of a table, marked if they are a part of the game."""
    if kept.positions is None:
        return ""
    held = "" if kept.is_whole else "part: " if kept.left is None else f"{kept.left} left: "
    return f"{held}{kept.positions:,}"
