"""Notations of recorded games by name, and files that hold one game or many in any of them.

`register_notation` adds another notation.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ur_solver.common.files import new_file
from ur_solver.common.text import decoded, encoded, json_value_at, normal
from ur_solver.errors import InputError, RecordError, RuleSetError
from ur_solver.records.plain import is_plain, read_plain, write_plain
from ur_solver.records.record import GameRecord, RecordFault
from ur_solver.records.rgn import RULES_TAG, read_rgn, rgn_fault, write_rgn
from ur_solver.records.royalur_json import read_json_game, write_json_game
from ur_solver.records.settings import rules_word, settings_of
from ur_solver.rules import RuleSet
from ur_solver.rules.registry import load_plugins

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

    Each comes with its place, for messages; text that is not JSON gives an error instead. Once all
    values have been taken, `end` is where JSON ends.
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


Reader = Callable[[str, RuleSet | None, str, int], Iterator[GameRecord | RecordError]]
"""Yields the games of a text, given the rule set of games that do not name theirs, the file's name
and the number of the text's first line there; an error in place of a game that is not valid."""


@dataclass(frozen=True)
class Notation:
    """A way to write games down.

    Attributes
    ----------
    name : str
        Its name in the HTTP interface and for ``ur convert --to``, in lower case.
    suffixes : tuple of str
        The suffixes of its files, the usual one first.
    write : callable
        A game's text, without a newline at its end.
    fault : callable
        Why the games of a rule set cannot be written, as a sentence; None if they can.
    is_used : callable
        Whether a text is in this notation. A text that no notation recognises is read as RGN.
    read : Reader or None
        None for JSON, which is recognised by its brackets wherever it begins in a file.
    between : str
        What stands between the lines of two games in a file.
    """

    name: str
    suffixes: tuple[str, ...]
    write: Callable[[GameRecord], str]
    fault: Callable[[RuleSet], str | None] = lambda rules: None
    is_used: Callable[[str], bool] = lambda text: False
    read: Reader | None = None
    between: str = "\n"


NOTATIONS: dict[str, Notation] = {}
"""All notations, by name."""


def register_notation(notation: Notation) -> Notation:
    """Make a notation known to everything that reads and writes games.

    Raises
    ------
    RecordError
        If its name or a suffix of its files is another's.
    """
    for other in NOTATIONS.values():
        taken = {other.name, *other.suffixes} & {notation.name, *notation.suffixes}
        if taken:
            raise RecordError(
                f"notation {notation.name!r}: {min(taken)!r} belongs to {other.name!r}"
            )
    NOTATIONS[notation.name] = notation
    return notation


def suffixes() -> tuple[str, ...]:
    """The suffixes of files of games."""
    load_plugins()
    return tuple(suffix for each in NOTATIONS.values() for suffix in each.suffixes)


def notation_of(word: str) -> Notation:
    """The notation of a name, or of files with a suffix, such as ``rgn`` or ``.rgn``, in any case.

    RecordError if no notation has it.
    """
    words = {word.lower(), f".{word.lower()}"}
    notation = _found(lambda each: not words.isdisjoint((each.name, *each.suffixes)))
    if notation is None:
        known = ", ".join(
            f"{each.name} ({', '.join(each.suffixes)})" for each in NOTATIONS.values()
        )
        raise RecordError(
            f"{word!r:.40} is neither a notation of games nor a suffix of their files; there are "
            f"{known}"
        )
    return notation


_RULES_TAG = re.compile(rf"^\[{RULES_TAG} ", re.MULTILINE)


def reader_of(text: str) -> Reader:
    """What reads a text that is not JSON.

    For one with RGN's tag of the rules no plugins are looked for, which takes longer than an audit
    of some games.
    """

    def fits(notation: Notation) -> bool:
        return notation.read is not None and notation.is_used(text)

    is_tagged = _RULES_TAG.search(text) is not None
    found = next(filter(fits, NOTATIONS.values()), None) if is_tagged else _found(fits)
    return found.read if found and found.read else read_rgn


def _found(fits: Callable[[Notation], bool]) -> Notation | None:
    """The first notation that fits; plugins are loaded if none of those known does."""
    found = next(filter(fits, NOTATIONS.values()), None)
    if found is None:
        load_plugins()
        found = next(filter(fits, NOTATIONS.values()), None)
    return found


def _json_fault(rules: RuleSet) -> str | None:
    try:
        settings_of(rules)
    except RuleSetError as error:
        return str(error)
    return None


register_notation(Notation("ur", (".ur",), write_plain, is_used=is_plain, read=read_plain))
register_notation(
    Notation("rgn", (".rgn",), lambda game: write_rgn(game, with_rules=True), rgn_fault)
)
register_notation(Notation("json", (".json", ".jsonl"), write_json_game, _json_fault, between=""))


MAX_BYTES = 32 << 20
"""A larger file of games is not read. About 2,000 games in RoyalUr's JSON fit into this size, and
no JSON of this size takes as much as a gigabyte of memory."""

MAX_GAMES = 100_000
"""More games than fit into a file of `MAX_BYTES`. Only entries that are not games, such as a '{' on
each line, can be more."""

_JSON_GAME = re.compile(r'\{\s*"notation_version"')
"""What a game in RoyalUr's JSON begins with, also after a game in another notation."""


def find_files(paths: Iterable[str]) -> Iterator[str]:
    """The files to read: each path itself, or for a folder all games in it and below, sorted.

    Hidden files and folders, and files that are not regular, are left out. Links to folders are not
    followed. RecordError if there are no games in a folder.
    """
    for path in paths:
        if path == "-" or not os.path.isdir(path):
            yield path
            continue
        found = sorted(_games_below(path))
        if not found:
            raise RecordError(f"folder {path!r}: no games in it, no {', '.join(suffixes())} files")
        yield from found


def _games_below(path: str) -> Iterator[str]:
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            file = os.path.join(folder, name)
            if name.lower().endswith(suffixes()) and name[0] != "." and os.path.isfile(file):
                yield file


def read_file(path: str, rules: RuleSet | None = None) -> Iterator[GameRecord | RecordFault]:
    """The games of a file, with a fault in place of each game that could not be read.

    The content determines the notation, not the file's name, which is ``-`` for standard input. A
    file may hold one game or several, in JSON one after the other or in arrays, and so files of
    games may be joined. A text without a game is a fault. `rules` are those of games that do not
    name theirs, as in RGN; a game that names others gives a fault.
    """
    try:
        text = text_of_file(path)
    except InputError as error:
        yield RecordFault(path, 1, str(error))
        return
    yield from read_text(text, rules, path)


def read_text(
    text: str, rules: RuleSet | None = None, name: str = "-"
) -> Iterator[GameRecord | RecordFault]:
    """The games of a text, as `read_file` gives those of a file called `name`."""
    number = 0
    for number, game in enumerate(_games(normal(text), rules, name), start=1):
        if number > MAX_GAMES:
            yield RecordFault(name, number, f"more than {MAX_GAMES:,} games; split the file")
            return
        if isinstance(game, RecordError):
            yield RecordFault(name, number, str(game))
        elif rules is not None and not game.rules.is_same_game(rules):
            yield RecordFault(
                name,
                number,
                f"the game was played by {rules_word(game.rules)}, not {rules_word(rules)}",
            )
        else:
            yield game
    if number == 0:
        yield RecordFault(name, 1, "no game in it")


def check_output(path: Path, rules: RuleSet) -> None:
    """Check that games of `rules` can be written to `path`, before any game is played.

    RuleSetError if the notation that belongs to the suffix cannot express the rule set, RecordError
    if no notation has the suffix.
    """
    if fault := notation_of(path.suffix).fault(rules):
        raise RuleSetError(fault)


def write_games(records: Iterable[GameRecord], path: Path) -> int:
    """Write games in the notation that belongs to the suffix of `path`, and return their number.

    It is JSON with one game a line (``.json``, ``.jsonl``), RGN (``.rgn``), the plain notation
    (``.ur``) or a registered one (`ur_solver.records.notations`).

    Raises
    ------
    RuleSetError
        If the notation cannot express a rule set.
    RecordError
        If no notation has the suffix.
    OutputError
        If the file cannot be written.
    """
    notation = notation_of(path.suffix)
    n_games = 0
    with new_file(path) as file:
        for text in written_games(records, notation):
            file.write(encoded(text))
            n_games += 1
    return n_games


def written_games(records: Iterable[GameRecord], notation: Notation) -> Iterator[str]:
    """The text of each game of a file in a notation, with what stands before it.

    RuleSetError if the notation cannot express a rule set.
    """
    for number, record in enumerate(records):
        between = notation.between if number > 0 else ""
        yield f"{between}{notation.write(record)}\n"


def text_of_file(path: str) -> str:
    """The text of a file of games, ``-`` for standard input; RecordError if it cannot be read."""
    try:
        if path == "-":
            content = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with Path(path).open("rb") as file:
                content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise RecordError(f"{error.strerror}") from None
    except ValueError as error:  # a null character in the name
        raise RecordError(f"{error}") from None
    if len(content) > MAX_BYTES:
        raise RecordError(f"larger than {MAX_BYTES >> 20} MiB; split it into several files")
    return decoded(content)


def _games(text: str, rules: RuleSet | None, path: str) -> Iterator[GameRecord | RecordError]:
    """The games of a text, whose parts may be in different notations; errors in their places."""
    position, line, number = 0, 1, 0
    while position < len(text):
        if begins_json(text, position):
            values = JsonValues(text, position)
            for value, place in values:
                number += 1
                yield value if isinstance(value, RecordError) else _game(value, path, number, place)
            end = values.end
        else:
            found = _JSON_GAME.search(text, position)
            end = found.start() if found else len(text)
            part = text[position:end]
            for game in reader_of(part)(part, rules, path, line):
                number += 1
                if isinstance(game, GameRecord) and game.number != number:
                    game = replace(game, number=number)  # noqa: PLW2901
                yield game
        line += text.count("\n", position, end)
        position = end


def _game(values: object, path: str, index: int, place: str) -> GameRecord | RecordError:
    try:
        return read_json_game(values, path, index)
    except RecordError as error:
        return RecordError(f"{place}{error}")
