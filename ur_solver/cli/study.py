"""`ur study` and `ur compare`: how rule sets play."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from ur_solver.cli.answering import open_playing, plies_option
from ur_solver.cli.options import (
    OUTPUT_FILE,
    json_option,
    number_option,
    seed_option,
    some_tables_argument,
    table_argument,
)
from ur_solver.cli.output import columns, echo, say, write_reports
from ur_solver.common.files import check_outputs
from ur_solver.common.progress import shown_task
from ur_solver.common.text import counted, json_text
from ur_solver.players.policies import PRIORITIES
from ur_solver.rules.payoff import POINTS, Payoff
from ur_solver.study import study
from ur_solver.study.comparison import (
    ROWS,
    Study,
    comparison_csv,
    comparison_json,
    comparison_page,
    read_study,
    table_of,
)
from ur_solver.study.estimates import (
    as_count,
    as_number,
    as_points,
    as_share,
    halves_of,
    loss_text,
    names_of,
    payoff_of,
    points,
    value_of,
)

_LEAST_SECOND = 1e-9
_F = TypeVar("_F", bound=Callable[..., Any])
_FIGURES = {row.key: row for row in ROWS}


def study_page(found: dict[str, Any]) -> str:
    """All parts of a study that `ur_solver.study.study` gives."""
    games, seed = counted(found["games"], "game"), f"seed {found['seed']}"
    head = (
        f"{found['word']}: {counted(found['positions'], 'position')}, {games} of the table against "
        f"itself, {seed}"
    )
    if not found.get("exact", True):
        head += "; an estimator plays in its place, whose values are estimates"
    parts = [
        ("fairness", _fairness(found)),
        ("length", _length(found)),
        ("choices", _choices(found)),
        ("drama", _drama(found)),
        ("luck and skill", _luck(found)),
        ("who beats whom: the share of games that the row wins", _ladder(found)),
        ("squares of light's path", _squares(found)),
        ("openings: the best second moves", _openings(found)),
        ("openings: the choice before the third throw", _choices_before_throws(found)),
        ("what to remember: the best order of priorities", _thumbs(found)),
    ]
    texts = [head]
    texts += [f"{click.style(title, bold=True)}\n{text}" for title, text in parts if text]
    return "\n\n".join(texts)


def _fairness(found: dict[str, Any]) -> str:
    fairness = found["fairness"]
    payoff = payoff_of(found)
    first = _figure_text(payoff, fairness["first_player"])
    rows = [[f"  the first player {payoff.verb}", first]]
    if "chance" in payoff.figures:
        rows.append(["  the first player wins", as_share(fairness["first_player_wins"])])
    if "with_a_free_first_throw" in fairness:
        free = _figure_text(payoff, fairness["with_a_free_first_throw"])
        rows.append(["  with a free first throw", free])
    if "first_throw" in fairness and payoff.units is POINTS:
        throws = ", ".join(
            f"{each['throw']}: {points(each['gain'])}" for each in fairness["first_throw"]
        )
        rows.append(["  gain by the first throw", f"{throws} points"])
    if value_of(fairness["unfinished"]):
        rows.append(["  games left unfinished", as_share(fairness["unfinished"])])
    return columns(rows, "<<")


def _figure_text(payoff: Payoff, figure: Any, digits: int = 4) -> str:
    """A value: exact, with some decimals, or an estimate."""
    margin = halves_of(figure)[0]
    if margin:
        return payoff.units.estimate(value_of(figure), margin)
    return payoff.units.value(figure, digits)


def _rows(found: dict[str, Any], *keys: str) -> list[list[str]]:
    """Figures that comparisons have too, in their words."""
    return [[f"  {row.label}", row.text(found)] for row in map(_FIGURES.__getitem__, keys)]


def _length(found: dict[str, Any]) -> str:
    length = found["length"]
    throws = length["distributions"]["throws"]
    shares = throws["quantiles"]
    most = f"{as_count(shares['0.05'])} to {as_count(shares['0.95'])}"
    seen = f"{throws['shortest']} to {throws['longest']}"
    longer = f"{as_share(length['beyond'])} of games"
    rows = [
        *_rows(found, "throws", "throws_deviation", "median"),
        ["    nine games of ten", most],
        ["    all that were seen", f"{seen}; longer ones: {longer}"],
        *_rows(found, "turns", "moves", "captures", "extra_throws"),
    ]
    return columns(rows, "<<")


def _choices(found: dict[str, Any]) -> str:
    choices = found["choices"]
    (moves,) = _rows(found, "moves_to_choose_from")
    rows = [
        *_rows(found, "with_a_choice"),
        ["  throws without a choice", as_share(choices["without_a_choice"])],
        *_rows(found, "choices_a_turn", "without_a_move"),
        [moves[0], f"{moves[1]}; at most {choices['most_moves']} were seen"],
    ]
    return columns(rows, "<<")


def _drama(found: dict[str, Any]) -> str:
    drama = found["drama"]
    decided = f"after {as_share(drama['decided_after'])} of the throws"
    rows = [
        *_rows(found, "lead_changes"),
        ["  decided for good", f"{decided} (the winner never below 90 % again)"],
        ["  won from below 25 %", as_share(drama["comebacks"]["25"])],
        *_rows(found, "won_from_below_10"),
        ["  won from below 1 %", as_share(drama["comebacks"]["1"])],
        *_rows(found, "swing"),
    ]
    return columns(rows, "<<")


def _luck(found: dict[str, Any]) -> str:
    rows = [
        [
            *("  the table against", "points the other loses a game"),
            *("luck, standard deviation", "losses, standard deviation", "share due to skill"),
        ]
    ]
    for name, each in found["luck"]["against"].items():
        rows.append(
            [
                f"  {name}",
                as_share(each["loss"]),
                as_points(each["luck_deviation"], sign=False),
                as_points(each["loss_deviation"], sign=False),
                as_share(each["skill"]),
            ]
        )
    return columns(rows, "<>>>>")


def _ladder(found: dict[str, Any]) -> str:
    ladder = found["ladder"]
    names, letters = ladder["policies"], names_of(len(ladder["policies"]))
    rows = [["", "", *letters, "games that show the table is better"]]
    for k, name in enumerate(names):
        wins = [
            "-" if i == k else f"{100 * value_of(each):.1f}"
            for i, each in enumerate(ladder["wins"][k])
        ]
        apart = ladder["games_apart"][k][0]
        rows.append([f"  {letters[k]}", name, *wins, "" if apart is None else as_count(apart)])
    margin = max(max(halves_of(each)) for row in ladder["wins"] for each in row)
    text = columns(rows, "<<" + ">" * (len(names) + 1))
    if margin:
        text += f"\n  per cent, ± {100 * margin:.1f} at most"
    return text


def _squares(found: dict[str, Any]) -> str:
    rows = [["", "square", "a piece is there", "captures a game", "a piece there is worth"]]
    for place in found["squares"]["places"]:
        rows.append(
            [
                f"  {place['path_index']}",
                f"{place['square']}{'*' if place['is_rosette'] else ''}",
                as_share(place["stood"]),
                as_number(place["captures"]),
                f"{as_share(place['worth'])}",
            ]
        )
    rows.append(["", "off", "", "", as_share(found["squares"]["off"])])
    text = columns(rows, "><>>>")
    for each in found["squares"]["rosettes"]:
        more = as_points(each["more_than_its_neighbours"])
        text += f"\n  the rosette {each['square']}: {more} points more than the squares next to it"
    return text


def _openings(found: dict[str, Any]) -> str:
    payoff = payoff_of(found)
    units = payoff.units
    light = f"light then {payoff.verb}"
    rows = [["  first throw", "", light, "second throw", "", "second best loses"]]
    for first in found["openings"]:
        for second in first["then"]:
            if second["move"] is None or value_of(second["second"]) < _LEAST_SECOND:
                continue
            rows.append(
                [
                    f"  {_thrown(first)}",
                    first["move"] or "pass",
                    _figure_text(payoff, second["value"], units.exact_digits),
                    _thrown(second),
                    second["move"],
                    loss_text(payoff, second["second"]),
                ]
            )
    return columns(rows, "<<><<>") if len(rows) > 1 else ""


def _thrown(branch: dict[str, Any]) -> str:
    """The throws of a branch: ``2``, or ``1+3`` where a throw earned another."""
    return ", ".join("+".join(map(str, throws)) for throws in branch["throws"])


def _choices_before_throws(found: dict[str, Any]) -> str:
    """The best choice in the third turn, the first one that can have a choice."""
    rows = [["  first throw", "", "second throw", "", "best", "the other loses"]]
    for first in found["openings"]:
        for second in first["then"]:
            for third in second["then"][:1]:
                if third["other_loses"] is None:
                    continue
                rows.append(
                    [
                        f"  {_thrown(first)}",
                        first["move"] or "pass",
                        _thrown(second),
                        second["move"] or "pass",
                        third["say"],
                        loss_text(payoff_of(found), third["other_loses"]),
                    ]
                )
    return columns(rows, "<<<<<>") if len(rows) > 1 else ""


def _thumbs(found: dict[str, Any]) -> str:
    thumbs = found["thumbs"]
    if not thumbs["orders"]:
        return ""
    rows = [["  priorities", f"beat {thumbs['against']}"]]
    rows += [[f"  {each['order']}", as_share(each["wins"])] for each in thumbs["orders"]]
    text = columns(rows, "<>")
    for k, name in enumerate(thumbs["orders"][-1]["order"].split("+"), start=1):
        text += f"\n  {k}. {'Prefer' if k == 1 else 'Among equals,'} {PRIORITIES[name]}."
    rows = [["  points lost", "a game against the table", "at a choice of the table's games"]]
    for name, loss in thumbs["loss_at_a_choice"].items():
        game = as_points(thumbs["loss_a_game"][name], sign=False)
        rows.append([f"  {name}", game, as_points(loss, sign=False)])
    return f"{text}\n{columns(rows, '<>>')}"


_STUDIED, _COMPARED, _ESTIMATED = 100_000, 20_000, 2000
"""The games of a study, of each study that is compared, and of an estimator's."""


def _games_option(who: str, usual: int) -> Callable[[_F], _F]:
    return number_option(
        "-g",
        "--games",
        within=(100, 10_000_000),
        help=f"Play N games of {who} against itself; by default {usual:,}, of an estimator "
        f"{_ESTIMATED:,}.",
    )


def _studied(
    word: str,
    games: int | None,
    usual: int,
    seed: int,
    plies: int,
    is_verbose: bool = False,
) -> Study:
    """The study of a table, or of an estimator; of the usual number of games unless it is given."""
    with shown_task(f"studying {word}") as show, open_playing(word, plies, "a study") as table:
        if games is None:
            games = usual if table.are_exact else _ESTIMATED
        return study(table, games=games, seed=seed, say=say if is_verbose else show)


@click.command()
@table_argument
@_games_option("the table", _STUDIED)
@seed_option("Seed the random numbers of all games.")
@click.option("--verbose", "-v", is_flag=True, help="Log each step.")
@plies_option(1)
@json_option
def study_command(
    word: str, games: int | None, seed: int, verbose: bool, plies: int, as_json: bool
) -> None:
    """Analyse how fair and how long a game is, how much is luck, and which rules of thumb help.

    TABLE is a file or a rule set, such as finkel:3. The table plays against itself, and
    other policies play against each other. Sampled figures have 95 % intervals; the others
    are exact. The same seed gives the same study. Without a table, an estimator plays in its place
    ('ur train'), and the study has sampled figures only. ur compare reads the files
    NAME.study.json that --json writes.

    \b
    ur study finkel:3
    ur study finkel:3 --json > finkel-3.study.json
    """
    found = _studied(word, games, _STUDIED, seed, plies, verbose)
    if as_json:
        echo(json_text(found), raw=True)
    else:
        echo(study_page(found))


@click.command()
@some_tables_argument
@_games_option("each table", _COMPARED)
@seed_option("Seed the random numbers of all games.")
@click.option("--html", type=OUTPUT_FILE, help="Write an HTML page.")
@click.option("--csv", type=OUTPUT_FILE, help="Write a CSV file.")
@plies_option(1)
@json_option
def compare_command(
    words: tuple[str, ...],
    games: int | None,
    seed: int,
    html: Path | None,
    csv: Path | None,
    plies: int,
    as_json: bool,
) -> None:
    """Compare the studies of several rule sets side by side.

    A TABLE is a file or a rule set, such as finkel:3, or a file NAME.study.json that ur study
    --json wrote, which needs no new games. The page of --html is self-contained; matplotlib draws
    its plots.

    \b
    ur compare finkel:3 blitz:2 skiriuk:2 --html compared.html
    """
    outputs = {"--html": html, "--csv": csv}
    check_outputs(outputs, words)
    studies = [
        read_study(Path(word))
        if word.endswith(".study.json")
        else _studied(word, games, _COMPARED, seed, plies)
        for word in words
    ]
    write_reports(
        studies,
        [
            ("page", html, lambda _: comparison_page(studies)),
            ("table", csv, lambda _: comparison_csv(studies)),
        ],
    )
    if as_json:
        echo(comparison_json(studies), raw=True)
    elif html is None and csv is None:
        echo(columns(table_of(studies), "<" + ">" * len(studies)))
