"""Commands about the files of tables: list, describe, check, prove, copy and fetch them."""

from __future__ import annotations

import dataclasses
import os
import pathlib
from dataclasses import asdict
from functools import partial
from typing import Any

import click

from ur_solver.answers.inventory import (
    Kept,
    Kind,
    checksums,
    kept_tables,
    remove_kept,
    unfinished_solve,
)
from ur_solver.answers.locate import is_rule_set, open_file
from ur_solver.api.lengths import Lengths, lengths_at, open_lengths
from ur_solver.api.table import Table
from ur_solver.blocks.stored import VALUE_TYPES
from ur_solver.cli.answering import open_answering
from ur_solver.cli.asking import agrees, interrupt_of
from ur_solver.cli.lengths import verified
from ur_solver.cli.lengths import verify as verify_lengths
from ur_solver.cli.messages import Messages, message_options
from ur_solver.cli.objective import objective_option, refuse_options
from ur_solver.cli.options import (
    TABLE_PATH,
    json_option,
    number_option,
    optional_table_argument,
    output_option,
    some_tables_argument,
    table_argument,
    tables_argument,
    threads_option,
)
from ur_solver.cli.output import bound_text, columns, echo, proven_text, say, time_text
from ur_solver.common.files import make_folder
from ur_solver.common.progress import shown_task
from ur_solver.common.text import counted, json_text, size_text
from ur_solver.errors import (
    CertificateError,
    DamagedTableError,
    InputError,
    MissingTableError,
    NotATableError,
    TableInUseError,
    TableVersionError,
)
from ur_solver.estimators.estimator import kept_estimator, kept_estimators
from ur_solver.estimators.file import is_estimator_file
from ur_solver.rules import named_rules
from ur_solver.table.format import OBJECTIVES, WIN
from ur_solver.table.names import FOLDER_VARIABLE, cache_folder, games_folder, table_folders
from ur_solver.table.reader import TableFile

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
def tables_command(ctx: click.Context, as_json: bool, sums: bool) -> None:
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


@tables_command.command("list")
@json_option
@checksums_option
def list_command(as_json: bool, sums: bool) -> None:
    """List the tables, estimators, unfinished solves and damaged files, with their sizes."""
    _list(as_json, sums)


@tables_command.command("verify")
@tables_argument
@number_option(
    "--sample",
    within=(0, 10**9),
    default=500,
    help="Recompute N positions by the readable rules, as in 'ur verify'.",
)
@json_option
@message_options
def tables_verify_command(
    words: tuple[str, ...], sample: int, as_json: bool, messages: Messages
) -> None:
    """Verify TABLEs, by default all tables, with one line for each.

    The exit code is 1 if any table is wrong.
    """
    no_tables = (Kind.UNFINISHED, Kind.OTHER)
    chosen = words or [str(kept.path) for kept in kept_tables() if kept.kind not in no_tables]
    n_wrong = 0
    for word in chosen:
        message = _fault(word, sample, messages)
        n_wrong += message is not None
        if as_json:
            echo(json_text({"table": word, "right": message is None, "message": message}), raw=True)
        elif message is not None or not messages.is_quiet:
            echo(f"{word}: {'right' if message is None else f'wrong: {message}'}")
    if n_wrong:
        raise DamagedTableError(f"{n_wrong} of {counted(len(chosen), 'table')} failed")


@tables_command.command("remove")
@some_tables_argument
@click.option("--yes", "-y", is_flag=True, help="Do not ask for confirmation.")
def remove_command(words: tuple[str, ...], yes: bool) -> None:
    """Remove TABLEs: files, rule sets such as finkel:3, estimators or unfinished solves (.blocks).

    The files and their sizes are listed for confirmation first.
    """
    chosen = {kept.path.absolute(): kept for kept in map(_kept_of, words)}.values()
    for kept in chosen:
        echo(f"{kept.path}, {size_text(kept.n_bytes)}")
    try:
        if not (yes or agrees("Remove?", default=False)):
            raise click.exceptions.Exit(1)
    except click.Abort as left:
        if stop := interrupt_of(left):
            raise stop from None
        raise InputError("nothing was removed: --yes removes without a question") from None
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
            echo(json_text({**asdict(kept), "path": str(kept.path)}), raw=True)
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
    with shown_task("reading tables"):
        found = list(checksums(kept))
    for checksum, path in found:
        full = path.absolute()
        name = full.relative_to(here) if full.is_relative_to(here) else full
        echo(f"{checksum}  {name}", raw=True)


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


@click.command()
@optional_table_argument
@objective_option
@click.option("--paths", "is_of_paths", is_flag=True, help="List the folders of files.")
@json_option
def info_command(word: str | None, objective: str, is_of_paths: bool, as_json: bool) -> None:
    """Describe TABLE, a file or a rule set such as finkel:3, by what its file says.

    If a rule set has no table, its estimator is described. With --objective it is the table of
    lengths; a file of one needs no --objective.

    With --paths, list the folders instead: those of tables ($UR_TABLES comes first, and new tables
    go into the first), of games in play, and of cached results.
    """
    if is_of_paths == (word is not None):
        raise click.UsageError("give a TABLE, or --paths")
    if word is None:
        echo(json_text(_paths()) if as_json else _paths_text(), raw=as_json)
        return
    lengths = lengths_at(word) if objective == WIN else open_lengths(word, objective)
    if lengths is not None:
        with lengths:
            echo(json_text(lengths.info()) if as_json else _lengths_text(lengths), raw=as_json)
        return
    with open_answering(word) as table:
        if as_json:
            echo(json_text(table.info()), raw=True)
            return
        if not table.are_exact:
            from ur_solver.cli.train import report  # noqa: PLC0415 - of estimators alone

            echo(report(table))
            return
        header = table.header
        part, value = table.file.part, table.start_value
        rows = [["file", str(table.path)], ["rule set", header.rules.title]]
        if not part.is_whole:
            rows.append(["holds", part.scope])
        if value is not None:
            text = partial(table.rules.payoff.text, tolerance=table.tolerance)
            rows.append([f"first player {table.rules.payoff.verb}", text(table.opening_value())])
            if not table.rules.mechanics.has_free_first_throw:
                rows.append(["  with a free first throw", text(value)])
        rows += [
            *_stakes_rows(table),
            *_size_rows(table.file),
            ["tolerance", f"{table.tolerance:.3g}"],
            ["proven error", _proven(table)],
            ["largest residual", f"{header.residual * table.space.unit:.3g}"],
            *_file_rows(table.file),
        ]
        echo(columns(rows, "<<"))


def _paths() -> dict[str, Any]:
    """The folders, as JSON values."""
    from ur_solver import __version__  # noqa: PLC0415 - reads the metadata of the package
    from ur_solver.kernel._tiled import instruction_sets  # noqa: PLC0415 - of this answer alone
    from ur_solver.kernel._workspace import HAS_OPENMP  # noqa: PLC0415

    return {
        "version": __version__,
        "package": str(pathlib.Path(__file__).resolve().parent.parent),
        "instruction_sets": list(instruction_sets()),
        "openmp": HAS_OPENMP,
        "tables": [str(folder) for folder in table_folders()],
        "games": str(games_folder()),
        "cache": str(cache_folder()),
        "environment": {FOLDER_VARIABLE: os.environ.get(FOLDER_VARIABLE)},
    }


def _paths_text() -> str:
    found = _paths()
    first, *others = found["tables"]
    chosen = found["environment"][FOLDER_VARIABLE]
    return columns(
        [
            ["version", found["version"]],
            ["program", found["package"]],
            ["instruction set", ", ".join(found["instruction_sets"])],
            ["threads of a block", "several" if found["openmp"] else "one (built without OpenMP)"],
            [f"${FOLDER_VARIABLE}", chosen or "not set"],
            ["new tables", first],
            *(["tables, too", folder] for folder in others),
            ["games in play", found["games"]],
            ["cache", found["cache"]],
        ],
        "<<",
    )


def _lengths_text(lengths: Lengths) -> str:
    """A table of lengths; the help of `--objective` explains the objectives."""
    start = lengths.length(lengths.rules.start())
    return columns(
        [
            ["file", str(lengths.path)],
            ["rule set", lengths.rules.title],
            ["objective", lengths.objective],
            ["throws to come at the start", f"{start:.6f}"],
            *_size_rows(lengths.file),
            ["proven error", f"{bound_text(lengths.max_error)} throws"],
            ["largest residual", f"{lengths.file.header.residual:.3g}"],
            *_file_rows(lengths.file),
        ],
        "<<",
    )


def _size_rows(file: TableFile) -> list[list[str]]:
    """How much a file holds of its game."""
    return [
        ["positions", _count_text(file.part.n_positions, file.space.n_positions)],
        ["blocks", _count_text(len(file.part.indices), len(file.space.blocks))],
        ["chunks", f"{file.n_chunks:,}"],
        ["value type", file.header.value_type],
    ]


def _file_rows(file: TableFile) -> list[list[str]]:
    """How large a file is, and how it was made."""
    return [
        ["size", size_text(file.n_bytes)],
        ["digest", file.digest],
        ["made", f"{file.header.made} by ur_solver {file.header.program}"],
        ["solved in", time_text(file.header.seconds)],
    ]


def _count_text(held: int, whole: int) -> str:
    """A count, and its total if that is larger."""
    return f"{held:,}" if held == whole else f"{held:,} of {whole:,}"


def _stakes_rows(table: Table) -> list[list[str]]:
    """The stakes, the largest stored fines, and the error of that cut."""
    space = table.space
    stakes = table.rules.stakes
    if stakes is None:
        return []
    begin = table.rules.start()
    error = table.cut_error(begin)
    last, past = (
        table.cut_error(dataclasses.replace(begin, fines=space.reach + more)) for more in (0, 1)
    )
    most = f"at most {last:.3g}"
    if table.header.level_errors is not None and space.reach:
        most = f"at most {bound_text(error)} before a fine, {bound_text(last)} after {space.reach}"
    return [
        ["stakes", f"ante {stakes.ante}, fine {stakes.fine}"],
        ["fines", f"0 to {space.reach}; more are extrapolated linearly"],
        ["error of that cut", f"{most}, and {past - last:.3g} for each fine past it"],
    ]


def _proven(table: Table) -> str:
    if table.max_error is None:
        return "none; 'ur certify' adds one"
    least = table.file.blocks["error"].min() * table.space.unit
    return f"{bound_text(table.max_error)}, by block from {bound_text(least)}"


@click.command()
@table_argument
@objective_option
@number_option(
    "--sample", within=(0, 10**9), default=500, help="Recompute N positions by the readable rules."
)
@threads_option
@json_option
@message_options
def verify_command(
    word: str, objective: str, sample: int, threads: int | None, as_json: bool, messages: Messages
) -> None:
    """Check the values of TABLE, a file or a rule set such as finkel:3, by recomputing them.

    The checks cover the checksums of all chunks, the completeness of the table, the equation of
    every position's value with its successors' values, and a random sample by the readable
    rules. A certificate in the table is proven again. The exit code is 1 if the table is wrong.
    """
    from ur_solver.answers.verify import verify_table  # noqa: PLC0415 - the kernels

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
            echo(json_text({"right": False, "message": str(error)}), raw=True)
        raise
    if as_json:
        facts = {"path": str(opened.path), "right": True, "message": None, **asdict(found)}
        echo(json_text(facts), raw=True)
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


@click.command()
@table_argument
@threads_option
@json_option
@message_options
def certify_command(word: str, threads: int | None, as_json: bool, messages: Messages) -> None:
    """Prove a bound on the error of the values of TABLE, and store it in its file.

    TABLE is a file or a rule set, such as finkel:3. The proof uses the values alone,
    whatever program made them. 'ur verify' repeats it.

    \b
    ur certify finkel:3
    """
    from ur_solver.solving.execution import certify_table  # noqa: PLC0415 - the kernels

    with (
        open_file(word, say=say) as opened,
        messages.progress("certifying", opened.part.n_positions) as progress,
    ):
        error = certify_table(opened, threads=threads, progress=progress)
    if as_json:
        echo(json_text({"path": str(opened.path), "error": error}), raw=True)
    elif not messages.is_quiet:
        proven = proven_text(error, opened.rules)
        echo(f"{opened.path}: no value is off by more than {proven}, proven")


@click.command()
@table_argument
@click.argument("output", type=TABLE_PATH)
@click.option(
    "--value-type",
    type=click.Choice(list(VALUE_TYPES)),
    help="Store values in this type; by default as in TABLE.",
)
@click.option("--force", is_flag=True, help="Replace an existing output.")
@click.option("--quiet", "-q", is_flag=True, help="Print nothing unless the command fails.")
def pack_command(
    word: str, output: pathlib.Path, value_type: str | None, force: bool, quiet: bool
) -> None:
    """Copy TABLE to OUTPUT: one file if its name ends in .h5, otherwise a folder.

    TABLE is a file, a folder or a rule set. A folder has one file per block, like the result of a
    large solve. Without --value-type the copied values are identical to the last bit.

    \b
    ur pack finkel:3 finkel-3
    """
    from ur_solver.table.output import pack  # noqa: PLC0415 - what writes a table

    with open_file(word, say=say) as table, shown_task("copying"):
        replaced = pack(table, output, value_type=value_type, force=force)
    if not quiet:
        if replaced is not None:
            say(f"replaced {replaced}")
        with TableFile(output) as packed:
            echo(f"{output}, {size_text(packed.n_bytes)}")


@click.command()
@click.argument("url")
@output_option(
    "Write to FILE; by default to the folder of tables, under the name in URL.", TABLE_PATH, "FILE"
)
@click.option(
    "--sha256", metavar="HEX", help="Expect this checksum; by default the one at URL.sha256."
)
@click.option("--force", is_flag=True, help="Replace an existing table.")
@json_option
@message_options
def fetch_command(
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
    from ur_solver.answers.fetch import fetch, name_of, part_of_fetch  # noqa: PLC0415 - HTTP and TLS

    name = name_of(url)
    if output is None:
        output = table_folders()[0] / name
        if make_folder(output.parent):
            messages.say(f"made the folder {output.parent}", "folder", path=str(output.parent))
    shown = partial(messages.progress, "fetching", unit="bytes")
    part = part_of_fetch(output)
    try:
        replaced = fetch(url, output, sha256=sha256, force=force, shown=shown)
    except BaseException:
        if part.exists():
            say(f"{size_text(part.stat().st_size)} of the table are kept in {str(part)!r}")
        raise
    if replaced is not None:
        messages.say(f"replaced {replaced}", "replaced", replaced=replaced)
    with TableFile(output, OBJECTIVES) as table:
        if as_json:
            found = {"path": str(output), "digest": table.digest, "bytes": table.n_bytes}
            echo(json_text(found), raw=True)
        elif not messages.is_quiet:
            echo(f"{output}, {table.rules.title}, {size_text(table.n_bytes)}")
