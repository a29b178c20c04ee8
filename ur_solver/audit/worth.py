"""The values of options: of moves, and of choices before the throw.

The values of many states are read at once. So each option first yields the state rows of its value
(`*_rows`), and then takes their values from one iterator in the same order (`*_estimate`). All
values are to the side to throw in the state in which the choice is made; the fine of a move is
subtracted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ur_solver.answers.values import Values, row_estimates
from ur_solver.records import StateChoice, StateOutcome, Step

Option = Step | StateChoice
"""A move, or a choice before the throw."""

Estimate = tuple[float, float]
"""A value, and half the width of its 95 % interval: 0 if it is exact."""


def option_rows(option: Option) -> list[bytes]:
    """The states on whose values an option's value depends."""
    if isinstance(option, Step):
        return [] if option.is_win else [option.state]
    return [row for outcome in option.outcomes for row in outcome_rows(outcome)]


def outcome_rows(outcome: StateOutcome) -> list[bytes]:
    """The states on whose values the value of an outcome depends."""
    if not outcome.steps:
        return [outcome.passed]
    return [row for step in outcome.steps for row in option_rows(step)]


def option_estimate(option: Option, found: Iterator[Estimate]) -> Estimate:
    """The value of an option to the side that has it, and half the width of its 95 % interval.

    Both are in [0, 1], with stakes in money. The errors of the states on which a choice depends are
    taken to be fully correlated, since the values come from one network.
    """
    if isinstance(option, Step):
        if option.is_win:
            return float(option.total - option.cost), 0.0
        value, margin = next(found)
        return option.worth(value), margin
    value = margin = 0.0
    for outcome in option.outcomes:
        each, error = outcome_estimate(outcome, found)
        value += outcome.probability * each
        margin += outcome.probability * error
    return value, margin


def outcome_estimate(outcome: StateOutcome, found: Iterator[Estimate]) -> Estimate:
    """The same of an outcome to the side that threw: of its best move or of the pass.

    The best move may be another one than the best by the estimates. So the interval reaches as far
    as that of any move above the best value: a move that is worse by more than its error adds
    nothing.
    """
    if not outcome.steps:
        value, margin = next(found)
        return outcome.total - value, margin
    estimates = [option_estimate(step, found) for step in outcome.steps]
    best, _ = max(estimates)
    return best, max([margin - (best - value) for value, margin in estimates])


def option_values(options: Sequence[Option], values: Values) -> list[Estimate]:
    """The value of every option of a turn, and half the width of its interval; 0 if it is exact."""
    rows = [row for option in options for row in option_rows(option)]
    found = row_estimates(values, rows)
    return [option_estimate(option, found) for option in options]
