"""Scripts and style sheets without what only their readers need: comments and white space.

The page has no build step, and a site needs none: lines are left out, moved to the left and, where
nothing in them is a text, drawn together. Nothing is renamed, and lines stay lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_IN_SCRIPTS = re.compile(r" ?([=(){},:;?<>&|*!]+) ?"), re.compile("[\"'`/]")
_IN_STYLES = re.compile(r"((?<=[:,;{])) | (?=[{}])"), re.compile("[\"'`]")
"""Space that says nothing; and what a line has in which space may say something."""


def lean(text: str, *, is_style: bool = False) -> str:
    """A script, or a style sheet, without comments on lines of their own and without idle space.

    Raises
    ------
    ValueError
        If a text in backticks goes over several lines, where white space counts, or code follows a
        comment of several lines.
    """
    space, texts = _IN_STYLES if is_style else _IN_SCRIPTS
    lines = (line if texts.search(line) else space.sub(r"\1", line) for line in _lines(text))
    return "\n".join(lines) + "\n"


def _lines(text: str) -> Iterator[str]:
    is_comment = False
    for number, line in enumerate(map(str.strip, text.splitlines()), start=1):
        begins = not is_comment and line.startswith("/*")
        is_comment |= begins
        if is_comment:
            _, end, rest = line.partition("*/")
            is_comment = not end
            if rest and begins:  # a type in front of an expression
                yield line
            elif rest:
                raise ValueError(f"line {number}: code after a comment: {line!r}")
        elif line and not line.startswith("//"):
            if line.count("`") % 2:
                raise ValueError(f"line {number}: a text of several lines: {line!r}")
            yield line
