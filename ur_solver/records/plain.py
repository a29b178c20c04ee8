r"""The plain notation, which can write games of every rule set: reader and writer.

    rules: birds:2
    Light: Ann
    Dark: Ben

    L enter 1 3 1A@A2
    D enter 4 --
    L move 2 1A2B1
    end: abandoned by D, winner L, reason player_left

RGN and RoyalUr's JSON cannot express which piece moves, the choice before a throw, or a throw
that is not just a number of squares. This notation can. Positions and moves are written as
everywhere in this package.

A game consists of *headers*, turns and an end. A header is a line ``name: value``. The header
``rules`` holds a catalogue name with its count of pieces (``birds``, ``birds:2``) or a rule
set's JSON. The header ``start`` holds the position that the game begins from, if that is not the
start of the rule set; the header ``opening`` holds the rounds that found the first player, as in
``opening: 2-2, 0-3 A3A2 C3B1``. All other headers are metadata, such as the names of ``Light`` and
``Dark``. A value that begins with a quotation mark is a JSON string.

Names of headers, sides and squares may be in any case. A turn is one line: the side, ``L`` or
``D``; the choice before the throw, where the rules ask for it; the throw, or both throws where
the first earned a second; and the move, or ``--`` for none. In a game's last turn ``--`` may also
stand for a move that has not been made yet.

The end is ``end: won``, ``resigned``, ``timeout``, ``abandoned``, ``ended`` (for a reason that is
not known) or ``unfinished``. After it may follow ``by D`` for the side that resigned, ran out of
time or left, ``, winner L``, and ``, reason`` with a text to the end of the line. A line such as
``L wins`` or ``1-0`` is an end too. The end may be left out after a move that wins. Any other game
without an end is incomplete. A header after a game's turns or end begins the next game.

Lines that begin with ``#`` are comments, and so is what follows ``#`` or ``;`` or stands in braces
after a turn. A comment belongs to the turn before it; before a game's turns, or after its end, to
the game that follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ur_solver.common.text import json_text
from ur_solver.errors import RecordError
from ur_solver.records.dates import dated_metadata
from ur_solver.records.parts import (
    CLOCK,
    END,
    OPENING,
    Comments,
    End,
    Faults,
    Placed,
    by_names,
    check_entries,
    clock_comment,
    comment_lines,
    end_text,
    is_opening,
    opened,
    opening_text,
    quoted_text,
    read_end,
    read_result,
    side_of,
    take_all,
    unquoted_text,
)
from ur_solver.records.record import Ending, GameRecord, Ply, Replay
from ur_solver.records.settings import check_agreement, rules_of_text, rules_text
from ur_solver.rules import FREE_THROW, SIDE_NAMES, RuleSet
from ur_solver.rules.openings import NO_MOVE

RULES, START = "rules", "start"

_OWN_HEADERS = (RULES, START, OPENING, END)
_BARE_NAME = r"[\w.-]{1,80}"
_HEADER = re.compile(rf"({_BARE_NAME}|[^\W\d][\w .-]{{0,79}}|\"(?:[^\"\\]|\\.)*\")\s*:(?:\s+(.*))?")
_TIGHT_HEADER = re.compile(r"([^\W\d_]{1,80}|\"[^\W\d_]{1,80}\")\s*:(\S.*)")
_RULES_WORD = re.compile(r'[-*"\s]*rules?\b(?!["\s]*:)', re.IGNORECASE)
"""What means a header, and is none."""

_SIDE = r"(?i:L|D|light|dark)\b"
_TURN = re.compile(
    rf"\s*(?:\d+[.)]\s*)?(?:{_SIDE}\s+(?![:\s])|(?i:[LD])\s*:\s*(?:[A-Za-z]+\s+)?\d{{1,2}}(?!\S)"
    r"|(?i:light|dark)\s*:\s*(?:[A-Za-z]+\s+)?\d{1,2}\s+\S)"
)
_THROW = re.compile(r"\s*(?i:light|dark)\s*:\s*\d{1,2}")
"""A throw without a move, after turns; before any turn it is a header with a player's name."""

_COLON = re.compile(rf"\s*(?:\d+[.)]\s*)?{_SIDE}\s*:")
_NUMBER = re.compile(r"\s*\d+[.)]\s*(?=[a-zA-Z])")
_RGN_TURN = re.compile(rf"\s*(?:\d+\.|/|\(\d+\))\s*(?!{_SIDE}\s)\S")
_COMMENT_LINE = re.compile(r"\s*(?:[#;](.*)|\{([^{}]*)\})\s*")
_PIECE = re.compile(rf"\s*(?:[#;](.*)|\{{([^{{}}]*)\}}(?!\S)|({CLOCK})(?!\S)|\S+)")
"""A piece of a line: a comment, or a word."""
_WRITTEN_TURN = re.compile(r"[LD] (?:[a-z]+ )?\d[^#;{:]*")
"""A turn as `write_plain` writes it. Matching all forms that people write takes twice the time of
splitting a text."""

_NOTHING = ("", "-", "\N{EN DASH}", "\N{EM DASH}", "pass")
"""People's words for a turn without a move."""

_TOKEN = re.compile(r"\S+")
_MOVE = re.compile(r"\d?[A-C](@|\d{1,2})[A-C](\+|\d{1,2})[x*]*( (stop|again))?", re.IGNORECASE)
"""Whatever can be a move in some position of some rule set."""

_Tokens = list[tuple[int, str]]


@dataclass
class _GameText:
    """The lines of one game with their numbers, by kind."""

    headers: list[tuple[int, str, str]] = field(default_factory=list)
    turns: list[tuple[int, str]] = field(default_factory=list)
    comments: Comments = field(default_factory=Comments)
    end: tuple[int, str] | None = None


def is_plain(text: str) -> bool:
    """Whether a text is in this notation, which begins with headers or a turn.

    Headers may come before turns of RGN as well, for example to name the rules.
    """
    is_found = False
    for line in text.split("\n"):
        bare = line.strip("\ufeff").rstrip()
        if not bare.strip() or _COMMENT_LINE.fullmatch(bare):
            continue
        if _TURN.match(bare) or read_result(bare.strip()):
            return True
        if _RULES_WORD.match(bare):
            return True
        if not (_HEADER.fullmatch(bare) or _TIGHT_HEADER.fullmatch(bare)):
            return is_found and not (_RGN_TURN.match(bare) or bare.startswith("["))
        is_found = True
    return is_found


def read_plain(
    text: str | Iterable[str],
    rules: RuleSet | None = None,
    file: str = "-",
    first_line: int = 1,
) -> Iterator[GameRecord | RecordError]:
    """The games in a text in the plain notation; an error in place of one that is not valid.

    The text may be given in parts that end where lines end. `rules` are those of games without the
    header ``rules``; `first_line` is the number of the text's first line in the file.
    """
    parts = [text] if isinstance(text, str) else text
    for number, game in enumerate(_split(parts, first_line), start=1):
        try:
            yield _interpret(game, rules, file, number)
        except RecordError as error:
            yield error


def _split(parts: Iterable[str], first_line: int) -> Iterator[_GameText]:
    game = _GameText()
    waiting: list[str] = []  # comments of the next game, if it begins before a turn
    is_empty = True
    lines = (line for part in parts for line in part.removesuffix("\n").split("\n"))
    for number, raw in enumerate(lines, start=first_line):
        line = raw.rstrip()
        if not waiting and game.end is None and _WRITTEN_TURN.fullmatch(line):
            game.turns.append((number, line))
            is_empty = False
            continue
        line = line.strip("\ufeff")
        if not line.strip():
            continue
        if comment := _COMMENT_LINE.fullmatch(line):
            waiting.append((comment[1] or comment[2] or "").removeprefix(" "))
            continue
        has_turns = bool(game.turns) and game.end is None
        header = None
        if not (_TURN.match(line) or (has_turns and _THROW.fullmatch(line))):
            header = _HEADER.fullmatch(line) or _TIGHT_HEADER.fullmatch(line)
        is_end = header is not None and (
            header[1].strip().lower() == END or (has_turns and header[1].lower() == f'"{END}"')
        )
        if game.end is not None or (header is not None and not is_end and bool(game.turns)):
            yield game
            game = _GameText()
        for comment_text in waiting:
            game.comments.add(len(game.turns), comment_text)
        waiting = []
        is_empty = False
        if header is None:
            _add_turn(game, number, line)
        elif is_end:
            game.end = number, header[2] or ""
        else:
            game.headers.append((number, header[1].strip(), header[2] or ""))
    if not is_empty:
        for comment_text in waiting:
            game.comments.add(len(game.turns), comment_text)
        yield game


def _add_turn(game: _GameText, number: int, line: str) -> None:
    """Add a line that is no header: a turn, or a result in people's words."""
    pieces = list(_PIECE.finditer(line))
    n_words = len(pieces)
    while n_words > 1 and pieces[n_words - 1].lastindex:
        n_words -= 1
    line = line[: pieces[n_words - 1].end()]
    players = {name.upper()[:1]: text for _, name, text in game.headers if side_of(name)}
    result = by_names(line.strip(), players)
    if read_result(result):
        game.end = number, result
    else:
        if colon := _COLON.match(line):
            line = f"{line[: colon.end() - 1]} {line[colon.end() :]}"
        game.turns.append((number, line))
    for piece in pieces[n_words:]:
        text = clock_comment(piece[3]) if piece[3] else (piece[1] or piece[2] or "").strip()
        game.comments.add(len(game.turns), text)


def _interpret(game: _GameText, rules: RuleSet | None, file: str, number: int) -> GameRecord:
    faults = Faults()
    own, metadata = _headers(game, faults)
    rules = _rules_of(game, own, rules, faults)
    for line, name, value in game.headers:
        if rules is not None and name.lower() not in _OWN_HEADERS:
            with faults, Placed(f"line {line}"):
                check_agreement(rules, name, value)
    replay = None if rules is None else _begun(rules, own, faults)
    if rules is not None:
        take = None if replay is None else partial(_turn, replay)
        take_all(game.turns, take, partial(_check_form, rules), faults)
    end = None
    if game.end is not None:
        with faults, Placed(f"line {game.end[0]}"):
            end = read_end(game.end[1])
    faults.check()
    assert replay is not None
    comments = game.comments.texts()
    return _finished(
        replay, game, end, metadata=metadata, comments=comments, file=file, number=number
    )


def _rules_of(
    game: _GameText, own: dict[str, tuple[int, str]], rules: RuleSet | None, faults: Faults
) -> RuleSet | None:
    """The rule set of the game's header, or else `rules`; None if there is none or it is wrong."""
    if RULES in own:
        line, value = own[RULES]
        with faults, Placed(f"line {line}: {RULES}"):
            return rules_of_text(value)
        return None
    if rules is None:
        faults.add(
            f"line {_first_line(game)}: the rules are missing; write a header such as "
            f"'{RULES}: birds:2' before the game's turns"
        )
    return rules


def _begun(rules: RuleSet, own: dict[str, tuple[int, str]], faults: Faults) -> Replay | None:
    """The game before its first turn; None if its first position or its opening is wrong."""
    if OPENING in own:
        line, value = own[OPENING]
        with faults, Placed(f"line {line}: {OPENING}"):
            if START in own:
                raise RecordError(f"the game begins where its opening ends; leave out {START!r}")
            return opened(rules, value)
        return None
    line, value = own.get(START, (0, ""))
    with faults, Placed(f"line {line}: {START}"):
        return Replay(rules, rules.position(value) if START in own else None)
    return None


def _first_line(game: _GameText) -> int:
    lines = [each[0] for each in game.headers] + [each[0] for each in game.turns]
    lines += [game.end[0]] if game.end else []
    return lines[0] if lines else 1


def _headers(game: _GameText, faults: Faults) -> tuple[dict[str, tuple[int, str]], dict[str, str]]:
    """The line number and the value of this notation's own headers, and the metadata."""
    lines: dict[tuple[bool, str], int] = {}
    own: dict[str, tuple[int, str]] = {}
    metadata: dict[str, str] = {}
    for line, written, text in game.headers:
        with faults, Placed(f"line {line}"):
            name, value = unquoted_text(written), unquoted_text(text)
            is_own = name.lower() in _OWN_HEADERS and written == name
            if name.lower() == OPENING and not is_opening(value):
                is_own = False
            key = is_own, name.lower() if is_own else name
            if key in lines:
                raise RecordError(f"the header {name!r} is already on line {lines[key]}")
            lines[key] = line
            if is_own:
                own[key[1]] = line, value
            else:
                metadata[name] = value
    if RULES not in own:
        # a name in quotation marks is metadata, but who wrote nothing else has meant the rules
        for name in [name for name in metadata if name.lower() == RULES]:
            own[RULES] = lines[False, name], metadata.pop(name)
    with faults, Placed(f"line {_first_line(game)}"):
        check_entries(metadata)
    return own, metadata


def _tokens(text: str) -> _Tokens:
    """The words of a turn with their columns, without its number."""
    number = None if text[0] in SIDE_NAMES else _NUMBER.match(text)
    begin = number.end() if number else 0
    return [(match.start() + 1, match.group()) for match in _TOKEN.finditer(text, begin)]


def _side(word: str, expected: str) -> str:
    side = side_of(word)
    if side is None:
        raise RecordError(
            f"{word[:40]!r} begins neither a turn such as 'L 3 A@A2' nor a header such as "
            f"'{RULES}: finkel:3' nor an end; "
            f"expected {expected}"
        )
    return side


def _throws(tokens: _Tokens) -> tuple[tuple[int, ...], _Tokens]:
    """The throws that the words begin with, and the words after them."""
    throws = []
    rest = tokens
    while rest and rest[0][1].isascii() and rest[0][1].isdigit() and len(rest[0][1]) < 3:
        throws.append(int(rest[0][1]))
        rest = rest[1:]
    if not throws:
        raise RecordError(f"{_first(tokens)!r} is not a throw; expected a number such as 3")
    return tuple(throws), rest


def _turn(replay: Replay, numbered: tuple[int, str]) -> None:
    line, text = numbered
    tokens = _tokens(text)
    with Placed(f"line {line}, column {tokens[0][0]}"):
        side = _side(tokens[0][1], f"{replay.side!r}, the side to throw")
        replay.expect_side(side)
    rest = tokens[1:]
    choices = replay.choices()
    chosen = -1
    if choices:
        names = [choice.name for choice in choices]
        with _placed_at(line, rest, text):
            word = rest[0][1] if rest else ""
            if word.lower() not in names:
                raise RecordError(
                    f"{word[:40]!r} is not a choice before this throw; expected "
                    f"{' or '.join(map(repr, names))}"
                )
        chosen = names.index(word.lower())
        rest = rest[1:]
    choice = choices[chosen].name if choices else FREE_THROW
    with _placed_at(line, rest, text):
        throws, rest = _throws(rest)
        steps = replay.legal(throws, choice)
    with _placed_at(line, rest, text):
        move = " ".join(token for _, token in rest)
        played = -1
        if move != NO_MOVE and (steps or move.lower() not in _NOTHING):
            played = _index(move, [replay.stepper.text(side, step) for step in steps])
            if played < 0:
                raise RecordError(replay.illegal(throws, move, choice))
    replay.take(throws, steps, played, 0, f"line {line}", choices, chosen)


def _check_form(rules: RuleSet, numbered: tuple[int, str]) -> None:
    """Check a turn in a position that is not known, since one before it has a fault."""
    line, text = numbered
    tokens = _tokens(text)
    with Placed(f"line {line}, column {tokens[0][0]}"):
        _side(tokens[0][1], "'L' or 'D'")
    rest = tokens[1:]
    if rest and rest[0][1].lower() in rules.mechanics.choices(1, 1):
        rest = rest[1:]
    with _placed_at(line, rest, text):
        throws, rest = _throws(rest)
        for throw in throws:
            rules.dice.check(throw)
    with _placed_at(line, rest, text):
        move = " ".join(token for _, token in rest)
        if move.lower() not in (NO_MOVE, *_NOTHING) and not _MOVE.fullmatch(move):
            raise RecordError(f"{move[:40]!r} is not a move such as 'A@A4', 'B2B5x' or 'A7A+'")


def _index(move: str, legal: list[str]) -> int:
    """The index of a move, written in any case and maybe without its marks; -1 for none."""
    if move in legal:
        return legal.index(move)

    def bare(move: str) -> str:
        return re.sub(r"[x*+]", "", move.lower())

    marks = {mark for mark in "x*" if mark in move.lower()}
    fitting = [k for k, text in enumerate(legal) if bare(text) == bare(move) and marks <= {*text}]
    return fitting[0] if len(fitting) == 1 else -1


def _first(tokens: _Tokens) -> str:
    return tokens[0][1][:40] if tokens else ""


def _placed_at(line: int, tokens: _Tokens, text: str) -> Placed:
    """The context that puts the place of the first token, or of the line's end, before an error."""
    column = tokens[0][0] if tokens else len(text) + 1
    return Placed(f"line {line}, column {column}")


def _finished(replay: Replay, game: _GameText, end: End | None, **rest: Any) -> GameRecord:
    if game.end is None or end is None:
        last = game.turns[-1] if game.turns else game.headers[-1] if game.headers else (1, "")
        with Placed(f"line {last[0]}"):
            if replay.winner is None:
                raise RecordError(
                    f"the game is incomplete: expected a turn of {SIDE_NAMES[replay.side]} or an "
                    f"end such as '{END}: {Ending.UNFINISHED}'"
                )
            return replay.finish(**rest)
    with Placed(f"line {game.end[0]}"):
        if replay.winner and end.ending is not Ending.WON and end.winner != replay.winner:
            raise RecordError(
                f"{END}: {end.ending}, but {SIDE_NAMES[replay.winner]} bore off all pieces"
            )
        return replay.finish(**end._asdict(), **rest)


def write_plain(record: GameRecord) -> str:
    """A record in the plain notation, ending without a newline."""
    headers = {RULES: rules_text(record.rules)}
    if record.opening:
        headers[OPENING] = opening_text(record.opening)
    elif record.start != record.rules.start():
        headers[START] = record.start.notation
    lines = comment_lines(record.comments.get(0, ""))
    lines += [f"{name}: {value}" for name, value in headers.items()]
    lines += [_written_header(*entry) for entry in dated_metadata(record).items()]
    lines.append("")
    for index, ply in enumerate(record.plies, start=1):
        lines.append(_written_turn(record, ply))
        lines += comment_lines(record.comments.get(index, ""))
    lines.append(f"{END}: {end_text(record)}")
    return "\n".join(lines)


def _written_header(name: str, value: str) -> str:
    """A header of metadata; name and value are JSON strings where they have to be quoted."""
    is_bare = re.fullmatch(_BARE_NAME, name) and name.lower() not in _OWN_HEADERS
    written = name if is_bare else json_text(name)
    line = f"{written}: {quoted_text(value)}"
    is_turn = _TURN.match(line) or _THROW.fullmatch(line)
    return f"{written}: {json_text(value)}" if is_turn else line


def _written_turn(record: GameRecord, ply: Ply) -> str:
    parts = [ply.side, ply.choice, ply.throw_text, record.move_text(ply) or NO_MOVE]
    return " ".join(part for part in parts if part)
