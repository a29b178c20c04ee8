import numpy as np
import numpy.typing as npt

from ur_solver.kernel._inputs import Inputs
from ur_solver.kernel._row_rules import RowRules

FIRST_WIDE: int

class RowLayout:
    first: int
    size: int
    n_tiles: int
    n_chunks: int
    n_diagonal: int
    def __init__(
        self,
        rules: RowRules,
        block: tuple[int, int],
        halves: npt.NDArray[np.int32],
        inputs: Inputs,
        threads: int,
        instruction_set: int,
        is_single: bool,
        lanes: int = 0,
        places: npt.NDArray[np.int64] | None = None,
    ) -> None: ...
