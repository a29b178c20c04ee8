"""`ur audit` and `ur review`: recorded games judged, one by one and together.

One table judges all games, or each game's rule set has its own. An audit in the terminal has
tables, and boards of the worst moments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

import click

from ur_solver.answers.decisions import Mark, Thresholds, Verdict
from ur_solver.answers.locate import is_table_word
from ur_solver.api.games import Games, read_games
from ur_solver.audit.audits import (
    ESTIMATES,
    NOTHING,
    GameAudit,
    JudgedPly,
    PlayerSummary,
    References,
    account_text,
    action_text,
    mean_text,
    result_text,
    strength_text,
    summarise,
    thrown_text,
    worst_plies,
)
from ur_solver.audit.games import REFERENCE_GAMES, references_of
from ur_solver.audit.judge import NOT_REACHED, first_covered, with_thumbs
from ur_solver.cli.answering import answering_of, open_answering, plies_option
from ur_solver.cli.completion import complete_table
from ur_solver.cli.options import (
    OUTPUT_FILE,
    FiniteFloat,
    json_option,
    number_option,
)
from ur_solver.cli.output import (
    GREY,
    PURPLE,
    ROSE,
    columns,
    draw_position,
    echo,
    report_left_out,
    say,
    side_name,
    write_reports,
)
from ur_solver.common.files import Closing, check_outputs
from ur_solver.common.progress import shown_task
from ur_solver.common.text import counted, json_text
from ur_solver.errors import InputError, MissingTableError
from ur_solver.estimators.evaluator import Evaluator
from ur_solver.records import (
    GameRecord,
    RecordFault,
    check_output,
    find_files,
    opening_words,
    rules_word,
)
from ur_solver.rules import DARK, LIGHT, RuleSet
from ur_solver.rules.payoff import Units

_F = TypeVar("_F", bound=Callable[..., Any])

games_argument = click.argument(
    "words", nargs=-1, required=True, metavar="[TABLE] FILE...", shell_complete=complete_table
)


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

    Raises UsageError or InputError if there is no file of games to `purpose`, unless that is None.
    """
    has_table = is_table_word(words[0]) or _is_estimator(words[0])
    if purpose is not None and has_table and len(words) == 1:
        if Path(words[0]).suffix and not Path(words[0]).exists():
            raise InputError(f"file {words[0]!r:.200} does not exist")
        raise click.UsageError(f"Missing argument 'FILE...': the games to {purpose}.")
    return words[0] if has_table else None, list(find_files(words[has_table:]))


def _is_estimator(word: str) -> bool:
    from ur_solver.estimators.file import is_estimator_file  # noqa: PLC0415 - rarely needed

    return is_estimator_file(word)


class Judges(Closing):
    """The tables or estimators that judge the games: `only` one for all, or one for each rule set.

    `paths` are those of the opened files. Estimators look `plies` plies ahead.
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

    @property
    def warnings(self) -> list[RecordFault]:
        """What was read otherwise than it is written."""
        return [] if self._games is None else self._games.warnings

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


FULL_PAGES = 3
"""With more games than this, each gets a line and not a page."""

_MARK_HEADERS = ("inaccuracies", "mistakes", "blunders")
_COLOURS = {Mark.INACCURACY: GREY, Mark.MISTAKE: ROSE, Mark.BLUNDER: PURPLE}


def audit_page(
    audits: list[GameAudit],
    thresholds: Thresholds,
    references: References,
    worst: int,
    boards: int = 1,
) -> str:
    """Audited games as text, with the `worst` moments of one game, or of many.

    Each rule set gets its own section. A rule set without `references` gets no comparison. What
    matters most comes last: the worst moment, the first `boards` of which are drawn, what the
    players lost, and how each of a few games ended.
    """
    by_rules: dict[RuleSet, list[GameAudit]] = {}
    for audit in audits:
        by_rules.setdefault(audit.record.rules, []).append(audit)
    return "\n\n".join(
        _page_of_rules(of_rules, thresholds, references.get(rules, {}), worst, boards)
        for rules, of_rules in by_rules.items()
    )


def audit_of(record: GameRecord, table: Evaluator) -> str:
    """The audit of one game as text, next to reference players where a table judges it."""
    (audit,) = table.audits([record])
    references = {}
    if table.are_exact:
        references[record.rules] = references_of(table, say=say)
    return audit_page([audit], Thresholds(), references, worst=3)


def _page_of_rules(
    audits: list[GameAudit],
    thresholds: Thresholds,
    references: Mapping[str, float],
    worst: int,
    boards: int,
) -> str:
    units = audits[0].record.rules.payoff.units.within(max(audit.margin for audit in audits))
    parts = []
    groups = [audits] if len(audits) > FULL_PAGES else [[audit] for audit in audits]
    for group in groups:
        named, is_one = _by_player(group, thresholds), len(group) == 1
        rows = [_GAME_HEADER, *map(_game_row, group)]
        parts.append(_head(group[0]) if is_one else columns(rows, "<<>>>>"))
        parts += _notes(audits, references, units) if group is groups[0] else []
        parts.append("\n".join(_throws(name, each, group) for name, each in named.items()))
        parts += _moments(group, thresholds, worst, boards)
        parts += _players(named, references, units)
        parts += [_end(group[0])] if is_one else []
    return "\n\n".join(part for part in parts if part)


def _notes(audits: list[GameAudit], references: Mapping[str, float], units: Units) -> list[str]:
    """What the figures of a page mean; none of a player."""
    is_exact = all(audit.is_exact for audit in audits)
    notes = [] if is_exact else [ESTIMATES]
    if references:
        best = "the table" if is_exact else "the estimator"
        named = ", ".join(f"{name} {units.mean(loss)}" for name, loss in references.items())
        notes.append(
            f"lost a choice by reference players: {named}, {best} {units.mean(0)}\n"
            f"a strength of 0 is that of random moves, 100 {best}'s; \N{PLUS-MINUS SIGN} is the "
            "95 % interval"
        )
    return notes


def _head(audit: GameAudit) -> str:
    words = opening_words(audit.record)
    return (
        f"{click.style(audit.record.title, bold=True)}: {rules_word(audit.record.rules)}, "
        f"{counted(len(audit.record.plies), 'throw')}, {result_text(audit)}"
        f"{chr(10) + words if words else ''}"
    )


def _end(audit: GameAudit) -> str:
    """How luck and moves led to the end of a game."""
    return (
        f"light's {audit.record.rules.payoff.units.worth}: {account_text(audit)}\n"
        f"{click.style(result_text(audit), bold=True)}"
    )


def _name(audit: GameAudit, side: str) -> str:
    player = audit.record.player(side)
    return f"{player} ({side_name(side)})" if player else side_name(side)


def _by_player(audits: list[GameAudit], thresholds: Thresholds) -> dict[str, PlayerSummary]:
    """The summaries of all games by player; by side if a player has no name, or in one game."""
    plies: dict[str, list[JudgedPly]] = {}
    conceded: dict[str, float] = {}
    for audit in audits:
        for side in (LIGHT, DARK):
            name = audit.record.player(side) or side_name(side)
            name = _name(audit, side) if len(audits) == 1 else name
            plies.setdefault(name, []).extend(audit.of_side(side))
            conceded[name] = conceded.get(name, 0.0) + audit.conceded(side)
    return {
        name: summarise(of_player, thresholds, conceded[name]) for name, of_player in plies.items()
    }


_GAME_HEADER = ["game", "result", "light lost", "light's luck", "dark lost", "dark's luck"]


def _game_row(audit: GameAudit) -> list[str]:
    units = audit.units
    row = [audit.record.title, result_text(audit)]
    for each in (audit.light, audit.dark):
        row += [units.amount(each.loss) + units.give(each.loss_margin), units.signed(each.luck)]
    return row


def _players(
    summaries: dict[str, PlayerSummary], references: Mapping[str, float], units: Units
) -> list[str]:
    """How players chose, and what that cost them, as two tables."""
    has_errors = any(summary.loss_margin for summary in summaries.values())
    has_conceded = any(summary.conceded for summary in summaries.values())
    has_fines = any(summary.cost for summary in summaries.values())
    verdicts = [each for each in Verdict if has_errors or each is not Verdict.CLOSE]
    chose = [["", "choices", *(each.words for each in verdicts), *_MARK_HEADERS]]
    lost = ["", "lost", *(["lost for sure"] if has_errors else []), "lost a choice", "luck"]
    lost += ["conceded"] if has_conceded else []
    lost += ["fines"] if has_fines else []
    lost += ["strength"] if references else []
    cost = [lost]
    for name, summary in summaries.items():
        shares = [f"{100 * summary.shares[each]:.0f} %" for each in verdicts]
        chose.append(
            [
                name,
                str(summary.choices),
                *(shares if summary.choices else [NOTHING] * len(verdicts)),
                *(str(summary.marks[mark]) for mark in Mark),
            ]
        )
        row = [name, units.amount(summary.loss) + units.give(summary.loss_margin)]
        row += [units.amount(summary.worse_loss)] if has_errors else []
        row += [mean_text(units, summary) if summary.choices else NOTHING]
        row += [units.signed(summary.luck)]
        row += [units.amount(summary.conceded)] if has_conceded else []
        row += [str(summary.cost)] if has_fines else []
        row += [strength_text(summary, references)] if references else []
        cost.append(row)
    return [columns(rows, "<" + ">" * (len(rows[0]) - 1)) for rows in (chose, cost)]


def _throws(name: str, summary: PlayerSummary, audits: list[GameAudit]) -> str:
    """A player's luckiest and unluckiest throw; empty without throws."""
    found = [each for each in (summary.luckiest, summary.unluckiest) if each is not None]
    texts = []
    for judged in found:
        audit = next(of for of in audits if any(each is judged for each in of.all_plies))
        game = f" of {audit.record.title}" if len(audits) > 1 else ""
        texts.append(f"{thrown_text(audit, judged)}{game}")
    return f"{name}: luckiest: {texts[0]}, unluckiest: {texts[1]}" if texts else ""


def _moments(audits: list[GameAudit], thresholds: Thresholds, worst: int, boards: int) -> list[str]:
    """The worst moments of some games, the worst of all last; the first `boards` are drawn."""
    found = [
        (judged, audit) for audit in audits for judged in worst_plies(audit, thresholds, worst)
    ]
    found = sorted(found, key=lambda each: -each[0].loss)[:worst]
    texts = [_moment(audit, judged, thresholds) for judged, audit in found]
    drawn = [
        f"{text}\n\n{draw_position(audit.record.stepper.position(ply.state, ply.side))}"
        for text, (ply, audit) in zip(texts[:boards], ((j.ply, a) for j, a in found), strict=False)
    ]
    return ["\n".join(texts[boards:][::-1]), *drawn[::-1]]


def _moment(audit: GameAudit, judged: JudgedPly, thresholds: Thresholds) -> str:
    """A moment as a line."""
    ply, units = judged.ply, audit.units
    mark = thresholds.mark(judged)
    assert mark
    return (
        f"{click.style(mark, fg=_COLOURS[mark], bold=True)} at {ply.place or 'the end'} of "
        f"{audit.record.title}: {side_name(ply.side)} {action_text(audit, judged)} "
        f"({units.value(judged.played_value)}); best was {audit.best_text(judged)} "
        f"({units.value(judged.best_value)}): {units.lost(judged.loss, judged.loss_margin)}"
    )


_DEFAULTS = Thresholds()


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
@number_option("--worst", within=(0, 1000), default=3, help="Show the N worst moments.")
@number_option(
    "--boards", within=(0, 1000), default=1, help="Draw the board of the first N of these."
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
def audit_command(
    words: tuple[str, ...],
    as_json: bool,
    html: Path | None,
    csv: Path | None,
    annotate: Path | None,
    worst: int,
    boards: int,
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
    with shown_task("judging games") as show, Judges(word, plies) as judges:
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
                from ur_solver.audit.texts import game_values  # noqa: PLC0415 - text needs none

                echo(json_text(game_values(audit, thresholds, references[rules])), raw=True)
            if not as_json or any(outputs.values()):
                found.append(audit)
                show(counted(len(found), "game"))
        check_outputs(outputs, judges.paths)
        if any(outputs.values()):
            from ur_solver.audit.report import html_report  # noqa: PLC0415 - same
            from ur_solver.audit.texts import annotated_text, write_csv  # noqa: PLC0415 - same

            commented = f"{counted(len(found), 'game')} with comments"
            write_reports(
                found,
                [
                    ("table of all turns", csv, lambda _: write_csv(found, thresholds)),
                    (
                        commented,
                        annotate,
                        lambda path: annotated_text(found, thresholds, path.suffix),
                    ),
                    ("report", html, lambda _: html_report(found, thresholds, references)),
                ],
            )
    if found and not as_json:
        echo(audit_page(found, thresholds, references, worst, boards))
    report_left_out(judges.faults, "not audited", judges.warnings)


def _references(table: Evaluator, games: int) -> Mapping[str, float]:
    """What reference players lose by what judges; nothing by a table without the start."""
    if table.are_exact:
        return references_of(table, games, say=say) if table.file.part.is_whole else {}
    # one ply ahead: their losses are large compared with its errors
    judge = table.looking(1)
    return references_of(judge, games, digest=judge.digest, say=say)


def _period(text: str) -> str | int:
    """A period by name, or a number of games."""
    from ur_solver.audit.review import PERIODS  # noqa: PLC0415 - an audit needs none of it

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
def review_command(
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
    2026-11-27' or RoyalUr's StartTime, or in the times of its JSON; a moment is on the day that it
    is in the time zone of this machine. With --by 10 no dates are needed, and games count in the
    order of the files. First choices are those in the first throws, and in the rounds that find
    the first player; dark's are shown from light's side. Rules of thumb are compared in all
    choices after the opening.

    \b
    ur review evenings --by month
    """
    from ur_solver.audit.review import (  # noqa: PLC0415 - same
        against_thumbs,
        first_choices,
        over_time,
    )

    word, files = table_and_files(words, "review")
    games_of: dict[RuleSet, list[GameAudit]] = {}
    with shown_task("judging games"), Judges(word, plies) as judges:
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
            reviews.append(
                json_text(review) if as_json else _review_page(review, audits, throws, top)
            )
    if isinstance(by, str):
        _report_dates(audit.record for audits in games_of.values() for audit in audits)
    if reviews and as_json:
        echo("\n".join(reviews), raw=True)
    elif reviews:
        echo("\n\n".join(reviews))
    report_left_out(judges.faults, "not reviewed", judges.warnings)


def _report_dates(records: Iterable[GameRecord]) -> None:
    """Say once that dates are not understood."""
    from ur_solver.records.dates import unread_date  # noqa: PLC0415 - an audit needs none of it

    unread = [(each.title, text) for each in records if (text := unread_date(each))]
    if unread:
        title, text = unread[0]
        others = f", nor are those of {counted(len(unread) - 1, 'other game')}"
        say(
            f"{title}: the date {text!r:.60} is not understood"
            f"{others if unread[1:] else ''}; write it as 2026-11-27"
        )


def _review_page(review: dict[str, Any], audits: list[GameAudit], throws: int, top: int) -> str:
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


def _verdicts_in(rows: list[dict[str, Any]]) -> list[Verdict]:
    """The verdicts whose shares are shown: of exact values that of the best says all."""
    return [*Verdict] if any(each[Verdict.CLOSE] for each in rows) else [Verdict.BEST]


def _over_time(rows: list[dict[str, Any]], units: Units) -> str:
    verdicts = _verdicts_in(rows)
    header = ["player", "when", "games", "won", "choices", *(each.words for each in verdicts)]
    table = [[*header, "lost a choice", "mistakes", "luck a game"]]
    before = None
    for each in rows:
        table.append(
            [
                each["player"] if each["player"] != before else "",
                each["period"],
                str(each["games"]),
                str(each["won"]),
                str(each["choices"]),
                *(_share_text(each[name], each["choices"]) for name in verdicts),
                NOTHING if each["mean_loss"] is None else units.mean(each["mean_loss"]),
                str(each["mistakes"]),
                units.signed(each["luck"] / each["games"]),
            ]
        )
        before = each["player"]
    return columns(table, "<<" + ">" * (len(table[0]) - 2))


def _choices(rows: list[dict[str, Any]], units: Units) -> str:
    table = [["position", "throw", "times", "played", "best", "lost on average"]]
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
    verdicts = _verdicts_in(rows)
    table = [
        [
            *("player", "rule of thumb", "choices", "same move"),
            *(each.words for each in verdicts),
            *("it lost a choice", "the player lost a choice"),
        ]
    ]
    for each in rows:
        table.append(
            [
                each["player"],
                each["thumb"],
                str(each["choices"]),
                _share_text(each["same"], each["choices"]),
                *(_share_text(each[name], each["choices"]) for name in verdicts),
                units.mean(each["mean_loss"]),
                units.mean(each["player_mean_loss"]),
            ]
        )
    return columns(table, "<<" + ">" * (len(table[0]) - 2))


def _share_text(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else NOTHING
