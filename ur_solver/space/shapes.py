"""The contents of a shared square in a tile, a row and a column.

A square's *shape* is its contents without the marks and numbers of its pieces: the sides of the
pieces and whether one rests, in order if there is one. Tiles fix shapes. The marks and numbers of
my pieces there are a *detail* of my row, those of theirs a detail of their column. Every detail of
mine combines with every detail of theirs; if the contents of a square are not such a product, its
marks and numbers are part of the shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ur_solver.rules.contents import (
    DARK,
    LIGHT,
    RESTING,
    awake,
    is_marked,
    is_resting,
    side_of,
    split,
)

_Detail = tuple[Any, ...]


class ShapedSquare(NamedTuple):
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
        """The number of shapes of the square."""
        return len(self.n_mine)


def shaped(contents: Sequence[str], is_stack: bool) -> ShapedSquare:
    """The shapes and details of a square's contents.

    Parameters
    ----------
    contents : sequence of str
        By number, from the side to throw (`L`); the empty one first.
    is_stack : bool
        Whether the order of pieces matters.
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

    A side's details are the same for its mirror image.
    """
    pieces = split(content)
    whose = tuple(side_of(piece) + RESTING * is_resting(piece) for piece in pieces)
    details = tuple(
        tuple((awake(piece[1:]), is_marked(piece)) for piece in pieces if side_of(piece) == side)
        for side in (LIGHT, DARK)
    )
    if is_stack:
        return whose, details[0], details[1]
    return tuple(sorted(whose)), tuple(sorted(details[0])), tuple(sorted(details[1]))
