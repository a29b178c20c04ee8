"""What the contents of squares take of a side's pieces, numbered so that ranks can be counted.

*Stock*: the pieces of a side in some place, a count or, if they are numbered, a set of numbers.
Both are written as one number, so that compiled code can treat them alike: a count as it is, a set
as the sum of its members' powers of two. A part of a stock may be subtracted from it.

*Reserve*: what a side may use in its placements. If a path ends on squares on which it also begins,
a piece that has come back closes its square to entering ones. A reserve is the number of a set of
closed squares and a stock as one number. Any part of the stock may be subtracted from it; the set
does not change. Where a piece of the side to throw may rest (`Family.rests`), the reserves of that
side let one do so and come after all others. A content with such a piece uses up `Reserves.rest`
besides its part of the stock.

*Placement*: the contents of a side's private squares.

*Shape*: the contents of a shared square without the marks and numbers of its pieces: the sides of
the pieces and whether one rests, in order if there is one. Tiles fix shapes. The marks and numbers
of my pieces there are a *detail* of my row, those of theirs a detail of their column. Every detail
of mine combines with every detail of theirs; if the contents of a square are not such a product,
its marks and numbers are part of the shape. Not every detail of a shape fits every stock: a
numbered piece stands in one place only. The details that fit a stock are numbered, and the number
of a detail is its *digit*.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ur_solver.rules.contents import (
    DARK,
    LIGHT,
    RESTING,
    Pieces,
    awake,
    is_marked,
    is_resting,
    number_of,
    side_of,
    split,
)


@dataclass(frozen=True)
class Stock:
    """The pieces of one side, N of them, numbered or not."""

    pieces: int
    is_numbered: bool

    @property
    def size(self) -> int:
        """The number of stocks: 0 to `full`."""
        return self.full + 1

    @property
    def full(self) -> int:
        """All pieces."""
        return (1 << self.pieces) - 1 if self.is_numbered else self.pieces

    def units(self, stock: int) -> tuple[int, ...]:
        """The single pieces in a stock that differ, each as a part of it."""
        if self.is_numbered:
            return tuple(1 << k for k in range(self.pieces) if stock >> k & 1)
        return (1,) * (stock > 0)

    def count(self, stock: int) -> int:
        """The number of pieces in a stock."""
        return stock.bit_count() if self.is_numbered else stock

    def has(self, stock: int, part: int) -> bool:
        """Whether `part` is in `stock`."""
        return stock & part == part if self.is_numbered else part <= stock

    def of(self, pieces: Pieces) -> int:
        """The stock of some pieces of one side."""
        if self.is_numbered:
            return sum(1 << number_of(piece) - 1 for piece in pieces)
        return len(pieces)

    def numbers(self, stock: int) -> tuple[int, ...]:
        """The numbers of the pieces in a stock, ascending; empty if they have none."""
        if not self.is_numbered:
            return ()
        return tuple(k + 1 for k in range(self.pieces) if stock >> k & 1)

    @cached_property
    def take(self) -> npt.NDArray[np.int16]:
        """The stock without a part, -1 if it does not contain it: int16, shape (size, size)."""
        stocks = np.arange(self.size)
        left = stocks[:, np.newaxis] - stocks
        is_subset = (stocks[:, np.newaxis] & stocks) == stocks
        is_part = is_subset if self.is_numbered else left >= 0
        return np.where(is_part, left, -1).astype(np.int16)


@dataclass(frozen=True)
class Reserves:
    """The reserves of one side."""

    stock: Stock
    closed: tuple[frozenset[int], ...]  # the sets of cells that may be closed, that of none first
    may_rest: bool  # whether a piece may

    @classmethod
    def of(cls, stock: Stock, cells: Sequence[int], may_rest: bool = False) -> Reserves:
        """The reserves if each of some cells may be closed."""
        sets = itertools.chain.from_iterable(
            itertools.combinations(cells, n) for n in range(len(cells) + 1)
        )
        return cls(stock, tuple(map(frozenset, sets)), may_rest)

    @property
    def size(self) -> int:
        """The number of reserves."""
        return (1 + self.may_rest) * self.rest

    @property
    def rest(self) -> int:
        """What a piece that rests uses up, besides its part of the stock."""
        return len(self.closed) * self.stock.size

    def own(self, reserve: int) -> int:
        """The reserve in which a piece may rest as well, if one ever may."""
        return reserve + self.may_rest * self.rest

    def count(self, use: int) -> int:
        """The number of pieces in what contents use up."""
        return self.stock.count(use % self.rest)

    def number(self, closed: Iterable[int], stock: int) -> int:
        """The reserve of a stock and some closed cells."""
        return self.closed.index(frozenset(closed)) * self.stock.size + stock

    def closed_of(self, reserve: int) -> frozenset[int]:
        """Its closed cells."""
        return self.closed[reserve % self.rest // self.stock.size]

    def stock_of(self, reserve: int) -> int:
        """Its stock."""
        return reserve % self.stock.size

    @cached_property
    def take(self) -> npt.NDArray[np.int16]:
        """The reserve without what contents use up: int16, shape (reserves, uses).

        -1 if it lacks a piece, or none may rest.
        """
        take = self.stock.take.astype(np.int16)
        first = np.arange(0, self.rest, self.stock.size, dtype=np.int16)[:, np.newaxis, np.newaxis]
        plain = np.where(take >= 0, first + take, -1).reshape(self.rest, self.stock.size)
        if not self.may_rest:
            return plain
        found = np.full((self.size, self.rest + self.stock.size), -1, dtype=np.int16)
        found[: self.rest, : self.stock.size] = found[self.rest :, self.rest :] = plain
        found[self.rest :, : self.stock.size] = np.where(plain >= 0, plain + self.rest, -1)
        return found


NO_PART = -1
"""The part of contents that a private square cannot have."""


@dataclass(frozen=True, eq=False)  # == of arrays is no bool
class Placements:
    """The ways to fill private squares.

    A placement's *code* is the sum of each square's content times the square's radix. Of a reserve,
    those are numbered that need no piece which it lacks and no square that is closed, the fewest
    pieces first: where pieces have no numbers, the numbers of a larger stock begin with those of a
    smaller one.
    """

    radix: npt.NDArray[np.int64]  # shape (squares,)
    n: npt.NDArray[np.int64]  # shape (reserves,): the number of placements of a reserve
    # shape (reserves, codes): -1 where the reserve lacks a piece or a square is closed
    number_of: npt.NDArray[np.int32]
    code_of: npt.NDArray[np.int32]  # shape (reserves, most placements): the inverse

    @classmethod
    def of(
        cls, reserves: Reserves, cells: Sequence[int], parts: Sequence[npt.NDArray[np.int64]]
    ) -> Placements:
        """The placements on squares, the most advanced first.

        `parts` has for each square, by content, what it uses up of the side's reserve, int64;
        `NO_PART` for one that the square cannot have.
        """
        full = reserves.own(reserves.stock.full)
        radix, codes = [], 1
        for part in reversed(parts):
            radix.append(codes)
            codes *= len(part)
        radix.reverse()
        # what a code needs, -1 if no stock has it; which squares it holds, by bit
        needs, held = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
        for bit, part in enumerate(parts):
            left = np.where(needs >= 0, full - needs, 0)
            fits = (needs >= 0)[:, np.newaxis] & (part >= 0)
            fits &= reserves.take[left][:, np.maximum(part, 0)] >= 0
            needs = np.where(fits, needs[:, np.newaxis] + part, -1).ravel()
            held = (held[:, np.newaxis] | (part != 0).astype(np.int64) << bit).ravel()
        counts = np.array([reserves.count(need) if need >= 0 else 0 for need in needs.tolist()])
        # the furthest on first among those with as many pieces
        order = np.lexsort((-np.arange(codes), counts))
        order = order[needs[order] >= 0]
        number_of = np.full((reserves.size, codes), -1, dtype=np.int32)
        fitting = []
        for reserve in range(reserves.size):
            closed = reserves.closed_of(reserve)
            bits = sum(1 << bit for bit, cell in enumerate(cells) if cell in closed)
            has = reserves.take[reserve][needs[order]] >= 0
            fitting.append(order[has & (held[order] & bits == 0)])
        n = np.array([len(each) for each in fitting], dtype=np.int64)
        code_of = np.zeros((reserves.size, int(n.max())), dtype=np.int32)
        for reserve, each in enumerate(fitting):
            number_of[reserve, each] = np.arange(len(each))
            code_of[reserve, : len(each)] = each
        return cls(np.array(radix, dtype=np.int64), n, number_of, code_of)


_Detail = tuple[Any, ...]
_Key = tuple[Any, _Detail, _Detail]


class ShapedSquare(NamedTuple):
    """The contents of one square by shape and details."""

    shape: tuple[int, ...]  # by content: the number of its shape
    # by content: the numbers of its details, mine and theirs, among those of its shape
    details: tuple[tuple[int, int], ...]
    # by shape: how many details of mine and of theirs there are
    n_details: tuple[tuple[int, int], ...]

    @property
    def n_shapes(self) -> int:
        """The number of shapes of the square."""
        return len(self.n_details)


def shaped(contents: Sequence[str], is_stack: bool) -> ShapedSquare:
    """The shapes and details of a square's contents.

    The contents are by number, from the side to throw (`L`), the empty one first; in a stack the
    order of pieces matters.
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


@dataclass(frozen=True, eq=False)  # == of arrays is no bool
class Digits:
    """How the details of shapes are numbered, by what is left of a side's reserve.

    Shapes and contents are counted over all squares. A shape's *entries* are its details of me,
    then its details of them, one after the other; the entries of all shapes follow each other.
    """

    # shape (reserves, shapes, 2): how many details of mine and of theirs fit
    n_digits: npt.NDArray[np.int32]
    # shape (reserves, shapes, 2): a reserve with as many pieces as remain, not always those; -1 for
    # too few
    rest: npt.NDArray[np.int16]
    # shape (reserves, contents, 2): a content's detail of mine and of theirs among these
    digit_of: npt.NDArray[np.uint16]
    detail_at: npt.NDArray[np.uint16]  # shape (reserves, entries): the detail of each digit
    # shape (shapes, 2): where the entries of a shape and side begin
    first_entry: npt.NDArray[np.int32]

    @classmethod
    def of(
        cls,
        squares: Sequence[ShapedSquare],
        parts: Sequence[npt.NDArray[np.int64]],
        take: npt.NDArray[np.int16],
    ) -> Digits:
        """The digits of some squares.

        `parts` has for each square, by content, what it takes of my stock and of theirs: int64,
        shape (contents, 2); `take` is that of `Reserves`: int16, shape (reserves, stocks).
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
