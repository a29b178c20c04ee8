"""Output for people: the board, percentages, bars and sizes."""

from __future__ import annotations

import decimal
import math

import click

from ur_solver.position import DARK, LIGHT, Position, n_off, winner
from ur_solver.rules import Board, RuleSet
from ur_solver.rules.contents import side_of, split
from ur_solver.turns import total

SIDE_NAMES = {LIGHT: "light", DARK: "dark"}
_COLOURS = {LIGHT: "bright_yellow", DARK: "bright_blue"}
_ROSETTE = click.style("*", fg="magenta")
_BAR_WIDTH = 40


def say(text: str) -> None:
    """A word to the user, beside the output."""
    click.echo(text, err=True)


def side_name(side: str) -> str:
    """A side's name in its colour."""
    return click.style(SIDE_NAMES[side], fg=_COLOURS[side])


def draw_board(board: Board, contents: tuple[str, ...] | None = None) -> str:
    """The board: pieces as the notation has them, ``*`` an empty rosette, ``.`` a square."""
    filled = dict(zip(board.squares, contents or [""] * len(board.squares), strict=True))
    width = max(1, *map(len, filled.values()))
    numbers = range(1, len(board.rows[0]) + 1)
    lines = ["     " + "".join(str(number).ljust(width + 2) for number in numbers).rstrip()]
    for name, row in zip("ABC", board.rows, strict=True):
        cells = [
            " " * width
            if kind == "_"
            else _cell(board, f"{name}{column}", filled[f"{name}{column}"], width)
            for column, kind in enumerate(row, start=1)
        ]
        lines.append(f"  {name}  " + "  ".join(cells).rstrip())
    return "\n".join(lines)


def _cell(board: Board, square: str, content: str, width: int) -> str:
    if content:
        pieces = (
            click.style(piece, fg=_COLOURS[side_of(piece)], bold=True) for piece in split(content)
        )
        return "".join(pieces) + " " * (width - len(content))
    return (_ROSETTE if square in board.rosettes else ".") + " " * (width - 1)


def draw_position(rules: RuleSet, position: Position) -> str:
    """The board with what is at home and borne off, and who throws or has won."""
    lines = [draw_board(rules.board, position.contents), ""]
    won = winner(rules, position)
    for side in (LIGHT, DARK):
        note = "has won" if side == won else "to throw" if not won and side == position.side else ""
        padding = " " * (5 - len(SIDE_NAMES[side]))
        line = (
            f"  {side_name(side)}{padding}  home {_home(rules, position, side)}  "
            f"off {n_off(rules, position, side)}  {note}"
        )
        lines.append(line.rstrip())
    return "\n".join(lines)


def _home(rules: RuleSet, position: Position, side: str) -> str:
    """How many are at home, or which, where pieces are numbered."""
    if rules.play.is_numbered:
        return "".join(map(str, position.numbers(side))) or "-"
    return str(position.home(side))


def percent(value: float, tolerance: float) -> str:
    """A probability in per cent, with the decimals that the tolerance leaves sure."""
    decimals = max(2, min(12, math.floor(-math.log10(tolerance)) - 2)) if tolerance > 0 else 12
    return f"{100 * value:.{decimals}f} %"


def money(value: float, tolerance: float) -> str:
    """An amount of money, with the decimals that the tolerance leaves sure."""
    decimals = max(2, min(12, math.floor(-math.log10(tolerance)))) if tolerance > 0 else 12
    return f"{value:.{decimals}f}"


def worth(rules: RuleSet, value: float, tolerance: float) -> str:
    """A value in per cent; where there are stakes, as money."""
    return percent(value, tolerance) if rules.stakes is None else money(value, tolerance)


def worth_bar(rules: RuleSet, position: Position, value: float) -> str:
    """A value as a bar: of what the winner gets."""
    return bar(min(1.0, max(0.0, value / (total(rules, position) or 1))))


def bound_text(bound: float) -> str:
    """An upper bound with three digits, rounded up so that it still is one: ``2.76e-13``."""
    exact = decimal.Decimal(bound)
    return f"{float(decimal.Context(prec=3, rounding=decimal.ROUND_CEILING).plus(exact)):.3g}"


def bar(value: float) -> str:
    """A probability as a bar."""
    full = round(_BAR_WIDTH * value)
    return click.style("#" * full, fg="green") + "-" * (_BAR_WIDTH - full)


def size_text(size: float) -> str:
    """A number of bytes for people: ``1.1 GB``."""
    units = ("bytes", "kB", "MB", "GB", "TB")
    power = min(len(units) - 1, int(math.log10(max(size, 1))) // 3)
    return f"{size / 1000**power:.3g} {units[power]}"


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
