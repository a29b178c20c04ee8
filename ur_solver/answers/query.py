"""One decision as people see it, and what a table or an estimator answers.

`decision` unfolds a position by the readable rules and weighs it by `ur_solver.answers.decisions`.
`Decision.to_json` is its JSON in commands and in the HTTP interface.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ur_solver.answers.decisions import (
    Branches,
    Decisions,
    Mark,
    Values,
    decide_every_throw,
    encoded,
    mark_of,
    to_side,
)
from ur_solver.answers.positions import (
    PositionLike,
    PositionsLike,
    are_states,
    column_of,
    position_from,
    states_from,
    value_when_over,
)
from ur_solver.rules import (
    DARK,
    FREE_THROW,
    HOME,
    LIGHT,
    SIDE_NAMES,
    Move,
    Position,
    opponent,
)
from ur_solver.rules.game import legal_moves
from ur_solver.rules.turns import Choice, Outcome, has_choices, total, turn
from ur_solver.space import space_of

if TYPE_CHECKING:  # few ask for openings
    from ur_solver.answers.openings import EvaluatedRound


def exactness(values: Values, error: float) -> dict[str, Any]:
    """What JSON says of the exactness of an estimator's value; nothing of a table's."""
    if values.are_exact:
        return {}
    return {"exact": True} if error == 0 else {"exact": False, "error": error}


class EvaluatedMove(NamedTuple):
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
    error, loss_error : float
        Half the widths of the 95 % intervals of `value` and `loss`; 0 of exact ones.
    mark : Mark or None
        Of a loss that is large and sure, where there are several moves.
    plies : int or None
        How far the search looked that valued it, where each move has its own
        (`Estimator.until_sure`).
    """

    move: Move
    value: float
    loss: float
    chance: float
    error: float = 0.0
    loss_error: float = 0.0
    mark: Mark | None = None
    plies: int | None = None

    def to_json(self, values: Values) -> dict[str, Any]:
        """As JSON values."""
        move = self.move
        side = move.position.side if move.again else opponent(move.position.side)
        path = move.position.rules.path.squares(side)
        found: dict[str, Any] = {
            "move": move.text,
            "from": "home" if move.source == HOME else path[move.source],
            "to": "off" if move.target == len(path) else path[move.target],
            "again": move.again,
            "capture": move.is_capture,
            "position": move.position.notation,
            **({"cost": move.cost} if move.cost else {}),
            "value": self.value,
            **exactness(values, self.error),
        }
        if not np.isnan(self.chance) and "chance" in values.rules.payoff.figures:
            found["chance"] = self.chance
        found["loss"] = self.loss
        if not values.are_exact:
            found["loss_error"] = self.loss_error
        if self.plies is not None:
            found["plies"] = self.plies
        return found | {"mark": self.mark}


class ThrowValue(NamedTuple):
    """The value of a throw to the side that throws it.

    Attributes
    ----------
    throws : tuple of int
        What the dice show: one throw, or two where the first earns a second.
    probability : Fraction
    value : float
        The win probability after the best move, or after the pass.
    luck : float
        What the throw gains: `value` less the value before it.
    error : float
        Half the width of the 95 % interval of `value`; 0 if it is exact.
    options : tuple of EvaluatedMove
        In the order of `RuleSet.legal_moves`; empty where the turn passes.
    choice : str
        The choice before the throw; empty if the rules have none.
    """

    throws: tuple[int, ...]
    probability: Fraction
    value: float
    luck: float
    error: float = 0.0
    options: tuple[EvaluatedMove, ...] = ()
    choice: str = FREE_THROW

    def __repr__(self) -> str:
        shown = " ".join(map(str, self.throws))
        return (
            f"ThrowValue({shown}: value {self.value:.6g}, luck {self.luck:+.6g}, best {self.best})"
        )

    @property
    def throw(self) -> int:
        """What the dice show first."""
        return self.throws[0]

    @property
    def moves(self) -> list[EvaluatedMove]:
        """The legal moves, the best first; equal ones in the order of `RuleSet.legal_moves`."""
        return sorted(self.options, key=lambda each: each.loss)

    @property
    def best(self) -> Move | None:
        """The best move; None where the turn passes without one."""
        return min(self.options, key=lambda each: each.loss).move if self.options else None

    def to_json(self, values: Values) -> dict[str, Any]:
        """As JSON values; two throws are an array."""
        return {
            **({"choice": self.choice} if has_choices(values.rules) else {}),
            "throw": self.throws[0] if len(self.throws) == 1 else list(self.throws),
            "probability": float(self.probability),
            "value": self.value,
            "luck": self.luck,
            **exactness(values, self.error),
            "best": None if self.best is None else self.best.text,
            "moves": [each.to_json(values) for each in self.moves],
        }


class EvaluatedChoice(NamedTuple):
    """A choice before the throw with its worth; the only one is `FREE_THROW` in most rule sets.

    Attributes
    ----------
    name : str
    value, loss : float
        The mean over its throws, and the difference from the best choice.
    error, loss_error : float
        Half the widths of their 95 % intervals; 0 of exact ones.
    mark : Mark or None
        As of moves.
    throws : tuple of ThrowValue
    """

    name: str
    value: float
    loss: float
    error: float
    loss_error: float
    mark: Mark | None
    throws: tuple[ThrowValue, ...]


class Decision(NamedTuple):
    """A decision of the side about to throw: its choices, throws and moves with their worth.

    Attributes
    ----------
    position : Position
    value : float
        To the side about to throw, before the throw.
    error : float
        Half the width of its 95 % interval; 0 if it is exact.
    choices : tuple of EvaluatedChoice
        Empty where the game is over.
    source : Table or Estimator
        Of the values.
    """

    position: Position
    value: float
    error: float
    choices: tuple[EvaluatedChoice, ...]
    source: Values

    @property
    def throws(self) -> tuple[ThrowValue, ...]:
        """The throws of all choices."""
        return tuple(throw for choice in self.choices for throw in choice.throws)

    @property
    def total(self) -> int:
        """What both sides' values sum to: 1, or with stakes the pot."""
        return total(self.position)

    @property
    def by_side(self) -> dict[str, float]:
        """The value to each side, light's first."""
        throwing = self.position.side
        return {side: to_side(self.value, side == throwing, self.total) for side in SIDE_NAMES}

    @property
    def is_draw(self) -> bool:
        """Whether neither side can ever move again."""
        if self.position.winner is not None or any(each.options for each in self.throws):
            return False
        theirs = turn(self.position.pass_turn())
        return not any(outcome.moves for choice in theirs for outcome in choice.outcomes)

    def to_json(self) -> dict[str, Any]:
        """As JSON values: what commands, audits and the HTTP interface say of a position."""
        position, values = self.position, self.source
        found = position_json(values, position, self.value, self.error) | {
            "side": SIDE_NAMES[position.side],
            "winner": SIDE_NAMES[position.winner] if position.winner else None,
            "is_draw": self.is_draw,
            "total": self.total,
            "after_pass": position.pass_turn().notation,
        }
        if has_choices(values.rules):
            made = {each.name: each for each in self.choices}
            found["choices"] = _values_of_choices(self)
            found["choice_marks"] = {name: each.mark for name, each in made.items()}
            if not values.are_exact:
                found["choice_errors"] = {name: each.error for name, each in made.items()}
                errors = {name: each.loss_error for name, each in made.items()}
                found["choice_loss_errors"] = errors
        return found | {"throws": [each.to_json(values) for each in self.throws]}


def _values_of_choices(found: Decision) -> dict[str, float | None]:
    """The value of each choice that the rules have, None where it is not allowed."""
    worth = {each.name: each.value for each in found.choices}
    return {name: worth.get(name) for name in found.source.rules.mechanics.choices(1, 1)}


def position_json(
    values: Values, position: Position, value: float, error: float = 0.0
) -> dict[str, Any]:
    """What JSON says of a position, except its choices and throws.

    `value` and `error` are those of the position. JSON has a `tolerance` of exact values only, and
    as their `error` what is proven; of estimates it is half the width of the 95 % interval.
    """
    found = {"position": position.notation, "value": value, "tolerance": None}
    if error == 0:
        found |= {"tolerance": values.tolerance, "error": values.error(position)}
    if not values.are_exact:
        return found | exactness(values, error)
    if values.rules.payoff.has_fines:
        found["cut_error"] = values.cut_error(position)
        found["chance"] = float(values.state_chances(encoded(values.rules, [position]))[0])
    return found


def decision(
    values: Values, position: PositionLike, choice: str | None = None, throws: tuple[int, ...] = ()
) -> Decision:
    """The decision of one position, or its part with one choice, or with the throws that begin so.

    Where the rules have a choice before the throw, all throws of a choice are weighed, as they are
    its worth. Raises as `Values.check` does.
    """
    found = position_from(values.rules, position)
    if not values.check(found):
        return Decision(found, value_when_over(values.rules, found), 0.0, (), values)
    choices = tuple(each for each in turn(found) if choice in (None, each.name))
    if throws and not has_choices(values.rules):
        choices = tuple(_with(each, throws) for each in choices)
    of = _Weighed(values, found, choices)
    made = tuple(of.choices(throws))
    return Decision(found, float(of.decisions.value[0]), float(of.decisions.error[0]), made, values)


def evaluated_moves(
    values: Values, position: Position, throw: int, choice: str = FREE_THROW
) -> list[EvaluatedMove]:
    """The legal moves of a throw with their worth, the best first; raises as `Values.check`."""
    values.check(position)
    moves = tuple(values.rules.legal_moves(position, throw, choice))
    if not moves:
        return []
    made = Choice(choice, (Outcome(Fraction(1), (throw,), moves),))
    return sorted(_Weighed(values, position, (made,)).moves(0), key=lambda each: each.loss)


def evaluated_throws(values: Values, position: Position) -> list[ThrowValue]:
    """What the dice can show, weighed; in birds, as if it followed the choice of *move*.

    Empty where the game is over. Raises as `Values.check` does.
    """
    if not values.check(position):
        return []
    dice = values.rules.dice
    outcomes = [
        Outcome(dice.probabilities[throw], (throw,), tuple(legal_moves(position, throw)))
        for throw in dice.throws
    ]
    of = _Weighed(values, position, (Choice(FREE_THROW, tuple(outcomes)),))
    return [throw for choice in of.choices(()) for throw in choice.throws]


def _with(choice: Choice, throws: tuple[int, ...]) -> Choice:
    """A choice with the throws alone that begin like these."""
    return Choice(
        choice.name,
        tuple(each for each in choice.outcomes if each.throws[: len(throws)] == throws),
    )


class _Weighed:
    """The choices of a position by the readable rules, and the decisions on them."""

    def __init__(self, values: Values, position: Position, choices: tuple[Choice, ...]) -> None:
        self._choices, self._total = choices, total(position)
        self._outcomes = [each for choice in choices for each in choice.outcomes]
        options = [each for one in self._outcomes for each in _options(position, one)]
        after, again, won, fined = zip(*options, strict=True)
        branches = Branches(
            encoded(values.rules, [position]),
            _starts([len(choices)]),
            _starts(len(choice.outcomes) for choice in choices),
            np.array([float(outcome.probability) for outcome in self._outcomes]),
            _starts(max(1, len(outcome.moves)) for outcome in self._outcomes),
            encoded(values.rules, after),
            np.array(again, dtype=bool),
            np.array(won, dtype=bool),
            np.array(fined, dtype=bool),
            has_choices(values.rules),
        )
        self.decisions = Decisions(values, branches)

    def choices(self, shown: tuple[int, ...]) -> Iterator[EvaluatedChoice]:
        """All choices, each with those of its throws that begin like `shown`."""
        of, edges = self.decisions.choices, self.decisions.branches.throw_starts.tolist()
        columns = (each.tolist() for each in (of.worth, of.loss, of.error, of.loss_error))
        for k, (worth, loss, error, loss_error) in enumerate(zip(*columns, strict=True)):
            name = self._choices[k].name
            thrown = tuple(
                self._throw(number, name)
                for number in range(edges[k], edges[k + 1])
                if self._outcomes[number].throws[: len(shown)] == shown
            )
            mark = mark_of(loss, loss_error, self._total, len(self._choices))
            yield EvaluatedChoice(name, worth, loss, error, loss_error, mark, thrown)

    @cached_property
    def _of_throws(self) -> list[tuple[float, float, float]]:
        of = self.decisions
        columns = of.options.value, of.luck, of.options.reach
        return list(zip(*(each.tolist() for each in columns), strict=True))

    def _throw(self, number: int, choice: str) -> ThrowValue:
        outcome = self._outcomes[number]
        options = tuple(self.moves(number)) if outcome.moves else ()
        figures = self._of_throws[number]
        return ThrowValue(outcome.throws, outcome.probability, *figures, options, choice)

    @cached_property
    def _of_options(self) -> list[tuple[float, ...]]:
        of = self.decisions.options
        columns = of.worth, of.loss, self.decisions.chance, of.error, of.loss_error
        return list(zip(*(each.tolist() for each in columns), strict=True))

    def moves(self, number: int) -> Iterator[EvaluatedMove]:
        """The moves of a throw that has some."""
        moves = self._outcomes[number].moves
        first = int(self.decisions.branches.option_starts[number])
        for k, move in enumerate(moves, start=first):
            value, loss, chance, error, loss_error = self._of_options[k]
            mark = mark_of(loss, loss_error, self._total, len(moves))
            yield EvaluatedMove(move, value, loss, chance, error, loss_error, mark)


def _options(position: Position, outcome: Outcome) -> Iterator[tuple[Position, bool, bool, bool]]:
    """What follows each option of an outcome; whether the side goes on, has won, pays a fine."""
    if not outcome.moves:
        yield position.pass_turn(), False, False, False
    for move in outcome.moves:
        won = move.position.winner is not None
        yield position if won else move.position, move.again, won, move.cost > 0


def _starts(sizes: Iterable[int]) -> npt.NDArray[np.int64]:
    """Where groups of these sizes begin, and the end of the last."""
    return np.array([0, *sizes], dtype=np.int64).cumsum()


class Answers(Values):
    """What follows from the values of one rule set; safe from several threads if those are.

    A table and an estimator inherit it, and so may another source of values.
    """

    def value(self, position: PositionLike) -> float:
        """The value of a position to the side about to throw; raises as `check` does."""
        found = position_from(self.rules, position)
        if not self.check(found):
            return value_when_over(self.rules, found)
        return float(self.state_values(encoded(self.rules, [found]))[0])

    def values(self, positions: PositionsLike) -> npt.NDArray[np.float64]:
        """The values of many positions, float64, shape (positions,); raises for the first fault."""
        return self.state_values(states_from(space_of(self.rules), positions).rows)

    def errors(self, positions: PositionsLike) -> npt.NDArray[np.float64]:
        """`error` of many positions, NaN where it is None; shape (positions,)."""
        return np.full(len(states_from(space_of(self.rules), positions).rows), np.nan)

    def chance(self, position: PositionLike) -> float:
        """Win probability of the side about to throw, if both sides play for nothing else."""
        found = position_from(self.rules, position)
        if not self.check(found):
            return float(found.winner == found.side)
        return float(self.state_chances(encoded(self.rules, [found]))[0])

    def decision(self, position: PositionLike) -> Decision:
        """All choices, throws and moves of a position, with their worth; raises as `value` does.

        Examples
        --------
        >>> import ur_solver as ur
        >>> table = ur.solve("finkel:3")
        >>> found = table.decision("L...__../..D...../....__.. L 2 2")
        >>> for each in found.throws[2:]:
        ...     print(each.throw, each.best, f"{each.luck:+.4f}")
        2 A1B2 -0.0247
        3 A1B3x +0.0666
        4 A1B4* +0.0728
        """
        return decision(self, position)

    def columns(self, positions: Iterable[PositionLike]) -> dict[str, npt.NDArray[Any]]:
        """What is known of many positions, a row each, as columns that a data frame is made of.

        Positions are given, and errors raised, as for `values`, except that encoded states are not
        taken.

        Returns
        -------
        dict of str to array, shape (number of positions,)
            ``position`` (notation), ``side`` (``"light"`` or ``"dark"``, which is about to throw),
            ``value`` and ``error`` (how far that is proven to be off; NaN if nothing is proven);
            with stakes ``chance`` and ``cut_error`` too.

        Examples
        --------
        >>> import ur_solver as ur
        >>> table = ur.solve("finkel:3")
        >>> found = table.columns(["....__../......../....__.. L 3 3"])
        >>> {name: column.tolist() for name, column in found.items() if name != "value"}
        {'position': ['....__../......../....__.. L 3 3'], 'side': ['light'], 'error': [nan]}
        """
        column = column_of(positions)
        space = space_of(self.rules)
        states = states_from(space, column)
        sides = np.array([SIDE_NAMES[LIGHT], SIDE_NAMES[DARK]], dtype=object)
        found = {
            "position": space.state_layout.notations(states.rows, states.is_dark),
            "side": sides[states.is_dark.astype(np.int64)],
            "value": self.values(column),
            "error": self.errors(column),
        }
        if self.rules.payoff.has_fines:
            own = [position_from(self.rules, each) for each in column]
            found["chance"] = np.array([self.chance(each) for each in own])
            found["cut_error"] = np.array([self.cut_error(each) for each in own])
        return found

    def move_columns(self, positions: PositionsLike) -> dict[str, npt.NDArray[Any]]:
        """Every legal move of many positions, a row each, as columns for a data frame.

        Positions are given, and errors raised, as for `values`.

        Returns
        -------
        dict of str to array
            ``position`` (notation; of encoded states the row's number), ``throw``,
            ``probability`` (of the throw), ``move`` (of encoded states as light writes it),
            ``value`` and ``loss`` (as `moves` gives them). A throw without a move has a row with
            the move None and the value of the pass.

        Examples
        --------
        >>> import ur_solver as ur
        >>> table = ur.solve("finkel:3")
        >>> found = table.move_columns(["L...__../..D...../....__.. L 2 2"])
        >>> list(zip(found["throw"].tolist(), found["move"].tolist()))[:4]
        [(0, None), (1, 'A1B1'), (1, 'A@A4'), (2, 'A1B2')]
        """
        space = space_of(self.rules)
        states = states_from(space, positions)
        if are_states(positions):
            names: npt.NDArray[Any] = np.arange(len(states.rows))
        else:
            names = space.state_layout.notations(states.rows, states.is_dark)
        going = np.flatnonzero(states.ranks >= 0)
        rows = states.rows[going]
        self.state_values(rows)  # raises for one without a value
        parts = [
            self._move_columns(of, going[some], states.is_dark)
            for some, of in decide_every_throw(self, rows)
        ]
        columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        return {**columns, "position": names[columns["position"]]}

    def _move_columns(
        self, of: Decisions, numbers: npt.NDArray[np.int64], is_dark: npt.NDArray[np.bool_]
    ) -> dict[str, npt.NDArray[Any]]:
        """The columns of some rows of these numbers, which stand for positions."""
        dice = self.rules.dice
        turns, order = of.branches.turns, of.options.order
        assert turns is not None
        at, thrown = np.divmod(turns.turn_of, len(dice.throws))
        position = numbers[at]
        chances = np.array([float(dice.probabilities[throw]) for throw in dice.throws])
        return {
            "position": position,
            "throw": np.array(dice.throws, dtype=np.int64)[thrown],
            "probability": chances[thrown],
            "move": turns.generator.texts(turns, order, is_dark[position]),
            "value": of.options.worth[order],
            "loss": of.options.loss[order],
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

        Raises
        ------
        ThrowError
            If the dice cannot show `throw`; others as `value` does.

        Examples
        --------
        >>> import ur_solver as ur
        >>> table = ur.solve("finkel:3")
        >>> for each in table.moves("L...__../..D...../....__.. L 2 2", 2):
        ...     print(each.move, f"{each.value:.4f}", f"{each.loss:.4f}")
        A1B2 0.4804 0.0000
        A@A3 0.4680 0.0124
        """
        return evaluated_moves(self, position_from(self.rules, position), throw, choice)

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
        return evaluated_throws(self, position_from(self.rules, position))

    def choices(self, position: PositionLike) -> dict[str, float | None]:
        """The value of each choice that the rule set has, before the throw, by its name.

        None where the choice is not allowed here; empty where the rules ask for none. The largest
        is the position's value. Raises as `value` does.
        """
        found = decision(self, position)
        return _values_of_choices(found) if has_choices(self.rules) else {}

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

        return opening_value(self.rules, self.value)

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

        return evaluated_rounds(self, throws, marker)
