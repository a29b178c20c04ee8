"""RGN, RoyalUr's textual notation: reader and writer.

    [Light "Ann"]
    [Dark Ben]

    1. A@A3 / C@C2
    2. A3A1 * 0 -- / C@C3
    3. A1B2 / C2B2x#

Tags come first, then a blank line, then the turns, wrapped over lines. ``1.`` precedes a turn of
light, ``/`` one of dark. A move is the square that the piece leaves and the square that it
reaches, with ``@`` for home and ``+`` for off; ``x`` follows a capture, and a space and ``*`` a
landing on a rosette. The throw follows from the move. A throw without a move is ``3 --``. ``#``
ends a game, whether it was won or resigned.

The notation does not name the rule set, every game begins at the start, and it has no words
for how a game ended. Four tags of this program add these if needed: ``[Rules "finkel:3"]``, with
a catalogue name or a rule set's JSON, ``[Start "<position>"]`` or ``[Opening "2-2, 3-1"]``, and
``[Ending "resigned by L, winner D"]``. Where a move could come from two throws, the throw is
written before it: ``3:A@B1``.

The reader takes the forms that people write as well as those of RoyalUr's library: comments in
braces, after ``;`` and on lines that begin with ``#``; clocks; turn numbers with and without a
space; results in words; moves in any case and without their marks. The library's first releases
wrote turns as ``(1) r2.a4``. A text is split into games, and each game into tags, actions and
comments, without the rules; then its actions are played.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import chain
from typing import Any

from ur_solver.errors import RecordError, RuleSetError
from ur_solver.records.dates import dated_metadata
from ur_solver.records.parts import (
    CLOCK,
    OPENING,
    RESULT,
    Comments,
    End,
    Faults,
    Placed,
    braced,
    check_entries,
    clock_comment,
    comment_lines,
    end_text,
    is_opening,
    opened,
    opening_text,
    read_end,
    read_result,
    take_all,
    unbraced,
)
from ur_solver.records.record import Ending, GameRecord, Ply, Replay
from ur_solver.records.settings import (
    check_agreement,
    rules_of_text,
    rules_text,
    rules_word,
)
from ur_solver.records.steps import Step
from ur_solver.rules import ASEB, DARK, HOME, LIGHT, MAX_PIECES, RACES, SIDE_NAMES, STOP, RuleSet
from ur_solver.rules.board import ROW_NAMES

OFF = "+"
"""The target of a bearing off in the notation of the library's first releases."""

_TOKEN = re.compile(
    r"""
    ^[ \t\ufeff]*(?:
        (?P<line_comment>[\#%][^\n]*)
      | (?P<header>(?:[^\W\d][\w\ .-]{0,79}|"[^\W\d][\w\ .-]{0,79}"[ \t]*):[ \t]+[^\n]*
          |(?:[^\W\d_]{1,80}|"[^\W\d_]{1,80}")[ \t]*:\S[^\n]*)
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
      | (?P<tag>\[(?:[^\]"\n]|\n(?=[ \t]*(?:["\]]|[A-Za-z][\w.-]*[ \t]*\]))
            |"(?:[^"\\\n]|\\.|\n(?![ \t]*[\n\[]))*")*\]|\[[^\n]*)
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
_WRAPPED = re.compile(r"[ \t]*\n[ \t]*")
_CLOSED = re.compile(r"\{(?:[^}\\]|\\[\s\S])*\}")
_ESCAPES = {'"': '"', "\\": "\\", "r": "\r", "n": "\n"}
_OVER_LINES = ("comment", "tag")
_MAX_TAG = 1 << 12
"""The most text in which the end of a tag is looked for in the next part; a comment may end in any
part."""

_COMMENTS = ("line_comment", "comment", "line_end", "command", "clock", "glyph")


@dataclass
class Action:
    """A throw without a move, or a move, as in the file."""

    side: str
    place: str
    throw: int | None = None  # where it is written
    # without its marks, in the usual case; the target alone in the old notation
    move: str | None = None
    is_capture: bool = False
    is_rosette: bool = False
    is_stop: bool = False  # whether the extra throw that it earns is declined, which `stop` says
    is_old: bool = False  # whether it is in the notation of the library's first releases

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


def split_rgn(parts: Iterable[str], first_line: int = 1) -> Iterator[GameText]:
    """The games of a text in parts that end where lines end; its first line has this number.

    A tag begins a new game after the turns of a game, and where the game has a tag of its name. So
    does a turn after ``#`` or a result, and the turn with the number 1.
    """
    scanner = _Scanner()
    line, line_start = first_line, 0
    for match, begin in _tokens(parts):
        kind = match.lastgroup or ""
        token, start = match[kind], begin + match.start(kind)
        if kind == "newline":
            if token:  # it is not the end of a part
                line, line_start = line + 1, start + 1
            continue
        if kind in _COMMENTS:
            scanner.comment(kind, token, line, start - line_start + 1)
        else:
            if scanner.ends_before(kind, match):
                yield scanner.close()
                scanner = _Scanner(scanner.waiting)
            scanner.read(kind, match, f"line {line}, column {start - line_start + 1}")
        if kind in _OVER_LINES and "\n" in token:
            line += token.count("\n")
            line_start = start + token.rindex("\n") + 1
        scanner.last_line = line
    scanner.settle_comments()
    if scanner.is_game:
        yield scanner.close()


def _tokens(parts: Iterable[str]) -> Iterator[tuple[re.Match[str], int]]:
    """The tokens of a text, each with where the text begins that it is in.

    Those that go on over lines may begin in one part and end in another.
    """
    rest, begin = "", 0
    for part in chain(parts, [""]):
        text, rest = rest + part, ""
        if part and text.lstrip()[:1] == "{" and "}" not in text:
            rest = text  # a comment that goes on: looking for its end again would take long
            continue
        for match in _TOKEN.finditer(text):
            if part and match.lastgroup in _OVER_LINES and _goes_on(match, text):
                rest = text[match.start() :]
                break
            yield match, begin
        begin += len(text) - len(rest)


def _goes_on(match: re.Match[str], text: str) -> bool:
    """Whether a comment, or a tag that is wrapped, may end after the text."""
    if match.lastgroup == "comment":
        return match.end() == len(text) and not _CLOSED.fullmatch(match["comment"])
    return len(text) - match.start() <= _MAX_TAG and not _TAG.fullmatch(match["tag"])


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
        self.settle_comments()
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

    def settle_comments(self) -> None:
        """Add the comments that wait."""
        for comment in self.waiting:
            self.add_comment(comment)
        self.waiting = []

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
        self.game.tags[name] = value

    def _number(self, match: re.Match[str], place: str) -> None:
        self._settle()
        number, is_dark = int(match[_NUMBER + 1]), match[_NUMBER + 2] == "..."
        expected = self._turn + (0 if is_dark and self._turn else 1)
        self._begin_turn(number, expected, DARK if is_dark else LIGHT)

    def _begin_turn(self, number: int, expected: int, side: str) -> None:
        self._turn = number
        self._open_turn(side)
        if number != expected:
            raise RecordError(f"turn {number}, expected {expected}; a turn is missing")

    def _slash(self, match: re.Match[str], place: str) -> None:
        self._settle()
        self._open_turn(DARK)

    def _star(self, match: re.Match[str], place: str) -> None:
        last = self._last_move()
        if last is None or last.is_rosette:
            raise RecordError("'*' does not follow a move")
        last.is_rosette = True

    def _stop(self, match: re.Match[str], place: str) -> None:
        last = self._last_move()
        if last is None or last.is_stop:
            raise RecordError(f"{match['stop']!r} does not follow a move")
        last.is_stop = True

    def _last_move(self) -> Action | None:
        """The move that a mark may follow."""
        last = self.game.actions[-1] if self.game.actions else None
        return None if last is None or last.move is None or self._is_turn_open else last

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
        self._begin_turn(number, self._turn + 1, LIGHT if number % 2 else DARK)

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
        return name.strip().strip('"'), value.strip()
    match = _TAG.fullmatch(token)
    if match is None:
        raise RecordError(f'tag {token[:60]!r}: expected a tag such as [Light "Ann"]')
    quoted_name, name, quoted, plain = match.groups()
    name = name or _unescape(quoted_name)
    return name, plain.strip() if quoted is None else _unescape(_WRAPPED.sub(" ", quoted))


def _unescape(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        if match[1] not in _ESCAPES:
            raise RecordError(f"unknown escape {match[0]!r} in a tag")
        return _ESCAPES[match[1]]

    return re.sub(r"\\(.)", one, text)


RULES_TAG, START_TAG, END_TAG, RESULT_TAG = "Rules", "Start", "Ending", "Result"
OPENING_TAG = OPENING.capitalize()
MAX_LINE = 59
"""The most characters in a line of turns; RoyalUr's library wraps at the same width."""

_OWN_TAGS = (RULES_TAG.lower(), START_TAG.lower(), END_TAG.lower())
_BARE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
"""Values that RoyalUr's library writes without quotation marks."""

_FROM_TO = re.compile(r"[A-C](@|\d+)[A-C](\+|\d+)")
"""A move without its marks, and not the target alone."""

_Moves = dict[str, dict[str, list[tuple[int, int]]]]


def read_rgn(
    text: str | Iterable[str],
    rules: RuleSet | None = None,
    file: str = "-",
    first_line: int = 1,
) -> Iterator[GameRecord | RecordError]:
    """The games in a text, or in parts of one that end where lines end, in RGN.

    They are in order; an error is in place of one that is not valid.

    `rules` are those of games without a tag that names theirs. Without it, all rule sets of the
    catalogue are tried, and the game must fit exactly one. `first_line` is the number of the text's
    first line in the file.
    """
    parts = [text] if isinstance(text, str) else text
    for number, game in enumerate(split_rgn(parts, first_line), start=1):
        try:
            yield _interpret(game, rules, file, number)
        except RecordError as error:
            yield error


def _interpret(game: GameText, rules: RuleSet | None, file: str, number: int) -> GameRecord:
    """The record of a game by the rule set of its tag, by `rules`, or by the only one that fits."""
    if not any(action.move for action in game.actions):
        game.faults.check(1)  # some other text, of which every word is a fault
    word = game.tag(RULES_TAG)
    if word is not None:
        tagged = None
        with game.faults, Placed(f"tag {RULES_TAG}"):
            tagged = rules_of_text(word)
        if tagged is not None:
            return _replayed(game, tagged, file, number)
        game.faults.check()
    if rules is not None:
        try:
            return _replayed(game, rules, file, number)
        except RecordError as error:
            raise RecordError(
                f"{error} (no rule set is named; read as {rules_word(rules)})"
            ) from None
    game.faults.check()
    fitting: list[GameRecord] = []
    faults: list[RecordError] = []
    off = [action.side for action in game.actions if (action.move or "").endswith("+")]
    for candidate in _candidates(max(off.count(LIGHT), off.count(DARK))):
        try:
            fitting.append(_replayed(game, candidate, file, number))
        except RecordError as error:
            faults.append(error)
    won = [record for record in fitting if record.ending is Ending.WON]
    # A game that was won fits one count of pieces. Under a rule set by which it stops before a
    # win, the loser would have to have resigned.
    best = won or fitting
    if len(best) == 1:
        return best[0]
    if best:
        names = ", ".join(rules_word(record.rules) for record in best)
        raise RecordError(f"no rule set is named, and the game fits several: {names}")
    raise RecordError(f"no rule set is named, and none fits; as finkel: {faults[0]}")


@lru_cache(maxsize=MAX_PIECES)
def _candidates(borne_off: int) -> tuple[RuleSet, ...]:
    """The catalogue, with the usual counts of pieces and with the count that was borne off."""
    found: list[RuleSet] = []
    for rules in RACES.values():
        for pieces in (rules.pieces, borne_off):
            candidate = rules.with_pieces(pieces) if 1 <= pieces <= MAX_PIECES else rules
            if not any(candidate.is_same_game(other) for other in found):
                found.append(candidate)
    return tuple(found)


def _replayed(game: GameText, rules: RuleSet, file: str, number: int) -> GameRecord:
    if fault := rgn_fault(rules):
        raise RecordError(fault)
    faults = game.faults.copy()  # several rule sets may be tried
    with faults:
        check_entries(_metadata(game.tags))
    for name, value in game.tags.items():
        with faults, Placed(f"tag {name}"):
            check_agreement(rules, name, value)
    replay = None
    with faults:
        replay = _begun(game, rules)
    moves = _moves_by_text(rules)
    take = None if replay is None else partial(_take, replay, moves)
    take_all(game.actions, take, partial(_check_form, rules, moves), faults, game.n_sound)
    end = End(Ending.UNFINISHED)
    with faults:
        end = _end_of(game)
    faults.check()
    assert replay is not None
    if replay.winner and end.winner is None:
        end = End(Ending.WON)
    return replay.finish(
        **end._asdict(),
        metadata=_metadata(game.tags),
        comments=game.comments.texts(),
        file=file,
        number=number,
    )


def _begun(game: GameText, rules: RuleSet) -> Replay:
    """The game before its first turn."""
    start, opening = game.tag(START_TAG), game.tag(OPENING_TAG)
    if opening is not None and is_opening(opening):
        with Placed(f"tag {OPENING_TAG}"):
            if start is not None:
                raise RecordError(f"the game begins where it ends; leave out the tag {START_TAG}")
            return opened(rules, opening)
    with Placed(f"tag {START_TAG}"):
        return Replay(rules, None if start is None else rules.position(start))


def _check_form(rules: RuleSet, moves: _Moves, action: Action) -> None:
    """Check an action in a position that is not known, since one before it has a fault."""
    with Placed(action.place):
        if action.throw is not None:
            rules.dice.check(action.throw)
        if action.move is not None and not _ends(action, moves):
            raise RecordError(_off_path(rules, action))


def _take(replay: Replay, moves: _Moves, action: Action) -> None:
    with Placed(action.place):
        replay.expect_side(action.side)
        if action.move is None:
            replay.play_nothing(action.throw or 0, place=action.place)
        else:
            _play(replay, action, _ends(action, moves))


def _ends(action: Action, moves: _Moves) -> Sequence[tuple[int, int]]:
    """The path indices that a move may mean by its throw, if that is written."""
    known = moves[action.side]
    ends = known.get(action.move or "", known.get(OFF, ()) if action.is_old else ())
    if action.throw is None:
        return ends
    return [(source, target) for source, target in ends if target - source == action.throw]


def _off_path(rules: RuleSet, action: Action) -> str:
    by_throw = "" if action.throw is None else f" by a throw of {action.throw}"
    return f"{action.text!r} is not a move along the path {rules.path.name}{by_throw}"


def _end_of(game: GameText) -> End:
    """How the game ended: by its own tag, by its last token, or by a tag such as PGN has."""
    text = game.tag(END_TAG)
    if text is not None:
        with Placed(f"tag {END_TAG}"):
            return read_end(text)
    result = game.end or read_result(game.tag(RESULT_TAG) or "")
    return result or End(Ending.ENDED if game.is_ended else Ending.UNFINISHED)


def _metadata(tags: Mapping[str, str]) -> dict[str, str]:
    """The tags of other programs."""
    return {
        name: value
        for name, value in tags.items()
        if name.lower() not in _OWN_TAGS and not (name.lower() == OPENING and is_opening(value))
    }


def _play(replay: Replay, action: Action, ends: Sequence[tuple[int, int]]) -> None:
    legal = []
    for source, target in ends:
        throw = target - source
        steps = replay.legal((throw,))
        legal += [
            ((throw,), steps, index)
            for index, step in enumerate(steps)
            if step.source == source and step.target == target and _fits(step, action)
        ]
    if len(legal) > 1:  # optional marks may distinguish them
        exact = [each for each in legal if _has_marks(each[1][each[2]], action)]
        legal = exact if len(exact) == 1 else legal
    if len(legal) == 1:
        replay.take(*legal[0], place=action.place)
        return
    if legal:
        throws = " or ".join(str(throw) for (throw,), _, _ in legal)
        raise RecordError(
            f"{action.text!r} could be made with throw {throws}; write '3:{action.text}'"
        )
    if ends:
        raise RecordError(replay.illegal((ends[0][1] - ends[0][0],), action.text))
    raise RecordError(_off_path(replay.rules, action))


def _fits(step: Step, action: Action) -> bool:
    """Whether a step has every mark that is written; marks may be left out."""
    text = step.text.removesuffix(STOP)
    return (
        step.is_capture >= action.is_capture
        and (not action.is_rosette or text.endswith("*"))
        and action.is_stop == (text != step.text)
    )


def _has_marks(step: Step, action: Action) -> bool:
    is_rosette = step.text.removesuffix(STOP).endswith("*")
    return (step.is_capture, is_rosette) == (action.is_capture, action.is_rosette)


def _off(rules: RuleSet, side: str) -> str:
    # Aseb's path ends in the middle row, but RoyalUr bears off on the player's own side.
    path = rules.path.squares(side)
    return f"{path[0][0] if rules.board == ASEB else path[-1][0]}+"


@lru_cache(maxsize=32)
def _moves_by_text(rules: RuleSet) -> _Moves:
    """For each side, from a move without its marks to the path indices that it may mean.

    A target alone, or `OFF`, is a move in the notation of the library's first releases.
    """
    found: _Moves = {LIGHT: {}, DARK: {}}
    length = len(rules.path)
    for side, texts in found.items():
        path = rules.path.squares(side)
        starts = {HOME: f"{path[0][0]}@", **dict(enumerate(path))}
        ends = {length: _off(rules, side), **dict(enumerate(path))}
        for source, begin in starts.items():
            for throw in rules.dice.throws:
                if throw and source + throw in ends:
                    end = ends[source + throw]
                    target = OFF if source + throw == length else end
                    for key in (begin + end, target):
                        texts.setdefault(key, []).append((source, source + throw))
    return found


def rgn_texts(rules: RuleSet) -> dict[str, dict[str, Any]] | None:
    """How RGN's moves differ from ours, for other writers; None if RGN cannot express the rules.

    JSON values by side, ``light`` and ``dark``: ``off``, the end of a move that bears off, and
    ``unclear``, moves without marks that may come from two throws, which have to be written.
    """
    if rgn_fault(rules):
        return None
    return {
        name: {
            "off": _off(rules, side),
            "unclear": [
                move
                for move, ends in _moves_by_text(rules)[side].items()
                if len(ends) > 1 and _FROM_TO.fullmatch(move)
            ],
        }
        for side, name in SIDE_NAMES.items()
    }


def rgn_fault(rules: RuleSet) -> str | None:
    """Why RGN cannot express a rule set's games, as a sentence; None if it can."""
    if rules.mechanics.has_race_turns():
        return None
    return (
        f"RGN cannot hold games of {rules_word(rules)}, which do not have the turns of the race "
        "family; use the plain notation, .ur"
    )


def write_rgn(record: GameRecord, with_rules: bool = False) -> str:
    """A record in RGN, ending without a newline, as RoyalUr's library writes it.

    `with_rules` adds this program's tags, which name the rule set and, where ``#`` does not tell
    it, how the game ended; RoyalUr's tools write none. RuleSetError if the notation cannot express
    the rule set.
    """
    if fault := rgn_fault(record.rules):
        raise RuleSetError(fault)
    tags = _metadata(dated_metadata(record))
    if with_rules:
        tags[RULES_TAG] = rules_text(record.rules)
        if _needs_end(record):
            tags[END_TAG] = end_text(record)
    if record.opening:
        tags[OPENING_TAG] = opening_text(record.opening)
    elif record.start != record.rules.start():
        tags[START_TAG] = record.start.notation
    lead = "".join(f"{line}\n" for line in comment_lines(record.comments.get(0, "")))
    head = "".join(f"[{_quoted(name)} {_quoted(value)}]\n" for name, value in tags.items())
    return lead + head + ("\n" if head else "") + "\n".join(_turn_lines(record))


def _needs_end(record: GameRecord) -> bool:
    """Whether the turns and ``#`` leave open how a game ended."""
    if record.ending in (Ending.WON, Ending.UNFINISHED):
        return False
    return record.ending is not Ending.ENDED or record.winner is not None or not record.plies


def _quoted(value: str) -> str:
    if _BARE.fullmatch(value):
        return value
    escapes = {"\\": "\\\\", '"': '\\"', "\r": "\\r", "\n": "\\n"}
    return '"' + "".join(escapes.get(character, character) for character in value) + '"'


def _turn_lines(record: GameRecord) -> Iterator[str]:
    line = ""
    side, turn = None, 0
    last = len(record.plies) - 1
    for index, ply in enumerate(record.plies):
        action = _written(record, ply)
        if index == last and record.ending is not Ending.UNFINISHED:
            action += "#"
        if index + 1 in record.comments:
            action += f" {braced(record.comments[index + 1])}"
        begins_line = False
        if ply.side != side:
            side = ply.side
            turn += side == LIGHT
            begins_line = side == LIGHT
            action = (f"{turn}. " if side == LIGHT else "/ ") + action
        if begins_line or len(line) + 1 + len(action) > MAX_LINE:
            if line:
                yield line
            line = action
        else:
            line = f"{line} {action}" if line else action
    if line:
        yield line


def _written(record: GameRecord, ply: Ply) -> str:
    text = record.move_text(ply)
    if text is None:
        return f"{ply.throw} --"
    text, mark, _ = text.partition(STOP)
    if text.endswith("+"):
        text = text[:-2] + _off(record.rules, ply.side)
    base = text.rstrip("x*")
    ends = _moves_by_text(record.rules)[ply.side][base]
    throw = f"{ply.throw}:" if len(ends) > 1 else ""
    return f"{throw}{text.replace('*', ' *')}{mark}"
