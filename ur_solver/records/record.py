"""A recorded game, independent of its notation, and the replay that checks it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple, Self

from ur_solver.common.text import counted, printable
from ur_solver.errors import RecordError, ThrowError
from ur_solver.moves.tables import PieceChoice
from ur_solver.records.steps import Rolls, Step, Stepper, stepper_of
from ur_solver.rules import FREE_THROW, HOME, SIDE_NAMES, Move, Position, RuleSet, opponent
from ur_solver.rules.openings import Round, opening_of

MAX_PLIES = 100_000
"""The most plies of a record. Random games have some hundreds, those of murray some thousands."""


class Ending(StrEnum):
    """How a record ends."""

    WON = "won"
    RESIGNED = "resigned"
    TIMEOUT = "timeout"
    ABANDONED = "abandoned"
    ENDED = "ended"
    """Ended before either side had won, for an unknown reason."""
    UNFINISHED = "unfinished"


class Ply(NamedTuple):
    """A throw with its move or pass, and the choice before it if the rules have one.

    Attributes
    ----------
    side : str
        The side that threw, ``"L"`` or ``"D"``.
    throws : tuple of int
        What the dice showed: one throw, or two where the first earned a second.
    state : bytes
        The state before the throw, from the view of `side`, as `Space.encode` gives it.
    steps : tuple of Step
        The legal moves.
    played : int
        The index in `steps` of the move that was played; -1 for none.
    time : int
        Milliseconds since the start of the game; 0 if unknown.
    place : str
        The place in the file, such as ``states[12]`` or ``line 3, column 7``.
    choices : tuple of PieceChoice
        The choices before the throw; empty if the rules have none.
    chosen : int
        The index in `choices` of the one that was made; -1 for none.
    stepper : Stepper
        The turns of its rule set.
    """

    side: str
    throws: tuple[int, ...]
    state: bytes
    steps: tuple[Step, ...]
    played: int
    time: int
    place: str
    choices: tuple[PieceChoice, ...]
    chosen: int
    stepper: Stepper

    @property
    def throw(self) -> int:
        """The last throw, by which a piece is moved."""
        return self.throws[-1]

    @property
    def throw_text(self) -> str:
        """What the dice showed, as the plain notation writes it: ``2``, or ``2 3``."""
        return _throw_text(self.throws)

    @property
    def choice(self) -> str:
        """The name of the choice before the throw; `FREE_THROW` for none."""
        return self.choices[self.chosen].name if self.chosen >= 0 else FREE_THROW

    @property
    def step(self) -> Step | None:
        """The move made; None for a turn without one."""
        return self.steps[self.played] if self.played >= 0 else None

    @property
    def text(self) -> str | None:
        """The move made in RGN's notation; None for a turn without one."""
        return None if self.step is None else self.stepper.text(self.side, self.step)

    @property
    def position(self) -> Position:
        """The position before the throw, with the side that threw to throw."""
        return self.stepper.position(self.state, self.side)

    @property
    def move(self) -> Move | None:
        """The move made, as `RuleSet.legal_moves` gives it; None for a turn without one.

        It is also None in a round of an opening, which moves a marker and no piece.

        Examples
        --------
        >>> import ur_solver as ur
        >>> with ur.solve("finkel:3") as table:
        ...     game = next(iter(ur.sample(table, 1, seed=1)))
        >>> all(ply.move is None or ply.move.text == ply.text for ply in game.plies)
        True
        """
        if self.step is None or not self.step.state:
            return None
        moves = self.stepper.rules.legal_moves(self.position, self.throw, self.choice)
        return next(move for move in moves if move.text == self.text)

    @property
    def is_pending(self) -> bool:
        """Whether the move has not been made yet, which is possible in a record's last ply."""
        return self.played < 0 and bool(self.steps)

    def after(self, stepper: Stepper) -> tuple[bytes, str]:
        """The state after it, or in it if its move is to come; the side to throw."""
        step = self.step
        if step is not None:
            return step.state, self.side if step.again else opponent(self.side)
        if self.is_pending:
            return self.state, self.side
        return stepper.flip(self.state), opponent(self.side)


@dataclass(frozen=True, repr=False)
class GameRecord:
    """A game, checked against its rules.

    Attributes
    ----------
    rules : RuleSet
    start : Position
        Before the first ply, with the first player to throw.
    plies : tuple of Ply
        In the order of play; only the last may be pending.
    ending : Ending
    winner : str or None
        ``"L"``, ``"D"``, or None if there is none or it is unknown. Not always the side that won
        on the board, since a game may be resigned.
    loser_by_choice : str or None
        The side that resigned, ran out of time or left.
    reason : str or None
        Why a game was abandoned, in the words of its record.
    metadata : mapping of str to str
        ``Light`` and ``Dark`` are the players' names where they are known.
    start_time, end_time : int
        Milliseconds.
    comments : mapping of int to str
        The texts between the plies, by the number of plies before: 0 is before the first. A clock
        is a command at the head of such a text, ``[%clk 0:05:12]``.
    file : str
        The path of the file that it was read from; ``-`` for standard input.
    number : int
        Its number among the games of that file, from 1.
    opening : tuple of Round
        How the first player was found; empty if the record does not say it, as the first throw is
        then free.
    """

    rules: RuleSet
    start: Position
    plies: tuple[Ply, ...]
    ending: Ending = Ending.UNFINISHED
    winner: str | None = None
    loser_by_choice: str | None = None
    reason: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    start_time: int = 0
    end_time: int = 0
    comments: Mapping[int, str] = field(default_factory=dict)
    file: str = "-"
    number: int = 1
    opening: tuple[Round, ...] = ()

    def __repr__(self) -> str:
        return f"GameRecord({self.title!r}, {self.rules.word}, {counted(len(self.plies), 'throw')})"

    @cached_property
    def stepper(self) -> Stepper:
        """The moves of its rule set."""
        return stepper_of(self.rules)  # hashes the rules, 5 us: too slow for every ply

    @property
    def title(self) -> str:
        """The file's name and, from the second game of a file on, the game's number there."""
        file = "standard input" if self.file == "-" else printable(self.file)
        return file if self.number == 1 else f"{file}, game {self.number}"

    @property
    def conceded_by(self) -> str | None:
        """The side that lost off the board: it resigned, ran out of time, or gave no reason.

        None for a game that was won on the board, abandoned or not finished.
        """
        if self.ending in (Ending.RESIGNED, Ending.TIMEOUT, Ending.ENDED) and self.winner:
            return opponent(self.winner)
        return None

    def player(self, side: str) -> str | None:
        """The name of the player of `side`, if the record has it."""
        key = SIDE_NAMES[side]
        name = self.metadata.get(key.capitalize())
        if name is None:  # people write headers in any case
            name = next((text for each, text in self.metadata.items() if each.lower() == key), None)
        return None if name is None else printable(name)

    def move_text(self, ply: Ply) -> str | None:
        """The move of one of its plies in RGN's notation; None for a turn without one."""
        return ply.text


def last_position(record: GameRecord) -> Position:
    """The position where a record stops, before a move that has not been made yet."""
    if not record.plies:
        return record.start
    return record.stepper.position(*record.plies[-1].after(record.stepper))


@dataclass(frozen=True)
class RecordFault:
    """Why a game could not be read; it takes the game's place among those of a file.

    Attributes
    ----------
    file : str
    number : int
        The game's number in that file, from 1.
    reason : str
        One sentence that begins with the place in the file.
    """

    file: str
    number: int
    reason: str

    def __str__(self) -> str:
        game = f"game {self.number}: " if self.number > 1 else ""
        return printable(f"{self.file}: {game}{self.reason}")


def _throw_text(throws: tuple[int, ...]) -> str:
    return " ".join(map(str, throws))


class Replay:
    """A game in progress, which checks every action before it takes effect.

    The readers of all notations use it, and so do play and self-play.
    """

    def __init__(self, rules: RuleSet, begin: Position | None = None) -> None:
        self.rules = rules
        self.stepper = stepper_of(rules)
        self.winner: str | None = None
        self.opening: list[Round] = []
        self.plies: list[Ply] = []
        self._begin(begin or rules.start())

    def _begin(self, position: Position) -> None:
        if position.faults():
            raise RecordError("; ".join(position.faults()))
        self.start, self.side = position, position.side
        self.state = self.stepper.encode(position)
        self._opening = self.stepper.opening_rolls(position)
        if self.stepper.is_over(self.state):
            raise RecordError("the game is over before its first throw")

    @classmethod
    def after(
        cls,
        rules: RuleSet,
        begin: Position,
        plies: Iterable[Ply],
        opening: Iterable[Round] = (),
    ) -> Self:
        """The game in which these turns have been taken, each as a record or a replay has it.

        `begin` is where the game began after the rounds of `opening`.
        """
        replay = cls(rules, begin)
        replay.opening = list(opening)
        for ply in plies:
            replay._add(ply)
        return replay

    @classmethod
    def resumed(cls, record: GameRecord) -> Self:
        """The game of a record, to go on with; a move that is missing at its end is asked again."""
        taken = (ply for ply in record.plies if not ply.is_pending)
        return cls.after(record.rules, record.start, taken, record.opening)

    @property
    def is_opening(self) -> bool:
        """Whether the last round of the opening has not found the first player."""
        return bool(self.opening) and self.opening[-1].position is None

    def rounds(self, throws: tuple[int, ...]) -> tuple[Round, ...]:
        """What may come of the next round of the opening by these throws.

        RecordError if the rules have no such round, or the game has begun.
        """
        opening, source = opening_of(self.rules), HOME
        if opening is None:
            raise RecordError(f"the lots of {self.rules.name} need no throws")
        if self.opening:
            last = self.opening[-1]
            if last.position is not None:
                raise RecordError(f"{SIDE_NAMES[last.position.side]} is the first player already")
            source = last.then
        if self.plies or self.start != self.rules.start():
            raise RecordError("an opening comes before the first throw")
        if throws not in opening.throws:
            raise RecordError(
                f"{'-'.join(map(str, throws))} is not what {self.rules.dice.name} dice show in a "
                f"round of the opening of {self.rules.name}"
            )
        return opening.rounds(source, throws)

    def open(self, taken: Round) -> None:
        """Add a round of the opening, one of those that `rounds` gives."""
        self.opening.append(taken)
        if taken.position is not None:
            self._begin(taken.position)

    def choices(self) -> tuple[PieceChoice, ...]:
        """The choices before the throw; empty if the rules have none."""
        return self.stepper.choices(self.state)

    def rolls(self, choice: str = FREE_THROW) -> Rolls:
        """The rolls after `choice`."""
        if self._opening is not None and not self.plies:
            return self._opening
        return self.stepper.rolls(self.state, choice)

    def legal(self, throws: tuple[int, ...], choice: str = FREE_THROW) -> tuple[Step, ...]:
        """The legal moves after `choice` and `throws`; ThrowError if these are not possible."""
        rolls = self.rolls(choice)
        roll = rolls.of(throws)
        if roll is None:
            for throw in throws:
                self.rules.dice.check(throw)
            raise ThrowError(self._no_such_roll(throws, choice, rolls))
        return self.stepper.steps_after(self.state, roll, choice)

    def _no_such_roll(self, throws: tuple[int, ...], choice: str, rolls: Rolls) -> str:
        text = _throw_text(throws)
        possible = ", ".join(_throw_text(roll.throws) for roll in rolls)
        if rolls is self._opening:
            return f"throw {text}: the opening throw of {self.rules.name} is always {possible}"
        after = f" after {choice!r}" if choice != FREE_THROW else ""
        position = self.stepper.notation(self.state, self.side)
        return f"throw {text!r}{after} in {position!r}: expected one of {possible}"

    def take(
        self,
        throws: tuple[int, ...],
        steps: tuple[Step, ...],
        played: int,
        time: int = 0,
        place: str = "",
        choices: tuple[PieceChoice, ...] = (),
        chosen: int = -1,
    ) -> None:
        """Add a turn; the parameters are as in `Ply`.

        `steps` are those that `legal` gives for the throws.
        """
        side, state, stepper = self.side, self.state, self.stepper
        self._add(Ply(side, throws, state, steps, played, time, place, choices, chosen, stepper))

    def _add(self, ply: Ply) -> None:
        self.plies.append(ply)
        self.state, self.side = ply.after(self.stepper)
        if ply.step is not None and ply.step.is_win:
            self.winner = ply.side

    def expect_side(self, side: str) -> None:
        """Raise RecordError unless `side` is to throw now."""
        if self.winner:
            raise RecordError(f"the game was over: {SIDE_NAMES[self.winner]} had won")
        if len(self.plies) >= MAX_PLIES:
            raise RecordError(f"more than {MAX_PLIES:,} throws, the limit")
        if self.plies and self.plies[-1].is_pending:
            raise RecordError(self._missing_move(self.plies[-1]))
        if self.is_opening:
            raise RecordError("the opening has not found the first player; a round is missing")
        if side == self.side:
            return
        message = f"{SIDE_NAMES[side]} moves, but it is {SIDE_NAMES[self.side]}'s turn"
        last = self.plies[-1] if self.plies else None
        if last and last.step and last.step.again:
            text = self.stepper.text(last.side, last.step)
            message += f", who throws again after {text!r}"
        raise RecordError(f"{message}; a turn is missing or there is one too many")

    def play_nothing(self, throw: int, time: int = 0, place: str = "") -> None:
        """Add a throw without a move; if a move is legal, the ply is pending."""
        self.take((throw,), self.legal((throw,)), -1, time, place)

    def illegal(self, throws: tuple[int, ...], text: str, choice: str = FREE_THROW) -> str:
        """The message for a move that is not legal; it lists those that are."""
        after = f" after {choice!r}" if choice != FREE_THROW else ""
        return (
            f"move {text[:40]!r} is not legal with throw {_throw_text(throws)}{after} in "
            f"{self.stepper.notation(self.state, self.side)!r}; "
            f"legal: {self.stepper.texts(self.side, self.legal(throws, choice))}"
        )

    def _missing_move(self, ply: Ply) -> str:
        return (
            f"the move is missing for the throw {ply.throw_text} at {ply.place} in "
            f"{self.stepper.notation(ply.state, ply.side)!r}; "
            f"legal: {self.stepper.texts(ply.side, ply.steps)}"
        )

    def finish(
        self, ending: Ending = Ending.UNFINISHED, winner: str | None = None, **rest: object
    ) -> GameRecord:
        """The record of the played game.

        A game that was won on the board is `Ending.WON`, whatever `ending` says, and no side has
        left it. RecordError if `winner` is not the side that won on the board, or `ending` is `WON`
        and neither side has won.
        """
        if self.winner:
            if winner not in (None, self.winner):
                raise RecordError(
                    f"the record gives the game to {SIDE_NAMES[opponent(self.winner)]}, but "
                    f"{SIDE_NAMES[self.winner]} bore off all pieces"
                )
            ending, winner = Ending.WON, self.winner
            rest |= {"loser_by_choice": None, "reason": None}
        elif ending is Ending.WON:
            raise RecordError(
                "the record says that the game was won, but neither side has borne off all "
                f"pieces in {self.stepper.notation(self.state, self.side)!r}; turns are missing"
            )
        return GameRecord(
            self.rules,
            self.start,
            tuple(self.plies),
            ending,
            winner,
            opening=tuple(self.opening),
            **rest,  # type: ignore[arg-type]
        )
