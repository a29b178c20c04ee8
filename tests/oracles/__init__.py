"""Slow ways to the same numbers, which tests and scripts compare with."""
