"""How rows and columns number the details of shared squares.

Not every detail of a shape fits every stock: a numbered piece stands in one place only. The
details that fit a stock are numbered, and the number of a detail is its *digit*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ur_solver.space.shapes import ShapedSquare


@dataclass(frozen=True, eq=False)  # == of arrays is no bool
class Digits:
    """How the details of shapes are numbered, by what is left of a side's reserve.

    Shapes and contents are counted over all squares. A shape's *entries* are its details of me,
    then its details of them, one after the other; the entries of all shapes follow each other.

    Attributes
    ----------
    n_digits : int32, shape (reserves, shapes, 2)
        The number of details of mine and of theirs that fit a reserve.
    rest : int16, shape (reserves, shapes, 2)
        A reserve with as many pieces as remain, not always those pieces; -1 if it has too few.
    digit_of : uint16, shape (reserves, contents, 2)
        A content's detail of mine and of theirs among these.
    detail_at : uint16, shape (reserves, entries)
        The detail of each digit.
    first_entry : int32, shape (shapes, 2)
        Where the entries of a shape and side begin.
    """

    n_digits: npt.NDArray[np.int32]
    rest: npt.NDArray[np.int16]
    digit_of: npt.NDArray[np.uint16]
    detail_at: npt.NDArray[np.uint16]
    first_entry: npt.NDArray[np.int32]

    @classmethod
    def of(
        cls,
        squares: Sequence[ShapedSquare],
        parts: Sequence[npt.NDArray[np.int64]],
        take: npt.NDArray[np.int16],
    ) -> Digits:
        """The digits of some squares.

        Parameters
        ----------
        squares : sequence of ShapedSquare
        parts : sequence of int64 arrays, shape (contents, 2)
            For each square what each content takes of my stock and of theirs.
        take : int16, shape (reserves, stocks)
            As of `Reserves`.
        """
        counts = np.concatenate([square.n_details for square in squares])
        first = (np.cumsum(counts) - counts.ravel()).astype(np.int32)
        first_shape = np.cumsum([0, *(square.n_shapes for square in squares)])
        shape = np.concatenate(
            [np.add(square.shape, n) for square, n in zip(squares, first_shape[:-1], strict=True)]
        )
        detail = np.concatenate([square.details for square in squares])
        entry = first.reshape(counts.shape)[shape] + detail
        needs = np.zeros(counts.sum(), dtype=np.int64)
        needs[entry] = np.concatenate(parts)
        left = take[:, needs]
        fits = left >= 0
        n = np.add.reduceat(fits, first, axis=1, dtype=np.int32)
        before: npt.NDArray[np.int64] = np.cumsum(fits, axis=1) - fits
        digit: npt.NDArray[np.int64] = before - np.repeat(before[:, first], counts.ravel(), axis=1)
        stock, fitting = np.nonzero(fits)
        detail_at = np.zeros(fits.shape, dtype=np.uint16)
        start = np.repeat(first, counts.ravel())
        detail_at[stock, (start + digit)[stock, fitting]] = (np.arange(len(start)) - start)[fitting]
        # the pieces of the first of these, where there is one
        some = left[np.arange(len(take))[:, np.newaxis], first + detail_at[:, first]]
        return cls(
            n_digits=n.reshape(-1, *counts.shape),
            rest=np.where(n > 0, some, -1).astype(np.int16).reshape(-1, *counts.shape),
            digit_of=digit[:, entry].astype(np.uint16, order="C"),
            detail_at=detail_at,
            first_entry=first.reshape(counts.shape),
        )
