"""A game in the terminal: its turns, prompts and words, for a person at the keyboard."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NoReturn, TypeAlias

import click
import numpy as np

from ur_solver.answers.openings import decide_rounds
from ur_solver.answers.query import decision
from ur_solver.cli.answering import Worth, note_of, options_text
from ur_solver.cli.asking import agrees, ask, interrupt_of, is_conversation
from ur_solver.cli.output import columns, draw_position, echo, say, side_name
from ur_solver.common.text import counted
from ur_solver.errors import OutputError
from ur_solver.estimators.evaluator import Evaluator
from ur_solver.players.policies import Asked, Player
from ur_solver.records import Ending, GameRecord, Ply, Replay, round_text
from ur_solver.records.history import History
from ur_solver.records.parts import End
from ur_solver.rules import DARK, FREE_THROW, HOME, Position, opponent
from ur_solver.rules.drawing import FROM, TO, signs_of
from ur_solver.rules.family import Roll
from ur_solver.rules.openings import Round, chooser, level, opening_of
from ur_solver.rules.turns import total
from ur_solver.table.names import games_folder

_DICE, _PLAYERS, _OPENING = 0, 1, 2
"""The streams of random numbers of a turn, and that of the rounds of an opening."""


class MovedError(Exception):
    """The player has gone to another version of the game, which goes on from there."""


class QuitError(Exception):
    """The player leaves the game for later."""


HINT = ("hint", "show what each of your moves is worth")
SHARED_WORDS = (
    ("redo", "bring back what undo took back"),
    ("versions", "list what the game was before it took another course; 'version 1' takes one up"),
    ("help", "show this"),
    ("quit", "leave the game; it is saved after every turn, and --resume continues it"),
)


class Playing:
    """A game in the terminal between people (None) and the program's players; `table` gives hints.

    The random numbers of a turn depend only on the seed and the turn's number, so undoing a move or
    resuming a game gives the same dice. `mover` is the side that was asked last. `history` has the
    complete turns of the game, and its earlier versions.
    """

    WORDS: ClassVar[tuple[tuple[str, str], ...]] = (
        HINT,
        ("undo", "take back your last choice; the dice stay the same"),
        *SHARED_WORDS,
        ("resign", "give up"),
    )
    """What a person may type besides moves, and what it does."""
    TYPING: ClassVar[str] = "Type a move in any case, without its marks if you like, or its number."
    SHOWS_DICE = True
    """Whether a person is shown the throw before the choice of a move."""

    def __init__(
        self,
        table: Evaluator | None,
        begun: GameRecord,
        players: Mapping[str, Player | None],
        seed: int,
        *,
        has_hints: bool,
    ) -> None:
        self.replay = Replay.resumed(begun)
        self.history = History(replace(begun, plies=tuple(self.replay.plies)))
        self._table = table
        self._players = players
        self._seed = seed
        self._has_hints = has_hints and table is not None
        self._talks = is_conversation()  # asked once: a terminal that hangs up stops being one
        self.mover = self.replay.side

    def play(self, on_turn: Callable[[], object]) -> None:
        """Play to the end; `on_turn` is called after every turn.

        Raises QuitError if the player asks for it, and click.Abort at Ctrl-C and at the end of the
        input.
        """
        if None in self._players.values() and self._talks:
            echo("'help' lists what you can type, and what the signs of the board mean")
        while not self._is_over():
            with suppress(MovedError):
                if self._is_opening:
                    self._take_round()
                else:
                    self._take_turn()
                self._complete()
            on_turn()

    def _is_over(self) -> bool:
        """Whether the game has ended, which is said."""
        if self.history.now.ending is Ending.UNFINISHED:
            return False
        if self.replay.winner is not None:
            if None in self._players.values():
                self._draw()
            echo(f"\n{side_name(self.replay.winner)} has won")
        return True

    def _complete(self) -> None:
        """Add the turn that was taken to the history."""
        self.history.add(self.record())

    def record(self, **ending: Any) -> GameRecord:
        """The game with the turns taken, perhaps with an end, as `Replay.finish` takes it."""
        now, n_plies = self.history.now, len(self.replay.plies)
        return self.replay.finish(
            metadata=now.metadata,
            comments={k: text for k, text in now.comments.items() if k <= n_plies},
            file=now.file,
            number=now.number,
            start_time=now.start_time,
            **ending,
        )

    # Back and forth.

    def bring_versions(self, path: Path, number: int = 1) -> None:
        """Bring back the versions of a game that was left, by the place where it is kept."""
        self.history = History.load(_versions_path(path, number), self.history.now)

    def keep_versions(self, path: Path, number: int = 1) -> None:
        """Keep the versions of the game beside it, if it has others."""
        if self.history.has_versions:
            with suppress(OutputError):  # the game itself is safe
                self.history.save(_versions_path(path, number))

    def _go_on(self, said: str) -> NoReturn:
        """Go on from the version that counts, after saying something."""
        self.replay = Replay.resumed(self.history.now)
        say(said)
        raise MovedError

    def _undo(self) -> None:
        """Go back to before a person's last choice."""
        steps = 0
        before = self.history.now
        while self.history.undo():
            steps += 1
            now = self.history.now
            if self._is_choice(before, now):
                self._go_on("taken back; 'redo' makes the same choice again")
            before = now
        for _ in range(steps):
            self.history.redo()
        is_mine = any(self._players[ply.side] is None for ply in self.history.now.plies)
        what = "that move was forced" if is_mine else "no move has been made"
        say(f"nothing to undo: {what}")

    def _is_choice(self, before: GameRecord, now: GameRecord) -> bool:
        """Whether a person made a choice in the turn or the round between two versions."""
        if len(before.plies) > len(now.plies):
            ply = before.plies[-1]
            return self._players[ply.side] is None and (len(ply.steps) > 1 or len(ply.choices) > 1)
        if len(before.opening) > len(now.opening):
            return self._is_choice_of_square(before.opening[-1])
        return True

    def _redo(self) -> None:
        if self.history.redo():
            self._go_on(f"again: {last_text(self.history.now)}")
        say("nothing to redo: 'undo' has taken nothing back")

    def _take_up(self, number: int) -> None:
        """Go to a version that was left."""
        if not 1 <= number <= len(self.history.left):
            say(f"there is no version {number}; 'versions' lists them")
            return
        self.history.take_up(number - 1)
        self._go_on(f"version {number}: {_version_text(self.history.now)}")

    def _versions_text(self) -> str:
        rows = [[f"  {k}", _version_text(each)] for k, each in enumerate(self.history.left, 1)]
        return columns(rows, "><") if rows else "the game has taken no other course yet"

    def _end(self, end: End) -> None:
        """End the game by a word, if the player means it."""
        name = side_name(self.mover)
        if self._talks and not agrees(f"{name} resigns: end the game?", default=False):
            return
        self.history.add(self.record(**end._asdict()))
        echo(f"\n{name} resigns")
        raise MovedError

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
        thrown = ", ".join(
            f"{side_name(side)} throws {throw}" for side, throw in zip("LD", throws, strict=False)
        )
        if len(rounds) == 1:
            echo(f"{thrown}: {self._came(rounds[0])}")
            replay.open(rounds[0])
            return
        echo(thrown)
        taken = rounds[self._chosen_round(rounds)]
        echo(self._came(taken, chooser(rounds)))
        replay.open(taken)

    def _rolled_round(self) -> tuple[int, ...]:
        """What both sides throw in this round of the opening."""
        rng = np.random.default_rng((self._seed, len(self.replay.opening), _OPENING))
        opening = opening_of(self.replay.rules)
        assert opening is not None
        return opening.thrown(rng.random())

    def _came(self, taken: Round, chose: str | None = None) -> str:
        """What came of a round, in which a side chose its square, or none did."""
        moves = []
        for side, throw, target in zip("LD", taken.throws, taken.targets, strict=False):
            if target == taken.source:
                continue
            square = self.replay.rules.path.squares(side)[target]
            if side == chose:
                moves.append(f"{self._who(side)} chose {square}")
            else:
                verb = "enters on" if taken.source == HOME else "goes to"
                moves.append(f"{side_name(side)}'s {throw} {verb} {square}")
        if taken.position is not None:
            then = f"{side_name(taken.position.side)} starts"
        elif taken.text and taken.then == HOME:
            then = "both go home and throw again"
        else:
            then = "both throw again"
        return "; ".join([*moves, then])

    def _who(self, side: str) -> str:
        """How a side is addressed: ``you``, if only one person plays."""
        people = [each for each, player in self._players.items() if player is None]
        return "you" if people == [side] else side_name(side)

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
        throw = rounds[0].throws[mine]
        echo(f"{self._who(self.mover)} threw {throw}: choose a square")
        self._thrown = f"with a {throw}"
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
        self._thrown = f"with a {thrown}"
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
            answer = ask(what, lambda _line: [*texts, *self._words()])
            index = chosen_index(answer, texts)
            if index is not None:
                return index
            if self._obeys(answer):
                continue
            if answer.lower() == "hint":
                echo(self._hint(texts, weigh))
                continue
            can = possible(self._thrown, texts) if what == "move" else f"choose {either(texts)}"
            if answer.lower() == "pass":
                say(f"you cannot pass: {can}")
            else:
                say(f"{answer[:40]!r}: {can}; 'help' lists what else you can type")

    def _obeys(self, answer: str) -> bool:
        """Do what a word asks for that is no answer; False if it is no such word.

        Raises MovedError if the game goes on from elsewhere, and QuitError.
        """
        words = answer.lower().split()
        match words:
            case ["resign"]:
                self._end(End(Ending.RESIGNED, opponent(self.mover), self.mover))
            case ["quit" | "exit"]:
                raise QuitError
            case ["undo"]:
                self._undo()
            case ["redo"]:
                self._redo()
            case ["versions"]:
                echo(self._versions_text())
            case ["version", number] if number.isdecimal():
                self._take_up(int(number[:9]))
            case ["help" | "h" | "?"]:
                echo(self._help())
            case ["save"]:
                say("the game is saved after every turn; 'quit' leaves it for later")
            case _:
                return False
        return True

    def _words(self) -> list[str]:
        return [word for word, _ in self.WORDS]

    def _help(self) -> str:
        """What can be typed, and what the signs of the board are."""
        words = columns([[f"  {word}", what] for word, what in self.WORDS], "<<")
        signs = columns([[f"  {sign}", what] for sign, what in signs_of(self._position)], "<<")
        return f"{self.TYPING} Or:\n{words}\nThe board:\n{signs}"

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
    figures = (each.tolist() for each in (of.worth, of.loss, of.error, of.loss_error))
    return {each.text: each for each in map(Weighed, texts, *figures)}


def _versions_path(path: Path, number: int) -> Path:
    # the name of a file may be no UTF-8, and as long as names can be
    digest = hashlib.sha256(os.fsencode(path.resolve()) + b" %d" % number).hexdigest()[:12]
    return games_folder() / "versions" / f"{path.stem[:40]}-{digest}.ur"


def played(playing: Playing, on_turn: Callable[[], object]) -> KeyboardInterrupt | None:
    """Play a game until it is over or left, calling `on_turn` after every turn.

    Returns the Ctrl-C that ended it, if any.
    """
    try:
        playing.play(on_turn)
    except (QuitError, click.Abort) as left:
        return interrupt_of(left)
    except KeyboardInterrupt as stop:  # while the program works
        return stop
    return None


def last_text(record: GameRecord) -> str:
    """The last entry of a game: a turn, a round of the opening or its end."""
    if record.ending not in (Ending.UNFINISHED, Ending.WON):
        return end_words(record)
    if record.plies:
        return f"throw {len(record.plies)}, {turn_text(record, record.plies[-1])}"
    return round_text(record.opening[-1]) if record.opening else "no turn"


def end_words(record: GameRecord) -> str:
    """How a game has ended, in words."""
    left = record.loser_by_choice
    if record.winner is None:
        return "the game has ended" if left is None else f"{side_name(left)} has left the game"
    how = {Ending.RESIGNED: ": {} resigned", Ending.TIMEOUT: ": {} lost on time"}
    lost = side_name(opponent(record.winner))
    return f"{side_name(record.winner)} has won{how.get(record.ending, '').format(lost)}"


def _version_text(record: GameRecord) -> str:
    return f"{counted(len(record.plies), 'throw')}, the last {last_text(record)}"


def turn_text(record: GameRecord, ply: Ply) -> str:
    """A turn in words: ``dark 1 C@C4``."""
    words = [side_name(ply.side), ply.choice, ply.throw_text, record.move_text(ply) or "no move"]
    return " ".join(word for word in words if word)


def either(texts: Sequence[str]) -> str:
    """Alternatives: ``A``, ``A or B``, ``A, B or C``."""
    *others, last = texts
    return f"{', '.join(others)} or {last}" if others else last


def possible(thrown: str, texts: Sequence[str]) -> str:
    """What can be played: ``with a 3 you can play only C2B2x``."""
    if not texts:
        return f"{thrown} no move is possible, and the turn passes"
    return f"{thrown} you can play {'only ' if len(texts) == 1 else ''}{either(texts)}"


def worth_text(position: Position, options: Iterable[tuple[str, Worth]]) -> str:
    """The options of a side to throw as a table: numbered, with values and losses."""
    units = position.rules.payoff.units

    def value(worth: Worth) -> str:
        if worth.error:
            return units.estimate(worth.value, worth.error)
        return units.value(worth.value, units.digits + 1)

    def lost(worth: Worth) -> str:
        return units.mean(worth.loss)

    listed = [*options]
    text = options_text(position, listed, value, lost, are_numbered=True)
    if not position.rules.payoff.has_fines:
        return text
    best = max((worth for _, worth in listed), key=lambda worth: worth.value)
    share = units.estimate(best.value, best.error) if best.error else units.number(best.value, 1)
    return f"  you can expect {share} of the pot of {total(position)}\n{text}"


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
