"""Positions from standard input, one a line, answered as they arrive."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from typing import TypeVar, cast

import click

from ur_solver.errors import InputError
from ur_solver.rules import Position, RuleSet

_T = TypeVar("_T")

STDIN = "-"
"""The argument that stands for standard input."""

_READ = 1 << 16
_MAX_LINE = 1000

Line = tuple[int, str]


def check_throw_argument(position: str, throw: str | None) -> None:
    """Refuse a throw beside ``-``, whose lines bring their own, and a position without one."""
    if (position == STDIN) == (throw is None):
        return
    if throw is None:
        raise click.UsageError("Missing argument 'THROW'.")
    raise click.UsageError("with '-' each line brings its throw: leave out the argument 'THROW'")


def parsed_groups(parse: Callable[[str], _T]) -> Iterator[list[_T]]:
    """The parsed lines of standard input, in the groups in which they arrive.

    Whatever is there is read, up to 64 KiB, so that a program at the other end of a pipe
    gets its answers before it asks more, and a file is read in large groups. Blank lines
    are skipped.

    Raises
    ------
    InputError
        Of the kind that `parse` raises, with the line's number, after the lines before it
        have been handed out.
    """
    for lines in _groups():
        group: list[_T] = []
        for number, text in lines:
            try:
                group.append(parse(text))
            except InputError as error:
                yield group
                raise type(error)(f"line {number}: {error}") from None
        yield group


def _groups() -> Iterator[list[Line]]:
    # buffered it is, unlike what the type of `buffer` promises
    stream = cast(io.BufferedReader, sys.stdin.buffer)
    number, rest = 1, b""
    while block := stream.read1(_READ):
        lines = (rest + block).split(b"\n")
        rest = lines.pop()
        if len(rest) > _MAX_LINE:
            raise InputError(f"line {number + len(lines)}: longer than {_MAX_LINE} characters")
        yield _numbered(lines, number)
        number += len(lines)
    yield _numbered([rest], number)


def _numbered(lines: list[bytes], first: int) -> list[Line]:
    texts = (line.decode(errors="replace").strip() for line in lines)
    return [(number, text) for number, text in enumerate(texts, start=first) if text]


def parse_position_and_throw(rules: RuleSet, text: str) -> tuple[Position, int]:
    """A line of position, tab, throw."""
    position, tab, throw = text.partition("\t")
    if not tab:
        raise InputError(f"{text[:80]!r}: expected a position, a tab and a throw")
    return rules.position(position), rules.dice.parse(throw.strip())
