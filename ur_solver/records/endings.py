"""The endings of records: in the words of the notations, and in those of people."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from ur_solver.common.text import json_values
from ur_solver.errors import RecordError
from ur_solver.records.record import Ending, GameRecord
from ur_solver.rules import DARK, LIGHT, SIDE_NAMES, opponent

END = "end"

_END = re.compile(
    rf"({'|'.join(Ending)})(?: by ([LD]))?(?:, winner ([LD]))?(?:, reason (\S.*))?", re.IGNORECASE
)
RESULT = (
    r"1-0|0-1|(?:light|dark|[LD])\s+(?:wins?|won|resign(?:s|ed)|timed\s+out|"
    r"(?:loses|lost)\s+on\s+time|loses|lost|left|abandon(?:s|ed))\b"
)
"""The pattern of a result in people's words, in any case."""

_RESULT = re.compile(RESULT, re.IGNORECASE)
_LEFT_BY = {
    "resign": Ending.RESIGNED,
    "timed": Ending.TIMEOUT,
    "on time": Ending.TIMEOUT,
    "left": Ending.ABANDONED,
    "abandon": Ending.ABANDONED,
}
_BY_CHOICE = (Ending.RESIGNED, Ending.TIMEOUT)


class End(NamedTuple):
    """How a game ended; the attributes are as in `GameRecord`."""

    ending: Ending
    winner: str | None = None
    loser_by_choice: str | None = None
    reason: str | None = None


def side_of(word: str) -> str | None:
    """The side that a word such as ``L``, ``dark`` or ``Light`` names; None if it names none."""
    if word in SIDE_NAMES:
        return word
    letter = word[:1].upper()
    if letter not in SIDE_NAMES:
        return None
    return letter if word.lower() in (letter.lower(), SIDE_NAMES[letter]) else None


def read_result(text: str) -> End | None:
    """Parse a result such as ``1-0``, ``L wins`` or ``dark resigned``."""
    if not _RESULT.fullmatch(text):
        return None
    if text[0] in "01":
        return End(Ending.ENDED, LIGHT if text == "1-0" else DARK)
    word, deed = text.lower().split(None, 1)
    side = side_of(word) or ""
    deed = " ".join(deed.split())
    if deed.startswith("w"):
        return End(Ending.ENDED, side)
    ending = next((end for part, end in _LEFT_BY.items() if part in deed), Ending.ENDED)
    if ending is Ending.ABANDONED:
        return End(ending, None, side)
    return End(ending, opponent(side), side if ending in _BY_CHOICE else None)


def read_end(text: str) -> End:
    """Parse an end, as written by `end_text` or in people's words.

    Raises
    ------
    RecordError
        If the text names no end, or not the side that resigned or ran out of time.
    """
    result = read_result(text)
    if result is not None:
        return result
    match = _END.fullmatch(text)
    if match is None:
        raise RecordError(
            f"{END}: {text[:60]!r} is not an end such as 'won, winner L', 'resigned by D, "
            f"winner L' or '{Ending.UNFINISHED}'; known: {', '.join(Ending)}"
        )
    ending = Ending(match[1].lower())
    left, winner = (side and side.upper() for side in (match[2], match[3]))
    if ending in _BY_CHOICE:
        if left is None:
            verb = "resigned" if ending is Ending.RESIGNED else "ran out of time"
            raise RecordError(f"{END}: the side that {verb} is missing, as in '{ending} by D'")
        winner = winner or opponent(left)
    if left is not None and left == winner:
        raise RecordError(f"{END}: {SIDE_NAMES[left]} {ending} the game and won it")
    return End(ending, winner, left, None if match[4] is None else unquoted_text(match[4]))


def end_text(record: GameRecord) -> str:
    """How a game ended: ``won, winner L``; `read_end` is the inverse."""
    text = str(record.ending)
    if record.loser_by_choice:
        text += f" by {record.loser_by_choice}"
    if record.winner:
        text += f", winner {record.winner}"
    if record.reason is not None:
        text += f", reason {quoted_text(record.reason)}"
    return text


def quoted_text(value: str) -> str:
    """A text on one line: itself, or a JSON string where it has to be quoted."""
    is_plain_text = value.isprintable() and value == value.strip() and value[:1] not in ("", '"')
    return value if is_plain_text else json.dumps(value)


def unquoted_text(text: str) -> str:
    """The text that `quoted_text` wrote; RecordError if it is not a whole JSON string."""
    if not text.startswith('"'):
        return text
    try:
        value = json_values(text)
    except (ValueError, RecursionError):
        raise RecordError(f"{text[:60]!r} is not a JSON string") from None
    if not isinstance(value, str):
        raise RecordError(f"{text[:60]!r} is not a JSON string")
    return value
