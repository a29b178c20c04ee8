from typing import Any

import numpy as np
import numpy.typing as npt

def first_layer(
    rows: npt.NDArray[Any],
    first: npt.NDArray[np.int32],
    parts: npt.NDArray[np.int32],
    full: int,
    added: npt.NDArray[np.float32],
    biases: npt.NDArray[np.float32],
    found: npt.NDArray[np.float32],
) -> None: ...
