"""`ur play`: a game against a table or another person, which is kept until it is over."""

from __future__ import annotations

import re
import secrets
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import click
from click.core import ParameterSource

from ur_solver.cli.answering import playing_if_any, plies_option
from ur_solver.cli.asking import agrees, ask, is_conversation
from ur_solver.cli.audit import audit_of
from ur_solver.cli.options import output_option, seed_option, table_argument
from ur_solver.cli.output import columns, echo, say
from ur_solver.cli.playing import Playing, played
from ur_solver.common.files import check_outputs, free_path, make_folder
from ur_solver.common.text import counted
from ur_solver.errors import InputError, OutputError, RecordError
from ur_solver.players.policies import PLAIN, PLAYERS, Player, policy_of
from ur_solver.records import (
    Ending,
    GameRecord,
    RecordFault,
    Replay,
    check_output,
    read_file,
    write_games,
)
from ur_solver.records.series import Series
from ur_solver.rules import DARK, LIGHT, SIDE_NAMES, RuleSet, named_rules
from ur_solver.table.names import games_folder, is_made_for, own_path

SEED = "Seed"
"""The header with the seed of the dice, so that a resumed game gets the same dice."""


def _rules_at(path: Path) -> RuleSet | None:
    """The rules of the game saved at a path."""
    if path.is_file():
        for game in read_file(str(path)):
            if isinstance(game, GameRecord):
                return game.rules
    return None


class KeptGame:
    """A game of a rule set that was left, in a file of its own.

    It is in the plain notation, which has games of all rule sets.
    """

    def __init__(self, rules: RuleSet, path: Path) -> None:
        self._rules, self.path = rules, path

    def load(self) -> GameRecord:
        """The game; RecordError if it cannot be read."""
        (game, *_) = read_file(str(self.path), self._rules)
        if isinstance(game, RecordFault):
            raise RecordError(str(game))
        return game

    def save(self, record: GameRecord) -> None:
        """Save the game as it stands; OutputError if it cannot be written."""
        make_folder(self.path.parent)
        write_games([record], self.path)

    def remove(self) -> None:
        """Remove the saved game."""
        with suppress(OSError):
            self.path.unlink()


def kept_games(rules: RuleSet) -> list[KeptGame]:
    """The games of a rule set that were left, the last one first."""
    first = _first_path(rules)
    numbered = re.compile(rf"{re.escape(first.stem)}-(\d+)")
    found = [(first.stat().st_mtime_ns, 1, first)] if first.exists() else []
    for path in first.parent.glob(f"{first.stem}-*.ur"):
        number = numbered.fullmatch(path.stem)
        if number is not None and _is_of(path, rules):
            found.append((path.stat().st_mtime_ns, int(number[1]), path))
    return [KeptGame(rules, path) for *_, path in sorted(found, reverse=True)]


def _is_of(path: Path, rules: RuleSet) -> bool:
    held = _rules_at(path)
    return held is not None and is_made_for(rules, held)


def new_kept_game(rules: RuleSet) -> KeptGame:
    """A place for a game of a rule set, where no other is."""
    return KeptGame(rules, free_path(_first_path(rules)))


def _first_path(rules: RuleSet) -> Path:
    return own_path(rules, lambda stem: games_folder() / f"{stem}.ur", _rules_at)


HUMAN = "human"
_TITLE = "this game"
_SIDES = {LIGHT: "Light", DARK: "Dark"}


@click.command()
@table_argument
@click.option(
    "--light",
    type=click.Choice([HUMAN, *PLAYERS]),
    default=HUMAN,
    show_default=True,
    help="Choose the player of light, who throws first.",
)
@click.option(
    "--dark",
    type=click.Choice([HUMAN, *PLAYERS]),
    default="table",
    show_default=True,
    help="Choose the player of dark.",
)
@click.option("--resume", is_flag=True, help="Resume the last game of these rules that you left.")
@click.option("--hints", is_flag=True, help="Show the value of every move before each choice.")
@seed_option("Seed the dice; by default they differ each time.", default=None)
@output_option("Add the game to a file: .rgn, .json in RoyalUr's notation, or .ur for any rules.")
@plies_option()
@click.option("--audit/--no-audit", "with_audit", default=True, help="Audit the game when it ends.")
@click.pass_context
def play_command(
    ctx: click.Context,
    word: str,
    light: str,
    dark: str,
    resume: bool,
    hints: bool,
    seed: int | None,
    output: Path | None,
    plies: int,
    with_audit: bool,
) -> None:
    """Play in the terminal against TABLE, a file or a rule set such as finkel:3.

    Players: human; table, which plays perfectly; strong, medium and weak, which err more
    and more often; greedy, first and random, which use no table. Two humans share the
    keyboard; without a human the program plays itself.

    Without a table, an estimator plays and audits the game ('ur train'). Without either, only
    players that need no table can play, and there is no audit.

    Type a move in any case, or its number; help lists what else you can type, and the signs of the
    board. A game that you leave is kept until it is over: quit, Ctrl-C and the end of the input
    leave it, and --resume continues the last one. -o adds the game to a file of games.

    \b
    ur play finkel:3 --dark medium -o game.rgn
    """
    check_outputs({"--output": output}, [word])
    with ExitStack() as stack:
        table, missing = playing_if_any(word, plies)
        if table is not None:
            stack.enter_context(table)
        rules = named_rules(word) if table is None else table.rules
        if output is not None:
            check_output(output, rules)
            path = None if table is None else table.path
            check_outputs({"--output": output}, [] if path is None else [path])
            Series(output, rules)
        names = {LIGHT: light, DARK: dark}
        kept = _kept_game(rules, resumes=resume) if HUMAN in (light, dark) or resume else None
        begun = Replay(rules).finish() if kept is None else kept.load()
        if kept is not None:
            names |= _players_of(begun, ctx)
            seed = _seed_of(begun) if seed is None else seed
        seed = secrets.randbits(32) if seed is None else seed
        if missing is not None and (hints or not {*names.values()} <= {HUMAN, *PLAIN}):
            raise missing
        players = {
            side: None if name == HUMAN else Player(rules, policy_of(name, table))
            for side, name in names.items()
        }
        metadata = {_SIDES[side]: name for side, name in names.items()}
        begun = replace(begun, metadata=metadata, file=_TITLE)
        playing = Playing(table, begun, players, seed, has_hints=hints)
        if HUMAN in names.values():
            record, is_saved, stop = _play_to_end(playing, kept, rules, seed)
        else:  # which nobody can leave
            stop = played(playing, lambda: None)
            record, is_saved = playing.history.now, False
        has_begun = bool(record.plies or record.opening)
        if output is not None and has_begun:
            record = _added(record, output)
        if record.ending is Ending.UNFINISHED and (is_saved or not has_begun):
            echo(
                f"\nthe game is saved: 'ur play {word} --resume' continues it"
                if has_begun
                else "\nno turn was played, and nothing is saved"
            )
        if stop is not None:
            raise stop
        if with_audit and record.plies and record.ending is not Ending.UNFINISHED:
            if table is None:
                say(f"there is no table of {rules.title}, so the game is not audited")
            else:
                echo(f"\n{audit_of(replace(record, file=_TITLE, number=1), table)}")


def _kept_game(rules: RuleSet, *, resumes: bool) -> KeptGame | None:
    """The game to go on with: the one that is asked for, or that the player agrees to."""
    kept = kept_games(rules)
    if not kept:
        if resumes:
            raise InputError(f"no game of {rules.word} to resume")
        return None
    if not is_conversation():
        if resumes:
            return kept[0]
        say("a saved game exists, and stays; --resume continues it")
        return None
    if resumes:
        return kept[0] if len(kept) == 1 else _chosen_game(kept)
    others = f" ('ur play {rules.word} --resume' lists all {len(kept)})" if len(kept) > 1 else ""
    echo(f"you have left a game of {rules.word}: {_kept_text(kept[0])}{others}")
    return (
        kept[0] if agrees("go on with it? no begins another, and keeps it", default=True) else None
    )


def _chosen_game(kept: list[KeptGame]) -> KeptGame:
    """One of the games that were left, by its number."""
    rows = [[f"  {number}", _kept_text(each)] for number, each in enumerate(kept, start=1)]
    echo(f"you have left these games, the last one first:\n{columns(rows, '><')}")
    while True:
        answer = ask("which, 1 if you type nothing", blank="1")
        if answer.isdecimal() and 1 <= int(answer[:9]) <= len(kept):
            return kept[int(answer) - 1]
        say(f"{answer[:40]!r}: type 1 to {len(kept)}")


def _kept_text(kept: KeptGame) -> str:
    """What a game that was left is: who plays, and how far it is."""
    try:
        game = kept.load()
    except RecordError as error:
        return str(error)
    players = " against ".join(game.player(side) or SIDE_NAMES[side] for side in (LIGHT, DARK))
    day = datetime.fromtimestamp(kept.path.stat().st_mtime).strftime("%d %b, %H:%M")
    return f"{players}, {counted(len(game.plies), 'throw')}, left on {day}"


def _added(record: GameRecord, output: Path) -> GameRecord:
    """Add a game to a file of games, or put it in the place of its own beginning there."""
    series = Series(output, record.rules)
    if series.begins(record):
        series.resume()
    record = replace(record, file=str(output), number=series.number)
    series.write(record)
    say(f"the game is in {record.title}")
    return record


def _players_of(record: GameRecord, ctx: click.Context) -> dict[str, str]:
    """The players of a saved game by side, where no option names another."""
    found = {}
    for side, option in ((LIGHT, "light"), (DARK, "dark")):
        is_given = ctx.get_parameter_source(option) is not ParameterSource.DEFAULT
        player = record.player(side)
        if not is_given and player in (HUMAN, *PLAYERS):
            found[side] = player
    return found


def _seed_of(record: GameRecord) -> int | None:
    """The seed in a saved game; None if it is missing or not a number."""
    text = record.metadata.get(SEED, "")
    return int(text) if text.isascii() and text.isdigit() else None


def _play_to_end(
    playing: Playing, kept: KeptGame | None, rules: RuleSet, seed: int
) -> tuple[GameRecord, bool, KeyboardInterrupt | None]:
    """Play the game to its end or until it is left; return it, whether it is saved, and Ctrl-C.

    It is kept after every turn, with its seed, where it was kept before or in a new place. If it
    cannot be, that is said once, and the game goes on.
    """
    if kept is not None:
        playing.bring_versions(kept.path)

    is_saved = True

    def keep() -> None:
        nonlocal kept, is_saved
        now = playing.history.now
        if kept is None:
            kept = new_kept_game(rules)
        try:
            kept.save(replace(now, metadata={**now.metadata, SEED: str(seed)}))
            playing.keep_versions(kept.path)
        except OutputError as error:
            if is_saved:
                say(f"{error}; the game goes on, but is not saved")
            is_saved = False
        else:
            is_saved = True

    stop = played(playing, keep)
    record = playing.history.now
    if kept is not None and record.ending is not Ending.UNFINISHED:
        kept.remove()
    return record, is_saved, stop
