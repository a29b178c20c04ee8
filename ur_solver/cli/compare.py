"""`ur compare`."""

from __future__ import annotations

from pathlib import Path

import click

from ur_solver.cli.answering import open_playing, plies_option
from ur_solver.cli.options import OUTPUT_FILE, json_option, number_option, seed_option
from ur_solver.cli.output import columns, echo
from ur_solver.common.files import check_outputs, write_file
from ur_solver.study import study
from ur_solver.study.comparison import (
    Study,
    comparison_csv,
    comparison_json,
    read_study,
    table_of,
)

_STUDY = ".study.json"
_GAMES, _GAMES_OF_ESTIMATOR = 20_000, 2000


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="TABLE...")
@number_option(
    "-g",
    "--games",
    within=(100, 10_000_000),
    help=f"Play N games of each table against itself; by default {_GAMES:,}, of an estimator "
    f"{_GAMES_OF_ESTIMATOR:,}.",
)
@seed_option("Seed the random numbers of all games.")
@click.option("--html", type=OUTPUT_FILE, help="Write an HTML page.")
@click.option("--csv", type=OUTPUT_FILE, help="Write a CSV file.")
@plies_option(1)
@json_option
def command(
    words: tuple[str, ...],
    games: int | None,
    seed: int,
    html: Path | None,
    csv: Path | None,
    plies: int,
    as_json: bool,
) -> None:
    """Compare the studies of several rule sets side by side.

    A TABLE is a file or a rule set, such as finkel:3, or a file NAME.study.json that ur study
    --json wrote, which needs no new games. The page of --html is self-contained; matplotlib draws
    its plots.

    \b
    ur compare finkel:3 blitz:2 skiriuk:2 --html compared.html
    """
    outputs = {"--html": html, "--csv": csv}
    check_outputs(outputs, words)
    studies = [_study_of(word, games, seed, plies) for word in words]
    if html is not None:
        from ur_solver.study.page import comparison_page  # noqa: PLC0415 - matplotlib, the extra

        write_file(html, comparison_page(studies))
    if csv is not None:
        write_file(csv, comparison_csv(studies))
    if as_json:
        echo(comparison_json(studies))
    elif html is None and csv is None:
        echo(columns(table_of(studies), "<" + ">" * len(studies)))


def _study_of(word: str, games: int | None, seed: int, plies: int) -> Study:
    if word.endswith(_STUDY):
        return read_study(Path(word))
    with open_playing(word, plies, "a study") as table:
        if games is None:
            games = _GAMES if table.are_exact else _GAMES_OF_ESTIMATOR
        return study(table, games=games, seed=seed)
