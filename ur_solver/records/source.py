"""The text of a file of games, read part by part, as a file may be larger than memory.

Text is UTF-8, or UTF-16 with a byte order mark. A line that is not UTF-8 is read as Windows-1252,
in which many programs of Windows still write. Byte order marks, null characters and Ctrl-Z are
left out: old programs end files with them, and joined files have them within.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO

from ur_solver.common.text import UTF_16, normal
from ur_solver.errors import RecordError

MAX_BYTES = 32 << 20
"""The most text of one game. What is written has less: records have a limit of throws. No JSON of
this size takes as much as a gigabyte of memory."""

_AT_ONCE = 1 << 20
AHEAD = 1 << 16
"""How much text shows what begins there."""

_ENDS = dict.fromkeys(map(ord, "\0\x1a"))
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x19\x1b-\x1f]")

Warn = Callable[[str], object]
"""Takes a warning about text that was read in another way than it is written: a sentence that
begins with the place of the text."""


class Source:
    """The text of a file of games.

    `text` is what has been read and not been taken, and begins on line `line` of the file; but for
    the end of the file, it ends where a line ends. `taken` counts the characters taken since the
    caller has set it.
    """

    def __init__(self, blocks: Iterable[str]) -> None:
        self._blocks = iter(blocks)
        self.text = ""
        self.line = 1
        self.taken = 0

    def more(self) -> bool:
        """Read on, by as much as is there; False at the end of the file.

        RecordError if more than `MAX_BYTES` would be there.
        """
        parts, wanted = [self.text], max(1, len(self.text))
        if wanted > MAX_BYTES:
            raise self.too_large()
        for block in self._blocks:
            parts.append(block)
            wanted -= len(block)
            if wanted <= 0:
                break
        self.text = "".join(parts)
        return len(parts) > 1

    def begin(self) -> bool:
        """Leave out blank lines, and read as much as shows what begins; False if nothing does."""
        while True:
            blank = len(self.text) - len(self.text.lstrip())
            self.take(blank if blank == len(self.text) else self.text.rfind("\n", 0, blank) + 1)
            if len(self.text) >= AHEAD or not self.more():
                return bool(self.text)

    def take(self, end: int) -> str:
        """Take the text up to a place."""
        taken, self.text = self.text[:end], self.text[end:]
        self.line += taken.count("\n")
        self.taken += end
        return taken

    def until(self, pattern: re.Pattern[str]) -> Iterator[str]:
        """Take the text before a pattern, in parts that end where lines end, or where it begins.

        The pattern may go on over lines after a brace. RecordError if more than `MAX_BYTES` are
        `taken`.
        """
        while True:
            while self.text.rstrip().endswith("{") and self.more():
                pass
            found = pattern.search(self.text)
            yield self.take(found.start() if found else len(self.text))
            if found or not self.more():
                return
            if self.taken > MAX_BYTES:
                raise self.too_large()

    def find(self, pattern: re.Pattern[str], begin: int) -> None:
        """Take the text before the next match of a pattern after a place, or all."""
        found = pattern.search(self.text, begin)
        while found is None:
            self.take(len(self.text))
            if not self.more():
                return
            found = pattern.search(self.text)
        self.take(found.start())

    def stop(self) -> None:
        """Leave out the rest of the file."""
        self.text, self._blocks = "", iter(())

    def too_large(self) -> RecordError:
        """The fault of a game that does not end."""
        return RecordError(f"line {self.line}: a game larger than {MAX_BYTES >> 20} MiB")


def blocks_of_text(text: str) -> Iterator[str]:
    """A text that is in memory, for a `Source`."""
    yield _cleaned(text)


def blocks_of_file(file: BinaryIO, warn: Warn) -> Iterator[str]:
    """The text of a file, for a `Source`; RecordError for what is no text."""
    decoder, rest, line, is_warned = None, b"", 1, False

    def warn_once(text: str) -> None:
        nonlocal is_warned
        if not is_warned:
            warn(text)
        is_warned = True

    content = file.read(_AT_ONCE)
    if content[:2] in UTF_16:
        decoder = codecs.getincrementaldecoder(UTF_16[content[:2]])()
    while True:
        is_end = not content
        if decoder is not None:
            try:
                content = decoder.decode(content, is_end).encode()
            except UnicodeDecodeError:
                raise RecordError(f"line {line}: not UTF-16 text") from None
        content = rest + content
        end = len(content) if is_end else _last_line_end(content)
        rest = content[end:]
        if len(rest) > MAX_BYTES:
            raise RecordError(f"line {line}: a line larger than {MAX_BYTES >> 20} MiB")
        if text := _cleaned(_decoded(content[:end], line, warn_once)):
            yield text
            line += text.count("\n")
        if is_end:
            return
        content = file.read(_AT_ONCE)


def text_of(content: bytes, warn: Warn) -> str:
    """The text of a file that is in memory; RecordError if it is no text."""
    return "".join(blocks_of_file(io.BytesIO(content), warn))


def _last_line_end(content: bytes) -> int:
    """Where the last whole line ends. The last byte may be the first half of CR LF."""
    return max(content.rfind(b"\n"), content.rfind(b"\r", 0, len(content) - 1)) + 1


def _cleaned(text: str) -> str:
    text = normal(text)
    return text.translate(_ENDS) if "\0" in text or "\x1a" in text else text


def _decoded(content: bytes, first_line: int, warn: Warn) -> str:
    """Whole lines, the first with this number in the file."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        lines = content.splitlines(keepends=True)
        return "".join(_decoded_line(each, k, warn) for k, each in enumerate(lines, first_line))


def _decoded_line(content: bytes, line: int, warn: Warn) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        pass
    try:
        text = content.decode("cp1252")
    except UnicodeDecodeError:
        text = ""
    if not text or _CONTROL.search(content):
        raise RecordError(f"line {line}: no text, neither in UTF-8 nor in Windows-1252")
    warn(f"line {line}: not UTF-8; it is read as Windows-1252, as {text.strip()[:60]!r}")
    return text
