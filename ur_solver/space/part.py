"""Parts of a space: some of its blocks, with the blocks of all their successors.

No move leads out of a part, so it can be solved alone. Pieces that are off stay off: the blocks
in which each side has at most K pieces left to bear off are a part, the endings of the game.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ur_solver.common.text import counted
from ur_solver.errors import InputError
from ur_solver.space.base import Block, Space

_PART = "part"
"""The name of a part that some positions can reach."""


class Part:
    """Some blocks of a space, or all of them.

    The numbers of blocks ascend; with each block there are those that it reads. `name` is by
    default what the property of that name says.
    """

    def __init__(self, space: Space, indices: Sequence[int], name: str | None = None) -> None:
        self.space = space
        self.indices = indices
        self._name = name
        self._is_held = np.zeros(len(space.blocks), dtype=bool)
        self._is_held[np.asarray(indices, dtype=np.int64)] = True

    @property
    def is_whole(self) -> bool:
        """Whether it has all blocks."""
        return len(self.indices) == len(self.space.blocks)

    def has_same_blocks(self, other: Part) -> bool:
        """Whether another part has the same blocks of the same game."""
        return np.array_equal(self._is_held, other._is_held)

    def __contains__(self, index: int) -> bool:
        return bool(self._is_held[index])

    @cached_property
    def blocks(self) -> Sequence[Block]:
        """Its blocks, in solving order."""
        every = self.space.blocks
        return every if self.is_whole else tuple(every[index] for index in self.indices)

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """The number of values in each of its blocks: shape (blocks,)."""
        return self.space.blocks.size[self._is_held]

    @cached_property
    def n_values(self) -> int:
        """The number of values in its blocks."""
        return int(self.sizes.sum())

    @property
    def n_positions(self) -> int:
        """The number of its positions; with stakes, not counting the fines."""
        return self.n_values // self.space.values_per_position

    @cached_property
    def left(self) -> int | None:
        """The most pieces that a side has left, if these are all positions with no more.

        None if they are not; the count of pieces for the whole space.
        """
        if self.is_whole:
            return self.space.rules.pieces
        left = self.space.left
        most = int(left[self._is_held].max())
        return most if most < left[~self._is_held].min() else None

    @property
    def name(self) -> str | None:
        """Its name in file names: ``left-4``, ``part``; None for all blocks."""
        if self.is_whole:
            return None
        return self._name or (_PART if self.left is None else f"left-{self.left}")

    @property
    def scope(self) -> str:
        """Its positions, in words."""
        if self.is_whole:
            return "all positions"
        if self.left is None:
            return f"{len(self.indices):,} of {len(self.space.blocks):,} blocks of positions"
        return f"the positions with at most {counted(self.left, 'piece')} left a side"

    @property
    def title(self) -> str:
        """The rule set and the part, in words."""
        whole = self.space.rules.title
        if self.is_whole:
            return whole
        if self.left is None:
            return f"a part of {whole}"
        return f"{whole} and at most {self.left} left a side"

    @cached_property
    def reads(self) -> list[tuple[int, ...]]:
        """By place in the part, the places of the blocks that a block reads."""
        space = self.space
        if self.is_whole:
            return [space.reads(index) for index in self.indices]
        place = {index: k for k, index in enumerate(self.indices)}
        return [tuple(place[each] for each in space.reads(index)) for index in self.indices]

    @property
    def outside(self) -> list[int]:
        """The blocks outside the part."""
        found: list[int] = np.flatnonzero(~self._is_held).tolist()
        return found


class PartBlocks:
    """All values of a part in one array, as finished blocks, one after the other."""

    def __init__(self, part: Part, values: npt.NDArray[np.float64]) -> None:
        self._values = values
        self._place: dict[int, slice] = {}
        first = 0
        for block in part.blocks:
            self._place[block.index] = slice(first, first + block.size)
            first += block.size

    def values_of(self, index: int) -> npt.NDArray[np.float64]:
        """The values of a block of the part, a view."""
        return self._values[self._place[index]]


def whole_of(space: Space) -> Part:
    """All blocks of a space."""
    return Part(space, range(len(space.blocks)))


def part_left(space: Space, left: int) -> Part:
    """The blocks in which each side has at most `left` pieces to bear off.

    InputError if `left` is not less than the count of pieces, or not positive.
    """
    rules = space.rules
    if not 0 < left < rules.pieces:
        most = rules.pieces - 1
        expected = (
            "there is none" if not most else f"expected {'1' if most == 1 else f'1 to {most}'}"
        )
        raise InputError(
            f"at most {counted(left, 'piece')} left a side is no part of {rules.title}: {expected}"
        )
    return Part(space, np.flatnonzero(space.left <= left).tolist())


def part_from(space: Space, roots: Iterable[int]) -> Part:
    """Some blocks and all that can be reached from them; it is called ``part``."""
    found, waiting = set[int](), list(roots)
    while waiting:
        index = waiting.pop()
        if index not in found:
            found.add(index)
            waiting += space.reads(index)
    return Part(space, sorted(found), _PART)
