"""Positions from standard input, one a line, answered as they arrive."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar, cast

from ur_solver.cli.output import echo
from ur_solver.common.text import StreamDecoder, counted
from ur_solver.errors import InputError

_T = TypeVar("_T")

STDIN = "-"
"""The argument that stands for standard input."""

_READ = 1 << 16
_MAX_LINE = 1000
_SHOWN = 80
"""Characters of a line that are repeated where it cannot be answered."""


class Line(NamedTuple):
    """A line that is not blank, stripped, and its number, from 1."""

    number: int
    text: str


class BatchError(InputError):
    """Some lines could not be answered; the others have been."""


def answer_batch(
    parse: Callable[[str], _T], answer: Callable[[list[_T]], Sequence[str]], *, as_json: bool
) -> None:
    """Answer the lines of standard input, a line each, in the groups in which they arrive.

    Each read takes what is available, up to 64 KiB: a program at the other end of a pipe gets its
    answers before it asks more, and a file is read in large groups. Blank lines are skipped.

    Parameters
    ----------
    parse : callable
        Parses a line; raises InputError if the line is invalid.
    answer : callable
        Answers several parsed lines, in order.
    as_json : bool
        Whether answers are JSON. An invalid line is then answered by ``{"line", "input",
        "message"}``, otherwise by its text and the message.

    Raises
    ------
    BatchError
        At the end, if any line could not be answered.
    """
    n_lines = n_faults = 0
    first = ""
    for lines in _groups():
        parsed, answers = [], []
        for line in lines:
            n_lines += 1
            try:
                parsed.append(_parsed(line, parse))
                answers.append("")
            except InputError as error:
                answers.append(_fault(line, str(error), as_json))
                n_faults += 1
                first = first or f"line {line.number}: {error}"
        found = iter(answer(parsed) if parsed else ())
        if answers:
            echo("\n".join(each or next(found) for each in answers))
    if n_faults:
        raise BatchError(
            f"{counted(n_faults, 'line')} of {n_lines:,} could not be answered; {first}"
        )


def _parsed(line: Line, parse: Callable[[str], _T]) -> _T:
    if len(line.text) > _MAX_LINE:
        raise InputError(f"longer than {_MAX_LINE} characters")
    return parse(line.text)


def _fault(line: Line, message: str, as_json: bool) -> str:
    shown = line.text[:_SHOWN]
    if as_json:
        return json.dumps({"line": line.number, "input": shown, "message": message})
    return f"{shown}\terror: {message}"


def _groups() -> Iterator[list[Line]]:
    # buffered it is, unlike what the type of `buffer` promises
    stream = cast(io.BufferedReader, sys.stdin.buffer)
    decoder = StreamDecoder()
    number, rest = 1, ""
    while block := stream.read1(_READ):
        lines = (rest + decoder.decode(block)).split("\n")
        # keep no more of an endless line than shows that it is too long
        rest = lines.pop()[: 4 * _MAX_LINE]
        yield _numbered(lines, number)
        number += len(lines)
    yield _numbered((rest + decoder.decode(b"", final=True)).split("\n"), number)


def _numbered(lines: list[str], first: int) -> list[Line]:
    texts = (line.strip() for line in lines)
    return [Line(number, text) for number, text in enumerate(texts, start=first) if text]
