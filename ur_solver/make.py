"""From a rule set to a table on disk: memory, checkpoint, solve, file."""

from __future__ import annotations

import heapq
import pathlib
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import psutil

from ur_solver.errors import InputError, MemoryLimitError
from ur_solver.kernel import most_positions, workspace_bytes
from ur_solver.position import start
from ur_solver.rules import MAX_PIECES, RuleSet
from ur_solver.solve import (
    BlockBound,
    BlockResult,
    Checkpoint,
    certify,
    default_threads,
    peak_together,
    solve,
)
from ur_solver.space import dependencies, space_of
from ur_solver.table import VALUE_TYPES, Table, TableWriter, add_certificate

_BASE_BYTES = 150 << 20
"""The interpreter, its libraries and the counting tables."""

_THREAD_BYTES = 100 << 20
"""Address space of a thread, most of it never used: 63 to 98 MiB with 1 to 8 threads."""

_OTHER_THREADS = 3
"""The two that write files, and the progress bar's."""

_LARGEST = 16
"""So many of the largest blocks, for each thread, are looked at for those that take the most
together: as much as of the 200 largest, for every rule set of the catalogue whose values fit 24 GB
and 1, 2, 3, 4 and 8 threads."""

_COMPRESSION = {"float64": 0.82, "float32": 0.72, "uint16": 0.90}
"""Size of a table beside its values as they are, measured on finkel 7."""

_SAMPLE_POSITIONS = 300_000
"""At most so many are solved to see how fast this machine is: finkel 3, masters 2, murray 2."""


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


@dataclass(frozen=True)
class MakeSummary:
    """What a solve did.

    Attributes
    ----------
    path : Path
    positions : int
        With stakes, whatever the fines.
    seconds : float
        This run's, from nothing or from its checkpoint to the table.
    residual : float
        The largest of all blocks.
    error : float or None
        How far a value is proven to be off at most; None unless certified.
    resumed_blocks : int
        How many were taken from the checkpoint of an earlier run.
    value : float
        The first player's chance of winning, in [0, 1]; with stakes, the money to come.
    table_bytes : int
    sweeps : float
        The mean over all positions.
    """

    path: pathlib.Path
    positions: int
    seconds: float
    residual: float
    error: float | None
    resumed_blocks: int
    value: float
    table_bytes: int
    sweeps: float


def estimate(
    rules: RuleSet,
    *,
    value_type: str = "float64",
    certify: bool = False,
    threads: int | None = None,
) -> Estimate:
    """What a solve of `rules` is expected to take, from its sizes alone."""
    space = space_of(rules)
    stored = space.n_positions * VALUE_TYPES[value_type].dtype.itemsize
    least = _BASE_BYTES + 8 * space.n_positions
    table_bytes = int(_COMPRESSION[value_type] * stored)
    if least > available_bytes(threads):
        # beyond the machine as it is: the blocks of such spaces are too many to look at
        return Estimate(space.n_placements, least, table_bytes)
    threads = threads or default_threads()
    largest = heapq.nlargest(_LARGEST * threads, space.blocks, key=lambda block: block.size)
    workspaces = peak_together(
        dependencies(space),
        {block.index: workspace_bytes(space, block, certify) for block in largest},
        threads,
    )
    return Estimate(space.n_placements, least + workspaces, table_bytes)


def expected_seconds(rules: RuleSet, *, threads: int | None = None) -> float:
    """How long a solve is expected to take on this machine.

    The same rules with fewer pieces are solved, some tenths of a second, and the time is
    scaled to the number of positions: sweeps grow with the count of pieces about as fast
    as the time for one position in one sweep falls.
    """
    pieces = rules.pieces
    while pieces > 1 and space_of(rules.with_pieces(pieces)).n_placements > _SAMPLE_POSITIONS:
        pieces -= 1
    sample = space_of(rules.with_pieces(pieces))
    began = time.perf_counter()
    solve(sample, tolerance=1e-12, threads=threads)
    seconds = time.perf_counter() - began
    return seconds * space_of(rules).n_placements / sample.n_placements


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
        f"{rules.name} with {rules.pieces} pieces has {space_of(rules).n_placements:,} positions "
        f"and {misfit}{advice}"
    )


def _misfit(rules: RuleSet, available: int, certify: bool, threads: int | None) -> str | None:
    """Why a solve would not fit, in words; None if it would."""
    needed = estimate(rules, certify=certify, threads=threads).memory_bytes
    if needed > available:
        return f"needs {needed / 2**30:.1f} GiB of memory; {available / 2**30:.1f} GiB are free"
    space = space_of(rules)
    largest, most = max(block.size for block in space.blocks), most_positions(space)
    if largest > most:
        return f"{largest:,} of them have to be solved together; {most:,} at most can be"
    return None


def available_bytes(threads: int | None = None) -> int:
    """Memory that this process can still take, by the machine and by its own limit.

    Parameters
    ----------
    threads : int, optional
        How many will solve. Where address space is limited (`ulimit -v`), each takes of it
        for its stack and heap, and starting one too many would end the process.
    """
    available = int(psutil.virtual_memory().available)
    process = psutil.Process()
    if hasattr(process, "rlimit"):
        limit, _ = process.rlimit(psutil.RLIMIT_AS)
        if limit != psutil.RLIM_INFINITY:
            n_threads = _OTHER_THREADS + (threads or default_threads())
            taken = process.memory_info().vms + n_threads * _THREAD_BYTES
            available = min(available, max(0, limit - taken))
    return available


def make_table(
    rules: RuleSet,
    output: pathlib.Path,
    *,
    tolerance: float = 1e-12,
    certify: bool = False,
    threads: int | None = None,
    value_type: str = "float64",
    progress: Callable[[int, int], None] | None = None,
    on_resume: Callable[[int, int], None] | None = None,
) -> MakeSummary:
    """Solve `rules` and write the table to `output`.

    Finished blocks go to a folder beside the output, from which a later call goes on;
    the table gets its name when it is whole, and the folder is removed.

    Parameters
    ----------
    rules : RuleSet
    output : Path
    tolerance : float
        What a probability may be off, before it is rounded to the value type; with stakes,
        a value in units of the pot.
    certify : bool
        Prove how far values can be off, block by block. The table says what was proven,
        even where that is more than the tolerance.
    threads : int, optional
        One a processor by default.
    value_type : str
        One of `VALUE_TYPES`.
    progress : callable, optional
        Called with the positions finished and their total as blocks are finished.
    on_resume : callable, optional
        Called once with the blocks found and their total, if there are any.

    Raises
    ------
    InputError
        If a table is to be certified whose value type rounds: proofs are of the values
        in the file, and those are not the ones solved. See `certify_table`.
    CertificateError
        If of some block nothing can be proven.
    MemoryLimitError
        Before anything is done, if it would not fit.
    OutputError
        If the output cannot be written or another solve is writing it.
    CheckpointError
        If the folder holds blocks of something else.
    """
    began = time.perf_counter()
    if certify and VALUE_TYPES[value_type].rounding:
        raise InputError(
            f"value type {value_type!r} rounds what a solve has proven: solve without a "
            "certificate, and 'ur certify' proves what the rounded values can be off"
        )
    rules = rules.settled()
    check_memory(rules, certify=certify, threads=threads)
    space = space_of(rules)
    with (
        Checkpoint(output, rules, tolerance, certify=certify) as checkpoint,
        TableWriter(output, rules, tolerance=tolerance, value_type=value_type) as writer,
        _Files(checkpoint, writer) as files,
    ):
        done = resumed = 0

        def count(result: BlockResult) -> None:
            nonlocal done
            done += space.blocks[result.index].size // space.lanes
            if progress is not None:
                progress(done, space.n_placements)

        def earlier() -> Iterator[BlockResult]:
            nonlocal resumed
            for result in checkpoint.finished():
                files.take_back(result)
                resumed += 1
                yield result
                count(result)
            if resumed and on_resume is not None:
                on_resume(resumed, len(space.blocks))

        def take(result: BlockResult) -> None:
            files.take(result)
            count(result)

        values = solve(
            space,
            tolerance=tolerance,
            certify=certify,
            threads=threads,
            finished=earlier(),
            on_block=take,
        )
        files.wait()
        header = writer.finish(seconds=time.perf_counter() - began)
        checkpoint.remove()
    return MakeSummary(
        path=output,
        positions=space.n_placements,
        seconds=time.perf_counter() - began,
        residual=header.residual,
        error=header.error,
        resumed_blocks=resumed,
        value=float(values[space.rank(start(rules))] * space.unit),
        table_bytes=output.stat().st_size,
        sweeps=files.position_sweeps / space.n_positions,
    )


def certify_table(
    table: Table,
    *,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> float:
    """Prove how far the values of a table can be off, and write that into its file.

    Parameters
    ----------
    table : Table
        Of any value type: the proof is of the values as they are read, rounding included.
        It goes on reading the file as it was.
    threads : int, optional
        One a processor by default.
    progress : callable, optional
        Called with the positions done and their total.

    Returns
    -------
    float
        How far any value is off at most.

    Raises
    ------
    CertificateError
        If of some block nothing can be proven; the file is left as it is.
    DamagedTableError
        If the table's values cannot be read.
    OutputError
        If the file cannot be written; it is left as it is.
    """
    space = table.space
    values = VALUE_TYPES[table.header.value_type].decode(table.load())
    done = 0

    def count(bound: BlockBound) -> None:
        nonlocal done
        done += space.blocks[bound.index].size
        if progress is not None:
            progress(done, space.n_positions)

    errors = certify(space, values, threads=threads, on_block=count)
    add_certificate(table, errors)
    return float(errors.max())


class _Files:
    """Two threads that put finished blocks, one into the checkpoint, one into the table.

    Solving does not wait for the disk, nor one file for the other; a block whose files could
    not be written is heard of at the next block, or at the end.
    """

    def __init__(self, checkpoint: Checkpoint, writer: TableWriter) -> None:
        self._checkpoint = checkpoint
        self._writer = writer
        self._savers = ThreadPoolExecutor(1)
        self._adders = ThreadPoolExecutor(1)
        self._pending: list[Future[None]] = []
        self.position_sweeps = 0

    def __enter__(self) -> _Files:
        return self

    def __exit__(self, *exception: object) -> None:
        self._savers.shutdown(wait=True, cancel_futures=False)
        self._adders.shutdown(wait=True, cancel_futures=False)

    def take(self, result: BlockResult) -> None:
        """A block just finished: to the checkpoint and the table."""
        self._raise_failures(block=False)
        self._pending.append(self._savers.submit(self._checkpoint.save, result))
        self._pending.append(self._adders.submit(self._add, result))

    def take_back(self, result: BlockResult) -> None:
        """A block of the checkpoint: to the table."""
        self._add(result)

    def wait(self) -> None:
        """Until all blocks are in their files."""
        self._raise_failures(block=True)

    def _add(self, result: BlockResult) -> None:
        self._writer.add(result)
        self.position_sweeps += result.sweeps * len(result.values)

    def _raise_failures(self, block: bool) -> None:
        ended = [each for each in self._pending if block or each.done()]
        self._pending = [each for each in self._pending if each not in ended]
        for each in ended:
            each.result()
