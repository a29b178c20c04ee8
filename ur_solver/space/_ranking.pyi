from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

class Ranking:
    n_values: int
    def __init__(self, tables: Mapping[str, object], pieces: int, n_values: int) -> None: ...

def rank_states(
    ranking: Ranking, states: npt.NDArray[np.uint8], ranks: npt.NDArray[np.int64]
) -> None: ...
def unrank_states(
    ranking: Ranking, ranks: npt.NDArray[np.int64], states: npt.NDArray[np.uint8]
) -> None: ...
def rank_one(ranking: Ranking, state: bytes) -> int: ...
