"""Arguments and options that mean the same on every command."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from ur_solver.rules import CATALOGUE, MAX_PIECES


def _complete_table(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Names of rule sets, or files where none begins so."""
    names = [CompletionItem(name) for name in CATALOGUE if name.startswith(incomplete)]
    return names or [CompletionItem(incomplete, type="file")]


table_argument = click.argument("word", metavar="TABLE", shell_complete=_complete_table)
optional_table_argument = click.argument(
    "word", metavar="[TABLE]", required=False, shell_complete=_complete_table
)
rules_argument = click.argument("rules", shell_complete=_complete_table)
optional_rules_argument = click.argument("rules", required=False, shell_complete=_complete_table)
json_option = click.option("--json", "as_json", is_flag=True, help="JSON, one object a line.")
pieces_option = click.option(
    "-n",
    "pieces",
    type=click.IntRange(1, MAX_PIECES),
    help="Pieces of each side, in place of the rule set's own count.",
)
