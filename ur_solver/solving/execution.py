"""Carrying out a plan: the files of blocks, the solve, the table, and certificates of tables."""

from __future__ import annotations

import dataclasses
import logging
import os
import pathlib
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from ur_solver.blocks.folder import BlockFolder, BlockRecord
from ur_solver.blocks.stored import VALUE_TYPES
from ur_solver.common.files import make_folder
from ur_solver.common.progress import Progress
from ur_solver.engine.runners import Runner, ThreadRunner, check_reachable
from ur_solver.engine.solve import bound_levels, certify, solve
from ur_solver.engine.store import FileStore
from ur_solver.errors import InputError, OutputError, missing_extra
from ur_solver.kernel.kernels import kernel_of
from ur_solver.solving.costs import (
    BASE_BYTES,
    available_bytes,
    block_cost,
    budget_of,
    has_policies,
    largest_cost,
)
from ur_solver.solving.plan import Plan
from ur_solver.space import Part, StakesSpace
from ur_solver.table.format import TABLE
from ur_solver.table.names import FOLDER_VARIABLE
from ur_solver.table.output import check_replaceable
from ur_solver.table.reader import TableFile
from ur_solver.table.writer import FolderWriter, TableWriter, add_certificate, publish_folder

_log = logging.getLogger(__name__)


# What happens in a run, as events in the order of time.


@dataclass(frozen=True)
class FolderMade:
    """The default folder of tables did not exist and was made."""

    folder: pathlib.Path


@dataclass(frozen=True)
class Begun:
    """The solve begins; the totals include what an earlier solve finished."""

    positions: int
    blocks: int


@dataclass(frozen=True)
class RoomShort:
    """There is no room for all values in memory: finished blocks are read from their files."""

    budget: int  # the bytes that the solve may take
    needed: int  # the bytes that all values would take


@dataclass(frozen=True)
class Resumed:
    """An earlier solve finished `blocks` of `total` blocks, which are not solved again."""

    blocks: int
    total: int


@dataclass(frozen=True)
class WorkersChanged:
    """The cluster has `count` workers now."""

    count: int


@dataclass(frozen=True)
class BlockDone:
    """A block is finished: now `done` of `total` positions are."""

    done: int
    total: int


@dataclass(frozen=True)
class Finished:
    """The table is complete."""

    path: pathlib.Path
    part: Part  # what was solved
    seconds: float  # of this run, resumed or not
    error: float | None  # proven, in units of the values: with stakes money; None unless certified
    resumed_blocks: int  # those that an earlier run had finished
    sweeps: float  # the mean over all positions
    replaced: str | None  # what the table has replaced, in words

    @property
    def positions(self) -> int:
        """The number of positions; with stakes, not counting the fines."""
        return self.part.n_positions


Event = FolderMade | Begun | RoomShort | Resumed | WorkersChanged | BlockDone | Finished

Receiver = Callable[[Event], object]


def counts_for(progress: Progress | None) -> Callable[[Event], None]:
    """A receiver of events that calls `progress` with the counts of each finished block."""

    def receive(event: Event) -> None:
        if progress is not None and isinstance(event, BlockDone):
            progress(event.done, event.total)

    return receive


def run(plan: Plan, on_event: Receiver = lambda event: None) -> Finished:
    """Solve what a plan says and write the table; the last event is returned too.

    Finished blocks are kept in the plan's folder, from which a later run resumes. A table that is a
    file gets its name when it is complete, and the folder is removed. `on_event` is called from
    this thread with every event; what it raises ends the run.

    CertificateError if no bound can be proven for a block; UnsolvableError if play can go on for
    ever, or the tolerance cannot be proven with dice that are not ordinary (`Dice.is_ordinary`);
    SolveError if a block does not settle; OutputError if the output cannot be written, a table is
    there, also one that has come since the plan was made, or another solve is writing it;
    CheckpointError if the folder holds blocks of something else; ClusterError if the scheduler does
    not answer, which is checked before anything is written, if there are no workers, or none that
    is large enough; DamagedBlockError if the file of a block that was whole no longer is when the
    table takes it.
    """
    began = time.perf_counter()
    request, part = plan.request, plan.request.part
    _check_workers(plan)
    with _folder_of_table(plan, on_event), ExitStack() as stack:
        _begin(plan, on_event)
        folder = stack.enter_context(BlockFolder(plan.folder, plan.job))
        _check_still_free(plan)
        writer = _writer(plan, folder)
        stack.enter_context(writer)
        store = stack.enter_context(
            FileStore(
                folder.files,
                most_kept=plan.room.most_kept,
                most_unwritten=plan.room.most_unwritten,
                on_written=folder.note,
                take_on=writer.add,
            )
        )
        collector = _Collector(plan, folder, store, on_event)
        with _runner(plan, lambda count: on_event(WorkersChanged(count))) as runner:
            earlier = collector.take_finished()
            solve(
                part.space,
                tolerance=request.tolerance,
                certify=request.certify,
                kernel=kernel_of(part.space, request.precision),
                runner=runner,
                store=store,
                part=part,
                finished=earlier,
                on_block=collector.take_from_worker if runner.is_remote else collector.take,
            )
        store.wait()
        _log.info("all blocks are solved; finishing the table")
        header = writer.finish(seconds=time.perf_counter() - began)
        if not plan.is_folder:
            folder.remove()
    if plan.is_folder and plan.folder != plan.path:
        publish_folder(plan.folder, plan.path)  # not before: Windows renames no open folder
    if request.certify and part.space.has_levels and not plan.is_folder:
        _bound_levels(plan)
    finished = Finished(
        path=plan.path,
        part=part,
        seconds=time.perf_counter() - began,
        error=None if header.error is None else header.error * part.space.unit,
        resumed_blocks=len(earlier),
        sweeps=collector.position_sweeps / part.n_values,
        replaced=plan.replaced,
    )
    on_event(finished)
    return finished


def _check_workers(plan: Plan) -> None:
    """Check that the workers of a plan can be asked for, before anything is written.

    InputError if Dask is not installed, or the scheduler's address is malformed; ClusterError if
    the scheduler does not answer.
    """
    if plan.request.cluster is None:
        return
    try:
        import distributed  # noqa: F401, PLC0415 - an extra
    except ImportError as error:
        package = error.name or "distributed"
        raise InputError(
            missing_extra("workers need Dask distributed", "cluster", package)
        ) from None
    check_reachable(plan.request.cluster)


def _check_still_free(plan: Plan) -> None:
    """Refuse a table that is there, or has come since the plan was made.

    While the folder of the blocks is held, no other solve can make one.
    """
    there = plan.path / TABLE if plan.is_folder else plan.path
    if not (plan.request.force or plan.request.known) and os.path.lexists(there):
        check_replaceable(plan.path, force=False)


@contextmanager
def _folder_of_table(plan: Plan, on_event: Receiver) -> Iterator[None]:
    """The default folder of tables, made for the run and taken back if nothing is put into it."""
    if plan.request.output is not None:
        yield
        return
    parent = plan.path.parent
    made = [each for each in (parent, *parent.parents) if not each.exists()]
    try:
        is_new = make_folder(parent)
    except OutputError as error:
        remedy = f"name another output, or a folder of tables in ${FOLDER_VARIABLE}"
        raise OutputError(f"{error}; {remedy}") from None
    if is_new:
        on_event(FolderMade(parent))
    try:
        yield
    except BaseException:
        with suppress(OSError):  # of one that is not empty
            for each in made:
                each.rmdir()
        raise


def _begin(plan: Plan, on_event: Receiver) -> None:
    """Say what will be solved, and in what memory."""
    part = plan.request.part
    _log.info(
        "%s: %s positions in %s blocks, to %s",
        plan.job.rules.word if part.is_whole else part.title,
        part.n_positions,
        len(part.indices),
        plan.path,
    )
    on_event(Begun(part.n_positions, len(part.indices)))
    if plan.is_short_of_room:
        on_event(RoomShort(plan.room.budget, plan.room.needed))


def _writer(plan: Plan, folder: BlockFolder) -> FolderWriter | TableWriter:
    request = plan.request
    if plan.is_folder:
        return FolderWriter(folder, request.part)
    return TableWriter(
        plan.path,
        plan.job.rules,
        tolerance=request.tolerance,
        value_type=request.value_type,
        part=request.part,
    )


@contextmanager
def _runner(plan: Plan, on_workers: Callable[[int], object]) -> Iterator[Runner]:
    """The runner of a plan's blocks, once its folder has its head; `on_workers` gets their count.

    `_check_workers` has checked that Dask is installed, and that the scheduler answers.
    """
    request = plan.request
    cluster, memory = request.cluster, request.memory
    if cluster is None:
        yield ThreadRunner(request.threads, plan.room.allowance)
        return
    from ur_solver.engine.cluster_runner import ClusterRunner, connected  # noqa: PLC0415 - Dask

    if memory is None and cluster.scheduler is None:
        memory = available_bytes() // (cluster.workers or 1)
    with connected(cluster) as connect:
        yield ClusterRunner(
            connect,
            cost=partial(block_cost, request),
            has_policies=partial(has_policies, request),
            largest=largest_cost(request, 0),
            folder=str(plan.folder.absolute()),
            memory=None if memory is None else memory - BASE_BYTES,
            most_threads=cluster.threads,
            silence=cluster.silence,
            on_workers=on_workers,
        )


class _Collector:
    """Counts finished blocks and reports them; the store hands their values on to the table."""

    def __init__(
        self, plan: Plan, folder: BlockFolder, store: FileStore, on_event: Receiver
    ) -> None:
        self._part = plan.request.part
        self._known = plan.request.known
        self._folder = folder
        self._store = store
        self._on_event = on_event
        self._counted: set[int] = set()
        self._done = 0
        self.position_sweeps = 0  # the sums of sweeps over all positions of the blocks

    def take_finished(self) -> set[int]:
        """Take what the known table and an earlier run have; return the numbers of the blocks."""
        if self._known is not None:
            _take_over(self._folder, self._known, self._part)
        earlier = set()
        for record in self._folder.finished():
            if record.index in self._part:
                self._store.take_back(record)
                earlier.add(record.index)
                self.take(record)
        if earlier:
            self._on_event(Resumed(len(earlier), len(self._part.indices)))
        return earlier

    def take_from_worker(self, record: BlockRecord) -> None:
        """Take a block that another process has put into the folder."""
        self._folder.take(record.index)
        self._store.take_back(record)
        self.take(record)

    def take(self, record: BlockRecord) -> None:
        """Take a block that the store has; it comes again where it was damaged."""
        space = self._part.space
        block = space.blocks[record.index]
        if record.index not in self._counted:
            self._counted.add(record.index)
            self._done += block.size // space.values_per_position
            self.position_sweeps += record.sweeps * block.size
        _log.debug(
            "block %d: %d values, %d sweeps, residual %.3g, %.3f s",
            *(record.index, block.size, record.sweeps, record.residual, record.seconds),
        )
        self._on_event(BlockDone(self._done, self._part.n_positions))


def _take_over(folder: BlockFolder, known: TableFile, part: Part) -> None:
    """Put the blocks of a table into files of a solve, as if it had solved them."""
    for row in known.blocks:
        record = BlockRecord.of(row)
        if record.index in part and not folder.files.path(record.index).exists():
            values = known.read_block(record.index)
            if not folder.job.certify:
                record = dataclasses.replace(record, error=None)
            folder.note(folder.files.write(record, values, is_read_again=False))


def _bound_levels(plan: Plan) -> None:
    """Bound what the cut of the fines costs at each level, if there is room for all values."""
    request = plan.request
    needed = BASE_BYTES + 8 * request.part.n_values + largest_cost(request)
    if needed > budget_of(request):
        _log.warning(
            "what the cut of the fines costs is not bounded by the number of fines: that takes "
            "%.1f GB of memory ('ur certify' does it later)",
            needed / 1e9,
        )
        return
    _log.info("bounding what the cut of the fines costs")
    with TableFile(plan.path) as table:
        errors = table.blocks["error"]
        levels = _level_errors(table, table.load(), errors, request.threads)
        add_certificate(table, errors, levels)


# Certificates of tables.

_LEVEL_SPARE = 1.25
"""Errors of levels are stated with this factor, so that they are found again with other threads or
in another order. They cover many orders of magnitude."""


def certify_table(
    table: TableFile,
    *,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> float:
    """Prove error bounds for the values of a table and write them into its file.

    The table may have any value type: the proof covers the values as they are read, with their
    rounding. It still reads the old file. `progress` is called with the positions done and their
    total. Returns the largest proven error, in units of the values: with stakes money.

    InputError if the table is a folder; CertificateError if no bound can be proven for a block,
    OutputError if the file cannot be written: it stays unchanged; DamagedTableError if the table's
    values cannot be read.
    """
    if table.path.is_dir():
        raise InputError(
            f"{str(table.path)!r} is a folder, which is certified while it is solved "
            "('ur solve --certify'); 'ur pack' copies it into one file, which can be certified"
        )
    space = table.space
    values = VALUE_TYPES[table.header.value_type].decode(table.load())
    # with stakes every block is bounded twice, which counts as half of its positions each time
    turns = space.values_per_position * (2 if space.has_levels else 1)
    done = 0

    def count(index: int) -> None:
        nonlocal done
        done += space.blocks[index].size
        if progress is not None:
            progress(done // turns, table.part.n_positions)

    errors = certify(space, values, part=table.part, runner=ThreadRunner(threads), on_block=count)
    add_certificate(table, errors, _level_errors(table, values, errors, threads, count))
    return float(errors.max()) * space.unit


def _level_errors(
    table: TableFile,
    values: npt.NDArray[np.float64],
    errors: npt.NDArray[np.float64],
    threads: int | None,
    on_block: Callable[[int], object] = lambda index: None,
) -> tuple[float, ...] | None:
    """The proven errors by number of fines, with the cut; None without stakes."""
    if not isinstance(table.space, StakesSpace):
        return None
    runner = ThreadRunner(threads)
    found = bound_levels(
        table.space, values, errors, part=table.part, runner=runner, on_block=on_block
    )
    return tuple((_LEVEL_SPARE * found).tolist())
