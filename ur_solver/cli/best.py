"""`ur best`."""

from __future__ import annotations

import json
import math
from functools import partial
from typing import Any

import click

from ur_solver.answers.query import EvaluatedMove
from ur_solver.api.evaluator import Evaluator, error_of, exactness
from ur_solver.api.table import Table
from ur_solver.cli.answering import (
    is_sure,
    note_of,
    open_answering,
    plies_option,
    value_text,
)
from ur_solver.cli.batch import STDIN, Asked, answer_batch, check_throw_argument, parse_asked
from ur_solver.cli.options import json_option, position_argument, position_of, table_argument
from ur_solver.cli.output import chance_text, columns, draw_position, echo, worth_bar
from ur_solver.rules import Position
from ur_solver.rules.payoff import percent
from ur_solver.rules.turns import pass_value


@click.command(short_help="Rank the legal moves, best first.")
@table_argument
@position_argument
@click.argument("throw", required=False)
@plies_option()
@json_option
def command(word: str, position: str | None, throw: str | None, plies: int, as_json: bool) -> None:
    """Rank the legal moves of POSITION with THROW, or with every throw, best first, by TABLE.

    POSITION defaults to the start.

    Each move is shown with the chance to win after it and its loss against the best move. With
    stakes, the money to come is shown, and the move that wins most often if that is another one.
    TABLE is a file or a rule set, such as finkel or finkel:3. Without a table, an estimator answers
    ('ur train'), and every value has its 95 % interval. POSITION '-' reads lines from standard
    input: a position, or a position, a tab and a throw. An invalid line produces an error in its
    place; the rest is still answered, and the exit code is 2.

    \b
    ur best finkel:3 'L...__../..D...../....__.. L 2 2' 2
    """
    check_throw_argument(position, throw)
    asked_of = None if position == STDIN else position
    with open_answering(word, asked_of, plies) as table:
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


def _parse(table: Evaluator, text: str) -> Asked:
    """Parse a line of standard input."""
    asked = parse_asked(table.rules, text)
    table.check(asked[0])
    return asked


def _throws(table: Evaluator, position: Position) -> tuple[int, ...]:
    """All throws; none if the game is over."""
    return () if position.winner is not None else tuple(table.rules.dice.throws)


def _json(table: Evaluator, position: Position, throw: int | None) -> str:
    answer: dict[str, Any] = {"position": position.notation}
    if throw is not None:
        return json.dumps(answer | {"throw": throw} | _moves_json(table, position, throw))
    chances = table.rules.dice.probabilities
    answer["throws"] = [
        {"throw": each, "probability": float(chances[each]), **_moves_json(table, position, each)}
        for each in _throws(table, position)
    ]
    return json.dumps(answer)


def _moves_json(table: Evaluator, position: Position, throw: int) -> dict[str, Any]:
    """The moves, and the value of the best one or of the pass."""
    found = table.moves(position, throw)
    moves = [
        {"move": each.move.text, "value": each.value, "loss": each.loss}
        | exactness(table, error_of(table, each.value, each.move.position))
        | ({"chance": each.chance} if _has_chance(table, each) else {})
        for each in found
    ]
    value = _value_with(table, position, found)
    of = found[0].move.position if found else position
    return {"value": value} | exactness(table, error_of(table, value, of)) | {"moves": moves}


def _has_chance(table: Evaluator, move: EvaluatedMove) -> bool:
    """Whether the chance differs from the value and is known, which it is not to estimators."""
    return "chance" in table.rules.payoff.figures and not math.isnan(move.chance)


def _value_with(table: Evaluator, position: Position, moves: list[EvaluatedMove]) -> float:
    """The value of the best of `moves`, of the pass, or of the finished game."""
    if moves:
        return moves[0].value
    if position.winner is not None:
        return table.value(position)
    return pass_value(position, table.value)


def _line(table: Evaluator, position: Position, throw: int | None) -> str:
    if throw is not None:
        return f"{position.notation}\t{throw}\t{_moves_line(table, position, throw)}"
    throws = (f"{each}: {_moves_line(table, position, each)}" for each in _throws(table, position))
    return f"{position.notation}\t{'; '.join(throws) or 'the game is over'}"


def _moves_line(table: Evaluator, position: Position, throw: int) -> str:
    moves = ", ".join(
        f"{each.move.text} {value_text(table, each.value, each.move.position)}"
        for each in table.moves(position, throw)
    )
    return moves or "no move"


def _page(table: Evaluator, position: Position, throw: int | None) -> str:
    parts = [draw_position(position)]
    if position.winner is not None:
        parts.append("  the game is over")
    elif throw is not None:
        parts.append(_moves_page(table, position, throw))
    else:
        for each in _throws(table, position):
            chance = chance_text(table.rules.dice.probabilities[each])
            parts.append(f"throw {each}, {chance}\n{_moves_page(table, position, each)}")
    return "\n\n".join(parts) + note_of(table)


def _moves_page(table: Evaluator, position: Position, throw: int) -> str:
    moves = table.moves(position, throw)
    if not moves:
        value = value_text(table, _value_with(table, position, moves), position)
        return f"  throw {throw}: no move, the turn passes: {value}"
    rows = [_row(table, position, each, moves[0]) for each in moves]
    return columns(rows, "<>><") + _winning_note(table, moves)


def _row(
    table: Evaluator, position: Position, each: EvaluatedMove, best: EvaluatedMove
) -> list[str]:
    value = value_text(table, each.value, each.move.position)
    shown = worth_bar(position, each.value)
    return [f"  {each.move.text}", value, _loss_text(table, each, best), shown]


def _loss_text(table: Evaluator, each: EvaluatedMove, best: EvaluatedMove) -> str:
    """The loss; of estimates, "perhaps" is added if the intervals do not exclude a loss of 0."""
    if not each.loss:
        return "best"
    payoff = table.rules.payoff
    if isinstance(table, Table):
        return f"-{payoff.text(each.loss, table.tolerance)}"
    loss = f"-{payoff.text(each.loss, 1e-4 * payoff.total(each.move.position.fines))}"
    return loss if is_sure(table, best, each) else f"{loss}, perhaps"


def _winning_note(table: Evaluator, moves: list[EvaluatedMove]) -> str:
    """With stakes, the move that wins more often than the best."""
    if not isinstance(table, Table):
        return ""
    winning = max(moves, key=lambda each: each.chance)
    tolerance = table.header.tolerance
    if winning.chance - moves[0].chance <= 2 * tolerance:
        return ""
    return (
        f"\n\n  {winning.move.text} wins more often: {percent(winning.chance, tolerance)}, "
        f"after {moves[0].move.text} {percent(moves[0].chance, tolerance)}"
    )
