"""`ur query`."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import click

from ur_solver.api.table import Table
from ur_solver.cli.answering import (
    Answering,
    error_of,
    exactness,
    note_of,
    open_answering,
    text_of,
    tolerance_of,
    value_text,
)
from ur_solver.cli.batch import STDIN, answer_batch
from ur_solver.cli.options import (
    json_option,
    memory_option,
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
    say,
    side_name,
    worth_bar,
)
from ur_solver.locate import is_rule_set
from ur_solver.rules import SIDE_NAMES, Position, named_rules, opponent
from ur_solver.rules.turns import total


@click.command(short_help="The value of a position.")
@table_argument
@position_argument
@click.option(
    "--throws", "with_throws", is_flag=True, help="With '-' and --json: every throw, as else."
)
@click.option(
    "--solve",
    "is_solved",
    is_flag=True,
    help="If no table holds POSITION, solve what it can lead to, and keep that.",
)
@memory_option
@json_option
def command(
    word: str,
    position: str | None,
    with_throws: bool,
    is_solved: bool,
    memory: int | None,
    as_json: bool,
) -> None:
    """The value of POSITION, or of the start, to the side about to throw, by TABLE.

    TABLE is a file or a rule set, such as finkel or finkel:3. POSITION '-' reads positions from
    standard input, one a line; what every throw is worth is then told only if it is asked for,
    as it takes much longer. A line that cannot be answered is told in its place, the others are
    answered, and the exit code is 2. Where there is no table, an estimator answers ('ur train'),
    and each value comes with its error.

    With --solve, where TABLE is a rule set, as much of it is solved as POSITION can lead to, if
    that fits. It is kept among the tables, where later queries find it and add to it.

    \b
    ur query finkel:3 '....__../......../....__.. L 3 3'
    """
    with _opened(word, position, is_solved, memory) as table:
        if position == STDIN:
            lines = partial(_json_lines, table, with_throws) if as_json else partial(_lines, table)
            answer_batch(partial(_parse, table), lines, as_json=as_json)
        elif as_json:
            click.echo(_json_lines(table, True, [position_of(table.rules, position)])[0])
        else:
            click.echo(_page(table, position_of(table.rules, position)))


def _opened(word: str, position: str | None, is_solved: bool, memory: int | None) -> Answering:
    """The table that answers, made first if that is asked for."""
    if not is_solved:
        if memory is not None:
            raise click.UsageError("--memory is what --solve may take: give both")
        return open_answering(word, None if position == STDIN else position)
    if position == STDIN:
        raise click.UsageError("--solve takes one position, not '-'")
    if not is_rule_set(word):
        raise click.UsageError(f"--solve takes a rule set, such as finkel:3, not {word!r}")
    from ur_solver.reach import table_from  # noqa: PLC0415 - the solver, rarely needed here

    rules = named_rules(word)
    return Table(table_from(rules, position_of(rules, position), memory=memory, say=say))


def _parse(table: Answering, text: str) -> Position:
    """A line of standard input that the table answers."""
    position = table.rules.position(text)
    table.check_holds(position)
    return position


def _lines(table: Answering, positions: list[Position]) -> list[str]:
    answers = zip(positions, table.values(positions).tolist(), strict=True)
    return [
        f"{position.notation}\t{value_text(table, value, position)}" for position, value in answers
    ]


def _json_lines(table: Answering, with_throws: bool, positions: list[Position]) -> list[str]:
    answers = zip(positions, table.values(positions).tolist(), strict=True)
    return [json.dumps(_answer(table, *answer, with_throws)) for answer in answers]


def _answer(
    table: Answering, position: Position, value: float, with_throws: bool
) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "position": position.notation,
        "value": value,
        "tolerance": tolerance_of(table),
        "error": table.error(position),
    }
    answer |= exactness(table, value, position)
    if not answer.get("exact", True):
        answer["tolerance"] = None
    if isinstance(table, Table) and not table.rules.payoff.is_chance:
        answer["cut_error"] = table.cut_error(position)
        answer["chance"] = table.chance(position)
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


def _page(table: Answering, position: Position) -> str:
    rules = table.rules
    value = table.value(position)
    values = {position.side: value, opponent(position.side): total(position) - value}
    verb, error = rules.payoff.verb, error_of(table, value, position)
    rows = [
        [
            f"  {side_name(side)} {verb}",
            text_of(table, values[side], error),
            worth_bar(position, values[side]),
        ]
        for side in SIDE_NAMES
    ]
    proven = table.error(position) if isinstance(table, Table) else None
    if proven is not None:
        rows.append(["  proven within", bound_text(proven), ""])
        if isinstance(table, Table) and not rules.payoff.is_chance:
            cut = table.cut_error(position)
            rows.append(["  cut of the fines within", bound_text(cut), ""])
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


def _choice_row(table: Answering, error: float, name: str, value: float | None) -> list[str]:
    if value is None:
        return [f"  {name}", "not allowed here", ""]
    return [f"  {name}", text_of(table, value, error), bar(value)]
