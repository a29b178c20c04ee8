"""Runners: what works on blocks that are ready. This process's threads are the first of them.

A *task* is a function of a block's number that any runner can call; what it returns is given to
the caller's thread when the block is done.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from ur_solver.engine.block import Lease
from ur_solver.engine.graph import BlockGraph
from ur_solver.engine.iterate import StoppedError
from ur_solver.errors import DamagedBlockError
from ur_solver.kernel import Workspace

_SHARED_SIZE = 1 << 17
"""Values from which on a block is worth several threads."""


class Numbered(Protocol):
    """What is said of a block when it is done."""

    @property
    def index(self) -> int:
        """The block's number in `Space.blocks`."""
        ...


_R = TypeVar("_R", bound=Numbered)

Task = Callable[[int, Lease], _R]
"""Works on the block of a number, all blocks that it reads being done."""


class Runner(Protocol):
    """What works on all blocks of a graph."""

    def run(self, graph: BlockGraph, task: Task[_R], on_done: Callable[[_R], object]) -> None:
        """Work on all blocks that are not done, each when it is ready.

        Parameters
        ----------
        graph : BlockGraph
            The runner takes blocks from it and finishes none: `on_done` does.
        task : callable
        on_done : callable
            Called from the caller's thread with what `task` returned; must finish the block in
            the graph. What it raises ends the run.

        Notes
        -----
        Where a task raises DamagedBlockError, the block that it names is worked on again, and
        then the task's own.

        Raises
        ------
        Exception
            What a task or `on_done` raised, after the tasks in work have been stopped.
        """


def default_threads() -> int:
    """As many threads as this process may use processors."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Allowance:
    """The memory that blocks in work may take together; one alone may take more.

    Attributes
    ----------
    most : int
        In bytes.
    cost : callable
        What a block takes while it is in work, by its number.
    """

    most: int
    cost: Callable[[int], int]


class ThreadRunner:
    """Threads of this process.

    Blocks that are ready are worked on at once, a thread each. Where fewer are ready than there
    are threads (near the start of the game, where the largest are), a block is given several,
    which share its tiles; threads that run out of blocks later help in the sweeps of one that was
    begun with fewer.

    Parameters
    ----------
    threads : int, optional
        One a processor by default.
    allowance : Allowance, optional
        Without one, there is memory for as many blocks as there are threads.
    """

    def __init__(self, threads: int | None = None, allowance: Allowance | None = None) -> None:
        self.threads = threads or default_threads()
        self.allowance = allowance

    def run(self, graph: BlockGraph, task: Task[_R], on_done: Callable[[_R], object]) -> None:
        """As `Runner.run` says."""
        _Run(self.threads, graph, task, self.allowance).run(on_done)


@dataclass(frozen=True)
class _Running:
    """A block in work: its number, its threads and what it takes of the allowance."""

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
        # the last one used is the next one used: its pages are there
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
                            result = future.result()
                        except DamagedBlockError as error:
                            graph.reopen(error.index)
                            graph.give_back(each.index)
                            continue
                        on_done(result)
            finally:
                self.stop.set()

    def _cost(self, index: int) -> int:
        return self.allowance.cost(index) if self.allowance else 0

    def _share(self, free: int, taken: int) -> int:
        """How many of `free` threads the first of the ready blocks is given."""
        first = self.graph.peek()
        if self.graph.sizes[first] < _SHARED_SIZE:
            return 1
        beside = self.graph.n_ready
        if self.allowance:
            # as if the others took as much
            beside = min(beside, (self.allowance.most - taken) // max(1, self._cost(first)))
        return max(1, free // max(1, beside))

    def _work(self, index: int, threads: int) -> _R:
        workspace = self.workspaces.get()
        if threads > 1:
            self._release_idle()
        try:
            is_shared = self.graph.sizes[index] >= _SHARED_SIZE
            return self.task(index, _ThreadLease(self, workspace, threads, is_shared))
        finally:
            if self.allowance:
                workspace.release()  # the next one to have it may be small
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


class _ThreadLease:
    """A workspace and some threads of a run; see `Lease`."""

    def __init__(self, run: _Run[_R], workspace: Workspace, threads: int, is_shared: bool) -> None:
        self._run = run
        self._is_shared = is_shared
        self.workspace = workspace
        self.threads = threads

    def spare(self) -> int:
        """The threads that nothing else can use."""
        return self._run.spare if self._is_shared else 0

    def check_stop(self) -> None:
        """Raise StoppedError once the run is at its end, by an error."""
        if self._run.stop.is_set():
            raise StoppedError
