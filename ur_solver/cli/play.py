"""`ur play`: a game at the keyboard, its turns, prompts and output.

It is saved after every turn so that it can be resumed.
"""

from __future__ import annotations

import pathlib
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click
import numpy as np
from click.core import ParameterSource

from ur_solver.answers.openings import decide_rounds
from ur_solver.answers.query import decision
from ur_solver.cli.answering import Worth, note_of, options_text, playing_if_any, plies_option
from ur_solver.cli.audit import audit_of
from ur_solver.cli.options import output_option, seed_option, table_argument
from ur_solver.cli.output import draw_position, echo, say, side_name
from ur_solver.common.files import check_outputs
from ur_solver.errors import InputError, OutputError, RecordError
from ur_solver.estimators.evaluator import Evaluator
from ur_solver.players.policies import PLAIN, PLAYERS, Asked, Player, policy_of
from ur_solver.records import (
    Ending,
    GameRecord,
    Ply,
    RecordFault,
    Replay,
    check_output,
    read_file,
    write_games,
)
from ur_solver.records.parts import End
from ur_solver.rules import DARK, FREE_THROW, HOME, LIGHT, Position, RuleSet, named_rules, opponent
from ur_solver.rules.drawing import FROM, TO
from ur_solver.rules.family import Roll
from ur_solver.rules.openings import Round, chooser, level, opening_of
from ur_solver.table.names import games_folder, own_path

if TYPE_CHECKING:
    pass

_DICE, _PLAYERS, _OPENING = 0, 1, 2
"""The streams of random numbers of a turn, and that of the rounds of an opening."""


class EndError(Exception):
    """The game ends as `end` says."""

    def __init__(self, end: End) -> None:
        super().__init__()
        self.end = end


class QuitError(Exception):
    """The player leaves the game for later."""


class UndoError(Exception):
    """The player takes the last move back."""


class Playing:
    """A game in the terminal between people (None) and the program's players; `table` gives hints.

    The random numbers of a turn depend only on the seed and the turn's number, so undoing a move or
    resuming a game gives the same dice. `mover` is the side that was asked last.
    """

    HELP = (
        "'hint' shows their values, 'undo' takes back your last choice, 'quit' saves the game for "
        "later, 'resign' gives up"
    )
    SHOWS_DICE = True
    """Whether a person is shown the throw before the choice of a move."""

    def __init__(
        self,
        table: Evaluator | None,
        replay: Replay,
        players: Mapping[str, Player | None],
        seed: int,
        *,
        has_hints: bool,
    ) -> None:
        self.replay = replay
        self._table = table
        self._players = players
        self._seed = seed
        self._has_hints = has_hints and table is not None
        self.mover = replay.side

    def play(self, on_turn: Callable[[], object]) -> None:
        """Play to the end; `on_turn` is called after every turn.

        Raises EndError and QuitError if the player asks for it, and click.Abort at Ctrl-C and at
        the end of the input.
        """
        while self.replay.winner is None:
            try:
                if self._is_opening:
                    self._take_round()
                else:
                    self._take_turn()
            except UndoError:
                self._undo()
            on_turn()
        if None in self._players.values():
            self._draw()
        echo(f"\n{side_name(self.replay.winner)} has won")

    def _undo(self) -> None:
        """Go back to before a person's last choice."""
        plies, opening = self.replay.plies, self.replay.opening
        rules = self.replay.rules
        if chosen := [k for k, ply in enumerate(plies) if self._is_choice(ply)]:
            self.replay = Replay.after(rules, self.replay.start, plies[: chosen[-1]], opening)
        elif asked := [k for k, each in enumerate(opening) if self._is_choice_of_square(each)]:
            self.replay = Replay.after(rules, rules.start(), (), opening[: asked[-1]])
        else:
            say("nothing to undo: you have made no choice yet")

    def _is_choice(self, ply: Ply) -> bool:
        """Whether a person made a choice in a turn."""
        has_options = len(ply.steps) > 1 or len(ply.choices) > 1
        return self._players[ply.side] is None and has_options

    # The opening.

    @property
    def _is_opening(self) -> bool:
        """Whether a round of the opening comes next, where both sides enter a marker."""
        replay = self.replay
        is_first = not replay.opening and replay.start == replay.rules.start()
        return replay.is_opening or (
            replay.rules.mechanics.both_enter and is_first and not replay.plies
        )

    def _take_round(self) -> None:
        """Play a round of the opening: both throw, and one may choose its square."""
        replay = self.replay
        throws = self._rolled_round()
        rounds = replay.rounds(throws)
        if not replay.opening and None in self._players.values():
            echo("\nthe opening: both throw and enter a piece; who is further throws next")
        thrown = [f"{side_name(side)} {throw}" for side, throw in zip("LD", throws, strict=False)]
        echo(f"{', '.join(thrown)}{'' if len(rounds) > 1 else self._came(rounds[0])}")
        taken = rounds[self._chosen_round(rounds)] if len(rounds) > 1 else rounds[0]
        if len(rounds) > 1:
            echo(f"{side_name(chooser(rounds))} chooses{self._came(taken)}")
        replay.open(taken)

    def _rolled_round(self) -> tuple[int, ...]:
        """What both sides throw in this round of the opening."""
        rng = np.random.default_rng((self._seed, len(self.replay.opening), _OPENING))
        opening = opening_of(self.replay.rules)
        assert opening is not None
        return opening.thrown(rng.random())

    def _came(self, taken: Round) -> str:
        """What came of a round, after what was thrown."""
        moves = f": {taken.text}" if taken.text else ""
        if taken.position is not None:
            return f"{moves}; {side_name(taken.position.side)} is the first player"
        is_home = taken.text and taken.then == HOME
        return f"{moves}; {'both go home and ' if is_home else 'both '}throw again"

    def _chosen_round(self, rounds: tuple[Round, ...]) -> int:
        """The index of the round that a person chooses, or that is best by the table.

        Without a table the program takes the first.
        """
        self.mover = chooser(rounds)
        if self._players[self.mover] is not None:
            return 0 if self._table is None else int(decide_rounds(self._table, rounds).best[0])
        position = level(self.replay.rules, rounds[0].source)
        echo("\n" + draw_position(position) + "\n")
        mine = self.mover == DARK
        texts = [each.text.split()[mine] for each in rounds]
        return self._ask(texts, "move", lambda table: _worth_of_rounds(table, texts, rounds))

    def _is_choice_of_square(self, taken: Round) -> bool:
        """Whether a person chose a square in a round of the opening."""
        opening = opening_of(self.replay.rules)
        rounds = () if opening is None else opening.rounds(taken.source, taken.throws)
        return len(rounds) > 1 and self._players[chooser(rounds)] is None

    # Turns.

    def _draw(self) -> None:
        """Print the board, with the other side's last moves in brackets."""
        replay = self.replay
        brackets: dict[str, str] = {}
        is_over = replay.winner is not None
        for ply in reversed(replay.plies):
            if ply.side != replay.plies[-1].side or (ply.side == replay.side and not is_over):
                break
            if ply.step is not None:
                squares = replay.rules.path.squares(ply.side)
                for index, pair in ((ply.step.source, FROM), (ply.step.target, TO)):
                    if 0 <= index < len(squares):
                        brackets.setdefault(squares[index], pair)
        position = replay.stepper.position(replay.state, replay.side)
        echo("\n" + draw_position(position, brackets))

    def _take_turn(self) -> None:
        """Play one turn of the side to throw."""
        replay = self.replay
        side, name, player = replay.side, side_name(replay.side), self._players[replay.side]
        rng = self._random(_PLAYERS)
        self.mover = side
        if player is None:
            self._draw()
            echo("")

        def choose(texts: Sequence[str], asked: Asked, weigh: Weigh) -> int:
            if player is None:
                return self._ask(texts, "choose" if asked.moves_by is None else "move", weigh)
            return player.choose([asked], rng)[0] if len(texts) > 1 else 0

        choices = replay.choices()
        chosen, choice, words = -1, FREE_THROW, ""
        if choices:
            names = [choice.name for choice in choices]
            asked = Asked(replay.state)
            chosen = choose(names, asked, self._worth_of_choices) if len(choices) > 1 else 0
            choice = names[chosen]
            words = f"chooses {choice}, "
        roll = self._rolled(choice)
        throws = roll.throws
        thrown = " and ".join(map(str, throws))
        steps = replay.legal(throws, choice)
        texts = [replay.stepper.text(side, step) for step in steps]
        played = -1
        if steps:
            if player is None and self.SHOWS_DICE:
                echo(f"{name} throws {thrown}")
            weigh = partial(self._worth_of_moves, throws, choice)
            played = choose(texts, Asked(replay.state, roll.moves_by, choice), weigh)
        if player is not None or played < 0 or not self.SHOWS_DICE:
            move = texts[played] if played >= 0 else "no move"
            echo(f"{name} {words}throws {thrown}: {move}")
        place = f"throw {len(replay.plies) + 1}"
        replay.take(throws, steps, played, place=place, choices=choices, chosen=chosen)

    def _rolled(self, choice: str) -> Roll:
        """The throws of this turn, after a choice."""
        return self.replay.rolls(choice).pick(self._random(_DICE).random())

    def _random(self, stream: int) -> np.random.Generator:
        return np.random.default_rng((self._seed, len(self.replay.plies), stream))

    def _ask(self, texts: Sequence[str], what: str, weigh: Weigh) -> int:
        """Prompt with `what` for the player's choice and return its index; `weigh` is for hints."""
        if self._has_hints:
            echo(self._hint(texts, weigh))
        else:
            echo("  " + "   ".join(f"{k} {text}" for k, text in enumerate(texts, start=1)))
        while True:
            answer = click.prompt(what, prompt_suffix="> ").strip()
            index = chosen_index(answer, texts)
            if index is not None:
                return index
            if self._obeys(answer):
                continue
            if answer.lower() == "hint":
                echo(self._hint(texts, weigh))
            else:
                listed = ", ".join(f"{k} {text}" for k, text in enumerate(texts, start=1))
                kind = "a legal move" if what == "move" else "a choice"
                say(f"{answer[:40]!r} is not {kind} here: expected {listed}; {self.HELP}")

    def _obeys(self, answer: str) -> bool:
        """Do what a word asks for that is no answer; False if it is no such word.

        Raises EndError, QuitError or UndoError if it asks for that.
        """
        match answer.lower():
            case "resign":
                echo(f"\n{side_name(self.mover)} resigns")
                raise EndError(End(Ending.RESIGNED, opponent(self.mover), self.mover))
            case "quit":
                raise QuitError
            case "undo":
                raise UndoError
        return False

    def _hint(self, texts: Sequence[str], weigh: Weigh) -> str:
        if self._table is None:
            return f"there is no table of {self.replay.rules.title}, and so there are no hints"
        worth = weigh(self._table)
        in_order = [(text, worth[text]) for text in texts]
        return worth_text(self._position, in_order) + note_of(self._table)

    @property
    def _position(self) -> Position:
        return self.replay.stepper.position(self.replay.state, self.replay.side)

    def _worth_of_choices(self, table: Evaluator) -> dict[str, Worth]:
        return {each.name: each for each in decision(table, self._position).choices}

    def _worth_of_moves(
        self, throws: tuple[int, ...], choice: str, table: Evaluator
    ) -> dict[str, Worth]:
        found = decision(table, self._position, choice, throws)
        (thrown,) = (each for each in found.throws if each.throws == throws)
        return {each.move.text: each for each in thrown.options}


Weigh: TypeAlias = "Callable[[Evaluator], dict[str, Worth]]"
"""Weighs the options of a choice by a table or an estimator, and gives them by their texts."""


def _worth_of_rounds(
    table: Evaluator, texts: Sequence[str], rounds: tuple[Round, ...]
) -> dict[str, Worth]:
    from ur_solver.study.practise import Weighed  # noqa: PLC0415 - few games have openings

    of = decide_rounds(table, rounds)
    columns = (each.tolist() for each in (of.worth, of.loss, of.error, of.loss_error))
    return {each.text: each for each in map(Weighed, texts, *columns)}


def played(
    playing: Playing, on_turn: Callable[[], object]
) -> tuple[dict[str, Any], KeyboardInterrupt | None]:
    """Play a game until it is over or left, calling `on_turn` after every turn.

    Returns how it ended, as `Replay.finish` takes it (empty unless a player said it), and the
    Ctrl-C that ended it, if any.
    """
    try:
        playing.play(on_turn)
    except EndError as over:
        return over.end._asdict(), None
    except (QuitError, click.Abort) as left:
        return {}, interrupt_of(left)
    return {}, None


def interrupt_of(left: Exception) -> KeyboardInterrupt | None:
    """The Ctrl-C that an exception of click stands for, if any."""
    return left.__context__ if isinstance(left.__context__, KeyboardInterrupt) else None


def worth_text(position: Position, options: Iterable[tuple[str, Worth]]) -> str:
    """The options of a side to throw as a table: numbered, with values and losses."""
    units = position.rules.payoff.units

    def value(worth: Worth) -> str:
        if worth.error:
            return units.estimate(worth.value, worth.error)
        return units.value(worth.value, units.digits + 1)

    def lost(worth: Worth) -> str | None:
        text = units.mean(worth.loss)
        return text if float(text) else None

    return options_text(position, options, value, lost, are_numbered=True)


def chosen_index(answer: str, texts: Sequence[str]) -> int | None:
    """The index of the text that an answer means; None if it matches none or several.

    An answer is a number from 1, or the text in any case, with or without its marks.
    """
    if answer in texts:
        return texts.index(answer)
    if answer.isascii() and answer.isdigit():
        return int(answer) - 1 if 1 <= int(answer) <= len(texts) else None
    for meant in (str.lower, lambda text: text.lower().rstrip("x*+")):
        found = [k for k, text in enumerate(texts) if meant(text) == meant(answer)]
        if len(found) == 1:
            return found[0]
    return None


SEED = "Seed"
"""The header with the seed of the dice, so that a resumed game gets the same dice."""


def _rules_at(path: pathlib.Path) -> RuleSet | None:
    """The rules of the game saved at a path."""
    if path.is_file():
        for game in read_file(str(path)):
            if isinstance(game, GameRecord):
                return game.rules
    return None


class KeptGame:
    """The saved game in play of a rule set.

    Its file is in the plain notation, which has games of all rule sets.
    """

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        self.path = own_path(rules, lambda stem: games_folder() / f"{stem}.ur", _rules_at)

    def exists(self) -> bool:
        """Whether a game can be resumed."""
        return self.path.exists()

    def load(self) -> GameRecord:
        """The saved game; InputError if there is none, RecordError if it cannot be read."""
        if not self.exists():
            raise InputError(f"no game of {self._rules.word} to resume")
        (game, *_) = read_file(str(self.path), self._rules)
        if isinstance(game, RecordFault):
            raise RecordError(str(game))
        return game

    def save(self, record: GameRecord) -> None:
        """Save a game in place of the previous one; OutputError if it cannot be written."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"cannot save the game: {error}") from None
        write_games([record], self.path)

    def remove(self) -> None:
        """Remove the saved game."""
        with suppress(OSError):
            self.path.unlink()


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
        record, stop = _play_to_end(
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


def _play_to_end(
    playing: Playing, kept: KeptGame | None, metadata: dict[str, str], kept_as: dict[str, str]
) -> tuple[GameRecord, KeyboardInterrupt | None]:
    """Play the game to its end or until it is left; return its record and the Ctrl-C, if any.

    It is saved in `kept` with metadata of its own (`kept_as`), unless nobody can leave it (None).
    """

    def keep() -> None:
        if kept is not None:
            kept.save(playing.replay.finish(metadata=kept_as, file=_TITLE))

    ending, stop = played(playing, keep)
    record = playing.replay.finish(metadata=metadata, file=_TITLE, **ending)
    if kept is not None and record.ending is not Ending.UNFINISHED:
        kept.remove()
    return record, stop
