"""`ur play`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np

from ur_solver.api.table import Table
from ur_solver.audit import Thresholds, audit_games, references_of
from ur_solver.audit.players import NAMES, Chooser, named_player
from ur_solver.audit.worth import Option, option_values
from ur_solver.cli.audit_page import audit_page
from ur_solver.cli.options import table_argument
from ur_solver.cli.output import bar, columns, draw_position, say, side_name
from ur_solver.locate import open_file
from ur_solver.records import Ending, GameRecord, Replay, check_output, write_games
from ur_solver.rules import DARK, FREE_THROW, LIGHT, opponent

HUMAN = "human"
_TITLE = "this game"

_HELP = "or its number; 'hint' shows what they are worth, 'resign' gives up"


class _ResignError(Exception):
    """The player gives up."""


@click.command(short_help="Play against a table.")
@table_argument
@click.option(
    "--light",
    type=click.Choice([HUMAN, *NAMES]),
    default=HUMAN,
    show_default=True,
    help="Who throws first.",
)
@click.option(
    "--dark",
    type=click.Choice([HUMAN, *NAMES]),
    default="best",
    show_default=True,
    help="Who else.",
)
@click.option("--hints", is_flag=True, help="Show what every move is worth, each time.")
@click.option("--seed", type=int, help="Of the dice; another game each time by default.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Save the game: .rgn, .json for RoyalUr's notation, or .ur for any rules.",
)
@click.option("--audit/--no-audit", "with_audit", default=True, help="Judge the game at its end.")
def command(
    word: str,
    light: str,
    dark: str,
    hints: bool,
    seed: int | None,
    output: Path | None,
    with_audit: bool,
) -> None:
    """Play in the terminal by TABLE, a file or a rule set such as finkel:3.

    Players: human; best, which plays by the table; strong, medium and weak, which do so
    with growing carelessness; greedy, first and random, which need no table. Two humans
    share the keyboard; without one the program plays itself.

    \b
    ur play finkel:3 --dark medium -o game.rgn
    """
    rng = np.random.default_rng(seed)
    with Table(open_file(word, say=say)) as table:
        if output is not None:
            check_output(output, table.rules)
        choosers: dict[str, Chooser | None] = {
            side: None if name == HUMAN else named_player(name, table)
            for side, name in ((LIGHT, light), (DARK, dark))
        }
        record = _play(table, choosers, {"Light": light, "Dark": dark}, rng, hints)
        if output is not None:
            write_games([record], output)
            say(f"the game is in {output}")
        if with_audit and record.plies:
            (audit,) = audit_games([record], table)
            references = {record.rules: references_of(table, say=say)}
            click.echo("\n" + audit_page([audit], Thresholds(), references, worst=3))


def _play(
    table: Table,
    choosers: dict[str, Chooser | None],
    metadata: dict[str, str],
    rng: np.random.Generator,
    hints: bool,
) -> GameRecord:
    replay = Replay(table.rules)
    has_human = None in choosers.values()
    try:
        while replay.winner is None:
            _take_turn(table, replay, choosers[replay.side], rng, hints)
    except (_ResignError, click.Abort) as error:
        # Ctrl-C and the end of the input leave a game that is worth keeping, too.
        resigns = isinstance(error, _ResignError)
        quitter = replay.side
        click.echo(f"\n{side_name(quitter)} {'resigns' if resigns else 'leaves the game'}")
        return replay.finish(
            Ending.RESIGNED if resigns else Ending.ABANDONED,
            opponent(quitter),
            loser_by_choice=quitter,
            reason=None if resigns else "player_left",
            metadata=metadata,
            file=_TITLE,
        )
    position = replay.stepper.position(replay.state, replay.side)
    if has_human:
        click.echo("\n" + draw_position(position))
    click.echo(f"\n{side_name(replay.winner)} has won")
    return replay.finish(metadata=metadata, file=_TITLE)


def _take_turn(
    table: Table, replay: Replay, chooser: Chooser | None, rng: np.random.Generator, hints: bool
) -> None:
    """One turn of the side to throw; a human's if nobody chooses for it."""
    side, name = replay.side, side_name(replay.side)
    if chooser is None:
        position = replay.stepper.position(replay.state, side)
        click.echo("\n" + draw_position(position) + "\n")

    def choose(options: Sequence[Option], texts: Sequence[str], what: str) -> int:
        if chooser is None:
            return _ask(table, options, texts, what, hints)
        return chooser([options], rng)[0] if len(options) > 1 else 0

    sayings = replay.sayings()
    said, choice, words = -1, FREE_THROW, ""
    if sayings:
        names = [saying.name for saying in sayings]
        said = choose(sayings, names, "say") if len(sayings) > 1 else 0
        choice = names[said]
        words = f"says {choice}, "
    throws = replay.rolls(choice).pick(rng.random()).throws
    thrown = " and ".join(map(str, throws))
    steps = replay.legal(throws, choice)
    texts = [replay.stepper.text(side, step) for step in steps]
    played = -1
    if steps:
        if chooser is None:
            click.echo(f"{name} throws {thrown}")
        played = choose(steps, texts, "move")
    if chooser is not None or played < 0:
        told = texts[played] if played >= 0 else "no move"
        click.echo(f"{name} {words}throws {thrown}: {told}")
    place = f"throw {len(replay.plies) + 1}"
    replay.take(throws, steps, played, place=place, sayings=sayings, said=said)


def _ask(
    table: Table, options: Sequence[Option], texts: Sequence[str], what: str, hints: bool
) -> int:
    """The index of what the player chooses; `what` is the prompt."""
    if hints:
        click.echo(_worth(table, options, texts))
    else:
        click.echo("  " + "   ".join(f"{k} {text}" for k, text in enumerate(texts, start=1)))
    while True:
        answer = click.prompt(what, prompt_suffix="> ").strip()
        if answer in texts:
            return texts.index(answer)
        if answer.isascii() and answer.isdigit() and 1 <= int(answer) <= len(texts):
            return int(answer) - 1
        if answer == "hint":
            click.echo(_worth(table, options, texts))
        elif answer == "resign":
            raise _ResignError
        else:
            wanted = "a move" if what == "move" else " or ".join(texts)
            say(f"{answer[:40]!r}: expected {wanted} {_HELP}")


def _worth(table: Table, options: Sequence[Option], texts: Sequence[str]) -> str:
    (worth,) = option_values([options], table)
    best = max(worth)
    rows = [
        [f"  {k}", text, f"{100 * value:.2f} %", f"-{100 * (best - value):.2f}", bar(value)]
        for k, (text, value) in enumerate(zip(texts, worth, strict=True), start=1)
    ]
    return columns(rows, "><>><")
