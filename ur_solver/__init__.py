"""Exact solutions of the Royal Game of Ur."""

__version__ = "0.1.0"
