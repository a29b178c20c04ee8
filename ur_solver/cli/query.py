"""`ur query`."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import click

from ur_solver.cli.batch import STDIN, parsed_groups
from ur_solver.cli.options import json_option, table_argument
from ur_solver.cli.output import (
    SIDE_NAMES,
    bar,
    bound_text,
    columns,
    draw_position,
    percent,
    say,
    side_name,
    worth,
    worth_bar,
)
from ur_solver.locate import open_table
from ur_solver.position import Position, format_position, opponent, parse_position
from ur_solver.query import Query
from ur_solver.turns import total


@click.command(short_help="The value of a position.")
@table_argument
@click.argument("position")
@json_option
def command(table: str, position: str, as_json: bool) -> None:
    """The value of POSITION to the side about to throw, by TABLE.

    TABLE is a file or a rule set, such as finkel or finkel:3. POSITION '-' reads
    positions from standard input, one a line.

    \b
    ur query finkel:3 '....__../......../....__.. L 3 3'
    """
    with Query(open_table(table, say=say)) as query:
        parse = partial(parse_position, query.rules)
        if position == STDIN:
            for positions in parsed_groups(parse):
                if positions:
                    click.echo("\n".join(_lines(query, positions, as_json)))
        elif as_json:
            click.echo(_lines(query, [parse(position)], as_json)[0])
        else:
            click.echo(_page(query, parse(position)))


def _lines(query: Query, positions: list[Position], as_json: bool) -> list[str]:
    rules, tolerance = query.rules, query.tolerance
    answers = zip(positions, query.values(positions).tolist(), strict=True)
    if as_json:
        return [json.dumps(_answer(query, position, value)) for position, value in answers]
    return [
        f"{format_position(rules, position)}\t{worth(rules, value, tolerance)}"
        for position, value in answers
    ]


def _answer(query: Query, position: Position, value: float) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "position": format_position(query.rules, position),
        "value": value,
        "tolerance": query.tolerance,
        "error": query.error(position),
    }
    if query.rules.stakes is not None:
        answer["cut_error"] = query.cut_error(position)
        answer["chance"] = query.chance(position)
    choices = query.choices(position)
    return answer | {"choices": choices} if choices else answer


def _page(query: Query, position: Position) -> str:
    rules, tolerance = query.rules, query.tolerance
    value = query.value(position)
    values = {position.side: value, opponent(position.side): total(rules, position) - value}
    verb = "wins" if rules.stakes is None else "gets"
    rows = [
        [
            f"  {side_name(side)} {verb}",
            worth(rules, values[side], tolerance),
            worth_bar(rules, position, values[side]),
        ]
        for side in SIDE_NAMES
    ]
    error = query.error(position)
    if error is not None:
        rows.append(["  proven within", bound_text(error), ""])
    parts = [draw_position(rules, position), columns(rows, "<><")]
    choices = query.choices(position)
    if choices:
        parts.append(columns([_choice_row(query, *choice) for choice in choices.items()], "<><"))
    throws = [] if choices else query.distribution(position)
    if throws:
        head = ["  throw", "chance", f"{SIDE_NAMES[position.side]} then {verb}", "best move"]
        parts.append(
            columns(
                [
                    head,
                    *(
                        [
                            str(each.throw),
                            f"{float(100 * each.probability):.2f} %",
                            worth(rules, each.value, tolerance),
                            each.best.text if each.best else "none: the turn passes",
                        ]
                        for each in throws
                    ),
                ],
                ">>><",
            )
        )
    return "\n\n".join(parts)


def _choice_row(query: Query, name: str, value: float | None) -> list[str]:
    if value is None:
        return [f"  {name}", "not allowed here", ""]
    return [f"  {name}", percent(value, query.tolerance), bar(value)]
