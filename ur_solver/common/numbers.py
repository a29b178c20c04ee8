"""Checks of numbers from callers."""

from __future__ import annotations

import operator
from typing import SupportsFloat, SupportsIndex

from ur_solver.errors import InputError, WrongTypeError


def whole_number(name: str, value: SupportsIndex, least: int = 0, most: int | None = None) -> int:
    """A whole number that a caller has chosen, such as a count of games.

    Raises
    ------
    WrongTypeError
        If it is not a whole number.
    InputError
        If it is not from `least` to `most`.
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise WrongTypeError(f"{name} is {value!r:.60}, not a whole number") from None
    if number < least or (most is not None and number > most):
        allowed = f"{least} or more" if most is None else f"{least} to {most}"
        raise InputError(f"{name} is {str(number)[:40]}; expected {allowed}")
    return number


def real_number(name: str, value: SupportsFloat) -> float:
    """A number that a caller has chosen, such as a tolerance.

    Raises
    ------
    WrongTypeError
        If it is not a number.
    """
    if isinstance(value, (str, bytes)):
        raise WrongTypeError(f"{name} is {value!r:.60}, not a number")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise WrongTypeError(f"{name} is {value!r:.60}, not a number") from None
