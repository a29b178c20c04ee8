"""Players that the program knows: as opponents, for samples of games, and as references.

A player chooses for many games at once, so that a player with a table reads it once for all of
them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ur_solver.audit.worth import Option, option_values
from ur_solver.errors import InputError
from ur_solver.records import Saying
from ur_solver.values import Values

Turn = Sequence[Option]
"""The options of one choice, two or more: all legal moves, or everything that may be said."""

Chooser = Callable[[Sequence[Turn], np.random.Generator], list[int]]
"""Gives for each turn the index of the option to take."""


def _random(turns: Sequence[Turn], rng: np.random.Generator) -> list[int]:
    return [int(index) for index in rng.integers([len(turn) for turn in turns])]


def _first(turns: Sequence[Turn], rng: np.random.Generator) -> list[int]:
    # Moves come in this order already. Of what may be said, what lets a piece enter comes first.
    return [min(range(len(turn)), key=lambda index: turn[index].source) for turn in turns]


def _greedy(turns: Sequence[Turn], rng: np.random.Generator) -> list[int]:
    def eager(option: Option) -> tuple[bool, bool, bool, int]:
        if isinstance(option, Saying):
            return False, False, False, option.source
        return option.is_win, option.is_capture, option.again, option.target

    return [max(range(len(turn)), key=lambda index: eager(turn[index])) for turn in turns]


PLAIN: dict[str, Chooser] = {"random": _random, "first": _first, "greedy": _greedy}
"""Players without a table. ``random`` takes any move; ``first`` moves the rearmost piece, and
enters one if it can; ``greedy`` prefers to win, then to capture, then an extra throw, then to move
the foremost piece."""

TEMPERATURES = {"best": 0.0, "strong": 0.005, "medium": 0.02, "weak": 0.06}
"""Players with a table, by temperature: a move that loses as much win probability as the
temperature is chosen 1/e times as often as the best one."""

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


def _table_player(values: Values, temperature: float) -> Chooser:
    def choose(turns: Sequence[Turn], rng: np.random.Generator) -> list[int]:
        chosen = []
        for worth in option_values(turns, values):
            best = max(worth)
            if temperature == 0:
                chosen.append(worth.index(best))
                continue
            weights = np.exp((np.array(worth) - best) / temperature)
            chosen.append(int(rng.choice(len(worth), p=weights / weights.sum())))
        return chosen

    return choose
