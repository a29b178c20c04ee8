"""`ur query`."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ur_solver.answers.locate import is_rule_set
from ur_solver.api.evaluator import Evaluator, position_values
from ur_solver.api.table import Table
from ur_solver.cli.answering import note_of, open_answering, plies_option, text_of, value_text
from ur_solver.cli.batch import STDIN, answer_batch
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
from ur_solver.rules.turns import total
from ur_solver.table.format import WIN

if TYPE_CHECKING:  # a table's answer needs none of it
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
def command(
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
            lines = partial(_json_lines, table, with_throws) if as_json else partial(_lines, table)
            answer_batch(partial(_parse, table), lines, as_json=as_json)
        elif as_json:
            asked = position_of(table.rules, position)
            answer = _answer(table, asked, table.value(asked), True)
            if rolled is not None:
                answer["rollouts"] = asdict(rolled)
            echo(json.dumps(answer))
        else:
            echo(_page(table, position_of(table.rules, position), rolled))


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


def _lines(table: Evaluator, positions: list[Position]) -> list[str]:
    answers = zip(positions, table.values(positions).tolist(), strict=True)
    return [
        f"{position.notation}\t{value_text(table, value, position)}" for position, value in answers
    ]


def _json_lines(table: Evaluator, with_throws: bool, positions: list[Position]) -> list[str]:
    answers = zip(positions, table.values(positions).tolist(), strict=True)
    return [json.dumps(_answer(table, *answer, with_throws)) for answer in answers]


def _answer(
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


def _page(table: Evaluator, position: Position, rolled: IntervalEstimate | None) -> str:
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
