"""Lengths of small games in exact arithmetic: policy iteration over the readable turns.

Under a policy the lengths solve linear equations, in fractions. The longest game is found by
taking moves after which it is longer until there are none. A game that is played to win follows
the best moves by exact values, of equal ones the first.

Needs python-flint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from flint import fmpq, fmpq_mat

from ur_solver.rules import LIGHT, Position
from ur_solver.rules.turns import final_value, turn

Plan = list[tuple[fmpq, int]]
"""Of a position: for each outcome its probability and the number of the position it leads to."""


class _Lengths:
    def __init__(self, positions: Iterable[Position], value: Callable[[Position], Fraction] | None):
        self.value = value
        self.positions: list[Position] = []
        self.numbers: dict[Position, int] = {}
        self.turns: dict[int, list[list[tuple[fmpq, list[int]]]]] = {}
        for position in positions:
            self._number(position)
        for number, position in enumerate(self.positions):  # the list grows
            if final_value(position) is None:
                self.turns[number] = self._turns(position)

    def _number(self, position: Position) -> int:
        own = position if position.side == LIGHT else position.mirror()
        if own not in self.numbers:
            self.numbers[own] = len(self.positions)
            self.positions.append(own)
        return self.numbers[own]

    def _worth(self, reached: Position) -> Fraction:
        """The value of what a move leads to, to light, who has made it."""
        assert self.value is not None
        if reached.winner is not None:
            return Fraction(reached.winner == LIGHT)
        if reached.side == LIGHT:
            return self.value(reached)
        return 1 - self.value(reached.mirror())

    def _turns(self, position: Position) -> list[list[tuple[fmpq, list[int]]]]:
        found, worths = [], []
        for choice in turn(position):
            outcomes, worth = [], Fraction(0)
            for outcome in choice.outcomes:
                reached = [move.position for move in outcome.moves] or [position.pass_turn()]
                if self.value is not None:
                    best = max(map(self._worth, reached))
                    worth += outcome.probability * best
                    reached = [next(each for each in reached if self._worth(each) == best)]
                chance = fmpq(*outcome.probability.as_integer_ratio())
                outcomes.append((chance, [self._number(each) for each in reached]))
            found.append(outcomes)
            worths.append(worth)
        return found if self.value is None else [found[worths.index(max(worths))]]

    def longest(self, number: int, lengths: list[fmpq]) -> tuple[fmpq, Plan]:
        found = []
        for outcomes in self.turns[number]:
            plan = [(chance, max(steps, key=lengths.__getitem__)) for chance, steps in outcomes]
            found.append((sum((p * lengths[step] for p, step in plan), fmpq(1)), plan))
        return max(found, key=lambda each: each[0])

    def solve(self, plans: dict[int, Plan]) -> list[fmpq]:
        row_of = {number: row for row, number in enumerate(plans)}
        matrix, right = fmpq_mat(len(plans), len(plans)), fmpq_mat(len(plans), 1)
        for number, plan in plans.items():
            row = row_of[number]
            matrix[row, row] += 1
            right[row, 0] = fmpq(1)
            for chance, step in plan:
                if step in row_of:
                    matrix[row, row_of[step]] -= chance
        solution = matrix.solve(right)
        lengths = [fmpq(0)] * len(self.positions)
        for number, row in row_of.items():
            lengths[number] = solution[row, 0]
        return lengths


def exact_lengths(
    positions: Iterable[Position], value: Callable[[Position], Fraction] | None = None
) -> dict[Position, Fraction]:
    """The expected number of throws from some positions and all that they lead to.

    Parameters
    ----------
    positions : iterable of Position
    value : callable, optional
        Exact values, light to throw: both sides play to win by them. By default both sides play
        for the longest game.
    """
    game = _Lengths(positions, value)
    lengths = [fmpq(0)] * len(game.positions)
    plans: dict[int, Plan] = {}
    # by the first lengths, which are 0, each position has a longer plan
    while better := {
        number: plan
        for number in game.turns
        for worth, plan in [game.longest(number, lengths)]
        if worth > lengths[number]
    }:
        plans |= better
        lengths = game.solve(plans)
    exact = (Fraction(int(each.p), int(each.q)) for each in lengths)
    return dict(zip(game.positions, exact, strict=True))
