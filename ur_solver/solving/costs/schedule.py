"""The schedule of a solve, simulated block by block before it is begun."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import NamedTuple

from ur_solver.common.machine import usable_processors
from ur_solver.engine import BlockGraph, Dispatcher, critical_paths
from ur_solver.errors import MemoryLimitError
from ur_solver.solving.costs.cost import BASE_BYTES, block_cost, costliest_block, solve_sample
from ur_solver.solving.costs.memory import budget_of
from ur_solver.solving.request import Request

_SMALL = 1 << 10
"""Values up to which a block's time says what beginning and ending one takes."""

_LEAST_SAMPLE, _MOST_SAMPLE, _SAMPLE_SHARE = 600_000, 9_000_000, 25
"""The positions of a sample at most: at least, at most, and so small a part of those asked for."""


@dataclass(frozen=True)
class Speed:
    """How fast one thread solves blocks of a rule set: a line through the times of a sample.

    Attributes
    ----------
    seconds_per_value : float
    seconds_per_block : float
    """

    seconds_per_value: float
    seconds_per_block: float

    def seconds(self, size: int, threads: int) -> float:
        """What a block of this many values takes, its threads sharing it evenly."""
        return self.seconds_per_block + self.seconds_per_value * size / threads


@dataclass(frozen=True)
class Span:
    """A block being solved.

    Attributes
    ----------
    index, worker, threads : int
    start, end : float
        In seconds from the beginning.
    """

    index: int
    worker: int
    threads: int
    start: float
    end: float


@dataclass(frozen=True)
class Schedule:
    """What a solve by some workers is expected to take.

    Attributes
    ----------
    positions, blocks : int
    largest_block : int
        In values.
    workers, cores : int
        `cores` is each worker's.
    memory_bytes : int
        The most that blocks being solved take on one worker, and the program itself.
    seconds : float
    critical_seconds : float
        With any number of workers of this many cores.
    busy : float
        The share of all cores' time in which they work.
    disk_bytes : int
        At the end, when it is the most.
    live_bytes : int
        Of the values that are still read, at most.
    read_bytes, written_bytes : int
        By all workers.
    spans : tuple of Span
    """

    positions: int
    blocks: int
    largest_block: int
    workers: int
    cores: int
    memory_bytes: int
    seconds: float
    critical_seconds: float
    busy: float
    disk_bytes: int
    live_bytes: int
    read_bytes: int
    written_bytes: int
    spans: tuple[Span, ...]


def measured_speed(request: Request) -> Speed:
    """How fast one thread of this machine is, by a solve of the same rules with fewer pieces.

    The time is the processor's, so that what else the machine does matters little. The time for a
    value is taken from the largest blocks, which have half of all values: it falls with the size
    of a block, and a large solve spends its time in large ones. For the same reason the sample is
    as large as it may be without taking more than some hundredths of the solve, or some seconds.
    """
    most = max(_LEAST_SAMPLE, min(_MOST_SAMPLE, request.part.n_positions // _SAMPLE_SHARE))
    sample = solve_sample(replace(request, threads=1), most)
    space = sample.space
    share = min(1.0, sample.processor_seconds / sample.seconds)
    times = [(space.blocks[each.index].size, share * each.seconds) for each in sample.records]
    small = sorted(seconds for size, seconds in times if size <= _SMALL)
    per_block = small[len(small) // 2] if small else 0.0
    n_values, total = 0, 0.0
    for size, seconds in sorted(times, reverse=True):
        n_values += size
        total += max(0.0, seconds - per_block)
        if 2 * n_values >= space.n_values:
            break
    return Speed(sample.slower * total / n_values, per_block)


def schedule_of(
    request: Request, *, workers: int, speed: Speed, machines: int | None = None
) -> Schedule:
    """Simulate a solve.

    Parameters
    ----------
    request : Request
        Its threads and memory are those of each worker.
    workers : int
    speed : Speed
        Of one processor.
    machines : int, optional
        On this many machines the workers are, evenly; those on one machine lend each other idle
        processors. By default each has its own.

    Raises
    ------
    MemoryLimitError
        If a block is too large for a worker, or for the kernel.
    """
    part, memory = request.part, budget_of(request)
    _check_blocks(request, memory)
    graph = BlockGraph.of(part, is_urgent_first=True)
    cores = request.threads or usable_processors()
    machines = min(workers, machines or workers)
    most_cores = cores * -(-workers // machines)
    dispatcher = Dispatcher(graph, cache(partial(block_cost, request)))
    for worker in range(workers):
        dispatcher.add(
            str(worker),
            cores,
            memory - BASE_BYTES,
            machine=str(worker % machines),
            processors=most_cores,
        )
    run = _simulate(graph, dispatcher, speed, workers)
    sizes, now = graph.sizes, run.seconds
    shortest = [speed.seconds(size, most_cores) * (k in part) for k, size in enumerate(sizes)]
    worked = sum(span.threads * (span.end - span.start) for span in run.spans)
    stored = 8 * part.n_values
    return Schedule(
        positions=part.n_positions,
        blocks=len(part.indices),
        largest_block=max(block.size for block in part.blocks),
        workers=workers,
        cores=cores,
        memory_bytes=BASE_BYTES + run.most_taken,
        seconds=now,
        critical_seconds=max(critical_paths(graph.reads, shortest)),
        busy=worked / (workers * cores * now) if now else 1.0,
        disk_bytes=stored,
        live_bytes=8 * run.most_live,
        read_bytes=8 * sum(sizes[each] for reads in graph.reads for each in reads),
        written_bytes=stored,
        spans=tuple(run.spans),
    )


class _Run(NamedTuple):
    """A simulated run, with the most bytes in use on a worker and the most values still read."""

    spans: list[Span]
    seconds: float
    most_taken: int
    most_live: int


def _simulate(graph: BlockGraph, dispatcher: Dispatcher, speed: Speed, workers: int) -> _Run:
    """Give out all blocks, each as soon as a worker can begin it."""
    sizes = graph.sizes
    now, live, most_live, most_taken = 0.0, 0, 0, 0
    in_work: list[tuple[float, int]] = []  # by when they end
    taken = [0] * workers
    given_to: dict[int, tuple[int, int]] = {}
    spans = []
    while graph.n_left:
        while (given := dispatcher.assign()) is not None:
            worker = int(given.worker)
            end = now + speed.seconds(sizes[given.index], given.threads)
            spans.append(Span(given.index, worker, given.threads, now, end))
            heapq.heappush(in_work, (end, given.index))
            given_to[given.index] = worker, given.cost
            taken[worker] += given.cost
            most_taken = max(most_taken, taken[worker])
            live += sizes[given.index]
        most_live = max(most_live, live)
        now, index = heapq.heappop(in_work)
        worker, cost = given_to[index]
        taken[worker] -= cost
        dispatcher.release(index)
        live -= sum(sizes[each] for each in graph.finish(index))
    return _Run(spans, now, most_taken, most_live)


def _check_blocks(request: Request, memory: int) -> None:
    """Raise MemoryLimitError if a block is too large for a worker."""
    title = request.part.title
    costliest, cost = costliest_block(request)
    taken = BASE_BYTES + cost
    if taken > memory:
        raise MemoryLimitError(
            f"block {costliest.index} of {title} has {costliest.size:,} values and takes "
            f"{taken / 2**30:,.1f} GiB while it is solved; a worker has {memory / 2**30:,.1f} GiB, "
            "and one block is solved by one worker"
        )
