"""`ur compare`."""

from __future__ import annotations

from pathlib import Path

import click

from ur_solver.api.table import Table
from ur_solver.cli.options import OUTPUT_FILE, json_option
from ur_solver.cli.output import columns, say
from ur_solver.errors import OutputError
from ur_solver.locate import open_file
from ur_solver.study import study
from ur_solver.study.comparison import (
    Study,
    comparison_csv,
    comparison_json,
    read_study,
    table_of,
)

_STUDY = ".study.json"


@click.command(short_help="Rule sets side by side.")
@click.argument("words", nargs=-1, required=True, metavar="TABLE...")
@click.option(
    "-g",
    "--games",
    default=20_000,
    show_default=True,
    type=click.IntRange(100, 10_000_000),
    help="Games of each table against itself.",
)
@click.option("--seed", default=1, show_default=True, help="Of all games.")
@click.option("--html", type=OUTPUT_FILE, help="Write a page.")
@click.option("--csv", type=OUTPUT_FILE, help="Write a CSV file.")
@json_option
def command(
    words: tuple[str, ...],
    games: int,
    seed: int,
    html: Path | None,
    csv: Path | None,
    as_json: bool,
) -> None:
    """Studies of several rule sets side by side.

    A TABLE is a file or a rule set, such as finkel:3, or a study that ur study --json wrote to
    a file named NAME.study.json, which takes no time. The page of --html has plots, by
    matplotlib, and needs nothing else.

    \b
    ur compare finkel:3 blitz:2 skiriuk:2 --html compared.html
    """
    studies = [_study_of(word, games, seed) for word in words]
    if html is not None:
        from ur_solver.study.page import comparison_page  # noqa: PLC0415 - matplotlib, the extra

        _write(html, comparison_page(studies))
    if csv is not None:
        _write(csv, comparison_csv(studies))
    if as_json:
        click.echo(comparison_json(studies))
    elif html is None and csv is None:
        click.echo(columns(table_of(studies), "<" + ">" * len(studies)))


def _study_of(word: str, games: int, seed: int) -> Study:
    if word.endswith(_STUDY):
        return read_study(Path(word))
    with Table(open_file(word, say=say)) as table:
        return study(table, games=games, seed=seed)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"cannot write {str(path)!r}: {error.strerror}") from None
