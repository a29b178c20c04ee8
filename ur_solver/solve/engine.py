"""Solving a space on this machine: blocks on threads, each when those it needs are done.

Blocks that do not depend on each other are solved at once, a thread each. Where fewer
are ready than there are threads (near the start of the game, where the largest are), a
block is given several, which share the tiles of a level.
"""

from __future__ import annotations

import heapq
import os
import queue
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

import numpy as np
import numpy.typing as npt

from ur_solver.kernel import Workspace, open_block
from ur_solver.solve.iterate import iterate
from ur_solver.solve.order import dependencies
from ur_solver.solve.result import BlockResult
from ur_solver.space import Space

MIN_TOLERANCE = 1e-13
"""What float64 values can be asked for: some hundred units of their rounding."""

_GOAL = 0.1
"""A block is iterated to this share of the tolerance: errors of blocks add up."""

_SHARED_SIZE = 1 << 17
"""Positions from which on a block is worth several threads."""


_LINE = 8
"""Numbers in a cache line."""

_KEPT_BYTES = 256 << 20
"""A workspace up to this size serves the next block too; larger ones are few."""


def default_threads() -> int:
    """As many threads as this process may use processors."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _empty(length: int) -> npt.NDArray[np.float64]:
    """float64, at the beginning of a cache line: rows that fill lines stay in theirs."""
    room = np.empty(length + _LINE)
    skipped = -(room.ctypes.data // room.itemsize) % _LINE
    return room[skipped : skipped + length]


def solve(
    space: Space,
    *,
    tolerance: float,
    threads: int | None = None,
    finished: Iterable[BlockResult] = (),
    on_block: Callable[[BlockResult], object] = lambda result: None,
) -> npt.NDArray[np.float64]:
    """The values of all positions of a space.

    Parameters
    ----------
    space : Space
    tolerance : float
        What a value may be off, as far as deltas can tell; at least `MIN_TOLERANCE`.
    threads : int, optional
        One a processor by default.
    finished : iterable of BlockResult
        Blocks that an earlier solve finished.
    on_block : callable
        Called with every block as it is finished, from this thread; its `values` are a
        view of the array returned. What it raises ends the solve.

    Returns
    -------
    float64, shape (n_positions,)
        Win probabilities in [0, 1] of the side about to throw, by rank; with stakes what
        the ranks stand for (`ur_solver.space.stakes`), in the unit of the space.

    Raises
    ------
    ValueError
        If the tolerance is too small.
    """
    if not tolerance >= MIN_TOLERANCE:
        raise ValueError(f"tolerance {tolerance!r}: float64 values reach {MIN_TOLERANCE}")
    return _Solve(space, tolerance, threads or default_threads(), on_block).run(finished)


class _Solve:
    """The state of one call of `solve`."""

    def __init__(
        self,
        space: Space,
        tolerance: float,
        threads: int,
        on_block: Callable[[BlockResult], object],
    ) -> None:
        self.space = space
        self.goal = _GOAL * tolerance
        self.threads = threads
        self.on_block = on_block
        self.values = _empty(space.n_positions)
        self.stop = threading.Event()
        self.workspaces: queue.SimpleQueue[Workspace] = queue.SimpleQueue()
        for _ in range(threads):
            self.workspaces.put(Workspace())
        self.needs = dependencies(space)
        self.needed_by: list[list[int]] = [[] for _ in space.blocks]
        for index, needs in enumerate(self.needs):
            for needed in needs:
                self.needed_by[needed].append(index)

    def run(self, finished: Iterable[BlockResult]) -> npt.NDArray[np.float64]:
        done = set()
        for result in finished:
            block = self.space.blocks[result.index]
            self.values[block.offset : block.offset + block.size] = result.values
            done.add(result.index)
        self.needs = [needs - done for needs in self.needs]
        ready = [index for index, needs in enumerate(self.needs) if not needs and index not in done]
        heapq.heapify(ready)
        running: dict[Future[BlockResult], int] = {}
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                while ready or running:
                    free = self.threads - sum(running.values())
                    while ready and free > 0:
                        share = self._share(ready, free)
                        index = heapq.heappop(ready)
                        running[pool.submit(self._solve_block, index, share)] = share
                        free -= share
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        del running[future]
                        result = future.result()
                        self.on_block(result)
                        for index in self.needed_by[result.index]:
                            self.needs[index].discard(result.index)
                            if not self.needs[index] and index not in done:
                                heapq.heappush(ready, index)
            finally:
                self.stop.set()
        return self.values

    def _share(self, ready: list[int], free: int) -> int:
        """How many of `free` threads the first of the ready blocks is given."""
        if self.space.blocks[ready[0]].size < _SHARED_SIZE:
            return 1
        return max(1, free // len(ready))

    def _solve_block(self, index: int, threads: int) -> BlockResult:
        began = time.perf_counter()
        block = self.space.blocks[index]
        values = self.values[block.offset : block.offset + block.size]
        workspace = self.workspaces.get()
        try:
            work = open_block(self.space, block, self.values, workspace, threads)
            iteration = iterate(work, self.goal, threads, self.stop)
            work.store(self.values)
            if self.space.is_chance and (values.min() < 0.0 or values.max() > 1.0):
                # An extrapolation may step over the ends by less than the tolerance.
                np.clip(values, 0.0, 1.0, out=values)
                work.load(self.values)
            residual = work.residual(threads)
            del work
        finally:
            workspace.trim(_KEPT_BYTES)
            self.workspaces.put(workspace)
        return BlockResult(
            index=index,
            values=values,
            residual=residual,
            sweeps=iteration.sweeps,
            seconds=time.perf_counter() - began,
        )
