"""Arguments and options that mean the same on every command."""

from __future__ import annotations

import click

from ur_solver.rules import MAX_PIECES

table_argument = click.argument("word", metavar="TABLE")
json_option = click.option("--json", "as_json", is_flag=True, help="JSON, one object a line.")
pieces_option = click.option(
    "-n",
    "pieces",
    type=click.IntRange(1, MAX_PIECES),
    help="Pieces of each side, in place of the rule set's own count.",
)
