from collections.abc import Mapping
from typing import final

import numpy as np
import numpy.typing as npt

NO_CONTENT: int
LIMITS: dict[str, int]

@final
class TileRanking:
    def __init__(self, tables: Mapping[str, object]) -> None: ...

def rank_states(
    ranking: TileRanking, states: npt.NDArray[np.uint16], ranks: npt.NDArray[np.int64]
) -> None: ...
def unrank_states(
    ranking: TileRanking, ranks: npt.NDArray[np.int64], states: npt.NDArray[np.uint16]
) -> None: ...
def rank_one(ranking: TileRanking, state: list[int]) -> int: ...
