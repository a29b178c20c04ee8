"""What a solve will take, from sizes and from a small solve on this machine."""

from __future__ import annotations

import heapq
import time
from dataclasses import dataclass

from ur_solver.engine import ThreadRunner, default_threads, solve
from ur_solver.errors import MemoryLimitError
from ur_solver.estimates.memory import available_bytes, peak_live, peak_together
from ur_solver.kernel import kernel_of
from ur_solver.rules import MAX_PIECES, RuleSet
from ur_solver.space import Space, space_of
from ur_solver.table import VALUE_TYPES

_BASE_BYTES = 150 << 20
"""The interpreter, its libraries and the counting tables."""

_LARGEST = 16
"""So many of the largest blocks, for each thread, are looked at for those that take the most
together: as much as of the 200 largest, for every rule set of the catalogue whose values fit 24 GB
and 1, 2, 3, 4 and 8 threads."""

_COMPRESSION = {"float64": 0.82, "float32": 0.72, "uint16": 0.90}
"""Size of a table beside its values as they are, measured on finkel 7."""

_SAMPLE_POSITIONS = 300_000
"""At most so many are solved to see how fast this machine is: finkel 3, masters 2, murray 2."""

UNWRITTEN_BYTES = 1 << 28
"""Finished values that may wait for the disk at once, or as many as the largest block has."""


@dataclass(frozen=True)
class Estimate:
    """What a solve is expected to take on this machine.

    Attributes
    ----------
    positions : int
        With stakes, whatever the fines.
    memory_bytes : int
        At most, at the same time.
    table_bytes : int
        On disk, when it is finished; the checkpoint takes 8 a value besides.
    """

    positions: int
    memory_bytes: int
    table_bytes: int


def estimate(
    rules: RuleSet,
    *,
    value_type: str = "float64",
    certify: bool = False,
    threads: int | None = None,
) -> Estimate:
    """What a solve of `rules` is expected to take, from its sizes alone."""
    space = space_of(rules)
    threads = threads or default_threads()
    on_disk = table_bytes(rules, value_type)
    sizes = [block.size for block in space.blocks]
    largest = max(range(len(sizes)), key=sizes.__getitem__)
    together = sizes[largest] + sum(sizes[each] for each in space.reads(largest))
    least = _BASE_BYTES + 8 * together
    if least > available_bytes(threads):
        # beyond the machine as it is: the blocks of such spaces are too many to look at
        return Estimate(space.n_positions, least, on_disk)
    reads = [space.reads(index) for index in range(len(sizes))]
    live = peak_live(reads, sizes, threads) + max(UNWRITTEN_BYTES // 8, sizes[largest])
    values = 8 * min(space.n_values, live)
    workspaces = _workspaces(space, reads, certify, threads)
    return Estimate(space.n_positions, _BASE_BYTES + values + workspaces, on_disk)


def table_bytes(rules: RuleSet, value_type: str) -> int:
    """What a table is expected to take on disk."""
    stored = space_of(rules).n_values * VALUE_TYPES[value_type].dtype.itemsize
    return int(_COMPRESSION[value_type] * stored)


def _workspaces(space: Space, reads: list[tuple[int, ...]], certify: bool, threads: int) -> int:
    """What the blocks in work at once take beside their values."""
    kernel = kernel_of(space)
    largest = heapq.nlargest(_LARGEST * threads, space.blocks, key=lambda block: block.size)
    weights = {block.index: kernel.workspace_bytes(block, certify=certify) for block in largest}
    return peak_together(reads, weights, threads)


def expected_seconds(rules: RuleSet, *, threads: int | None = None) -> float:
    """How long a solve is expected to take on this machine.

    The same rules with fewer pieces are solved, some tenths of a second, and the time is
    scaled to the number of positions: sweeps grow with the count of pieces about as fast
    as the time for one position in one sweep falls.
    """
    pieces = rules.pieces
    while pieces > 1 and space_of(rules.with_pieces(pieces)).n_positions > _SAMPLE_POSITIONS:
        pieces -= 1
    sample = space_of(rules.with_pieces(pieces))
    began = time.perf_counter()
    solve(sample, tolerance=1e-12, runner=ThreadRunner(threads))
    seconds = time.perf_counter() - began
    return seconds * space_of(rules).n_positions / sample.n_positions


def check_memory(rules: RuleSet, *, certify: bool = False, threads: int | None = None) -> None:
    """Refuse a solve that would not fit.

    Raises
    ------
    MemoryLimitError
        Saying what it needs, what there is, and the largest count that fits.
    """
    available = available_bytes(threads)
    misfit = _misfit(rules, available, certify, threads)
    if misfit is None:
        return
    fitting = [
        pieces
        for pieces in range(1, min(rules.pieces, MAX_PIECES + 1))
        if _misfit(rules.with_pieces(pieces), available, certify, threads) is None
    ]
    advice = f"; the largest count that fits is {fitting[-1]}" if fitting else ""
    raise MemoryLimitError(
        f"{rules.name} with {rules.pieces} pieces has {space_of(rules).n_positions:,} positions "
        f"and {misfit}{advice}"
    )


def _misfit(rules: RuleSet, available: int, certify: bool, threads: int | None) -> str | None:
    """Why a solve would not fit, in words; None if it would."""
    needed = estimate(rules, certify=certify, threads=threads).memory_bytes
    if needed > available:
        return f"needs {needed / 2**30:.1f} GiB of memory; {available / 2**30:.1f} GiB are free"
    space = space_of(rules)
    largest, most = max(block.size for block in space.blocks), kernel_of(space).most_values
    if largest > most:
        return f"{largest:,} of them have to be solved together; {most:,} at most can be"
    return None
