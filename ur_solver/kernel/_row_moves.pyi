from typing import final

import numpy as np
import numpy.typing as npt

from ur_solver.kernel._inputs import Inputs
from ur_solver.kernel._row_rules import RowRules

@final
class RowLister:
    def __init__(
        self,
        rules: RowRules,
        block: tuple[int, int],
        halves: npt.NDArray[np.int32],
        inputs: Inputs,
        most_columns: int,
    ) -> None: ...
