"""Which of a block's values a sample has."""

_STEP = 17
"""One in so many: a number that divides no count of placements by system."""

_MOST_VALUES = 1 << 20
"""About so many are enough for any block."""


def sample_step(n_parts: int, n_values: int) -> int:
    """Of a block's parts, its tiles for example, a sample has every how manieth.

    Parameters
    ----------
    n_parts, n_values : int
        Of the block.

    Returns
    -------
    int
        Few parts are taken more densely.
    """
    return max(1, min(_STEP, n_parts // _STEP), n_values // _MOST_VALUES)
