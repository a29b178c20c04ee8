import numpy as np
import numpy.typing as npt

from ur_solver.kernel._inputs import Inputs
from ur_solver.kernel._levels import LevelTurns
from ur_solver.kernel._row_block import RowBlock
from ur_solver.kernel._row_rules import RowRules
from ur_solver.kernel._workspace import Workspace

class LevelBlock(RowBlock):
    def __init__(
        self,
        turns: LevelTurns,
        rules: RowRules,
        block: tuple[int, int],
        halves: npt.NDArray[np.int32],
        inputs: Inputs,
        workspace: Workspace,
        threads: int,
        instruction_set: str | None = None,
    ) -> None: ...
    def carry_cut(self, levels: npt.NDArray[np.float64], outside: float) -> None: ...
    def cut_widths(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]: ...
