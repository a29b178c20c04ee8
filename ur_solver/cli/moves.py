"""`ur moves`."""

from __future__ import annotations

import json
from functools import partial

import click

from ur_solver.cli.batch import (
    STDIN,
    check_throw_argument,
    parse_position_and_throw,
    parsed_groups,
)
from ur_solver.cli.options import json_option, pieces_option
from ur_solver.cli.output import columns, draw_position
from ur_solver.rules import Position, RuleSet, named_rules


@click.command(short_help="Legal moves and where they lead; needs no table.")
@click.argument("rules")
@click.argument("position")
@click.argument("throw", required=False)
@pieces_option
@json_option
def command(
    rules: str, position: str, throw: str | None, pieces: int | None, as_json: bool
) -> None:
    """Legal moves of POSITION with THROW by RULES, and where they lead; needs no table.

    RULES is a rule set, such as finkel or finkel:3, or a JSON file that holds one.
    POSITION '-' reads lines of position, tab, throw from standard input.

    \b
    ur moves finkel:3 'L...__../..D...../....__.. L 2 2' 2
    """
    check_throw_argument(position, throw)
    chosen = named_rules(rules, pieces)
    if throw is not None:
        asked = (chosen.position(position), chosen.dice.parse(throw))
        click.echo(_json(chosen, *asked) if as_json else _page(chosen, *asked))
        return
    assert position == STDIN
    for group in parsed_groups(partial(parse_position_and_throw, chosen)):
        if group:
            line = _json if as_json else _line
            click.echo("\n".join(line(chosen, *each) for each in group))


def _json(rules: RuleSet, position: Position, throw: int) -> str:
    moves = [
        {
            "move": move.text,
            "position": move.position.notation,
            "again": move.again,
        }
        for move in rules.legal_moves(position, throw)
    ]
    text = position.notation
    return json.dumps({"position": text, "throw": throw, "moves": moves})


def _line(rules: RuleSet, position: Position, throw: int) -> str:
    moves = ", ".join(move.text for move in rules.legal_moves(position, throw))
    return f"{position.notation}\t{throw}\t{moves or 'no move'}"


def _page(rules: RuleSet, position: Position, throw: int) -> str:
    board = f"{draw_position(position)}\n\n"
    rows = [
        [
            f"  {move.text}",
            move.position.notation,
            "throws again" if move.again else "",
        ]
        for move in rules.legal_moves(position, throw)
    ]
    if rows:
        return board + columns(rows, "<<<")
    over = position.winner is not None
    return f"{board}  " + (
        "the game is over" if over else f"throw {throw}: no move, the turn passes"
    )
