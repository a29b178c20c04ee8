"""Comments of a game, and how each notation writes them.

A comment is text after a number of plies: 0 is before the first. As in PGN, a program's note on a
ply is a *command* at the head of the comment, such as ``[%clk 0:05:12]`` for a clock. RoyalUr's
JSON has metadata in each state instead; there a command is a separate entry.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

CLOCK = r"\(?\d{1,3}:\d\d(?::\d\d)?(?:\.\d+)?\)?(?![\w:@])"
"""The pattern of a clock that stands after a move: ``0:05``, ``(1:02:30.5)``."""

_COMMENT = "Comment"
_COMMAND = re.compile(r"\[%([A-Za-z][\w.-]*) ([^\[\]\n]*)\]")


class Comments:
    """Comments by the number of plies before them, collected in the order of the text."""

    def __init__(self) -> None:
        self._lines: dict[int, list[str]] = {}

    def add(self, n_plies: int, text: str) -> None:
        """Add a comment after `n_plies`, on new lines if there is one already."""
        self._lines.setdefault(n_plies, []).extend(line.rstrip() for line in text.split("\n"))

    def texts(self) -> dict[int, str]:
        """The comments that are not blank, without blanks around them and at the ends of lines."""
        texts = {n_plies: "\n".join(lines).strip() for n_plies, lines in self._lines.items()}
        return {n_plies: text for n_plies, text in texts.items() if text}


def clock_comment(text: str) -> str:
    """The comment for a clock that matches `CLOCK`."""
    return f"[%clk {text.strip('()')}]"


def braced(text: str) -> str:
    """A comment in braces, as RGN writes it; `unbraced` is the inverse."""
    return "{" + text.replace("\\", "\\\\").replace("}", "\\}") + "}"


def unbraced(text: str) -> str:
    """The comment between two braces; a backslash before another character stands for itself."""
    return re.sub(r"\\([\\}])", r"\1", text)


def comment_lines(text: str) -> list[str]:
    """A comment as lines that begin with ``#``; none for an empty one."""
    return [f"# {line}".rstrip() for line in text.split("\n")] if text else []


def comment_of_metadata(metadata: Mapping[str, str]) -> str:
    """The comment for a state's metadata in RoyalUr's JSON."""
    commands = " ".join(
        f"[%{name} {value}]" for name, value in metadata.items() if name != _COMMENT
    )
    return f"{commands} {metadata.get(_COMMENT, '')}".strip()


def metadata_of_comment(text: str) -> dict[str, str]:
    """The metadata of a state in RoyalUr's JSON; `comment_of_metadata` is the inverse."""
    metadata: dict[str, str] = {}
    rest = text
    while (match := _COMMAND.match(rest)) and match[1] not in (*metadata, _COMMENT):
        metadata[match[1]] = match[2]
        rest = rest[match.end() :].removeprefix(" ")
    if rest:
        metadata[_COMMENT] = rest
    return metadata if comment_of_metadata(metadata) == text else {_COMMENT: text}
