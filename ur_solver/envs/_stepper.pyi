import numpy as np
import numpy.typing as npt

from ur_solver.envs.game_batch import GameBatch

LIGHT_AGENT: int
DARK_AGENT: int
EITHER_AGENT: int
BOTH_AGENTS: int
GOING: int
LIGHT_WON: int
DARK_WON: int
UNFINISHED: int

class GameStepper:
    def __init__(
        self, batch: GameBatch, agents: int, is_random: bool, most_throws: int
    ) -> None: ...
    def begin(self, members: npt.NDArray[np.int64]) -> bool: ...
    def step(
        self, members: npt.NDArray[np.int64], actions: npt.NDArray[np.int64], renews: bool
    ) -> None: ...
