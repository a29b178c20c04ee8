"""From a rule set to a table on disk: memory, files of blocks, solve, table."""

from __future__ import annotations

import dataclasses
import logging
import os
import pathlib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from ur_solver.blocks import HEAD, BlockFolder, BlockRecord, Job, checkpoint_folder
from ur_solver.certificates import certify_levels
from ur_solver.cluster import Cluster, FolderTask
from ur_solver.engine import (
    FileStore,
    Runner,
    ThreadRunner,
    solve,
)
from ur_solver.errors import (
    InputError,
    MissingTableError,
    NotATableError,
    OutputError,
    TableInUseError,
    UrError,
    missing_extra,
)
from ur_solver.estimates import Room, available_bytes, check_disk, room_for
from ur_solver.estimates.cost import BASE_BYTES, UNWRITTEN_BYTES, block_cost, largest_cost
from ur_solver.estimates.room import ROOM_OF_A_DRIVER
from ur_solver.kernel import DOUBLE, check_precision, default_tolerance, kernel_of
from ur_solver.rules import RuleSet
from ur_solver.space import Part, part_of
from ur_solver.table import (
    VALUE_TYPES,
    FolderWriter,
    TableFile,
    TableWriter,
    check_replaceable,
    is_folder_name,
    is_unfinished,
    set_aside,
)
from ur_solver.table.adder import Adder


@dataclasses.dataclass(frozen=True)
class MakeSummary:
    """The summary of a solve.

    Attributes
    ----------
    path : Path
    part : Part
        What was solved.
    seconds : float
        The time of this run, resumed or not.
    residual : float
        The largest of all blocks, in units of the values: with stakes money.
    error : float or None
        The proven error of the values, in the same units; None unless certified.
    resumed_blocks : int
        The number of blocks that an earlier run had finished.
    value : float or None
        The first player's chance of winning, in [0, 1]; with stakes, the money to come. None
        unless the part has the start.
    table_bytes : int
    sweeps : float
        The mean over all positions.
    replaced : str or None
        What the table has replaced, in words.
    """

    path: pathlib.Path
    part: Part
    seconds: float
    residual: float
    error: float | None
    resumed_blocks: int
    value: float | None
    table_bytes: int
    sweeps: float
    replaced: str | None

    @property
    def positions(self) -> int:
        """How many there are; with stakes, not counting the fines."""
        return self.part.n_positions


_log = logging.getLogger(__name__)

_REPLACE = "--force replaces it (in Python, force=True)"


def is_present(
    output: pathlib.Path,
    rules: RuleSet,
    *,
    tolerance: float | None = None,
    value_type: str = "float64",
    certify: bool = False,
    part: Part | None = None,
) -> bool:
    """Whether `make_table` has nothing to do: its table is there already.

    Parameters
    ----------
    output, rules, tolerance, value_type, certify, part
        As for `make_table`.

    Raises
    ------
    OutputError
        If the file holds something else, or its proven error is larger.
    TableInUseError
        If another program is writing to it.
    """
    if tolerance is None:
        tolerance = default_tolerance(DOUBLE)
    if not os.path.lexists(output) or is_unfinished(output):
        return False
    try:
        with TableFile(output) as table:
            header, held = table.header, table.part
    except (NotATableError, MissingTableError):
        raise OutputError(
            f"{str(output)!r} is there and is not a table; name another file"
        ) from None
    except TableInUseError:
        raise
    except UrError as error:
        raise OutputError(f"{error}; {_REPLACE}") from None
    if not (
        header.rules.is_same_game(rules)
        and header.rules.payoff == rules.settled().payoff
        and header.value_type == value_type
        and header.tolerance <= tolerance + VALUE_TYPES[value_type].rounding
    ):
        raise OutputError(
            f"{str(output)!r} holds {header.rules.title} as "
            f"{header.value_type}, tolerance {header.tolerance:.3g}; {_REPLACE}, or name another "
            "file"
        )
    wanted = part or part_of(header.rules)
    if not held.has_same_blocks(wanted):
        raise OutputError(
            f"{str(output)!r} holds {held.scope}, not {wanted.scope}; {_REPLACE}, or name another "
            "file"
        )
    if certify and (header.error is None or header.error > tolerance):
        proven = "nothing" if header.error is None else f"an error of {header.error:.3g}"
        raise OutputError(
            f"{str(output)!r} is there, and of it {proven} is proven; 'ur certify' proves what "
            f"can be, {_REPLACE}"
        )
    return True


def make_table(
    rules: RuleSet,
    output: pathlib.Path,
    *,
    tolerance: float | None = None,
    certify: bool = False,
    precision: str = DOUBLE,
    threads: int | None = None,
    value_type: str = "float64",
    part: Part | None = None,
    known: TableFile | None = None,
    memory: int | None = None,
    cluster: Cluster | None = None,
    force: bool = False,
    progress: Callable[[int, int], object] | None = None,
    on_room: Callable[[Room], object] | None = None,
    on_resume: Callable[[int, int], object] | None = None,
    on_workers: Callable[[int], object] = lambda count: None,
) -> MakeSummary:
    """Solve `rules` and write the table to `output`.

    Finished blocks are kept in a folder beside the output, from which a later call resumes. The
    table gets its name when it is complete, and the folder is removed.

    Parameters
    ----------
    rules : RuleSet
    output : Path
        A name that ends in .h5 or .hdf5 is a file's. Any other is a folder's, in which the files of
        the blocks stay and are the table.
    tolerance : float, optional
        The largest error of a probability before it is rounded to the value type; with stakes,
        of a value in units of the pot. By default 1e-12, in single precision 1e-5.
    certify : bool
        Prove error bounds, block by block. The table records them, even where they exceed the
        tolerance.
    precision : str
        ``"double"`` or ``"single"``, in which a block takes half to two thirds of the memory
        (`ur_solver.kernel.check_precision`).
    threads : int, optional
        One a processor by default.
    value_type : str
        One of `VALUE_TYPES`.
    part : Part, optional
        What of the game to solve; all of it by default.
    known : TableFile, optional
        A table of the same rules, as exact and in float64, whose blocks are taken from it.
    memory : int, optional
        What the solve may take, in bytes; by default what is free. Values for which there is no
        room are read from the files of their blocks.
    cluster : Cluster, optional
        The workers that solve, which must see the output's folder under the same path; `memory` is
        then what each of them may take. By default this process solves.
    force : bool
        Replace a file or a table that is there; the summary says what it was.
    progress : callable, optional
        Called with the positions finished and their total as blocks are finished.
    on_room : callable, optional
        Called once with how the memory is divided, unless workers solve.
    on_workers : callable, optional
        Called with the count of workers whenever it changes.
    on_resume : callable, optional
        Called once with the blocks found and their total, if there are any.

    Raises
    ------
    InputError
        If a table is to be certified whose value type rounds: proofs are of the values
        in the file, and those are not the ones solved. See `certify_table`. If the rules, or the
        tolerance, are not solved in single precision.
    CertificateError
        If no bound can be proven for a block.
    UnsolvableError
        If play can go on for ever, or the tolerance cannot be proven with dice that are not
        ordinary (`Dice.is_ordinary`).
    SolveError
        If a block does not settle.
    MemoryLimitError, DiskLimitError
        Before anything is done, if it would not fit.
    OutputError
        If the output cannot be written, its folder does not exist, something is there, or another
        solve is writing it.
    CheckpointError
        If the folder holds blocks of something else.
    ClusterError
        If there are no workers, or none that is large enough.
    DamagedBlockError
        If the file of a block that was whole no longer is when the table takes it.
    """
    began = time.perf_counter()
    if certify and VALUE_TYPES[value_type].rounding:
        raise InputError(
            f"value type {value_type!r} rounds what a solve has proven: solve without a "
            "certificate, and 'ur certify' proves what the rounded values can be off"
        )
    is_folder = is_folder_name(output)
    if is_folder and VALUE_TYPES[value_type].rounding:
        raise InputError(
            f"the files of a folder are what other blocks read, in float64: solve to it so, and "
            f"'ur pack --value-type {value_type}' makes a smaller table"
        )
    rules = rules.settled()
    part = part or part_of(rules)
    if tolerance is None:
        tolerance = default_tolerance(precision)
    check_precision(part.space, precision, tolerance)
    if cluster is not None:
        room = ROOM_OF_A_DRIVER
    else:
        room = room_for(part, memory=memory, certify=certify, threads=threads, precision=precision)
        if on_room is not None:
            on_room(room)
    check_disk(part, output, value_type)
    space = part.space
    _log.info(
        "%s: %s positions in %s blocks, to %s",
        rules.word if part.is_whole else part.title,
        part.n_positions,
        len(part.indices),
        output,
    )
    job = Job(rules, tolerance, certify, part=part.name, precision=precision)
    # what an unfinished solve has left is gone on from
    replaced = None if is_unfinished(output) else check_replaceable(output, force=force)
    is_replaced = is_folder and replaced is not None
    with (
        set_aside(output) if is_replaced else nullcontext(),
        BlockFolder(output if is_folder else checkpoint_folder(output), job) as folder,
        (
            FolderWriter(folder, tolerance=tolerance, part=part)
            if is_folder
            else TableWriter(output, rules, tolerance=tolerance, value_type=value_type, part=part)
        ) as writer,
        FileStore(
            folder.files,
            most_kept=room.most_kept,
            most_unwritten=room.most_unwritten,
            on_written=folder.note,
        ) as store,
        Adder(writer, store, most=UNWRITTEN_BYTES) as adder,
        _performers(
            cluster, folder, part, room, threads=threads, memory=memory, on_workers=on_workers
        ) as (runner, task),
    ):
        if not (is_folder or force):
            check_replaceable(output, force=False)  # another solve may have finished meanwhile
        done = 0
        start_value = None
        start_rank = space.rank(rules.start())

        def count(record: BlockRecord) -> None:
            nonlocal done, start_value
            if task is not None and record.index not in earlier:
                folder.take(record.index)
                store.take_back(record.index, record.error)
            block = space.blocks[record.index]
            if block.offset <= start_rank < block.offset + block.size:
                values = store.values_of(record.index)
                assert values is not None
                start_value = float(values[start_rank - block.offset] * space.unit)
            if adder.add(record):
                done += block.size // space.values_per_position
            _log.debug(
                "block %d: %d values, %d sweeps, residual %.3g, %.3f s",
                *(record.index, block.size, record.sweeps, record.residual, record.seconds),
            )
            if progress is not None:
                progress(done, part.n_positions)

        if known is not None:
            _take_over(folder, known, part)
        earlier: set[int] = set()
        for record in folder.finished():
            if record.index in part:
                store.take_back(record.index, record.error)
                earlier.add(record.index)
                count(record)
        if earlier and on_resume is not None:
            on_resume(len(earlier), len(part.indices))
        solve(
            space,
            tolerance=tolerance,
            certify=certify,
            kernel=kernel_of(space, precision),
            runner=runner,
            store=store,
            task=task,
            part=part,
            finished=earlier,
            on_block=count,
        )
        store.wait()
        adder.wait()
        _log.info("all blocks are solved; finishing the table")
        header = writer.finish(seconds=time.perf_counter() - began)
        if not is_folder:
            folder.remove()
    if certify and space.has_levels and not is_folder:
        _bound_levels(output, part, room, threads)
    return MakeSummary(
        path=output,
        part=part,
        seconds=time.perf_counter() - began,
        residual=header.residual * part.space.unit,
        error=None if header.error is None else header.error * part.space.unit,
        resumed_blocks=len(earlier),
        value=start_value,
        table_bytes=_size(output),
        sweeps=adder.position_sweeps / part.n_values,
        replaced=replaced,
    )


def _bound_levels(output: pathlib.Path, part: Part, room: Room, threads: int | None) -> None:
    """Bound what the cut of the fines costs at each level, if there is room for all values."""
    needed = BASE_BYTES + 8 * part.n_values + largest_cost(part, certify=True)
    if needed > room.budget:
        _log.warning(
            "what the cut of the fines costs is not bounded by the number of fines: that takes "
            "%.1f GB of memory ('ur certify' does it later)",
            needed / 1e9,
        )
        return
    _log.info("bounding what the cut of the fines costs")
    certify_levels(output, threads=threads)


def _take_over(folder: BlockFolder, known: TableFile, part: Part) -> None:
    """Put the blocks of a table into files of a solve, as if it had solved them."""
    for row in known.blocks:
        record = BlockRecord.of(row)
        if record.index in part and not folder.files.path(record.index).exists():
            values = known.read_block(record.index)
            if not folder.job.certify:
                record = dataclasses.replace(record, error=None)
            folder.note(folder.files.write(record, values, is_read_again=False))


@contextmanager
def _performers(
    cluster: Cluster | None,
    folder: BlockFolder,
    part: Part,
    room: Room,
    *,
    threads: int | None,
    memory: int | None,
    on_workers: Callable[[int], object],
) -> Iterator[tuple[Runner, FolderTask | None]]:
    """What works on blocks, and what it is to do with one if it is in other processes."""
    if cluster is None:
        yield ThreadRunner(threads, room.allowance), None
        return
    try:
        from ur_solver.cluster.runner import ClusterRunner  # noqa: PLC0415 - Dask
        from ur_solver.cluster.start import connected  # noqa: PLC0415
    except ImportError as error:
        package = error.name or "distributed"
        raise InputError(
            missing_extra("workers need Dask distributed", "cluster", package)
        ) from None
    space, job = part.space, folder.job
    if memory is None and cluster.scheduler is None:
        memory = available_bytes() // (cluster.workers or 1)
    path = folder.folder.absolute()
    with connected(cluster) as connect:
        runner = ClusterRunner(
            connect,
            cost=lambda index: block_cost(space, index, job.certify, job.precision),
            largest=largest_cost(part, job.certify, job.precision),
            folder=str(path),
            memory=None if memory is None else memory - BASE_BYTES,
            most_threads=cluster.threads,
            silence=cluster.silence,
            on_workers=on_workers,
        )
        yield runner, FolderTask(str(path), (path / HEAD).read_bytes())


def _size(output: pathlib.Path) -> int:
    with TableFile(output) as table:
        return table.n_bytes
