"""Writing a table block by block: as a file, which gets its name when complete, or as a folder."""

from __future__ import annotations

import dataclasses
import datetime
import errno
import io
import os
import pathlib
import shutil
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np
import numpy.typing as npt

from ur_solver.blocks.folder import BlockFolder, BlockResult, remove_blocks
from ur_solver.blocks.lock import HEAD, MANIFEST, is_held, is_unsupported, lock_open_file
from ur_solver.blocks.stored import VALUE_TYPES, Possible, checksum, chunk_length_for
from ur_solver.common.files import Closing, keep_mode, resolved, write_file
from ur_solver.common.machine import program_version
from ur_solver.common.text import counted, json_text
from ur_solver.errors import OutputError
from ur_solver.rules import RuleSet
from ur_solver.space import Part, part_of, space_of
from ur_solver.table.format import (
    CHECKSUMS,
    FORMAT,
    TABLE,
    Header,
    blocks_of_rows,
    descriptions,
    empty_blocks,
    n_chunks,
    sealed,
    table_error,
)
from ur_solver.table.hdf5 import compressed, encode
from ur_solver.table.reader import TableFile

if TYPE_CHECKING:
    from typing_extensions import Buffer


_IS_WINDOWS = os.name == "nt"


def part_path(path: pathlib.Path) -> pathlib.Path:
    """The path of the file while it is written, before it gets the name `path`."""
    path = resolved(path)
    return path.with_name(f".{path.name}.part")


class PartFile(io.FileIO):
    """The file that HDF5 writes to; it records a failed write instead of raising an error.

    HDF5 does not survive a full disk: a file that it cannot flush stays open in the library, which
    crashes on it when the process ends. So every write is reported to HDF5 as successful, and the
    writer calls `check` after every step. An existing file is emptied; OSError if it cannot be
    opened, or another process is writing it.
    """

    def __init__(self, path: pathlib.Path) -> None:
        self._path = path
        self._failure: OSError | None = None
        binary = getattr(os, "O_BINARY", 0)
        # emptied only after it is locked, since it may be another writer's
        super().__init__(os.open(path, os.O_RDWR | os.O_CREAT | binary, 0o666), "r+")
        try:
            self._lock()
            super().truncate(0)
        except BaseException:
            self.close()
            raise

    def _lock(self) -> None:
        if lock_open_file(self.fileno(), self._path.parent):
            with suppress(FileNotFoundError):
                # another writer may have finished and renamed the file in between
                if os.path.samestat(os.fstat(self.fileno()), self._path.stat()):
                    return
        raise BlockingIOError(errno.EWOULDBLOCK, "another process is writing it")

    def write(self, content: Buffer, /) -> int:
        """Write all of `content`; after a write has failed, nothing is written."""
        rest = memoryview(content).cast("B")
        size = len(rest)
        try:
            while len(rest) and self._failure is None:
                rest = rest[super().write(rest) :]
        except OSError as error:
            self._failure = error
        return size

    def truncate(self, size: int | None = None, /) -> int:
        """Set the file's size; after a write has failed, nothing is done."""
        try:
            return super().truncate(size) if self._failure is None else 0
        except OSError as error:
            self._failure = error
            return 0

    def check(self) -> None:
        """Raise the OSError of the first write that failed, if one did."""
        if self._failure is not None:
            raise self._failure

    def publish(self, path: pathlib.Path) -> None:
        """Sync the file, give it the name `path` and close it; OSError if that fails.

        A symbolic link stays one, and a file that is replaced keeps its permissions.
        """
        self.check()
        path = resolved(path)
        os.fsync(self.fileno())
        keep_mode(self._path, path)
        if _IS_WINDOWS:
            self.close()  # Windows does not rename an open file
        self._path.replace(path)
        self.close()
        _sync_folder(path.parent)

    def discard(self) -> None:
        """Close and remove the file."""
        with suppress(OSError):
            if _IS_WINDOWS:
                self.close()
            self._path.unlink(missing_ok=True)
        self.close()


def _sync_folder(path: pathlib.Path) -> None:
    """Make the operating system write a folder's entries to the disk."""
    if _IS_WINDOWS:
        return  # on Windows a folder cannot be opened and synced
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if not is_unsupported(error):  # the file is whole and has its name
            raise
    finally:
        os.close(handle)


class _Writer(Closing):
    """The rows of ``/blocks`` and the header of a table, collected while it is written.

    OutputError if the value type cannot hold money.
    """

    def __init__(
        self,
        rules: RuleSet,
        *,
        tolerance: float,
        value_type: str,
        part: Part | None,
        objective: str | None = None,
    ) -> None:
        if space_of(rules).has_levels and VALUE_TYPES[value_type].rounding:
            raise OutputError(
                f"value type {value_type!r} is for chances of winning; money is stored as 'float64'"
            )
        # the reach of stakes is written out, since its default may change
        self.rules = rules.settled()
        self.tolerance = tolerance
        self.objective = objective
        self.value_type = VALUE_TYPES[value_type]
        self.part = part or part_of(self.rules)
        self.space = self.part.space
        self.chunk_length = chunk_length_for(self.space)
        self.blocks: npt.NDArray[Any] = empty_blocks(self.part, self.chunk_length)
        self._place = {index: k for k, index in enumerate(self.part.indices)}
        self._possible = Possible(self.space, are_lengths=objective is not None)
        self._cut = (0.0, 0.0)
        self._is_noted = np.zeros(len(self.blocks), dtype=bool)

    def _row_of(self, index: int) -> int:
        """The row of a block; ValueError if it is not in the table's part."""
        if index not in self._place:
            raise ValueError(f"block {index!r} is not one of the table's {len(self.blocks)}")
        return self._place[index]

    def _check(self, result: BlockResult) -> None:
        """Raise ValueError if a block is not in the table, or its values are invalid."""
        index, values = result.record.index, result.values
        size = self.blocks[self._row_of(index)]["size"]
        if values.shape != (size,):
            raise ValueError(f"block {index}: values of shape {values.shape}, expected ({size},)")
        at = self._possible.fault(values)
        if at is not None:
            raise ValueError(
                f"block {index}: value {at} is {values[at]}, not {self._possible.noun}"
            )

    def _note(self, result: BlockResult) -> None:
        """Record a block; ValueError if it is already recorded."""
        record = result.record
        place = self._row_of(record.index)
        if self._is_noted[place]:
            raise ValueError(f"block {record.index} has been added already")
        row = self.blocks[place]
        row["residual"] = record.residual
        row["sweeps"] = record.sweeps
        row["seconds"] = record.seconds
        row["error"] = np.nan if record.error is None else record.error
        self._is_noted[place] = True
        error, growth = self.space.cut_error(result.values)
        self._cut = max(self._cut[0], error), max(self._cut[1], growth)

    def _header(self, *, seconds: float) -> Header:
        """The header of the whole table; ValueError if blocks are missing."""
        missing = np.flatnonzero(~self._is_noted)
        if len(missing):
            first = self.part.indices[missing[0]]
            many = counted(len(missing), "block is", "blocks are")
            raise ValueError(f"{many} missing, the first of them {first}")
        error = table_error(self.blocks)
        tolerance = self.tolerance + self.value_type.rounding
        if self.objective is not None:  # a length has no other estimate than what is proven
            tolerance = error or 0.0
        return Header(
            rules=self.rules,
            value_type=self.value_type.name,
            tolerance=float(tolerance),
            residual=float(self.blocks["residual"].max()),
            error=error,
            positions=self.part.n_values,
            seconds=float(seconds),
            made=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            program=program_version(),
            cut_error=self._cut[0] if self.space.has_levels else None,
            cut_growth=self._cut[1] if self.space.has_levels else None,
            objective=self.objective,
        )


class TableWriter(_Writer):
    """A table that is being written, as a file.

    It is written to ``.<name>.part`` in the same folder. `finish` syncs and renames the file, which
    replaces an existing table; leaving the context without `finish` removes it. The tolerance is
    that of values before they are rounded to the value type, which with stakes is ``"float64"``. By
    default the table has all blocks. The objective is as in the header.

    OutputError if the folder is not writable, another writer makes this table, or the type cannot
    hold money.
    """

    def __init__(
        self,
        path: pathlib.Path,
        rules: RuleSet,
        *,
        tolerance: float,
        value_type: str = "float64",
        part: Part | None = None,
        objective: str | None = None,
    ) -> None:
        self.path = pathlib.Path(path)
        super().__init__(
            rules, tolerance=tolerance, value_type=value_type, part=part, objective=objective
        )
        self._lock = threading.Lock()
        total = n_chunks(self.blocks, self.chunk_length)
        self._checksums = np.zeros(total, dtype="<u4")
        try:
            self._disk = PartFile(part_path(self.path))
            try:
                self._file = h5py.File(self._disk, "w", libver="latest")
            except BaseException:
                self._disk.discard()
                raise
        except OSError as error:
            raise self._cannot_write(error) from error
        self._is_open = True
        with self._writing():
            self._values = self._file.create_dataset(
                "values",
                shape=(total * self.chunk_length,),
                dtype=self.value_type.dtype,
                chunks=(self.chunk_length,),
                # the fastest to write of those measured, 4 % larger than the smallest (`format`)
                # over the compressed bytes, so that the decompressor gets no damaged ones
                fletcher32=True,
                **compressed(self.value_type.dtype.itemsize),
            )

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            self._disk.check()
            yield
            self._disk.check()
        except OSError as error:
            self.close()
            raise self._cannot_write(error) from error

    def _cannot_write(self, error: OSError) -> OutputError:
        return OutputError(f"cannot write table {str(self.path)!r}: {error.strerror or error}")

    def add(self, result: BlockResult) -> None:
        """Write one block. Each is written once, in any order and from any thread.

        ValueError if the block is not one of the table, has been written already, or holds a number
        that is not a probability, or not a length; OutputError if it cannot be written, for example
        on a full disk.
        """
        self._check(result)
        stored = self.value_type.encode(result.values)
        length = self.chunk_length
        first = int(self.blocks[self._row_of(result.record.index)]["first_chunk"])
        with self._lock, self._writing():
            self._note(result)
            for number, at in enumerate(range(0, len(stored), length), first):
                chunk = stored[at : at + length]
                self._values.id.write_direct_chunk((number * length,), encode(chunk, length))
                self._checksums[number] = checksum(chunk)

    def finish(self, *, seconds: float, header: Header | None = None) -> Header:
        """Complete the table and rename it; the header is made from the blocks unless it is known.

        `seconds` is the duration of the solve. ValueError if a block is missing, OutputError if the
        table cannot be written.
        """
        header = header or self._header(seconds=seconds)
        with self._lock, self._writing():
            self._file.create_dataset("checksums", data=self._checksums)
            self._values.attrs["scale"] = 1 / self.value_type.scale
            self._values.attrs["chunk_length"] = np.int64(self.chunk_length)
            _write_head(self._file, header, self.blocks, self._checksums)
            self._file.close()
            self._disk.publish(self.path)
            self._is_open = False
        return header

    def close(self) -> None:
        """Close the unfinished file and remove it; does nothing after `finish`."""
        if self._is_open:
            self._is_open = False
            self._file.close()
            self._disk.discard()


def add_certificate(
    table: TableFile,
    errors: npt.NDArray[np.float64],
    level_errors: tuple[float, ...] | None = None,
) -> None:
    """Write the proven errors of its blocks, and of its levels of fines, into a table's file.

    A changed copy replaces the file at the end, so the table is complete at any time, with or
    without the certificate; `table` still reads the old file. `errors`, float64, shape (blocks,),
    are those of the values that it reads; `level_errors`, with stakes, the same by the number of
    fines, the cut of the fines included. OutputError if the file cannot be written, or has changed
    since it was opened.
    """
    path = table.path
    blocks = table.blocks.copy()
    blocks["error"] = errors
    header = dataclasses.replace(table.header, error=table_error(blocks), level_errors=level_errors)
    part = None
    try:
        part = PartFile(part_path(path))
        with path.open("rb") as file, TableFile(path) as now:
            if not now.is_same(table):
                raise OutputError(f"table {str(path)!r} has changed since it was opened")
            shutil.copyfileobj(file, part)
        part.check()
        with h5py.File(part, "r+", libver="latest") as file:
            del file["blocks"]
            _write_head(file, header, blocks, file["checksums"][()])
        part.publish(path)
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"cannot write table {str(path)!r}: {reason}") from error
    finally:
        if part is not None and not part.closed:
            part.discard()


def _write_head(
    file: h5py.File,
    header: Header,
    blocks: npt.NDArray[Any],
    checksums: npt.NDArray[np.uint32],
) -> None:
    """Write the blocks and the attributes, with the digest of them all."""
    file.create_dataset("blocks", data=blocks)
    for name, value in (sealed(header, blocks, checksums) | {"format": FORMAT}).items():
        file.attrs[name] = _as_attribute(value)
    for name, text in descriptions(header).items():
        file[name].attrs["description"] = _as_attribute(text)


def _as_attribute(value: str | int | float) -> Any:
    if isinstance(value, str):
        return np.bytes_(value.encode("ascii"))
    return np.int64(value) if isinstance(value, int) else np.float64(value)


def write_table(
    path: pathlib.Path,
    rules: RuleSet,
    results: Iterable[BlockResult],
    *,
    tolerance: float,
    seconds: float,
    value_type: str = "float64",
) -> Header:
    """Write finished blocks, every one once, to a table at `path`; as for `TableWriter`."""
    with TableWriter(path, rules, tolerance=tolerance, value_type=value_type) as writer:
        for result in results:
            writer.add(result)
        return writer.finish(seconds=seconds)


def remove_folder(path: pathlib.Path) -> None:
    """Remove a folder that holds a table.

    OutputError if it is no table, a solve is writing to it, or it cannot be removed.
    """
    if not (path / HEAD).is_file():
        raise OutputError(f"{str(path)!r} is not a table; name another output")
    remove_blocks(path)


def publish_folder(folder: pathlib.Path, path: pathlib.Path) -> None:
    """Give a complete folder the name of a table, in the place of a table that is there.

    Both are in one folder. Raises OutputError as `remove_folder` does.
    """
    path = resolved(path)
    old = path.with_name(f".{path.name}.old")
    if is_held(path):
        raise OutputError(f"a solve is writing to {str(path)!r}")
    try:
        if path.is_dir():
            if old.is_dir():  # of a killed process
                remove_folder(old)
            keep_mode(folder, path)
            path.rename(old)
        try:
            folder.rename(path)
        except OSError:
            if old.is_dir():
                old.rename(path)
            raise
    except OSError as error:
        raise OutputError(f"cannot replace {str(path)!r}: {error.strerror or error}") from None
    if old.is_dir():
        remove_folder(old)


class FolderWriter(_Writer):
    """A folder of blocks that becomes a table; the solve writes the block files."""

    def __init__(self, folder: BlockFolder, part: Part) -> None:
        self._folder = folder
        job = folder.job
        super().__init__(job.rules, tolerance=job.tolerance, value_type=job.value_type, part=part)

    def add(self, result: BlockResult) -> None:
        """Record a block whose file exists or is being written; raises as `TableWriter`."""
        self._check(result)
        self._note(result)

    def finish(self, *, seconds: float, header: Header | None = None) -> Header:
        """Complete the folder; as `TableWriter.finish`."""
        folder = self._folder
        # some may have been solved again after they were added
        self.blocks = blocks = blocks_of_rows(self.part, folder.rows)
        header = header or self._header(seconds=seconds)
        checksums = np.concatenate([folder.files.chunks_of(index) for index in self.part.indices])
        head = sealed(header, blocks, checksums)
        write_file(folder.folder / MANIFEST, folder.rows.tobytes())
        write_file(folder.folder / CHECKSUMS, checksums.tobytes())
        write_file(folder.folder / TABLE, json_text(head, indent=1))
        return header

    def close(self) -> None:
        """Do nothing: the files stay."""
