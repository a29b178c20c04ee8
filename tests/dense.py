"""Values of small games by policy iteration on a dense matrix, from the readable turns alone.

Positions are numbered as they are found; nothing compiled is used. The linear equations of a
policy are solved in float64 and refined by residuals in long double, so that values are good to
`PRECISION` even where play lasts for ten million turns.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import scipy.linalg

from ur_solver.rules import LIGHT, Position
from ur_solver.rules.turns import final_value, turn

PRECISION = 1e7 * 2.0**-63
"""Each of ten million turns may add the rounding error of a chance."""

_REFINEMENTS = 6


class DenseGame:
    """Some positions and all that they lead to, with light about to throw.

    Attributes
    ----------
    positions : list of Position
    """

    def __init__(self, positions: Iterable[Position]) -> None:
        self.positions: list[Position] = []
        self._numbers: dict[Position, int] = {}
        self._finals: dict[int, float] = {}
        self._choices: dict[int, list] = {}
        for position in positions:
            self._step(position)
        for number, position in enumerate(self.positions):
            final = final_value(position)
            if final is not None:
                self._finals[number] = float(final)
                continue
            self._choices[number] = [
                [
                    (
                        np.longdouble(outcome.probability.numerator)
                        / np.longdouble(outcome.probability.denominator),
                        [self._step(move.position) for move in outcome.moves]
                        or [self._step(position.pass_turn())],
                    )
                    for outcome in choice.outcomes
                ]
                for choice in turn(position)
            ]

    def _step(self, reached: Position) -> tuple[int, bool]:
        is_turned = reached.side != LIGHT
        own = reached.mirror() if is_turned else reached
        if own not in self._numbers:
            self._numbers[own] = len(self.positions)
            self.positions.append(own)
        return self._numbers[own], is_turned

    def endless(self) -> set[Position]:
        """The positions in which both sides together can stay for ever, whatever they throw."""
        staying = set(self._choices)
        while True:
            leaving = {
                number
                for number in staying
                if not any(
                    all(any(reached in staying for reached, _ in steps) for _, steps in outcomes)
                    for outcomes in self._choices[number]
                )
            }
            if not leaving:
                return {self.positions[number] for number in staying}
            staying -= leaving

    def values(self) -> dict[Position, float]:
        """The chance of winning of every position; play must come to an end."""
        numbers = list(self._choices)
        row_of = {number: row for row, number in enumerate(numbers)}
        values = np.full(len(self.positions), 0.5, dtype=np.longdouble)
        for number, final in self._finals.items():
            values[number] = final
        for _ in range(50):
            entries, right = self._equations(row_of, values)
            found = _solution(entries, right)
            change = float(np.abs(found - values[numbers]).max())
            values[numbers] = found
            if change < 1e-14:
                break
        else:
            raise AssertionError("no policy is optimal")
        return dict(zip(self.positions, map(float, values), strict=True))

    def length(self) -> float:
        """The most turns that play is expected to take from any position, as `values` has it."""
        row_of = {number: row for row, number in enumerate(self._choices)}
        values = np.array(list(self.values().values()), dtype=np.longdouble)
        (rows, columns, factors), _ = self._equations(row_of, values)
        n = len(row_of)
        matrix = np.eye(n)  # the first entries, and of the others the signs, are of chances to win
        np.subtract.at(matrix, (rows[n:], columns[n:]), np.abs(factors[n:].astype(float)))
        return float(np.linalg.solve(matrix, np.ones(n)).max())

    def _equations(self, row_of, values):
        """The matrix under the best policy by some values, as entries, and the right side."""

        def worth(step):
            return 1 - values[step[0]] if step[1] else values[step[0]]

        rows, columns = list(row_of.values()), list(row_of.values())
        entries = [np.longdouble(1)] * len(row_of)
        right = np.zeros(len(row_of), dtype=np.longdouble)
        for number, row in row_of.items():
            plans = [
                [(chance, max(steps, key=worth)) for chance, steps in outcomes]
                for outcomes in self._choices[number]
            ]
            for chance, (reached, is_turned) in max(
                plans, key=lambda plan: sum(chance * worth(step) for chance, step in plan)
            ):
                sign = -chance if is_turned else chance
                right[row] += chance if is_turned else 0
                if reached in row_of:
                    rows.append(row)
                    columns.append(row_of[reached])
                    entries.append(-sign)
                else:
                    right[row] += sign * values[reached]
        return (np.array(rows), np.array(columns), np.array(entries)), right


def _solution(entries, right):
    rows, columns, factors = entries
    matrix = np.zeros((len(right), len(right)))
    np.add.at(matrix, (rows, columns), factors.astype(float))
    factorised = scipy.linalg.lu_factor(matrix)
    found = np.zeros(len(right), dtype=np.longdouble)
    for _ in range(_REFINEMENTS):
        residual = right.copy()
        np.subtract.at(residual, rows, factors * found[columns])
        found += scipy.linalg.lu_solve(factorised, residual.astype(float))
    return found
