"""Stores: where the values of finished blocks are kept for the blocks that read them."""

from __future__ import annotations

from typing import Protocol

from ur_solver.engine.result import BlockResult
from ur_solver.kernel import FinishedBlocks, Values


class BlockStore(FinishedBlocks, Protocol):
    """Takes finished blocks in and gives their values out; safe from several threads."""

    def put(self, result: BlockResult) -> None:
        """Keep a finished block."""

    def error_of(self, index: int) -> float | None:
        """How far the values of a finished block are proven to be off; None if nothing is."""

    def drop(self, index: int) -> None:
        """Forget the values of a block that nobody reads any more."""


class MemoryStore:
    """Finished blocks in the memory of this process, an array each."""

    def __init__(self) -> None:
        self._values: dict[int, Values] = {}
        self._errors: dict[int, float | None] = {}

    def values_of(self, index: int) -> Values | None:
        """The values of a block; None if it is not finished, or was dropped."""
        return self._values.get(index)

    def put(self, result: BlockResult) -> None:
        """Keep a finished block; its array is not copied."""
        self._values[result.index] = result.values
        self._errors[result.index] = result.error

    def error_of(self, index: int) -> float | None:
        """How far the values of a finished block are proven to be off; kept after `drop`."""
        return self._errors[index]

    def drop(self, index: int) -> None:
        """Forget the values of a block."""
        del self._values[index]
