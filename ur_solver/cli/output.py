"""Output: the board, percentages, bars, sizes and tables for people, and lines for programs.

On a terminal, text and tables are laid out for the width that its window has when they are printed.
Elsewhere every line stays as long as it is. Rich folds tables that are wider than the window; it
takes 35 ms to import, and nothing else needs it.
"""

from __future__ import annotations

import decimal
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import nullcontext
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TextIO, TypeAlias

import click

from ur_solver.common.files import write_files
from ur_solver.common.text import printable_lines
from ur_solver.errors import RecordError
from ur_solver.rules import DARK, LIGHT, SIDE_NAMES, Position, RuleSet
from ur_solver.rules.drawing import ROSETTE, position_text
from ur_solver.rules.turns import total

if TYPE_CHECKING:
    from ur_solver.records import RecordFault

ROSE, BLUE, GREEN, PURPLE, GREY = 131, 63, 29, 163, 243
"""Colours of the 256 that all terminals know: legible on white and on black, 4.5 to 1 or more."""

_COLOURS = {LIGHT: ROSE, DARK: BLUE}
_BAR_WIDTH = 40
_USUAL_WIDTH = 80
"""Columns of a terminal that does not say how many it has."""
_GAP = 2
"""Columns between those of a table."""


def window(stream: TextIO | None) -> int | None:
    """The columns of the terminal that a stream is shown in; None if it goes elsewhere."""
    if stream is None or not stream.isatty():
        return None
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL_WIDTH
    except (OSError, ValueError):
        return _USUAL_WIDTH


def page_width() -> int:
    """The columns that a page has, in a terminal or elsewhere."""
    import shutil  # noqa: PLC0415 - an answer needs none of it

    return window(sys.stdout) or shutil.get_terminal_size().columns


def echo(text: str, *, err: bool = False, nl: bool = True, raw: bool = False) -> None:
    """Print text for people, no wider than the window; `raw` lines, for programs, as they are.

    Our colours stay; harmful control characters are removed.
    """
    # the stream is given, as click writes UTF-8 where it finds one of ASCII
    stream = sys.stderr if err else sys.stdout
    width = None if raw else window(stream)
    bars = sys.modules.get("tqdm")  # a bar makes way
    with nullcontext() if bars is None else bars.tqdm.external_write_mode(stream):
        shown = printable_lines(text if width is None else filled(text, width))
        click.echo(shown, stream, nl=nl)


def filled(text: str, width: int, first: int = 0) -> str:
    """A text in lines of at most `width` columns; each paragraph is indented as its first line.

    `first` columns before the text are taken already. A longer word stays whole.
    """
    return "\n".join(
        _filled_line(line, width, 0 if number else first)
        for number, line in enumerate(text.split("\n"))
    )


def _filled_line(line: str, width: int, first: int) -> str:
    if first + _width(line) <= width:
        return line
    margin = " " * min(len(line) - len(line.lstrip()), width // 2)
    found, taken, before = [], first + len(margin), ""
    for word, space in re.findall(r"(\S+)( *)", line.strip()):
        if before and taken + len(before) + _width(word) > width:
            found.append(f"\n{margin}")
            taken, before = len(margin), ""
        found += [before, word]
        taken += len(before) + _width(word)
        before = space
    return (margin + "".join(found)).removeprefix("" if first else "\n")


def _width(text: str) -> int:
    """The columns of a text, whose colours do not count."""
    return len(click.unstyle(text))


def say(text: str) -> None:
    """Print a message on standard error."""
    echo(text, err=True)


def say_written(what: str, path: Path) -> None:
    """Say, on standard error, what was written and where."""
    say(f"{what} written to {path}")


def say_nothing(_text: str) -> None:
    """Print no message: this takes the place of `say` where nobody asked for messages."""


def side_name(side: str) -> str:
    """A side's name in its colour."""
    return click.style(SIDE_NAMES[side], fg=_COLOURS[side])


def draw_position(position: Position, brackets: Mapping[str, str] = MappingProxyType({})) -> str:
    """The board, homes and side to throw in colours, with brackets around some squares."""
    return position_text(position, _paint, brackets)


def _paint(text: str, what: str) -> str:
    if what == ROSETTE:
        return click.style(text, fg=PURPLE)
    # who sees no colours sees two kinds of letters: light's are bold, dark's reversed
    looks = {"bold": True} if what == LIGHT else {"reverse": True}
    return click.style(text, fg=_COLOURS[what], **looks)


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
    return click.style("#" * full, fg=GREEN) + "-" * (_BAR_WIDTH - full)


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


def columns(rows: list[list[str]], align: str, indent: int = 0) -> str:
    """Text in columns after an indentation; `align` has ``<`` or ``>`` for each.

    The first row has the names of the columns. In a terminal a table that is too wide is folded:
    names, and columns that are aligned to the left, break at spaces. If it is still too wide, it is
    shown in several parts, which all begin with the first column.
    """
    width = window(sys.stdout)
    widths = [max(_width(row[k]) for row in rows) for k in range(len(align))]
    if width is None or _total(widths) <= width - indent:
        lines = list(_plain(rows, align, widths))
    else:
        lines = list(_parts(rows, align, widths, width - indent))
    return "\n".join(" " * indent + line if line else "" for line in lines)


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _plain(rows: list[list[str]], align: str, widths: Sequence[int]) -> Iterator[str]:
    for row in rows:
        cells = []
        for cell, side, width in zip(row, align, widths, strict=True):
            pad = " " * (width - _width(cell))
            cells.append(cell + pad if side == "<" else pad + cell)
        yield (" " * _GAP).join(cells).rstrip()


def _parts(rows: list[list[str]], align: str, widths: Sequence[int], width: int) -> Iterator[str]:
    """The lines of a table that is wider than `width`."""
    least = [
        _least(column, side) for column, side in zip(zip(*rows, strict=True), align, strict=True)
    ]
    shown = [0]
    for k in range(1, len(align)):
        if len(shown) > 1 and _total([least[number] for number in [*shown, k]]) > width:
            yield from _folded(rows, align, widths, least, shown, width)
            yield ""
            shown = [0]
        shown.append(k)
    yield from _folded(rows, align, widths, least, shown, width)


def _least(column: Sequence[str], side: str) -> int:
    """The least width of a column: its name is folded, figures are not."""
    words = [word for cell in column[: None if side == "<" else 1] for word in cell.split()]
    figures = [] if side == "<" else column[1:]
    indented = (len(cell) - len(cell.lstrip()) for cell in column)
    return max(indented, default=0) + max(map(_width, [*words, *figures]), default=0)


def _folded(
    rows: list[list[str]],
    align: str,
    natural: Sequence[int],
    least: Sequence[int],
    shown: Sequence[int],
    width: int,
) -> Iterator[str]:
    """The lines of some columns; the widest are folded until all are within `width`."""
    from rich.console import Console  # noqa: PLC0415 - 35 ms for wide tables alone
    from rich.padding import Padding  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    widths = {k: natural[k] for k in shown}
    while _total([*widths.values()]) > width:
        widest = max(shown, key=lambda k: (widths[k] > least[k], widths[k]))
        if widths[widest] <= least[widest]:
            break
        widths[widest] -= 1
    grid = Table.grid(padding=(0, _GAP), pad_edge=False)
    for k in shown:
        grid.add_column(width=widths[k], justify="left" if align[k] == "<" else "right")
    for row in rows:
        cells = (row[k] for k in shown)
        grid.add_row(
            *(
                Padding(Text.from_ansi(cell.lstrip()), (0, 0, 0, len(cell) - len(cell.lstrip())))
                for cell in cells
            )
        )
    console = Console(
        width=max(width, _total([*widths.values()])), force_terminal=True, color_system="256"
    )
    with console.capture() as captured:
        console.print(grid)
    yield from (line.rstrip() for line in captured.get().splitlines())


Report: TypeAlias = "tuple[str, Path | None, Callable[[Path], str]]"
"""A report's name, its path, None if nobody asked for it, and the function that makes its text."""


def write_reports(found: Sized, reports: Iterable[Report]) -> None:
    """Write the reports that were asked for: all or none of them.

    If nothing was `found` to report, nothing is replaced.
    """
    asked = [(what, path, make) for what, path, make in reports if path is not None]
    if asked and not found:
        names = " and ".join(str(path) for _, path, _ in asked)
        say(f"nothing was found to report, and so nothing is written to {names}")
        return
    write_files({path: make(path) for _, path, make in asked})
    for what, path, _ in asked:
        say_written(what, path)


def warn(warning: RecordFault) -> None:
    """Print what was read in another way than it is written."""
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
