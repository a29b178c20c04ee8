"""`ur best`."""

from __future__ import annotations

import json
from functools import partial

import click

from ur_solver.api.table import Table
from ur_solver.cli.batch import (
    STDIN,
    check_throw_argument,
    parse_position_and_throw,
    parsed_groups,
)
from ur_solver.cli.options import json_option, table_argument
from ur_solver.cli.output import columns, draw_position, say, worth_bar
from ur_solver.locate import open_file
from ur_solver.query import EvaluatedMove
from ur_solver.rules import Position
from ur_solver.rules.payoff import percent
from ur_solver.rules.turns import pass_value


@click.command(short_help="All legal moves, best first.")
@table_argument
@click.argument("position")
@click.argument("throw", required=False)
@json_option
def command(word: str, position: str, throw: str | None, as_json: bool) -> None:
    """All legal moves of POSITION with THROW, best first, by TABLE.

    Each with the chance to win after it and how much less that is than after the best; with
    stakes with the money to come, and which move wins more often, if another does.
    TABLE is a file or a rule set, such as finkel or finkel:3. POSITION '-' reads lines of
    position, tab, throw from standard input.

    \b
    ur best finkel:3 'L...__../..D...../....__.. L 2 2' 2
    """
    check_throw_argument(position, throw)
    with Table(open_file(word, say=say)) as table:
        rules = table.rules
        if throw is not None:
            asked = (rules.position(position), rules.dice.parse(throw))
            click.echo(_json(table, *asked) if as_json else _page(table, *asked))
            return
        assert position == STDIN
        for group in parsed_groups(partial(parse_position_and_throw, rules)):
            if group:
                line = _json if as_json else _line
                click.echo("\n".join(line(table, *each) for each in group))


def _json(table: Table, position: Position, throw: int) -> str:
    moves = [
        {"move": each.move.text, "value": each.value, "loss": each.loss}
        | ({} if table.rules.payoff.is_chance else {"chance": each.chance})
        for each in table.moves(position, throw)
    ]
    text = position.notation
    return json.dumps({"position": text, "throw": throw, "moves": moves})


def _line(table: Table, position: Position, throw: int) -> str:
    moves = ", ".join(
        f"{each.move.text} {table.rules.payoff.text(each.value, table.tolerance)}"
        for each in table.moves(position, throw)
    )
    return f"{position.notation}\t{throw}\t{moves or 'no move'}"


def _page(table: Table, position: Position, throw: int) -> str:
    moves = table.moves(position, throw)
    board = f"{draw_position(position)}\n\n"
    if moves:
        rows = [_row(table, position, each) for each in moves]
        return board + columns(rows, "<>><") + _winning_note(table, moves)
    if not table.throws(position):
        return f"{board}  the game is over"
    value = table.rules.payoff.text(pass_value(position, table.value), table.tolerance)
    return f"{board}  throw {throw}: no move, the turn passes: {value}"


def _row(table: Table, position: Position, each: EvaluatedMove) -> list[str]:
    rules, tolerance = table.rules, table.tolerance
    loss = f"-{rules.payoff.text(each.loss, tolerance)}" if each.loss else "best"
    shown = worth_bar(position, each.value)
    return [f"  {each.move.text}", rules.payoff.text(each.value, tolerance), loss, shown]


def _winning_note(table: Table, moves: list[EvaluatedMove]) -> str:
    """Which move wins more often than the best, where money is what counts."""
    winning = max(moves, key=lambda each: each.chance)
    tolerance = table.header.tolerance
    if winning.chance - moves[0].chance <= 2 * tolerance:
        return ""
    return (
        f"\n\n  {winning.move.text} wins more often: {percent(winning.chance, tolerance)}, "
        f"after {moves[0].move.text} {percent(moves[0].chance, tolerance)}"
    )
