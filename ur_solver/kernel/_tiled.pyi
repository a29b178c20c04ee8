from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ur_solver.kernel._workspace import Workspace
from ur_solver.kernel.tiling import Tiling
from ur_solver.space._ranking import Ranking

def instruction_sets() -> tuple[str, ...]: ...

class TiledKernel:
    instruction_set: str
    rounds: int
    def __init__(
        self,
        tiling: Tiling,
        ranking: Ranking,
        instruction_set: str | None = None,
        rounds: int = 2,
    ) -> None: ...

class TiledBlock:
    n_tiles: int
    def __init__(
        self,
        kernel: TiledKernel,
        workspace: Workspace,
        halves: Sequence[tuple[int, int]],
        values: npt.NDArray[np.float64],
        threads: int = 1,
    ) -> None: ...
    def sweep(self, threads: int) -> float: ...
    def residual(self, threads: int) -> float: ...
    def remember(self) -> None: ...
    def extrapolate(self, factor: float) -> None: ...
    def store(self, values: npt.NDArray[np.float64]) -> None: ...
    def load(self, values: npt.NDArray[np.float64]) -> None: ...
    def bracket(self, values: npt.NDArray[np.float64], shift: float, outside: float) -> None: ...
    def narrow(self, threads: int) -> None: ...
    def width(self, values: npt.NDArray[np.float64]) -> tuple[float, int]: ...
