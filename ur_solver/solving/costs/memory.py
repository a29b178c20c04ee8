"""Memory: what blocks being solved and values still to be read take, and what there is."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence

import psutil

from ur_solver.common.machine import free_memory, usable_processors
from ur_solver.engine import BlockGraph
from ur_solver.solving.request import Request

_THREAD_BYTES = 100 << 20
"""Address space of a thread, most of it never used: 63 to 98 MiB with 1 to 8 threads."""

_OTHER_THREADS = 3
"""The two that write files, and the progress bar's."""


def available_bytes(threads: int | None = None) -> int:
    """Memory that this process can still take, by `free_memory` and its own limit.

    Parameters
    ----------
    threads : int, optional
        How many will solve. Where address space is limited (`ulimit -v`), each takes of it
        for its stack and heap, and starting one too many would end the process.
    """
    available = free_memory()
    process = psutil.Process()
    if hasattr(process, "rlimit"):
        limit, _ = process.rlimit(psutil.RLIMIT_AS)
        if limit != psutil.RLIM_INFINITY:
            n_threads = _OTHER_THREADS + (threads or usable_processors())
            taken = process.memory_info().vms + n_threads * _THREAD_BYTES
            available = min(available, max(0, limit - taken))
    return available


def budget_of(request: Request) -> int:
    """What a solve may take, in bytes: what it was given, or what is free."""
    return available_bytes(request.threads) if request.memory is None else request.memory


def peak_live(reads: Sequence[Collection[int]], sizes: Sequence[int], threads: int) -> int:
    """The most values that are in memory at once: of blocks being solved, and of those still read.

    Parameters
    ----------
    reads : sequence of collections of int
        By block, those that it reads.
    sizes : sequence of int
        By block.
    threads : int
        How many blocks are solved at once. They are taken to last as long as they are large;
        since that is not sure, room is left for each thread but one to be a block ahead.
    """
    graph = BlockGraph(reads, sizes)
    live = peak = now = 0
    working: list[tuple[int, int]] = []  # by when they end
    while graph.n_left:
        while graph.n_ready and len(working) < threads:
            index = graph.take()
            heapq.heappush(working, (now + sizes[index], index))
            live += sizes[index]
        peak = max(peak, live)
        now, index = heapq.heappop(working)
        live -= sum(sizes[each] for each in graph.finish(index))
    return peak + (threads - 1) * max(sizes)


def peak_together(reads: Sequence[Collection[int]], weights: dict[int, int], threads: int) -> int:
    """The most that blocks solved at once weigh together.

    Parameters
    ----------
    reads : sequence of collections of int
        By block, those that it reads.
    weights : dict
        By block, for the blocks that count.
    threads : int
        How many blocks can be solved at once.
    """
    before: list[int] = []  # by block, a bit for each block that must be done before
    for read in reads:
        bits = 0
        for index in read:
            bits |= before[index] | 1 << index
        before.append(bits)
    peak = 0
    for index, weight in weights.items():
        others = (
            other_weight
            for other, other_weight in weights.items()
            if other != index and not before[index] >> other & 1 and not before[other] >> index & 1
        )
        peak = max(peak, weight + sum(heapq.nlargest(threads - 1, others)))
    return peak
