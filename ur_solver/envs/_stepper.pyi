import numpy as np
import numpy.typing as npt

from ur_solver.moves._generator import Generator

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
        self,
        generator: Generator,
        *,
        start: npt.NDArray[np.uint32],
        opening: int,
        agents: int,
        is_random: bool,
        most_throws: int,
        pot: float,
        fine: float,
        step_of: npt.NDArray[np.int16],
        steps: int,
        ends: int,
        choice_action: npt.NDArray[np.int32],
        lookup: npt.NDArray[np.float32],
        first: npt.NDArray[np.int32],
        at: npt.NDArray[np.int32],
        widths: npt.NDArray[np.int32],
        parts: npt.NDArray[np.int32],
        full: int,
        fine_scale: tuple[float, float, float],
        rows: npt.NDArray[np.uint32],
        throws: npt.NDArray[np.int32],
        may: npt.NDArray[np.uint8],
        sides: npt.NDArray[np.uint8],
        agent: npt.NDArray[np.uint8],
        lengths: npt.NDArray[np.int32],
        streams: npt.NDArray[np.uint64],
        nets: npt.NDArray[np.float64],
        masks: npt.NDArray[np.int8],
        observations: npt.NDArray[np.float32],
        rewards: npt.NDArray[np.float64],
        ended: npt.NDArray[np.uint8],
    ) -> None: ...
    def begin(self, members: npt.NDArray[np.int64]) -> bool: ...
    def step(
        self, members: npt.NDArray[np.int64], actions: npt.NDArray[np.int64], renews: bool
    ) -> None: ...
