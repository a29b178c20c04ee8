"""`ur best`."""

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
from ur_solver.cli.options import json_option, table_argument
from ur_solver.cli.output import bar, columns, draw_position, percent, say
from ur_solver.locate import open_table
from ur_solver.moves import parse_throw, pass_turn
from ur_solver.position import Position, format_position, parse_position
from ur_solver.query import EvaluatedMove, Query


@click.command(short_help="All legal moves, best first.")
@table_argument
@click.argument("position")
@click.argument("throw", required=False)
@json_option
def command(table: str, position: str, throw: str | None, as_json: bool) -> None:
    """All legal moves of POSITION with THROW, best first, by TABLE.

    Each with the chance to win after it and how much less that is than after the best.
    TABLE is a file or a rule set, such as finkel or finkel:3. POSITION '-' reads lines of
    position, tab, throw from standard input.

    \b
    ur best finkel:3 'L...__../..D...../....__.. L 2 2' 2
    """
    check_throw_argument(position, throw)
    with Query(open_table(table, say=say)) as query:
        rules = query.rules
        if throw is not None:
            asked = (parse_position(rules, position), parse_throw(rules, throw))
            click.echo(_json(query, *asked) if as_json else _page(query, *asked))
            return
        assert position == STDIN
        for group in parsed_groups(partial(parse_position_and_throw, rules)):
            if group:
                line = _json if as_json else _line
                click.echo("\n".join(line(query, *each) for each in group))


def _json(query: Query, position: Position, throw: int) -> str:
    moves = [
        {"move": each.move.text, "value": each.value, "loss": each.loss}
        for each in query.moves(position, throw)
    ]
    text = format_position(query.rules, position)
    return json.dumps({"position": text, "throw": throw, "moves": moves})


def _line(query: Query, position: Position, throw: int) -> str:
    moves = ", ".join(
        f"{each.move.text} {percent(each.value, query.tolerance)}"
        for each in query.moves(position, throw)
    )
    return f"{format_position(query.rules, position)}\t{throw}\t{moves or 'no move'}"


def _page(query: Query, position: Position, throw: int) -> str:
    moves = query.moves(position, throw)
    board = f"{draw_position(query.rules, position)}\n\n"
    if moves:
        return board + columns([_row(query, each) for each in moves], "<>><")
    if not query.distribution(position):
        return f"{board}  the game is over"
    value = 1 - query.value(pass_turn(position))
    return f"{board}  throw {throw}: no move, the turn passes: {percent(value, query.tolerance)}"


def _row(query: Query, each: EvaluatedMove) -> list[str]:
    loss = f"-{percent(each.loss, query.tolerance)}" if each.loss else "best"
    return [f"  {each.move.text}", percent(each.value, query.tolerance), loss, bar(each.value)]
