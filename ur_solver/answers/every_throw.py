"""Every throw of many encoded states, with its moves, the best first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.answers.values import Values, option_values
from ur_solver.moves import TurnBatch, generator_of
from ur_solver.moves._options import best_first
from ur_solver.rules import FREE_THROW


@dataclass(frozen=True)
class EvaluatedThrows:
    """The turns of some states, each after every throw, in the order of `Dice.throws`.

    Attributes
    ----------
    turns : TurnBatch
        State by state.
    worth : float64, shape (options,)
        What each option is worth to the side that makes it.
    order : int64, shape (options,)
        The options, those of each turn where they were, the best first.
    loss : float64, shape (options,)
        In that order: by how much an option is worth less than the best of its turn.
    """

    turns: TurnBatch
    worth: npt.NDArray[np.float64]
    order: npt.NDArray[np.int64]
    loss: npt.NDArray[np.float64]


def evaluated_throws(values: Values, rows: npt.NDArray[Any]) -> EvaluatedThrows:
    """Every throw of states that are not over; of birds after the choice of *move*.

    Parameters
    ----------
    values : Values
    rows : unsigned integers, shape (states, state width)
    """
    generator, dice = generator_of(values.rules), values.rules.dice
    known = {throw: number for number, throw in enumerate(generator.throws)}
    throws = np.array([known.get(throw, -1) for throw in dice.throws], dtype=np.int32)
    n = len(throws)
    turns = generator.successors(
        np.repeat(rows, n, axis=0),
        np.tile(throws, len(rows)),
        np.full(n * len(rows), generator.may(FREE_THROW), dtype=np.uint8),
    )
    worth = option_values(turns, values)
    order, loss = np.empty(len(worth), dtype=np.int64), np.empty(len(worth))
    best_first(worth, turns.starts, order, loss)
    return EvaluatedThrows(turns, worth, order, loss)
