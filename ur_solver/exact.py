"""The values of small games in exact arithmetic: policy iteration over the readable turns.

A *policy* says what to do in every position, before a throw and after it. It makes the
equations of the game linear, and their solution is rational. If no move, and nothing that
may be said before a throw, is worth more there than what the policy does, the solution
solves the equations of optimal play; otherwise the policy takes what is worth more, and
all is solved again.

Those equations have no other solution, since the game ends with probability 1 whatever the
players do. That is tested first: there are no positions among which both players together
could stay for ever. It also makes every one of the linear systems solvable.

Needs python-flint (the extra ``exact``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import NamedTuple

from flint import fmpq, fmpq_mat

from ur_solver.errors import SolveError
from ur_solver.moves import pass_turn
from ur_solver.position import LIGHT, Position, format_position, mirror
from ur_solver.rules import RuleSet
from ur_solver.turns import Outcome, final_value, turn

_MOST_ROUNDS = 100
"""Of improvement; two sides that change their policies at once might go in circles."""


class Exact(NamedTuple):
    """What `exact_values` finds.

    Attributes
    ----------
    values : dict
        By position, light about to throw: the chance that light wins.
    n_rounds : int
        How often the policy was improved before it was optimal; 0 if the best policy by
        the values given is.
    """

    values: dict[Position, Fraction]
    n_rounds: int


def exact_values(
    rules: RuleSet, positions: Iterable[Position], value: Callable[[Position], float]
) -> Exact:
    """The exact values of some positions and of all that they lead to.

    Parameters
    ----------
    rules : RuleSet
        Without stakes.
    positions : iterable of Position
        That obey `rules`.
    value : callable
        About what a position is worth to the side about to throw: the first policy is the
        best by these values. Asked for positions that are not over, light about to throw.

    Raises
    ------
    SolveError
        If there are stakes, or play may go on for ever.
    """
    if rules.stakes is not None:
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
    """Where a move or a pass leads: a position's number, and whether sides change."""

    reached: int
    is_turned: bool

    def worth(self, values: list[fmpq]) -> fmpq:
        value = values[self.reached]
        return 1 - value if self.is_turned else value


_Plan = list[tuple[fmpq, _Step]]
"""What a policy does in one position: a step for each outcome, with its probability."""


class _Game:
    """Every position that some lead to, numbered, light about to throw.

    Attributes
    ----------
    positions : list of Position
    finals : dict
        By number, the values of those that are won, lost or drawn.
    choices : dict
        By number, of all others: for each choice its outcomes, and for each of these its
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
        # which grows as positions are found
        for number, position in enumerate(self.positions):
            final = final_value(rules, position)
            if final is not None:
                self.finals[number] = final
                continue
            self.choices[number] = [
                [
                    (_rational(outcome.probability), self._steps(position, outcome))
                    for outcome in choice.outcomes
                ]
                for choice in turn(rules, position)
            ]

    def _steps(self, position: Position, outcome: Outcome) -> list[_Step]:
        reached = [move.position for move in outcome.moves] or [pass_turn(position)]
        return list(map(self._step, reached))

    def _step(self, reached: Position) -> _Step:
        """The step of light to a position, which gets a number if it has none."""
        is_turned = reached.side != LIGHT
        own = mirror(self.rules, reached) if is_turned else reached
        if own not in self._numbers:
            self._numbers[own] = len(self.positions)
            self.positions.append(own)
        return _Step(self._numbers[own], is_turned)

    def check_that_it_ends(self) -> None:
        """Raise SolveError if two players together may go on for ever, whatever they throw."""
        staying = set(self.choices)
        while True:
            leaving = {k for k in staying if not self._may_stay(k, staying)}
            if not leaving:
                break
            staying -= leaving
        if staying:
            text = format_position(self.rules, self.positions[min(staying)])
            raise SolveError(f"{self.rules.name}: play may go on for ever from {text!r}")

    def _may_stay(self, number: int, among: set[int]) -> bool:
        return any(
            all(any(step.reached in among for step in steps) for _, steps in outcomes)
            for outcomes in self.choices[number]
        )

    def best(self, number: int, values: list[fmpq]) -> tuple[fmpq, _Plan]:
        """What a position's best choice is worth by `values`, and what to do after it."""
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
        """The value of every position where both sides follow a policy."""
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
