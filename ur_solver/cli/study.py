"""`ur study`."""

from __future__ import annotations

import json

import click

from ur_solver.cli.answering import open_playing, plies_option
from ur_solver.cli.options import json_option, number_option, seed_option, table_argument
from ur_solver.cli.output import echo, say
from ur_solver.cli.study_page import study_page
from ur_solver.study import study

_GAMES, _GAMES_OF_ESTIMATOR = 100_000, 2000


@click.command()
@table_argument
@number_option(
    "-g",
    "--games",
    within=(100, 10_000_000),
    help=f"Play N games of the table against itself; by default {_GAMES:,}, of an estimator "
    f"{_GAMES_OF_ESTIMATOR:,}.",
)
@seed_option("Seed the random numbers of all games.")
@click.option("--verbose", "-v", is_flag=True, help="Log each step.")
@plies_option(1)
@json_option
def command(
    word: str, games: int | None, seed: int, verbose: bool, plies: int, as_json: bool
) -> None:
    """Analyse how fair and how long a game is, how much is luck, and which rules of thumb help.

    TABLE is a file or a rule set, such as finkel:3. The table plays against itself, and
    other policies play against each other. Sampled figures have 95 % intervals; the others
    are exact. The same seed gives the same study. Without a table, an estimator plays in its place
    ('ur train'), and the study has sampled figures only. ur compare reads the files
    NAME.study.json that --json writes.

    \b
    ur study finkel:3
    ur study finkel:3 --json > finkel-3.study.json
    """
    with open_playing(word, plies, "a study") as table:
        if games is None:
            games = _GAMES if table.are_exact else _GAMES_OF_ESTIMATOR
        found = study(table, games=games, seed=seed, say=say if verbose else lambda text: None)
    echo(json.dumps(found) if as_json else study_page(found))
