"""The notations of recorded games, by name; `register_notation` adds another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ur_solver.errors import RecordError, RuleSetError
from ur_solver.records.plain import is_plain, read_plain, write_plain
from ur_solver.records.record import GameRecord
from ur_solver.records.rgn import read_rgn, rgn_fault, write_rgn
from ur_solver.records.royalur_writer import write_json_game
from ur_solver.records.settings import settings_of
from ur_solver.rules import RuleSet
from ur_solver.rules.plugins import load_plugins

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

    Raises
    ------
    RecordError
        If no notation has it.
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


def reader_of(text: str) -> Reader:
    """What reads a text that is not JSON."""
    found = _found(lambda each: each.read is not None and each.is_used(text))
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
