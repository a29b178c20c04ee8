"""`ur query`."""

from __future__ import annotations

import json
from typing import Any

import click

from ur_solver.api.table import Table
from ur_solver.cli.batch import STDIN, parsed_groups
from ur_solver.cli.options import json_option, table_argument
from ur_solver.cli.output import (
    bar,
    bound_text,
    columns,
    draw_position,
    say,
    side_name,
    worth_bar,
)
from ur_solver.locate import open_file
from ur_solver.rules import SIDE_NAMES, Position, opponent
from ur_solver.rules.payoff import percent
from ur_solver.rules.turns import total


@click.command(short_help="The value of a position.")
@table_argument
@click.argument("position")
@json_option
def command(word: str, position: str, as_json: bool) -> None:
    """The value of POSITION to the side about to throw, by TABLE.

    TABLE is a file or a rule set, such as finkel or finkel:3. POSITION '-' reads
    positions from standard input, one a line.

    \b
    ur query finkel:3 '....__../......../....__.. L 3 3'
    """
    with Table(open_file(word, say=say)) as table:
        parse = table.rules.position
        if position == STDIN:
            for positions in parsed_groups(parse):
                if positions:
                    click.echo("\n".join(_lines(table, positions, as_json)))
        elif as_json:
            click.echo(_lines(table, [parse(position)], as_json)[0])
        else:
            click.echo(_page(table, parse(position)))


def _lines(table: Table, positions: list[Position], as_json: bool) -> list[str]:
    rules, tolerance = table.rules, table.tolerance
    answers = zip(positions, table.values(positions).tolist(), strict=True)
    if as_json:
        return [json.dumps(_answer(table, position, value)) for position, value in answers]
    return [
        f"{position.notation}\t{rules.payoff.text(value, tolerance)}" for position, value in answers
    ]


def _answer(table: Table, position: Position, value: float) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "position": position.notation,
        "value": value,
        "tolerance": table.tolerance,
        "error": table.error(position),
    }
    if not table.rules.payoff.is_chance:
        answer["cut_error"] = table.cut_error(position)
        answer["chance"] = table.chance(position)
    choices = table.choices(position)
    return answer | {"choices": choices} if choices else answer


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
                            f"{float(100 * each.probability):.2f} %",
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
