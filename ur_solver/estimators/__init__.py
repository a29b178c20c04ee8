"""Estimates where no table fits: small networks, trained by play against themselves.

`training` makes a network, `file` keeps it, `estimator` answers by it and by a `search`;
`calibration` measures how far off that is, and `against_table` compares it with exact values.
Playing needs NumPy alone.
"""

from enum import StrEnum

MOST_PLIES = 4
"""How far a search looks ahead at most: a ply more takes some twenty times as long."""

DEFAULT_PLIES = 3

MOST_SECONDS = 5.0
"""How long a search that stops when it is sure goes on, where nobody says otherwise."""


class Ended(StrEnum):
    """What ended the search of a throw's moves.

    The best move is sure, the time was over, or there is no deeper search.
    """

    SURE = "sure"
    SECONDS = "seconds"
    PLIES = "plies"
