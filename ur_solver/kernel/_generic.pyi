import numpy as np
import numpy.typing as npt

from ur_solver.kernel.tables import MoveTables
from ur_solver.space._ranking import Ranking

class GenericKernel:
    def __init__(self, ranking: Ranking, tables: MoveTables) -> None: ...
    def sweep(self, values: npt.NDArray[np.float64], first: int, count: int) -> float: ...
    def residual(self, values: npt.NDArray[np.float64], first: int, count: int) -> float: ...
