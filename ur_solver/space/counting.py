"""The counting tables that turn a state into its rank and back.

Within one half of a block a state is a filling of the shared squares and, innermost, a
matrix of (my entry squares) x (their entry squares). Fillings are counted from the last
shared square backwards: `count[s, i, j]` is the number of ways to fill squares s, s+1,
... when at most i more pieces are mine and j theirs. A rank adds up, square by square,
how many fillings come before; nothing is stored by state and no rank is left out.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ur_solver.space.layout import SharedSquare, is_mine, is_theirs

IntArray = npt.NDArray[np.int64]


def prefix_sizes(masks: tuple[int, ...], pieces: int) -> list[int]:
    """How many of `masks`, ordered by population, hold at most 0, 1 .. `pieces` pieces."""
    return [sum(mask.bit_count() <= k for mask in masks) for k in range(pieces + 1)]


def below_table(
    shared: tuple[SharedSquare, ...], pieces: int, weight: IntArray, n_digits: int
) -> tuple[IntArray, IntArray]:
    """Counts of the fillings of the shared squares.

    Parameters
    ----------
    shared : tuple of SharedSquare
        Most significant first.
    pieces : int
        N, the most pieces of a side.
    weight : int64, shape (N + 1, N + 1)
        What one filling counts for when i of my and j of their pieces remain.
    n_digits : int
        The width of the last axis of `below`.

    Returns
    -------
    count : int64, shape (N + 1, N + 1)
        Ways to fill all shared squares with at most i and j pieces.
    below : int64, shape (squares, N + 1, N + 1, n_digits)
        Ways to fill squares s, s+1, ... with a smaller digit than d on square s; for a
        digit that would need a piece too many, -1.
    """
    size = pieces + 1
    below = np.full((len(shared), size, size, n_digits), -1, dtype=np.int64)
    count = weight.astype(np.int64)
    for s in range(len(shared) - 1, -1, -1):
        total = np.zeros((size, size), dtype=np.int64)
        for digit, code in enumerate(shared[s].codes):
            mine, theirs = int(is_mine(code)), int(is_theirs(code))
            below[s, mine:, theirs:, digit] = total[mine:, theirs:]
            total[mine:, theirs:] += count[: size - mine, : size - theirs]
        count = total
    return count, below
