"""Notations of recorded games by name, and files that hold one game or many in any of them.

`register_notation` adds another notation.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from ur_solver.common.files import new_file, standard_input
from ur_solver.common.text import encoded, json_value_at
from ur_solver.errors import RecordError, RuleSetError
from ur_solver.records.plain import is_plain, read_plain, write_plain
from ur_solver.records.record import GameRecord, RecordFault
from ur_solver.records.rgn import RULES_TAG, read_rgn, rgn_fault, write_rgn
from ur_solver.records.royalur_json import read_json_game, write_json_game
from ur_solver.records.settings import rules_word, settings_of
from ur_solver.records.source import AHEAD, Source, blocks_of_file, blocks_of_text
from ur_solver.rules import RuleSet
from ur_solver.rules.registry import load_plugins

MAX_BROKEN = 100
"""The number of faults after which the rest of a text is not read. Python counts the lines
before each of them from the start of the block."""

_TAKEN_AT_ONCE = 1 << 14
_BETWEEN = re.compile(r"[\s\ufeff,\]]*")
_BEGIN = re.compile(r'[\s\ufeff,\]]*(?:\{\s*(?:["{}]|\Z)|\[\s*[{\]])')
_ARRAY = re.compile(r"\[\s*(?=[{\]])")
_NEXT = re.compile(r'^[{\[]|\{\s*"notation_version"', re.MULTILINE)


def begins_json(text: str, position: int = 0) -> bool:
    """Whether JSON begins here: RGN too may begin with a bracket or a brace."""
    return _BEGIN.match(text, position) is not None


def json_values_of(source: Source, *, is_first: bool) -> Iterator[tuple[object | RecordError, str]]:
    """Take the values from where a source is, as far as JSON goes, those in arrays one by one.

    Each comes with its place, for messages; text that is not JSON gives an error instead. Nothing
    is before those that are `is_first`, and one that is alone needs no line.
    """
    at, n_broken = 0, 0
    index: int | None = None  # of the next value in an array
    array = ""  # the place of the array
    while True:
        if at > _TAKEN_AT_ONCE or len(source.text) - at < AHEAD:
            source.take(at)
            at = 0
            if len(source.text) < AHEAD:
                source.more()
        text = source.text
        start = _skip(text, at)
        if start == len(text) and source.more():
            continue
        if "]" in text[at:start]:
            index = None
        line = source.line + text.count("\n", 0, start)
        if index is None:
            if not begins_json(text, start):
                source.take(start)
                return
            if found := _ARRAY.match(text, start):
                index, at, array = 0, found.end(), "" if is_first else f"line {line}: "
                continue
        try:
            value, end = json_value_at(text, start)
        except RecursionError:
            yield RecordError(f"line {line}: brackets nested too deeply for a game"), ""
            source.stop()
            return
        except ValueError as error:
            fault, is_cut = _not_json(text, error, source.line, line), _is_cut(text, error)
            source.take(start)
            at = 0
            if is_cut and source.more():
                continue
            n_broken += 1
            yield fault, ""
            if n_broken >= MAX_BROKEN:
                yield RecordError(f"more than {MAX_BROKEN} places are not JSON"), ""
                source.stop()
                return
            source.find(_NEXT, 1)
            index, is_first = None, False
            continue
        if index is not None:
            yield value, f"{array}[{index}]."
            index += 1
        else:
            while is_first and _skip(source.text, end) == len(source.text) and source.more():
                pass
            is_only = is_first and _skip(source.text, end) == len(source.text)
            yield value, "" if is_only else f"line {line}: "
        at, is_first = end, False


def _skip(text: str, position: int) -> int:
    found = _BETWEEN.match(text, position)
    assert found is not None
    return found.end()


def _is_cut(text: str, error: ValueError) -> bool:
    """Whether JSON breaks off where the text ends."""
    return isinstance(error, json.JSONDecodeError) and error.pos >= len(text.rstrip()) - 1


def _not_json(text: str, error: ValueError, first_line: int, line: int) -> RecordError:
    """The fault of a value on a line, in a text that begins on another."""
    if not isinstance(error, json.JSONDecodeError):
        # a number with more digits than Python converts, for example
        return RecordError(f"line {line}: not JSON: {error}")
    return RecordError(
        f"line {first_line + error.lineno - 1}, column {error.colno}: not JSON: "
        f"{error.msg.lower()}{' (the text breaks off)' if _is_cut(text, error) else ''}"
    )


Reader = Callable[[Any, RuleSet | None, str, int], Iterator[GameRecord | RecordError]]
"""Yields the games of a text, or of its parts, given the rule set of games that do not name theirs,
the file's name and the number of the text's first line there; an error in place of a game that is
not valid."""


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
        Whether a text, of which it gets the beginning at least, is in this notation. A text that no
        notation recognises is read as RGN.
    read : Reader or None
        None for JSON, which is recognised by its brackets wherever it begins in a file.
    reads_parts : bool
        Whether `read` takes the parts of a text, which end where lines end, in place of the text:
        then files may be larger than memory.
    between : str
        What stands between the lines of two games in a file.
    """

    name: str
    suffixes: tuple[str, ...]
    write: Callable[[GameRecord], str]
    fault: Callable[[RuleSet], str | None] = lambda rules: None
    is_used: Callable[[str], bool] = lambda text: False
    read: Reader | None = None
    reads_parts: bool = False
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
        is_neither = (
            f"{word!r:.40} is neither a notation of games nor a suffix of their files"
            if word
            else "a file's name without a suffix names no notation of games"
        )
        raise RecordError(f"{is_neither}; there are {known}")
    return notation


_RULES_TAG = re.compile(rf"^\[{RULES_TAG}\s", re.MULTILINE)


def notation_used(text: str) -> Notation:
    """The notation of a text that is not JSON.

    For one with RGN's tag of the rules no plugins are looked for, which takes longer than an audit
    of some games.
    """

    def fits(notation: Notation) -> bool:
        return notation.read is not None and notation.is_used(text)

    is_tagged = _RULES_TAG.search(text) is not None
    found = next(filter(fits, NOTATIONS.values()), None) if is_tagged else _found(fits)
    return found or NOTATIONS["rgn"]


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


register_notation(
    Notation("ur", (".ur",), write_plain, is_used=is_plain, read=read_plain, reads_parts=True)
)
register_notation(
    Notation(
        "rgn",
        (".rgn",),
        lambda game: write_rgn(game, with_rules=True),
        rgn_fault,
        read=read_rgn,
        reads_parts=True,
    )
)
register_notation(Notation("json", (".json", ".jsonl"), write_json_game, _json_fault, between=""))


MAX_FAULTS = 10_000
"""The number of faults after which the rest of a file is not read."""

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


def ignored(_warning: RecordFault) -> None:
    """Ignore a warning."""


def read_file(
    path: str, rules: RuleSet | None = None, warn: Callable[[RecordFault], object] = ignored
) -> Iterator[GameRecord | RecordFault]:
    """The games of a file, with a fault in place of each game that could not be read.

    The content determines the notation, not the file's name, which is ``-`` for standard input. A
    file may hold one game or several, in JSON one after the other or in arrays, and so files of
    games may be joined. It is read as games are asked for, and may be larger than memory. A text
    without a game is a fault. `rules` are those of games that do not name theirs, as in RGN; a game
    that names others gives a fault. `warn` gets warnings about text that was read otherwise.
    """
    try:
        with nullcontext(standard_input()) if path == "-" else Path(path).open("rb") as file:
            blocks = blocks_of_file(file, lambda text: warn(RecordFault(path, 1, text)))
            yield from _read(Source(blocks), rules, path)
    except OSError as error:
        yield RecordFault(path, 1, f"{error.strerror}")
    except ValueError as error:  # a null character in the name
        yield RecordFault(path, 1, f"{error}")


def text_of_file(path: str) -> str:
    """The whole text of a file of games; RecordError if it cannot be read."""
    try:
        with Path(path).open("rb") as file:
            return "".join(blocks_of_file(file, lambda _warning: None))
    except OSError as error:
        raise RecordError(f"{error.strerror}") from None


def read_text(
    text: str, rules: RuleSet | None = None, name: str = "-"
) -> Iterator[GameRecord | RecordFault]:
    """The games of a text, as `read_file` gives those of a file called `name`."""
    yield from _read(Source(blocks_of_text(text)), rules, name)


def _read(source: Source, rules: RuleSet | None, name: str) -> Iterator[GameRecord | RecordFault]:
    number = n_faults = 0
    for number, game in enumerate(_games(source, rules, name), start=1):
        if isinstance(game, RecordError):
            n_faults += 1
            if n_faults > MAX_FAULTS:
                yield RecordFault(name, number, f"more than {MAX_FAULTS:,} faults")
                return
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

    A file is not replaced by nothing: without a game none is written.

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
    texts = written_games(records, notation_of(path.suffix))
    first = next(texts, None)
    if first is None:
        return 0
    with new_file(path) as file:
        for n_games, text in enumerate(chain([first], texts), start=1):  # noqa: B007
            file.write(encoded(text))
    return n_games


def written_games(records: Iterable[GameRecord], notation: Notation) -> Iterator[str]:
    """The text of each game of a file in a notation, with what stands before it.

    RuleSetError if the notation cannot express a rule set.
    """
    for number, record in enumerate(records):
        between = notation.between if number > 0 else ""
        yield f"{between}{notation.write(record)}\n"


def _games(source: Source, rules: RuleSet | None, path: str) -> Iterator[GameRecord | RecordError]:
    """The games of a text, whose parts may be in different notations; errors in their places."""
    number = 0
    try:
        while source.begin():
            if begins_json(source.text):
                games: Iterator[GameRecord | RecordError] = (
                    value if isinstance(value, RecordError) else _game(value, path, place)
                    for value, place in json_values_of(source, is_first=number == 0)
                )
            else:
                games = _games_of_part(source, rules, path)
            for game in games:
                number += 1
                source.taken = 0
                if isinstance(game, GameRecord) and game.number != number:
                    game = replace(game, number=number)  # noqa: PLW2901
                yield game
    except RecordError as error:
        yield error


def _games_of_part(
    source: Source, rules: RuleSet | None, path: str
) -> Iterator[GameRecord | RecordError]:
    """The games before the next one in JSON."""
    notation, line = notation_used(source.text), source.line
    assert notation.read is not None
    parts = source.until(_JSON_GAME)
    yield from notation.read(parts if notation.reads_parts else "".join(parts), rules, path, line)


def _game(values: object, path: str, place: str) -> GameRecord | RecordError:
    try:
        return read_json_game(values, path)
    except RecordError as error:
        return RecordError(f"{place}{error}")
