"""The JSON values of a text: one, an array of them, one a line, or one right after the other."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from ur_solver.common.text import json_value_at
from ur_solver.errors import RecordError

MAX_BROKEN = 100
"""The number of faults after which the rest of a text is not read. Python counts the lines
before each of them from the start of the text."""

_BETWEEN = re.compile(r"[\s\ufeff,\]]*")
_BEGIN = re.compile(r'[\s\ufeff,\]]*(?:\{\s*(?:["{}]|\Z)|\[\s*[{\]])')
_NEXT = re.compile(r'^[{\[]|\{\s*"notation_version"', re.MULTILINE)


def begins_json(text: str, position: int = 0) -> bool:
    """Whether JSON begins here: RGN too may begin with a bracket or a brace."""
    return _BEGIN.match(text, position) is not None


class JsonValues:
    """The values from a position on, as far as JSON goes, those in an array one by one.

    Each comes with its place, for messages; text that is not JSON gives an error instead.

    Attributes
    ----------
    end : int
        Where JSON ends, once all values have been taken.
    """

    def __init__(self, text: str, position: int) -> None:
        self._text = text
        self._begin = self.end = position

    def __iter__(self) -> Iterator[tuple[object | RecordError, str]]:
        text, broken, line = self._text, 0, 1
        at, counted = self._begin, 0
        while begins_json(text, at):
            start = self._skip(at)
            line, counted = line + text.count("\n", counted, start), start
            try:
                value, at = json_value_at(text, start)
            except RecursionError:
                yield RecordError(f"line {line}: brackets nested too deeply for a game"), ""
                self.end = len(text)
                return
            except ValueError as error:
                broken += 1
                yield _not_json(text, error, line), ""
                if broken >= MAX_BROKEN:
                    yield RecordError(f"more than {MAX_BROKEN} places are not JSON"), ""
                    self.end = len(text)
                    return
                found = _NEXT.search(text, start + 1)
                at = self.end = found.start() if found else len(text)
                continue
            self.end = self._skip(at)
            is_only = start == self._skip(0) and self.end == len(text)
            place = "" if is_only else f"line {line}: "
            if isinstance(value, list):
                for index, each in enumerate(value):
                    yield each, f"{place}[{index}]."
            else:
                yield value, place

    def _skip(self, position: int) -> int:
        found = _BETWEEN.match(self._text, position)
        assert found is not None
        return found.end()


def _not_json(text: str, error: ValueError, line: int) -> RecordError:
    if not isinstance(error, json.JSONDecodeError):
        # a number with more digits than Python converts, for example
        return RecordError(f"line {line}: not JSON: {error}")
    is_cut = error.pos >= len(text.rstrip()) - 1
    return RecordError(
        f"line {error.lineno}, column {error.colno}: not JSON: {error.msg.lower()}"
        + (" (the text breaks off)" if is_cut else "")
    )
