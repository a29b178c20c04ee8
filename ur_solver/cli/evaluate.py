"""`ur evaluate`, `ur duel` and `ur sample`: players against each other, and one judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np
from click.core import ParameterSource

from ur_solver.answers.locate import open_file
from ur_solver.api.table import Table
from ur_solver.audit.games import SampleStatistics, play_many
from ur_solver.cli.answering import open_playing, plies_option
from ur_solver.cli.completion import complete_table
from ur_solver.cli.options import (
    FiniteFloat,
    json_option,
    number_option,
    output_option,
    seed_option,
    table_argument,
)
from ur_solver.cli.output import columns, echo, say, say_written, side_name
from ur_solver.common.files import check_outputs
from ur_solver.common.progress import Form, Progress, shown_progress, shown_task
from ur_solver.common.text import counted, json_text
from ur_solver.errors import InputError
from ur_solver.players.policies import PLAYERS, PRIORITIES, TEMPERATURES, policy_from, policy_of
from ur_solver.records import GameRecord, check_output, write_games
from ur_solver.rules import DARK, LIGHT, RuleSet, named_rules
from ur_solver.study import Evaluation, evaluate
from ur_solver.study.duel import Duel, Duellist, PolicyDuellist, Program, duel
from ur_solver.study.estimates import IntervalEstimate, as_number, as_share, share_of

if TYPE_CHECKING:
    from ur_solver.envs.regret import JudgedDecision, PlayRegret, SpaceRegret
    from ur_solver.estimators.against_table import TableComparison
    from ur_solver.rules.payoff import Units

_DEPTHS = [1, 2, 3]
"""The plies of the searches that are compared with a table."""

_GAMES_OF_ESTIMATOR = 2000
"""A table chooses some ten times as fast."""


@click.command()
@table_argument
@click.option("--light", default="table", show_default=True, metavar="POLICY",
              help="Play light by POLICY.")  # fmt: skip
@click.option("--dark", default="table", show_default=True, metavar="POLICY",
              help="Play dark by POLICY.")  # fmt: skip
@number_option(
    "-g",
    "--games",
    within=(2, 10_000_000),
    help="Play N games, even if exact results are possible.",
)
@click.option("--policy", metavar="POLICY",
              help="Judge POLICY in every decision of the game instead; it may also be a Python "
              "file or a module that defines policy.")  # fmt: skip
@click.option("--against", metavar="TABLE",
              help="Compare an estimator with TABLE instead, which judges its values, intervals "
              "and moves.")  # fmt: skip
@number_option(
    "--examples",
    within=(0, 10_000),
    default=10,
    help="Show the N closest and the N worst decisions.",
)
@seed_option("Seed the random numbers of the games.")
@plies_option(1)
@json_option
@click.pass_context
def evaluate_command(
    ctx: click.Context,
    word: str,
    light: str,
    dark: str,
    games: int | None,
    policy: str | None,
    against: str | None,
    examples: int,
    seed: int,
    plies: int,
    as_json: bool,
) -> None:
    """Compute how often light wins by one policy against another, and how long the games are.

    TABLE is a file or a rule set, such as finkel:3. Light throws first. For up to a million
    positions results are exact; beyond that, 100,000 games are played, and results have 95 %
    intervals. A POLICY is table; strong, medium or weak, which sometimes err; random; reply, the
    best reply to the other side's policy; first or greedy, as in ur sample; or priorities joined
    by +. The first priority decides, the next ones break ties, and the rest is drawn at random:
    win, capture, rosette, again, safe, off, enter, furthest, rearmost. Without a table, an
    estimator (see 'ur train') replaces it, and 2,000 games are played.

    \b
    ur evaluate finkel:3 --light capture+safe+furthest --dark table

    With --policy it computes what POLICY loses, as judged by the table, in each decision of the
    game, whether or not play gets there; what it loses in games against the table; and how close
    decisions are.

    \b
    ur evaluate finkel:3 --policy agent.py

    With --against it takes an estimator in place of TABLE, and says how far its values are off by
    an exact table, how many lie in its intervals, and what its moves lose, by searches of 1, 2 and
    3 plies, or of --plies. Other tables that lie around do not count.

    \b
    ur evaluate my-finkel.h5 --against finkel:3
    """

    def is_given(option: str) -> bool:
        return ctx.get_parameter_source(option) is not ParameterSource.DEFAULT

    if policy is not None:
        for option in ("light", "dark", "games", "against"):
            if is_given(option):
                raise InputError(f"--policy judges one policy alone, without --{option}")
        found_text = _judged(word, policy, examples, seed, as_json)
        echo(found_text, raw=as_json)
        return
    if against is not None:
        for option in ("light", "dark", "examples"):
            if is_given(option):
                raise InputError(f"--against compares an estimator, without --{option}")
        depths = [plies] if is_given("plies") else _DEPTHS
        compared = _compared(word, against, depths, games, seed, as_json)
        echo(compared, raw=as_json)
        return
    task = shown_task(f"playing {light} against {dark}")
    with task, open_playing(word, plies, "an evaluation") as table:
        if games is None and not table.are_exact:
            games = _GAMES_OF_ESTIMATOR
        found = evaluate(table, light, dark, games=games, seed=seed)
        which = {} if table.are_exact else {"exact": False}
    if as_json:
        echo(json_text({"light": light, "dark": dark, **found.to_json(), **which}), raw=True)
    else:
        echo(_evaluation_page(found, light, dark))


def _judged(word: str, text: str, examples: int, seed: int, as_json: bool) -> str:
    from ur_solver.envs import policy_regret  # noqa: PLC0415

    with Table(open_file(word, say=say)) as table:
        table.check_whole("an evaluation")
        player = policy_from(text, table)
        total = table.space.n_values
        with shown_progress("judging", total, Form.AUTO) as progress:
            found = policy_regret(table, player, examples=examples, seed=seed, progress=progress)
    if as_json:
        return json_text({"policy": text, **found.to_json()})
    return regret_page(found, text)


def _compared(
    word: str, against: str, depths: list[int], games: int | None, seed: int, as_json: bool
) -> str:
    from ur_solver.estimators.estimator import open_estimator  # noqa: PLC0415 - for --against alone

    more = {} if games is None else {"games": games}
    with (
        open_estimator(word) as estimator,
        Table(open_file(against, say=say)) as table,
        shown_task("comparing") as report,
    ):
        found = []
        for plies in depths:
            report(counted(plies, "ply", "plies"))
            found.append(estimator.looking(plies).compared_with(table, seed=seed, **more))
        units = estimator.rules.payoff.units
    if as_json:
        return json_text({"against": against, "comparisons": [each.to_json() for each in found]})
    return comparison_page(found, units)


def comparison_page(found: list[TableComparison], units: Units) -> str:
    """What people are shown of estimators next to a table, a line for each search."""
    heads = ["plies", "positions", "RMS", "99 %", "inside", "differences inside"]
    rows = [[*heads, "a choice loses", "a game loses", "games"]]
    rows += [comparison_cells(each, units) for each in found]
    return f"{columns(rows, '>' * 9)}\nerrors and losses are in {units.name}"


def comparison_cells(found: TableComparison, units: Units) -> list[str]:
    """The figures of one search, as `comparison_page` has them in a line."""

    def share(value: float | None) -> str:
        return "" if value is None else f"{100 * value:.1f} %"

    def loss(figure: IntervalEstimate | None, decimals: int) -> str:
        if figure is None:
            return ""
        margin = units.number(figure.margin, decimals)
        return f"{units.number(figure.value, decimals)} \N{PLUS-MINUS SIGN} {margin}"

    errors = [units.number(each, 2) for each in (found.rms, found.p99)]
    shares = [share(each) for each in (found.inside, found.differences_inside)]
    losses = [loss(found.choice_loss, 3), loss(found.game_loss, 2), f"{found.games:,}"]
    return [str(found.plies), f"{found.positions:,}", *errors, *shares, *losses]


def _evaluation_page(found: Evaluation, light: str, dark: str) -> str:
    rows = [
        [f"{light} ({side_name(LIGHT)}) wins", _percent(found.chance)],
        [f"{dark} ({side_name(DARK)}) wins", _percent(found.chance.rest())],
        ["throws in a game", _number(found.throws)],
        ["  standard deviation", _number(found.deviation)],
        ["games played", f"{found.games:,}" if found.games else "none: the figures are exact"],
    ]
    return columns(rows, "<<")


def _percent(estimate: IntervalEstimate) -> str:
    if estimate.is_exact:
        return f"{100 * estimate.value:.8f} %"
    return as_share(estimate.to_json())


def _number(estimate: IntervalEstimate, unit: int = 1, decimals: int = 6) -> str:
    if estimate.is_exact:
        return f"{unit * estimate.value:.{decimals}f}"
    ends = (unit * each for each in (estimate.value, estimate.low, estimate.high))
    return as_number(IntervalEstimate(*ends).to_json())


def regret_page(found: SpaceRegret, policy: str) -> str:
    """What people are shown of a policy's regret; losses are points, hundredths of a chance."""
    from ur_solver.envs.regret import EDGES  # noqa: PLC0415 - for --policy alone

    n = max(1, found.decisions)
    rows = [
        ["decisions", f"{found.decisions:,} in all positions"],
        [f"regret of {policy}", f"{100 * found.mean:.4f} points a decision"],
        ["chooses a best option", f"{100 * found.best:.2f} % of the time"],
        *_in_play(found.in_play),
    ]
    margins = [["equal", f"{found.ties:,}", f"{100 * found.ties / n:.2f} %"]]
    ends = [f"up to {100 * edge:g} points" for edge in EDGES] + [f"over {100 * EDGES[-1]:g} points"]
    for end, count in zip(ends, found.margins, strict=True):
        margins.append([end, f"{count:,}", f"{100 * count / n:.2f} %"])
    parts = [
        columns(rows, "<<"),
        "margin between the best and the second best option",
        _indented(columns(margins, "<>>")),
    ]
    for title, decisions in (
        ("closest decisions: position, throw, best, second best, margin in points", found.closest),
        (f"largest regrets: position, throw, best, choice of {policy}, points lost", found.worst),
    ):
        if decisions:
            parts += [title, _indented(columns([*map(_regret_row, decisions)], "<><<>"))]
    return "\n".join(parts)


def _in_play(found: PlayRegret) -> list[list[str]]:
    how = f"{found.games:,} games" if found.games else "exact"
    return [
        ["in games against the table", how],
        ["  decisions in a game", _number(found.decisions, 1, 4)],
        ["  points lost in a game", _number(found.loss, 100, 4)],
        ["  points lost a decision", _number(found.mean, 100, 4)],
    ]


def _regret_row(decision: JudgedDecision) -> list[str]:
    throw = "-" if decision.throw is None else str(decision.throw)
    difference = f"{100 * decision.difference:.3g}"
    return [decision.position, throw, decision.best, decision.other, difference]


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


@click.command()
@click.argument("first")
@click.argument("second")
@click.option("--rules", "word", default="finkel", show_default=True, metavar="RULES",
              shell_complete=complete_table,
              help="Play by RULES, a rule set such as finkel:3.")  # fmt: skip
@number_option("-g", "--games", within=(2, 1_000_000), default=100, help="Play N games; N is even.")
@click.option("--seconds", default=10.0, show_default=True, type=FiniteFloat(0.001, 86400),
              help="Give a program this long for each answer.")  # fmt: skip
@seed_option("Seed the dice and the built-in players.")
@json_option
def duel_command(
    first: str, second: str, word: str, games: int, seconds: float, seed: int, as_json: bool
) -> None:
    """Let FIRST and SECOND play games in pairs, with the same throws and sides swapped.

    A player is a command that starts a program, or a built-in player: table, strong, medium and
    weak, which play by the table of RULES; greedy, first and random; or priorities, as in ur
    evaluate. A program reads positions and writes moves ('docs/agents.md' describes the lines).

    \b
    ur duel 'python3 engine.py' greedy --rules finkel:3 -g 200
    """
    rules = named_rules(word)
    with ExitStack() as stack:
        table = None
        if {first, second} & set(TEMPERATURES):
            table = stack.enter_context(Table(open_file(word, say=say)))
            table.check_whole("a duel")
        players = [
            _player(text, rules, table, seconds, seed + k, stack)
            for k, text in enumerate((first, second))
        ]
        progress = stack.enter_context(shown_progress("playing", games, Form.AUTO, unit="games"))
        found = duel(rules, players[0], players[1], games, seed=seed, progress=progress)
    if as_json:
        echo(json_text({"first": first, "second": second, **found.to_json()}), raw=True)
    else:
        echo(_duel_page(found, first, second))


def _player(
    text: str, rules: RuleSet, table: Table | None, seconds: float, seed: int, stack: ExitStack
) -> Duellist:
    """A built-in player, or a program that ends with the command."""
    if text in PLAYERS or all(part in PRIORITIES for part in text.split("+")):
        return PolicyDuellist(rules, policy_of(text, table), seed)
    return stack.enter_context(Program(text, seconds))


def _duel_page(found: Duel, first: str, second: str) -> str:
    rows = [
        [f"{first} wins", as_share(found.share.to_json())],
        [f"{second} wins", as_share(found.share.rest().to_json())],
        ["games", f"{found.games:,}, {found.unfinished:,} of them unfinished"],
        ["throws in a game", f"{found.throws:.1f}"],
    ]
    return columns(rows, "<<")


@click.command()
@table_argument
@number_option("-g", "--games", within=(1, 1_000_000), default=1000, help="Play N games.")
@click.option(
    "--players",
    default="table,table",
    show_default=True,
    metavar="LIGHT,DARK",
    help=f"Choose the two players: {', '.join(PLAYERS)}.",
)
@seed_option("Seed the dice and the players.")
@output_option("Write the games as .rgn, as .json, one game per line, or as .ur for any rules.")
@plies_option(1)
@json_option
def sample_command(
    word: str, games: int, players: str, seed: int, output: Path | None, plies: int, as_json: bool
) -> None:
    """Play games between two players by the rules of TABLE and print their statistics.

    TABLE is a file or a rule set, such as finkel:3. Light throws first. Ben's game begins with
    its opening instead; both players then take the best squares by the table. Players: table
    plays perfectly; strong, medium and weak err more and more often; greedy captures, else
    gets another throw, else moves its foremost piece; first moves its rearmost piece; random
    makes a random move. A player may also be priorities, as in ur evaluate. Without a table, an
    estimator plays in its place ('ur train').

    \b
    ur sample finkel:3 -g 1000 --players table,greedy -o games.rgn
    """
    names = players.split(",")
    if len(names) != 2:
        raise InputError(
            f"players {players!r}: expected two names separated by a comma, such as 'table,greedy'"
        )
    check_outputs({"--output": output}, [word])
    with open_playing(word, plies, None) as table:
        if output is not None:
            check_output(output, table.rules)
            check_outputs({"--output": output}, [] if table.path is None else [table.path])
        light, dark = (policy_of(name.strip(), table) for name in names)
        metadata = {"Light": names[0].strip(), "Dark": names[1].strip()}
        rng = np.random.default_rng(seed)
        found = SampleStatistics()
        with shown_progress("playing", games, Form.AUTO, unit="games") as progress:
            played = play_many(table.rules, light, dark, games, rng, metadata, table)
            records = _counted(found, played, progress, games)
            if output is not None:
                n_games = write_games(records, output)
            else:
                for _ in records:
                    pass
        if output is not None:
            say_written(counted(n_games, "game"), output)
        has_fines = table.rules.payoff.has_fines
        is_exact = table.are_exact
    if as_json:
        echo(_sample_json(found, metadata, has_fines, is_exact), raw=True)
    else:
        echo(_sample_page(found, metadata, has_fines))


def _counted(
    found: SampleStatistics, records: Iterable[GameRecord], progress: Progress, games: int
) -> Iterator[GameRecord]:
    for record in records:
        found.add(record)
        progress(found.games, games)
        yield record


_MONEY = ("fines", "light_money", "squared_light_money")
"""Fields of `SampleStatistics` that are shown as means, and only with stakes."""


def _sample_json(
    found: SampleStatistics, metadata: dict[str, str], has_fines: bool, is_exact: bool
) -> str:
    values = {
        "light": metadata["Light"],
        "dark": metadata["Dark"],
        **{name: value for name, value in asdict(found).items() if name not in _MONEY},
        "light_share": found.light_share,
        "share_error": found.share_error,
        **({} if is_exact else {"exact": False}),
    }
    money = {
        "fines": found.fines,
        "light_money": found.mean_light_money,
        "money_error": found.money_error,
    }
    return json_text(values | money if has_fines else values)


def _sample_page(found: SampleStatistics, metadata: dict[str, str], has_fines: bool) -> str:
    light_wins = share_of(found.light_wins, found.finished)
    wins = {LIGHT: light_wins, DARK: light_wins.rest()}
    names = {LIGHT: metadata["Light"], DARK: metadata["Dark"]}
    rows = [["games", f"{found.games:,}, {found.finished:,} of them finished"]]
    if found.finished:
        rows += [
            [f"{names[side]} ({side_name(side)}) wins", as_share(wins[side].to_json())]
            for side in (LIGHT, DARK)
        ]
        if has_fines:
            money = IntervalEstimate.around(found.mean_light_money, found.money_error)
            rows.append(
                [
                    f"{names[LIGHT]} (light) gets",
                    f"{as_number(money.to_json())} a game, less the fines that it pays",
                ]
            )
        rows.append(
            ["throws in a game", f"{found.mean_length:.1f}, {found.shortest} to {found.longest}"]
        )
    rows += [
        ["captures in a game", f"{found.captures / found.games:.1f}"],
        ["extra throws in a game", f"{found.extra_throws / found.games:.1f}"],
        ["passes in a game", f"{found.passes / found.games:.1f}"],
    ]
    if has_fines:
        rows.append(["fines in a game", f"{found.fines / found.games:.1f}"])
    return columns(rows, "<<")
