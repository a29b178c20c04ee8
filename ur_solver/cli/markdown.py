"""Markdown as text for a terminal: paragraphs, lists, code and emphasis.

That is what the rules are written in. Rich does all of Markdown, but takes 0.1 s to be imported,
a quarter of `ur rules NAME`, and pads every line with spaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

_FENCE = "```"
_ITEM = re.compile("(- )(.*)")
_SPAN = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*")
_MARGIN = "  "
_HARD_SPACE = "\N{NO-BREAK SPACE}"


def terminal_text(markdown: str, width: int) -> str:
    """Markdown without headings as lines of at most `width` columns, with a margin.

    Code blocks keep their lines, however long. Tables and links are not understood.
    """
    return "\n\n".join("\n".join(_lines(block, width)) for block in _blocks(markdown))


def _blocks(markdown: str) -> Iterator[list[str]]:
    """The lines of each code block, which begin with a fence, list and paragraph."""
    block: list[str] = []
    is_code = False
    for line in markdown.splitlines():
        is_fence = line.startswith(_FENCE)
        if block and (is_fence or not (line or is_code)):
            yield block
            block = []
        if is_fence:
            is_code = not is_code
        if is_code or not is_fence:
            block += [line] if line or is_code else []
    if block:
        yield block


def _lines(block: list[str], width: int) -> Iterator[str]:
    if block[0].startswith(_FENCE):
        yield from (f"{_MARGIN}{_code(line)}".rstrip() for line in block[1:])
        return
    mark, text = "", ""
    for line in block:
        item = _ITEM.match(line)
        if item is not None:
            if text:
                yield from fill(text, width, mark)
            mark, text = item.groups()
        else:
            text = f"{text} {line.strip()}".lstrip()
    yield from fill(text, width, mark)


def _code(line: str) -> str:
    return line.replace("*", click.style("*", fg="magenta"))


def fill(text: str, width: int, mark: str = "") -> Iterator[str]:
    """A paragraph as lines with a margin; `mark` hangs out in front of the first one."""
    words = [
        word.replace(_HARD_SPACE, " ")
        for word in _SPAN.sub(_styled, " ".join(text.split())).split(" ")
    ]
    line = f"{_MARGIN}{mark}{words[0]}"
    for word in words[1:]:
        longer = f"{line} {word}"
        if len(click.unstyle(longer)) > width:
            yield line
            line = f"{_MARGIN}{' ' * len(mark)}{word}"
        else:
            line = longer
    yield line


def _styled(span: re.Match[str]) -> str:
    """Code in quotes, which is never broken, and emphasis, word by word."""
    code, strong, emphasis = span.groups()
    if code:
        return click.style(f"'{code.replace(' ', _HARD_SPACE)}'", fg="cyan")
    words = (strong or emphasis).split(" ")
    return " ".join(click.style(word, bold=bool(strong), italic=bool(emphasis)) for word in words)
