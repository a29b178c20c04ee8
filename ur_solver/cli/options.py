"""Arguments and options that several commands share."""

from __future__ import annotations

import math
import os
import pathlib
import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

from ur_solver.cli.completion import complete_file, complete_table
from ur_solver.rules import MAX_PIECES, Position, RuleSet

_UNITS = {"": 1}
for _power, _letter in enumerate("kmgt", start=1):
    _UNITS |= {f"{_letter}b": 1000**_power, f"{_letter}ib": 1024**_power, _letter: 1024**_power}


_MOST_MEMORY = 2**60
MAX_THREADS = 4096
"""The largest number of threads, workers or processors that an option accepts."""

_F = TypeVar("_F", bound=Callable[..., Any])


class FiniteFloat(click.FloatRange):
    """A finite number within a range; `click.FloatRange` would accept NaN."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number that a text means."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


class _WholeNumber(click.IntRange):
    """A whole number within a range; `click.IntRange` calls the range itself a number."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number that a text means."""
        try:
            int(value)
        except ValueError:
            self.fail(f"{value!r:.60} is not a whole number.", param, ctx)
        number: int = super().convert(value, param, ctx)
        return number


def memory_size(text: str) -> int:
    """The number of bytes of a size such as 12GiB or 500MB."""
    found = re.fullmatch(r"\s*([0-9]{1,20}(?:\.[0-9]{1,20})?)\s*([a-z]*)\s*", text.lower())
    if found is None or found[2] not in _UNITS:
        raise click.BadParameter(f"{text!r:.60} is not a size such as 12GiB, 500MB or 2G")
    size = int(float(found[1]) * _UNITS[found[2]])
    if not 1 <= size <= _MOST_MEMORY:
        raise click.BadParameter(f"{text!r:.60} is not between 1 byte and {_MOST_MEMORY >> 60} EiB")
    return size


def number_option(
    *names: str,
    within: tuple[int, int | None],
    help: str,
    default: int | None = None,
    metavar: str = "N",
) -> Callable[[_F], _F]:
    """An option for a whole number within a range, the ends included; None is no upper end."""
    return click.option(
        *names,
        type=_WholeNumber(*within),
        default=default,
        show_default=default is not None,
        metavar=metavar,
        help=help,
    )


def seed_option(help_text: str, default: int | None = 1) -> Callable[[_F], _F]:
    """The option ``--seed`` of random draws."""
    return number_option("--seed", within=(0, None), default=default, help=help_text)


threads_option = number_option(
    "--threads", within=(1, MAX_THREADS), help="Use N threads; by default one per processor."
)


def memory_option(
    help_text: str = "Use this much memory, such as 12GiB; by default all that is free.",
) -> Callable[[_F], _F]:
    """The option ``--memory``."""
    return click.option("--memory", type=memory_size, metavar="SIZE", help=help_text)


class _OutputFile(click.Path):
    """The path of a file to write, which is no table; ``-`` only if it is standard output."""

    def __init__(self, *, takes_standard_output: bool = False) -> None:
        super().__init__(dir_okay=False, path_type=pathlib.Path)
        self._takes_standard_output = takes_standard_output

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> pathlib.Path:
        from ur_solver.table.output import refuse_table  # noqa: PLC0415 - HDF5, for those who write

        path = pathlib.Path(os.fsdecode(super().convert(value, param, ctx)))
        if str(path) != "-":
            refuse_table(path)
        elif not self._takes_standard_output:
            self.fail("'-' is not a file's name; /dev/stdout is standard output.", param, ctx)
        return path


OUTPUT_FILE = _OutputFile()
OUTPUT_FILE_OR_STDOUT = _OutputFile(takes_standard_output=True)


class _TablePath(click.Path):
    """The path of a table, an estimator or a site to write, whose room checks what is there."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> pathlib.Path:
        if value == "-":
            self.fail("'-' is not the name of a file or a folder.", param, ctx)
        return pathlib.Path(os.fsdecode(super().convert(value, param, ctx)))


TABLE_PATH = _TablePath()


def output_option(
    help_text: str, kind: click.Path = OUTPUT_FILE, metavar: str | None = None
) -> Callable[[_F], _F]:
    """The option ``--output``."""
    return click.option("-o", "--output", type=kind, metavar=metavar, help=help_text)


played_by_option = click.option(
    "--rules",
    help="Read games that name no rule set by these rules, and skip those of others.",
    shell_complete=complete_table,
)


table_argument = click.argument("word", metavar="TABLE", shell_complete=complete_table)
tables_argument = click.argument(
    "words", nargs=-1, metavar="[TABLE]...", shell_complete=complete_table
)
some_tables_argument = click.argument(
    "words", nargs=-1, required=True, metavar="TABLE...", shell_complete=complete_table
)
optional_table_argument = click.argument(
    "word", metavar="[TABLE]", required=False, shell_complete=complete_table
)
files_argument = click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", shell_complete=complete_file
)
rules_argument = click.argument("rules", shell_complete=complete_table)
position_argument = click.argument("position", required=False)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, one object per line."
)
pieces_option = number_option(
    "-n",
    "pieces",
    within=(1, MAX_PIECES),
    help="Play with N pieces a side instead of the usual number.",
)
left_option = number_option(
    "--left",
    within=(1, MAX_PIECES),
    metavar="K",
    help="Include only positions with at most K pieces a side left to bear off.",
)
precision_option = click.option(
    "--precision",
    type=click.Choice(["double", "single"]),
    default="double",
    show_default=True,
    help="Compute in this precision; single saves memory and needs a tolerance of at least 1e-5.",
)


def position_of(rules: RuleSet, text: str | None) -> Position:
    """Parse a position; the start of the rule set if there is no text."""
    return rules.start() if text is None else rules.position(text)
