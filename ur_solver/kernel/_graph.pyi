import numpy as np
import numpy.typing as npt

from ur_solver.kernel.turn_tables import TurnTables
from ur_solver.space._contents import ContentRanking

MOST_POSITIONS: int

class GraphKernel:
    def __init__(self, ranking: ContentRanking, tables: TurnTables) -> None: ...
    def successors(self, rank: int) -> tuple[int, list[list[list[tuple[int, bool]] | None]]]: ...

def residual(
    kernel: GraphKernel,
    values: npt.NDArray[np.float64],
    block: tuple[int, int],
    first: int,
    size: int,
    threads: int,
) -> float: ...

class GraphBlock:
    list_bytes: int
    def __init__(
        self,
        kernel: GraphKernel,
        block: tuple[int, int],
        values: npt.NDArray[np.float64],
        list_bytes: int,
        threads: int,
    ) -> None: ...
    def sweep(self, threads: int) -> float: ...
    def residual(self, threads: int) -> float: ...
    def remember(self) -> None: ...
    def extrapolate(self, factor: float) -> None: ...
    def store(self, values: npt.NDArray[np.float64]) -> None: ...
    def load(self, values: npt.NDArray[np.float64]) -> None: ...
