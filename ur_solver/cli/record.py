"""`ur record`."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from ur_solver.api.evaluator import Evaluator
from ur_solver.cli.answering import playing_if_any, plies_option
from ur_solver.cli.audit_page import audit_of
from ur_solver.cli.options import OUTPUT_FILE, table_argument
from ur_solver.cli.output import echo, say
from ur_solver.cli.playing import played
from ur_solver.cli.recording import Recording, recorded_game
from ur_solver.common.files import check_outputs
from ur_solver.records import Ending, GameRecord, Replay, check_output, write_games
from ur_solver.rules import DARK, LIGHT, RuleSet, named_rules


@click.command()
@table_argument
@click.argument("file", type=OUTPUT_FILE)
@click.option("--light", "light_name", metavar="NAME", help="Name the player of light.")
@click.option("--dark", "dark_name", metavar="NAME", help="Name the player of dark.")
@click.option("--resume", is_flag=True, help="Resume the unfinished game in FILE.")
@click.option("--hints", is_flag=True, help="Show the value of every move before each choice.")
@plies_option()
@click.option("--audit/--no-audit", "with_audit", default=True, help="Audit the game when it ends.")
def command(
    word: str,
    file: Path,
    light_name: str | None,
    dark_name: str | None,
    resume: bool,
    hints: bool,
    plies: int,
    with_audit: bool,
) -> None:
    """Record into FILE a game that two people play with their own dice.

    TABLE is a file or a rule set, such as finkel:3; FILE ends in .rgn, .json or .ur. Type each
    throw, alone or with its move, as 3 or 3 a@a2; the only legal move need not be typed. undo takes
    back the last turn; back 5 corrects throw 5 and keeps the later turns as far as they fit; turns
    lists them. A line such as 'L wins' or 'dark resigned' ends a game early. FILE is written after
    every turn, and --resume continues it. Without a table the game is still recorded, but there are
    no hints and no audit.

    \b
    ur record finkel:3 evening.ur --light Ann --dark Ben
    """
    check_outputs({"FILE": file}, [word])
    table, missing = playing_if_any(word, plies)
    rules = named_rules(word) if table is None else table.rules
    if missing is not None:
        say(f"there is no table of {rules.title}: no hints and no audit")
    with table or nullcontext():
        check_output(file, rules)
        check_outputs({"FILE": file}, [] if table is None or table.path is None else [table.path])
        begun = recorded_game(file, rules, resumes=resume)
        record, stop = _recorded(table, rules, begun, file, (light_name, dark_name), hints)
        if record.ending is Ending.UNFINISHED:
            echo(f"\nthe game is in {file}: 'ur record {word} {file} --resume' continues it")
        else:
            say(f"the game is in {file}")
        if stop is not None:
            raise stop
        is_over = record.plies and record.ending is not Ending.UNFINISHED
        if with_audit and table is not None and is_over:
            echo(f"\n{audit_of(record, table)}")


def _recorded(
    table: Evaluator | None,
    rules: RuleSet,
    begun: GameRecord | None,
    file: Path,
    names: tuple[str | None, str | None],
    has_hints: bool,
) -> tuple[GameRecord, KeyboardInterrupt | None]:
    """Record a game to its end or until it is left; return it and the Ctrl-C, if any."""
    replay, kept = Replay(rules), {}
    metadata: dict[str, str] = {}
    if begun is not None:
        replay = Replay.resumed(begun)
        metadata, kept = dict(begun.metadata), dict(begun.comments)
    metadata |= {side: name for side, name in zip(("Light", "Dark"), names, strict=True) if name}
    recording = Recording(table, replay, {LIGHT: None, DARK: None}, 0, has_hints=has_hints)

    def written(**ending: Any) -> GameRecord:
        n_plies = len(recording.replay.plies)
        comments = {number: text for number, text in kept.items() if number <= n_plies}
        record = recording.replay.finish(
            metadata=metadata, comments=comments, file=str(file), **ending
        )
        write_games([record], file)
        return record

    ending, stop = played(recording, written)
    return written(**ending), stop
