"""The questions that tables and estimators have in common, as users ask them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from ur_solver.answers.query import Answers

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


def asks(
    part: str, method: Callable[Concatenate[Any, _Parameters], _Result]
) -> Callable[Concatenate[Any, _Parameters], _Result]:
    """A method, its documentation included, that the attribute `part` of its object answers."""

    @wraps(method)
    def asked(door: Any, /, *args: _Parameters.args, **options: _Parameters.kwargs) -> _Result:
        return method(getattr(door, part), *args, **options)

    return asked


class AnswersDoor:
    """What follows from the values of a table or an estimator, which `_answers` has."""

    _answers: Answers

    moves = asks("_answers", Answers.moves)
    best = asks("_answers", Answers.best)
    throws = asks("_answers", Answers.throws)
    choices = asks("_answers", Answers.choices)
    opening_value = asks("_answers", Answers.opening_value)
    opening_rounds = asks("_answers", Answers.opening_rounds)
    columns = asks("_answers", Answers.columns)
    move_columns = asks("_answers", Answers.move_columns)
