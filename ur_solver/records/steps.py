"""Turns on encoded states: what may be said, thrown and moved, and the states that follow.

A state is a row of `ur_solver.space` as bytes, in which the side about to throw is always
"mine"; a move on it is a `Step`. `Stepper` uses `ur_solver.rules.moves` and so works for every
rule set. Plain races have a faster stepper of their own (`race_steps.py`).
"""

from __future__ import annotations

import itertools
from bisect import bisect
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from ur_solver.rules import FREE_THROW, HOME, LIGHT, Position, RuleSet
from ur_solver.rules.families import Roll
from ur_solver.rules.moves import legal_moves
from ur_solver.rules.turns import total
from ur_solver.space import space_of

_ACROSS = str.maketrans("AC", "CA")
_CACHED = 1 << 16
"""Pairs of state and throw whose moves are cached, some 50 MB. With few pieces many recur."""


class Step(NamedTuple):
    """One legal move on an encoded state.

    `source` and `target` are path indices as in `moves.Move`. `state` is the state after the move,
    from the view of the side that throws next, which is the same side if `again`. `text` is the
    move as light writes it; `Stepper.text` gives dark's. `cost` is the fine that the move costs the
    side that makes it, and `total` what both sides' values sum to afterwards (`Payoff`).
    """

    source: int
    target: int
    is_capture: bool
    again: bool
    is_win: bool
    state: bytes
    text: str
    cost: int = 0
    total: int = 1

    def worth(self, value: float) -> float:
        """What it is worth to the side that makes it.

        Parameters
        ----------
        value : float
            Of `state`, to the side that throws there.
        """
        return (value if self.again else self.total - value) - self.cost


class Outcome(NamedTuple):
    """What the dice may bring, with its probability: the moves `steps`, or a pass if it is empty.

    `passed` is the state after a pass, from the other side's view; `total` is what both sides'
    values sum to before the move.
    """

    probability: float
    steps: tuple[Step, ...]
    passed: bytes
    total: int = 1


class Rolls(tuple[Roll, ...]):
    """Everything that may be thrown in a turn; the probabilities sum to 1."""

    @cached_property
    def _by_throws(self) -> dict[tuple[int, ...], Roll]:
        return {roll.throws: roll for roll in self}

    @cached_property
    def _sums(self) -> list[float]:
        return list(itertools.accumulate(float(roll.probability) for roll in self))

    def of(self, throws: tuple[int, ...]) -> Roll | None:
        """The roll in which the dice show `throws`; None if there is none."""
        return self._by_throws.get(throws)

    def pick(self, chance: float) -> Roll:
        """The roll that a uniform random number in [0, 1) selects."""
        return self[min(bisect(self._sums, chance), len(self) - 1)]


class Saying:
    """Something that may be said before throwing; in birds *move* or *enter*.

    Attributes
    ----------
    name : str
    source : int
        The lowest path index from which a piece may then move: `HOME` if a piece enters, 0 if
        one on the board moves.
    """

    def __init__(self, stepper: Stepper, state: bytes, name: str) -> None:
        self._stepper, self._state = stepper, state
        self.name = name
        self.source = HOME if stepper.rules.mechanics.moves_from(name)[0] else 0

    @cached_property
    def outcomes(self) -> tuple[Outcome, ...]:
        """What the dice may bring after it."""
        stepper, state = self._stepper, self._state
        passed, total = stepper.flip(state), stepper.total(state)
        return tuple(
            Outcome(
                float(roll.probability), stepper.steps_after(state, roll, self.name), passed, total
            )
            for roll in stepper.rolls(state, self.name)
        )


class Stepper:
    """The turns of one rule set on encoded states; `stepper_of` gives the shared one."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.space = space_of(rules)
        self._kept_rolls: dict[tuple[str, int | None], Rolls] = {}
        self._kept_steps = lru_cache(maxsize=_CACHED)(self._find_steps)

    def __reduce__(self) -> tuple[type[Stepper], tuple[RuleSet]]:
        return type(self), (self.rules,)  # what it has found already is found again

    def encode(self, position: Position) -> bytes:
        """The state of a position, from the view of the side about to throw."""
        row = list(self.space.encode(position))
        return np.array(row, dtype=self.space.state_dtype).tobytes()

    def position(self, state: bytes, side: str) -> Position:
        """The position of `state` with `side` about to throw; the inverse of `encode`."""
        row = np.frombuffer(state, dtype=self.space.state_dtype)
        return self.space.decode(row.tolist(), side)

    def notation(self, state: bytes, side: str) -> str:
        """The notation of the position of `state`."""
        return self.position(state, side).notation

    def flip(self, state: bytes) -> bytes:
        """The state after a pass: `state` from the view of the other side, which throws next."""
        return self.encode(self.position(state, LIGHT).pass_turn())

    def is_over(self, state: bytes) -> bool:
        """Whether either side has borne off all its pieces."""
        return self.position(state, LIGHT).winner is not None

    def total(self, state: bytes) -> int:
        """What both sides' values sum to in `state`: 1, or with stakes the pot."""
        if self.rules.payoff.is_chance:
            return 1
        return total(self.position(state, LIGHT))

    def steps(self, state: bytes, throw: int, choice: str = FREE_THROW) -> tuple[Step, ...]:
        """All legal moves, by path index of the piece that moves, home first.

        Parameters
        ----------
        state : bytes
            A state that is not over.
        throw : int
            The throw that a piece is moved by.
        choice : str
            What was said before throwing.
        """
        return self._kept_steps(state, throw, choice)

    def _find_steps(self, state: bytes, throw: int, choice: str) -> tuple[Step, ...]:
        position = self.position(state, LIGHT)
        return tuple(
            Step(
                move.source,
                move.target,
                move.is_capture,
                move.again,
                move.position.winner is not None,
                self.encode(move.position),
                move.text,
                move.cost,
                total(move.position),
            )
            for move in legal_moves(position, throw, choice)
        )

    def steps_after(self, state: bytes, roll: Roll, choice: str = FREE_THROW) -> tuple[Step, ...]:
        """All legal moves after a roll; empty if it moves nothing."""
        return () if roll.moves_by is None else self.steps(state, roll.moves_by, choice)

    def sayings(self, state: bytes) -> tuple[Saying, ...]:
        """What may be said before throwing; empty where the rules ask for nothing."""
        if self.rules.mechanics.choices(1, 1) == (FREE_THROW,):
            return ()
        position = self.position(state, LIGHT)
        names = self.rules.mechanics.choices(position.home(LIGHT), position.on_board(LIGHT))
        return tuple(Saying(self, state, name) for name in names)

    def rolls(self, state: bytes, choice: str = FREE_THROW) -> Rolls:
        """What may be thrown after saying `choice`."""
        candidate = None
        if self.rules.mechanics.is_numbered:
            candidate = min(self.position(state, LIGHT).numbers(LIGHT), default=None)
        key = (choice, candidate)
        if key not in self._kept_rolls:
            self._kept_rolls[key] = Rolls(self.rules.mechanics.rolls(choice, candidate))
        return self._kept_rolls[key]

    def opening_rolls(self, begin: Position) -> Rolls | None:
        """The only roll of the first turn of a game from `begin`, where the rules give it.

        None if the first throw is free, as it is from every position but the start.
        """
        throw = self.rules.mechanics.opening_throw
        if throw is None or replace(begin, side=LIGHT) != self.rules.start():
            return None
        return Rolls((Roll(Fraction(1), (throw,), throw),))

    def text(self, side: str, step: Step) -> str:
        """The move `step` of `side` in RGN's notation."""
        return step.text if side == LIGHT else step.text.translate(_ACROSS)

    def texts(self, side: str, steps: Sequence[Step]) -> str:
        """The moves of `side` as a list for messages."""
        return ", ".join(self.text(side, step) for step in steps) or "none, the turn passes"
