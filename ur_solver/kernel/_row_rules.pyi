from typing import final

import numpy as np
import numpy.typing as npt

from ur_solver.kernel._turns import Turns

LIMITS: dict[str, int]

@final
class RowRules:
    turns: Turns
    def __init__(
        self,
        turns: Turns,
        is_numbered: bool,
        blur: float,
        pays: npt.NDArray[np.uint8] | None = None,
    ) -> None: ...
