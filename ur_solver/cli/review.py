"""`ur review`."""

from __future__ import annotations

import json
from typing import Any

import click

from ur_solver.audit import ESTIMATES, NOTHING, GameAudit, Thresholds
from ur_solver.audit.review import PERIODS, against_thumbs, first_choices, over_time
from ur_solver.cli.answering import plies_option
from ur_solver.cli.judges import Judges, games_argument, table_and_files, thumb_option
from ur_solver.cli.left_out import report_left_out
from ur_solver.cli.options import json_option, number_option
from ur_solver.cli.output import columns, echo
from ur_solver.common.text import counted
from ur_solver.rules import RuleSet
from ur_solver.rules.payoff import Units


def _period(text: str) -> str | int:
    """A period by name, or a number of games."""
    if text in PERIODS:
        return text
    if text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= 1_000_000:
        return int(text)
    raise click.BadParameter(
        f"{text!r:.60}: expected {', '.join(PERIODS)} or a number of games, such as 10"
    )


@click.command()
@games_argument
@click.option(
    "--by",
    type=_period,
    metavar="PERIOD",
    default="month",
    show_default=True,
    help="Sum up by year, month or day, or by this many games of a player.",
)
@number_option(
    "--throws",
    within=(1, 1000),
    default=8,
    help="List choices in the first N throws of a game, and in an opening before them.",
)
@number_option(
    "--top", within=(0, 1000), default=10, help="Show the N most frequent of these choices."
)
@thumb_option("Compare with a rule of thumb, such as capture+safe+furthest.", ("greedy", "first"))
@json_option
@plies_option()
def command(
    words: tuple[str, ...],
    by: str | int,
    throws: int,
    top: int,
    thumbs: tuple[str, ...],
    as_json: bool,
    plies: int,
) -> None:
    """Review the games of FILE... together: over time, by first choices and rules of thumb.

    The games are judged as by ur audit. The date of a game is in a header such as 'Date:
    2026-11-27' or RoyalUr's StartTime; with --by 10 no dates are needed, and games count in the
    order of the files. First choices are those in the first throws, and in the rounds that find
    the first player; dark's are shown from light's side. Rules of thumb are compared in all
    choices after the opening.

    \b
    ur review evenings --by month
    """
    word, files = table_and_files(words, "review")
    games_of: dict[RuleSet, list[GameAudit]] = {}
    with Judges(word, plies) as judges:
        for audit in judges.audits(files):
            games_of.setdefault(audit.record.rules, []).append(audit)
        reviews = []
        for rules, audits in games_of.items():
            review = {
                "rules": rules.word,
                "games": len(audits),
                "over_time": over_time(audits, Thresholds(), by),
                "first_choices": first_choices(audits, throws),
                "thumbs": against_thumbs(audits, judges.of(rules), thumbs),
            }
            reviews.append(json.dumps(review) if as_json else _page(review, audits, throws, top))
    if reviews:
        echo(("\n" if as_json else "\n\n").join(reviews))
    report_left_out(judges.faults, "not reviewed")


def _page(review: dict[str, Any], audits: list[GameAudit], throws: int, top: int) -> str:
    units = audits[0].record.rules.payoff.units.within(max(audit.margin for audit in audits))
    title = click.style(f"{review['rules']}, {counted(len(audits), 'game')}", bold=True)
    parts = [title, _over_time(review["over_time"], units)]
    if shown := review["first_choices"][:top]:
        is_chosen = any(each.is_choice for audit in audits for each in audit.opening)
        opening = "the opening and " if is_chosen else ""
        parts += [
            f"choices in {opening}the first {counted(throws, 'throw')}",
            _choices(shown, units),
        ]
    if review["thumbs"]:
        parts += ["rules of thumb in the same choices", _thumbs(review["thumbs"], units)]
    if not all(audit.is_exact for audit in audits):
        parts.append(ESTIMATES)
    return "\n\n".join(parts)


def _over_time(rows: list[dict[str, Any]], units: Units) -> str:
    header = ["", "", "games", "won", "choices", "best", "lost a choice", "mistakes", "luck a game"]
    table = [header]
    before = None
    for each in rows:
        table.append(
            [
                each["player"] if each["player"] != before else "",
                each["period"],
                str(each["games"]),
                str(each["won"]),
                str(each["choices"]),
                _share(each["best"], each["choices"]),
                NOTHING if each["mean_loss"] is None else units.mean(each["mean_loss"]),
                str(each["mistakes"]),
                units.signed(each["luck"] / each["games"]),
            ]
        )
        before = each["player"]
    return columns(table, "<<>>>>>>>")


def _choices(rows: list[dict[str, Any]], units: Units) -> str:
    table = [["position", "throw", "times", "played", "best", "lost each time"]]
    for each in rows:
        often = sorted(each["played"].items(), key=lambda item: -item[1])
        table.append(
            [
                each["position"],
                each["throw"] or NOTHING,
                str(each["times"]),
                ", ".join(f"{text} {number}" for text, number in often),
                each["best"],
                units.mean(each["loss"] / each["times"]),
            ]
        )
    return columns(table, "<>><<>")


def _thumbs(rows: list[dict[str, Any]], units: Units) -> str:
    table = [["", "thumb", "choices", "same move", "best", "lost a choice", "the player"]]
    for each in rows:
        table.append(
            [
                each["player"],
                each["thumb"],
                str(each["choices"]),
                _share(each["same"], each["choices"]),
                _share(each["best"], each["choices"]),
                units.mean(each["mean_loss"]),
                units.mean(each["player_mean_loss"]),
            ]
        )
    return columns(table, "<<>>>>>")


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else NOTHING
