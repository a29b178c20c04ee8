"""The size of rounding errors in values of double precision."""

NOISE = 4e-15
"""Changes up to this: blocks swept to their end leave 2e-15 to 6e-15."""
