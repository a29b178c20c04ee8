"""`ur sample`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

import click
import numpy as np

from ur_solver.audit import SampleStatistics, play_many
from ur_solver.cli.answering import open_playing, plies_option
from ur_solver.cli.options import (
    json_option,
    number_option,
    output_option,
    seed_option,
    table_argument,
)
from ur_solver.cli.output import columns, echo, side_name
from ur_solver.common.files import check_outputs
from ur_solver.errors import InputError
from ur_solver.players.policies import PLAYERS, policy_of
from ur_solver.records import GameRecord, check_output, write_games
from ur_solver.rules import DARK, LIGHT
from ur_solver.study.estimates import IntervalEstimate, share_of
from ur_solver.study.figures import as_number, as_share


@click.command()
@table_argument
@number_option("-g", "--games", within=(1, 1_000_000), default=1000, help="Play N games.")
@click.option(
    "--players",
    default="table,table",
    show_default=True,
    metavar="LIGHT,DARK",
    help=f"Choose the two players: {', '.join(PLAYERS)}.",
)
@seed_option("Seed the dice and the players.")
@output_option("Write the games as .rgn, as .json, one game per line, or as .ur for any rules.")
@plies_option(1)
@json_option
def command(
    word: str,
    games: int,
    players: str,
    seed: int,
    output: Path | None,
    plies: int,
    as_json: bool,
) -> None:
    """Play games between two players by the rules of TABLE and print their statistics.

    TABLE is a file or a rule set, such as finkel:3. Light throws first. Ben's game begins with
    its opening instead; both players then take the best squares by the table. Players: table
    plays perfectly; strong, medium and weak err more and more often; greedy captures, else
    gets another throw, else moves its foremost piece; first moves its rearmost piece; random
    makes a random move. A player may also be priorities, as in ur evaluate. Without a table, an
    estimator plays in its place ('ur train').

    \b
    ur sample finkel:3 -g 1000 --players table,greedy -o games.rgn
    """
    names = players.split(",")
    if len(names) != 2:
        raise InputError(
            f"players {players!r}: expected two names separated by a comma, such as 'table,greedy'"
        )
    check_outputs({"--output": output}, [word])
    with open_playing(word, plies, None) as table:
        if output is not None:
            check_output(output, table.rules)
            check_outputs({"--output": output}, [] if table.path is None else [table.path])
        light, dark = (policy_of(name.strip(), table) for name in names)
        metadata = {"Light": names[0].strip(), "Dark": names[1].strip()}
        rng = np.random.default_rng(seed)
        found = SampleStatistics()
        records = _counted(found, play_many(table.rules, light, dark, games, rng, metadata, table))
        if output is not None:
            write_games(records, output)
        else:
            for _ in records:
                pass
        has_fines = table.rules.payoff.has_fines
        is_exact = table.are_exact
    echo(
        _json(found, metadata, has_fines, is_exact)
        if as_json
        else _page(found, metadata, has_fines)
    )


def _counted(found: SampleStatistics, records: Iterable[GameRecord]) -> Iterator[GameRecord]:
    for record in records:
        found.add(record)
        yield record


_MONEY = ("fines", "light_money", "squared_light_money")
"""Fields of `SampleStatistics` that are shown as means, and only with stakes."""


def _json(
    found: SampleStatistics, metadata: dict[str, str], has_fines: bool, is_exact: bool
) -> str:
    values = {
        "light": metadata["Light"],
        "dark": metadata["Dark"],
        **{name: value for name, value in asdict(found).items() if name not in _MONEY},
        "light_share": found.light_share,
        "share_error": found.share_error,
        **({} if is_exact else {"exact": False}),
    }
    money = {
        "fines": found.fines,
        "light_money": found.mean_light_money,
        "money_error": found.money_error,
    }
    return json.dumps(values | money if has_fines else values)


def _page(found: SampleStatistics, metadata: dict[str, str], has_fines: bool) -> str:
    light_wins = share_of(found.light_wins, found.finished)
    wins = {LIGHT: light_wins, DARK: light_wins.rest()}
    names = {LIGHT: metadata["Light"], DARK: metadata["Dark"]}
    rows = [["games", f"{found.games:,}, {found.finished:,} of them finished"]]
    if found.finished:
        rows += [
            [
                f"{names[side]} ({side_name(side)}) wins",
                as_share(wins[side].to_json()),
            ]
            for side in (LIGHT, DARK)
        ]
        if has_fines:
            money = IntervalEstimate.around(found.mean_light_money, found.money_error)
            rows.append(
                [
                    f"{names[LIGHT]} (light) gets",
                    f"{as_number(money.to_json())} a game, less the fines that it pays",
                ]
            )
        rows.append(
            ["throws in a game", f"{found.mean_length:.1f}, {found.shortest} to {found.longest}"]
        )
    rows += [
        ["captures in a game", f"{found.captures / found.games:.1f}"],
        ["extra throws in a game", f"{found.extra_throws / found.games:.1f}"],
        ["passes in a game", f"{found.passes / found.games:.1f}"],
    ]
    if has_fines:
        rows.append(["fines in a game", f"{found.fines / found.games:.1f}"])
    return columns(rows, "<<")
