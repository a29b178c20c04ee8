"""The values of small games in exact arithmetic: policy iteration over the readable turns.

A *policy* says what to do in every position, before a throw and after it. Under a policy the
equations of the game are linear, and their solution is rational. If by that solution no move, and
nothing that may be said before a throw, is worth more than what the policy does, it also solves
the equations of optimal play. Otherwise the policy takes what is worth more, and the linear
equations are solved again.

The equations of optimal play have no other solution, since the game ends with probability 1
whatever the players do. That is checked first: there is no set of positions in which both players
together could stay for ever. For the same reason every one of the linear systems can be solved.

Needs python-flint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import NamedTuple

from flint import fmpq, fmpq_mat

from ur_solver.errors import SolveError
from ur_solver.rules import LIGHT, Position, RuleSet
from ur_solver.rules.turns import Outcome, final_value, turn

_MOST_ROUNDS = 100
"""The most improvements of the policy. As both sides change theirs at once, they might cycle."""


class Exact(NamedTuple):
    """What `exact_values` finds.

    Attributes
    ----------
    values : dict
        By position, light about to throw: the chance that light wins.
    n_rounds : int
        How often the policy was improved until it was optimal; 0 if the best policy by the given
        values is optimal.
    """

    values: dict[Position, Fraction]
    n_rounds: int


def exact_values(
    rules: RuleSet, positions: Iterable[Position], value: Callable[[Position], float]
) -> Exact:
    """The exact values of some positions and of all positions that they lead to.

    Parameters
    ----------
    rules : RuleSet
        Without stakes.
    positions : iterable of Position
        They must obey `rules`.
    value : callable
        The approximate value of a position to the side about to throw. The first policy is the
        best one by these values. Called with positions that are not over, light about to throw.

    Raises
    ------
    SolveError
        If there are stakes, or play may go on for ever.
    """
    if rules.payoff.has_fines:
        raise SolveError(f"{rules.name}: exact values are chances of winning; leave out the stakes")
    game = _Game(rules, positions)
    game.check_that_it_ends()
    values = [
        _rational(value(position) if number in game.choices else game.finals[number])
        for number, position in enumerate(game.positions)
    ]
    policy = {k: game.best(k, values)[1] for k in game.choices}
    for n_rounds in range(_MOST_ROUNDS):
        values = game.solve(policy)
        best = {k: game.best(k, values) for k in game.choices}
        better = {k: plan for k, (worth, plan) in best.items() if worth > values[k]}
        if not better:
            exact = (Fraction(int(each.p), int(each.q)) for each in values)
            return Exact(dict(zip(game.positions, exact, strict=True)), n_rounds)
        policy |= better
    raise SolveError(f"{rules.name}: no policy was optimal after {_MOST_ROUNDS} improvements")


def _rational(value: float | Fraction) -> fmpq:
    return fmpq(*value.as_integer_ratio())


class _Step(NamedTuple):
    """Where a move or a pass leads: a position's number, and whether the other side throws next."""

    reached: int
    is_turned: bool

    def worth(self, values: list[fmpq]) -> fmpq:
        value = values[self.reached]
        return 1 - value if self.is_turned else value


_Plan = list[tuple[fmpq, _Step]]
"""What a policy does in one position: for each outcome its probability and the step taken."""


class _Game:
    """Some positions and all that they lead to, numbered, with light about to throw.

    Attributes
    ----------
    positions : list of Position
    finals : dict
        By number, the values of the positions that are won, lost or drawn.
    choices : dict
        By number, for all other positions: for each choice its outcomes, and for each outcome its
        probability and the steps to choose from.
    """

    def __init__(self, rules: RuleSet, positions: Iterable[Position]) -> None:
        self.rules = rules
        self.positions: list[Position] = []
        self.finals: dict[int, float] = {}
        self.choices: dict[int, list[list[tuple[fmpq, list[_Step]]]]] = {}
        self._numbers: dict[Position, int] = {}
        for position in positions:
            self._step(position)
        # the list grows while positions are found
        for number, position in enumerate(self.positions):
            final = final_value(position)
            if final is not None:
                self.finals[number] = final
                continue
            self.choices[number] = [
                [
                    (_rational(outcome.probability), self._steps(position, outcome))
                    for outcome in choice.outcomes
                ]
                for choice in turn(position)
            ]

    def _steps(self, position: Position, outcome: Outcome) -> list[_Step]:
        reached = [move.position for move in outcome.moves] or [position.pass_turn()]
        return list(map(self._step, reached))

    def _step(self, reached: Position) -> _Step:
        """The step to a position, which gets a number if it has none."""
        is_turned = reached.side != LIGHT
        own = reached.mirror() if is_turned else reached
        if own not in self._numbers:
            self._numbers[own] = len(self.positions)
            self.positions.append(own)
        return _Step(self._numbers[own], is_turned)

    def check_that_it_ends(self) -> None:
        """Raise SolveError if both players together could go on for ever, whatever they throw."""
        staying = set(self.choices)
        while True:
            leaving = {k for k in staying if not self._may_stay(k, staying)}
            if not leaving:
                break
            staying -= leaving
        if staying:
            text = self.positions[min(staying)].notation
            raise SolveError(f"{self.rules.name}: play may go on for ever from {text!r}")

    def _may_stay(self, number: int, among: set[int]) -> bool:
        return any(
            all(any(step.reached in among for step in steps) for _, steps in outcomes)
            for outcomes in self.choices[number]
        )

    def best(self, number: int, values: list[fmpq]) -> tuple[fmpq, _Plan]:
        """The value of a position's best choice by `values`, and what to do after that choice."""
        found = []
        for outcomes in self.choices[number]:
            plan = [
                (chance, max(steps, key=lambda step: step.worth(values)))
                for chance, steps in outcomes
            ]
            worth = sum((chance * step.worth(values) for chance, step in plan), fmpq(0))
            found.append((worth, plan))
        return max(found, key=lambda each: each[0])

    def solve(self, policy: dict[int, _Plan]) -> list[fmpq]:
        """The value of every position if both sides follow a policy."""
        row_of = {number: row for row, number in enumerate(policy)}
        matrix, right = fmpq_mat(len(policy), len(policy)), fmpq_mat(len(policy), 1)
        for number, plan in policy.items():
            row = row_of[number]
            matrix[row, row] += 1
            for chance, (reached, is_turned) in plan:
                sign = -chance if is_turned else chance
                if is_turned:
                    right[row, 0] += chance
                if reached in row_of:
                    matrix[row, row_of[reached]] -= sign
                else:
                    right[row, 0] += sign * _rational(self.finals[reached])
        solution = matrix.solve(right)
        return [
            solution[row_of[k], 0] if k in row_of else _rational(self.finals[k])
            for k in range(len(self.positions))
        ]
