from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.moves.tables import MoveTables

AGAIN: int
WIN: int
ROSETTE: int
PASS: int
CAPTURE: int
OPTIONAL: int
LIMITS: dict[str, int]

class Generator:
    n_cells: int
    n_movers: int
    n_throws: int
    max_movable: int
    max_options: int
    has_fines: bool
    may_rest: bool
    def __init__(self, tables: MoveTables, has_fines: bool = False) -> None: ...
    def moves(self, state: bytes, throw: int, may: int) -> list[tuple[int, int, int, bytes]]: ...
    def mirror(self, state: bytes) -> bytes: ...
    def is_over(self, state: bytes) -> bool: ...

def mirror(generator: Generator, rows: npt.NDArray[Any], others: npt.NDArray[Any]) -> None: ...
def successors(
    generator: Generator,
    rows: npt.NDArray[Any],
    throws: npt.NDArray[np.int32],
    may: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int64],
    after: npt.NDArray[Any],
    mover: npt.NDArray[np.int16],
    target: npt.NDArray[np.int8],
    taken: npt.NDArray[np.uint8],
    flags: npt.NDArray[np.uint8],
) -> int: ...
def capture_chances(
    generator: Generator,
    rows: npt.NDArray[Any],
    may: npt.NDArray[np.uint8],
    chance: npt.NDArray[np.float64],
    found: npt.NDArray[np.float64],
) -> None: ...
