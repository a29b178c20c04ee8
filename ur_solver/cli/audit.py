"""`ur audit`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import click

from ur_solver.audit import (
    GameAudit,
    JudgedPly,
    Mark,
    PlayerSummary,
    Thresholds,
    audit_games,
    game_json,
    html_report,
    reference_losses,
    result_text,
    strength,
    summarise,
    worst_plies,
    write_csv,
)
from ur_solver.audit.report import signed
from ur_solver.cli.options import json_option, table_argument
from ur_solver.cli.output import columns, draw_position, say, side_name
from ur_solver.errors import OutputError, RecordError
from ur_solver.locate import open_table
from ur_solver.position import DARK, LIGHT
from ur_solver.query import Query
from ur_solver.records import GameRecord, RecordFault, find_files, read_games, rules_word

FULL_PAGES = 3
"""With more games than this, each gets a line and not a page."""

_DEFAULTS = Thresholds()
_MARK_HEADERS = ("inaccuracies", "mistakes", "blunders")
_COLOURS = {Mark.INACCURACY: "yellow", Mark.MISTAKE: "bright_red", Mark.BLUNDER: "red"}


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
    table: str,
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
    RoyalUr's JSON notation or RGN; a folder stands for all games in it, '-' for standard
    input. Losses and luck are in points, hundredths of the chance to win; the thresholds
    of marks are chances, such as 0.03. A game that cannot be read is told and passed over.

    \b
    ur audit finkel game.rgn --html report.html
    """
    thresholds = Thresholds(inaccuracy, mistake, blunder)
    faults: list[RecordFault] = []
    with Query(open_table(table, say=say)) as query:
        audits = audit_games(_good_games(files, query, faults), query)
        if as_json and html is None and csv is None:
            for audit in audits:
                click.echo(game_json(audit))
        else:
            found = list(audits)
            references: dict[str, float] = {}
            if reference_games and found and not (as_json and html is None):
                references = reference_losses(query, reference_games)
            _write(csv, lambda: write_csv(found, thresholds))
            _write(html, lambda: html_report(found, thresholds, references))
            if as_json:
                for audit in found:
                    click.echo(game_json(audit))
            elif found:
                click.echo(_page(found, thresholds, references, worst))
    _tell(faults)


def _good_games(
    paths: Iterable[str], query: Query, faults: list[RecordFault]
) -> Iterator[GameRecord]:
    for path in find_files(paths):
        for game in read_games(path, query.rules):
            if isinstance(game, RecordFault):
                faults.append(game)
            else:
                yield game


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


def _page(
    audits: list[GameAudit], thresholds: Thresholds, references: dict[str, float], worst: int
) -> str:
    parts = []
    if len(audits) > FULL_PAGES:
        parts.append(columns([_line(audit) for audit in audits], "<<>>>>"))
        parts.append(_players(_by_player(audits), thresholds, references))
        worst_of_all = sorted(
            (
                (judged, audit)
                for audit in audits
                for judged in worst_plies(audit, thresholds, worst)
            ),
            key=lambda each: -each[0].loss,
        )
        parts += [_moment(audit, judged, thresholds) for judged, audit in worst_of_all[:worst]]
    else:
        for audit in audits:
            sides = {side: list(audit.of_side(side)) for side in (LIGHT, DARK)}
            named = {_name(audit, side): plies for side, plies in sides.items()}
            parts.append(_head(audit))
            parts.append(_players(named, thresholds, references))
            parts += [
                _moment(audit, judged, thresholds)
                for judged in worst_plies(audit, thresholds, worst)
            ]
    return "\n\n".join(parts)


def _title(audit: GameAudit) -> str:
    record = audit.record
    return record.file if record.number == 1 else f"{record.file}, game {record.number}"


def _head(audit: GameAudit) -> str:
    return (
        f"{click.style(_title(audit), bold=True)}: {rules_word(audit.record.rules)}, "
        f"{len(audit.plies)} throws, {result_text(audit)}\n"
        f"light's chance to win: {_points(audit.start_value)} % at the start, "
        f"{_points(audit.end_value)} % at the end"
    )


def _points(value: float) -> str:
    return f"{100 * value:.1f}"


def _name(audit: GameAudit, side: str) -> str:
    player = audit.record.player(side)
    return f"{player} ({side_name(side)})" if player else side_name(side)


def _by_player(audits: list[GameAudit]) -> dict[str, list[JudgedPly]]:
    """The plies of all games by player; by side where the players have no names."""
    plies: dict[str, list[JudgedPly]] = {}
    for audit in audits:
        for side in (LIGHT, DARK):
            name = audit.record.player(side) or side_name(side)
            plies.setdefault(name, []).extend(audit.of_side(side))
    return plies


def _line(audit: GameAudit) -> list[str]:
    totals = [
        _points(sum(judged.loss for judged in audit.of_side(side) if judged.is_choice))
        for side in (LIGHT, DARK)
    ]
    lucks = [signed(sum(judged.luck for judged in audit.of_side(side))) for side in (LIGHT, DARK)]
    return [
        _title(audit),
        result_text(audit),
        f"light lost {totals[0]}",
        f"luck {lucks[0]}",
        f"dark lost {totals[1]}",
        f"luck {lucks[1]}",
    ]


def _players(
    plies: dict[str, list[JudgedPly]], thresholds: Thresholds, references: dict[str, float]
) -> str:
    header = ["", "choices", "best", "lost", "a choice", "luck", *_MARK_HEADERS]
    header += ["strength"] if references else []
    summaries = {name: summarise(of_player, thresholds) for name, of_player in plies.items()}
    rows = [header] + [_row(name, summary, references) for name, summary in summaries.items()]
    lines = [columns(rows, "<" + ">" * (len(header) - 1))]
    lines += [_throws(name, summary) for name, summary in summaries.items() if summary.luckiest]
    if references:
        named = ", ".join(f"{name} {100 * loss:.2f}" for name, loss in references.items())
        lines.append(
            f"lost a choice by reference players: {named}, the table 0.00; a strength of 0 is "
            "that of random moves, 100 the table's"
        )
    return "\n".join(lines)


def _row(name: str, summary: PlayerSummary, references: dict[str, float]) -> list[str]:
    row = [
        name,
        str(summary.choices),
        f"{100 * summary.best_share:.0f} %",
        _points(summary.loss),
        f"{100 * summary.mean_loss:.2f}",
        signed(summary.luck),
        *(str(summary.marks[mark]) for mark in Mark),
    ]
    if references:
        row.append(f"{100 * strength(summary.mean_loss, references):.0f}")
    return row


def _throws(name: str, summary: PlayerSummary) -> str:
    assert summary.luckiest
    assert summary.unluckiest
    return (
        f"{name}: luckiest throw {summary.luckiest.ply.throw} ({signed(summary.luckiest.luck)}), "
        f"unluckiest {summary.unluckiest.ply.throw} ({signed(summary.unluckiest.luck)})"
    )


def _moment(audit: GameAudit, judged: JudgedPly, thresholds: Thresholds) -> str:
    record, ply = audit.record, judged.ply
    mark = thresholds.mark(judged)
    assert mark
    position = record.stepper.position(ply.state, ply.side)
    return (
        f"{click.style(mark, fg=_COLOURS[mark], bold=True)} at {ply.place or 'the end'} of "
        f"{_title(audit)}: {side_name(ply.side)} threw {ply.throw} and played "
        f"{record.move_text(ply)} ({_points(judged.played_value)} %); best was "
        f"{audit.best_text(judged)} ({_points(judged.best_value)} %): "
        f"{_points(judged.loss)} points lost\n\n{draw_position(record.rules, position)}"
    )
