"""What judges the games of a command: one table for all, or one for each rule set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path

from ur_solver.answers.locate import is_table_word
from ur_solver.api.evaluator import Evaluator
from ur_solver.api.table import Table
from ur_solver.audit import NOT_REACHED, GameAudit, first_covered
from ur_solver.cli.answering import answering_of, open_answering
from ur_solver.errors import MissingTableError
from ur_solver.estimators.file import is_estimator_file
from ur_solver.records import GameRecord, RecordFault
from ur_solver.rules import RuleSet


def is_judge(word: str) -> bool:
    """Whether a word names what judges games, not a file of games."""
    return is_table_word(word) or is_estimator_file(word)


class Judges:
    """The tables or estimators that judge the games: one for all, or one for each rule set.

    Parameters
    ----------
    stack : ExitStack
        Closes them.
    word : str or None
        The table for all games.
    plies : int
        How far estimators look ahead.

    Attributes
    ----------
    rules : RuleSet or None
        The rules of the one table.
    paths : list of Path
        The paths of the opened tables.
    faults : list of RecordFault
        The games whose rule set has no table, or that never reach the table's part.
    """

    def __init__(self, stack: ExitStack, word: str | None, plies: int) -> None:
        self._stack = stack
        self._plies = plies
        self.paths: list[Path] = []
        self._only = None if word is None else self._opened(open_answering(word, plies=plies))
        self._tables: dict[RuleSet, Evaluator | MissingTableError] = {}
        self.rules = None if self._only is None else self._only.rules
        self.faults: list[RecordFault] = []

    def _opened(self, found: Evaluator) -> Evaluator:
        if found.path is not None:
            self.paths.append(found.path)
        self._stack.enter_context(found)
        return found

    def of(self, rules: RuleSet) -> Evaluator:
        """What judges games of a rule set; MissingTableError if there is nothing."""
        if self._only is not None:
            return self._only
        if rules not in self._tables:
            try:
                self._tables[rules] = self._opened(answering_of(rules, self._plies))
            except MissingTableError as error:
                self._tables[rules] = error
        found = self._tables[rules]
        if isinstance(found, MissingTableError):
            raise found
        return found

    def audits(self, games: Iterable[GameRecord]) -> Iterator[GameAudit]:
        """Judge games in order; consecutive games of one rule set are judged together."""
        for rules, of_rules in groupby(games, key=lambda game: game.rules):
            try:
                table = self.of(rules)
            except MissingTableError as error:
                self.faults += [
                    RecordFault(game.file, game.number, str(error)) for game in of_rules
                ]
            else:
                yield from table.audits(self._covered(of_rules, table))  # noqa: B031

    def _covered(self, games: Iterable[GameRecord], table: Evaluator) -> Iterator[GameRecord]:
        """The games that can be judged, at least from some throw on."""
        for game in games:
            if isinstance(table, Table) and first_covered(game, table) is None:
                self.faults.append(
                    RecordFault(game.file, game.number, f"{NOT_REACHED}, {table.file.part.scope}")
                )
            else:
                yield game
