"""`ur best`."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import click

from ur_solver.api.table import Table
from ur_solver.cli.batch import STDIN, Asked, answer_batch, check_throw_argument, parse_asked
from ur_solver.cli.options import json_option, position_argument, position_of, table_argument
from ur_solver.cli.output import chance_text, columns, draw_position, echo, say, worth_bar
from ur_solver.locate import open_file
from ur_solver.query import EvaluatedMove
from ur_solver.rules import Position
from ur_solver.rules.payoff import percent
from ur_solver.rules.turns import pass_value


@click.command(short_help="Rank the legal moves, best first.")
@table_argument
@position_argument
@click.argument("throw", required=False)
@json_option
def command(word: str, position: str | None, throw: str | None, as_json: bool) -> None:
    """Rank the legal moves of POSITION with THROW, or with every throw, best first, by TABLE.

    POSITION defaults to the start.

    Each move is shown with the chance to win after it and its loss against the best move. With
    stakes, the money to come is shown, and the move that wins most often if that is another one.
    TABLE is a file or a rule set, such as finkel or finkel:3. POSITION '-' reads lines from
    standard input: a position, or a position, a tab and a throw. An invalid line produces an error
    in its place; the rest is still answered, and the exit code is 2.

    \b
    ur best finkel:3 'L...__../..D...../....__.. L 2 2' 2
    """
    check_throw_argument(position, throw)
    asked_of = None if position == STDIN else position
    with Table(open_file(word, say=say, position=asked_of)) as table:
        rules = table.rules
        line = partial(_json if as_json else _line, table)
        if position == STDIN:
            answer_batch(
                partial(_parse, table),
                lambda group: [line(*each) for each in group],
                as_json=as_json,
            )
            return
        asked: Asked = (
            position_of(rules, position),
            None if throw is None else rules.dice.parse(throw),
        )
        echo(line(*asked) if as_json else _page(table, *asked))


def _parse(table: Table, text: str) -> Asked:
    """Parse a line of standard input."""
    asked = parse_asked(table.rules, text)
    table.check(asked[0])
    return asked


def _throws(table: Table, position: Position) -> tuple[int, ...]:
    """All throws; none if the game is over."""
    return () if position.winner is not None else tuple(table.rules.dice.throws)


def _json(table: Table, position: Position, throw: int | None) -> str:
    answer: dict[str, Any] = {"position": position.notation}
    if throw is not None:
        return json.dumps(answer | {"throw": throw} | _moves_json(table, position, throw))
    chances = table.rules.dice.probabilities
    answer["throws"] = [
        {"throw": each, "probability": float(chances[each]), **_moves_json(table, position, each)}
        for each in _throws(table, position)
    ]
    return json.dumps(answer)


def _moves_json(table: Table, position: Position, throw: int) -> dict[str, Any]:
    """The moves, and the value of the best one or of the pass."""
    found = table.moves(position, throw)
    moves = [
        {"move": each.move.text, "value": each.value, "loss": each.loss}
        | ({"chance": each.chance} if "chance" in table.rules.payoff.figures else {})
        for each in found
    ]
    return {"value": _value_with(table, position, found), "moves": moves}


def _value_with(table: Table, position: Position, moves: list[EvaluatedMove]) -> float:
    """The value of the best of `moves`, of the pass, or of the finished game."""
    if moves:
        return moves[0].value
    if position.winner is not None:
        return table.value(position)
    return pass_value(position, table.value)


def _line(table: Table, position: Position, throw: int | None) -> str:
    if throw is not None:
        return f"{position.notation}\t{throw}\t{_moves_line(table, position, throw)}"
    throws = (f"{each}: {_moves_line(table, position, each)}" for each in _throws(table, position))
    return f"{position.notation}\t{'; '.join(throws) or 'the game is over'}"


def _moves_line(table: Table, position: Position, throw: int) -> str:
    moves = ", ".join(
        f"{each.move.text} {table.rules.payoff.text(each.value, table.tolerance)}"
        for each in table.moves(position, throw)
    )
    return moves or "no move"


def _page(table: Table, position: Position, throw: int | None) -> str:
    parts = [draw_position(position)]
    if position.winner is not None:
        parts.append("  the game is over")
    elif throw is not None:
        parts.append(_moves_page(table, position, throw))
    else:
        for each in _throws(table, position):
            chance = chance_text(table.rules.dice.probabilities[each])
            parts.append(f"throw {each}, {chance}\n{_moves_page(table, position, each)}")
    return "\n\n".join(parts)


def _moves_page(table: Table, position: Position, throw: int) -> str:
    moves = table.moves(position, throw)
    if not moves:
        value = table.rules.payoff.text(_value_with(table, position, moves), table.tolerance)
        return f"  throw {throw}: no move, the turn passes: {value}"
    rows = [_row(table, position, each) for each in moves]
    return columns(rows, "<>><") + _winning_note(table, moves)


def _row(table: Table, position: Position, each: EvaluatedMove) -> list[str]:
    rules, tolerance = table.rules, table.tolerance
    loss = f"-{rules.payoff.text(each.loss, tolerance)}" if each.loss else "best"
    shown = worth_bar(position, each.value)
    return [f"  {each.move.text}", rules.payoff.text(each.value, tolerance), loss, shown]


def _winning_note(table: Table, moves: list[EvaluatedMove]) -> str:
    """With stakes, the move that wins more often than the best."""
    winning = max(moves, key=lambda each: each.chance)
    tolerance = table.header.tolerance
    if winning.chance - moves[0].chance <= 2 * tolerance:
        return ""
    return (
        f"\n\n  {winning.move.text} wins more often: {percent(winning.chance, tolerance)}, "
        f"after {moves[0].move.text} {percent(moves[0].chance, tolerance)}"
    )
