import numpy as np
import numpy.typing as npt

from ur_solver.kernel.tiling import Tiling
from ur_solver.space._tile_ranking import TileRanking

LANES: int
LANE_SQUARES: int
MAX_THROWS: int
FEW_MOVES: int
NO_MOVE_VECTORS: int
TILE_BYTES: int
MOVE_BYTES: int
REF_BYTES: int

class LayoutTables:
    tiling: Tiling
    def __init__(
        self, tiling: Tiling, ranking: TileRanking, has_lanes: bool, near: int, origin: int
    ) -> None: ...
    def rows_of(self, config: int) -> dict[str, npt.NDArray[np.uint8]]: ...
