"""What a tile, a row and a column say of a square that both sides may stand on.

A square's *shape* is its contents without the marks and the numbers of its pieces: who stands
there, in which order where there is one. Tiles tell shapes. The marks and numbers of my pieces
there are a *detail* of my row, those of theirs a detail of their column. Every detail of mine goes
with every detail of theirs; where the contents of a square are not such a product, its marks count
as part of the shape.

Not every detail goes with every stock: a piece with a number stands in one place only. Of a stock
those are counted that it has the pieces for, and each has a *digit* among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.rules.contents import DARK, LIGHT, is_marked, side_of, split

_Detail = tuple[Any, ...]


@dataclass(frozen=True)
class ShapedSquare:
    """The contents of one square by shape and details.

    Attributes
    ----------
    shape : tuple of int
        By content: the number of its shape.
    mine, theirs : tuple of int
        By content: the number of its detail among those that its shape has of each side.
    n_mine, n_theirs : tuple of int
        By shape: how many details there are.
    """

    shape: tuple[int, ...]
    mine: tuple[int, ...]
    theirs: tuple[int, ...]
    n_mine: tuple[int, ...]
    n_theirs: tuple[int, ...]

    @property
    def n_shapes(self) -> int:
        """How many shapes the square has."""
        return len(self.n_mine)


def shaped(contents: Sequence[str], is_stack: bool) -> ShapedSquare:
    """The shapes and details of a square's contents.

    Parameters
    ----------
    contents : sequence of str
        By number, from the side to throw (`L`); the empty one first.
    is_stack : bool
        Whether pieces stand in an order.
    """
    keys = [_key(content, is_stack) for content in contents]
    by_shape: dict[Any, list[int]] = {}
    for number, (shape, _, _) in enumerate(keys):
        by_shape.setdefault(shape, []).append(number)
    for numbers in list(by_shape.values()):
        mine = {keys[number][1] for number in numbers}
        theirs = {keys[number][2] for number in numbers}
        if len(mine) * len(theirs) != len(numbers):
            for number in numbers:
                keys[number] = (keys[number], (), ())
    shapes = list(dict.fromkeys(shape for shape, _, _ in keys))
    number_of = {shape: number for number, shape in enumerate(shapes)}
    shape_numbers = tuple(number_of[shape] for shape, _, _ in keys)
    found: list[list[set[_Detail]]] = [[set() for _ in shapes] for _ in range(2)]
    for shape, key in zip(shape_numbers, keys, strict=True):
        for side in range(2):
            found[side][shape].add(key[1 + side])
    details = [[sorted(each) for each in side] for side in found]
    return ShapedSquare(
        shape=shape_numbers,
        mine=tuple(details[0][n].index(key[1]) for n, key in zip(shape_numbers, keys, strict=True)),
        theirs=tuple(
            details[1][n].index(key[2]) for n, key in zip(shape_numbers, keys, strict=True)
        ),
        n_mine=tuple(map(len, details[0])),
        n_theirs=tuple(map(len, details[1])),
    )


def _key(content: str, is_stack: bool) -> tuple[Any, _Detail, _Detail]:
    """The shape of a content, and the details of mine and of theirs.

    A side's details do not tell the sides apart, so that the mirror image has the same.
    """
    pieces = split(content)
    whose = tuple(side_of(piece) for piece in pieces)
    details = tuple(
        tuple((piece[1:], is_marked(piece)) for piece in pieces if side_of(piece) == side)
        for side in (LIGHT, DARK)
    )
    if is_stack:
        return whose, details[0], details[1]
    return tuple(sorted(whose)), tuple(sorted(details[0])), tuple(sorted(details[1]))


@dataclass(frozen=True)
class Digits:
    """How the details of shapes are numbered, by what is left of a side's stock.

    Shapes and contents are counted over all squares. A shape's *entries* are its details of me,
    then its details of them, one after the other; the entries of all shapes follow each other.

    Attributes
    ----------
    n : int32, shape (stocks, shapes, 2)
        How many details of mine and of theirs a stock has the pieces for.
    rest : int16, shape (stocks, shapes, 2)
        As many pieces as are left of the stock then; -1 if it has too few.
    digit_of : uint16, shape (stocks, contents, 2)
        A content's detail of mine and of theirs among these.
    detail_of : uint16, shape (stocks, entries)
        The detail of each digit.
    first_entry : int32, shape (shapes, 2)
        Where the entries of a shape and side begin.
    """

    n: npt.NDArray[np.int32]
    rest: npt.NDArray[np.int16]
    digit_of: npt.NDArray[np.uint16]
    detail_of: npt.NDArray[np.uint16]
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
        take : int16, shape (stocks, stocks)
            As of `Stock`.
        """
        n_shapes = sum(square.n_shapes for square in squares)
        n_contents = sum(map(len, parts))
        n_entries = sum(sum(square.n_mine) + sum(square.n_theirs) for square in squares)
        stocks = np.arange(len(take))
        found = cls(
            n=np.zeros((len(take), n_shapes, 2), dtype=np.int32),
            rest=np.full((len(take), n_shapes, 2), -1, dtype=np.int16),
            digit_of=np.zeros((len(take), n_contents, 2), dtype=np.uint16),
            detail_of=np.zeros((len(take), n_entries), dtype=np.uint16),
            first_entry=np.zeros((n_shapes, 2), dtype=np.int32),
        )
        shape = content = entry = 0
        for square, part in zip(squares, parts, strict=True):
            order = np.argsort(square.shape, kind="stable")
            numbers = np.split(order, np.cumsum(np.bincount(square.shape))[:-1])
            for members in numbers:
                for side, details in enumerate((square.mine, square.theirs)):
                    detail = np.array(details)[members]
                    needs = np.zeros(detail.max() + 1, dtype=np.int64)
                    needs[detail] = part[members, side]
                    fits = take[:, needs] >= 0
                    digit = np.cumsum(fits, axis=1) - 1
                    has_some = fits.any(axis=1)
                    found.n[:, shape, side] = fits.sum(axis=1)
                    found.rest[has_some, shape, side] = take[
                        stocks[has_some], needs[fits[has_some].argmax(axis=1)]
                    ]
                    found.digit_of[:, content + members, side] = np.maximum(digit, 0)[:, detail]
                    found.first_entry[shape, side] = entry
                    stock, fitting = np.nonzero(fits)
                    found.detail_of[stock, entry + digit[stock, fitting]] = fitting
                    entry += len(needs)
                shape += 1
            content += len(part)
        return found
