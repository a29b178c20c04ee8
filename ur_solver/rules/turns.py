"""A whole turn, for every rule set: choices, throws, moves and values.

`turn` expands a position into *choices* before the throw (most rule sets have none),
each with *outcomes* of the dice and their moves. `evaluate` is one
step of value iteration over it: the readable definition of a position's value.

Values are those of the side about to throw, in the unit of `RuleSet.payoff`. The sum of
both sides' values depends on the position alone (`total`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import NamedTuple

from ur_solver.rules.family import FREE_THROW
from ur_solver.rules.game import Move, Position, RuleSet, legal_moves

Value = Callable[[Position], float]
"""The value of a position to the side about to throw there."""


class Outcome(NamedTuple):
    """An outcome of the dice after a choice."""

    probability: Fraction
    throws: tuple[int, ...]  # one throw, or two where the first earns a second
    moves: tuple[Move, ...]  # those to choose from; if there is none the turn passes


class Choice(NamedTuple):
    """A choice before the throw, and its outcomes, whose probabilities sum to 1."""

    name: str  # `FREE_THROW` if the rules have none; in birds `MOVE` or `ENTER`
    outcomes: tuple[Outcome, ...]


def has_choices(rules: RuleSet) -> bool:
    """Whether turns of a rule set begin with a choice."""
    return rules.mechanics.choices(1, 1) != (FREE_THROW,)


def turn(position: Position) -> tuple[Choice, ...]:
    """The choices of the side about to throw; none once the game is over."""
    if position.winner is not None:
        return ()
    family, side = position.rules.mechanics, position.side
    candidate = min(position.numbers(side), default=None)
    choices = []
    for choice in family.choices(position.home(side), position.on_board(side)):
        outcomes = []
        for roll in family.rolls(choice, candidate):
            by = roll.moves_by
            moves = [] if by is None else legal_moves(position, by, choice)
            outcomes.append(Outcome(roll.probability, roll.throws, tuple(moves)))
        choices.append(Choice(choice, tuple(outcomes)))
    return tuple(choices)


def is_draw(position: Position) -> bool:
    """Whether neither side can ever move again, with any throws (rules, section 4.1)."""
    return position.winner is None and not any(
        outcome.moves
        for either in (position.awake(), position.pass_turn())
        for choice in turn(either)
        for outcome in choice.outcomes
    )


def total(position: Position) -> int:
    """The sum of both sides' values."""
    return position.rules.payoff.total(position.fines)


def final_value(position: Position) -> float | None:
    """The value of a position that is won, lost or drawn; otherwise None."""
    side = position.winner
    if side is not None:
        return total(position) if side == position.side else 0
    return total(position) / 2 if is_draw(position) else None


def move_value(move: Move, value: Value) -> float:
    """The value of a move to the side that makes it, minus its cost."""
    worth = value(move.position)
    return (worth if move.again else total(move.position) - worth) - move.cost


def throw_value(position: Position, moves: Iterable[Move], value: Value) -> float:
    """The value of a throw to the side that has made it: its best move's, or passing's."""
    worths = [move_value(move, value) for move in moves]
    return max(worths) if worths else total(position) - value(position.pass_turn())


def choice_value(position: Position, choice: Choice, value: Value) -> float:
    """The value of a choice of `turn(position)`, before the throw."""
    return sum(
        float(outcome.probability) * throw_value(position, outcome.moves, value)
        for outcome in choice.outcomes
    )


def evaluate(position: Position, value: Value) -> float:
    """The value of a position from the values of its successors.

    `value` is called for every successor by a move or a pass, including won positions (see
    `final_value`).
    """
    final = final_value(position)
    if final is not None:
        return final
    return max(choice_value(position, choice, value) for choice in turn(position))
