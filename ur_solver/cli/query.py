"""`ur query` and `ur best`: the value of a position, and its moves, best first."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ur_solver.answers.locate import is_rule_set
from ur_solver.answers.query import EvaluatedMove, exactness
from ur_solver.api.evaluator import Evaluator, position_values
from ur_solver.api.table import Table
from ur_solver.cli.answering import note_of, open_answering, plies_option, text_of, value_text
from ur_solver.cli.moves import (
    STDIN,
    ChosenRoll,
    Forms,
    answer_batch,
    answer_questions,
    check_arguments,
    throw_argument,
)
from ur_solver.cli.objective import objective_option, refuse_options
from ur_solver.cli.options import (
    FiniteFloat,
    json_option,
    memory_option,
    number_option,
    position_argument,
    position_of,
    table_argument,
)
from ur_solver.cli.output import (
    bar,
    bound_text,
    chance_text,
    columns,
    draw_position,
    echo,
    say,
    side_name,
    worth_bar,
)
from ur_solver.rules import SIDE_NAMES, Position, named_rules, opponent
from ur_solver.rules.payoff import CHANCES
from ur_solver.rules.turns import pass_value, total
from ur_solver.table.format import WIN

if TYPE_CHECKING:
    from ur_solver.study.estimates import IntervalEstimate


@click.command()
@table_argument
@position_argument
@objective_option
@click.option(
    "--throws",
    "with_throws",
    is_flag=True,
    help="Include the values of throws with '-' and --json.",
)
@click.option(
    "--solve",
    "is_solved",
    is_flag=True,
    help="If no table holds POSITION, solve all positions it can reach, and keep them.",
)
@memory_option()
@plies_option()
@number_option(
    "--rollouts",
    within=(2, None),
    help="Value POSITION by N games of an estimator with itself, too.",
)
@click.option(
    "--within",
    type=FiniteFloat(0, min_open=True),
    metavar="POINTS",
    help="Play rollouts until half their 95 % interval is this narrow.",
)
@number_option(
    "--cut",
    within=(1, None),
    metavar="PLIES",
    help="Cut rollouts after this many plies: quicker, and nearer to the optimum.",
)
@json_option
def query_command(
    word: str,
    position: str | None,
    objective: str,
    with_throws: bool,
    is_solved: bool,
    memory: int | None,
    plies: int,
    rollouts: int | None,
    within: float | None,
    cut: int | None,
    as_json: bool,
) -> None:
    """Show the value of POSITION to the side about to throw, by TABLE.

    POSITION defaults to the start. TABLE is a file or a rule set, such as finkel or finkel:3.
    POSITION '-' reads positions from standard input, one per line; the values of throws, which
    take much longer, are then off by default. An invalid line produces an error in its place;
    the rest is still answered, and the exit code is 2. Without a table, an estimator answers
    ('ur train'), and every value has its 95 % interval.

    With --solve, TABLE is a rule set. The positions that POSITION can reach are solved, if they
    fit, and kept in the folder of tables. Later queries use them and add to them.

    \b
    ur query finkel:3 '....__../......../....__.. L 3 3'
    """
    if objective != WIN:
        refuse_options(_NOT_OF_LENGTHS, "lengths of games")
        from ur_solver.cli.lengths import query  # noqa: PLC0415 - chances need none of it

        query(word, objective, position, as_json=as_json)
        return
    with _opened(word, position, is_solved, memory, plies) as table:
        rolled = _rolled_out(table, position, rollouts, within, cut)
        if position == STDIN:
            lines = (
                partial(_query_json_lines, table, with_throws)
                if as_json
                else partial(_query_lines, table)
            )
            answer_batch(partial(_parse, table), lines, as_json=as_json)
        elif as_json:
            asked = position_of(table.rules, position)
            answer = _query_json(table, asked, table.value(asked), True)
            if rolled is not None:
                answer["rollouts"] = asdict(rolled)
            echo(json.dumps(answer))
        else:
            echo(_query_page(table, position_of(table.rules, position), rolled))


_NOT_OF_LENGTHS = ("with_throws", "is_solved", "memory", "plies", "rollouts", "within", "cut")
"""Options of chances alone."""


def _rolled_out(
    table: Evaluator,
    position: str | None,
    rollouts: int | None,
    within: float | None,
    cut: int | None,
) -> IntervalEstimate | None:
    """The value by rollouts, if they are requested."""
    if rollouts is None and within is None:
        if cut is not None:
            raise click.UsageError("--cut needs --rollouts or --within")
        return None
    if rollouts is not None and within is not None:
        raise click.UsageError("--rollouts and --within exclude each other: give one")
    if position == STDIN:
        raise click.UsageError("rollouts take one position, not '-'")
    if table.are_exact:
        raise click.UsageError("rollouts need an estimator, but a table answers exactly")
    if within is not None and not table.rules.payoff.has_fines:
        within /= 100
    asked = position_of(table.rules, position)
    return table.rollout(asked, rollouts, within=within, plies=cut)


def _opened(
    word: str, position: str | None, is_solved: bool, memory: int | None, plies: int
) -> Evaluator:
    """The table or estimator that answers; with --solve a table is made if it is missing."""
    if not is_solved:
        if memory is not None:
            raise click.UsageError("--memory needs --solve")
        return open_answering(word, None if position == STDIN else position, plies)
    if position == STDIN:
        raise click.UsageError("--solve takes one position, not '-'")
    if not is_rule_set(word):
        raise click.UsageError(f"--solve takes a rule set, such as finkel:3, not {word!r}")
    from ur_solver.answers.reach import table_from  # noqa: PLC0415 - the solver, rarely needed here

    rules = named_rules(word)
    return Table(table_from(rules, position_of(rules, position), memory=memory, say=say))


def _parse(table: Evaluator, text: str) -> Position:
    """Parse a line of standard input."""
    position = table.rules.position(text)
    table.check(position)
    return position


def _query_lines(table: Evaluator, positions: list[Position]) -> list[str]:
    answers = zip(positions, table.values(positions).tolist(), strict=True)
    return [
        f"{position.notation}\t{value_text(table, value, position)}" for position, value in answers
    ]


def _query_json_lines(table: Evaluator, with_throws: bool, positions: list[Position]) -> list[str]:
    answers = zip(positions, table.values(positions).tolist(), strict=True)
    return [json.dumps(_query_json(table, *answer, with_throws)) for answer in answers]


def _query_json(
    table: Evaluator, position: Position, value: float, with_throws: bool
) -> dict[str, Any]:
    answer = position_values(table, position, value)
    if position == table.rules.start():
        answer["opening_value"] = table.opening_value()
    choices = table.choices(position)
    if choices:
        answer["choices"] = choices
    elif with_throws:
        answer["throws"] = [
            {
                "throw": each.throw,
                "probability": float(each.probability),
                "value": each.value,
                "best": each.best.text if each.best else None,
            }
            for each in table.throws(position)
        ]
    return answer


def _query_page(table: Evaluator, position: Position, rolled: IntervalEstimate | None) -> str:
    rules = table.rules
    value = table.value(position)
    values = {position.side: value, opponent(position.side): total(position) - value}
    verb, error = rules.payoff.verb, table.error_of(value, position)
    rows = [
        [
            f"  {side_name(side)} {verb}",
            text_of(table, values[side], error),
            worth_bar(position, values[side]),
        ]
        for side in SIDE_NAMES
    ]
    if position == rules.start() and not rules.mechanics.has_free_first_throw:
        opening = table.opening_value()
        rows = [
            [f"  the first player {verb}", text_of(table, opening, error), bar(opening)],
            ["  with a free first throw", "", ""],
            *rows,
        ]
    proven = None if error else table.error(position)
    if proven is not None:
        rows.append(["  proven within", bound_text(proven), ""])
        if rules.payoff.has_fines:
            cut = table.cut_error(position)
            rows.append(["  cut of the fines within", bound_text(cut), ""])
    if rolled is not None:
        rows.append(["  by rollouts", text_of(table, rolled.value, rolled.margin), ""])
    parts = [draw_position(position), columns(rows, "<><")]
    choices = table.choices(position)
    if choices:
        parts.append(columns([_choice_row(table, error, *each) for each in choices.items()], "<><"))
    throws = [] if choices else table.throws(position)
    if throws:
        head = ["  throw", "chance", f"{SIDE_NAMES[position.side]} then {verb}", "best move"]
        parts.append(
            columns(
                [
                    head,
                    *(
                        [
                            str(each.throw),
                            chance_text(each.probability),
                            text_of(table, each.value, error),
                            each.best.text if each.best else "none: the turn passes",
                        ]
                        for each in throws
                    ),
                ],
                ">>><",
            )
        )
    return "\n\n".join(parts) + note_of(table)


def _choice_row(table: Evaluator, error: float, name: str, value: float | None) -> list[str]:
    if value is None:
        return [f"  {name}", "not allowed here", ""]
    return [f"  {name}", text_of(table, value, error), bar(value)]


@click.command()
@table_argument
@position_argument
@throw_argument
@objective_option
@plies_option()
@json_option
def best_command(
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
