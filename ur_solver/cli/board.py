"""`ur board`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import click

from ur_solver.answers.query import decision
from ur_solver.cli.answering import answering_of, open_answering, plies_option, text_of
from ur_solver.cli.audit import table_and_files
from ur_solver.cli.moves import question_of
from ur_solver.cli.options import (
    OUTPUT_FILE_OR_STDOUT,
    FiniteFloat,
    number_option,
    output_option,
    position_argument,
    position_of,
    rules_argument,
)
from ur_solver.cli.output import draw_position, echo, say, say_written, warn
from ur_solver.common.files import check_outputs, write_file
from ur_solver.common.progress import shown_task
from ur_solver.errors import InputError, RecordError
from ur_solver.estimators.evaluator import Evaluator
from ur_solver.records import GameRecord, RecordFault, read_file
from ur_solver.records.parts import end_text
from ur_solver.records.record import Ply, last_position
from ur_solver.rules import DARK, LIGHT, SIDE_NAMES, Move, Position, named_rules
from ur_solver.rules.svg import MOST_WIDTH, WIDTH, Arrow, board_picture, gif, png

STDOUT = Path("-")


@click.command()
@rules_argument
@position_argument
@output_option(
    "Write a picture to a .svg, .png or .gif file; '-' is SVG on standard output.",
    OUTPUT_FILE_OR_STDOUT,
)
@click.option(
    "--best",
    "throw",
    help="Draw the best move with this throw; in birds with a choice, such as 'enter 1 2'.",
)
@click.option("--top", type=click.Choice(["light", "dark"]), default="light", show_default=True,
              help="Draw this side's row at the top of the picture.")  # fmt: skip
@number_option(
    "--width", within=(16, MOST_WIDTH), default=WIDTH, help="Make pictures N pixels wide."
)
@number_option("--game", "number", within=(1, None), default=1, help="Show game N of the file.")
@click.option(
    "--seconds",
    type=FiniteFloat(0.05, 60),
    default=1.0,
    show_default=True,
    help="Show each throw of an animation for this long.",
)
@plies_option()
def board_command(
    rules: str,
    position: str | None,
    output: Path | None,
    throw: str | None,
    top: str,
    width: int,
    number: int,
    seconds: float,
    plies: int,
) -> None:
    """Draw POSITION, or the start of RULES, in the terminal or as a picture; or show a game.

    RULES is a rule set, such as finkel or finkel:3, or a JSON file that holds one. It may also be a
    file of games: its last position is drawn, where the game has ended or goes on, and there is no
    POSITION. --best needs the table of the rule set, or an estimator ('ur train'); RULES may also
    be the file of either. Browsers and office programs read SVG, which follows the light or dark
    setting of the screen. PNG and GIF need the extra 'pictures'. A GIF shows a game, throw by
    throw.

    \b
    ur board finkel:3 'L...__../..D...../....__.. L 2 2' --best 2 -o board.svg
    ur board game.rgn -o game.gif
    """
    suffix = ".svg" if output in (None, STDOUT) else output.suffix.lower()
    if suffix not in (".svg", ".png", ".gif"):
        raise InputError(
            f"{str(output)!r}: pictures are SVG, PNG or GIF; the file name must end in .svg, .png "
            "or .gif"
        )
    if output != STDOUT:
        check_outputs({"--output": output}, [rules])
    view = LIGHT if top == "light" else DARK
    if suffix == ".gif" and output is not None:
        if position is not None or throw is not None:
            raise click.UsageError("A GIF shows a game: leave out the position and --best.")
        with shown_task("drawing the game"):
            write_file(output, gif(game_pictures(_game(rules, number), view), seconds, width))
        say_written("picture", output)
        return
    game = _game(rules, number) if _is_game(rules) else None
    if game is not None and position is not None:
        raise click.UsageError("A file of games has positions of its own: leave out the position.")
    best = None
    if throw is None:
        shown = position_of(named_rules(rules), position) if game is None else last_position(game)
    else:
        with (
            open_answering(rules, position, plies)
            if game is None
            else answering_of(game.rules, plies)
        ) as table:
            shown = position_of(table.rules, position) if game is None else last_position(game)
            best = _best(table, shown, throw)
    if output is None:
        echo(draw_position(shown))
        if throw is not None:
            echo(f"\n  {f'best with {throw}: {best.text}' if best else 'no move'}")
        return
    arrows = [] if best is None else [Arrow("best", best.source, best.target)]
    text = board_picture(shown, arrows, view=view)
    if output == STDOUT:
        echo(text, nl=False, raw=True)
        return
    write_file(output, png(text, width) if suffix == ".png" else text)
    say_written("picture", output)


def _is_game(word: str) -> bool:
    """Whether a word is a file of games: neither a rule set nor a table nor an estimator."""
    return Path(word).is_file() and table_and_files([word])[0] is None


def _game(path: str, number: int) -> GameRecord:
    """A game of a file by its number; RecordError if it cannot be read."""
    if not Path(path).is_file():
        raise InputError(f"{path!r:.200} is not a file; a GIF shows a game, whose file comes first")
    game = next(islice(read_file(path, warn=warn), number - 1, None), None)
    if game is None:
        raise InputError(f"{path!r:.200} has no game {number}")
    if isinstance(game, RecordFault):
        raise RecordError(str(game))
    return game


def _best(table: Evaluator, position: Position, throw: str) -> Move | None:
    """The best move with a throw, and the choice before it if there is one; None without a move.

    InputError if more than one turn begins with these words, as for `question_of`.
    """
    asked = question_of(position, throw.split())
    if len(asked.rolls) > 1:
        words = [f"'{each.words}'" for each in asked.rolls]
        raise InputError(f"--best {throw!r}: expected one of {', '.join(words)}")
    found = decision(table, position, asked.choice, asked.throws).throws if asked.rolls else ()
    if not (moves := [each for thrown in found for each in thrown.moves]):
        return None
    best = moves[0]
    if not table.are_exact:
        value = text_of(table, best.value, best.error)
        say(f"{best.move.text} is the choice of an estimator, {table.plies}-ply: {value}")
    return best.move


def game_pictures(record: GameRecord, view: str = LIGHT) -> Iterator[str]:
    """The drawings of a game in order, as SVG that needs nothing else, with a line of text each.

    `view` is the side whose row is on top.
    """
    for number, ply in enumerate(record.plies, start=1):
        position = record.stepper.position(ply.state, ply.side)
        step = ply.step
        arrows = [] if step is None else [Arrow("best", step.source, step.target)]
        yield board_picture(position, arrows, view=view, caption=_caption(record, number, ply))
    yield board_picture(last_position(record), view=view, caption=end_text(record))


def _caption(record: GameRecord, number: int, ply: Ply) -> str:
    move = record.move_text(ply) or ("?" if ply.is_pending else "no move")
    words = [f"{number}", SIDE_NAMES[ply.side], ply.choice, "throws", f"{ply.throw_text}:", move]
    return " ".join(word for word in words if word)
