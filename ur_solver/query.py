"""Answers from a table's file: values, moves best first, the values of throws.

All values are win probabilities of the side about to throw, before the throw, or with
stakes the money that it may expect to come; the value of a move is to the side that makes it.
`ur_solver.api.Table` is the public interface; this module is its part that knows the game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ur_solver.errors import IllegalPositionError
from ur_solver.rules import FREE_THROW, SIDE_NAMES, Move, Position, RuleSet
from ur_solver.rules.turns import choice_value, move_value, opening_value, pass_value, total, turn
from ur_solver.table import TableFile

PositionLike: TypeAlias = Position | str
"""A position, or its notation."""


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
        same as `value` unless there are stakes.
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


class Answers:
    """Queries on the values of one rule set; safe from several threads.

    Parameters
    ----------
    file : TableFile
        Must stay open as long as this object is used.
    """

    def __init__(self, file: TableFile) -> None:
        self.file = file
        self.space = file.space

    @property
    def rules(self) -> RuleSet:
        """The rule set of the table."""
        return self.file.rules

    @property
    def tolerance(self) -> float:
        """The tolerance of the values that the table states; with stakes, besides `cut_error`."""
        return self.file.header.tolerance * self.space.unit

    def cut_error(self, position: PositionLike) -> float:
        """The largest error due to the cut of the fines; 0 without stakes."""
        if self.space.is_chance:
            return 0.0
        fines = self._position(position).fines
        header, past = self.file.header, max(0, fines - self.space.reach)
        assert header.cut_error is not None
        assert header.cut_growth is not None
        return (header.cut_error + past * header.cut_growth) * self.space.unit

    def value(self, position: PositionLike) -> float:
        """Win probability, or money, of the side about to throw, before the throw.

        Parameters
        ----------
        position : Position or str
            Of the table's rule set, or its notation; it need not be reachable from the start.

        Returns
        -------
        float
            In [0, 1]; 1 or 0 where the game is over. With stakes the money to come, past the
            fines that the table reaches by a straight line (`ur_solver.space.stakes`); the
            pot or 0 where the game is over.

        Raises
        ------
        PositionSyntaxError
            If a text does not follow the notation.
        RuleSetMismatchError
            If the position is of another rule set.
        IllegalPositionError
            If the rule set forbids the position; it lists every fault.
        BeyondTableError
            If the table holds a part of the game, and not this position.
        DamagedTableError
            If the value cannot be read.

        Notes
        -----
        One rank and one chunk read: some ten microseconds when the chunk is cached.

        Examples
        --------
        >>> import ur_solver as ur
        >>> table = ur.solve("finkel:3")
        >>> round(table.value("....__../......../....__.. L 3 3"), 9)
        0.516201102
        """
        position = self._position(position)
        rank = self._rank(position)
        if rank < 0:
            return self._value_when_over(position)
        value = self.file.read_one(rank) * self.space.unit
        past = position.fines - self.space.reach
        if past <= 0:
            return value
        return value + past * self.space.fine * self.file.read_one(self.space.chance_rank(rank))

    def chance(self, position: PositionLike) -> float:
        """Win probability of the side about to throw, if both sides play for nothing else.

        The same as `value` unless there are stakes; raises as it does.
        """
        position = self._position(position)
        rank = self._rank(position)
        if rank < 0:
            return float(position.winner == position.side)
        return self.file.read_one(self.space.chance_rank(rank))

    def error(self, position: PositionLike) -> float | None:
        """The proven error of a position's value.

        Parameters
        ----------
        position : Position or str

        Returns
        -------
        float or None
            Of the position's block, rounding to the value type included; 0 where the game
            is over; None if the table has no certificate.

        Raises
        ------
        PositionSyntaxError, RuleSetMismatchError, IllegalPositionError
            As `value` does.
        """
        rank = self._rank(self._position(position))
        if rank < 0:
            return None if self.file.header.error is None else 0.0
        return self.file.error_of(rank)

    def _position(self, position: PositionLike) -> Position:
        return self.rules.position(position) if isinstance(position, str) else position

    def _positions(self, positions: Iterable[PositionLike]) -> list[Position]:
        if isinstance(positions, (str, Position)):
            raise TypeError(f"{positions!r:.80} is one position; expected several, as in a list")
        return [self._position(position) for position in positions]

    def columns(self, positions: Iterable[PositionLike]) -> dict[str, npt.NDArray[Any]]:
        """What is known of many positions, a row each, as columns that a data frame is made of.

        Parameters
        ----------
        positions : iterable of Position or str

        Returns
        -------
        dict of str to array, shape (number of positions,)
            ``position`` (notation), ``side`` (``"light"`` or ``"dark"``, which is about to throw),
            ``value`` and ``error`` (how far that is proven to be off; NaN if nothing is proven);
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

    def _rank(self, position: Position) -> int:
        """The rank of a position, -1 if it is over; raises where the table does not hold it."""
        rank = self._rank_anywhere(position)
        if rank >= 0:
            self.file.check_holds(rank, position)
        return rank

    def check_holds(self, position: PositionLike) -> None:
        """Raise BeyondTableError if the table holds a part of the game without a position."""
        if not self.file.part.is_whole:
            self._rank(self._position(position))

    def _rank_anywhere(self, position: Position) -> int:
        self.rules.check_position(position)
        try:
            return self.space.rank(position)
        except ValueError:
            self._value_when_over(position)  # raises if the position is not over
            return -1

    def holds_states(self, states: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """For each encoded state, whether the table answers for it; see `state_values`."""
        if self.file.part.is_whole:
            return np.ones(len(states), dtype=bool)
        ranks = self.space.rank_states(states)
        return (ranks < 0) | self.file.holds_many(ranks)

    def _value_when_over(self, position: Position) -> float:
        faults = position.faults()
        if not faults and position.winner is None:
            faults = ["a count of pieces is out of range"]
        if faults:
            raise IllegalPositionError(
                f"position {position.notation!r} is not one of {self.rules.name} with "
                f"{self.rules.pieces} pieces: " + "; ".join(faults)
            )
        won = position.winner == position.side
        return float(total(position)) if won else 0.0

    def values(
        self, positions: Iterable[PositionLike] | npt.NDArray[Any]
    ) -> npt.NDArray[np.float64]:
        """The values of many positions, as `value` gives them.

        Parameters
        ----------
        positions : sequence of Position or str, or array
            Positions or their notation, in a list, an array or a column of a data frame; or an
            array of encoded states, as `state_values` takes them.

        Returns
        -------
        float64, shape (len(positions),)

        Raises
        ------
        PositionSyntaxError, RuleSetMismatchError, IllegalPositionError
            For the first position at fault.

        Examples
        --------
        >>> import ur_solver as ur
        >>> table = ur.solve("finkel:3")
        >>> start = table.rules.start()
        >>> table.values([start, start.pass_turn()]).round(6)
        array([0.516201, 0.516201])
        """
        if isinstance(positions, np.ndarray) and positions.dtype.kind in "iu":
            return self.state_values(positions)
        found = self._positions(positions)
        ranks = np.array([self._rank(position) for position in found], dtype=np.int64)
        fines = np.array([position.fines for position in found], dtype=np.int64)
        return self._values_at(ranks, fines, found.__getitem__)

    def state_values(self, states: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """The values of many encoded states.

        Parameters
        ----------
        states : unsigned integers, shape (n, state width)
            Rows as `encode` gives them, seen from the side about to throw.

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
        space = self.space
        values = self.file.read_many(ranks)
        if space.is_chance:
            return values
        values *= space.unit
        past = np.maximum(fines.astype(np.int64) - space.reach, 0)
        slopes = self.file.read_many(space.chance_rank(ranks[past > 0]))
        values[past > 0] += past[past > 0] * space.fine * slopes
        return values

    def encode(self, positions: Sequence[PositionLike]) -> npt.NDArray[Any]:
        """Positions as rows of numbers, for `values`.

        Returns
        -------
        unsigned integers, shape (len(positions), state width)
            The content code of every square in board order, then both homes, from the side
            about to throw; with stakes the fines besides.
        """
        rows = [list(self.space.encode(self._position(position))) for position in positions]
        return np.array(rows, self.space.state_dtype).reshape(len(rows), self.space.state_width)

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
        worth = [move_value(move, self.value) for move in moves]
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
