"""`ur best`."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import click

from ur_solver.answers.query import EvaluatedMove
from ur_solver.api.evaluator import Evaluator, exactness
from ur_solver.cli.answering import (
    note_of,
    open_answering,
    plies_option,
    value_text,
)
from ur_solver.cli.batch import STDIN
from ur_solver.cli.objective import objective_option, refuse_options
from ur_solver.cli.options import json_option, position_argument, table_argument
from ur_solver.cli.output import columns, worth_bar
from ur_solver.cli.rolls import ChosenRoll, Forms, answer_questions, check_arguments, throw_argument
from ur_solver.rules import Position
from ur_solver.rules.payoff import CHANCES
from ur_solver.rules.turns import pass_value
from ur_solver.table.format import WIN


@click.command()
@table_argument
@position_argument
@throw_argument
@objective_option
@plies_option()
@json_option
def command(
    word: str,
    position: str | None,
    throw: tuple[str, ...],
    objective: str,
    plies: int,
    as_json: bool,
) -> None:
    """Rank the legal moves of POSITION with THROW, or with every throw, best first, by TABLE.

    POSITION defaults to the start. In birds THROW begins with the choice before the throw, move or
    enter; after enter it may include the second throw: enter 3 2. Without a choice both are
    answered.

    Each move is shown with the chance to win after it and its loss against the best move. With
    stakes, the money to come is shown, and the move that wins most often if that is another one.
    TABLE is a file or a rule set, such as finkel or finkel:3. Without a table, an estimator answers
    ('ur train'), and every value has its 95 % interval. POSITION '-' reads lines from standard
    input: a position, or a position, a tab and a throw. An invalid line produces an error in its
    place; the rest is still answered, and the exit code is 2. With --objective the longest moves
    come first, each with the expected number of throws after it.

    \b
    ur best finkel:3 'L...__../..D...../....__.. L 2 2' 2
    """
    check_arguments(position, throw)
    if objective != WIN:
        refuse_options(["plies"], "lengths of games")
        from ur_solver.cli.lengths import best  # noqa: PLC0415 - chances need none of it

        best(word, objective, position, throw, as_json=as_json)
        return
    asked_for = None if position == STDIN else position
    with open_answering(word, asked_for, plies) as table:
        forms = Forms(
            json=lambda at, rolled: _with_value(table, at, _moves(table, at, rolled)),
            over=lambda at: _with_value(table, at, []),
            line=partial(_moves_line, table),
            page=partial(_moves_page, table),
        )
        note = note_of(table)
        answer_questions(
            table.rules, position, throw, forms, as_json=as_json, check=table.check, note=note
        )


def _moves(table: Evaluator, position: Position, rolled: ChosenRoll) -> list[EvaluatedMove]:
    if rolled.roll.moves_by is None:
        return []
    return table.moves(position, rolled.roll.moves_by, rolled.choice)


def _with_value(table: Evaluator, position: Position, found: list[EvaluatedMove]) -> dict[str, Any]:
    """The moves, and the value of the best one or of the pass."""
    moves = [
        {"move": each.move.text, "value": each.value, "loss": each.loss}
        | exactness(table, table.error_of(each.value, each.move.position))
        | ({"chance": each.chance} if _has_chance(table, each) else {})
        for each in found
    ]
    value = _value_with(table, position, found)
    of = found[0].move.position if found else position
    return {"value": value} | exactness(table, table.error_of(value, of)) | {"moves": moves}


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


def _moves_line(table: Evaluator, position: Position, rolled: ChosenRoll) -> str:
    moves = ", ".join(
        f"{each.move.text} {value_text(table, each.value, each.move.position)}"
        for each in _moves(table, position, rolled)
    )
    return moves or "no move"


def _moves_page(table: Evaluator, position: Position, rolled: ChosenRoll) -> str:
    moves = _moves(table, position, rolled)
    if not moves:
        value = value_text(table, _value_with(table, position, moves), position)
        return f"  {rolled.passing}: {value}"
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
    error = math.hypot(*(table.error_of(of.value, of.move.position) for of in (best, each)))
    tolerance = 1e-4 * payoff.total(each.move.position.fines) if error else table.tolerance
    loss = f"-{payoff.text(each.loss, tolerance)}"
    return loss if each.loss > error else f"{loss}, perhaps"


def _winning_note(table: Evaluator, moves: list[EvaluatedMove]) -> str:
    """With stakes, the move that wins more often than the best."""
    if not table.are_exact:
        return ""
    winning = max(moves, key=lambda each: each.chance)
    tolerance = table.header.tolerance
    if winning.chance - moves[0].chance <= 2 * tolerance:
        return ""
    return (
        f"\n\n  {winning.move.text} wins more often: {CHANCES.text(winning.chance, tolerance)}, "
        f"after {moves[0].move.text} {CHANCES.text(moves[0].chance, tolerance)}"
    )
