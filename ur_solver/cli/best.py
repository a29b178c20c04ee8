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
from ur_solver.cli.output import columns, draw_position, percent, say, worth, worth_bar
from ur_solver.locate import open_table
from ur_solver.moves import parse_throw
from ur_solver.position import Position, format_position, parse_position
from ur_solver.query import EvaluatedMove, Query
from ur_solver.turns import pass_value


@click.command(short_help="All legal moves, best first.")
@table_argument
@click.argument("position")
@click.argument("throw", required=False)
@json_option
def command(table: str, position: str, throw: str | None, as_json: bool) -> None:
    """All legal moves of POSITION with THROW, best first, by TABLE.

    Each with the chance to win after it and how much less that is than after the best; with
    stakes with the money to come, and which move wins more often, if another does.
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
        | ({} if query.rules.stakes is None else {"chance": each.chance})
        for each in query.moves(position, throw)
    ]
    text = format_position(query.rules, position)
    return json.dumps({"position": text, "throw": throw, "moves": moves})


def _line(query: Query, position: Position, throw: int) -> str:
    moves = ", ".join(
        f"{each.move.text} {worth(query.rules, each.value, query.tolerance)}"
        for each in query.moves(position, throw)
    )
    return f"{format_position(query.rules, position)}\t{throw}\t{moves or 'no move'}"


def _page(query: Query, position: Position, throw: int) -> str:
    moves = query.moves(position, throw)
    board = f"{draw_position(query.rules, position)}\n\n"
    if moves:
        rows = [_row(query, position, each) for each in moves]
        return board + columns(rows, "<>><") + _winning_note(query, moves)
    if not query.distribution(position):
        return f"{board}  the game is over"
    value = worth(query.rules, pass_value(query.rules, position, query.value), query.tolerance)
    return f"{board}  throw {throw}: no move, the turn passes: {value}"


def _row(query: Query, position: Position, each: EvaluatedMove) -> list[str]:
    rules, tolerance = query.rules, query.tolerance
    loss = f"-{worth(rules, each.loss, tolerance)}" if each.loss else "best"
    shown = worth_bar(rules, position, each.value)
    return [f"  {each.move.text}", worth(rules, each.value, tolerance), loss, shown]


def _winning_note(query: Query, moves: list[EvaluatedMove]) -> str:
    """Which move wins more often than the best, where money is what counts."""
    winning = max(moves, key=lambda each: each.chance)
    tolerance = query.table.header.tolerance
    if winning.chance - moves[0].chance <= 2 * tolerance:
        return ""
    return (
        f"\n\n  {winning.move.text} wins more often: {percent(winning.chance, tolerance)}, "
        f"after {moves[0].move.text} {percent(moves[0].chance, tolerance)}"
    )
