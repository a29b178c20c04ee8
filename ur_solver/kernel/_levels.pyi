import numpy as np
import numpy.typing as npt

from ur_solver.kernel._turns import Turns
from ur_solver.kernel.turn_tables import TurnTables
from ur_solver.space._tile_ranking import TileRanking

class LevelTurns(Turns):
    def __init__(
        self,
        ranking: TileRanking,
        tables: TurnTables,
        pays: npt.NDArray[np.uint8],
        reach: int,
        fine: float,
        pots: npt.NDArray[np.float64],
    ) -> None: ...
