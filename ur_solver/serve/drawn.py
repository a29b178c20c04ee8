"""Exercises for a page: decisions drawn from play, by what a mistake there costs."""

from __future__ import annotations

from collections.abc import Mapping

from ur_solver.errors import InputError
from ur_solver.estimators.evaluator import Evaluator, drawn_exercises
from ur_solver.serve.unfold import Json

MOST_EXERCISES = 50
"""The most exercises of one request."""


def exercise_values(evaluator: Evaluator, asked: Mapping[str, str]) -> Json:
    """Exercises as JSON: an answer to the parameters of a query, which all have defaults.

    Parameters
    ----------
    evaluator : Table or Estimator
    asked : mapping of str to str
        ``seed`` (1), ``count`` (10), and ``cost`` (0.02), the least that the second best option
        loses, a share of what there is to win.

    Raises
    ------
    InputError
        If a parameter is no such number.
    """
    seed = _whole(asked, "seed", 1, 2**32 - 1)
    count = _whole(asked, "count", 10, MOST_EXERCISES)
    cost = _share(asked, "cost", 0.02)
    found = drawn_exercises(evaluator, count, seed=seed, cost=cost)
    return {
        "rules": evaluator.rules.word,
        "seed": seed,
        "exercises": [
            {
                "position": exercise.position.notation,
                "choice": exercise.choice or None,
                "throws": list(exercise.throws),
                "cost": exercise.cost,
            }
            for exercise in found
        ],
    }


def _whole(asked: Mapping[str, str], name: str, default: int, most: int) -> int:
    text = asked.get(name, str(default))
    if not (text.isascii() and text.isdigit() and len(text) < 12 and int(text) <= most):
        raise InputError(f"{name} is {text!r:.60}; expected a whole number from 0 to {most:,}")
    return int(text)


def _share(asked: Mapping[str, str], name: str, default: float) -> float:
    text = asked.get(name, str(default))
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1:
        raise InputError(f"{name} is {text!r:.60}; expected a share from 0 to 1, such as 0.02")
    return value
