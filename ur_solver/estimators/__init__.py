"""Estimates where no table fits: small networks, trained by play against themselves.

`training` makes a network, `file` keeps it, `estimator` answers by it and by a `search`, and
`measure` and `calibration` say how far off that is. Playing needs NumPy alone.
"""
