"""The games of a command, and what judges them: one table for all, or one for each rule set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

import click

from ur_solver.answers.locate import is_table_word
from ur_solver.api.evaluator import Evaluator
from ur_solver.api.games import Games, read_games
from ur_solver.audit import NOT_REACHED, GameAudit, first_covered
from ur_solver.cli.answering import answering_of, open_answering
from ur_solver.common.files import Closing
from ur_solver.errors import InputError, MissingTableError
from ur_solver.estimators.file import is_estimator_file
from ur_solver.records import GameRecord, RecordFault, find_files
from ur_solver.rules import RuleSet

_F = TypeVar("_F", bound=Callable[..., Any])

games_argument = click.argument("words", nargs=-1, required=True, metavar="[TABLE] FILE...")


def thumb_option(help_text: str, default: tuple[str, ...] = ()) -> Callable[[_F], _F]:
    """The option ``--thumb`` of rules of thumb."""
    return click.option(
        "--thumb",
        "thumbs",
        multiple=True,
        default=default,
        show_default=bool(default),
        metavar="NAME",
        help=f"{help_text} May be repeated.",
    )


def table_and_files(
    words: Sequence[str], purpose: str | None = None
) -> tuple[str | None, list[str]]:
    """The TABLE among arguments, if the first is one, and the files; folders are expanded.

    Raises
    ------
    UsageError, InputError
        If there is no file of games to `purpose`, unless that is None.
    """
    has_table = is_table_word(words[0]) or is_estimator_file(words[0])
    if purpose is not None and has_table and len(words) == 1:
        if Path(words[0]).suffix and not Path(words[0]).exists():
            raise InputError(f"file {words[0]!r:.200} does not exist")
        raise click.UsageError(f"Missing argument 'FILE...': the games to {purpose}.")
    return words[0] if has_table else None, list(find_files(words[has_table:]))


class Judges(Closing):
    """The tables or estimators that judge the games: one for all, or one for each rule set.

    Parameters
    ----------
    word : str or None
        The table for all games.
    plies : int
        How far estimators look ahead.

    Attributes
    ----------
    only : Table, Estimator or None
        What judges all games.
    paths : list of Path
        The paths of the opened tables.
    """

    def __init__(self, word: str | None, plies: int) -> None:
        self._stack = ExitStack()
        self._plies = plies
        self.paths: list[Path] = []
        self.only = None if word is None else self._opened(open_answering(word, plies=plies))
        self._tables: dict[RuleSet, Evaluator | MissingTableError] = {}
        self._games: Games | None = None
        self._unjudged: list[RecordFault] = []

    def close(self) -> None:
        """Close the tables."""
        self._stack.close()

    @property
    def faults(self) -> list[RecordFault]:
        """The games that could not be read, and those that nothing judges."""
        return [*([] if self._games is None else self._games.faults), *self._unjudged]

    def _opened(self, found: Evaluator) -> Evaluator:
        if found.path is not None:
            self.paths.append(found.path)
        self._stack.enter_context(found)
        return found

    def of(self, rules: RuleSet) -> Evaluator:
        """What judges games of a rule set; MissingTableError if there is nothing."""
        if self.only is not None:
            return self.only
        if rules not in self._tables:
            try:
                self._tables[rules] = self._opened(answering_of(rules, self._plies))
            except MissingTableError as error:
                self._tables[rules] = error
        found = self._tables[rules]
        if isinstance(found, MissingTableError):
            raise found
        return found

    def audits(self, files: Sequence[str]) -> Iterator[GameAudit]:
        """Judge the games of files in order; consecutive ones of a rule set are judged together."""
        self._games = read_games(files, None if self.only is None else self.only.rules)
        for rules, of_rules in groupby(self._games, key=lambda game: game.rules):
            try:
                table = self.of(rules)
            except MissingTableError as error:
                self._unjudged += [
                    RecordFault(game.file, game.number, str(error)) for game in of_rules
                ]
            else:
                yield from table.audits(self._covered(of_rules, table))  # noqa: B031

    def _covered(self, games: Iterable[GameRecord], table: Evaluator) -> Iterator[GameRecord]:
        """The games that can be judged, at least from some throw on."""
        for game in games:
            if table.are_exact and first_covered(game, table) is None:
                self._unjudged.append(
                    RecordFault(game.file, game.number, f"{NOT_REACHED}, {table.file.part.scope}")
                )
            else:
                yield game
