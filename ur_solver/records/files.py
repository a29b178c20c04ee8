"""Reading and writing files that hold one game or many, in any notation."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from ur_solver.errors import InputError, RecordError, RuleSetError
from ur_solver.files import new_file
from ur_solver.records.plain import is_plain, read_plain, write_plain
from ur_solver.records.record import GameRecord, RecordFault
from ur_solver.records.rgn import read_rgn, rgn_fault, write_rgn
from ur_solver.records.royalur_json import read_json_game, write_json_game
from ur_solver.records.settings import rules_word, settings_of
from ur_solver.rules import RuleSet
from ur_solver.text import decoded, encoded, json_values, normal

MAX_BYTES = 32 << 20
"""A larger file of games is not read. About 2,000 games in RoyalUr's JSON fit into this size, and
no JSON of this size takes as much as a gigabyte of memory."""

MAX_GAMES = 100_000
"""More games than fit into a file of `MAX_BYTES`. Only entries that are not games, such as a '{' on
each line, can be more."""

SUFFIXES = (".json", ".jsonl", ".rgn", ".ur")
"""The suffixes of a folder's files that are read as games."""

_JSON, _RGN = (".json", ".jsonl"), ".rgn"


def find_files(paths: Iterable[str]) -> Iterator[str]:
    """The files to read: each path itself, or for a folder all games in it and below, sorted.

    Raises
    ------
    RecordError
        If there are no games in a folder.
    """
    for path in paths:
        if path == "-" or not os.path.isdir(path):
            yield path
            continue
        found = sorted(
            os.path.join(folder, name)
            for folder, _, names in os.walk(path)
            for name in names
            if name.lower().endswith(SUFFIXES)
        )
        if not found:
            raise RecordError(f"folder {path!r}: no games in it, no {', '.join(SUFFIXES)} files")
        yield from found


def read_file(path: str, rules: RuleSet | None = None) -> Iterator[GameRecord | RecordFault]:
    """The games of a file, with a fault in place of each game that could not be read.

    The content decides which notation it is, not the file's name. JSON may hold one game, an array
    of games or one game a line; RGN and the plain notation may hold one game or several.

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
    except RecordError as error:
        yield RecordFault(path, 1, str(error))
        return
    yield from read_text(text, rules, path)


def read_text(
    text: str, rules: RuleSet | None = None, name: str = "-"
) -> Iterator[GameRecord | RecordFault]:
    """The games of a text, as `read_file` gives those of a file called `name`."""
    try:
        games = _read_text_games(normal(text), rules, name)
    except RecordError as error:
        yield RecordFault(name, 1, str(error))
        return
    for number, game in enumerate(games, start=1):
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


def check_output(path: Path, rules: RuleSet) -> None:
    """Check that games of `rules` can be written to `path`, before any game is played.

    Raises
    ------
    RuleSetError
        If the notation that belongs to the suffix cannot express the rule set.
    RecordError
        If the suffix is not one of `SUFFIXES`.
    """
    _check_suffix(path)
    if path.suffix in _JSON:
        settings_of(rules)
    elif path.suffix == _RGN and (fault := rgn_fault(rules)):
        raise RuleSetError(fault)


def _check_suffix(path: Path) -> None:
    if path.suffix not in SUFFIXES:
        raise RecordError(f"{str(path)!r}: a file of games ends in one of {', '.join(SUFFIXES)}")


def write_games(records: Iterable[GameRecord], path: Path) -> None:
    """Write games in the notation that belongs to the suffix of `path`.

    It is JSON with one game a line (``.json``, ``.jsonl``), RGN (``.rgn``) or the plain notation
    (``.ur``).

    Raises
    ------
    RuleSetError
        If the notation cannot express a rule set.
    RecordError
        If the suffix is not one of `SUFFIXES`.
    OutputError
        If the file cannot be written.
    """
    _check_suffix(path)
    with new_file(path) as file:
        for number, record in enumerate(records):
            between = "\n" * (number > 0 and path.suffix not in _JSON)
            file.write(encoded(f"{between}{write_text(record, path.suffix)}\n"))


def write_text(record: GameRecord, suffix: str) -> str:
    """A game in the notation that belongs to a file's suffix, ending without a newline.

    Raises
    ------
    RuleSetError
        If the notation cannot express the rule set.
    """
    if suffix in _JSON:
        return write_json_game(record)
    return write_rgn(record, with_rules=True) if suffix == _RGN else write_plain(record)


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
    try:
        return decoded(content)
    except InputError as error:
        raise RecordError(str(error)) from None


def _read_text_games(
    text: str, rules: RuleSet | None, path: str
) -> Iterable[GameRecord | RecordError]:
    if _is_json(text):
        return _read_json(text, path)
    return (read_plain if is_plain(text) else read_rgn)(text, rules, path)


def _is_json(text: str) -> bool:
    # A tag of RGN begins with a bracket too, but a letter follows it.
    head = text[:4096].lstrip()
    return head.startswith("{") or (head.startswith("[") and head[1:].lstrip()[:1] in ("{", "]"))


def _read_json(text: str, path: str) -> Iterator[GameRecord | RecordError]:
    if all(line.startswith("{") for _, line in islice(_lines(text), 2)) and "\n" in text.strip():
        return (
            _json_game(line, path, index, f"line {number}: ")
            for index, (number, line) in enumerate(_lines(text), start=1)
        )
    values = _parse(text)
    if isinstance(values, list):
        return (
            _game(value, path, index, f"[{index - 1}].") for index, value in enumerate(values, 1)
        )
    return iter([_game(values, path, 1, "")])


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, with their numbers; a generator, as there may be millions."""
    lines = enumerate(io.StringIO(text), start=1)
    return ((number, line.rstrip("\n")) for number, line in lines if line.strip())


def _json_game(line: str, path: str, index: int, place: str) -> GameRecord | RecordError:
    try:
        values = _parse(line)
    except RecordError as error:
        return RecordError(f"{place}{error}")
    return _game(values, path, index, place)


def _game(values: object, path: str, index: int, place: str) -> GameRecord | RecordError:
    try:
        return read_json_game(values, path, index)
    except RecordError as error:
        return RecordError(f"{place}{error}")


def _parse(text: str) -> object:
    try:
        return json_values(text)
    except json.JSONDecodeError as error:
        raise RecordError(
            f"line {error.lineno}, column {error.colno}: not JSON: {error.msg.lower()}"
            + (" (the text breaks off)" if error.pos >= len(text.rstrip()) - 1 else "")
        ) from None
    except RecursionError:
        raise RecordError("not a game: brackets nested too deeply") from None
    except ValueError as error:  # a number with more digits than Python converts, for example
        raise RecordError(f"not JSON: {error}") from None
