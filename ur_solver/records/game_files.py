"""Reading and writing files that hold one game or many, in any notation."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from ur_solver.common.files import new_file
from ur_solver.common.text import decoded, encoded, normal
from ur_solver.errors import InputError, RecordError, RuleSetError
from ur_solver.records.json_values import JsonValues, begins_json
from ur_solver.records.notations import Notation, notation_of, reader_of, suffixes
from ur_solver.records.record import GameRecord, RecordFault
from ur_solver.records.royalur_json import read_json_game
from ur_solver.records.settings import rules_word
from ur_solver.rules import RuleSet

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

    Hidden files and folders, and files that are not regular, are left out. Links to folders are
    not followed.

    Raises
    ------
    RecordError
        If there are no games in a folder.
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

    The content determines the notation, not the file's name. A file may hold one game or
    several, in JSON one after the other or in arrays, and so files of games may be joined. A text
    without a game is a fault.

    Parameters
    ----------
    path : str
        ``-`` for standard input.
    rules : RuleSet, optional
        The rule set of games that do not name theirs, as in RGN. A game that names other rules
        gives a fault.
    """
    try:
        text = _read_text(path)
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

    Raises
    ------
    RuleSetError
        If the notation that belongs to the suffix cannot express the rule set.
    RecordError
        If no notation has the suffix.
    """
    if fault := notation_of(path.suffix).fault(rules):
        raise RuleSetError(fault)


def write_text(record: GameRecord, suffix: str) -> str:
    """A game in the notation of files with a suffix, ending without a newline.

    Raises
    ------
    RuleSetError
        If the notation cannot express the rule set.
    RecordError
        If no notation has the suffix.
    """
    return notation_of(suffix).write(record)


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

    Raises
    ------
    RuleSetError
        If the notation cannot express a rule set.
    """
    for number, record in enumerate(records):
        between = notation.between if number > 0 else ""
        yield f"{between}{notation.write(record)}\n"


def _read_text(path: str) -> str:
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
