"""Estimates of a solve's memory, disk space and time, from sizes and from a small solve."""

from __future__ import annotations

import heapq
import time
from dataclasses import dataclass

from ur_solver.blocks.block_record import BlockRecord
from ur_solver.blocks.value_types import VALUE_TYPES
from ur_solver.common.machine import usable_processors
from ur_solver.engine import ThreadRunner, solve
from ur_solver.kernel import default_tolerance, kernel_of
from ur_solver.solving.costs.memory import budget_of, peak_live, peak_together
from ur_solver.solving.request import Request
from ur_solver.space import Block, Space, space_of

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
    """The expected cost of a solve on this machine.

    Attributes
    ----------
    positions : int
        With stakes, not counting the fines.
    memory_bytes : int
        At most, at the same time, if all values that are still read are kept in memory.
    least_bytes : int
        With finished blocks read from their files.
    table_bytes : int
        On disk, when it is finished; the files of blocks take 8 a value besides.
    """

    positions: int
    memory_bytes: int
    least_bytes: int
    table_bytes: int


def estimate(request: Request) -> Estimate:
    """The expected cost of a solve, from its sizes alone.

    If it exceeds what the solve may take, `memory_bytes` is a lower limit.
    """
    part, threads = request.part, request.threads or usable_processors()
    largest = max(part.blocks, key=lambda block: block.size)
    blocks = part.space.blocks
    together = sum(blocks[each].size for each in part.space.reads(largest.index))
    whole = BASE_BYTES + 8 * (largest.size + together)
    least = BASE_BYTES + largest_cost(request)
    if whole <= budget_of(request):
        # spaces that do not fit have too many blocks to examine
        sizes = [block.size for block in part.blocks]
        live = peak_live(part.reads, sizes, threads) + max(UNWRITTEN_BYTES // 8, largest.size)
        values = 8 * min(part.n_values, live)
        whole = BASE_BYTES + values + _workspaces(request, threads)
    return Estimate(part.n_positions, max(whole, least), least, table_bytes(request))


def table_bytes(request: Request) -> int:
    """The expected size of a table on disk, in bytes."""
    stored = request.part.n_values * VALUE_TYPES[request.value_type].dtype.itemsize
    return int(_COMPRESSION[request.value_type] * stored)


def block_cost(request: Request, index: int) -> int:
    """The memory that a block needs while it is solved, without what it reads: bytes."""
    space = request.part.space
    block, kernel = space.blocks[index], kernel_of(space, request.precision)
    return kernel.workspace_bytes(block, certify=request.certify) + 8 * block.size


def costliest_block(request: Request) -> tuple[Block, int]:
    """The block that takes the most memory while it is solved, and how much: bytes."""
    largest = heapq.nlargest(_LARGEST, request.part.blocks, key=lambda block: block.size)
    costs = [(block, block_cost(request, block.index)) for block in largest]
    return max(costs, key=lambda each: each[1])


def largest_cost(request: Request) -> int:
    """The most that a block takes while it is solved, in bytes."""
    return costliest_block(request)[1]


def _workspaces(request: Request, threads: int) -> int:
    """The memory of all workspaces that are in use at once, in bytes."""
    part, kernel = request.part, kernel_of(request.part.space, request.precision)
    largest = heapq.nlargest(
        _LARGEST * threads, enumerate(part.blocks), key=lambda each: each[1].size
    )
    weights = {k: kernel.workspace_bytes(block, certify=request.certify) for k, block in largest}
    return peak_together(part.reads, weights, threads)


def expected_seconds(request: Request) -> float:
    """How long a solve is expected to take on this machine.

    The same rules with fewer pieces are solved, some tenths of a second, and the time is scaled to
    the number of positions. Usually sweeps grow with the count of pieces about as fast as the time
    for one position in one sweep falls. Where they grow faster from the last count but one to the
    last (`_USUAL_GROWTH`), as on long paths without safe squares, so does the time for a position.

    scripts/measure_estimates.py measures how far that is off.
    """
    sample = solve_sample(request)
    return sample.slower * sample.seconds * request.part.n_positions / sample.space.n_positions


@dataclass(frozen=True)
class Sample:
    """A solve of the same rules with fewer pieces.

    Attributes
    ----------
    space : Space
        What was solved.
    seconds, processor_seconds : float
        That it took.
    slower : float
        How much longer a position takes with the count of pieces that was asked for.
    records : list of BlockRecord
    """

    space: Space
    seconds: float
    processor_seconds: float
    slower: float
    records: list[BlockRecord]


def solve_sample(request: Request, most: int = _SAMPLE_POSITIONS) -> Sample:
    """Solve the same rules with fewer pieces, to see how fast this machine is.

    With the same levels of fines, if there are any, and with as many pieces as make at most `most`
    positions, but for one piece; with a slow kernel fewer.
    """
    part = request.part
    rules = part.space.rules.settled()
    most //= kernel_of(part.space, request.precision).slowness
    if part.left is not None:  # endings are played as games with this many pieces
        rules = rules.with_pieces(part.left)
    pieces = rules.pieces
    while pieces > 1 and space_of(rules.with_pieces(pieces)).n_positions > most:
        pieces -= 1
    steps = rules.pieces - pieces
    space = space_of(rules.with_pieces(pieces))
    fewer = 0.0
    if steps and pieces > 1 and space.n_positions >= _TELLING_POSITIONS:
        smaller = space_of(rules.with_pieces(pieces - 1))
        fewer = _mean_sweeps(smaller, request, [])
    records: list[BlockRecord] = []
    processor = time.process_time()
    began = time.perf_counter()
    sweeps = _mean_sweeps(space, request, records)
    seconds = time.perf_counter() - began
    growth = sweeps / fewer if fewer else _USUAL_GROWTH
    slower = 1 + steps * (max(1.0, growth / _USUAL_GROWTH) ** 2 - 1)
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
