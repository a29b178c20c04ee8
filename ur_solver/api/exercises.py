"""Exercises of a game, drawn by what judges it: its table, or an estimator."""

from __future__ import annotations

from ur_solver.api.evaluator import Evaluator
from ur_solver.study.practise import Exercise, exercises

_GAMES, _GAMES_OF_ESTIMATES = 500, 60
"""The number of games that exercises are drawn from, if a table judges them or an estimator."""


def drawn_exercises(
    evaluator: Evaluator, count: int, *, seed: int, cost: float, has_openings: bool = False
) -> list[Exercise]:
    """Decisions drawn from play; the parameters and errors are those of `exercises`.

    An estimator judges them by its network alone: a search would take as long as thousands of
    positions do.
    """
    games = _GAMES if evaluator.are_exact else _GAMES_OF_ESTIMATES
    return exercises(
        evaluator.looking(1), count, seed=seed, cost=cost, games=games, has_openings=has_openings
    )
