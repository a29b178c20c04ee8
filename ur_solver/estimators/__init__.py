"""Estimates where no table fits: small networks, trained by play against themselves.

`training` makes a network, `file` keeps it, `estimator` answers by it and by a `search`;
`calibration` measures how far off that is, and `against_table` compares it with exact values.
Playing needs NumPy alone.
"""

MOST_PLIES = 4
"""How far a search looks ahead at most: a ply more takes some twenty times as long."""

DEFAULT_PLIES = 3
