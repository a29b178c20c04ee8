import numpy as np
import numpy.typing as npt

from ur_solver.kernel._inputs import Inputs
from ur_solver.kernel._turns import Turns

class LevelTurns:
    turns: Turns
    def __init__(
        self,
        turns: Turns,
        pays: npt.NDArray[np.uint8],
        reach: int,
        fine: float,
        pots: npt.NDArray[np.float64],
    ) -> None: ...
    def residual(self, values: Inputs, first: int, count: int, threads: int = 1) -> float: ...
