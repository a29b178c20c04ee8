"""`ur query`."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import click

from ur_solver.api.table import Table
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
    echo,
    say,
    side_name,
    worth_bar,
)
from ur_solver.locate import is_rule_set, open_file
from ur_solver.query import figures_of
from ur_solver.rules import SIDE_NAMES, Position, named_rules, opponent
from ur_solver.rules.payoff import percent
from ur_solver.rules.turns import total


@click.command(short_help="Show the value of a position.")
@table_argument
@position_argument
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
    """Show the value of POSITION to the side about to throw, by TABLE.

    POSITION defaults to the start. TABLE is a file or a rule set, such as finkel or finkel:3.
    POSITION '-' reads positions from standard input, one per line; the values of throws, which
    take much longer, are then off by default. An invalid line produces an error in its place;
    the rest is still answered, and the exit code is 2.

    With --solve, TABLE is a rule set. The positions that POSITION can reach are solved, if they
    fit, and kept in the folder of tables. Later queries use them and add to them.

    \b
    ur query finkel:3 '....__../......../....__.. L 3 3'
    """
    with _opened(word, position, is_solved, memory) as table:
        if position == STDIN:
            lines = partial(_json_lines, table, with_throws) if as_json else partial(_lines, table)
            answer_batch(partial(_parse, table), lines, as_json=as_json)
        elif as_json:
            echo(_json_lines(table, True, [position_of(table.rules, position)])[0])
        else:
            echo(_page(table, position_of(table.rules, position)))


def _opened(word: str, position: str | None, is_solved: bool, memory: int | None) -> Table:
    """The table that answers; with --solve it is made if it is missing."""
    if not is_solved:
        if memory is not None:
            raise click.UsageError("--memory needs --solve")
        return Table(open_file(word, say=say, position=None if position == STDIN else position))
    if position == STDIN:
        raise click.UsageError("--solve takes one position, not '-'")
    if not is_rule_set(word):
        raise click.UsageError(f"--solve takes a rule set, such as finkel:3, not {word!r}")
    from ur_solver.reach import table_from  # noqa: PLC0415 - the solver, rarely needed here

    rules = named_rules(word)
    return Table(table_from(rules, position_of(rules, position), memory=memory, say=say))


def _parse(table: Table, text: str) -> Position:
    """Parse a line of standard input."""
    position = table.rules.position(text)
    table.check(position)
    return position


def _lines(table: Table, positions: list[Position]) -> list[str]:
    answers = zip(positions, table.values(positions).tolist(), strict=True)
    return [
        f"{position.notation}\t{table.rules.payoff.text(value, table.tolerance)}"
        for position, value in answers
    ]


def _json_lines(table: Table, with_throws: bool, positions: list[Position]) -> list[str]:
    answers = zip(positions, table.values(positions).tolist(), strict=True)
    return [json.dumps(_answer(table, *answer, with_throws)) for answer in answers]


def _answer(table: Table, position: Position, value: float, with_throws: bool) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "position": position.notation,
        "value": value,
        "tolerance": table.tolerance,
        "error": table.error(position),
        **figures_of(table, position),
    }
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


def _page(table: Table, position: Position) -> str:
    rules, tolerance = table.rules, table.tolerance
    value = table.value(position)
    values = {position.side: value, opponent(position.side): total(position) - value}
    verb = rules.payoff.verb
    rows = [
        [
            f"  {side_name(side)} {verb}",
            rules.payoff.text(values[side], tolerance),
            worth_bar(position, values[side]),
        ]
        for side in SIDE_NAMES
    ]
    error = table.error(position)
    if error is not None:
        rows.append(["  proven within", bound_text(error), ""])
        if rules.payoff.has_fines:
            cut = table.cut_error(position)
            rows.append(["  cut of the fines within", bound_text(cut), ""])
    parts = [draw_position(position), columns(rows, "<><")]
    choices = table.choices(position)
    if choices:
        parts.append(columns([_choice_row(table, *choice) for choice in choices.items()], "<><"))
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
                            rules.payoff.text(each.value, tolerance),
                            each.best.text if each.best else "none: the turn passes",
                        ]
                        for each in throws
                    ),
                ],
                ">>><",
            )
        )
    return "\n\n".join(parts)


def _choice_row(table: Table, name: str, value: float | None) -> list[str]:
    if value is None:
        return [f"  {name}", "not allowed here", ""]
    return [f"  {name}", percent(value, table.tolerance), bar(value)]
