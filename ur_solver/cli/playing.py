"""A game at the keyboard: turns, prompts and output."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click
import numpy as np

from ur_solver.api.evaluator import Evaluator
from ur_solver.audit.opening import worth_of_rounds
from ur_solver.audit.worth import Option, option_values
from ur_solver.cli.answering import note_of
from ur_solver.cli.output import columns, draw_position, echo, say, side_name, worth_bar
from ur_solver.players.player import Asked, Player
from ur_solver.records import Ending, Ply, Replay
from ur_solver.records.parts import End
from ur_solver.rules import DARK, FREE_THROW, HOME, Position, opponent
from ur_solver.rules.drawing import FROM, TO
from ur_solver.rules.family import Roll
from ur_solver.rules.openings import Round, chooser, level, opening_of

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
    """A game in the terminal between people and the program's players.

    The random numbers of a turn depend only on the seed and the turn's number, so undoing a move or
    resuming a game gives the same dice.

    Parameters
    ----------
    table : Table or Estimator, or None
        For hints; None if there are none.
    replay : Replay
        The game so far.
    players : mapping of str to Player or None
        Who chooses for each side; None for a person.
    seed : int
    has_hints : bool
        Whether to show the value of every move before each choice.

    Attributes
    ----------
    mover : str
        The side that was asked last.
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

        Raises
        ------
        EndError, QuitError
            If the player asks for it.
        click.Abort
            At Ctrl-C and at the end of the input.
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

    def _chosen_round(self, rounds: Sequence[Round]) -> int:
        """The index of the round that a person chooses, or that is best by the table.

        Without a table the program takes the first.
        """
        self.mover = chooser(tuple(rounds))
        worth = self._worth_of_rounds(rounds)
        if self._players[self.mover] is not None:
            if not worth:
                return 0
            return max(range(len(rounds)), key=lambda k: worth[k][0])
        position = level(self.replay.rules, rounds[0].source)
        echo("\n" + draw_position(position) + "\n")
        mine = self.mover == DARK
        texts = [each.text.split()[mine] for each in rounds]
        return self._ask(rounds, texts, "move")

    def _worth_of_rounds(self, rounds: Sequence[Round]) -> list[tuple[float, float]]:
        """The value of each round to the side that chooses, and its margin; [] without a table."""
        if self._table is None:
            return []
        return worth_of_rounds(self.replay.rules, tuple(rounds), self._table)

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

        def choose(options: Sequence[Option], texts: Sequence[str], asked: Asked) -> int:
            if player is None:
                return self._ask(options, texts, "choose" if asked.moves_by is None else "move")
            return player.choose([asked], rng)[0] if len(options) > 1 else 0

        choices = replay.choices()
        chosen, choice, words = -1, FREE_THROW, ""
        if choices:
            names = [choice.name for choice in choices]
            chosen = choose(choices, names, Asked(replay.state)) if len(choices) > 1 else 0
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
            played = choose(steps, texts, Asked(replay.state, roll.moves_by, choice))
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

    def _ask(self, options: Sequence[Option | Round], texts: Sequence[str], what: str) -> int:
        """Prompt with `what` for the player's choice and return its index."""
        if self._has_hints:
            echo(self._worth(options, texts))
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
                echo(self._worth(options, texts))
            else:
                listed = ", ".join(f"{k} {text}" for k, text in enumerate(texts, start=1))
                kind = "a legal move" if what == "move" else "a choice"
                say(f"{answer[:40]!r} is not {kind} here: expected {listed}; {self.HELP}")

    def _obeys(self, answer: str) -> bool:
        """Do what a word asks for that is no answer; False if it is no such word.

        Raises
        ------
        EndError, QuitError, UndoError
            If it asks for that.
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

    def _worth(self, options: Sequence[Option | Round], texts: Sequence[str]) -> str:
        if self._table is None:
            return f"there is no table of {self.replay.rules.title}, and so there are no hints"
        rounds = [each for each in options if isinstance(each, Round)]
        moves = [each for each in options if not isinstance(each, Round)]
        worth = self._worth_of_rounds(rounds) if rounds else option_values(moves, self._table)
        position = self.replay.stepper.position(self.replay.state, self.replay.side)
        return worth_text(position, texts, worth) + note_of(self._table)


def played(
    playing: Playing, on_turn: Callable[[], object]
) -> tuple[dict[str, Any], KeyboardInterrupt | None]:
    """Play a game until it is over or left, calling `on_turn` after every turn.

    Returns
    -------
    dict
        How the game ended, as `Replay.finish` takes it; empty unless a player said it.
    KeyboardInterrupt or None
        The Ctrl-C that ended it.
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


def worth_text(
    position: Position, texts: Sequence[str], worth: Sequence[tuple[float, float]]
) -> str:
    """The options of a side to throw as a table: numbered, with values and losses.

    Parameters
    ----------
    position : Position
    texts : sequence of str
    worth : sequence of tuple of float
        The value of each, and half the width of its interval; 0 if it is exact.
    """
    best, sure = max(worth)
    units = position.rules.payoff.units

    def loss(value: float, margin: float) -> str:
        lost = units.mean(best - value)
        if not float(lost):
            return "best"
        return f"-{lost}{', perhaps' if best - value <= math.hypot(sure, margin) else ''}"

    rows = [
        [
            f"  {k}",
            text,
            units.estimate(*each) if each[1] else units.value(each[0], units.digits + 1),
            loss(*each),
            worth_bar(position, each[0]),
        ]
        for k, (text, each) in enumerate(zip(texts, worth, strict=True), start=1)
    ]
    return columns(rows, "><>><")


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
