import numpy as np
import numpy.typing as npt

from ur_solver.kernel._turns import Turns
from ur_solver.moves.tables import MoveTables
from ur_solver.space._tile_ranking import TileRanking

class LevelTurns(Turns):
    def __init__(
        self,
        ranking: TileRanking,
        tables: MoveTables,
        reach: int,
        fine: float,
        pots: npt.NDArray[np.float64],
    ) -> None: ...
