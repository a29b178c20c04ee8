"""Text input and output: encodings, line ends, JSON, harmful characters; numbers and counts.

Code that reads a file, standard input or a request decodes it here. Code that prints foreign text
passes it through `printable`, and code that writes it through `encoded`.
"""

from __future__ import annotations

import codecs
import io
import json
import math
import operator
import re
from functools import lru_cache
from typing import Any, NoReturn, SupportsFloat, SupportsIndex

from ur_solver.errors import InputError, WrongTypeError

UTF_16 = {codecs.BOM_UTF16_LE: "UTF-16-LE", codecs.BOM_UTF16_BE: "UTF-16-BE"}
"""The encodings of text that begins with a byte order mark of two bytes."""

_FIRST_BYTES = {mark[:1] for mark in UTF_16}
"""What may be the first half of such a mark."""

_MARK = "\ufeff"
"""The byte order mark. Joined files have one in their middle."""

# Patterns are compiled on use: few commands need any.
_SURROGATE = "[\ud800-\udfff]"
_ESCAPED_SURROGATE = r"\\u[dD][89a-fA-F]"
_NO_COLOUR = r"\x1b(?!\[[0-9;]*m)"

_HARMFUL = dict.fromkeys(
    (
        *range(0x20),  # control characters
        *range(0x7F, 0xA0),
        *(0x2028, 0x2029),  # line separators
        *(0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)),  # direction
    )
)
_HARMFUL_IN_LINES = {code: None for code in _HARMFUL if chr(code) not in "\n\t\x1b"}

_FALLBACKS = {
    "\u2212": "-",  # minus
    "\u2013": "-",
    "\u2014": "-",
    "\u2018": "'",
    "\u2019": "'",
    "\u201c": '"',
    "\u201d": '"',
    "\u2026": "...",
    "\u00b1": "+-",
    "\u00d7": "x",
    "\u00b7": ".",
}
ENCODABLE = "ur_solver.encodable"
"""The error handler for output encodings: similar characters of ASCII, and '?' for all others."""


def _replaced(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end]
    return "".join(_FALLBACKS.get(each, "?") for each in lost), error.end


codecs.register_error(ENCODABLE, _replaced)


def decoded(content: bytes) -> str:
    """The text of a file or of standard input, with a newline at the end of each line.

    It is UTF-8, with or without a byte order mark, or UTF-16 with one; lines end in LF, CR LF or
    CR. InputError names the first byte that is not text.
    """
    name = UTF_16.get(content[:2], "UTF-8")
    try:
        return normal(content.decode(name))
    except UnicodeDecodeError as error:
        raise InputError(f"byte {error.start} is not {name[:6].rstrip('-')} text") from None


class StreamDecoder:
    """As `decoded`, of a stream as it arrives; bytes that are not text are replaced."""

    def __init__(self) -> None:
        self._begin = b""
        self._decoder: io.IncrementalNewlineDecoder | None = None

    def decode(self, part: bytes, *, final: bool = False) -> str:
        """The text of the next part. Its last bytes may be kept, until `final`."""
        if self._decoder is None:
            self._begin += part
            if self._begin in _FIRST_BYTES and not final:
                return ""
            name = UTF_16.get(self._begin[:2], "UTF-8")
            decoder = codecs.getincrementaldecoder(name)("replace")
            self._decoder = io.IncrementalNewlineDecoder(decoder, translate=True)
            part = self._begin
        return self._decoder.decode(part, final).replace(_MARK, "")


def normal(text: str) -> str:
    """A text without byte order marks, with a newline at the end of each line."""
    return text.replace(_MARK, "").replace("\r\n", "\n").replace("\r", "\n")


def json_values(text: str, *, keys_once: bool = False) -> Any:
    """The values of a JSON text, without lone surrogates, NaN and infinities.

    ValueError if it is not JSON, or a number is too large (`json.JSONDecodeError` gives the place),
    or an object has a key twice where `keys_once`; RecursionError if it is nested too deeply.
    """
    values = _decoder(keys_once).decode(text)
    return _sound_values(values) if re.search(_ESCAPED_SURROGATE, text) else values


def json_value_at(text: str, start: int) -> tuple[Any, int]:
    """The JSON value that begins at a character of a text, and where it ends.

    It is as `json_values` gives it, and raises the same errors.
    """
    value, end = _decoder(False).raw_decode(text, start)
    has_surrogate = re.search(_ESCAPED_SURROGATE, text[start:end])
    return _sound_values(value) if has_surrogate else value, end


@lru_cache(maxsize=2)
def _decoder(keys_once: bool) -> json.JSONDecoder:
    return json.JSONDecoder(
        parse_constant=_refuse_constant,
        parse_float=_finite,
        object_pairs_hook=_with_keys_once if keys_once else None,
    )


def _with_keys_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r:.100} is there twice")
        found[key] = value
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number of JSON")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text:.40} is too large")
    return value


def _sound_values(values: object) -> object:
    if isinstance(values, str):
        return sound(values)
    if isinstance(values, list):
        return [_sound_values(each) for each in values]
    if isinstance(values, dict):
        return {sound(key): _sound_values(value) for key, value in values.items()}
    return values


def sound(text: str) -> str:
    """A text with a replacement character in place of each lone surrogate.

    JSON can spell lone surrogates, and names of files that are not UTF-8 hold them.
    """
    return text if text.isascii() else re.sub(_SURROGATE, "\ufffd", text)


def printable(text: str) -> str:
    """A text for a terminal or a page, as one line.

    Control characters, line separators and characters that change the direction of text are left
    out; lone surrogates are replaced.
    """
    return sound(text).translate(_HARMFUL)


def printable_lines(text: str) -> str:
    """As `printable`, but with line ends, tabs and the colours of a terminal."""
    lines = sound(text).translate(_HARMFUL_IN_LINES)
    return re.sub(_NO_COLOUR, "", lines) if "\x1b" in lines else lines


def cell(text: str) -> str:
    """A text for a cell of CSV that no spreadsheet takes for a formula: an apostrophe comes first.

    Control characters are left out.
    """
    shown = printable(text)
    return f"'{shown}" if shown.startswith(("=", "+", "-", "@")) else shown


def encoded(text: str) -> bytes:
    """A text in UTF-8; lone surrogates are replaced."""
    return sound(text).encode()


def json_text(values: object, **layout: Any) -> str:
    """Values as JSON, laid out as `json.dumps` does it; NaN and infinities become null.

    `json.dumps` writes them as words that strict readers refuse. This function writes all JSON of
    the program.
    """
    try:
        return json.dumps(values, allow_nan=False, **layout)  # noqa: TID251 - the one place
    except ValueError:
        return json.dumps(_finite_values(values), allow_nan=False, **layout)  # noqa: TID251


def _finite_values(values: object) -> object:
    if isinstance(values, float):
        return values if math.isfinite(values) else None
    if isinstance(values, dict):
        return {key: _finite_values(value) for key, value in values.items()}
    return [*map(_finite_values, values)] if isinstance(values, (list, tuple)) else values


def dumped(values: object) -> bytes:
    """Values as JSON without spaces, in UTF-8."""
    return encoded(json_text(values, ensure_ascii=False, separators=(",", ":")))


def whole_number(name: str, value: SupportsIndex, least: int = 0, most: int | None = None) -> int:
    """A whole number that a caller has chosen, such as a count of games.

    WrongTypeError if it is none; InputError if it is not from `least` to `most`.
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise WrongTypeError(f"{name} is {value!r:.60}, not a whole number") from None
    if number < least or (most is not None and number > most):
        allowed = f"{least} or more" if most is None else f"{least} to {most}"
        raise InputError(f"{name} is {str(number)[:40]}; expected {allowed}")
    return number


def real_number(name: str, value: SupportsFloat) -> float:
    """A number that a caller has chosen, such as a tolerance; WrongTypeError if it is none."""
    if isinstance(value, (str, bytes)):
        raise WrongTypeError(f"{name} is {value!r:.60}, not a number")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise WrongTypeError(f"{name} is {value!r:.60}, not a number") from None


def counted(count: int, one: str, many: str = "") -> str:
    """A count and what is counted; where that is not one, `many` of it or `one` and an s.

    >>> counted(1, "piece")
    '1 piece'
    >>> counted(1234, "entry is", "entries are")
    '1,234 entries are'
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def size_text(size: float) -> str:
    """A number of bytes for people: ``1.1 GB``."""
    units = ("bytes", "kB", "MB", "GB", "TB")
    power = min(len(units) - 1, int(math.log10(max(size, 1))) // 3)
    return f"{size / 1000**power:.3g} {units[power]}"
