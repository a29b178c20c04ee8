"""`ur audit`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

import click

from ur_solver.answers.locate import is_table_word
from ur_solver.api.evaluator import Evaluator
from ur_solver.api.games import read_games
from ur_solver.api.table import Table
from ur_solver.audit import (
    NOT_REACHED,
    REFERENCE_GAMES,
    GameAudit,
    Thresholds,
    annotated,
    first_covered,
    game_json,
    html_report,
    references_of,
    write_csv,
)
from ur_solver.cli.answering import answering_of, open_answering, plies_option
from ur_solver.cli.audit_page import audit_page
from ur_solver.cli.options import OUTPUT_FILE, FiniteFloat, json_option
from ur_solver.cli.output import echo, say
from ur_solver.common.files import check_outputs, write_file
from ur_solver.errors import InputError, MissingTableError, RecordError
from ur_solver.estimators.file import is_estimator_file
from ur_solver.records import GameRecord, RecordFault, check_output, find_files, write_games
from ur_solver.rules import RuleSet

_DEFAULTS = Thresholds()
_F = TypeVar("_F", bound=Callable[..., Any])


def _threshold_option(name: str, default: float) -> Callable[[_F], _F]:
    return click.option(
        f"--{name}",
        type=FiniteFloat(0, 1),
        default=default,
        show_default=True,
        help="Mark moves that lose at least this much.",
    )


@click.command(short_help="Judge recorded games.")
@click.argument("words", nargs=-1, required=True, metavar="[TABLE] FILE...")
@json_option
@click.option("--html", type=OUTPUT_FILE, help="Write an HTML report.")
@click.option("--csv", type=OUTPUT_FILE, help="Write a CSV file.")
@click.option(
    "--annotate",
    type=OUTPUT_FILE,
    help="Write the games with chances, best moves and losses as comments, as .rgn, .json or .ur.",
)
@click.option(
    "--worst",
    type=click.IntRange(0, 1000),
    default=3,
    show_default=True,
    help="Show the N worst moments with a board.",
)
@_threshold_option("inaccuracy", _DEFAULTS.inaccuracy)
@_threshold_option("mistake", _DEFAULTS.mistake)
@_threshold_option("blunder", _DEFAULTS.blunder)
@click.option(
    "--reference-games",
    default=REFERENCE_GAMES,
    show_default=True,
    type=click.IntRange(0, 100_000),
    help="Play N games of each reference player for comparison; 0 skips them.",
)
@plies_option()
def command(
    words: tuple[str, ...],
    as_json: bool,
    html: Path | None,
    csv: Path | None,
    annotate: Path | None,
    worst: int,
    inaccuracy: float,
    mistake: float,
    blunder: float,
    reference_games: int,
    plies: int,
) -> None:
    """Judge every choice in the games of FILE... by a table.

    TABLE is a file or a rule set, such as finkel or finkel:3. Without it, each game is judged by
    the table of its own rule set. A FILE holds games in RoyalUr's JSON notation, RGN or the plain
    notation (.ur). A folder stands for all games in it, '-' for standard input. Losses and luck are
    in points (hundredths of the chance to win), or in money where the rules have stakes. Thresholds
    are chances, such as 0.03, or shares of the pot. A TABLE of a part of the game judges each game
    from the first position that it holds. Games that cannot be parsed, or whose rule set has no
    table, are reported and skipped.

    Without a table, an estimator judges ('ur train'): a move counts as a mistake if its loss is
    beyond the error of the comparison. Reference players are not compared.

    \b
    ur audit game.rgn --html report.html
    """
    thresholds = Thresholds(inaccuracy, mistake, blunder)
    has_table = is_table_word(words[0]) or is_estimator_file(words[0])
    if has_table and len(words) == 1:
        if Path(words[0]).suffix and not Path(words[0]).exists():
            raise InputError(f"file {words[0]!r:.200} does not exist")
        raise click.UsageError("Missing argument 'FILE...': the games to judge.")
    outputs = {"--csv": csv, "--html": html, "--annotate": annotate}
    files = list(find_files(words[has_table:]))
    check_outputs(outputs, [*words[:has_table], *files])
    with ExitStack() as stack:
        judges = _Judges(stack, words[0] if has_table else None, plies)
        check_outputs(outputs, judges.paths)
        games = read_games(files, judges.rules)
        references: dict[RuleSet, Mapping[str, float]] = {}
        found = []
        for audit in judges.audits(games):
            rules = audit.record.rules
            if rules not in references:
                table = judges.of(rules)
                references[rules] = {}
                if annotate is not None:
                    check_output(annotate, rules)
                # reference players play from the start
                if reference_games and isinstance(table, Table) and table.file.part.is_whole:
                    references[rules] = references_of(table, reference_games, say=say)
            if as_json:
                echo(game_json(audit, thresholds, references[rules]))
            if not as_json or any(outputs.values()):
                found.append(audit)
        check_outputs(outputs, judges.paths)
        if csv is not None:
            write_file(csv, write_csv(found, thresholds))
        if annotate is not None and found:
            write_games((annotated(audit, thresholds) for audit in found), annotate)
        if html is not None:
            write_file(html, html_report(found, thresholds, references))
        if found and not as_json:
            echo(audit_page(found, thresholds, references, worst))
    _report([*games.faults, *judges.faults])


class _Judges:
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


def _report(faults: list[RecordFault]) -> None:
    """Report the games that could not be judged, and fail if there are any."""
    if not faults:
        return
    for fault in faults[:-1]:
        say(f"not audited: {fault}")
    raise RecordError(f"not audited: {faults[-1]}")
