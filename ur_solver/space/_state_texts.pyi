from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

class StateTexts:
    n_cells: int
    def __init__(
        self,
        board: npt.NDArray[np.int32],
        first_content: npt.NDArray[np.int32],
        texts: Sequence[bytes],
        mirror_cell: npt.NDArray[np.int32],
        mirror_content: npt.NDArray[np.uint16],
        most_fines: int,
    ) -> None: ...

def read_texts(
    tables: StateTexts,
    texts: npt.NDArray[np.object_],
    states: npt.NDArray[Any],
    is_dark: npt.NDArray[np.uint8],
    is_read: npt.NDArray[np.uint8],
) -> None: ...
def write_texts(
    tables: StateTexts,
    states: npt.NDArray[Any],
    is_dark: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int64],
    letters: npt.NDArray[np.uint8],
) -> int: ...
def as_strings(
    letters: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int64],
    texts: npt.NDArray[np.object_],
) -> None: ...
