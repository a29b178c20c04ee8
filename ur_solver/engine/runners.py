"""Runners execute a task on each block when it is ready, here in threads of this process.

A *task* is a function of a block's number that any runner can call. Its return value is passed to
the caller's thread when the block is done.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from ur_solver.common.machine import usable_processors
from ur_solver.engine.graph import BlockGraph
from ur_solver.engine.iterate import StoppedError
from ur_solver.engine.lease import Lease
from ur_solver.errors import DamagedBlockError
from ur_solver.kernel import Workspace

SHARED_SIZE = 1 << 17
"""The smallest size of a block, in values, that several threads share."""


_R = TypeVar("_R")

Task = Callable[[int, Lease], _R]
"""Processes a block, by its number, once all blocks that it reads are done."""


class Runner(Protocol):
    """Executes a task on all blocks of a graph."""

    def run(self, graph: BlockGraph, task: Task[_R], on_done: Callable[[_R], object]) -> None:
        """Work on all blocks that are not done, each when it is ready.

        Parameters
        ----------
        graph : BlockGraph
            The runner takes blocks from it; `on_done` marks them as finished.
        task : callable
        on_done : callable
            Called from the caller's thread with the return value of `task`; must finish the block
            in the graph. An exception that it raises ends the run.

        Notes
        -----
        If a task raises DamagedBlockError, the named block is solved again, and then the task's
        own.

        Raises
        ------
        Exception
            Raised by a task or by `on_done`, after the running tasks have been stopped.
        """


@dataclass(frozen=True)
class Allowance:
    """The memory that all blocks being solved may use together; a single block may exceed it.

    Attributes
    ----------
    most : int
        In bytes.
    cost : callable
        The memory that a block needs while it is solved, by its number.
    """

    most: int
    cost: Callable[[int], int]


class ThreadRunner:
    """Threads of this process.

    Ready blocks run in parallel, one thread each. If fewer blocks are ready than there are threads
    (near the start of the game, where the largest are), a block gets several threads, which share
    its tiles. Threads that become idle later join the sweeps of a block that is running.

    Parameters
    ----------
    threads : int, optional
        One a processor by default.
    allowance : Allowance, optional
        By default memory is assumed to suffice for as many blocks as threads.
    """

    def __init__(self, threads: int | None = None, allowance: Allowance | None = None) -> None:
        self.threads = threads or usable_processors()
        self.allowance = allowance

    def run(self, graph: BlockGraph, task: Task[_R], on_done: Callable[[_R], object]) -> None:
        """See `Runner.run`."""
        _Run(self.threads, graph, task, self.allowance).run(on_done)


@dataclass(frozen=True)
class _Running:
    """A block being solved: its number, its threads and its share of the allowance."""

    index: int
    threads: int
    cost: int


class _Run(Generic[_R]):
    """One call of `ThreadRunner.run`."""

    def __init__(
        self, threads: int, graph: BlockGraph, task: Task[_R], allowance: Allowance | None
    ) -> None:
        self.threads = threads
        self.allowance = allowance
        self.graph = graph
        self.task = task
        self.stop = threading.Event()
        self.spare = 0
        # last in, first out: the pages of the one used last are mapped
        self.workspaces: queue.LifoQueue[Workspace] = queue.LifoQueue()
        for _ in range(threads):
            self.workspaces.put(Workspace())

    def run(self, on_done: Callable[[_R], object]) -> None:
        """Work on all blocks that are not done."""
        graph = self.graph
        running: dict[Future[_R], _Running] = {}
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                while graph.n_ready or running:
                    free = self.threads - sum(each.threads for each in running.values())
                    while graph.n_ready and free > 0:
                        taken = sum(each.cost for each in running.values())
                        cost = self._cost(graph.peek())
                        if running and self.allowance and taken + cost > self.allowance.most:
                            break
                        share = self._share(free, taken)
                        each = _Running(graph.take(), share, cost)
                        running[pool.submit(self._work, each.index, share)] = each
                        free -= share
                    self.spare = free // len(running)
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        each = running.pop(future)
                        try:
                            on_done(future.result())
                        except DamagedBlockError as error:  # one that it read, or its own
                            graph.reopen(error.index, each.index)
                            graph.give_back(each.index)
            finally:
                self.stop.set()

    def _cost(self, index: int) -> int:
        return self.allowance.cost(index) if self.allowance else 0

    def _share(self, free: int, taken: int) -> int:
        """The number of `free` threads that the first ready block gets."""
        first = self.graph.peek()
        if self.graph.sizes[first] < SHARED_SIZE:
            return 1
        n_others = self.graph.n_ready
        if self.allowance:
            # assuming that the others need as much
            n_others = min(n_others, (self.allowance.most - taken) // max(1, self._cost(first)))
        return max(1, free // max(1, n_others))

    def _work(self, index: int, threads: int) -> _R:
        workspace = self.workspaces.get()
        if threads > 1:
            self._release_idle()
        is_shared = self.graph.sizes[index] >= SHARED_SIZE
        spare = (lambda: self.spare) if is_shared else (lambda: 0)
        try:
            return self.task(index, Lease(workspace, threads, spare, self._check_stop))
        finally:
            if self.allowance:
                workspace.release()  # the next block may be small
            self.workspaces.put(workspace)

    def _release_idle(self) -> None:
        """Free idle workspaces before a block with several threads, which may be the largest.

        It then grows by the pages just freed, which is cheap: a page that the system must
        find first takes ten times as long or more.
        """
        idle = []
        with suppress(queue.Empty):
            while True:
                idle.append(self.workspaces.get_nowait())
        for workspace in reversed(idle):
            workspace.release()
            self.workspaces.put(workspace)

    def _check_stop(self) -> None:
        if self.stop.is_set():
            raise StoppedError
