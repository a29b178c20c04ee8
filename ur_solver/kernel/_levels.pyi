import numpy as np
import numpy.typing as npt

from ur_solver.kernel.turn_tables import TurnTables
from ur_solver.space._contents import ContentRanking

class LevelsKernel:
    def __init__(
        self,
        ranking: ContentRanking,
        tables: TurnTables,
        pays: npt.NDArray[np.uint8],
        reach: int,
        fine: float,
        pots: npt.NDArray[np.float64],
    ) -> None: ...

def residual(
    kernel: LevelsKernel, values: npt.NDArray[np.float64], first: int, size: int, threads: int
) -> float: ...

class LevelsBlock:
    noise: float
    def __init__(
        self,
        kernel: LevelsKernel,
        block: tuple[int, int],
        values: npt.NDArray[np.float64],
        threads: int,
    ) -> None: ...
    def refine(self) -> bool: ...
    def sweep(self, threads: int) -> float: ...
    def residual(self, threads: int) -> float: ...
    def sample(self) -> npt.NDArray[np.float64]: ...
    def remember(self) -> None: ...
    def extrapolate(self, factor: float) -> None: ...
    def store(self, values: npt.NDArray[np.float64]) -> None: ...
    def load(self, values: npt.NDArray[np.float64]) -> None: ...
