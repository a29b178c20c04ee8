"""`ur audit`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from ur_solver.api.games import read_games
from ur_solver.api.table import Table
from ur_solver.audit import (
    Thresholds,
    game_json,
    html_report,
    reference_losses,
    write_csv,
)
from ur_solver.cli.audit_page import audit_page
from ur_solver.cli.options import json_option, table_argument
from ur_solver.cli.output import say
from ur_solver.errors import OutputError, RecordError
from ur_solver.locate import open_file
from ur_solver.records import RecordFault

_DEFAULTS = Thresholds()


@click.command(short_help="Judge recorded games.")
@table_argument
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@json_option
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), help="Write a report.")
@click.option("--csv", type=click.Path(dir_okay=False, path_type=Path), help="Write a CSV file.")
@click.option("--worst", default=3, show_default=True, help="Moments shown with a board.")
@click.option(
    "--inaccuracy", default=_DEFAULTS.inaccuracy, show_default=True, help="From which loss."
)
@click.option("--mistake", default=_DEFAULTS.mistake, show_default=True, help="From which loss.")
@click.option("--blunder", default=_DEFAULTS.blunder, show_default=True, help="From which loss.")
@click.option(
    "--reference-games",
    default=100,
    show_default=True,
    type=click.IntRange(0, 100_000),
    help="Games of each reference player, to compare with; 0 for none.",
)
def command(
    word: str,
    files: tuple[str, ...],
    as_json: bool,
    html: Path | None,
    csv: Path | None,
    worst: int,
    inaccuracy: float,
    mistake: float,
    blunder: float,
    reference_games: int,
) -> None:
    """Judge every choice in the games of FILE... by TABLE.

    TABLE is a file or a rule set, such as finkel or finkel:3. A FILE holds games in
    RoyalUr's JSON notation, RGN or the plain notation (.ur); a folder stands for all games
    in it, '-' for standard input. Losses and luck are in points, hundredths of the chance to
    win; the thresholds of marks are chances, such as 0.03. A game that cannot be read is told
    and passed over.

    \b
    ur audit finkel game.rgn --html report.html
    """
    thresholds = Thresholds(inaccuracy, mistake, blunder)
    with Table(open_file(word, say=say)) as table:
        games = read_games(files, table.rules)
        audits = table.audits(games)
        if as_json and html is None and csv is None:
            for audit in audits:
                click.echo(game_json(audit))
        else:
            found = list(audits)
            references: dict[str, float] = {}
            if reference_games and found and not (as_json and html is None):
                references = reference_losses(table, reference_games)
            _write(csv, lambda: write_csv(found, thresholds))
            _write(html, lambda: html_report(found, thresholds, references))
            if as_json:
                for audit in found:
                    click.echo(game_json(audit))
            elif found:
                click.echo(audit_page(found, thresholds, references, worst))
    _tell(games.faults)


def _write(path: Path | None, make: Callable[[], str]) -> None:
    if path is None:
        return
    try:
        path.write_text(make(), encoding="utf-8")
    except OSError as error:
        raise OutputError(f"cannot write {str(path)!r}: {error.strerror}") from None


def _tell(faults: list[RecordFault]) -> None:
    """Fail if games could not be read, after the others have been judged."""
    if not faults:
        return
    for fault in faults[:-1]:
        say(f"not audited: {fault}")
    raise RecordError(f"not audited: {faults[-1]}")
