import numpy as np
import numpy.typing as npt

from ur_solver.kernel._inputs import Inputs
from ur_solver.moves._generator import Generator
from ur_solver.moves.tables import MoveTables
from ur_solver.space._tile_ranking import TileRanking

LIMITS: dict[str, int]

class Turns(Generator):
    def __init__(self, ranking: TileRanking, tables: MoveTables) -> None: ...
    def successors(self, rank: int) -> tuple[int, list[list[list[tuple[int, bool]] | None]]]: ...
    def sweep(
        self,
        own: npt.NDArray[np.float64],
        values: Inputs,
        first: int,
        count: int,
        threads: int = 1,
    ) -> float: ...
    def residual(self, values: Inputs, first: int, count: int, threads: int = 1) -> float: ...
    def chances(self, rank: int) -> list[tuple[list[float], float]]: ...
    def draws(self, first: int, count: int, threads: int = 1) -> npt.NDArray[np.bool_]: ...
    def endless_rank(self, first: int, count: int, threads: int = 1) -> int: ...
