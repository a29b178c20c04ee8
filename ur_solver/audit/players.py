"""Players that the program knows: for playing along, for samples, as yardsticks.

A player chooses for many games at once, so that those that look into a table ask it once
a round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ur_solver.errors import InputError
from ur_solver.records import Step
from ur_solver.values import Values, row_values

Turn = tuple[Step, ...]
"""The legal moves of a turn, two or more."""

Chooser = Callable[[Sequence[Turn], np.random.Generator], list[int]]
"""Which move of each turn to play."""


def _random(turns: Sequence[Turn], rng: np.random.Generator) -> list[int]:
    return [int(index) for index in rng.integers([len(turn) for turn in turns])]


def _first(turns: Sequence[Turn], rng: np.random.Generator) -> list[int]:
    return [0] * len(turns)


def _greedy(turns: Sequence[Turn], rng: np.random.Generator) -> list[int]:
    def eager(step: Step) -> tuple[bool, bool, bool, int]:
        return step.is_win, step.is_capture, step.again, step.target

    return [max(range(len(turn)), key=lambda index: eager(turn[index])) for turn in turns]


PLAIN: dict[str, Chooser] = {"random": _random, "first": _first, "greedy": _greedy}
"""Players without a table: any move; the move of the rearmost piece, entering before all;
captures, else rosettes, else the foremost piece."""

TEMPERATURES = {"best": 0.0, "strong": 0.005, "medium": 0.02, "weak": 0.06}
"""Players with a table, by temperature: a move that loses that much of the win probability
is chosen 1/e as often as the best one."""

NAMES = (*TEMPERATURES, *PLAIN)


def named_player(name: str, values: Values) -> Chooser:
    """The player called `name`.

    Raises
    ------
    InputError
        If there is none.
    """
    if name in PLAIN:
        return PLAIN[name]
    if name in TEMPERATURES:
        return _table_player(values, TEMPERATURES[name])
    raise InputError(f"player {name!r}: known are {', '.join(NAMES)}")


def move_values(turns: Sequence[Turn], values: Values) -> list[list[float]]:
    """The value of every move of every turn to the side that moves, in [0, 1]."""
    rows = [step.state for turn in turns for step in turn if not step.is_win]
    found = row_values(values, rows)
    return [
        [1.0 if step.is_win else next(found) if step.again else 1.0 - next(found) for step in turn]
        for turn in turns
    ]


def _table_player(values: Values, temperature: float) -> Chooser:
    def choose(turns: Sequence[Turn], rng: np.random.Generator) -> list[int]:
        chosen = []
        for worth in move_values(turns, values):
            best = max(worth)
            if temperature == 0:
                chosen.append(worth.index(best))
                continue
            weights = np.exp((np.array(worth) - best) / temperature)
            chosen.append(int(rng.choice(len(worth), p=weights / weights.sum())))
        return chosen

    return choose
