"""The dependency graph of a space's blocks: finished and ready blocks."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ur_solver.space import Part


class BlockGraph:
    """Which blocks are ready, which are done, and whose values are still needed.

    A block is ready when all blocks that it reads, which have smaller numbers, are done. The graph
    holds no values and does not depend on how blocks are executed. Of the ready blocks those with
    the largest of `priorities` come first; by default those with the smallest numbers, which need
    the least memory in one process.
    """

    def __init__(
        self,
        reads: Sequence[Collection[int]],
        sizes: Sequence[int],
        done: Collection[int] = (),
        priorities: Sequence[float] | None = None,
    ) -> None:
        self.reads = reads
        self._priorities = priorities
        self.sizes = sizes
        n = len(reads)
        self._is_done = np.zeros(n, dtype=bool)
        self._is_done[list(done)] = True
        self._n_missing: list[int] = [0] * n
        self._n_readers: list[int] = [0] * n
        for index, read in enumerate(reads):
            if self._is_done[index]:
                continue
            for each in read:
                self._n_missing[index] += not self._is_done[each]
                self._n_readers[each] += 1
        self._n_finished = 0
        self._taken: dict[int, int] = {}  # by block being solved: `_n_finished` when it was taken
        self._finished = np.zeros(n, dtype=np.int64)  # by block: the same when it was finished last
        ready = [k for k in range(n) if not self._is_done[k] and not self._n_missing[k]]
        self._ready = [self._entry(k) for k in ready]
        heapq.heapify(self._ready)
        self.n_left = n - int(self._is_done.sum())

    @staticmethod
    def of(part: Part, done: Collection[int] = (), *, is_urgent_first: bool = False) -> BlockGraph:
        """The graph of a part's blocks; optionally those on the longest paths first.

        Blocks outside the part count as done, and as reading nothing.
        """
        space = part.space
        reads = [space.reads(k) if k in part else () for k in range(len(space.blocks))]
        sizes: list[int] = space.blocks.size.tolist()
        priorities = critical_paths(reads, sizes) if is_urgent_first else None
        return BlockGraph(reads, sizes, {*done, *part.outside}, priorities)

    def _entry(self, index: int) -> tuple[float, int]:
        """The sort key of ready blocks."""
        return (-self._priorities[index] if self._priorities else 0.0, index)

    @cached_property
    def _read_by(self) -> list[list[int]]:
        read_by: list[list[int]] = [[] for _ in self.reads]
        for index, read in enumerate(self.reads):
            for each in read:
                read_by[each].append(index)
        return read_by

    def __len__(self) -> int:
        return len(self.reads)

    @property
    def n_ready(self) -> int:
        """The number of ready blocks."""
        return len(self._ready)

    def peek(self) -> int:
        """The first ready block; it stays ready."""
        return self._ready[0][1]

    def first(self, count: int) -> list[int]:
        """The first `count` of the ready blocks."""
        return [index for _, index in heapq.nsmallest(count, self._ready)]

    def take(self, index: int | None = None) -> int:
        """Remove a ready block, the first by default, and return it."""
        if index is None or index == self._ready[0][1]:
            index = heapq.heappop(self._ready)[1]
        else:
            self._ready.remove(self._entry(index))
            heapq.heapify(self._ready)
        self._taken[index] = self._n_finished
        return index

    def give_back(self, index: int) -> None:
        """Offer an unfinished block again, as soon as it is ready."""
        del self._taken[index]
        if not self._n_missing[index]:
            heapq.heappush(self._ready, self._entry(index))

    def reopen(self, index: int, reader: int) -> None:
        """Mark a block as not done: its values are lost and must be computed again.

        Blocks that read it and are not done wait for it once more, unless they are being solved.
        `reader` is the block whose solve found the values lost: if they were computed again since
        it was taken, it saw the old ones, and nothing is reopened.
        """
        if not self._is_done[index] or self._finished[index] > self._taken[reader]:
            return
        self._is_done[index] = False
        self.n_left += 1
        for each in self.reads[index]:
            self._n_readers[each] += 1
        self._n_missing[index] = sum(not self._is_done[each] for each in self.reads[index])
        for each in self._read_by[index]:
            self._n_missing[each] += 1
        self._ready = [each for each in self._ready if not self._n_missing[each[1]]]
        if not self._n_missing[index]:
            self._ready.append(self._entry(index))
        heapq.heapify(self._ready)

    def finish(self, index: int) -> list[int]:
        """Mark a block as done; return the blocks that no unfinished block reads any more, perhaps
        itself.
        """
        if self._is_done[index]:
            raise ValueError(f"block {index} is done already")
        self._is_done[index] = True
        self._taken.pop(index, None)
        self._n_finished += 1
        self._finished[index] = self._n_finished
        self.n_left -= 1
        for each in self._read_by[index]:
            self._n_missing[each] -= 1
            if not (self._n_missing[each] or self._is_done[each] or each in self._taken):
                heapq.heappush(self._ready, self._entry(each))
        unread = [] if self._n_readers[index] else [index]
        for each in self.reads[index]:
            self._n_readers[each] -= 1
            if not self._n_readers[each]:
                unread.append(each)
        return unread

    @property
    def done(self) -> npt.NDArray[np.bool_]:
        """For each block, whether it is done."""
        return self._is_done

    def is_read(self, index: int) -> bool:
        """Whether an unfinished block reads a block."""
        return self._n_readers[index] > 0


def critical_paths(reads: Sequence[Collection[int]], weights: Sequence[float]) -> list[float]:
    """The heaviest path from each block, itself included, to one that no block reads."""
    longest = [float(weight) for weight in weights]
    behind = [0.0] * len(reads)
    for index in reversed(range(len(reads))):
        longest[index] += behind[index]
        for each in reads[index]:
            behind[each] = max(behind[each], longest[index])
    return longest
