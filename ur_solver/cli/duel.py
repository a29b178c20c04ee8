"""`ur duel`."""

from __future__ import annotations

import json
from contextlib import ExitStack

import click

from ur_solver.answers.locate import open_file
from ur_solver.api.table import Table
from ur_solver.cli.options import FiniteFloat, json_option, number_option, seed_option
from ur_solver.cli.output import columns, echo, say
from ur_solver.common.progress import Form, shown_progress
from ur_solver.players.policies import PLAYERS, PRIORITIES, TEMPERATURES, policy_of
from ur_solver.players.program import Program
from ur_solver.rules import RuleSet, named_rules
from ur_solver.study.duel import Duel, Duellist, PolicyDuellist, duel
from ur_solver.study.figures import as_share


@click.command()
@click.argument("first")
@click.argument("second")
@click.option("--rules", "word", default="finkel", show_default=True, metavar="RULES",
              help="Play by RULES, a rule set such as finkel:3.")  # fmt: skip
@number_option("-g", "--games", within=(2, 1_000_000), default=100, help="Play N games; N is even.")
@click.option("--seconds", default=10.0, show_default=True, type=FiniteFloat(0.001, 86400),
              help="Give a program this long for each answer.")  # fmt: skip
@seed_option("Seed the dice and the built-in players.")
@json_option
def command(
    first: str, second: str, word: str, games: int, seconds: float, seed: int, as_json: bool
) -> None:
    """Let FIRST and SECOND play games in pairs, with the same throws and sides swapped.

    A player is a command that starts a program, or a built-in player: table, strong, medium and
    weak, which play by the table of RULES; greedy, first and random; or priorities, as in ur
    evaluate. A program reads positions and writes moves ('docs/agents.md' describes the lines).

    \b
    ur duel 'python3 engine.py' greedy --rules finkel:3 -g 200
    """
    rules = named_rules(word)
    with ExitStack() as stack:
        table = None
        if {first, second} & set(TEMPERATURES):
            table = stack.enter_context(Table(open_file(word, say=say)))
            table.check_whole("a duel")
        players = [
            _player(text, rules, table, seconds, seed + k, stack)
            for k, text in enumerate((first, second))
        ]
        progress = stack.enter_context(
            shown_progress("playing", games, Form.AUTO, unit="games", delay=2)
        )
        found = duel(rules, players[0], players[1], games, seed=seed, progress=progress)
    if as_json:
        echo(json.dumps({"first": first, "second": second, **found.to_json()}))
    else:
        echo(_page(found, first, second))


def _player(
    text: str, rules: RuleSet, table: Table | None, seconds: float, seed: int, stack: ExitStack
) -> Duellist:
    """A built-in player, or a program that ends with the command."""
    if text in PLAYERS or all(part in PRIORITIES for part in text.split("+")):
        return PolicyDuellist(rules, policy_of(text, table), seed)
    return stack.enter_context(Program(text, seconds))


def _page(found: Duel, first: str, second: str) -> str:
    rows = [
        [f"{first} wins", as_share(found.share.to_json())],
        [f"{second} wins", as_share(found.share.rest().to_json())],
        ["games", f"{found.games:,}, {found.unfinished:,} of them unfinished"],
        ["throws in a game", f"{found.throws:.1f}"],
    ]
    return columns(rows, "<<")
