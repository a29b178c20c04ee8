import numpy as np
import numpy.typing as npt

def shuffle(
    numbers: npt.NDArray[np.uint8], rows: npt.NDArray[np.uint8], itemsize: int, block: int
) -> None: ...
def restore(
    rows: npt.NDArray[np.uint8], numbers: npt.NDArray[np.uint8], itemsize: int, block: int
) -> None: ...
def fletcher32(content: npt.NDArray[np.uint8]) -> int: ...
