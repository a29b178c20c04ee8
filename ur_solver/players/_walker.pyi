from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.players.tables import WalkTables

AGAIN: int
WIN: int
ROSETTE: int
PASS: int
CAPTURE: int
LIMITS: dict[str, int]

class Tables:
    n_cells: int
    width: int
    n_movers: int
    n_throws: int
    def __init__(self, tables: WalkTables) -> None: ...

def mirror(tables: Tables, rows: npt.NDArray[Any], others: npt.NDArray[Any]) -> None: ...
def expand(
    tables: Tables,
    rows: npt.NDArray[Any],
    throws: npt.NDArray[np.int32],
    may: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int64],
    after: npt.NDArray[Any],
    source: npt.NDArray[np.int8],
    target: npt.NDArray[np.int8],
    taken: npt.NDArray[np.int8],
    flags: npt.NDArray[np.uint8],
) -> int: ...
def capture_chances(
    tables: Tables,
    rows: npt.NDArray[Any],
    may: npt.NDArray[np.uint8],
    chance: npt.NDArray[np.float64],
    found: npt.NDArray[np.float64],
) -> None: ...
def first_best(
    scores: npt.NDArray[np.float64],
    starts: npt.NDArray[np.int64],
    chosen: npt.NDArray[np.int64],
) -> None: ...
def drawn(
    weights: npt.NDArray[np.float64],
    starts: npt.NDArray[np.int64],
    chances: npt.NDArray[np.float64],
    chosen: npt.NDArray[np.int64],
) -> None: ...
