"""The steps of a rule set's pieces as plain arrays, whatever numbers stand for contents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ur_solver.rules.piece_moves import PieceMoves
from ur_solver.space.stock import Stock


@dataclass(frozen=True)
class StepTables:
    """Movers, steps and landings of `ur_solver.rules.piece_moves`, for compiled code.

    Attributes
    ----------
    mover_cell : int32, shape (movers,)
        The cell that a mover stands on, -1 for home.
    mover_part : int32, shape (movers,)
        The piece as a part of a stock.
    step_start : int32, shape (movers, throws + 1)
        The steps of mover m with throw n are `step_start[m, n]` to `step_start[m, n + 1]`.
    step_target, step_landing : int32
        The path index (the path's length for off), and the landing there, -1 for off.
    landing_cell : int32, shape (landings,)
    again : uint8, shape (throws, path length + 1, 2)
        By throw, target and whether it captures: 1 if the turn may end, 2 if the same side
        may throw again, 3 if it may choose.
    """

    mover_cell: npt.NDArray[np.int32]
    mover_part: npt.NDArray[np.int32]
    step_start: npt.NDArray[np.int32]
    step_target: npt.NDArray[np.int32]
    step_landing: npt.NDArray[np.int32]
    landing_cell: npt.NDArray[np.int32]
    again: npt.NDArray[np.uint8]


def step_tables(moves: PieceMoves, stock: Stock) -> StepTables:
    """The steps of a rule set whose stocks are numbered by `stock`."""
    return StepTables(
        mover_cell=np.array([moves.cell_of(mover) for mover in moves.movers], dtype=np.int32),
        mover_part=np.array([stock.of((mover.piece,)) for mover in moves.movers], dtype=np.int32),
        step_start=np.array(moves.starts, dtype=np.int32),
        step_target=np.array(moves.targets, dtype=np.int32),
        step_landing=np.array(moves.landing_of, dtype=np.int32),
        landing_cell=np.array([each.cell for each in moves.landings], dtype=np.int32),
        again=np.array([moves.again(throw) for throw in moves.throws], dtype=np.uint8),
    )
