"""`ur study`."""

from __future__ import annotations

import json

import click

from ur_solver.api.table import Table
from ur_solver.cli.options import json_option, seed_option, table_argument
from ur_solver.cli.output import echo, say
from ur_solver.cli.study_page import study_page
from ur_solver.locate import open_file
from ur_solver.study import study


@click.command(short_help="What a rule set is like to play.")
@table_argument
@click.option(
    "-g",
    "--games",
    default=100_000,
    show_default=True,
    type=click.IntRange(100, 10_000_000),
    help="Games of the table against itself.",
)
@seed_option("Of all games.")
@click.option("--verbose", "-v", is_flag=True, help="Say what is done.")
@json_option
def command(word: str, games: int, seed: int, verbose: bool, as_json: bool) -> None:
    """How fair a game is, how long, how much of it luck, and what to remember in play.

    TABLE is a file or a rule set, such as finkel:3. The table plays against itself, and
    policies of all kinds against each other. Sampled figures come with their 95 %
    intervals, the others are exact; the same seed gives the same study.

    \b
    ur study finkel:3
    ur study finkel:3 --json > finkel-3.json
    """
    with Table(open_file(word, say=say)) as table:
        table.file.check_whole("a study")
        found = study(table, games=games, seed=seed, say=say if verbose else lambda text: None)
    echo(json.dumps(found) if as_json else study_page(found))
