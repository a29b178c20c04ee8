r"""RGN, RoyalUr's textual notation: reader and writer.

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

The notation does not name the rule set, and every game begins at the start. Two tags of this
program's own give them where they are needed: ``[Rules "finkel:3"]``, with a catalogue name or a
rule set's JSON, and ``[Start "<position>"]``. Where a move could come from two throws, the throw
is written before it: ``3:A@B1``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from ur_solver.errors import InputError, RecordError, RuleSetError
from ur_solver.records.record import Ending, GameRecord, Placed, Ply, Replay
from ur_solver.records.settings import rules_of_text, rules_text, rules_word
from ur_solver.records.steps import Step
from ur_solver.rules import ASEB, DARK, HOME, LIGHT, MAX_PIECES, RACES, RuleSet

RULES_TAG, START_TAG = "Rules", "Start"
MAX_LINE = 59
"""The most characters in a line of turns; RoyalUr's library wraps at the same width."""

_OWN_TAGS = (RULES_TAG, START_TAG)
_TAG_NAME = r"\w{1,80}"
_TAG = re.compile(rf'\[({_TAG_NAME})\s+(?:"((?:[^"\\]|\\.)*)"|([^\s"\]]*))\]\s*')
_TOKEN = re.compile(r"\S+")
_TURN_NUMBER = re.compile(r"(\d{1,6})\.")
_MOVE = re.compile(r"(?:(\d{1,2}):)?([A-C](?:@|\d{1,2})[A-C](?:\+|\d{1,2}))(x?)(\*?)")
_ESCAPES = {'"': '"', "\\": "\\", "r": "\r", "n": "\n"}
_MAX_TAGS = 100


@dataclass
class _Action:
    """A throw without a move, or a move, as it is written in the file."""

    side: str
    place: str
    throw: int | None = None
    move: str | None = None
    is_capture: bool = False
    is_rosette: bool = False

    @property
    def text(self) -> str:
        return f"{self.move}{'x' * self.is_capture}{'*' * self.is_rosette}"


@dataclass
class _GameText:
    """A game split into tags and actions, before its rule set is known."""

    tags: dict[str, str] = field(default_factory=dict)
    actions: list[_Action] = field(default_factory=list)
    is_ended: bool = False
    fault: str | None = None


def read_rgn(
    text: str, rules: RuleSet | None = None, file: str = "-"
) -> Iterator[GameRecord | RecordError]:
    """The games in a text in RGN, in order; an error in place of one that is not valid.

    A tag after the turns of a game begins the next game, and so does a turn after ``#``.

    Parameters
    ----------
    text : str
    rules : RuleSet, optional
        The rule set of games without a tag that names theirs. Without it, all rule sets of the
        catalogue are tried, and the game must fit exactly one.
    file : str
        As in `GameRecord`.
    """
    for number, game in enumerate(_split(text), start=1):
        try:
            if game.fault:
                raise RecordError(game.fault)
            yield _interpret(game, rules, file, number)
        except RecordError as error:
            yield error


def _split(text: str) -> Iterator[_GameText]:
    scanner = _Scanner()
    for number, line in enumerate(text.split("\n"), start=1):
        is_tag = line.startswith("[")
        if is_tag:
            tokens = [(1, line)]
        else:
            tokens = [(match.start() + 1, match.group()) for match in _TOKEN.finditer(line)]
        for column, token in tokens:
            if scanner.game.is_ended or (is_tag and scanner.has_turns):
                yield scanner.close()
                scanner = _Scanner()
            scanner.read(token, is_tag, f"line {number}, column {column}")
    yield scanner.close()


class _Scanner:
    """Reads the tokens of one game."""

    def __init__(self) -> None:
        self.game = _GameText()
        self._side: str | None = None
        self._turn = 0
        self._is_turn_open = False
        self._throw: int | None = None
        self._is_tag = False
        self._place = "line 1, column 1"

    @property
    def has_turns(self) -> bool:
        """Whether turns have begun, so that a tag belongs to the next game."""
        return bool(self.game.actions) or (self.game.fault is not None and not self._is_tag)

    def read(self, token: str, is_tag: bool, place: str) -> None:
        """Read a tag's line or a token; after a fault, look for the game's end only."""
        self._is_tag = is_tag
        if self.game.fault is None:
            try:
                with Placed(place):
                    if is_tag:
                        self._read_tag(token)
                    else:
                        self._read_token(token, place)
            except RecordError as error:
                self.game.fault = str(error)
        if not is_tag and token.endswith("#"):
            self.game.is_ended = True

    def _read_tag(self, line: str) -> None:
        match = _TAG.fullmatch(line)
        if match is None:
            raise RecordError(f'tag {line[:60]!r}: expected a tag such as [Light "Ann"]')
        name, quoted, plain = match.groups()
        if len(self.game.tags) >= _MAX_TAGS:
            raise RecordError(f"more than {_MAX_TAGS} tags")
        self.game.tags[name] = plain if quoted is None else _unescape(quoted)

    def _read_token(self, token: str, place: str) -> None:
        body = token.rstrip("#")
        if len(token) - len(body) > 1:
            raise RecordError(f"{token[:40]!r}: '#' may occur once only, at the end")
        if self._throw is not None:
            if body != "--":
                raise RecordError(f"{token[:40]!r} after the throw {self._throw}, expected '--'")
            self._add(_Action(self._expected_side(), self._place, self._throw))
            self._throw = None
        elif body:
            self._read_body(body, place)
        self._place = place
        if token.endswith("#") and self._is_turn_open:
            raise RecordError("the game ends where a move is expected")

    def _read_body(self, body: str, place: str) -> None:
        if number := _TURN_NUMBER.fullmatch(body):
            expected = self._turn + 1
            if int(number[1]) != expected:
                raise RecordError(f"turn {number[1]}, expected {expected}; a turn is missing")
            self._turn = expected
            self._open_turn(LIGHT)
        elif body == "/":
            self._open_turn(DARK)
        elif body == "*":
            last = self.game.actions[-1] if self.game.actions else None
            if last is None or last.move is None or last.is_rosette or self._is_turn_open:
                raise RecordError("'*' does not follow a move")
            last.is_rosette = True
        elif body.isascii() and body.isdigit() and len(body) < 3:
            self._expected_side()
            self._throw = int(body)
        elif move := _MOVE.fullmatch(body):
            throw = int(move[1]) if move[1] else None
            self._add(
                _Action(self._expected_side(), place, throw, move[2], bool(move[3]), bool(move[4]))
            )
        else:
            raise RecordError(
                f"{body[:40]!r} is neither a move such as 'A@A4', 'B2B5x' or 'A7A+', nor a throw "
                "without a move such as '3 --', nor the mark of a turn, '1.' or '/'"
            )

    def _open_turn(self, side: str) -> None:
        if self._is_turn_open:
            raise RecordError("the turn before this one has no throw")
        self._side, self._is_turn_open = side, True

    def _expected_side(self) -> str:
        if self._side is None:
            raise RecordError("expected the mark of a turn, '1.' for light or '/' for dark")
        return self._side

    def _add(self, action: _Action) -> None:
        self.game.actions.append(action)
        self._is_turn_open = False

    def close(self) -> _GameText:
        """The game, with a fault if the text breaks off inside a turn."""
        if self.game.fault is None and (self._is_turn_open or self._throw is not None):
            self.game.fault = f"{self._place}: the text breaks off inside a turn"
        return self.game


def _unescape(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        if match[1] not in _ESCAPES:
            raise RecordError(f"unknown escape {match[0]!r} in a tag")
        return _ESCAPES[match[1]]

    return re.sub(r"\\(.)", one, text)


def _interpret(game: _GameText, rules: RuleSet | None, file: str, number: int) -> GameRecord:
    """The record of a game by the rule set of its tag, by `rules`, or by the only one that fits."""
    word = game.tags.get(RULES_TAG)
    if word is not None:
        with Placed(f"tag {RULES_TAG}"):
            tagged = rules_of_text(word)
        return _replayed(game, tagged, file, number)
    if rules is not None:
        try:
            return _replayed(game, rules, file, number)
        except RecordError as error:
            raise RecordError(
                f"{error} (no rule set is named; read as {rules_word(rules)})"
            ) from None
    fitting: list[GameRecord] = []
    faults: list[RecordError] = []
    for candidate in _candidates(game):
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


def _candidates(game: _GameText) -> Iterator[RuleSet]:
    """The catalogue, with the usual counts of pieces and with the count that was borne off."""
    off = [action.side for action in game.actions if (action.move or "").endswith("+")]
    borne_off = max(off.count(LIGHT), off.count(DARK))
    tried: list[RuleSet] = []
    for rules in RACES.values():
        for pieces in (rules.pieces, borne_off):
            candidate = rules.with_pieces(pieces) if 1 <= pieces <= MAX_PIECES else rules
            if not any(candidate.is_same_game(other) for other in tried):
                tried.append(candidate)
                yield candidate


def _replayed(game: _GameText, rules: RuleSet, file: str, number: int) -> GameRecord:
    if fault := rgn_fault(rules):
        raise RecordError(fault)
    begin = None
    if START_TAG in game.tags:
        try:
            begin = rules.position(game.tags[START_TAG])
        except InputError as error:
            raise RecordError(f"tag {START_TAG}: {error}") from None
    replay = Replay(rules, begin)
    moves = _moves_by_text(rules)
    for action in game.actions:
        with Placed(action.place):
            replay.expect_side(action.side)
            if action.move is None:
                replay.play_nothing(action.throw or 0, place=action.place)
            else:
                _play(replay, action, moves[action.side].get(action.move, ()))
    metadata = {name: value for name, value in game.tags.items() if name not in _OWN_TAGS}
    ending = Ending.ENDED if game.is_ended else Ending.UNFINISHED
    return replay.finish(ending, metadata=metadata, file=file, number=number)


def _play(replay: Replay, action: _Action, ends: Sequence[tuple[int, int]]) -> None:
    if action.throw is not None:
        ends = [(source, target) for source, target in ends if target - source == action.throw]
    legal = []
    for source, target in ends:
        throw = target - source
        steps = replay.legal((throw,))
        legal += [
            ((throw,), steps, index)
            for index, step in enumerate(steps)
            if step.source == source and step.target == target and _is_marked(step, action)
        ]
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
    by_throw = "" if action.throw is None else f" by a throw of {action.throw}"
    raise RecordError(
        f"{action.text!r} is not a move along the path {replay.rules.path.name}{by_throw}"
    )


def _is_marked(step: Step, action: _Action) -> bool:
    is_rosette = step.text.endswith("*")
    return (step.is_capture, is_rosette) == (action.is_capture, action.is_rosette)


def _off(rules: RuleSet, side: str) -> str:
    # Aseb's path ends in the middle row, but RoyalUr bears off on the player's own side.
    path = rules.path.squares(side)
    return f"{path[0][0] if rules.board == ASEB else path[-1][0]}+"


@lru_cache(maxsize=32)
def _moves_by_text(rules: RuleSet) -> dict[str, dict[str, list[tuple[int, int]]]]:
    """For each side, from a move without its marks to the path indices that it may mean."""
    found: dict[str, dict[str, list[tuple[int, int]]]] = {LIGHT: {}, DARK: {}}
    length = len(rules.path)
    for side, texts in found.items():
        path = rules.path.squares(side)
        starts = {HOME: f"{path[0][0]}@", **dict(enumerate(path))}
        ends = {length: _off(rules, side), **dict(enumerate(path))}
        for source, begin in starts.items():
            for throw in rules.dice.throws:
                if throw and source + throw in ends:
                    key = begin + ends[source + throw]
                    texts.setdefault(key, []).append((source, source + throw))
    return found


def rgn_fault(rules: RuleSet) -> str | None:
    """Why RGN cannot express a rule set's games, as a sentence; None if it can."""
    if rules.mechanics.has_race_turns():
        return None
    return (
        f"{rules_word(rules)}: RGN can express turns of the race family only; write the plain "
        "notation, .ur"
    )


def write_rgn(record: GameRecord, with_rules: bool = False) -> str:
    """A record in RGN, ending without a newline, as RoyalUr's library writes it.

    Parameters
    ----------
    record : GameRecord
    with_rules : bool
        Whether to add this program's tag that names the rule set. RoyalUr's tools write none.

    Raises
    ------
    RuleSetError
        If the notation cannot express the rule set.
    RecordError
        If a name in the metadata cannot be the name of a tag.
    """
    if fault := rgn_fault(record.rules):
        raise RuleSetError(fault)
    tags = {name: text for name, text in record.metadata.items() if name not in _OWN_TAGS}
    for name in tags:
        if not re.fullmatch(_TAG_NAME, name):
            raise RecordError(
                f"metadata {name[:60]!r} cannot be a tag of RGN, whose name has letters and digits "
                "only"
            )
    if with_rules:
        tags[RULES_TAG] = rules_text(record.rules)
    if record.start != record.rules.start():
        tags[START_TAG] = record.start.notation
    head = "".join(f"[{name} {_quoted(value)}]\n" for name, value in tags.items())
    return head + ("\n" if head else "") + "\n".join(_turn_lines(record))


def _quoted(value: str) -> str:
    if re.fullmatch(r"[A-Za-z0-9_]+", value):
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
    if text.endswith("+"):
        text = text[:-2] + _off(record.rules, ply.side)
    base = text.rstrip("x*")
    ends = _moves_by_text(record.rules)[ply.side][base]
    throw = f"{ply.throw}:" if len(ends) > 1 else ""
    return f"{throw}{text.replace('*', ' *')}"
