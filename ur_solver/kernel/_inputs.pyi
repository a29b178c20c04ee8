from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

class Inputs:
    arrays: tuple[npt.NDArray[np.float64], ...]
    def __init__(
        self,
        arrays: Sequence[npt.NDArray[np.float64]],
        first: Sequence[int],
        place: npt.NDArray[np.int32] | None = None,
    ) -> None: ...
    def value_of(self, rank: int) -> float: ...
