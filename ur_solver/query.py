"""Answers from a table: values, moves best first, what a throw is worth.

All values are win probabilities of the side about to throw, before the throw, or with
stakes the money that it may expect to come; the value of a move is to the side that makes it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ur_solver.errors import IllegalPositionError
from ur_solver.moves import Move, legal_moves
from ur_solver.position import Position, format_position, position_faults, start, winner
from ur_solver.rules import FREE_THROW, RuleSet
from ur_solver.space import StakesSpace
from ur_solver.table import Table
from ur_solver.turns import choice_value, move_value, opening_value, pass_value, total, turn


@dataclass(frozen=True, slots=True)
class EvaluatedMove:
    """A legal move with its worth.

    Attributes
    ----------
    move : Move
    value : float
        The win probability, after it, of the side that makes it; with stakes the money to
        come to it, the fine that the move costs taken off.
    loss : float
        How much less that is than after the best move; 0 for the best.
    chance : float
        The win probability after it, if both sides play for nothing else from then on; the
        same as `value` unless there are stakes.
    """

    move: Move
    value: float
    loss: float
    chance: float


@dataclass(frozen=True, slots=True)
class ThrowValue:
    """What a throw is worth to the side that throws it.

    Attributes
    ----------
    throw : int
    probability : Fraction
    value : float
        The win probability after the best move, or after the pass.
    best : Move or None
        None where the turn passes without a move.
    """

    throw: int
    probability: Fraction
    value: float
    best: Move | None


class Query:
    """Questions to one table; read only, safe from several threads.

    Parameters
    ----------
    table : Table
        Stays open as long as the query is used; leaving the query as a context closes it.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.space = table.space

    @property
    def rules(self) -> RuleSet:
        """The rule set of the table."""
        return self.table.rules

    @property
    def tolerance(self) -> float:
        """What a value may be off, as far as the table says; with stakes, besides `cut_error`."""
        return self.table.header.tolerance * self.space.unit

    def cut_error(self, position: Position) -> float:
        """What a value may be off as a table keeps so many fines only; 0 without stakes."""
        if not isinstance(self.space, StakesSpace):
            return 0.0
        header, past = self.table.header, max(0, position.fines - self.space.reach)
        assert header.cut_error is not None
        assert header.cut_growth is not None
        return (header.cut_error + past * header.cut_growth) * self.space.unit

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.table.close()

    def value(self, position: Position) -> float:
        """Win probability, or money, of the side about to throw, before the throw.

        Parameters
        ----------
        position : Position
            Of the table's rule set; it need not be reachable from the start.

        Returns
        -------
        float
            In [0, 1]; 1 or 0 where the game is over. With stakes the money to come, past the
            fines that the table reaches by a straight line (`ur_solver.space.stakes`); the
            pot or 0 where the game is over.

        Raises
        ------
        IllegalPositionError
            If the position is not of the table's rule set; it lists every fault.
        DamagedTableError
            If the value cannot be read.

        Notes
        -----
        One rank and one chunk read: some ten microseconds when the chunk is cached.
        """
        rank = self._rank(position)
        if rank < 0:
            return self._value_when_over(position)
        value = self.table.read_one(rank)
        if isinstance(self.space, StakesSpace):
            past = max(0, position.fines - self.space.reach)
            slope = self.table.read_one(self.space.chance_rank(rank)) if past else 0.0
            return value * self.space.unit + past * self.space.stakes.fine * slope
        return value

    def chance(self, position: Position) -> float:
        """Win probability of the side about to throw, if both sides play for nothing else.

        The same as `value` unless there are stakes; raises as it does.
        """
        rank = self._rank(position)
        if rank < 0:
            return float(winner(self.rules, position) == position.side)
        if not isinstance(self.space, StakesSpace):
            return self.value(position)
        return self.table.read_one(self.space.chance_rank(rank))

    def error(self, position: Position) -> float | None:
        """How far the value of a position is proven to be off at most.

        Parameters
        ----------
        position : Position

        Returns
        -------
        float or None
            Of the position's block, rounding to the value type included; 0 where the game
            is over; None if the table has no certificate.

        Raises
        ------
        IllegalPositionError
            If the position is not of the table's rule set.
        """
        rank = self._rank(position)
        if rank < 0:
            return None if self.table.header.error is None else 0.0
        return self.table.error_of(rank)

    def _rank(self, position: Position) -> int:
        """The rank of a position, -1 if it is over."""
        if len(position.contents) == len(self.rules.board.squares):
            try:
                return self.space.rank(position)
            except ValueError:
                pass  # over, or at fault; both are told below
        self._value_when_over(position)
        return -1

    def _value_when_over(self, position: Position) -> float:
        if len(position.contents) != len(self.rules.board.squares):
            faults = ["it is of another board"]
        else:
            faults = position_faults(self.rules, position)
            if not faults and winner(self.rules, position) is None:
                faults = ["a count of pieces is out of range"]
        if faults:
            raise IllegalPositionError(
                f"position {_text(self.rules, position)!r} is not one of {self.rules.name} with "
                f"{self.rules.pieces} pieces: " + "; ".join(faults)
            )
        won = winner(self.rules, position) == position.side
        return float(total(self.rules, position)) if won else 0.0

    def values(self, positions: Sequence[Position]) -> npt.NDArray[np.float64]:
        """The values of many positions, as `value` gives them.

        Returns
        -------
        float64, shape (len(positions),)

        Raises
        ------
        IllegalPositionError
            For the first position that is not of the table's rule set.
        """
        ranks = np.array([self._rank(position) for position in positions], dtype=np.int64)
        fines = np.array([position.fines for position in positions], dtype=np.int64)
        return self._values_at(ranks, fines, positions.__getitem__)

    def state_values(self, states: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """The values of many encoded states.

        Parameters
        ----------
        states : `Space.state_dtype`, shape (n, `Space.state_width`)
            Rows as `Space.encode` gives them.

        Returns
        -------
        float64, shape (n,)

        Raises
        ------
        IllegalPositionError
            For the first row that is no state of the table's rule set.

        Notes
        -----
        More than 5 million random states a second and core once the table is loaded.
        """
        states = np.asarray(states)
        ranks = self.space.rank_states(states)
        return self._values_at(
            ranks, states[:, -1], lambda k: self.space.decode(states[k].tolist())
        )

    def _values_at(
        self,
        ranks: npt.NDArray[np.int64],
        fines: npt.NDArray[Any],
        position: Callable[[int], Position],
    ) -> npt.NDArray[np.float64]:
        is_over = ranks < 0
        if not is_over.any():
            return self._read(ranks, fines)
        values = np.empty(len(ranks))
        values[~is_over] = self._read(ranks[~is_over], fines[~is_over])
        for k in np.flatnonzero(is_over):
            values[k] = self._value_when_over(position(int(k)))
        return values

    def _read(
        self, ranks: npt.NDArray[np.int64], fines: npt.NDArray[Any]
    ) -> npt.NDArray[np.float64]:
        values = self.table.read_many(ranks)
        space = self.space
        if not isinstance(space, StakesSpace):
            return values
        values = values * space.unit
        past = np.maximum(fines.astype(np.int64) - space.reach, 0)
        slopes = self.table.read_many(space.chance_rank(ranks[past > 0]))
        values[past > 0] += past[past > 0] * space.stakes.fine * slopes
        return values

    def moves(self, position: Position, throw: int) -> list[EvaluatedMove]:
        """Every legal move, the best first; equal ones in the order of `legal_moves`.

        Parameters
        ----------
        position : Position
        throw : int

        Returns
        -------
        list of EvaluatedMove
            Empty where there is no move.

        Raises
        ------
        ThrowError
            If the dice cannot show `throw`.
        IllegalPositionError
            If the position is not of the table's rule set.
        """
        self._rank(position)  # faults are told before moves are looked for
        moves = legal_moves(self.rules, position, throw)
        worth = [move_value(self.rules, move, self.value) for move in moves]
        best = max(worth, default=0.0)
        evaluated = [
            EvaluatedMove(move, value, best - value, self._chance_after(move, value))
            for move, value in zip(moves, worth, strict=True)
        ]
        return sorted(evaluated, key=lambda each: each.loss)

    def _chance_after(self, move: Move, value: float) -> float:
        if self.space.is_chance:
            return value
        chance = self.chance(move.position)
        return chance if move.again else 1 - chance

    def best(self, position: Position, throw: int) -> EvaluatedMove | None:
        """The best move, or None where there is none; raises as `moves` does."""
        moves = self.moves(position, throw)
        return moves[0] if moves else None

    def distribution(self, position: Position) -> list[ThrowValue]:
        """What each throw is worth to the side about to throw, by throw.

        Their mean, weighted by probability, is the position's value; in birds, that of
        saying *move* (`choices`). Empty where the game is over; raises as `value` does.
        """
        if self._rank(position) < 0:
            return []
        return [self._throw_value(position, throw) for throw in self.rules.dice.throws]

    def choices(self, position: Position) -> dict[str, float | None]:
        """What each choice that the rule set knows is worth, before the throw.

        Returns
        -------
        dict
            By name, None where the choice is not allowed here; empty where nothing is
            said before throwing. The largest is the position's value.

        Raises
        ------
        IllegalPositionError
            If the position is not of the table's rule set.
        """
        self._rank(position)
        names = self.rules.play.choices(1, 1)
        if names == (FREE_THROW,):
            return {}
        worth = {
            choice.name: choice_value(self.rules, position, choice, self.value)
            for choice in turn(self.rules, position)
        }
        return {name: worth.get(name) for name in names}

    def opening_value(self) -> float | None:
        """The value to the player who starts, where the starter's throw is given.

        None where the game begins with a free throw.
        """
        if self.rules.play.opening_throw is None:
            return None
        return opening_value(self.rules, start(self.rules), self.value)

    def _throw_value(self, position: Position, throw: int) -> ThrowValue:
        chance = self.rules.dice.probabilities[throw]
        best = self.best(position, throw)
        if best is None:
            return ThrowValue(throw, chance, pass_value(self.rules, position, self.value), None)
        return ThrowValue(throw, chance, best.value, best.move)


def _text(rules: RuleSet, position: Position) -> str:
    # A position of another board has no notation here.
    if len(position.contents) != len(rules.board.squares):
        return str(position)
    return format_position(rules, position)


def open_query(path: str | os.PathLike[str]) -> Query:
    """A query of the table at `path`; use it as a context manager.

    Raises
    ------
    MissingTableError, NotATableError, TableVersionError, DamagedTableError
        As `Table` does.
    """
    return Query(Table(path))
