import numpy as np
import numpy.typing as npt

def sweep_reply(
    ranks: npt.NDArray[np.int64],
    option_starts: npt.NDArray[np.int64],
    reached: npt.NDArray[np.int64],
    choice_starts: npt.NDArray[np.int32],
    chances: npt.NDArray[np.float64],
    own: npt.NDArray[np.float64],
    other: npt.NDArray[np.float64],
    sign: float,
) -> float: ...
def sweep_means(
    ranks: npt.NDArray[np.int64],
    starts: npt.NDArray[np.int64],
    reached: npt.NDArray[np.int64],
    weights: npt.NDArray[np.float64],
    added: npt.NDArray[np.float64],
    own: npt.NDArray[np.float64],
    other: npt.NDArray[np.float64],
) -> float: ...
