"""`ur play`."""

from __future__ import annotations

import secrets
from contextlib import ExitStack
from pathlib import Path

import click
from click.core import ParameterSource

from ur_solver.cli.answering import playing_if_any, plies_option
from ur_solver.cli.audit_page import audit_of
from ur_solver.cli.kept_game import SEED, KeptGame
from ur_solver.cli.options import output_option, seed_option, table_argument
from ur_solver.cli.output import echo, say
from ur_solver.cli.playing import Playing, played
from ur_solver.common.files import check_outputs
from ur_solver.players.player import Player
from ur_solver.players.policies import PLAIN, PLAYERS, policy_of
from ur_solver.records import Ending, GameRecord, Replay, check_output, write_games
from ur_solver.rules import DARK, LIGHT, named_rules

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
@click.option("--resume", is_flag=True, help="Resume the saved game of these rules.")
@click.option("--hints", is_flag=True, help="Show the value of every move before each choice.")
@seed_option("Seed the dice; by default they differ each time.", default=None)
@output_option("Save the game as .rgn, as .json in RoyalUr's notation, or as .ur for any rules.")
@plies_option()
@click.option("--audit/--no-audit", "with_audit", default=True, help="Audit the game when it ends.")
@click.pass_context
def command(
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

    Type a move in any case, or its number; or type hint, undo, quit or resign. Brackets mark the
    other side's last moves: [] where a piece arrived, () where it left. The game is saved after
    every turn. quit, Ctrl-C and the end of the input leave it, and --resume continues it.

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
        kept = KeptGame(rules)
        names = {LIGHT: light, DARK: dark}
        replay = Replay(rules)
        if resume:
            begun = kept.load()
            replay = Replay.resumed(begun)
            names |= _players_of(begun, ctx)
            seed = _seed_of(begun) if seed is None else seed
        elif kept.exists() and HUMAN in (light, dark):
            say("a saved game exists; --resume continues it, a turn of this game replaces it")
        seed = secrets.randbits(32) if seed is None else seed
        if missing is not None and (hints or not {*names.values()} <= {HUMAN, *PLAIN}):
            raise missing
        players = {
            side: None if name == HUMAN else Player(rules, policy_of(name, table))
            for side, name in names.items()
        }
        playing = Playing(table, replay, players, seed, has_hints=hints)
        metadata = {_SIDES[side]: name for side, name in names.items()}
        kept_as = {**metadata, SEED: str(seed)}
        record, stop = _played(
            playing, kept if HUMAN in names.values() else None, metadata, kept_as
        )
        if output is not None:
            write_games([record], output)
            say(f"the game is in {output}")
        if record.ending is Ending.UNFINISHED:
            has_begun = record.plies or record.opening
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
                echo(f"\n{audit_of(record, table)}")


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


def _played(
    playing: Playing, kept: KeptGame | None, metadata: dict[str, str], kept_as: dict[str, str]
) -> tuple[GameRecord, KeyboardInterrupt | None]:
    """Play the game to its end or until it is left; return its record and the Ctrl-C, if any.

    Parameters
    ----------
    playing : Playing
    kept : KeptGame or None
        Where the game is saved; None if nobody can leave it.
    metadata, kept_as : dict
        The metadata of the record, and of the saved game.
    """

    def keep() -> None:
        if kept is not None:
            kept.save(playing.replay.finish(metadata=kept_as, file=_TITLE))

    ending, stop = played(playing, keep)
    record = playing.replay.finish(metadata=metadata, file=_TITLE, **ending)
    if kept is not None and record.ending is not Ending.UNFINISHED:
        kept.remove()
    return record, stop
