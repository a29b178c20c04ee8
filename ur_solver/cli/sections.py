"""Options of a command in named sections of its help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click


class SectionedCommand(click.Command):
    """A command whose help lists its options in sections.

    Parameters
    ----------
    sections : mapping
        By heading, the names of parameters, in their order.
    rest : str
        The heading of the last section, which has all other options.
    """

    def __init__(
        self, *arguments: Any, sections: Mapping[str, Sequence[str]], rest: str, **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self._sections = sections
        self._rest = rest

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, section by section."""
        help_option = self.get_help_option(ctx)
        rows = {
            "help" if each is help_option else each.name: each.get_help_record(ctx)
            for each in self.get_params(ctx)
            if isinstance(each, click.Option)
        }
        named = {name for names in self._sections.values() for name in names}
        rest = [name for name in rows if name not in named]
        for heading, names in [*self._sections.items(), (self._rest, rest)]:
            shown = [row for name in names if (row := rows[name]) is not None]
            with formatter.section(heading):
                formatter.write_dl(shown)
