"""`ur evaluate`."""

from __future__ import annotations

import json

import click

from ur_solver.api.table import Table
from ur_solver.cli.answering import open_playing, plies_option
from ur_solver.cli.options import json_option, seed_option, table_argument
from ur_solver.cli.output import columns, echo, side_name
from ur_solver.rules import DARK, LIGHT
from ur_solver.study import Evaluation, IntervalEstimate, evaluate
from ur_solver.study.figures import as_number, as_share

_GAMES_OF_ESTIMATOR = 2000
"""A table chooses some ten times as fast."""


@click.command(short_help="Compare two policies in play.")
@table_argument
@click.option("--light", default="table", show_default=True, metavar="POLICY",
              help="Play this side by POLICY.")  # fmt: skip
@click.option("--dark", default="table", show_default=True, metavar="POLICY",
              help="Play this side by POLICY.")  # fmt: skip
@click.option(
    "-g",
    "--games",
    type=click.IntRange(2, 10_000_000),
    help="Play N games, even where the figures could be exact.",
)
@seed_option("Seed the random numbers of the games.")
@plies_option(1)
@json_option
def command(
    word: str,
    light: str,
    dark: str,
    games: int | None,
    seed: int,
    plies: int,
    as_json: bool,
) -> None:
    """Compute how often light wins by one policy against another, and how long the games are.

    TABLE is a file or a rule set, such as finkel:3. Light throws first. Up to a million
    positions the figures are exact. For more, 100,000 games are played, and figures have 95 %
    intervals. A POLICY is table; strong, medium or weak, which sometimes err; random; reply, the
    best reply to the other side's policy; first or greedy, as in ur sample; or priorities joined
    by +. The first priority decides, the next ones break ties, and the rest is drawn at random:
    win, capture, rosette, again, safe, off, enter, furthest, rearmost. Without a table, an
    estimator plays in its place ('ur train'), 2,000 games.

    \b
    ur evaluate finkel:3 --light capture+safe+furthest --dark table
    """
    with open_playing(word, plies, "an evaluation") as table:
        if games is None and not isinstance(table, Table):
            games = _GAMES_OF_ESTIMATOR
        found = evaluate(table, light, dark, games=games, seed=seed)
        which = {} if isinstance(table, Table) else {"exact": False}
    if as_json:
        echo(json.dumps({"light": light, "dark": dark, **found.to_json(), **which}))
    else:
        echo(_page(found, light, dark))


def _page(found: Evaluation, light: str, dark: str) -> str:
    rows = [
        [f"{light} ({side_name(LIGHT)}) wins", _percent(found.chance)],
        [f"{dark} ({side_name(DARK)}) wins", _percent(found.chance.rest())],
        ["throws in a game", _number(found.throws)],
        ["  standard deviation", _number(found.deviation)],
        ["games played", f"{found.games:,}" if found.games else "none: the figures are exact"],
    ]
    return columns(rows, "<<")


def _percent(estimate: IntervalEstimate) -> str:
    if estimate.is_exact:
        return f"{100 * estimate.value:.8f} %"
    return as_share(estimate.to_json())


def _number(estimate: IntervalEstimate) -> str:
    if estimate.is_exact:
        return f"{estimate.value:.6f}"
    return as_number(estimate.to_json())
