import numpy as np
import numpy.typing as npt

from ur_solver.kernel._inputs import Inputs
from ur_solver.space import MoveTables
from ur_solver.space._ranking import Ranking

class GenericKernel:
    def __init__(self, ranking: Ranking, tables: MoveTables) -> None: ...
    def successors(self, rank: int) -> tuple[int, list[list[list[tuple[int, bool]] | None]]]: ...
    def sweep(
        self, own: npt.NDArray[np.float64], values: Inputs, first: int, count: int
    ) -> float: ...
    def residual(self, values: Inputs, first: int, count: int) -> float: ...
