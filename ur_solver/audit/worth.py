"""The values of options: of moves, and of choices before the throw.

The values of many states are read at once. So each option first yields the state rows of its value
(`*_rows`), and then takes their values from one iterator in the same order
(`*_worth`). All values are to the side to throw in the state in which the choice is made; the fine
of a move is subtracted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ur_solver.answers.values import Values, row_estimates
from ur_solver.records import StateChoice, StateOutcome, Step

Option = Step | StateChoice
"""A move, or a choice before the throw."""


def option_rows(option: Option) -> list[bytes]:
    """The states on whose values an option's value depends."""
    if isinstance(option, Step):
        return [] if option.is_win else [option.state]
    return [row for outcome in option.outcomes for row in outcome_rows(outcome)]


def option_worth(option: Option, found: Iterator[float]) -> float:
    """The value of an option to the side that has it, in [0, 1]; with stakes in money."""
    if isinstance(option, Step):
        if option.is_win:
            return float(option.total - option.cost)
        return option.worth(next(found))
    return sum(outcome.probability * outcome_worth(outcome, found) for outcome in option.outcomes)


def outcome_rows(outcome: StateOutcome) -> list[bytes]:
    """The states on whose values the value of an outcome depends."""
    if not outcome.steps:
        return [outcome.passed]
    return [row for step in outcome.steps for row in option_rows(step)]


def outcome_worth(outcome: StateOutcome, found: Iterator[float]) -> float:
    """The value of an outcome to the side that threw: that of its best move or of the pass."""
    if not outcome.steps:
        return outcome.total - next(found)
    return max([option_worth(step, found) for step in outcome.steps])


def option_margin(option: Option, margins: Iterator[float]) -> float:
    """Half the width of the 95 % interval of an option's value, by those of its states.

    The errors of the states on which a choice depends are taken to be fully correlated, since the
    values come from one network.
    """
    if isinstance(option, Step):
        return 0.0 if option.is_win else next(margins)
    return sum(
        outcome.probability * outcome_margin(outcome, margins) for outcome in option.outcomes
    )


def outcome_margin(outcome: StateOutcome, margins: Iterator[float]) -> float:
    """The same of an outcome: that of its least certain move, or of the pass."""
    if not outcome.steps:
        return next(margins)
    return max([option_margin(step, margins) for step in outcome.steps])


def option_values(options: Sequence[Option], values: Values) -> list[tuple[float, float]]:
    """The value of every option of a turn, and half the width of its interval; 0 if it is exact."""
    rows = [row for option in options for row in option_rows(option)]
    found, margins = row_estimates(values, rows)
    worth = [option_worth(option, found) for option in options]
    if margins is None:
        return [(value, 0.0) for value in worth]
    return [
        (value, option_margin(option, margins))
        for value, option in zip(worth, options, strict=True)
    ]
