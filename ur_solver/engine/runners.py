"""Runners execute a task on each block when it is ready: in threads of this process, or elsewhere.

A *task* is a function of a block's number that any runner can call. Its return value is passed to
the caller's thread when the block is done. `ur_solver.engine.cluster_runner` has the runner on the
workers of a cluster, for which a dispatcher chooses the worker of each block.
"""

from __future__ import annotations

import queue
import re
import threading
import time
from collections.abc import Callable, Collection
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar, Generic, Protocol, TypeVar

from ur_solver.common.machine import usable_processors
from ur_solver.engine.block import Lease, StoppedError
from ur_solver.engine.graph import BlockGraph
from ur_solver.errors import ClusterError, DamagedBlockError, InputError
from ur_solver.kernel._workspace import HAS_OPENMP, Workspace

SHARED_SIZE = 1 << (17 if HAS_OPENMP else 62)
"""The smallest size of a block, in values, that several threads share; none without OpenMP."""


_R = TypeVar("_R")

Task = Callable[[int, Lease], _R]
"""Processes a block, by its number, once all blocks that it reads are done."""


class Runner(Protocol):
    """Executes a task on all blocks of a graph."""

    is_remote: ClassVar[bool]
    """Whether other processes execute it. Blocks on the longest paths are then best done first."""

    def run(self, graph: BlockGraph, task: Task[_R], on_done: Callable[[_R], object]) -> None:
        """Work on all blocks that are not done, each when it is ready.

        The runner takes blocks from the graph; `on_done` is called from the caller's thread with
        what the task returns, and must finish the block in the graph. If a task raises
        DamagedBlockError, the named block is solved again, and then the task's own. Any other
        exception of a task or of `on_done` ends the run, after the running tasks have been stopped.
        """


@dataclass(frozen=True)
class Allowance:
    """The memory that all blocks being solved may use together; a single block may exceed it."""

    most: int  # in bytes
    cost: Callable[[int], int]  # what a block needs while it is solved, by its number
    # whether a block has room for policies at that cost
    has_policies: Callable[[int, int], bool] = lambda index, cost: True


class ThreadRunner:
    """Threads of this process, by default one a processor.

    Ready blocks run in parallel, one thread each. If fewer blocks are ready than there are threads
    (near the start of the game, where the largest are), a block gets several threads, which share
    its tiles. Threads that become idle later join a block that is running. Without an allowance
    memory is assumed to suffice for as many blocks as threads.
    """

    is_remote: ClassVar[bool] = False

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
                    for each in self._take(running.values()):
                        running[pool.submit(self._work, each)] = each
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        each = running.pop(future)
                        try:
                            on_done(future.result())
                        except DamagedBlockError as error:  # one that it read, or its own
                            graph.reopen(error.index, each.index)
                            graph.give_back(each.index)
            finally:
                self.stop.set()

    def _take(self, running: Collection[_Running]) -> list[_Running]:
        """The ready blocks for which there are threads and memory; `spare` has the threads left."""
        given: list[_Running] = []
        free = self.threads - sum(each.threads for each in running)
        taken = sum(each.cost for each in running)
        while self.graph.n_ready and free > 0:
            cost = self._cost(self.graph.peek())
            if (running or given) and self.allowance and taken + cost > self.allowance.most:
                break
            share = self._share(free, taken)
            given.append(_Running(self.graph.take(), share, cost))
            free -= share
            taken += cost
        self.spare = free // (len(running) + len(given))
        return given

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

    def _work(self, given: _Running) -> _R:
        workspace = self.workspaces.get()
        if given.threads > 1:
            self._release_idle()
        policies = not self.allowance or self.allowance.has_policies(given.index, given.cost)
        try:
            lease = Lease(workspace, partial(self._threads_now, given), policies)
            return self.task(given.index, lease)
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

    def _threads_now(self, given: _Running) -> int:
        """The threads that a block may use now; StoppedError if it is to be abandoned."""
        if self.stop.is_set():
            raise StoppedError
        is_shared = self.graph.sizes[given.index] >= SHARED_SIZE
        return given.threads + self.spare * is_shared


SMALL_SIZE = 1 << 14
"""The number of values above which a block takes longer than sending the next one."""

_LOOKED_AT = 64
"""The number of ready blocks that are searched for one that fits."""


@dataclass(frozen=True)
class Cluster:
    """The workers of a solve."""

    scheduler: str | None = None  # the address of one that the user started
    workers: int | None = None  # how many to start here, if there is no scheduler
    threads: int | None = None  # the most for one block; by default a worker's share of processors
    silence: float = 60.0  # seconds after which a silent worker counts as lost


PATIENCE = 15.0
"""Seconds to wait for a scheduler that does not answer yet."""

_ATTEMPT, _PAUSE = 5.0, 0.5
_ADDRESS = re.compile(r"(?:(tcp|tls)://)?(\[[0-9A-Fa-f:]+\]|[^\s/:@]+):([0-9]{1,5})/?")


def check_reachable(cluster: Cluster, patience: float = PATIENCE) -> None:
    """Check that a scheduler listens at the address of a cluster's.

    A scheduler greets whoever connects over TCP. Addresses of protocols other than TCP and TLS are
    left to Dask. InputError if the address is malformed, ClusterError if nobody has answered within
    `patience` seconds.
    """
    address = cluster.scheduler
    if address is None:
        return
    found = _ADDRESS.fullmatch(address)
    if found is None or int(found[3]) > 65535:
        if "://" in address and not address.startswith(("tcp:", "tls:")):
            return
        raise InputError(
            f"{address!r:.100} is not the address of a scheduler: expected one such as tcp://host:8786"
        )
    import socket  # noqa: PLC0415 - 2 ms, for clusters alone

    until = time.monotonic() + patience
    while True:
        try:
            end = found[2].strip("[]"), int(found[3])
            with socket.create_connection(end, timeout=min(_ATTEMPT, patience)) as connection:
                if found[1] == "tls" or connection.recv(1):
                    return
                raise ConnectionError("what answers there is not a scheduler")
        except (OSError, UnicodeError) as error:  # a host name that cannot be encoded
            if time.monotonic() > until:
                reason = getattr(error, "strerror", None) or error
                raise ClusterError(f"no scheduler answers at {address}: {reason}") from None
            time.sleep(_PAUSE)


@dataclass(frozen=True)
class Assignment:
    """A block with its worker, threads and memory."""

    index: int
    worker: str
    threads: int
    cost: int  # memory, in bytes


@dataclass(eq=False)
class _Account:
    """The resources of a worker, and their use; workers of a machine share its processors."""

    threads: int
    memory: int
    processors: int
    machine: list[_Account]
    in_work: dict[int, Assignment] = field(default_factory=dict)

    @property
    def used_threads(self) -> int:
        return sum(each.threads for each in self.in_work.values())

    @property
    def free_threads(self) -> int:
        return min(self.threads - self.used_threads, self.idle_threads)

    @property
    def spare_threads(self) -> int:
        """The threads that one more block could have, with idle ones of other workers."""
        return min(self.processors - self.used_threads, self.idle_threads)

    @property
    def idle_threads(self) -> int:
        """The idle threads of all workers of its machine."""
        return sum(each.threads - each.used_threads for each in self.machine)

    @property
    def free_memory(self) -> int:
        return self.memory - sum(each.cost for each in self.in_work.values())

    @property
    def room(self) -> tuple[int, int]:
        """The order of workers: the most free memory, then the most free threads."""
        return self.free_memory, self.free_threads


class Dispatcher:
    """Hands out the ready blocks of a graph to workers that have room for them, by an account of
    both.

    It is independent of machines: a driver of real workers and a simulated run both use it. It
    takes blocks from the graph and finishes none. Blocks go in the graph's order, each to the
    worker with the most memory left; `cost` is what one takes while it is solved, in bytes. A block
    that does not fit now reserves a worker that is large enough, which gets nothing else; smaller
    blocks go to the other workers meanwhile. A single block has the threads of all workers of its
    machine, at most `most_threads`. `ahead` small blocks are queued at a worker beyond its threads.
    """

    def __init__(
        self,
        graph: BlockGraph,
        cost: Callable[[int], int],
        most_threads: int | None = None,
        ahead: int = 0,
    ) -> None:
        self._ahead = ahead
        self._graph = graph
        self._cost = cost
        self._most_threads = most_threads
        self._accounts: dict[str, _Account] = {}
        self._machines: dict[str, list[_Account]] = {}
        self._workers: dict[int, str] = {}
        self._failed_on: dict[int, set[str]] = {}

    @property
    def workers(self) -> list[str]:
        """The names of all workers."""
        return list(self._accounts)

    @property
    def mean_threads(self) -> float:
        """The threads of a worker, on average; 1 as long as there is none."""
        threads = [account.threads for account in self._accounts.values()]
        return sum(threads) / len(threads) if threads else 1.0

    @property
    def n_waiting(self) -> int:
        """The number of ready blocks that no worker has a thread for, those sent ahead included."""
        ahead = (len(each.in_work) - each.threads for each in self._accounts.values())
        return self._graph.n_ready + sum(count for count in ahead if count > 0)

    @property
    def largest_memory(self) -> int:
        """The memory of the largest worker; 0 without any."""
        return max((account.memory for account in self._accounts.values()), default=0)

    def add(
        self,
        worker: str,
        threads: int,
        memory: int,
        *,
        machine: str | None = None,
        processors: int | None = None,
    ) -> None:
        """Add a worker with its threads, which is the most blocks that it solves at a time, and its
        bytes.

        Workers on one machine lend each other idle threads; by default a worker is alone.
        `processors` are the threads that it can use with lent ones, by default its own.
        """
        name = worker if machine is None else machine
        at = self._machines.setdefault(name, [])
        account = _Account(threads, memory, max(threads, processors or 0), at)
        at.append(account)
        self._accounts[worker] = account

    def remove(self, worker: str) -> list[int]:
        """Remove a worker, offer its blocks again, and return them."""
        account = self._accounts.pop(worker)
        account.machine.remove(account)
        lost = list(account.in_work)
        for index in lost:
            del self._workers[index]
            self._graph.give_back(index)
        return lost

    def release(self, index: int) -> None:
        """Note that a block is no longer being solved; the graph decides whether it is done."""
        self._accounts[self._workers.pop(index)].in_work.pop(index)

    def give_back(self, index: int, *, is_failed: bool = False) -> None:
        """Note that a block is not done, and offer it again.

        If it has failed, it goes to another worker next time, if there is one.
        """
        if is_failed:
            self._failed_on.setdefault(index, set()).add(self._workers[index])
        self.release(index)
        self._graph.give_back(index)

    def assign(self) -> Assignment | None:
        """The next block that fits a worker; None if there is none now."""
        if not self._graph.n_ready:
            return None
        first = self._graph.peek()
        spare = self._ahead if self._graph.sizes[first] < SMALL_SIZE else 0
        open_accounts = {
            name: account
            for name, account in self._accounts.items()
            if account.free_threads + spare > 0
        }
        looked_at = 1 if spare or len(self._accounts) == 1 else _LOOKED_AT
        for index in self._graph.first(looked_at):
            if not open_accounts:
                return None
            cost = self._cost(index)
            allowed = self._allowed(index, open_accounts)
            if not allowed:
                continue
            worker = max(allowed, key=lambda name: open_accounts[name].room)
            if cost <= open_accounts[worker].free_memory:
                account = open_accounts[worker]
                given = Assignment(
                    self._graph.take(index), worker, self._share(index, account), cost
                )
                account.in_work[index] = given
                self._workers[index] = worker
                return given
            waited_for = [name for name, account in open_accounts.items() if account.memory >= cost]
            if waited_for:
                # the worker with the least to finish first
                best = max(waited_for, key=lambda name: open_accounts[name].room)
                del open_accounts[best]
        return None

    def _allowed(self, index: int, names: Collection[str]) -> list[str]:
        """Those workers on which a block has not failed; all, if it has failed on every worker."""
        failed = self._failed_on.get(index)
        if not failed or failed >= self._accounts.keys():
            return list(names)
        return [name for name in names if name not in failed]

    def _share(self, index: int, account: _Account) -> int:
        """The number of free threads of a worker's machine that a block gets."""
        if self._graph.sizes[index] < SHARED_SIZE:
            return 1
        free = account.spare_threads
        n_machines = sum(map(bool, self._machines.values()))
        n_others = -(-(self._graph.n_ready + 1) // n_machines)
        return max(1, min(free // n_others, self._most_threads or free))
