"""What every notation has: comments, endings, openings, and faults with their places.

A comment is text after a number of plies: 0 is before the first. As in PGN, a program's note on a
ply is a *command* at the head of the comment, such as ``[%clk 0:05:12]`` for a clock. RoyalUr's
JSON has metadata in each state instead; there a command is a separate entry.

An opening says how the first player was found, in one text for every notation:

    2-2, 0-3 A3A2 C3B1

A round is what was thrown, light's throw first, and both markers' moves, which may be left out
where neither side could choose. Rounds are separated by commas. In Skiriuk's opening a 1 of light
stands alone. A side alone, ``dark``, says who began, and not why.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple, TypeVar

from ur_solver.common.text import counted, json_text, json_values
from ur_solver.errors import InputError, RecordError
from ur_solver.records.dates import START_TIME
from ur_solver.records.record import Ending, GameRecord, Replay
from ur_solver.rules import DARK, LIGHT, SIDE_NAMES, RuleSet, opponent
from ur_solver.rules.openings import Round

CLOCK = r"\(?\d{1,3}:\d\d(?::\d\d)?(?:\.\d+)?\)?(?![\w:@])"
"""The pattern of a clock that stands after a move: ``0:05``, ``(1:02:30.5)``."""

_T = TypeVar("_T")
_COMMENT = "Comment"
_COMMAND = re.compile(r"\[%([A-Za-z][\w.-]*) ([^\[\]\n]*)\]")


MAX_ENTRIES = 100
"""The most entries of metadata that a game or a state has in any notation, but for those that this
program adds, so that what is written can be read."""


def check_entries(metadata: Mapping[str, str]) -> None:
    """Raise RecordError for metadata of more than `MAX_ENTRIES`."""
    n_entries = len(metadata.keys() - {START_TIME})
    if n_entries > MAX_ENTRIES:
        raise RecordError(f"{n_entries} entries of metadata, more than {MAX_ENTRIES}")


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
    while len(metadata) < MAX_ENTRIES - 1 and (match := _COMMAND.match(rest)):
        if match[1] in (*metadata, _COMMENT):
            break
        metadata[match[1]] = match[2]
        rest = rest[match.end() :].removeprefix(" ")
    if rest:
        metadata[_COMMENT] = rest
    return metadata if comment_of_metadata(metadata) == text else {_COMMENT: text}


class Placed:
    """A context that makes an InputError raised inside a RecordError that begins with a place.

    It is entered for every token, which takes 0.3 us; with `contextlib.contextmanager` it would
    take 0.8 us.
    """

    __slots__ = ("_place",)

    def __init__(self, place: str) -> None:
        self._place = place

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, InputError):
            raise RecordError(f"{self._place}: {error}") from None


_PLACE = re.compile(r"line (\d+)(?:, column (\d+))?: ")


def _place_of(fault: str) -> tuple[int, int]:
    """The line and the column that a fault begins with; those without a place come first."""
    match = _PLACE.match(fault)
    return (int(match[1]), int(match[2] or 0)) if match else (0, 0)


class Faults:
    """A context that collects the InputErrors raised inside, so that all can be reported."""

    MOST = 20
    """The most faults reported of one game."""

    def __init__(self) -> None:
        self._found: list[str] = []

    def copy(self) -> Faults:
        """The same faults, to which others can be added."""
        faults = Faults()
        faults._found = self._found.copy()
        return faults

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, InputError):
            return False
        self._found.append(str(error))
        return True

    def add(self, fault: str) -> None:
        """Add a fault; a loop over tokens is faster with this than with the context."""
        self._found.append(fault)

    def __bool__(self) -> bool:
        return bool(self._found)

    def check(self, most: int = MOST) -> None:
        """Raise RecordError with the first `most` faults and the number of others, if any."""
        if not self._found:
            return
        more = len(self._found) - most
        found = sorted(self._found, key=_place_of)
        listed = found[:most] + ([f"and {counted(more, 'more fault')}"] if more > 0 else [])
        raise RecordError("; ".join(listed))


def take_all(
    turns: Iterable[_T],
    take: Callable[[_T], object] | None,
    check: Callable[[_T], object],
    faults: Faults,
    n_sound: int | None = None,
) -> None:
    """Take turns up to the first fault; of the others, check what needs no position.

    None is taken without a `take`, or after the first `n_sound`.
    """
    rest = iter(turns)
    if take is not None:
        for each in islice(rest, n_sound):
            try:
                take(each)
            except InputError as error:
                faults.add(str(error))
                break
    for each in rest:
        with faults:
            check(each)


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


def by_names(text: str, names: Mapping[str, str | None]) -> str:
    """A result with a player's name, such as ``Ann resigned``, with the side in its place.

    `names` are by side. Any other text stays as it is.
    """
    sides = [
        (side, len(name))
        for side, name in names.items()
        if name and text.casefold().startswith(f"{name.casefold()} ")
    ]
    if len(sides) != 1 or read_result(text):
        return text
    ((side, width),) = sides
    named = f"{SIDE_NAMES[side]}{text[width:]}"
    return named if read_result(named) else text


def read_end(text: str) -> End:
    """Parse an end, as written by `end_text` or in people's words.

    RecordError if the text names no end, or not the side that resigned or ran out of time.
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
    return value if is_plain_text else json_text(value)


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


OPENING = "opening"
"""The name of the header, and in capitals of the tag and the metadata, that hold this text."""

_ROUND = re.compile(r"(\d{1,2})(?:\s*-\s*(\d{1,2}))?(?:\s+(\S.*))?")


def opened(rules: RuleSet, text: str) -> Replay:
    """A game in progress that begins with an opening; RecordError if it is none of these rules."""
    side = side_of(text.strip())
    if side is not None:
        return Replay(rules, replace(rules.start(), side=side))
    replay = Replay(rules)
    for number, part in enumerate(text.split(","), start=1):
        with Placed(f"round {number}"):
            replay.open(_round(replay, part.strip()))
    return replay


def is_opening(text: str) -> bool:
    """Whether a text means an opening; metadata of other programs may have the same name."""
    return bool(_ROUND.match(text.strip())) or side_of(text.strip()) is not None


def _round(replay: Replay, text: str) -> Round:
    match = _ROUND.fullmatch(text)
    if match is None:
        raise RecordError(f"{text[:60]!r} is not a round such as '3-1' or '0-3 A@A1 C@C2'")
    throws = tuple(int(throw) for throw in match.groups()[:2] if throw is not None)
    rounds = replay.rounds(throws)
    if match[3] is None and len(rounds) == 1:
        return rounds[0]
    moves = " ".join((match[3] or "").upper().split())
    for each in rounds:
        if each.text == moves:
            return each
    legal = " or ".join(repr(each.text) for each in rounds if each.text) or "none"
    after = f"the moves of both markers after {'-'.join(map(str, throws))}"
    if match[3] is None:
        raise RecordError(f"{after} are missing; expected {legal}")
    raise RecordError(f"{match[3][:40]!r} are not {after}; expected {legal}")


def round_text(each: Round) -> str:
    """A round: both throws, and the moves of both markers."""
    return f"{'-'.join(map(str, each.throws))} {each.text}".strip()


def opening_text(rounds: Sequence[Round]) -> str:
    """The rounds of an opening; `opened` is the inverse."""
    return ", ".join(map(round_text, rounds))


def opening_words(record: GameRecord) -> str:
    """How a record's game began, for people; empty if light began, and nothing more is known."""
    rules, rounds = record.rules, record.opening
    began = f"{SIDE_NAMES[record.start.side]} began"
    if rounds:
        is_over = rounds[-1].position is not None
        return f"opening {opening_text(rounds)}{f': {began}' if is_over else ''}"
    is_start = replace(record.start, side=rules.start().side) == rules.start()
    return began if is_start and record.start.side == DARK else ""
