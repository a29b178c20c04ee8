"""Answers from a table's file: moves best first, the values of throws, what to say before one.

The value of a move is to the side that makes it; other values are those of `ur_solver.lookup`.
`ur_solver.api.Table` is the public interface; this module is its part that knows the game.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.lookup import Lookup, PositionLike, Positions
from ur_solver.rules import FREE_THROW, SIDE_NAMES, Move, Position
from ur_solver.rules.turns import choice_value, move_value, opening_value, pass_value, turn


@dataclass(frozen=True, slots=True)
class EvaluatedMove:
    """A legal move with its worth.

    Attributes
    ----------
    move : Move
    value : float
        The win probability, after it, of the side that makes it; with stakes the expected
        money, less the fine that the move costs.
    loss : float
        The difference from the value of the best move; 0 for the best.
    chance : float
        The win probability after it, if both sides play for nothing else from then on; the
        same as `value` unless there are stakes; NaN where an estimator does not know.
    """

    move: Move
    value: float
    loss: float
    chance: float


@dataclass(frozen=True, slots=True)
class ThrowValue:
    """The value of a throw to the side that throws it.

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


class Questions(Positions, ABC):
    """What follows from the values of positions, exact ones or estimates."""

    @abstractmethod
    def value(self, position: PositionLike) -> float:
        """The value of a position to the side about to throw."""

    @abstractmethod
    def values(
        self, positions: Iterable[PositionLike] | npt.NDArray[Any]
    ) -> npt.NDArray[np.float64]:
        """The values of many positions, or of encoded states."""

    @abstractmethod
    def state_values(self, states: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """The values of many encoded states."""

    @abstractmethod
    def chance(self, position: PositionLike) -> float:
        """Win probability of the side about to throw, if both sides play for nothing else."""

    @abstractmethod
    def error(self, position: PositionLike) -> float | None:
        """How far a value may be off; None if that is not known."""

    @abstractmethod
    def cut_error(self, position: PositionLike) -> float:
        """The largest error due to the cut of the fines; 0 without stakes."""

    @abstractmethod
    def _rank(self, position: Position) -> int:
        """The rank of a position, -1 if it is over; raises where there is no answer for it."""

    def _valued(self, positions: list[Position]) -> Callable[[Position], float]:
        """A function that gives the values of some positions."""
        return self.value

    def columns(self, positions: Iterable[PositionLike]) -> dict[str, npt.NDArray[Any]]:
        """What is known of many positions, a row each, as columns that a data frame is made of.

        Parameters
        ----------
        positions : iterable of Position or str

        Returns
        -------
        dict of str to array, shape (number of positions,)
            ``position`` (notation), ``side`` (``"light"`` or ``"dark"``, which is about to throw),
            ``value`` and ``error`` (how far that is proven to be off; NaN if nothing is proven; of
            an estimate half the width of its 95 % interval);
            with stakes ``chance`` and ``cut_error`` too.

        Raises
        ------
        PositionSyntaxError, RuleSetMismatchError, IllegalPositionError
            For the first position at fault.

        Examples
        --------
        >>> import ur_solver as ur
        >>> table = ur.solve("finkel:3")
        >>> found = table.columns(["....__../......../....__.. L 3 3"])
        >>> {name: column.tolist() for name, column in found.items() if name != "value"}
        {'position': ['....__../......../....__.. L 3 3'], 'side': ['light'], 'error': [nan]}
        """
        found = self._positions(positions)
        errors = [self.error(position) for position in found]
        columns = {
            "position": np.array([position.notation for position in found], dtype=object),
            "side": np.array([SIDE_NAMES[position.side] for position in found], dtype=object),
            "value": self.values(found),
            "error": np.array([np.nan if each is None else each for each in errors]),
        }
        if not self.space.is_chance:
            columns["chance"] = np.array([self.chance(position) for position in found])
            columns["cut_error"] = np.array([self.cut_error(position) for position in found])
        return columns

    def move_columns(self, positions: Iterable[PositionLike]) -> dict[str, npt.NDArray[Any]]:
        """Every legal move of many positions, a row each, as columns for a data frame.

        Parameters
        ----------
        positions : iterable of Position or str

        Returns
        -------
        dict of str to array
            ``position`` (notation), ``throw``, ``probability`` (of the throw), ``move``, ``value``
            and ``loss`` (as `moves` gives them). A throw without a move has a row with the move
            None and the value of the pass.

        Raises
        ------
        PositionSyntaxError, RuleSetMismatchError, IllegalPositionError
            For the first position at fault.

        Examples
        --------
        >>> import ur_solver as ur
        >>> table = ur.solve("finkel:3")
        >>> found = table.move_columns(["L...__../..D...../....__.. L 2 2"])
        >>> list(zip(found["throw"].tolist(), found["move"].tolist()))[:4]
        [(0, None), (1, 'A1B1'), (1, 'A@A4'), (2, 'A1B2')]
        """
        rows: list[tuple[Any, ...]] = []
        for position in self._positions(positions):
            for throw in self.throws(position):
                chance = float(throw.probability)
                moves: list[tuple[str | None, float, float]] = [
                    (each.move.text, each.value, each.loss)
                    for each in self.moves(position, throw.throw)
                ]
                for move in moves or [(None, throw.value, 0.0)]:
                    rows.append((position.notation, throw.throw, chance, *move))
        kinds = {
            "position": object,
            "throw": np.int64,
            "probability": np.float64,
            "move": object,
            "value": np.float64,
            "loss": np.float64,
        }
        return {
            name: np.array([row[k] for row in rows], dtype=kind)
            for k, (name, kind) in enumerate(kinds.items())
        }

    def moves(self, position: PositionLike, throw: int) -> list[EvaluatedMove]:
        """Every legal move, the best first; equal ones in the order of `RuleSet.legal_moves`.

        Parameters
        ----------
        position : Position or str
        throw : int

        Returns
        -------
        list of EvaluatedMove
            Empty where there is no move.

        Raises
        ------
        ThrowError
            If the dice cannot show `throw`.
        PositionSyntaxError, RuleSetMismatchError, IllegalPositionError
            As `value` does.

        Examples
        --------
        >>> import ur_solver as ur
        >>> table = ur.solve("finkel:3")
        >>> for each in table.moves("L...__../..D...../....__.. L 2 2", 2):
        ...     print(each.move, f"{each.value:.4f}", f"{each.loss:.4f}")
        A1B2 0.4804 0.0000
        A@A3 0.4680 0.0124
        """
        position = self._position(position)
        self._rank(position)  # raises for a position at fault, before moves are generated
        moves = self.rules.legal_moves(position, throw)
        value_of = self._valued([move.position for move in moves])
        worth = [move_value(move, value_of) for move in moves]
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

    def best(self, position: PositionLike, throw: int) -> EvaluatedMove | None:
        """The best move, or None where there is none; raises as `moves` does."""
        moves = self.moves(position, throw)
        return moves[0] if moves else None

    def throws(self, position: PositionLike) -> list[ThrowValue]:
        """The value of each throw to the side about to throw, by throw.

        Their mean, weighted by probability, is the position's value; in birds, that of
        saying *move* (`choices`). Empty where the game is over; raises as `value` does.

        Examples
        --------
        >>> import ur_solver as ur
        >>> table = ur.solve("finkel:3")
        >>> [(each.throw, str(each.probability)) for each in table.throws(table.rules.start())]
        [(0, '1/16'), (1, '1/4'), (2, '3/8'), (3, '1/4'), (4, '1/16')]
        """
        position = self._position(position)
        if self._rank(position) < 0:
            return []
        return [self._throw_value(position, throw) for throw in self.rules.dice.throws]

    def choices(self, position: PositionLike) -> dict[str, float | None]:
        """The value of each choice that the rule set has, before the throw.

        Returns
        -------
        dict
            By name, None where the choice is not allowed here; empty where nothing is
            said before throwing. The largest is the position's value.

        Raises
        ------
        PositionSyntaxError, RuleSetMismatchError, IllegalPositionError
            As `value` does.
        """
        position = self._position(position)
        self._rank(position)
        names = self.rules.mechanics.choices(1, 1)
        if names == (FREE_THROW,):
            return {}
        worth = {
            choice.name: choice_value(position, choice, self.value) for choice in turn(position)
        }
        return {name: worth.get(name) for name in names}

    def opening_value(self) -> float | None:
        """The value to the player who starts, where the starter's throw is given.

        None where the game begins with a free throw.
        """
        if self.rules.mechanics.opening_throw is None:
            return None
        return opening_value(self.rules.start(), self.value)

    def _throw_value(self, position: Position, throw: int) -> ThrowValue:
        chance = self.rules.dice.probabilities[throw]
        best = self.best(position, throw)
        if best is None:
            return ThrowValue(throw, chance, pass_value(position, self.value), None)
        return ThrowValue(throw, chance, best.value, best.move)


class Answers(Lookup, Questions):
    """Queries on the values of one rule set by its table; safe from several threads."""
