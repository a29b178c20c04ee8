"""`ur evaluate`."""

from __future__ import annotations

import json

import click
from click.core import ParameterSource

from ur_solver.answers.locate import open_file
from ur_solver.api.table import Table
from ur_solver.cli.answering import open_playing, plies_option
from ur_solver.cli.options import json_option, number_option, seed_option, table_argument
from ur_solver.cli.output import columns, echo, say, side_name
from ur_solver.common.progress import Form, shown_progress
from ur_solver.errors import InputError
from ur_solver.players.loading import policy_from
from ur_solver.rules import DARK, LIGHT
from ur_solver.study import Evaluation, IntervalEstimate, evaluate
from ur_solver.study.figures import as_number, as_share

_GAMES_OF_ESTIMATOR = 2000
"""A table chooses some ten times as fast."""


@click.command()
@table_argument
@click.option("--light", default="table", show_default=True, metavar="POLICY",
              help="Play light by POLICY.")  # fmt: skip
@click.option("--dark", default="table", show_default=True, metavar="POLICY",
              help="Play dark by POLICY.")  # fmt: skip
@number_option(
    "-g",
    "--games",
    within=(2, 10_000_000),
    help="Play N games, even if exact results are possible.",
)
@click.option("--policy", metavar="POLICY",
              help="Judge POLICY in every decision of the game instead; it may also be a Python "
              "file or a module that defines policy.")  # fmt: skip
@number_option(
    "--examples",
    within=(0, 10_000),
    default=10,
    help="Show the N closest and the N worst decisions.",
)
@seed_option("Seed the random numbers of the games.")
@plies_option(1)
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    word: str,
    light: str,
    dark: str,
    games: int | None,
    policy: str | None,
    examples: int,
    seed: int,
    plies: int,
    as_json: bool,
) -> None:
    """Compute how often light wins by one policy against another, and how long the games are.

    TABLE is a file or a rule set, such as finkel:3. Light throws first. For up to a million
    positions results are exact; beyond that, 100,000 games are played, and results have 95 %
    intervals. A POLICY is table; strong, medium or weak, which sometimes err; random; reply, the
    best reply to the other side's policy; first or greedy, as in ur sample; or priorities joined
    by +. The first priority decides, the next ones break ties, and the rest is drawn at random:
    win, capture, rosette, again, safe, off, enter, furthest, rearmost. Without a table, an
    estimator (see 'ur train') replaces it, and 2,000 games are played.

    \b
    ur evaluate finkel:3 --light capture+safe+furthest --dark table

    With --policy it computes what POLICY loses, as judged by the table, in each decision of the
    game, whether or not play gets there; what it loses in games against the table; and how close
    decisions are.

    \b
    ur evaluate finkel:3 --policy agent.py
    """
    if policy is not None:
        for option in ("light", "dark", "games"):
            if ctx.get_parameter_source(option) is not ParameterSource.DEFAULT:
                raise InputError(f"--policy judges one policy alone, without --{option}")
        echo(_judged(word, policy, examples, seed, as_json))
        return
    with open_playing(word, plies, "an evaluation") as table:
        if games is None and not table.are_exact:
            games = _GAMES_OF_ESTIMATOR
        found = evaluate(table, light, dark, games=games, seed=seed)
        which = {} if table.are_exact else {"exact": False}
    if as_json:
        echo(json.dumps({"light": light, "dark": dark, **found.to_json(), **which}))
    else:
        echo(_page(found, light, dark))


def _judged(word: str, text: str, examples: int, seed: int, as_json: bool) -> str:
    from ur_solver.cli.regret_page import regret_page  # noqa: PLC0415 - for --policy alone
    from ur_solver.envs import policy_regret  # noqa: PLC0415

    with Table(open_file(word, say=say)) as table:
        table.check_whole("an evaluation")
        player = policy_from(text, table)
        total = table.space.n_values
        with shown_progress("judging", total, Form.AUTO, delay=2) as progress:
            found = policy_regret(table, player, examples=examples, seed=seed, progress=progress)
    if as_json:
        return json.dumps({"policy": text, **found.to_json()})
    return regret_page(found, text)


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
