"""Estimates where no table fits: small networks, trained by play against themselves.

`training` makes a network, `file` keeps it, `estimator` answers by it and by a `search`, and
`measure` and `calibration` say how far off that is. Playing needs NumPy alone.
"""

MOST_PLIES = 4
"""How far a search looks ahead at most: a ply more takes some twenty times as long."""

DEFAULT_PLIES = 3
