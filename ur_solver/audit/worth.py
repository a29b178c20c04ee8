"""What may be chosen, as a table sees it: moves, and what may be said before throwing.

The values of many states are asked for at once. So each thing that has a value first names
the rows that it must know, `*_rows`, and then takes their values from one iterator in the
same order, `*_worth`. All are to the side to throw in the state that the choice is made in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ur_solver.records import Outcome, Saying, Step
from ur_solver.values import Values, row_values

Option = Step | Saying
"""A move, or something that may be said before throwing."""


def option_rows(option: Option) -> list[bytes]:
    """The states that an option's value follows from."""
    if isinstance(option, Step):
        return [] if option.is_win else [option.state]
    return [row for outcome in option.outcomes for row in outcome_rows(outcome)]


def option_worth(option: Option, found: Iterator[float]) -> float:
    """The value of an option to the side that has it, in [0, 1]."""
    if isinstance(option, Step):
        if option.is_win:
            return 1.0
        return next(found) if option.again else 1.0 - next(found)
    return sum(outcome.probability * outcome_worth(outcome, found) for outcome in option.outcomes)


def outcome_rows(outcome: Outcome) -> list[bytes]:
    """The states that the value of what was thrown follows from."""
    if not outcome.steps:
        return [outcome.passed]
    return [row for step in outcome.steps for row in option_rows(step)]


def outcome_worth(outcome: Outcome, found: Iterator[float]) -> float:
    """The value of what was thrown to the side that threw: its best move's."""
    if not outcome.steps:
        return 1.0 - next(found)
    return max([option_worth(step, found) for step in outcome.steps])


def option_values(turns: Sequence[Sequence[Option]], values: Values) -> list[list[float]]:
    """The value of every option of every turn to the side that chooses, in [0, 1]."""
    rows = [row for turn in turns for option in turn for row in option_rows(option)]
    found = row_values(values, rows)
    return [[option_worth(option, found) for option in turn] for turn in turns]
