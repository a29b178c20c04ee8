"""Scripts and style sheets without what only their readers need: comments and indentation.

The page has no build step, and a site needs none: lines are left out or moved to the left, and
stay as they are otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator


def lean(text: str) -> str:
    """A script or a style sheet without comments on lines of their own, and without indentation.

    Raises
    ------
    ValueError
        If a text in backticks goes over several lines, where white space counts, or code follows a
        comment of several lines.
    """
    return "\n".join(_lines(text)) + "\n"


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
