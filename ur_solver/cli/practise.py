"""`ur practise`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from ur_solver.api.evaluator import Evaluator
from ur_solver.api.exercises import drawn_exercises
from ur_solver.audit import GameAudit
from ur_solver.cli.answering import plies_option
from ur_solver.cli.cards import card_of, write_cards
from ur_solver.cli.judges import Judges, table_and_files
from ur_solver.cli.left_out import report_left_out
from ur_solver.cli.options import OUTPUT_FILE, FiniteFloat, json_option, number_option, seed_option
from ur_solver.cli.output import echo, say
from ur_solver.cli.quiz import Quiz
from ur_solver.common.files import check_outputs
from ur_solver.common.text import counted
from ur_solver.errors import InputError
from ur_solver.rules import DARK, LIGHT, SIDE_NAMES
from ur_solver.study.practise import Decision, decision, mistakes, opening_decision

Asked = tuple[Decision, Evaluator]
"""A decision, and what judges it."""


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="[TABLE] [FILE...]")
@number_option("--count", within=(1, 10_000), default=10, help="Ask at most N decisions.")
@click.option(
    "--cost",
    type=FiniteFloat(0, 1, max_open=True),
    default=0.02,
    show_default=True,
    help="Leave out decisions in which a mistake costs less.",
)
@click.option(
    "--player", metavar="NAME", help="Ask the mistakes of one player, or of light or dark."
)
@seed_option("Seed the games that decisions are drawn from.")
@click.option("--cards", type=OUTPUT_FILE, help="Write flash cards as CSV for Anki; ask nothing.")
@click.option(
    "--pictures",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write a picture for each flash card into this folder.",
)
@json_option
@plies_option()
def command(
    words: tuple[str, ...],
    count: int,
    cost: float,
    player: str | None,
    seed: int,
    cards: Path | None,
    pictures: Path | None,
    as_json: bool,
    plies: int,
) -> None:
    """Practise the mistakes of the games in FILE..., the worst first, or decisions of TABLE.

    TABLE is a file or a rule set, such as finkel:3. With files it judges their games; alone, the
    decisions are drawn from play, and --seed draws others. A folder stands for all games in it. The
    answer stays hidden until you find it or type show; a wrong answer is explained, and you try
    again. skip goes to the next decision, quit ends. In Ben's game the squares to choose in the
    opening are asked too. --cost is a chance, such as 0.02, or a share
    of the pot: what the played move lost, or in drawn decisions what the second best move loses.

    \b
    ur practise finkel:3
    ur practise evening.ur --player Ann
    ur practise evening.ur --cards mistakes.csv --pictures media
    """
    word, files = table_and_files(words)
    if pictures is not None and cards is None:
        raise click.UsageError("Option '--pictures' needs '--cards': the cards to illustrate.")
    if player is not None and not files:
        raise click.UsageError("Option '--player' needs FILE...: the games with the mistakes.")
    check_outputs({"--cards": cards}, files if word is None else [word, *files])
    with Judges(word, plies) as judges:
        if judges.only is None or files:
            asked = _worst(_mistakes(judges, files, cost, player), count)
        else:
            asked = _drawn(judges.only, count, seed, cost)
        check_outputs({"--cards": cards}, judges.paths)
        if not asked and not judges.faults:
            say(f"there is no decision in which a mistake costs {cost:g} or more")
        if asked and cards is not None:
            write_cards([card_of(each) for each, _ in asked], cards, pictures)
            say(f"{counted(len(asked), 'card')} written to {cards}")
        if as_json:
            for each, _ in asked:
                echo(json.dumps(each.to_json()))
        elif cards is None:
            Quiz(asked).ask()
    report_left_out(judges.faults, "not judged")


def _drawn(table: Evaluator, count: int, seed: int, cost: float) -> list[Asked]:
    """Decisions drawn from play."""
    found = drawn_exercises(table, count, seed=seed, cost=cost, has_openings=True)
    return [
        (
            decision(table, each.position, each.choice, each.throws)
            if each.source is None
            else opening_decision(table, each.source, each.throws),
            table,
        )
        for each in found
    ]


def _mistakes(judges: Judges, files: list[str], cost: float, player: str | None) -> Iterator[Asked]:
    """The mistakes in the games of files.

    Raises
    ------
    InputError
        If no game has this player.
    """
    is_found = player is None
    for audit in judges.audits(files):
        sides = _sides_of(audit, player)
        is_found = is_found or bool(sides)
        table = judges.of(audit.record.rules)
        for each in mistakes(audit, table, cost=cost, sides=sides):
            yield each, table
    if not is_found:
        raise InputError(f"{player!r:.60} plays in none of the games")


def _sides_of(audit: GameAudit, player: str | None) -> str:
    """The sides that a player, if one is named, has in a game."""
    if player is None:
        return LIGHT + DARK
    wanted = player.casefold()
    names = {side: (SIDE_NAMES[side], audit.record.player(side) or "") for side in (LIGHT, DARK)}
    return "".join(side for side in names if wanted in map(str.casefold, names[side]))


def _worst(found: Iterable[Asked], count: int) -> list[Asked]:
    """The costliest of different decisions; of the same ones the first."""
    different: dict[tuple[object, ...], Asked] = {}
    for each, table in found:
        key = (each.position, each.choice, each.throws)
        different.setdefault(key, (each, table))
    return sorted(different.values(), key=lambda asked: -asked[0].cost)[:count]
