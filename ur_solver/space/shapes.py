"""The contents of a shared square in a tile, a row and a column.

A square's *shape* is its contents without the marks and numbers of its pieces: the sides of the
pieces and whether one rests, in order if there is one. Tiles fix shapes. The marks and numbers of
my pieces there are a *detail* of my row, those of theirs a detail of their column. Every detail of
mine combines with every detail of theirs; if the contents of a square are not such a product, its
marks and numbers are part of the shape.
"""

from __future__ import annotations

from collections import Counter
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
_Key = tuple[Any, _Detail, _Detail]


class ShapedSquare(NamedTuple):
    """The contents of one square by shape and details.

    Attributes
    ----------
    shape : tuple of int
        By content: the number of its shape.
    details : tuple of (int, int)
        By content: the numbers of its details, mine and theirs, among those of its shape.
    n_details : tuple of (int, int)
        By shape: how many details of mine and of theirs there are.
    """

    shape: tuple[int, ...]
    details: tuple[tuple[int, int], ...]
    n_details: tuple[tuple[int, int], ...]

    @property
    def n_shapes(self) -> int:
        """The number of shapes of the square."""
        return len(self.n_details)


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
    n_contents = Counter(shape for shape, _, _ in keys)
    details = _details(keys)
    for number, key in enumerate(keys):
        mine, theirs = details[key[0]]
        if len(mine) * len(theirs) != n_contents[key[0]]:
            keys[number] = (key, (), ())
    details = _details(keys)
    number_of = {shape: number for number, shape in enumerate(details)}
    return ShapedSquare(
        shape=tuple(number_of[shape] for shape, _, _ in keys),
        details=tuple(
            (details[shape][0].index(mine), details[shape][1].index(theirs))
            for shape, mine, theirs in keys
        ),
        n_details=tuple((len(mine), len(theirs)) for mine, theirs in details.values()),
    )


def _details(keys: Sequence[_Key]) -> dict[Any, tuple[list[_Detail], list[_Detail]]]:
    """The details of each shape, mine and theirs, in their order."""
    found: dict[Any, tuple[set[_Detail], set[_Detail]]] = {}
    for shape, *sides in keys:
        for details, each in zip(found.setdefault(shape, (set(), set())), sides, strict=True):
            details.add(each)
    return {shape: (sorted(mine), sorted(theirs)) for shape, (mine, theirs) in found.items()}


def _key(content: str, is_stack: bool) -> _Key:
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
