from ur_solver.kernel.tiling import Tiling
from ur_solver.space._tile_ranking import TileRanking

LANES: int
FEW_MOVES: int
NO_MOVE_VECTORS: int
TILE_BYTES: int
REF_BYTES: int

class LayoutTables:
    tiling: Tiling
    def __init__(self, tiling: Tiling, ranking: TileRanking, near: int) -> None: ...
