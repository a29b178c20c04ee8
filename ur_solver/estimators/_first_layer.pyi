from typing import Any

import numpy as np
import numpy.typing as npt

_Ints = npt.NDArray[np.int32]
_Floats = npt.NDArray[np.float32]

class Facts:
    most_features: int

    def __init__(
        self,
        first: _Ints,
        parts: _Ints,
        full: int,
        kinds: _Ints,
        pairs: _Ints,
        n_kinds: _Ints,
        starts: _Ints,
        features: _Ints,
    ) -> None: ...
    def first_layer(
        self, rows: npt.NDArray[Any], added: _Floats, biases: _Floats, found: _Floats
    ) -> None: ...
    def active(self, rows: npt.NDArray[Any], ends: _Ints, found: _Ints) -> None: ...

def gather(ends: _Ints, active: _Ints, matrix: _Floats, found: _Floats) -> None: ...
def scatter(ends: _Ints, active: _Ints, change: _Floats, found: _Floats) -> None: ...
