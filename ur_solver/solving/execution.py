"""Certificates of tables: proving error bounds for a file's values, and storing them in it.

What solves the blocks of a plan: threads of this process, or the workers of a cluster.

Writing finished blocks to a table while others are solved.

Carrying out a plan: the files of blocks, the solve, the table.
"""

from __future__ import annotations

import dataclasses
import logging
import pathlib
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial

import numpy as np
import numpy.typing as npt

from ur_solver.blocks.folder import BlockFolder
from ur_solver.blocks.lock import HEAD
from ur_solver.blocks.stored import VALUE_TYPES, BlockRecord
from ur_solver.common.files import Closing
from ur_solver.engine import Backlog, FileStore, Runner, ThreadRunner, bound_levels, certify, solve
from ur_solver.engine.clusters import FolderTask, check_reachable
from ur_solver.errors import InputError, missing_extra
from ur_solver.kernel import kernel_of
from ur_solver.solving.costs import (
    BASE_BYTES,
    UNWRITTEN_BYTES,
    available_bytes,
    block_cost,
    budget_of,
    largest_cost,
)
from ur_solver.solving.events import (
    Begun,
    BlockDone,
    Event,
    Finished,
    FolderMade,
    Resumed,
    RoomShort,
    WorkersChanged,
)
from ur_solver.solving.plan import Plan, Verdict
from ur_solver.space import Part, StakesSpace
from ur_solver.table.output import check_replaceable, make_folder
from ur_solver.table.reader import TableFile
from ur_solver.table.writer import FolderWriter, TableWriter, add_certificate, set_aside

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

    Parameters
    ----------
    table : TableFile
        Of any value type: the proof covers the values as they are read, with their rounding. The
        open table still reads the old file.
    threads : int, optional
        One a processor by default.
    progress : callable, optional
        Called with the positions done and their total.

    Returns
    -------
    float
        The largest proven error, in units of the values: with stakes money.

    Raises
    ------
    InputError
        If the table is a folder.
    CertificateError
        If no bound can be proven for a block; the file stays unchanged.
    DamagedTableError
        If the table's values cannot be read.
    OutputError
        If the file cannot be written; it stays unchanged.
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


def certify_levels(path: pathlib.Path, *, threads: int | None = None) -> None:
    """Write proven errors by level of fines into a certified table with stakes.

    Parameters
    ----------
    path : Path
        Of the table's file.
    threads : int, optional
        One a processor by default.

    Raises
    ------
    CertificateError
        If no bound can be proven for a block; the file stays unchanged.
    OutputError
        If the file cannot be written; it stays unchanged.
    """
    with TableFile(path) as table:
        errors = table.blocks["error"]
        add_certificate(table, errors, _level_errors(table, table.load(), errors, threads))


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


def check_performers(plan: Plan) -> None:
    """Check that the workers of a plan can be asked for, before anything is written.

    Raises
    ------
    InputError
        If Dask is not installed, or the scheduler's address is malformed.
    ClusterError
        If the scheduler does not answer.
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


@contextmanager
def performers(
    plan: Plan, on_workers: Callable[[int], object]
) -> Iterator[tuple[Runner, FolderTask | None]]:
    """The runner of a plan's blocks, and the task of a block if other processes solve.

    Parameters
    ----------
    plan : Plan
        Whose folder of blocks has its head.
    on_workers : callable
        Called with the count of workers whenever it changes.

    Notes
    -----
    `check_performers` has checked that Dask is installed, and that the scheduler answers.
    """
    request = plan.request
    cluster, memory, threads = request.cluster, request.memory, request.threads
    if cluster is None:
        yield ThreadRunner(threads, plan.room.allowance), None
        return
    from ur_solver.engine.cluster_runner import (  # noqa: PLC0415 - Dask
        ClusterRunner,
        connected,
    )

    if memory is None and cluster.scheduler is None:
        memory = available_bytes() // (cluster.workers or 1)
    path = plan.folder.absolute()
    with connected(cluster) as connect:
        runner = ClusterRunner(
            connect,
            cost=partial(block_cost, request),
            largest=largest_cost(request),
            folder=str(path),
            memory=None if memory is None else memory - BASE_BYTES,
            most_threads=cluster.threads,
            silence=cluster.silence,
            on_workers=on_workers,
        )
        yield runner, FolderTask(str(path), (path / HEAD).read_bytes())


class Adder(Closing):
    """A thread that writes finished blocks to the table.

    Solving waits for it only if many values are unwritten. A write error is raised at the next
    block or at the end.

    Parameters
    ----------
    writer : TableWriter or FolderWriter
    store : FileStore
        Has the blocks' values.
    most : int
        Bytes of values that may wait to be written.

    Attributes
    ----------
    position_sweeps : int
        The sums of sweeps over all positions of the blocks.
    """

    def __init__(self, writer: TableWriter | FolderWriter, store: FileStore, *, most: int) -> None:
        self._writer = writer
        self._store = store
        self._backlog = Backlog("table", most)
        self._added: set[int] = set()
        self.position_sweeps = 0

    def close(self) -> None:
        """Wait until all is added, ignoring errors, and end the thread that adds."""
        self._backlog.close()

    def add(self, record: BlockRecord) -> bool:
        """Write a block of the store to the table; False if it was added before."""
        self._backlog.settle()
        if record.index in self._added:
            return False
        values = self._store.values_of(record.index)
        assert values is not None
        self._added.add(record.index)
        self._backlog.submit(values.nbytes, partial(self._writer.add, record.with_values(values)))
        self.position_sweeps += record.sweeps * len(values)
        return True

    def wait(self) -> None:
        """Wait until all blocks are in the table."""
        self._backlog.wait()


_log = logging.getLogger(__name__)

Receiver = Callable[[Event], object]


def run(plan: Plan, on_event: Receiver = lambda event: None) -> Finished:
    """Solve what a plan says and write the table.

    Finished blocks are kept in the plan's folder, from which a later run resumes. A table that is a
    file gets its name when it is complete, and the folder is removed.

    Parameters
    ----------
    plan : Plan
    on_event : callable
        Called from this thread with every event; what it raises ends the run.

    Returns
    -------
    Finished
        The last event.

    Raises
    ------
    CertificateError
        If no bound can be proven for a block.
    UnsolvableError
        If play can go on for ever, or the tolerance cannot be proven with dice that are not
        ordinary (`Dice.is_ordinary`).
    SolveError
        If a block does not settle.
    OutputError
        If the output cannot be written, a table is there, also one that has come since the plan was
        made, or another solve is writing it.
    CheckpointError
        If the folder holds blocks of something else.
    ClusterError
        If the scheduler does not answer, which is checked before anything is written; if there are
        no workers, or none that is large enough.
    DamagedBlockError
        If the file of a block that was whole no longer is when the table takes it.
    """
    began = time.perf_counter()
    request, part = plan.request, plan.request.part
    if plan.verdict is Verdict.PRESENT:
        check_replaceable(plan.path, force=False)
    check_performers(plan)
    with _folder_of_table(plan, on_event), ExitStack() as stack:
        _begin(plan, on_event)
        if plan.is_folder and plan.replaced is not None:
            stack.enter_context(set_aside(plan.path))
        folder = stack.enter_context(BlockFolder(plan.folder, plan.job))
        writer = _writer(plan, folder)
        stack.enter_context(writer)
        store = stack.enter_context(_store(plan, folder))
        adder = stack.enter_context(Adder(writer, store, most=UNWRITTEN_BYTES))
        collector = _Collector(plan, folder, store, adder, on_event)
        n_resumed = _solve(plan, store, collector, on_event)
        adder.wait()
        _log.info("all blocks are solved; finishing the table")
        header = writer.finish(seconds=time.perf_counter() - began)
        if not plan.is_folder:
            folder.remove()
    if request.certify and part.space.has_levels and not plan.is_folder:
        _bound_levels(plan)
    finished = Finished(
        path=plan.path,
        part=part,
        seconds=time.perf_counter() - began,
        error=None if header.error is None else header.error * part.space.unit,
        resumed_blocks=n_resumed,
        sweeps=adder.position_sweeps / part.n_values,
        replaced=plan.replaced,
    )
    on_event(finished)
    return finished


def _solve(plan: Plan, store: FileStore, collector: _Collector, on_event: Receiver) -> int:
    """Solve all blocks that are not finished; return the number of those that were."""
    request = plan.request
    with performers(plan, lambda count: on_event(WorkersChanged(count))) as (runner, task):
        if not (plan.is_folder or request.force or request.known):
            check_replaceable(plan.path, force=False)  # another solve may have finished meanwhile
        earlier = collector.take_finished()
        solve(
            request.part.space,
            tolerance=request.tolerance,
            certify=request.certify,
            kernel=kernel_of(request.part.space, request.precision),
            runner=runner,
            store=store,
            task=task,
            part=request.part,
            finished=earlier,
            on_block=collector.take if task is None else collector.take_from_worker,
        )
        store.wait()
    return len(earlier)


@contextmanager
def _folder_of_table(plan: Plan, on_event: Receiver) -> Iterator[None]:
    """The default folder of tables, made for the run and taken back if nothing is put into it."""
    if plan.request.output is not None:
        yield
        return
    parent = plan.path.parent
    made = [each for each in (parent, *parent.parents) if not each.exists()]
    if make_folder(parent):
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


def _store(plan: Plan, folder: BlockFolder) -> FileStore:
    room = plan.room
    return FileStore(
        folder.files,
        most_kept=room.most_kept,
        most_unwritten=room.most_unwritten,
        on_written=folder.note,
    )


class _Collector:
    """Takes finished blocks into the table, counts them and reports them."""

    def __init__(
        self, plan: Plan, folder: BlockFolder, store: FileStore, adder: Adder, on_event: Receiver
    ) -> None:
        self._part = plan.request.part
        self._known = plan.request.known
        self._folder = folder
        self._store = store
        self._adder = adder
        self._on_event = on_event
        self._done = 0

    def take_finished(self) -> set[int]:
        """Take what the known table and an earlier run have; return the numbers of the blocks."""
        if self._known is not None:
            _take_over(self._folder, self._known, self._part)
        earlier = set()
        for record in self._folder.finished():
            if record.index in self._part:
                self._store.take_back(record.index, record.error)
                earlier.add(record.index)
                self.take(record)
        if earlier:
            self._on_event(Resumed(len(earlier), len(self._part.indices)))
        return earlier

    def take_from_worker(self, record: BlockRecord) -> None:
        """Take a block that another process has put into the folder."""
        self._folder.take(record.index)
        self._store.take_back(record.index, record.error)
        self.take(record)

    def take(self, record: BlockRecord) -> None:
        """Take a block that the store has."""
        space = self._part.space
        block = space.blocks[record.index]
        if self._adder.add(record):
            self._done += block.size // space.values_per_position
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
    certify_levels(plan.path, threads=request.threads)
