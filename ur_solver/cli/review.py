"""`ur review`."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import Any

import click

from ur_solver.api.games import read_games
from ur_solver.audit import ESTIMATES, NOTHING, GameAudit, Thresholds
from ur_solver.audit.review import PERIODS, beside_thumbs, first_choices, over_time
from ur_solver.cli.answering import plies_option
from ur_solver.cli.judges import Judges, is_judge
from ur_solver.cli.left_out import report_left_out
from ur_solver.cli.options import json_option
from ur_solver.cli.output import columns, echo
from ur_solver.records import find_files
from ur_solver.rules import RuleSet
from ur_solver.rules.payoff import Units
from ur_solver.rules.words import counted


def _period(text: str) -> str | int:
    """A period by name, or a number of games."""
    if text in PERIODS:
        return text
    if text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= 1_000_000:
        return int(text)
    raise click.BadParameter(
        f"{text!r:.60}: expected {', '.join(PERIODS)} or a number of games, such as 10"
    )


@click.command(short_help="Review many games: over time, by first choices and rules of thumb.")
@click.argument("words", nargs=-1, required=True, metavar="[TABLE] FILE...")
@click.option(
    "--by",
    type=_period,
    metavar="PERIOD",
    default="month",
    show_default=True,
    help="Sum up by year, month or day, or by this many games of a player.",
)
@click.option(
    "--throws",
    type=click.IntRange(1, 1000),
    default=8,
    show_default=True,
    help="Count the first N throws of a game as its opening.",
)
@click.option(
    "--top",
    type=click.IntRange(0, 1000),
    default=10,
    show_default=True,
    help="Show the N most frequent choices of the opening.",
)
@click.option(
    "--thumb",
    "thumbs",
    multiple=True,
    default=("greedy", "first"),
    show_default=True,
    metavar="NAME",
    help="Compare with this rule of thumb, such as capture+safe+furthest. May be repeated.",
)
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
    """Review the games of FILE... together: how the players did over time, and where.

    The games are judged as by ur audit. The date of a game is in a header such as 'Date:
    2026-11-27' or RoyalUr's StartTime; with --by 10 dates are not needed, and games count in the
    order of the files. The choices of the opening are those of the first throws, dark's as light
    would have them. Rules of thumb are asked in the players' own choices.

    \b
    ur review evenings --by month
    """
    has_table = is_judge(words[0])
    if has_table and len(words) == 1:
        raise click.UsageError("Missing argument 'FILE...': the games to review.")
    games_of: dict[RuleSet, list[GameAudit]] = {}
    with ExitStack() as stack:
        judges = Judges(stack, words[0] if has_table else None, plies)
        games = read_games(list(find_files(words[has_table:])), judges.rules)
        for audit in judges.audits(games):
            games_of.setdefault(audit.record.rules, []).append(audit)
        reviews = []
        for rules, audits in games_of.items():
            review = {
                "rules": rules.word,
                "games": len(audits),
                "over_time": over_time(audits, Thresholds(), by),
                "first_choices": first_choices(audits, throws),
                "thumbs": beside_thumbs(audits, judges.of(rules), thumbs),
            }
            reviews.append(json.dumps(review) if as_json else _page(review, audits, throws, top))
    if reviews:
        echo(("\n" if as_json else "\n\n").join(reviews))
    report_left_out([*games.faults, *judges.faults], "not reviewed")


def _page(review: dict[str, Any], audits: list[GameAudit], throws: int, top: int) -> str:
    units = audits[0].record.rules.payoff.units.within(max(audit.margin for audit in audits))
    title = click.style(f"{review['rules']}, {counted(len(audits), 'game')}", bold=True)
    parts = [title, _over_time(review["over_time"], units)]
    if shown := review["first_choices"][:top]:
        parts += [f"choices in the first {counted(throws, 'throw')}", _choices(shown, units)]
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
