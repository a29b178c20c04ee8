"""Which of a block's values a sample has."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_STEP = 17
"""One in so many: odd and prime, so that steps do not fall in with lanes or tiles' numbers."""

_MOST_VALUES = 1 << 18
"""About so many are enough for any block; they are taken and summed on one thread."""

_SAMPLES = 3
"""So many at a time."""


def sample_step(n_parts: int, n_values: int) -> int:
    """Every how many of a block's parts, tiles for example, one is in its samples.

    Parameters
    ----------
    n_parts, n_values : int
        Of the block.

    Returns
    -------
    int
        1 to 17, less in blocks of few parts; more where samples would exceed about a
        quarter of a million values. Odd.
    """
    return max(1, min(_STEP, n_parts // _STEP), n_values // _MOST_VALUES) | 1


def sample_of(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """A copy of some of a block's values, always the same ones."""
    return values[:: sample_step(values.size, values.size)].copy()


def sample_bytes(n_parts: int, n_values: int) -> int:
    """About how many bytes the samples of a block take that is extrapolated."""
    return _SAMPLES * 8 * -(-n_values // sample_step(n_parts, n_values))
