"""How wide the 95 % intervals of values are, by where the values lie.

Values near the ends are wrong by less than those in the middle: half the width of the interval of a
value that is the share v of the most it can be is ``error * spread(v)``, and one number for each
depth of search says how wide.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def spread(share: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """The shape of the errors, by the share of a value of the most that it can be."""
    inside = np.clip(np.asarray(share, dtype=np.float64), 0, 1)
    return np.asarray(np.sqrt(inside * (1 - inside)) + 0.02)


def half_widths(error: float, share: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Half the widths of intervals, as shares of the most that values can be."""
    return error * spread(share)
