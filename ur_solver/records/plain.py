r"""The plain notation, which can write games of every rule set: reader and writer.

    rules: birds:2
    Light: Ann
    Dark: Ben

    L enter 1 3 1A@A2
    D enter 4 --
    L move 2 1A2B1
    # Ben had to leave
    end: abandoned by D, winner L, reason player_left

RGN and RoyalUr's JSON cannot say which piece moves, the choice before a throw, or what was
thrown where a throw is more than a number of squares. This notation can. Positions and moves
are written as everywhere in this package.

A game consists of *headers*, turns and an end. A header is a line ``name: value``. The header
``rules`` holds a catalogue name with its count of pieces (``birds``, ``birds:2``) or a rule
set's JSON. The header ``start`` holds the position that the game begins from, if that is not the
start of the rule set. All other headers are metadata, such as the names of ``Light`` and
``Dark``. A value that begins with a quotation mark is a JSON string.

A turn is one line: the side, ``L`` or ``D``; the choice before the throw, where the rules ask
for it; the throw, or both throws where the first earned a second; and the move, or ``--`` for
none. In a game's last turn ``--`` may also stand for a move that has not been made yet.

The end is ``end: won``, ``resigned``, ``abandoned``, ``ended`` (for a reason that is not known)
or ``unfinished``. After it may follow ``by D`` for the side that resigned or left, ``, winner L``,
and ``, reason`` with a text to the end of the line. The end may be left out after a move that
wins. Any other game without an end is incomplete. Blank lines and lines that begin with ``#``
are ignored. A header after a game's turns or end begins the next game.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ur_solver.errors import InputError, RecordError
from ur_solver.records.record import Ending, GameRecord, Placed, Ply, Replay
from ur_solver.records.settings import rules_of_text, rules_text
from ur_solver.rules import FREE_THROW, SIDE_NAMES, RuleSet

RULES, START, END = "rules", "start", "end"
NO_MOVE = "--"

_OWN_HEADERS = (RULES, START, END)
_NAME = r"\w{1,80}"
_HEADER = re.compile(rf"({_NAME}):(?:\s+(.*))?")
_FIRST_TURN = re.compile(r"[LD]\s")
_END = re.compile(rf"({'|'.join(Ending)})(?: by ([LD]))?(?:, winner ([LD]))?(?:, reason (\S.*))?")
_TOKEN = re.compile(r"\S+")
_MAX_HEADERS = 100

_Tokens = list[tuple[int, str]]


@dataclass
class _GameText:
    """The lines of one game with their numbers, by kind."""

    headers: list[tuple[int, str, str]] = field(default_factory=list)
    turns: list[tuple[int, str]] = field(default_factory=list)
    end: tuple[int, str] | None = None


def is_plain(text: str) -> bool:
    """Whether a text is in this notation, which begins with a header or a turn."""
    first = next((line for _, line in _lines(text)), "")
    return bool(_HEADER.fullmatch(first) or _FIRST_TURN.match(first))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that are neither blank nor comments, with their numbers."""
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.rstrip()
        if line.strip() and not line.startswith("#"):
            yield number, line


def read_plain(
    text: str, rules: RuleSet | None = None, file: str = "-"
) -> Iterator[GameRecord | RecordError]:
    """The games in a text in the plain notation; an error in place of one that is not valid.

    Parameters
    ----------
    text : str
    rules : RuleSet, optional
        The rule set of games without the header ``rules``.
    file : str
        As in `GameRecord`.
    """
    for number, game in enumerate(_split(text), start=1):
        try:
            yield _interpret(game, rules, file, number)
        except RecordError as error:
            yield error


def _split(text: str) -> Iterator[_GameText]:
    game = _GameText()
    for number, line in _lines(text):
        header = _HEADER.fullmatch(line)
        is_end = header is not None and header[1] == END
        begins = game.end is not None or (header is not None and not is_end and bool(game.turns))
        if begins:
            yield game
            game = _GameText()
        if header is None:
            game.turns.append((number, line))
        elif is_end:
            game.end = number, header[2] or ""
        else:
            game.headers.append((number, header[1], header[2] or ""))
    yield game


def _interpret(game: _GameText, rules: RuleSet | None, file: str, number: int) -> GameRecord:
    headers = _headers(game)
    if RULES in headers:
        line, value = headers[RULES]
        with Placed(f"line {line}: {RULES}"):
            rules = rules_of_text(value)
    if rules is None:
        raise RecordError(
            f"line {_first_line(game)}: the rules are missing; write a header such as "
            f"'{RULES}: birds:2' before the game's turns"
        )
    begin = None
    if START in headers:
        line, value = headers[START]
        try:
            begin = rules.position(value)
        except InputError as error:
            raise RecordError(f"line {line}: {START}: {error}") from None
    replay = Replay(rules, begin)
    for line, turn in game.turns:
        _turn(replay, line, turn)
    metadata = {name: value for name, (_, value) in headers.items() if name not in _OWN_HEADERS}
    return _finished(replay, game, metadata, file, number)


def _first_line(game: _GameText) -> int:
    lines = [each[0] for each in game.headers] + [each[0] for each in game.turns]
    lines += [game.end[0]] if game.end else []
    return lines[0] if lines else 1


def _headers(game: _GameText) -> dict[str, tuple[int, str]]:
    """By name, the line number and the value of each header."""
    headers: dict[str, tuple[int, str]] = {}
    for line, name, text in game.headers:
        with Placed(f"line {line}"):
            if name in headers:
                raise RecordError(f"the header {name!r} is on line {headers[name][0]} already")
            if len(headers) >= _MAX_HEADERS:
                raise RecordError(f"more than {_MAX_HEADERS} headers")
            headers[name] = line, _value(text)
    return headers


def _value(text: str) -> str:
    if not text.startswith('"'):
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{text[:60]!r} is not a JSON string: {error}") from None
    if not isinstance(value, str):
        raise RecordError(f"{text[:60]!r} is not a JSON string")
    return value


def _turn(replay: Replay, line: int, text: str) -> None:
    tokens = [(match.start() + 1, match.group()) for match in _TOKEN.finditer(text)]
    with Placed(f"line {line}, column {tokens[0][0]}"):
        side = tokens[0][1]
        if side not in SIDE_NAMES:
            raise RecordError(
                f"{side[:40]!r} begins neither a turn such as 'L 3 A@A2' nor a header nor an end; "
                f"expected {replay.side!r}, the side to throw"
            )
        replay.expect_side(side)
    rest = tokens[1:]
    choices = replay.choices()
    chosen = -1
    if choices:
        names = [choice.name for choice in choices]
        with _placed_at(line, rest, text):
            word = rest[0][1] if rest else ""
            if word not in names:
                raise RecordError(
                    f"{word[:40]!r} cannot be said before the throw here; expected "
                    f"{' or '.join(map(repr, names))}"
                )
        chosen = names.index(word)
        rest = rest[1:]
    choice = choices[chosen].name if choices else FREE_THROW
    throws = []
    at_throw = rest
    while rest and rest[0][1].isascii() and rest[0][1].isdigit() and len(rest[0][1]) < 3:
        throws.append(int(rest[0][1]))
        rest = rest[1:]
    with _placed_at(line, at_throw, text):
        if not throws:
            raise RecordError(f"{_first(at_throw)!r} is not a throw, which is a number such as 3")
        steps = replay.checked(tuple(throws), choice)
    with _placed_at(line, rest, text):
        move = " ".join(token for _, token in rest)
        played = -1
        if move != NO_MOVE:
            legal = [replay.stepper.text(side, step) for step in steps]
            if move not in legal:
                raise RecordError(replay.illegal(tuple(throws), move, choice))
            played = legal.index(move)
    replay.take(tuple(throws), steps, played, 0, f"line {line}", choices, chosen)


def _first(tokens: _Tokens) -> str:
    return tokens[0][1][:40] if tokens else ""


def _placed_at(line: int, tokens: _Tokens, text: str) -> Placed:
    """The context that puts the place of the first token, or of the line's end, before an error."""
    column = tokens[0][0] if tokens else len(text) + 1
    return Placed(f"line {line}, column {column}")


def _finished(
    replay: Replay, game: _GameText, metadata: dict[str, str], file: str, number: int
) -> GameRecord:
    if game.end is None:
        last = game.turns[-1] if game.turns else game.headers[-1] if game.headers else (1, "")
        with Placed(f"line {last[0]}"):
            if replay.winner is None:
                raise RecordError(
                    f"the game breaks off: expected a turn of {SIDE_NAMES[replay.side]} or an "
                    f"end such as '{END}: {Ending.UNFINISHED}'"
                )
            return replay.finish(metadata=metadata, file=file, number=number)
    line, text = game.end
    with Placed(f"line {line}"):
        match = _END.fullmatch(text)
        if match is None:
            raise RecordError(
                f"{END}: {text[:60]!r} is not an end such as 'won, winner L', 'resigned by D, "
                f"winner L' or '{Ending.UNFINISHED}'; known: {', '.join(Ending)}"
            )
        ending, quitter, winner, reason = Ending(match[1]), match[2], match[3], match[4]
        if replay.winner and ending is not Ending.WON:
            raise RecordError(
                f"{END}: {ending}, but {SIDE_NAMES[replay.winner]} bore off all pieces"
            )
        if ending is Ending.RESIGNED and quitter is None:
            raise RecordError(f"{END}: the side that resigned is missing, as in 'resigned by D'")
        if quitter is not None and quitter == winner:
            raise RecordError(f"{END}: {SIDE_NAMES[quitter]} {ending} the game and won it")
        return replay.finish(
            ending,
            winner,
            loser_by_choice=quitter,
            reason=None if reason is None else _value(reason),
            metadata=metadata,
            file=file,
            number=number,
        )


def write_plain(record: GameRecord) -> str:
    """A record in the plain notation, ending without a newline.

    Raises
    ------
    RecordError
        If a name in the metadata cannot be the name of a header.
    """
    headers = {RULES: rules_text(record.rules)}
    if record.start != record.rules.start():
        headers[START] = record.start.notation
    for name, value in record.metadata.items():
        if not re.fullmatch(_NAME, name):
            raise RecordError(
                f"metadata {name[:60]!r} cannot be a header, whose name has letters and digits only"
            )
        if name not in _OWN_HEADERS:
            headers[name] = _written_value(value)
    lines = [f"{name}: {value}" for name, value in headers.items()]
    lines.append("")
    lines += [_written_turn(record, ply) for ply in record.plies]
    lines.append(_written_end(record))
    return "\n".join(lines)


def _written_value(value: str) -> str:
    is_plain_text = value.isprintable() and value == value.strip() and value[:1] not in ("", '"')
    return value if is_plain_text else json.dumps(value)


def _written_turn(record: GameRecord, ply: Ply) -> str:
    parts = [ply.side, ply.choice, ply.throw_text, record.move_text(ply) or NO_MOVE]
    return " ".join(part for part in parts if part)


def _written_end(record: GameRecord) -> str:
    text = f"{END}: {record.ending}"
    if record.loser_by_choice:
        text += f" by {record.loser_by_choice}"
    if record.winner:
        text += f", winner {record.winner}"
    if record.reason is not None:
        text += f", reason {_written_value(record.reason)}"
    return text
