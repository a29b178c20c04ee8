"""What follows from values: moves best first, the values of throws and choices, columns.

The value of a move is to the side that makes it; others are to the side about to throw. The values
may come from a table (`ur_solver.answers.lookup`) or from anything else that gives them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ur_solver.answers.positions import (
    PositionLike,
    PositionsLike,
    are_states,
    column_of,
    position_from,
    states_from,
)
from ur_solver.rules import DARK, FREE_THROW, LIGHT, SIDE_NAMES, Move, Position
from ur_solver.rules.turns import choice_value, move_value, pass_value, turn
from ur_solver.space import space_of

if TYPE_CHECKING:
    from ur_solver.answers.openings import EvaluatedRound
    from ur_solver.answers.values import PositionValues

_BATCH = 1 << 14
"""Positions whose moves are listed at once; those of one take some 2 KB."""


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


def figures_of(values: PositionValues, position: Position) -> dict[str, float]:
    """The figures of a position besides its value and its error, by name."""
    return {name: getattr(values, name)(position) for name in values.rules.payoff.figures}


class Answers:
    """Answers from the values of one rule set; safe from several threads if those are.

    Parameters
    ----------
    values : PositionValues
        A table's `Lookup`, or whatever else gives values.
    """

    def __init__(self, values: PositionValues) -> None:
        self._values = values
        self._rules = values.rules

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
        column = column_of(positions)
        space = space_of(self._rules)
        states = states_from(space, column)
        sides = np.array([SIDE_NAMES[LIGHT], SIDE_NAMES[DARK]], dtype=object)
        names = sorted(self._rules.payoff.figures)
        figures = [
            figures_of(self._values, position_from(self._rules, each))
            for each in (column if names else ())
        ]
        return {
            "position": space.state_layout.notations(states.rows, states.is_dark),
            "side": sides[states.is_dark.astype(np.int64)],
            "value": self._values.values(column),
            "error": self._values.errors(column),
            **{name: np.array([each[name] for each in figures]) for name in names},
        }

    def move_columns(self, positions: PositionsLike) -> dict[str, npt.NDArray[Any]]:
        """Every legal move of many positions, a row each, as columns for a data frame.

        Parameters
        ----------
        positions : iterable of Position or str, or array
            As `values` takes them.

        Returns
        -------
        dict of str to array
            ``position`` (notation; of encoded states the row's number), ``throw``,
            ``probability`` (of the throw), ``move`` (of encoded states as light writes it),
            ``value`` and ``loss`` (as `moves` gives them). A throw without a move has a row with
            the move None and the value of the pass.

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
        space = space_of(self._rules)
        states = states_from(space, positions)
        if are_states(positions):
            names: npt.NDArray[Any] = np.arange(len(states.rows))
        else:
            names = space.state_layout.notations(states.rows, states.is_dark)
        going = np.flatnonzero(states.ranks >= 0)
        self._values.state_values(states.rows[going])  # raises for one without a value
        batches = range(0, max(1, len(going)), _BATCH)
        parts = [
            self._move_columns(states.rows, states.is_dark, going[k : k + _BATCH]) for k in batches
        ]
        columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        return {**columns, "position": names[columns["position"]]}

    def _move_columns(
        self, rows: npt.NDArray[Any], is_dark: npt.NDArray[np.bool_], numbers: npt.NDArray[np.int64]
    ) -> dict[str, npt.NDArray[Any]]:
        """The columns of some rows, with the rows' numbers for positions."""
        # 10 ms that the answer to a single position does not need
        from ur_solver.answers.every_throw import evaluated_throws  # noqa: PLC0415

        dice = self._rules.dice
        found = evaluated_throws(self._values, rows[numbers])
        turns, order = found.turns, found.order
        at, thrown = np.divmod(turns.turn_of, len(dice.throws))
        position = numbers[at]
        return {
            "position": position,
            "throw": np.array(dice.throws, dtype=np.int64)[thrown],
            "probability": np.array([float(dice.probabilities[throw]) for throw in dice.throws])[
                thrown
            ],
            "move": turns.generator.texts(turns, order, is_dark[position]),
            "value": found.worth[order],
            "loss": found.loss,
        }

    def moves(
        self, position: PositionLike, throw: int, choice: str = FREE_THROW
    ) -> list[EvaluatedMove]:
        """Every legal move, the best first; equal ones in the order of `RuleSet.legal_moves`.

        Parameters
        ----------
        position : Position or str
        throw : int
        choice : str
            The choice before the throw, as for `RuleSet.legal_moves`.

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
        position = self._checked(position)
        moves = self._rules.legal_moves(position, throw, choice)
        worth = [move_value(move, self._values.value) for move in moves]
        best = max(worth, default=0.0)
        evaluated = [
            EvaluatedMove(move, value, best - value, self._chance_after(move, value))
            for move, value in zip(moves, worth, strict=True)
        ]
        return sorted(evaluated, key=lambda each: each.loss)

    def _checked(self, position: PositionLike) -> Position:
        """A position that has values; raises for others before their moves are generated."""
        found = position_from(self._rules, position)
        self._values.check(found)
        return found

    def _chance_after(self, move: Move, value: float) -> float:
        if "chance" not in self._rules.payoff.figures:
            return value
        chance = self._values.chance(move.position)
        return chance if move.again else 1 - chance

    def best(
        self, position: PositionLike, throw: int, choice: str = FREE_THROW
    ) -> EvaluatedMove | None:
        """The best move, or None where there is none; raises as `moves` does."""
        moves = self.moves(position, throw, choice)
        return moves[0] if moves else None

    def throws(self, position: PositionLike) -> list[ThrowValue]:
        """The value of each throw to the side about to throw, by throw.

        Their mean, weighted by probability, is the position's value; in birds, that of
        choosing *move* (`choices`). Empty where the game is over; raises as `value` does.

        Examples
        --------
        >>> import ur_solver as ur
        >>> table = ur.solve("finkel:3")
        >>> [(each.throw, str(each.probability)) for each in table.throws(table.rules.start())]
        [(0, '1/16'), (1, '1/4'), (2, '3/8'), (3, '1/4'), (4, '1/16')]
        """
        position = position_from(self._rules, position)
        if not self._values.check(position):
            return []
        return [self._throw_value(position, throw) for throw in self._rules.dice.throws]

    def choices(self, position: PositionLike) -> dict[str, float | None]:
        """The value of each choice that the rule set has, before the throw.

        Returns
        -------
        dict
            By name, None where the choice is not allowed here; empty where the rules ask
            for none. The largest is the position's value.

        Raises
        ------
        PositionSyntaxError, RuleSetMismatchError, IllegalPositionError
            As `value` does.
        """
        position = self._checked(position)
        names = self._rules.mechanics.choices(1, 1)
        if names == (FREE_THROW,):
            return {}
        worth = {
            choice.name: choice_value(position, choice, self._values.value)
            for choice in turn(position)
        }
        return {name: worth.get(name) for name in names}

    def opening_value(self) -> float:
        """The first player's value, by how the rule set begins a game.

        The value of the start if lots or the highest throw find the first player; otherwise
        that of Skiriuk's starter, whose first throw is a 1, or of the player who is ahead once
        both have entered, as in Ben's game.

        Raises
        ------
        BeyondTableError
            If a table holds a part of the game without the start.

        Examples
        --------
        >>> import ur_solver as ur
        >>> table = ur.solve("ben:1")
        >>> print(f"{table.opening_value():.4%}, {table.start_value:.4%} with a free first throw")
        55.3971%, 53.3174% with a free first throw
        """
        from ur_solver.rules.openings import opening_value  # noqa: PLC0415 - few ask for openings

        return opening_value(self._rules, self._values.value)

    def opening_rounds(
        self, throws: tuple[int, ...], marker: str | None = None
    ) -> list[EvaluatedRound]:
        """What may come of a round of the opening, the best first for the side that chooses.

        Parameters
        ----------
        throws : tuple of int
            Light's throw and dark's; light's 1 alone in Skiriuk's opening.
        marker : str, optional
            The square of light's marker, if both have entered theirs and are equally far.

        Raises
        ------
        ThrowError
            If the opening has no such round.
        BeyondTableError
            If a table holds a part of the game without the positions that follow.

        Examples
        --------
        >>> import ur_solver as ur
        >>> table = ur.solve("ben:1")
        >>> for each in table.opening_rounds((0, 1)):
        ...     print(each.round.text, f"{each.value:.4f}", f"{each.loss:.4f}")
        A@A1 C@C4 0.6002 0.0000
        A@A2 C@C4 0.5499 0.0503
        A@A3 C@C4 0.5478 0.0524
        A@A4 C@C4 0.5000 0.1002
        """
        from ur_solver.answers.openings import evaluated_rounds  # noqa: PLC0415 - same

        return evaluated_rounds(self._rules, self._values.value, throws, marker)

    def _throw_value(self, position: Position, throw: int) -> ThrowValue:
        chance = self._rules.dice.probabilities[throw]
        best = self.best(position, throw)
        if best is None:
            return ThrowValue(throw, chance, pass_value(position, self._values.value), None)
        return ThrowValue(throw, chance, best.value, best.move)
