"""What a solve takes of memory, disk and time, whether that is there, and how it is divided.

Memory and disk follow from the sizes of blocks; time from a small solve on this machine, and with
workers from a schedule that is simulated block by block.
"""

from __future__ import annotations

import heapq
import os
import pathlib
import shutil
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import NamedTuple

import numpy as np
import psutil

from ur_solver.blocks.folder import BlockRecord
from ur_solver.blocks.lock import checkpoint_folder
from ur_solver.blocks.stored import VALUE_TYPES
from ur_solver.common.files import resolved
from ur_solver.common.machine import free_memory, usable_processors
from ur_solver.common.text import size_text
from ur_solver.engine.graph import BlockGraph, critical_paths
from ur_solver.engine.runners import Allowance, Dispatcher, ThreadRunner
from ur_solver.engine.solve import solve
from ur_solver.errors import DiskLimitError, MemoryLimitError, OutputError
from ur_solver.kernel.kernels import kernel_of
from ur_solver.kernel.rounding import default_tolerance
from ur_solver.rules import MAX_PIECES
from ur_solver.solving.request import Request
from ur_solver.space import Part, Space, part_of, space_of
from ur_solver.table.format import is_folder_name
from ur_solver.table.output import is_unfinished

_THREAD_BYTES = 100 << 20
"""Address space of a thread, most of it never used: 63 to 98 MiB with 1 to 8 threads."""

_OTHER_THREADS = 2
"""The one that writes files, and the progress bar's."""


def available_bytes(threads: int | None = None) -> int:
    """Memory that this process can still take, by `free_memory` and its own limit.

    Where address space is limited (`ulimit -v`), each of the threads that will solve takes of it
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

    `reads` are, by block, the blocks that it reads. As many blocks as threads are solved at once,
    and are taken to last as long as they are large; since that is not sure, room is left for each
    thread but one to be a block ahead.
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
    """The most that blocks solved at once, one a thread, weigh together.

    `reads` are, by block, the blocks that it reads; `weights` are of the blocks that count.
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


BASE_BYTES = 150 << 20
"""The interpreter, its libraries and the counting tables."""

_LARGEST = 16
"""The number of largest blocks, for each thread, among which those that take the most memory
together are sought. The result is that of the 200 largest for every rule set of the catalogue
whose values fit 24 GB and for 1, 2, 3, 4 and 8 threads."""

_COMPRESSION = {"float64": 0.82, "float32": 0.72, "uint16": 0.90}
"""The ratio of a table's size to that of its values, measured on finkel 7."""

_SAMPLE_POSITIONS = 600_000
"""The most positions that are solved to expect a time: finkel 3, masters 3, murray 2."""

_TELLING_POSITIONS = 100_000
"""In smaller samples sweeps grow for other reasons than in large spaces."""

_USUAL_GROWTH = 1.22
"""The ratio of the sweeps of finkel 3 to those of finkel 2, the largest of the rule sets that the
tiled kernel solves and that take no longer for a position with more pieces."""

UNWRITTEN_BYTES = 1 << 28
"""Bytes of finished values that may wait for the disk; at least those of the largest block."""


@dataclass(frozen=True)
class Estimate:
    """The expected cost of a solve on this machine."""

    positions: int  # with stakes, not counting the fines
    memory_bytes: int  # at most at once, if all values that are still read are kept in memory
    least_bytes: int  # the same with finished blocks read from their files
    table_bytes: int  # on disk when it is finished; the files of blocks take 8 a value besides

    def within(self, budget: int) -> int:
        """The bytes of memory that a solve takes if it may take no more than `budget`, and fits."""
        return max(self.least_bytes, min(self.memory_bytes, budget))


def estimate(request: Request) -> Estimate:
    """The expected cost of a solve, from its sizes alone.

    If it exceeds what the solve may take, `memory_bytes` is a lower limit.
    """
    part, threads = request.part, request.threads or usable_processors()
    size = part.space.blocks.size
    (largest,) = largest_blocks(part, 1)
    together = size[largest] + size[list(part.space.reads(largest))].sum()
    whole = BASE_BYTES + 8 * int(together)
    least = BASE_BYTES + largest_cost(request, 0)
    if whole <= budget_of(request):
        # spaces that do not fit have too many blocks to examine
        live = peak_live(part.reads, part.sizes.tolist(), threads)
        live += max(UNWRITTEN_BYTES // 8, int(size[largest]))
        values = 8 * min(part.n_values, live)
        whole = BASE_BYTES + values + _workspaces(request, threads)
    return Estimate(part.n_positions, max(whole, least), least, table_bytes(request))


def table_bytes(request: Request) -> int:
    """The expected size of a table on disk, in bytes."""
    stored = request.part.n_values * VALUE_TYPES[request.value_type].dtype.itemsize
    return int(_COMPRESSION[request.value_type] * stored)


def block_cost(request: Request, index: int, most: int | None = None) -> int:
    """The memory that a block needs while it is solved, without what it reads: bytes.

    It does without policies if it would take more than `most` bytes with them.
    """
    space = request.part.space
    block = space.blocks[index]
    workspace = partial(
        kernel_of(space, request.precision).workspace_bytes, block, certify=request.certify
    )
    cost = workspace() + 8 * block.size
    if most is None or cost <= most:
        return cost
    return workspace(policies=False) + 8 * block.size


def has_policies(request: Request, index: int, cost: int) -> bool:
    """Whether a block that may take `cost` bytes has room for policies."""
    return cost >= block_cost(request, index)


def largest_blocks(part: Part, most: int) -> list[int]:
    """The numbers of a part's largest blocks, the largest first, of two the first."""
    places = np.argsort(-part.sizes, kind="stable")[:most]
    return [part.indices[place] for place in places.tolist()]


def largest_cost(request: Request, most: int | None = None) -> int:
    """The most that a block takes while it is solved, in bytes; as for `block_cost`."""
    return max(block_cost(request, each, most) for each in largest_blocks(request.part, _LARGEST))


def _workspaces(request: Request, threads: int) -> int:
    """The memory of all workspaces that are in use at once, in bytes."""
    part, kernel = request.part, kernel_of(request.part.space, request.precision)
    place = {index: k for k, index in enumerate(part.indices)}
    weights = {
        place[index]: kernel.workspace_bytes(part.space.blocks[index], certify=request.certify)
        for index in largest_blocks(part, _LARGEST * threads)
    }
    return peak_together(part.reads, weights, threads)


@dataclass(frozen=True)
class Sample:
    """A solve of the same rules with fewer pieces, and the time that it took."""

    space: Space  # what was solved
    seconds: float
    processor_seconds: float
    slower: float  # how much longer a position takes with the count of pieces that was asked for
    records: list[BlockRecord]


def solve_sample(request: Request, most: int = _SAMPLE_POSITIONS) -> Sample:
    """Solve the same rules with fewer pieces, to see how fast this machine is.

    With the same levels of fines, if there are any, and with as many pieces as make at most `most`
    positions, but for one piece; with a slow kernel fewer. Usually sweeps grow with the count of
    pieces about as fast as the time for one position in one sweep falls. Where they grow faster
    from the last count but one to the last (`_USUAL_GROWTH`), as on long paths without safe
    squares, so does the time for a position. With a slow kernel, the time for one position in one
    sweep does not fall. scripts/measure_estimates.py measures the error.
    """
    part = request.part
    rules = part.space.rules.settled()
    slowness = kernel_of(part.space, request.precision).slowness
    most //= slowness
    if part.left is not None:  # endings are played as games with this many pieces
        rules = rules.with_pieces(part.left)
    pieces = rules.pieces
    while pieces > 1 and space_of(rules.with_pieces(pieces)).n_positions > most:
        pieces -= 1
    space = space_of(rules.with_pieces(pieces))
    fewer = 0.0
    if 1 < pieces < rules.pieces and space.n_positions >= _TELLING_POSITIONS:
        smaller = space_of(rules.with_pieces(pieces - 1))
        fewer = _mean_sweeps(smaller, request, [])
    records: list[BlockRecord] = []
    processor = time.process_time()
    began = time.perf_counter()
    sweeps = _mean_sweeps(space, request, records)
    seconds = time.perf_counter() - began
    growth = sweeps / fewer if fewer else _USUAL_GROWTH
    slower = max(1.0, growth / _USUAL_GROWTH) ** 2
    if slowness > 1:
        slower *= _USUAL_GROWTH ** (rules.pieces - pieces)
    return Sample(space, seconds, time.process_time() - processor, slower, records)


def _mean_sweeps(space: Space, request: Request, records: list[BlockRecord]) -> float:
    """Solve a space as requested; the sweeps over a position, on average."""
    total = 0

    def count(record: BlockRecord) -> None:
        nonlocal total
        total += record.sweeps * space.blocks[record.index].size
        records.append(record)

    solve(
        space,
        tolerance=default_tolerance(request.precision),
        certify=request.certify,
        kernel=kernel_of(space, request.precision),
        runner=ThreadRunner(request.threads),
        on_block=count,
    )
    return total / space.n_values


def disk_bytes(request: Request) -> int:
    """What a solve takes at most: the blocks' files, with 8 bytes a value, and the table's."""
    return 8 * request.part.n_values + table_bytes(request)


def free_bytes(output: pathlib.Path) -> int:
    """What is free where `output` will be; OutputError if there is no such folder."""
    try:
        return shutil.disk_usage(output.parent).free
    except OSError as error:
        raise OutputError(
            f"cannot write to the folder {str(output.parent)!r}: {error.strerror}"
        ) from None


def nearest_place(output: pathlib.Path) -> pathlib.Path:
    """A path named as the output, in the nearest of its folders that exists."""
    return next(each for each in output.absolute().parents if each.is_dir()) / output.name


def check_disk(request: Request, output: pathlib.Path) -> None:
    """Refuse a solve whose files would not fit, by DiskLimitError, which says what it needs and
    what is free.

    What an interrupted solve has left of its checkpoint counts as there already. `output` is the
    table's file or folder; OutputError if its folder does not exist.
    """
    output = resolved(output)
    part, free = request.part, free_bytes(output)
    blocks = output if is_unfinished(output) else checkpoint_folder(output)
    # the blocks of a folder are the table; one that is replaced stays until the new one is whole
    whole = 8 * part.n_values if is_folder_name(output) else disk_bytes(request)
    needed = whole - _taken(blocks)
    if needed > free:
        raise DiskLimitError(
            f"{part.title} needs {size_text(needed)} in {str(output.parent)!r} while it is solved; "
            f"{size_text(free)} are free: name a file on another disk"
        )


def _taken(folder: pathlib.Path) -> int:
    """The bytes on disk of a folder's files."""
    # a name may be too long for a folder, which those who write it say
    found = [each.stat() for each in (folder.rglob("*") if os.path.isdir(folder) else ())]
    return sum(getattr(each, "st_blocks", each.st_size // 512) * 512 for each in found)


@dataclass(frozen=True)
class Room:
    """The memory of a solve."""

    budget: int  # what the solve may take, in bytes
    needed: int  # what it would take to keep all values that are still read
    most_kept: int | None  # by finished values; None if all are kept, else others are read again
    most_unwritten: int  # by finished values that wait for the disk
    allowance: Allowance | None  # for blocks being solved; None if there is room for one a thread

    @property
    def keeps_all(self) -> bool:
        """Whether all values stay in memory as long as they are read."""
        return self.most_kept is None


ROOM_OF_A_DRIVER = Room(0, 0, 0, UNWRITTEN_BYTES, None)
"""Of a process that hands blocks to others: no values are kept."""


def check_memory(request: Request, budget: int) -> None:
    """Refuse a solve whose largest block does not fit into `budget` bytes.

    MemoryLimitError says what that block needs, what there is, and the largest count of pieces that
    fits, or that may be left.
    """
    misfit = _misfit(request, budget)
    if misfit is None:
        return
    part = request.part
    fewer = reversed(range(1, min(part.left or 1, MAX_PIECES + 1)))
    fitting = (count for count in fewer if _misfit(_smaller(request, count), budget) is None)
    fits = (
        "the largest count that fits is {0} (-n {0})"
        if part.is_whole
        else "at most {0} left would fit (--left {0})"
    )
    largest = next(fitting, None)
    advice = "" if largest is None else f"; {fits.format(largest)}"
    raise MemoryLimitError(f"{part.title} has {part.n_positions:,} positions and {misfit}{advice}")


def room_for(request: Request) -> Room:
    """Divide the memory of a solve, or refuse it as `check_memory` does.

    That is if it would not fit even with finished blocks in files.
    """
    budget = budget_of(request)
    check_memory(request, budget)
    needed = estimate(replace(request, memory=budget)).memory_bytes
    if needed <= budget:
        return Room(budget, needed, None, UNWRITTEN_BYTES, None)
    rest = budget - BASE_BYTES
    in_work = max(largest_cost(request, rest), rest // 2)
    kept = max(0, rest - in_work)
    unwritten = min(UNWRITTEN_BYTES, kept // 4)
    allowance = Allowance(
        in_work, partial(block_cost, request, most=rest), partial(has_policies, request)
    )
    return Room(budget, needed, kept - unwritten, unwritten, allowance)


def _smaller(request: Request, count: int) -> Request:
    """The same with fewer pieces; of endings, those with fewer pieces left."""
    rules = request.part.space.rules
    if not request.part.is_whole:
        return replace(request, part=part_of(rules, count))
    fewer = rules.with_pieces(count)
    return replace(request, rules=fewer, part=part_of(fewer))


def _misfit(request: Request, budget: int) -> str | None:
    """Why a solve would not fit, in words; None if it would."""
    least = BASE_BYTES + largest_cost(request, 0)
    if least > budget:
        return (
            f"needs {least / 2**30:,.1f} GiB of memory for its largest block; "
            f"{budget / 2**30:,.1f} GiB may be taken"
        )
    return None


_SMALL = 1 << 10
"""Values up to which a block's time says what beginning and ending one takes."""

_SAMPLE_SHARE, _SAMPLE_SECONDS = 25, 0.4
"""A second sample has at most one in 25 of the positions asked for, and takes at most 0.4 s."""


@dataclass(frozen=True)
class Speed:
    """How fast one thread solves blocks of a rule set: a line through the times of a sample."""

    seconds_per_value: float
    seconds_per_block: float

    def seconds(self, size: int, threads: int) -> float:
        """What a block of this many values takes, its threads sharing it evenly."""
        return self.seconds_per_block + self.seconds_per_value * size / threads


@dataclass(frozen=True)
class Span:
    """A block being solved."""

    index: int
    worker: int
    threads: int
    start: float  # in seconds from the beginning, as is its end
    end: float


@dataclass(frozen=True)
class Schedule:
    """What a solve by some workers is expected to take."""

    positions: int
    blocks: int
    largest_block: int  # in values
    workers: int
    cores: int  # of each worker
    memory_bytes: int  # of one process what `Estimate` says; of a worker what its blocks take
    seconds: float
    critical_seconds: float  # with any number of workers of this many cores
    busy: float  # the share of all cores' time in which they work
    disk_bytes: int  # at most, for the blocks' files and the table
    live_bytes: int  # of the values that are still read, at most
    read_bytes: int  # by all workers, as is what they write
    written_bytes: int
    spans: tuple[Span, ...]


def measured_speed(request: Request) -> Speed:
    """How fast one thread of this machine is, by a solve of the same rules with fewer pieces.

    The time is the processor's, so that what else the machine does matters little. The time for a
    value is taken from the largest blocks, which have half of all values: it falls with the size
    of a block, and a large solve spends its time in large ones. For the same reason a second
    sample follows with a piece more if that takes little: `_SAMPLE_SHARE`, `_SAMPLE_SECONDS`.
    """
    request = replace(request, threads=1)
    sample = solve_sample(request)
    rules, n_positions = sample.space.rules, sample.space.n_positions
    most = int(n_positions * _SAMPLE_SECONDS / sample.processor_seconds)
    most = min(most, request.part.n_positions // _SAMPLE_SHARE)
    if (
        rules.pieces < MAX_PIECES
        and space_of(rules.with_pieces(rules.pieces + 1)).n_positions <= most
    ):
        sample = solve_sample(request, most)
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


def expected_seconds(request: Request) -> float:
    """How long a solve is expected to take on this machine, by one process."""
    return schedule_of(request, workers=1, speed=measured_speed(request)).seconds


def schedule_of(
    request: Request, *, workers: int, speed: Speed, machines: int | None = None
) -> Schedule:
    """Simulate a solve; the request's threads and memory are those of each worker.

    `speed` is that of one processor. The workers are spread evenly over `machines`, and those on
    one machine lend each other idle processors; by default each worker has a machine of its own.
    Raises as `check_memory` does if a block is too large for a worker.
    """
    part, memory = request.part, budget_of(request)
    check_memory(request, memory)
    graph = BlockGraph.of(part, is_urgent_first=True)
    cores = request.threads or usable_processors()
    machines = min(workers, machines or workers)
    most_cores = cores * -(-workers // machines)
    rest = memory - BASE_BYTES
    dispatcher = Dispatcher(graph, cache(partial(block_cost, request, most=rest)))
    for worker in range(workers):
        dispatcher.add(
            str(worker),
            cores,
            rest,
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
        largest_block=int(part.sizes.max()),
        workers=workers,
        cores=cores,
        memory_bytes=(
            BASE_BYTES + run.most_taken if workers > 1 else estimate(request).within(memory)
        ),
        seconds=now,
        critical_seconds=max(critical_paths(graph.reads, shortest)),
        busy=worked / (workers * cores * now) if now else 1.0,
        disk_bytes=disk_bytes(request),
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
