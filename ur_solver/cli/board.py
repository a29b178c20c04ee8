"""`ur board`."""

from __future__ import annotations

from pathlib import Path

import click

from ur_solver.api.evaluator import Evaluator
from ur_solver.api.table import Table
from ur_solver.cli.answering import open_answering, plies_option, value_text
from ur_solver.cli.options import OUTPUT_FILE_OR_STDOUT, position_argument, position_of
from ur_solver.cli.output import draw_position, echo, say
from ur_solver.common.files import check_outputs, write_file
from ur_solver.errors import InputError
from ur_solver.rules import DARK, LIGHT, Position, named_rules
from ur_solver.rules.drawing.svg import Arrow, board_picture

STDOUT = Path("-")


@click.command(short_help="Draw a position.")
@click.argument("rules")
@position_argument
@click.option(
    "-o",
    "--output",
    type=OUTPUT_FILE_OR_STDOUT,
    help="Write a picture to a file that ends in .svg; '-' is standard output.",
)
@click.option("--best", "throw", help="Draw the best move with this throw.")
@click.option("--top", type=click.Choice(["light", "dark"]), default="light", show_default=True,
              help="Draw this side's row at the top of the picture.")  # fmt: skip
@plies_option()
def command(
    rules: str,
    position: str | None,
    output: Path | None,
    throw: str | None,
    top: str,
    plies: int,
) -> None:
    """Draw POSITION, or the start of RULES, in the terminal or as a picture.

    RULES is a rule set, such as finkel or finkel:3, or a JSON file that holds one. --best needs the
    table of the rule set, or an estimator ('ur train'); RULES may also be the file of either.
    Pictures are SVG: browsers and office programs read them, and converters such as cairosvg turn
    them into PNG. They follow the light or dark setting of the screen.

    \b
    ur board finkel:3 'L...__../..D...../....__.. L 2 2' --best 2 -o board.svg
    """
    if output is not None and output != STDOUT and output.suffix != ".svg":
        raise InputError(f"{str(output)!r}: pictures are SVG; the file name must end in .svg")
    if output != STDOUT:
        check_outputs({"--output": output}, [rules])
    arrows: list[Arrow] = []
    if throw is None:
        shown = position_of(named_rules(rules), position)
    else:
        with open_answering(rules, position, plies) as table:
            shown = position_of(table.rules, position)
            arrows = _best(table, shown, throw)
    if output is None:
        echo(draw_position(shown))
        return
    text = board_picture(shown, arrows, view=LIGHT if top == "light" else DARK)
    if output == STDOUT:
        echo(text, nl=False)
        return
    write_file(output, text)


def _best(table: Evaluator, position: Position, throw: str) -> list[Arrow]:
    """An arrow for the best move; none if no move is legal."""
    best = table.best(position, table.rules.dice.parse(throw))
    if best is None:
        return []
    if not isinstance(table, Table):
        value = value_text(table, best.value, best.move.position)
        say(f"{best.move.text} is the choice of an estimator, {table.plies}-ply: {value}")
    return [Arrow("best", best.move.source, best.move.target)]
