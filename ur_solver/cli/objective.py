"""The option ``--objective``: chances of winning, or lengths of games."""

from __future__ import annotations

from collections.abc import Iterable

import click
from click.core import ParameterSource

from ur_solver.table.format import OBJECTIVES, WIN

objective_option = click.option(
    "--objective",
    type=click.Choice(OBJECTIVES),
    default=WIN,
    show_default=True,
    help="Ask for the expected number of throws to come instead: of games that both sides play to "
    "win (length), or to make as long as possible (length-max).",
)


def refuse_options(names: Iterable[str], purpose: str) -> None:
    """Raise UsageError for the first of some options that is given."""
    ctx = click.get_current_context()
    for name in names:
        if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT:
            option = next(each.opts[0] for each in ctx.command.params if each.name == name)
            raise click.UsageError(f"{option} is not for {purpose}")
