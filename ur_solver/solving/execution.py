"""Carrying out a plan: the files of blocks, the solve, the table."""

from __future__ import annotations

import dataclasses
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress

from ur_solver.blocks.block_record import BlockRecord
from ur_solver.blocks.folder import BlockFolder
from ur_solver.engine import FileStore, solve
from ur_solver.kernel import kernel_of
from ur_solver.solving.certificates import certify_levels
from ur_solver.solving.costs.cost import BASE_BYTES, UNWRITTEN_BYTES, largest_cost
from ur_solver.solving.costs.memory import budget_of
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
from ur_solver.solving.performers import check_performers, performers
from ur_solver.solving.plan import Plan, Verdict
from ur_solver.space import Part
from ur_solver.table.adder import Adder
from ur_solver.table.folder_writer import FolderWriter, set_aside
from ur_solver.table.new_path import make_folder
from ur_solver.table.present import check_replaceable
from ur_solver.table.reader import TableFile
from ur_solver.table.writer import TableWriter

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
