import numpy as np
import numpy.typing as npt

def first_best(
    scores: npt.NDArray[np.float64],
    starts: npt.NDArray[np.int64],
    chosen: npt.NDArray[np.int64],
) -> None: ...
def drawn(
    weights: npt.NDArray[np.float64],
    starts: npt.NDArray[np.int64],
    chances: npt.NDArray[np.float64],
    chosen: npt.NDArray[np.int64],
) -> None: ...
def best_first(
    worth: npt.NDArray[np.float64],
    starts: npt.NDArray[np.int64],
    order: npt.NDArray[np.int64],
    loss: npt.NDArray[np.float64],
) -> None: ...
