import numpy as np
import numpy.typing as npt

from ur_solver.kernel._inputs import Inputs
from ur_solver.kernel._turns import Turns

class TurnLists:
    def __init__(
        self, turns: Turns, values: Inputs, first: int, count: int, threads: int = 1
    ) -> None: ...
    def sweep(self, values: npt.NDArray[np.float64], threads: int = 1) -> float: ...
    def residual(self, values: npt.NDArray[np.float64], threads: int = 1) -> float: ...
    def narrow(
        self,
        upper: npt.NDArray[np.float64],
        lower: npt.NDArray[np.float64],
        blur: float,
        threads: int = 1,
    ) -> None: ...

class ListPolicy:
    def __init__(self, lists: TurnLists) -> None: ...
    def choose(self, values: npt.NDArray[np.float64], threads: int = 1) -> int: ...
    def sweep(self, values: npt.NDArray[np.float64], threads: int = 1) -> float: ...
