"""Options of a command in named sections of its help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

_OTHERS, _RULES = "Options", "Changes of the rules"
_NONE: Mapping[str, Sequence[str]] = {}


class RuleOption(click.Option):
    """An option that changes a rule set; help lists them in a section of their own."""


class SectionedCommand(click.Command):
    """A command whose help lists its options in sections, and what changes the rules last.

    Parameters
    ----------
    sections : mapping
        By heading, the names of parameters, in their order. Others are *Options*.
    """

    def __init__(
        self, *arguments: Any, sections: Mapping[str, Sequence[str]] = _NONE, **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self._sections = sections

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, section by section."""
        rows = {heading: dict.fromkeys(names) for heading, names in self._sections.items()}
        heading_of = {name: heading for heading, names in rows.items() for name in names}
        rows |= {_OTHERS: {}, _RULES: {}}
        for each in self.get_params(ctx):
            if isinstance(each, click.Option):
                name = "help" if each is self.get_help_option(ctx) else str(each.name)
                usual = _RULES if isinstance(each, RuleOption) else _OTHERS
                rows[heading_of.get(name, usual)][name] = each.get_help_record(ctx)
        for heading, named in rows.items():
            if shown := [row for row in named.values() if row is not None]:
                with formatter.section(heading):
                    formatter.write_dl(shown)
