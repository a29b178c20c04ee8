"""Walking a space's blocks on threads, each when those that its moves lead to are done.

Blocks that do not depend on each other are worked on at once, a thread each. Where fewer
are ready than there are threads (near the start of the game, where the largest are), a
block is given several, which share its tiles; and threads that run out of blocks later help
in the sweeps of one that was begun with fewer.
"""

from __future__ import annotations

import heapq
import os
import queue
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Generic, Protocol, TypeVar

from ur_solver.kernel import Workspace
from ur_solver.solve.iterate import StoppedError
from ur_solver.space import Space, dependencies

_SHARED_SIZE = 1 << 17
"""Positions from which on a block is worth several threads."""


def default_threads() -> int:
    """As many threads as this process may use processors."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Numbered(Protocol):
    """What is said of a block when it is done."""

    @property
    def index(self) -> int:
        """The block's place in `Space.blocks`."""
        ...


_R = TypeVar("_R", bound=Numbered)


class Walk(ABC, Generic[_R]):
    """One walk over the blocks of a space.

    Parameters
    ----------
    space : Space
    threads : int
    on_block : callable
        Called with what is said of every block as it is done, from the thread that walks.
        What it raises ends the walk.
    """

    def __init__(self, space: Space, threads: int, on_block: Callable[[_R], object]) -> None:
        self.space = space
        self.threads = threads
        self.on_block = on_block
        self.stop = threading.Event()
        # the last one used is the next one used: its pages are there
        self.workspaces: queue.LifoQueue[Workspace] = queue.LifoQueue()
        for _ in range(threads):
            self.workspaces.put(Workspace())
        self.leads_to = dependencies(space)
        self._spare = 0

    @abstractmethod
    def work_on(self, index: int, threads: int, workspace: Workspace) -> _R:
        """Do a block; those that its moves lead to are done."""

    def check_stop(self) -> None:
        """Raise StoppedError once the walk is at its end, by an error."""
        if self.stop.is_set():
            raise StoppedError

    def spare_threads(self, index: int) -> int:
        """How many more threads than it was given a block may use for its next pass."""
        return self._spare if self.space.blocks[index].size >= _SHARED_SIZE else 0

    def run(self, done: Collection[int] = ()) -> None:
        """Do all blocks but those that are done."""
        done = set(done)
        needs = [needs - done for needs in self.leads_to]
        needed_by: list[list[int]] = [[] for _ in needs]
        for index, needed in enumerate(needs):
            for each in needed:
                needed_by[each].append(index)
        ready = [index for index in range(len(needs)) if not needs[index] and index not in done]
        heapq.heapify(ready)
        running: dict[Future[_R], int] = {}
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                while ready or running:
                    free = self.threads - sum(running.values())
                    while ready and free > 0:
                        share = self._share(ready, free)
                        index = heapq.heappop(ready)
                        running[pool.submit(self._work, index, share)] = share
                        free -= share
                    self._spare = free // len(running)
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        del running[future]
                        result = future.result()
                        self.on_block(result)
                        for index in needed_by[result.index]:
                            needs[index].discard(result.index)
                            if not needs[index] and index not in done:
                                heapq.heappush(ready, index)
            finally:
                self.stop.set()

    def _share(self, ready: list[int], free: int) -> int:
        """How many of `free` threads the first of the ready blocks is given."""
        if self.space.blocks[ready[0]].size < _SHARED_SIZE:
            return 1
        return max(1, free // len(ready))

    def _work(self, index: int, threads: int) -> _R:
        workspace = self.workspaces.get()
        if threads > 1:
            self._release_idle()
        try:
            return self.work_on(index, threads, workspace)
        finally:
            self.workspaces.put(workspace)

    def _release_idle(self) -> None:
        """Make room for a block with several threads: it may be the largest.

        Pages given back just before are what it then grows by, which is cheap: a page that
        the machine has to find first takes ten times as long and more.
        """
        idle = []
        with suppress(queue.Empty):
            while True:
                idle.append(self.workspaces.get_nowait())
        for workspace in reversed(idle):
            workspace.release()
            self.workspaces.put(workspace)
