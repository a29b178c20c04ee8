"""`ur dice`."""

from __future__ import annotations

import json
from typing import Any

import click

from ur_solver.api.games import read_games
from ur_solver.audit import NOTHING, dice_test
from ur_solver.cli.left_out import report_left_out
from ur_solver.cli.options import json_option, played_by_option, seed_option
from ur_solver.cli.output import columns, echo
from ur_solver.common.text import counted
from ur_solver.rules import named_rules

_SERIES = ("light", "dark", "both")


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@played_by_option
@seed_option("Seed the fair series that the throws are compared with.")
@json_option
def command(files: tuple[str, ...], rules: str | None, seed: int, as_json: bool) -> None:
    """Count the throws in the games of FILE... and compare them with fair dice.

    The throws of light, of dark and of both are counted. For each, the program draws many series of
    the same number of fair throws and shows how often their counts deviate at least as much. A
    folder stands for all games in it, '-' for standard input. Games that cannot be read are
    reported and skipped. No table is needed; ur audit shows what the throws were worth.

    \b
    ur dice games.rgn
    """
    games = read_games(files, None if rules is None else named_rules(rules))
    found = dice_test(games, seed)
    if as_json:
        for each in found:
            echo(json.dumps(each))
    elif found:
        echo("\n\n".join(_page(each) for each in found))
    report_left_out(games.faults, "not counted")


def _page(found: dict[str, Any]) -> str:
    games = counted(found["games"], "game")
    rows = [[f"{found['dice']}, {games}", "fair dice", *_SERIES]]
    for k, each in enumerate(found["both"]["counts"]):
        counts = [found[name]["counts"][k] for name in _SERIES]
        rows.append(
            [
                str(each["throw"]),
                f"{100 * each['probability']:.1f} %",
                *(f"{one['count']} of {one['expected']:.1f}" for one in counts),
            ]
        )
    rows.append(["throws", "", *(f"{found[name]['throws']:,}" for name in _SERIES)])
    rows.append(["mean", f"{found['both']['fair_mean']:.2f}", *map(_mean, _found(found))])
    texts = "\n".join(f"{name}: {found[name]['text']}" for name in _SERIES)
    return f"{columns(rows, '<>>>>')}\n\n{texts}"


def _found(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [found[name] for name in _SERIES]


def _mean(series: dict[str, Any]) -> str:
    if series["mean"] is None:
        return NOTHING
    return f"{series['mean']:.2f} (fair \N{PLUS-MINUS SIGN} {series['fair_error']:.2f})"
