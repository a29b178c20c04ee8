"""`ur convert` and `ur dice`: recorded games in other notations, and their throws."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from ur_solver.api.games import Games, read_games
from ur_solver.audit.audits import NOTHING
from ur_solver.audit.dice_test import dice_test
from ur_solver.cli.options import (
    files_argument,
    json_option,
    output_option,
    played_by_option,
    seed_option,
)
from ur_solver.cli.output import columns, echo, report_left_out, say_written
from ur_solver.common.files import check_outputs
from ur_solver.common.progress import shown_task
from ur_solver.common.text import counted, json_text
from ur_solver.errors import InputError
from ur_solver.records import (
    GameRecord,
    Notation,
    RecordFault,
    find_files,
    notation_of,
    write_games,
    written_games,
)
from ur_solver.rules import named_rules


@click.command()
@files_argument
@click.option("--to", "name", metavar="NOTATION", help="Write rgn, json or ur.")
@output_option("Write to a file; its suffix names the notation.")
@played_by_option
def convert_command(
    files: tuple[str, ...], name: str | None, output: Path | None, rules: str | None
) -> None:
    """Convert the games of FILE... to another notation.

    The games are read in any notation and checked by the rules; comments, names and endings are
    kept. They go to one file, or without -o to standard output. A folder stands for all games in
    it, '-' for standard input. Games that cannot be read, or cannot be written in the notation, are
    reported and skipped.

    \b
    ur convert game.json evening.ur -o games.rgn
    ur convert game.rgn --to json
    """
    notation = _notation(name, output)
    found = list(find_files(files))
    check_outputs({"--output": output}, found)
    games = read_games(found, None if rules is None else named_rules(rules))
    left_out: list[RecordFault] = []
    converted = _writable(games, notation, left_out)
    if output is None:
        for text in written_games(converted, notation):
            echo(text, nl=False, raw=True)
    else:
        with shown_task("converting games"):
            n_games = write_games(converted, output)
        if n_games:
            say_written(counted(n_games, "game"), output)
    report_left_out([*games.faults, *left_out], "not converted", games.warnings)


def _notation(name: str | None, output: Path | None) -> Notation:
    """The notation of these options; an error if there are none, or if both name different ones."""
    if output is None:
        if name is None:
            raise click.UsageError("Missing option '--to' or '-o': the notation to write.")
        return notation_of(name)
    found = notation_of(output.suffix)
    if name is not None and notation_of(name) is not found:
        raise InputError(
            f"--to is {name!r}, but {str(output)!r} is a file of the notation {found.name!r}"
        )
    return found


def _writable(games: Games, notation: Notation, faults: list[RecordFault]) -> Iterator[GameRecord]:
    """The games that a notation can express; for each of the others a fault."""
    for game in games:
        if reason := notation.fault(game.rules):
            faults.append(RecordFault(game.file, game.number, reason))
        else:
            yield game


_SERIES = ("light", "dark", "both")


@click.command()
@files_argument
@played_by_option
@seed_option("Seed the fair series that the throws are compared with.")
@json_option
def dice_command(files: tuple[str, ...], rules: str | None, seed: int, as_json: bool) -> None:
    """Count the throws in the games of FILE... and compare them with fair dice.

    The throws of light, of dark and of both are counted. For each, the program draws many series of
    the same number of fair throws and shows how often their counts deviate at least as much. A
    folder stands for all games in it, '-' for standard input. Games that cannot be read are
    reported and skipped. No table is needed; ur audit shows what the throws were worth.

    \b
    ur dice games.rgn
    """
    games = read_games(files, None if rules is None else named_rules(rules))
    with shown_task("comparing with fair dice"):
        found = dice_test(games, seed)
    if as_json:
        for each in found:
            echo(json_text(each), raw=True)
    elif found:
        echo("\n\n".join(_dice_page(each) for each in found))
    report_left_out(games.faults, "not counted", games.warnings)


def _dice_page(found: dict[str, Any]) -> str:
    games = counted(found["games"], "game")
    rows = [[f"{found['dice']}, {games}", "fair dice", *_SERIES]]
    for k, each in enumerate(found["both"]["counts"]):
        counts = [found[name]["counts"][k] for name in _SERIES]
        rows.append(
            [
                str(each["throw"]),
                f"{100 * each['probability']:.1f} %",
                *(f"{one['count']} of {one['expected']:.1f}" for one in counts),
            ]
        )
    rows.append(["throws", "", *(f"{found[name]['throws']:,}" for name in _SERIES)])
    rows.append(["mean", f"{found['both']['fair_mean']:.2f}", *map(_mean, _found(found))])
    texts = "\n".join(f"{name}: {found[name]['text']}" for name in _SERIES)
    return f"{columns(rows, '<>>>>')}\n\n{texts}"


def _found(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [found[name] for name in _SERIES]


def _mean(series: dict[str, Any]) -> str:
    if series["mean"] is None:
        return NOTHING
    return f"{series['mean']:.2f} (fair \N{PLUS-MINUS SIGN} {series['fair_error']:.2f})"
