"""Turns on encoded states: rolls and moves one at a time, and their successors.

A state is a row of `ur_solver.space` as bytes, in which the side about to throw is always
"mine"; a move on it is a `Step`.
"""

from __future__ import annotations

import itertools
from bisect import bisect
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, lru_cache
from struct import Struct
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ur_solver.common.copies import Unchanging
from ur_solver.moves import AGAIN, CAPTURE, ROSETTE, WIN, generator_of
from ur_solver.moves.tables import PieceChoice
from ur_solver.rules import FREE_THROW, LIGHT, Position, RuleSet, mirror_square
from ur_solver.rules.family import Roll
from ur_solver.space import positions_of, space_of


class Step(NamedTuple):
    """One legal move on an encoded state.

    `source` and `target` are path indices as in `moves.Move`. `text` is the move as light writes
    it; `Stepper.text` gives dark's. `cost` is the fine that the move costs the side that makes it.
    `state` is the state after the move, from the view of the side that throws next, which is the
    same side if `again`; `total` is the sum of both sides' values there (`Payoff`).
    """

    source: int
    target: int
    is_capture: bool
    again: bool
    is_win: bool
    text: str
    cost: int
    state: bytes
    total: int = 1


class Rolls(tuple[Roll, ...]):
    """All rolls of a turn; their probabilities sum to 1."""

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


class Stepper(Unchanging):
    """The turns of one rule set on encoded states; `stepper_of` gives the shared one."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.space = space_of(rules)
        self._generator = generator_of(rules)
        self._compiled = self._generator.compiled
        self._numbers = {throw: number for number, throw in enumerate(self._generator.throws)}
        self._row = Struct(f"={self.space.state_width}{self.space.state_dtype.char}").unpack
        self._may = lru_cache(maxsize=None)(self._generator.may)
        self._described = lru_cache(maxsize=None)(self._describe)
        self._kept_rolls: dict[tuple[str, int | None], Rolls] = {}
        self._stock = positions_of(rules).stock

    def __reduce__(self) -> tuple[Callable[[RuleSet], Stepper], tuple[RuleSet]]:
        return stepper_of, (self.rules,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stepper) and self.rules == other.rules

    def __hash__(self) -> int:
        return hash(self.rules)

    def __repr__(self) -> str:
        return f"Stepper({self.rules.word})"

    def encode(self, position: Position) -> bytes:
        """The state of a position, from the view of the side about to throw."""
        row = list(self.space.encode(position))
        return np.array(row, dtype=self.space.state_dtype).tobytes()

    def position(self, state: bytes, side: str) -> Position:
        """The position of `state` with `side` about to throw; the inverse of `encode`."""
        return self.space.decode(self._row(state), side)

    def notation(self, state: bytes, side: str) -> str:
        """The notation of the position of `state`."""
        return str(self.notations([state], [side])[0])

    def notations(self, states: Sequence[bytes], sides: Sequence[str]) -> npt.NDArray[np.object_]:
        """The notations of many positions."""
        rows = np.frombuffer(b"".join(states), self.space.state_dtype)
        is_dark = np.array([side != LIGHT for side in sides], dtype=bool)
        return self.space.state_layout.notations(
            rows.reshape(len(states), self.space.state_width), is_dark
        )

    def flip(self, state: bytes) -> bytes:
        """The state after a pass: `state` from the view of the other side, which throws next."""
        return self._compiled.mirror(state)

    def is_over(self, state: bytes) -> bool:
        """Whether either side has borne off all its pieces."""
        return self._compiled.is_over(state)

    def total(self, state: bytes) -> int:
        """The sum of both sides' values in `state`: 1, or with stakes the pot."""
        return self.rules.payoff.total(self._row(state)[-1])

    def steps(self, state: bytes, throw: int, choice: str = FREE_THROW) -> tuple[Step, ...]:
        """All legal moves, by path index of the piece that moves, home first.

        The state is not over; `throw` is the one that a piece is moved by, `choice` the one before
        it.
        """
        number = self._numbers.get(throw)
        if number is None:
            return ()
        found = self._compiled.moves(state, number, self._may(choice))
        if self.rules.payoff.has_fines:
            return tuple(
                [Step(*self._described(*move), after, self.total(after)) for *move, after in found]
            )
        return tuple([Step(*self._described(*move), after) for *move, after in found])

    def _describe(
        self, mover: int, target: int, flags: int
    ) -> tuple[int, int, bool, bool, bool, str, int]:
        """The fields of `Step` before the successor."""
        is_capture, again, is_win = (bool(flags & flag) for flag in (CAPTURE, AGAIN, WIN))
        source = self._generator.tables.movers[mover].source
        text = self._generator.text(LIGHT, mover, target, flags)
        cost = self.rules.payoff.cost(bool(flags & ROSETTE))
        return source, target, is_capture, again, is_win, text, cost

    def steps_after(self, state: bytes, roll: Roll, choice: str = FREE_THROW) -> tuple[Step, ...]:
        """All legal moves after a roll; empty if it moves nothing."""
        return () if roll.moves_by is None else self.steps(state, roll.moves_by, choice)

    def choices(self, state: bytes) -> tuple[PieceChoice, ...]:
        """The choices before the throw; empty if the rules have none."""
        if not self._generator.has_choices:
            return ()
        row = np.array([self._row(state)], dtype=self.space.state_dtype)
        ((choices, _),) = self._generator.by_choices(row)
        return choices

    def rolls(self, state: bytes, choice: str = FREE_THROW) -> Rolls:
        """The rolls after a choice."""
        home = self._row(state)[len(self.rules.board.squares)]
        candidate = min(self._stock.numbers(home), default=None)
        key = (choice, candidate)
        if key not in self._kept_rolls:
            self._kept_rolls[key] = Rolls(self.rules.mechanics.rolls(choice, candidate))
        return self._kept_rolls[key]

    def opening_rolls(self, begin: Position) -> Rolls | None:
        """The only roll of the first turn of a game from `begin`, if the rules give it.

        None if the first throw is free, as it is from every position but the start.
        """
        throw = self.rules.mechanics.opening_throw
        if throw is None or replace(begin, side=LIGHT) != self.rules.start():
            return None
        return Rolls((Roll(Fraction(1), (throw,), throw),))

    def text(self, side: str, step: Step) -> str:
        """The move `step` of `side` in RGN's notation."""
        return step.text if side == LIGHT else mirror_square(step.text)

    def texts(self, side: str, steps: Sequence[Step]) -> str:
        """The moves of `side` as a list for messages."""
        return ", ".join(self.text(side, step) for step in steps) or "none, the turn passes"


@lru_cache(maxsize=32)
def stepper_of(rules: RuleSet) -> Stepper:
    """The stepper of `rules`, built once."""
    return Stepper(rules)
