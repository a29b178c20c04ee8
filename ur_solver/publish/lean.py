"""Scripts and style sheets without what only their readers need: comments and white space.

The page has no build step, and a site needs none: lines are left out, moved to the left and, where
no text is in the way, drawn together. Nothing is renamed, and lines stay lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_IN_SCRIPTS = re.compile(
    r" (?=[=(){},:;?<>&|*!])|(?<=[=(){},:;?<>&|*!]) "
    r"|(?<=[\w)\]]) (?=[-+] [\w(\[])|(?<=[\w)\]] [-+]) (?=[\w(\[])"
)
_IN_STYLES = re.compile(r"(?<=[:,;{]) | (?=[{}])")
"""Space that says nothing."""

_TEXT = re.compile(
    r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\$]|\\.|\$(?!\{)|\$\{[^`}]*\})*`)"""
)
"""A text; in backticks, what stands in braces may have quotation marks, but no other text in
backticks."""
_UNCLEAR = re.compile("[\"'`/]")
"""What is left of a line, its texts aside, where it may be a regular expression or a comment."""


def lean(text: str, *, is_style: bool = False) -> str:
    """A script, or a style sheet, without comments on lines of their own and without idle space.

    Raises
    ------
    ValueError
        If a text in backticks goes over several lines, where white space counts, or code follows a
        comment of several lines.
    """
    space = _IN_STYLES if is_style else _IN_SCRIPTS
    return "\n".join(_drawn_together(line, space) for line in _lines(text)) + "\n"


def _drawn_together(line: str, space: re.Pattern[str]) -> str:
    """A line without idle space outside its texts; the line itself where they are not clear."""
    parts = _TEXT.split(line)
    if any(map(_UNCLEAR.search, parts[::2])):
        return line
    parts[::2] = [space.sub("", each) for each in parts[::2]]
    return "".join(parts)


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
