"""The text of RGN, split into games, and each game into tags, actions and comments.

This module does not use the rules; `rgn.py` plays the actions. It reads the forms that people write
as well as those of RoyalUr's library: comments in braces, after ``;`` and on lines that begin with
``#``; clocks; turn numbers with and without a space; results in words; moves in any case and
without their marks. The library's first releases wrote turns as ``(1) r2.a4``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ur_solver.errors import RecordError
from ur_solver.records.comments import CLOCK, Comments, clock_comment, unbraced
from ur_solver.records.endings import RESULT, End, read_result
from ur_solver.records.faults import Faults
from ur_solver.rules import DARK, LIGHT
from ur_solver.rules.board import ROW_NAMES

OFF = "+"
"""The target of a bearing off in the notation of the library's first releases."""

_MAX_TAGS = 100
_TOKEN = re.compile(
    r"""
    ^[ \t\ufeff]*(?:
        (?P<line_comment>[\#%][^\n]*)
      | (?P<header>[^\W\d][\w\ .-]{0,79}:[ \t]+[^\n]*)
    )
  | (?:[^\S\n]|\ufeff)*(?:
        (?P<newline>\n|\Z)
      | (?P<move>(?:(\d{1,2}):)?([A-Ca-c](?:@|\d{1,2})[A-Ca-c](?:\+|\d{1,2})?)([xX]?)(\*?)
            (?=[\s/*\#\[{;!?(\ufeff]|\Z))
      | (?P<number>(\d{1,6})(\.{1,3}|\)))
      | (?P<slash>/)
      | (?P<star>\*)
      | (?P<stop>[Ss]top(?=[\s/\#\[{;!?(\ufeff]|\Z))
      | (?P<throw>\d{1,2}(?=[\s/\#\[{;(\ufeff]|\Z))
      | (?P<nothing>(?:-{1,3}|[\u2013\u2014]|[Pp]ass)(?=[\s/\#\[{;(\ufeff]|\Z))
      | (?P<command>\[%\w[^\]\n]*\])
      | (?P<tag>\[(?:[^\]"\n]|"(?:[^"\\\n]|\\.)*")*\]|\[[^\n]*)
      | (?P<comment>\{(?:[^}\\]|\\[\s\S]?)*(?:\}|\Z))
      | (?P<line_end>;[^\n]*|(?<=\s)\#[^\S\n]+\S[^\n]*)
      | (?P<end>\#+)
      | (?P<clock>"""
    + CLOCK
    + r""")
      | (?P<glyph>[!?]{1,3})
      | (?P<old_turn>\((\d{1,6})\))
      | (?P<old_throw>r(\d{1,2})(?:\.[a-h]?\d{0,2}x?([a-h]\d{1,2})\+?)?(?=[\s\#\[]|\Z))
      | (?P<result>(?i:"""
    + RESULT
    + r""")(?![^\s\#{;.,\[]))
      | (?P<variation>\([^\n]*)
      | (?P<other>[^\s/\#\[{;]+)
    )
    """,
    re.VERBOSE | re.MULTILINE,
)
_MOVE = _TOKEN.groupindex["move"]
_NUMBER = _TOKEN.groupindex["number"]
_OLD_TURN, _OLD_THROW = _TOKEN.groupindex["old_turn"], _TOKEN.groupindex["old_throw"]
_TAG = re.compile(
    r'\[\s*(?:"((?:[^"\\]|\\.)+)"|([^\s"\]]+))\s+(?:"((?:[^"\\]|\\.)*)"|([^"\]]*))\s*\]'
)
_CLOSED = re.compile(r"\{(?:[^}\\]|\\[\s\S])*\}")
_ESCAPES = {'"': '"', "\\": "\\", "r": "\r", "n": "\n"}
_COMMENTS = ("line_comment", "comment", "line_end", "command", "clock", "glyph")


@dataclass
class Action:
    """A throw without a move, or a move, as in the file.

    Attributes
    ----------
    side : str
    place : str
    throw : int or None
        Where it is written.
    move : str or None
        Without its marks, in the usual case. The target alone in the old notation.
    is_capture, is_rosette : bool
        Whether it has the mark.
    is_stop : bool
        Whether the extra throw that it earns is declined, which `stop` after it says.
    is_old : bool
        Whether it is in the notation of the library's first releases.
    """

    side: str
    place: str
    throw: int | None = None
    move: str | None = None
    is_capture: bool = False
    is_rosette: bool = False
    is_stop: bool = False
    is_old: bool = False

    @property
    def text(self) -> str:
        """The move as it is written."""
        stop = " stop" * self.is_stop
        return f"{self.move}{'x' * self.is_capture}{'*' * self.is_rosette}{stop}"


@dataclass
class GameText:
    """A game split into tags and actions, before its rule set is known.

    `n_sound` is the number of actions before the first fault; None if there is none.
    """

    tags: dict[str, str] = field(default_factory=dict)
    actions: list[Action] = field(default_factory=list)
    comments: Comments = field(default_factory=Comments)
    faults: Faults = field(default_factory=Faults)
    is_ended: bool = False
    end: End | None = None
    n_sound: int | None = None

    def tag(self, name: str) -> str | None:
        """The value of the tag with a name in any case; None if there is none."""
        return next((text for key, text in self.tags.items() if key.lower() == name.lower()), None)


def split_rgn(text: str, first_line: int = 1) -> Iterator[GameText]:
    """The games of a text.

    A tag begins a new game after the turns of a game, and where the game has a tag of its name.
    So does a turn after ``#`` or a result, and the turn with the number 1.

    Parameters
    ----------
    text : str
    first_line : int
        The number of its first line in the file.
    """
    scanner = _Scanner()
    line, line_start = first_line, 0
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        if kind == "newline":
            line, line_start = line + 1, match.end()
            continue
        start = match.start(kind)
        if kind in _COMMENTS:
            token = match[kind]
            scanner.comment(kind, token, line, start - line_start + 1)
            if kind == "comment" and "\n" in token:
                line += token.count("\n")
                line_start = start + token.rindex("\n") + 1
            scanner.last_line = line
            continue
        if scanner.ends_before(kind, match):
            yield scanner.close()
            scanner = _Scanner(scanner.waiting)
        scanner.read(kind, match, f"line {line}, column {start - line_start + 1}")
        scanner.last_line = line
    for comment in scanner.waiting:
        scanner.add_comment(comment)
    scanner.waiting = []
    if scanner.is_game:
        yield scanner.close()


class _Scanner:
    """Reads the tokens of one game.

    `waiting` are comments on lines of their own, which belong to the next game if it comes before
    the next turn of this one.
    """

    def __init__(self, waiting: list[str] | None = None) -> None:
        self.game = GameText()
        self.waiting = waiting or []
        self.last_line = 0
        self.is_game = False
        self._has_turns = False
        self._side: str | None = None
        self._turn = 0
        self._is_turn_open = False
        self._throw: int | None = None
        self._place = "line 1, column 1"
        self._readers = {
            "tag": self._tag,
            "header": self._tag,
            "move": self._move,
            "number": self._number,
            "slash": self._slash,
            "star": self._star,
            "stop": self._stop,
            "throw": self._bare_throw,
            "nothing": self._nothing,
            "end": self._end,
            "old_turn": self._old_turn,
            "old_throw": self._old_throw,
            "result": self._result,
            "variation": self._variation,
            "other": self._other,
        }

    def ends_before(self, kind: str, match: re.Match[str]) -> bool:
        """Whether a token belongs to the next game."""
        if self.game.is_ended:
            return kind != "result"
        if kind == "number":
            is_first = self._turn > 0 and int(match[_NUMBER + 1]) == 1
            return is_first and match[_NUMBER + 2] != "..."
        if kind in ("tag", "header"):
            return self._has_turns or self._is_repeated(kind, match[kind])
        return False

    def _is_repeated(self, kind: str, token: str) -> bool:
        try:
            return _parsed_tag(kind, token)[0] in self.game.tags
        except RecordError:
            return False

    def read(self, kind: str, match: re.Match[str], place: str) -> None:
        """Read a token; its faults are kept with the game."""
        self.is_game = True
        if self.waiting:
            for comment in self.waiting:
                self.add_comment(comment)
            self.waiting = []
        try:
            self._readers[kind](match, place)
        except RecordError as error:
            self._fault(f"{place}: {error}")
        self._has_turns = self._has_turns or kind not in ("tag", "header")
        self._place = place

    def comment(self, kind: str, token: str, line: int, column: int) -> None:
        """Read a comment: after the last token of its line, or else before what follows."""
        if kind == "comment":
            if not _CLOSED.fullmatch(token):
                self.is_game = True
                self._fault(f"line {line}, column {column}: this comment is not closed")
            text = unbraced(token[1:-1])
        elif kind in ("line_comment", "line_end"):
            text = token[1:].removeprefix(" ")
        else:
            text = clock_comment(token) if kind == "clock" else token
        if line == self.last_line:
            self.add_comment(text)
        else:
            self.waiting.append(text)

    def add_comment(self, text: str) -> None:
        """Add a comment after what has been read."""
        self.game.comments.add(len(self.game.actions) + (self._throw is not None), text)

    def close(self) -> GameText:
        """The game, with a fault if the text ends inside a turn."""
        if self._throw == 0:
            self._settle()
        if self._is_turn_open or self._throw is not None:
            self._fault(f"{self._place}: the text breaks off inside a turn")
        return self.game

    def _fault(self, text: str) -> None:
        if self.game.n_sound is None:
            self.game.n_sound = len(self.game.actions)
        self.game.faults.add(text)

    def _tag(self, match: re.Match[str], place: str) -> None:
        kind = match.lastgroup or ""
        name, value = _parsed_tag(kind, match[kind])
        if len(self.game.tags) >= _MAX_TAGS:
            raise RecordError(f"more than {_MAX_TAGS} tags")
        self.game.tags[name] = value

    def _number(self, match: re.Match[str], place: str) -> None:
        self._settle()
        number, is_dark = int(match[_NUMBER + 1]), match[_NUMBER + 2] == "..."
        expected = self._turn + (0 if is_dark and self._turn else 1)
        self._turn = number
        self._open_turn(DARK if is_dark else LIGHT)
        if number != expected:
            raise RecordError(f"turn {number}, expected {expected}; a turn is missing")

    def _slash(self, match: re.Match[str], place: str) -> None:
        self._settle()
        self._open_turn(DARK)

    def _star(self, match: re.Match[str], place: str) -> None:
        last = self.game.actions[-1] if self.game.actions else None
        if last is None or last.move is None or last.is_rosette or self._is_turn_open:
            raise RecordError("'*' does not follow a move")
        last.is_rosette = True

    def _stop(self, match: re.Match[str], place: str) -> None:
        last = self.game.actions[-1] if self.game.actions else None
        if last is None or last.move is None or last.is_stop or self._is_turn_open:
            raise RecordError(f"{match['stop']!r} does not follow a move")
        last.is_stop = True

    def _bare_throw(self, match: re.Match[str], place: str) -> None:
        self._settle()
        self._expected_side()
        self._throw = int(match["throw"])

    def _nothing(self, match: re.Match[str], place: str) -> None:
        if self._throw is None:
            raise RecordError(f"{match['nothing']!r} does not follow a throw, as in '0 --'")
        self._settle()

    def _settle(self) -> None:
        """A throw after which no move came."""
        if self._throw is not None:
            self._add(Action(self._expected_side(), self._place, self._throw))
            self._throw = None

    def _move(self, match: re.Match[str], place: str) -> None:
        throw = self._throw
        if match[_MOVE + 1]:
            self._settle()
            throw = int(match[_MOVE + 1])
        self._throw = None
        move = match[_MOVE + 2].upper()
        if move[-1] in ROW_NAMES:
            move += "+"
        has_marks = bool(match[_MOVE + 3]), bool(match[_MOVE + 4])
        self._add(Action(self._expected_side(), place, throw, move, *has_marks))

    def _end(self, match: re.Match[str], place: str) -> None:
        self._settle()
        self.game.is_ended = True
        if len(match["end"]) > 1:
            token = "#" * len(match["end"][:40])
            raise RecordError(f"{token!r}: '#' may occur once only, at the end")
        if self._is_turn_open:
            self._is_turn_open = False
            raise RecordError("the game ends where a move is expected")

    def _result(self, match: re.Match[str], place: str) -> None:
        self._settle()
        self.game.is_ended = True
        self._is_turn_open = False
        self.game.end = read_result(match["result"])

    def _old_turn(self, match: re.Match[str], place: str) -> None:
        number = int(match[_OLD_TURN + 1])
        expected, self._turn = self._turn + 1, number
        self._open_turn(LIGHT if number % 2 else DARK)
        if number != expected:
            raise RecordError(f"turn {number}, expected {expected}; a turn is missing")

    def _old_throw(self, match: re.Match[str], place: str) -> None:
        throw, target = int(match[_OLD_THROW + 1]), match[_OLD_THROW + 2]
        move = target.upper() if target else None
        self._add(Action(self._expected_side(), place, throw, move, is_old=True))

    def _variation(self, match: re.Match[str], place: str) -> None:
        raise RecordError(
            f"{match['variation'][:40]!r}: variations in parentheses are not read; write comments "
            "in braces"
        )

    def _other(self, match: re.Match[str], place: str) -> None:
        self._is_turn_open = False
        self._throw = None
        raise RecordError(
            f"{match['other'][:40]!r} is neither a move such as 'A@A4', 'B2B5x' or 'A7A+', nor a "
            "throw without a move such as '3 --', nor the mark of a turn, '1.' or '/'"
        )

    def _open_turn(self, side: str) -> None:
        is_open = self._is_turn_open
        self._side, self._is_turn_open = side, True
        if is_open:
            raise RecordError("the turn before this one has no throw")

    def _expected_side(self) -> str:
        if self._side is None:
            raise RecordError("expected the mark of a turn, '1.' for light or '/' for dark")
        return self._side

    def _add(self, action: Action) -> None:
        self.game.actions.append(action)
        self._is_turn_open = False


def _parsed_tag(kind: str, token: str) -> tuple[str, str]:
    """The name and the value of a tag, or of a header such as ``Rules: finkel:3``."""
    if kind == "header":
        name, _, value = token.partition(":")
        return name, value.strip()
    match = _TAG.fullmatch(token)
    if match is None:
        raise RecordError(f'tag {token[:60]!r}: expected a tag such as [Light "Ann"]')
    quoted_name, name, quoted, plain = match.groups()
    name = name or _unescape(quoted_name)
    return name, plain.strip() if quoted is None else _unescape(quoted)


def _unescape(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        if match[1] not in _ESCAPES:
            raise RecordError(f"unknown escape {match[0]!r} in a tag")
        return _ESCAPES[match[1]]

    return re.sub(r"\\(.)", one, text)
