"""Output for people: the board, percentages, bars, sizes and tables."""

from __future__ import annotations

import decimal
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import click

from ur_solver.common.files import write_files
from ur_solver.common.text import printable_lines
from ur_solver.errors import RecordError
from ur_solver.rules import DARK, LIGHT, SIDE_NAMES, Position, RuleSet
from ur_solver.rules.drawing import ROSETTE, position_text
from ur_solver.rules.turns import total

if TYPE_CHECKING:
    from ur_solver.records import RecordFault

_COLOURS = {LIGHT: "bright_yellow", DARK: "bright_blue"}
_BAR_WIDTH = 40


def echo(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print lines; our colours stay, harmful control characters go."""
    # the stream is given, as click writes UTF-8 where it finds one of ASCII
    click.echo(printable_lines(text), sys.stderr if err else sys.stdout, nl=nl)


def say(text: str) -> None:
    """Print a message on standard error."""
    echo(text, err=True)


def say_nothing(_text: str) -> None:
    """Print no message: what `say` is where nobody asked for any."""


def side_name(side: str) -> str:
    """A side's name in its colour."""
    return click.style(SIDE_NAMES[side], fg=_COLOURS[side])


def draw_position(position: Position, brackets: Mapping[str, str] = MappingProxyType({})) -> str:
    """The board, homes and side to throw in colours, with brackets around some squares."""
    return position_text(position, _paint, brackets)


def _paint(text: str, what: str) -> str:
    if what == ROSETTE:
        return click.style(text, fg="magenta")
    return click.style(text, fg=_COLOURS[what], bold=True)


def worth_bar(position: Position, value: float) -> str:
    """A value as a bar, as a share of what the winner gets."""
    return bar(min(1.0, max(0.0, value / (total(position) or 1))))


def bound_text(bound: float) -> str:
    """An upper bound rounded up to three digits: ``2.76e-13``."""
    exact = decimal.Decimal(bound)
    return f"{float(decimal.Context(prec=3, rounding=decimal.ROUND_CEILING).plus(exact)):.3g}"


def proven_text(bound: float, rules: RuleSet) -> str:
    """A proven error, and what it does not cover: ``2.76e-13``."""
    cut = ", the cut of the fines left out" if rules.payoff.has_fines else ""
    return f"{bound_text(bound)}{cut}"


def chance_text(chance: Fraction) -> str:
    """The chance of a throw: ``37.50 %``."""
    return f"{float(100 * chance):.2f} %"


def bar(value: float) -> str:
    """A probability as a bar."""
    full = round(_BAR_WIDTH * value)
    return click.style("#" * full, fg="green") + "-" * (_BAR_WIDTH - full)


def size_text(size: float) -> str:
    """A number of bytes for people: ``1.1 GB``."""
    units = ("bytes", "kB", "MB", "GB", "TB")
    power = min(len(units) - 1, int(math.log10(max(size, 1))) // 3)
    return f"{size / 1000**power:.3g} {units[power]}"


def gib_text(size: float) -> str:
    """A number of bytes of memory for people: ``1.5 GiB``."""
    return f"{size / 2**30:.1f} GiB"


def time_text(seconds: float) -> str:
    """A duration for people: ``0.4 s``, ``2 min 5 s``, ``3 h 20 min``."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def columns(rows: list[list[str]], align: str) -> str:
    """Text in columns; `align` has ``<`` or ``>`` for each. Colours do not count."""
    widths = [max(len(click.unstyle(row[k])) for row in rows) for k in range(len(align))]
    return "\n".join(
        "  ".join(
            cell + pad if side == "<" else pad + cell
            for cell, side, pad in (
                (cell, side, " " * (width - len(click.unstyle(cell))))
                for cell, side, width in zip(row, align, widths, strict=True)
            )
        ).rstrip()
        for row in rows
    )


def write_reports(found: Sized, reports: Mapping[Path | None, Callable[[Path], str]]) -> None:
    """Write the files that were asked for about what a command has found: all or none of them.

    A report, made for its path, was not asked for where that is None. Where nothing was found,
    nothing is replaced.
    """
    asked = {path: content for path, content in reports.items() if path is not None}
    if asked and not found:
        say(f"nothing to write: {' and '.join(map(str, asked))} left as before")
        return
    write_files({path: content(path) for path, content in asked.items()})


def warn(warning: RecordFault) -> None:
    """Print what was read otherwise than it is written."""
    say(f"warning: {warning}")


def report_left_out(
    faults: Sequence[RecordFault], what: str, warnings: Iterable[RecordFault] = ()
) -> None:
    """Report games that were left out; raise RecordError of the last one if there are any.

    `what` says what was not done with them, such as ``not audited``.
    """
    for each in warnings:
        warn(each)
    for fault in faults[:-1]:
        say(f"{what}: {fault}")
    if faults:
        raise RecordError(f"{what}: {faults[-1]}")
