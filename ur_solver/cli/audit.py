"""`ur audit`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from ur_solver.api.evaluator import Evaluator
from ur_solver.audit import (
    REFERENCE_GAMES,
    Thresholds,
    annotated,
    game_json,
    html_report,
    references_of,
    with_thumbs,
    write_csv,
)
from ur_solver.cli.answering import plies_option
from ur_solver.cli.audit_page import audit_page
from ur_solver.cli.judges import Judges, games_argument, table_and_files, thumb_option
from ur_solver.cli.left_out import report_left_out
from ur_solver.cli.options import OUTPUT_FILE, FiniteFloat, json_option, number_option
from ur_solver.cli.output import echo, say
from ur_solver.common.files import check_outputs, write_file
from ur_solver.records import check_output, write_games
from ur_solver.rules import RuleSet

_DEFAULTS = Thresholds()
_F = TypeVar("_F", bound=Callable[..., Any])


def _threshold_option(name: str, marked: str, default: float) -> Callable[[_F], _F]:
    return click.option(
        f"--{name}",
        type=FiniteFloat(0, 1),
        default=default,
        show_default=True,
        help=f"Mark moves that lose at least this much as {marked}.",
    )


@click.command()
@games_argument
@json_option
@click.option("--html", type=OUTPUT_FILE, help="Write an HTML report.")
@click.option("--csv", type=OUTPUT_FILE, help="Write a CSV file.")
@click.option(
    "--annotate",
    type=OUTPUT_FILE,
    help="Write the games with chances, best moves and losses as comments, as .rgn, .json or .ur.",
)
@number_option(
    "--worst", within=(0, 1000), default=3, help="Show the N worst moments with a board."
)
@_threshold_option("inaccuracy", "inaccuracies", _DEFAULTS.inaccuracy)
@_threshold_option("mistake", "mistakes", _DEFAULTS.mistake)
@_threshold_option("blunder", "blunders", _DEFAULTS.blunder)
@number_option(
    "--reference-games",
    within=(0, 100_000),
    default=REFERENCE_GAMES,
    help="Play N games of each reference player for comparison; 0 skips them.",
)
@thumb_option("Add what a rule of thumb would have played, such as greedy, to JSON and HTML.")
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
    thumbs: tuple[str, ...],
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
    beyond the error of the comparison, and losses have their errors.

    \b
    ur audit game.rgn --html report.html
    """
    thresholds = Thresholds(inaccuracy, mistake, blunder)
    word, files = table_and_files(words, "judge")
    outputs = {"--csv": csv, "--html": html, "--annotate": annotate}
    check_outputs(outputs, files if word is None else [word, *files])
    with Judges(word, plies) as judges:
        check_outputs(outputs, judges.paths)
        references: dict[RuleSet, Mapping[str, float]] = {}
        found = []
        for audit in judges.audits(files):
            rules = audit.record.rules
            if rules not in references:
                table = judges.of(rules)
                references[rules] = {}
                if annotate is not None:
                    check_output(annotate, rules)
                if reference_games:
                    references[rules] = _references(table, reference_games)
            if thumbs:
                audit = with_thumbs(audit, judges.of(rules), thumbs)  # noqa: PLW2901
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
    report_left_out(judges.faults, "not audited")


def _references(table: Evaluator, games: int) -> Mapping[str, float]:
    """What reference players lose by what judges; nothing by a table without the start."""
    if table.are_exact:
        return references_of(table, games, say=say) if table.file.part.is_whole else {}
    # one ply ahead: their losses are large compared with its errors
    judge = table.looking(1)
    return references_of(judge, games, digest=judge.digest, say=say)
