"""`ur info`."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
from functools import partial
from typing import Any

import click

from ur_solver import __version__
from ur_solver.answers.lengths import Lengths, lengths_at, open_lengths
from ur_solver.api.table import Table
from ur_solver.cli.answering import open_answering
from ur_solver.cli.objective import objective_option
from ur_solver.cli.options import json_option, optional_table_argument
from ur_solver.cli.output import (
    bound_text,
    columns,
    echo,
    size_text,
    time_text,
)
from ur_solver.table.format import WIN
from ur_solver.table.names import FOLDER_VARIABLE, cache_folder, games_folder, table_folders
from ur_solver.table.reader import TableFile


@click.command()
@optional_table_argument
@objective_option
@click.option("--paths", "is_of_paths", is_flag=True, help="List the folders of files.")
@json_option
def command(word: str | None, objective: str, is_of_paths: bool, as_json: bool) -> None:
    """Describe TABLE, a file or a rule set such as finkel:3, by what its file says.

    If a rule set has no table, its estimator is described. With --objective it is the table of
    lengths; a file of one needs no --objective.

    With --paths, list the folders instead: those of tables ($UR_TABLES comes first, and new tables
    go into the first), of games in play, and of cached results.
    """
    if is_of_paths == (word is not None):
        raise click.UsageError("give a TABLE, or --paths")
    if word is None:
        echo(json.dumps(_paths()) if as_json else _paths_text())
        return
    lengths = lengths_at(word) if objective == WIN else open_lengths(word, objective)
    if lengths is not None:
        with lengths:
            echo(json.dumps(lengths.info()) if as_json else _lengths_text(lengths))
        return
    with open_answering(word) as table:
        if as_json:
            echo(json.dumps(table.info()))
            return
        if not table.are_exact:
            from ur_solver.cli.train import report  # noqa: PLC0415 - of estimators alone

            echo(report(table))
            return
        header = table.header
        part, value = table.file.part, table.start_value
        rows = [
            ["file", str(table.path)],
            ["rule set", header.rules.title],
        ]
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
    return {
        "version": __version__,
        "package": str(pathlib.Path(__file__).resolve().parent.parent),
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
        ["positions", _share(file.part.n_positions, file.space.n_positions)],
        ["blocks", _share(len(file.part.indices), len(file.space.blocks))],
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


def _share(held: int, whole: int) -> str:
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
