"""The folder of a solve's blocks, and blocks as files: written once, completely; read mapped.

A folder of blocks holds

    solve.json      what is being solved (`Job`)
    manifest.bin    a `RECORD` for every block, zeros until the solve knows that it is
                    finished
    000/000123.block    block 123: its `RECORD`; the CRC-32 of each chunk of its values, uint32;
                    zeros up to a multiple of 64 bytes; its values by rank
    table.json, checksums.bin    once it is whole (`ur_solver.table.format`)
    lock            held by the solve that writes here

All numbers are little endian. A chunk is `chunk_length_for` values, as in a table. A record
has checksums of itself, of solve.json and of the chunks' checksums: a file of another solve, or an
incomplete one, does not count, and its block is solved again.

A file is written under a temporary name, synced, and renamed when it is complete. The first
complete file of a block stays: others may have read it, and a second one, of a worker that counted
as lost, could differ in the last bit. A file never changes after it has its name, so it can be
mapped, and the system can reclaim its pages.
"""

from __future__ import annotations

import errno
import itertools
import json
import math
import mmap
import os
import pathlib
import shutil
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ur_solver.blocks.lock import HEAD, LOCK, MANIFEST, HeldError, LockFile
from ur_solver.blocks.stored import (
    VALUE_TYPES,
    Possible,
    are_figures,
    checksum,
    checksums,
    chunk_length_for,
    chunks_in,
)
from ur_solver.common.files import write_file
from ur_solver.common.text import json_text
from ur_solver.errors import (
    CheckpointError,
    DamagedBlockError,
    OutputError,
    RuleSetError,
    UnregisteredError,
    UnsolvableError,
)
from ur_solver.rules import RuleSet
from ur_solver.space import LAST_RANKS, Space, space_of

_MAGIC = b"urb\x01"

RECORD = np.dtype(
    [
        ("magic", "S4"),
        ("checksum", "<u4"),  # CRC-32 of all fields that follow
        ("index", "<i8"),
        ("size", "<i8"),  # in values
        ("residual", "<f8"),
        ("sweeps", "<i8"),
        ("seconds", "<f8"),
        ("error", "<f8"),  # not a number unless certified
        ("solve", "<u4"),  # CRC-32 of solve.json
        ("values", "<u4"),  # CRC-32 of the checksums of the chunks
    ]
)
"""The record of a finished block in files; zeros if it is not finished."""

Row = np.void
"""One number of `RECORD`."""


@dataclass(frozen=True)
class BlockRecord:
    """What is said of a finished block."""

    index: int  # its place in `Space.blocks`
    residual: float  # the largest abs(T(V) - V) over the block, from a separate pass
    sweeps: int
    seconds: float  # from its layout to its residual and its proof
    error: float | None = None  # of the values, as proven; None without a proof

    @staticmethod
    def of(row: Any) -> BlockRecord:
        """The record of a row of `RECORD`, or of a table's ``/blocks``."""
        error = float(row["error"])
        return BlockRecord(
            index=int(row["index"]),
            residual=float(row["residual"]),
            sweeps=int(row["sweeps"]),
            seconds=float(row["seconds"]),
            error=None if math.isnan(error) else error,
        )

    def row(self, size: int, solve: int, values: int) -> Row:
        """The record as files hold it, with the checksums of `RECORD`; `size` in values."""
        rows = np.zeros(1, RECORD)
        error = math.nan if self.error is None else self.error
        rows[0] = (
            *(_MAGIC, 0, self.index, size, self.residual, self.sweeps, self.seconds, error),
            *(solve, values),
        )
        rows["checksum"] = _checksum(rows)
        row: Row = rows[0]
        return row


class BlockResult(NamedTuple):
    """A finished block with its values: float64, shape (block size,), in rank order.

    They are win probabilities in [0, 1], with stakes in the units of the space.
    """

    record: BlockRecord
    values: npt.NDArray[np.float64]


def is_sound(row: Row) -> bool:
    """Whether a row belongs to a finished block, matches its checksum and has figures of one."""
    rows: npt.NDArray[Any] = np.array([row], RECORD)
    is_whole = rows["magic"][0] == _MAGIC and rows["checksum"][0] == _checksum(rows)
    return bool(is_whole) and are_figures(rows)


def _checksum(rows: npt.NDArray[Any]) -> int:
    return zlib.crc32(rows.tobytes()[RECORD.fields["index"][1] :])  # type: ignore[index]


_LINE = 64
_IN_A_FOLDER = 1000
"""Blocks in one folder: some file systems are slow in folders of very many files."""

_REMOVALS = 8
"""The number of files removed at the same time."""

_NO_ROOM = errno.ENOMEM, errno.EMFILE, errno.ENFILE
_NO_ACCESS = errno.EACCES, errno.EPERM, errno.ESTALE

_Identity = tuple[int, int]
"""Of a file: its inode, and when it was changed."""

_COUNTER = itertools.count()


class BlockFiles:
    """The files of a folder's blocks; safe from several threads and processes.

    Values are stored as `dtype`; `solve` is the CRC-32 of the folder's solve.json.
    """

    def __init__(
        self, folder: pathlib.Path, space: Space, dtype: np.dtype[Any], solve: int
    ) -> None:
        self.folder = folder
        self.space = space
        self.dtype = dtype
        self.chunk_length = chunk_length_for(space)
        self.solve = solve
        self._possible = Possible(space)
        self._lock = threading.Lock()
        self._checked: dict[int, _Identity] = {}

    def path(self, index: int) -> pathlib.Path:
        """The file of a block."""
        return self.folder / f"{index // _IN_A_FOLDER:03d}" / f"{index:06d}.block"

    def on_disk(self) -> list[int]:
        """The numbers of blocks with a file, with any content, ascending."""
        found = []
        for path in self.folder.glob("[0-9][0-9][0-9]*/*.block"):
            with suppress(ValueError):
                index = int(path.stem)
                if 0 <= index < len(self.space.blocks) and path == self.path(index):
                    found.append(index)
        return sorted(found)

    def write(
        self, record: BlockRecord, values: npt.NDArray[Any], *, is_read_again: bool = True
    ) -> Row:
        """Put a finished block on disk, unless it is already there; return the row of the block on
        disk.

        Values are those to store, shape (block size,). Without `is_read_again` the solve will not
        read the file. OutputError if it cannot be written, for example on a full disk.
        """
        values = np.ascontiguousarray(values, self.dtype)
        import socket  # noqa: PLC0415 - 2 ms that reading does not need

        chunks = checksums(values, self.chunk_length)
        row = record.row(len(values), self.solve, zlib.crc32(chunks.tobytes()))
        head = row.tobytes() + chunks.tobytes()
        path = self.path(record.index)
        part = path.with_name(
            f".{path.name}.{socket.gethostname()}-{os.getpid()}-{next(_COUNTER)}.part"
        )
        try:
            if self.folder.is_dir():  # reports a missing one
                path.parent.mkdir(exist_ok=True)
            try:
                with part.open("xb", buffering=0) as file:
                    _write_all(file.fileno(), head.ljust(_first_value(len(chunks)), b"\0"))
                    _write_all(file.fileno(), values.view(np.uint8).data)
                    os.fsync(file.fileno())
                    if not is_read_again:
                        _forget(file.fileno())
                return self._publish(record.index, row, part, path)
            finally:
                part.unlink(missing_ok=True)
        except OSError as error:
            raise OutputError(
                f"cannot write block {record.index} to {str(self.folder)!r}: "
                f"{error.strerror or error}"
            ) from None

    def _publish(self, index: int, row: Row, part: pathlib.Path, path: pathlib.Path) -> Row:
        """Rename a complete file, unless its name is taken."""
        try:
            with self._lock:
                os.link(part, path)
        except OSError:  # the name is taken, or the file system has no hard links
            there = self.whole_row(index)
            if there is not None:
                return there
            part.replace(path)
        return row

    def row(self, index: int) -> Row:
        """The row at the head of a block's file; raises as `chunks_of`."""
        return self._head(index)[0]

    def whole_row(self, index: int) -> Row | None:
        """The row of a block with a complete file; otherwise None."""
        try:
            self.values_of(index, is_checked=False)
            return self.row(index)
        except DamagedBlockError:
            return None

    def _head(self, index: int) -> tuple[Row, npt.NDArray[np.uint32]]:
        size = self.space.blocks[index].size
        n_chunks = chunks_in(size, self.chunk_length)
        try:
            with self.path(index).open("rb") as file:
                head = file.read(RECORD.itemsize + 4 * n_chunks)
                length = os.fstat(file.fileno()).st_size
        except OSError as error:
            raise self._unreadable(index, error) from None
        if length != _first_value(n_chunks) + size * self.dtype.itemsize:
            raise self._damaged(index)
        row: Row = np.frombuffer(head, RECORD, 1)[0]
        chunks = np.frombuffer(head, "<u4", n_chunks, RECORD.itemsize)
        if not (
            is_sound(row)
            and (row["index"], row["size"], row["solve"]) == (index, size, self.solve)
            and row["values"] == zlib.crc32(chunks.tobytes())
        ):
            raise self._damaged(index)
        return row, chunks

    def chunks_of(self, index: int) -> npt.NDArray[np.uint32]:
        """The checksums of a block's chunks.

        DamagedBlockError if its file is missing or is no complete block of this solve; MemoryError
        or OutputError if it cannot be opened for another reason.
        """
        return self._head(index)[1]

    def _unreadable(self, index: int, error: OSError) -> Exception:
        """What to raise if a block's file cannot be opened or mapped.

        An error that says nothing about the file itself must not have it removed.
        """
        if error.errno in _NO_ROOM:
            return MemoryError(f"cannot map block {index}: {error.strerror}")
        if error.errno in _NO_ACCESS:
            path = str(self.path(index))
            return OutputError(f"cannot read block {index}, {path!r}: {error.strerror}")
        return self._damaged(index)

    def _damaged(self, index: int) -> DamagedBlockError:
        path = self.path(index)
        fault = "is damaged, or of another solve" if path.exists() else "is not there"
        return DamagedBlockError(
            index, f"block {index}: {str(path)!r} {fault}; the same 'ur solve' solves it again"
        )

    def map(self, index: int) -> npt.NDArray[Any]:
        """The stored values of a block, mapped, unchecked; raises as `values_of`."""
        return self._map(index)[0]

    def _map(self, index: int) -> tuple[npt.NDArray[Any], _Identity]:
        size = self.space.blocks[index].size
        first = _first_value(chunks_in(size, self.chunk_length))
        try:
            with self.path(index).open("rb") as file:
                whole = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
                found = os.fstat(file.fileno())
            values = np.frombuffer(whole, self.dtype, size, first)
            return values, (found.st_ino, found.st_mtime_ns)
        except OSError as error:
            raise self._unreadable(index, error) from None
        except ValueError:  # an empty file
            raise self._damaged(index) from None

    def values_of(self, index: int, *, is_checked: bool | None = None) -> npt.NDArray[Any]:
        """The stored values of a block, mapped, shape (block size,); not to be written to.

        By default this object knows whether the current file's checksums were compared before.
        Raises as `chunks_of` does.
        """
        values, identity = self._map(index)
        if is_checked is None:
            is_checked = self._checked.get(index) == identity
        if not is_checked:
            length = self.chunk_length
            for k, expected in enumerate(self.chunks_of(index).tolist()):
                if checksum(values[k * length : (k + 1) * length]) != expected:
                    raise self._damaged(index)
            if self._possible.fault(values) is not None:
                raise self._damaged(index)
            with self._lock:
                self._checked[index] = identity
        return values

    def remove(self, index: int) -> None:
        """Remove the file of a block."""
        with self._lock:
            self._checked.pop(index, None)
        with suppress(OSError):
            self.path(index).unlink()

    def remove_damaged(self, index: int) -> None:
        """Remove the file of a block, unless it reads back whole.

        Others may find the same damage, and one of them may have it solved again meanwhile: only
        the inspected file is removed.
        """
        before = self._identity(index)
        if before is None or self.whole_row(index) is not None:
            return
        with self._lock:
            if self._identity(index) == before:
                self._checked.pop(index, None)
                with suppress(OSError):
                    self.path(index).unlink()

    def _identity(self, index: int) -> _Identity | None:
        try:
            found = self.path(index).stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns

    def remove_all(self) -> None:
        """Remove the files of all blocks, several at a time.

        If a file system reports freed space to the disk, each removal waits for it: one by one
        the 190 files of finkel 5 take half a second.
        """
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - 2 ms, as above

        with ThreadPoolExecutor(_REMOVALS) as pool:
            list(pool.map(self.remove, self.on_disk()))

    def remove_parts(self) -> None:
        """Remove incomplete files of killed processes."""
        parts = self.folder.glob(".*.part"), self.folder.glob("[0-9][0-9][0-9]*/.*.part")
        for path in itertools.chain(*parts):
            with suppress(OSError):
                path.unlink()


def _first_value(n_chunks: int) -> int:
    """Where the values begin in a file."""
    return -(-(RECORD.itemsize + 4 * n_chunks) // _LINE) * _LINE


def _write_all(file: int, content: bytes | memoryview) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(file, rest) :]


def _forget(file: int) -> None:
    """Let the system drop its copy of a synced file from memory.

    Blocks kept in memory are read again only after a kill, and 4 GB of file copies would take
    memory from the solve and others.
    """
    if hasattr(os, "posix_fadvise"):
        with suppress(OSError):  # a hint that some file systems reject
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)


JOB_VERSION = 5
"""Of `solve.json` and of the files in its folder, or a later one where positions had other numbers
before (`Space.first_version`). Up to 3, all blocks were in one file."""

_DOUBLE = "double"


@dataclass(frozen=True)
class Job:
    """The rules, the part and the accuracy of a solve: all that a worker needs."""

    rules: RuleSet
    tolerance: float
    certify: bool = False  # whether its blocks are certified
    value_type: str = "float64"  # of stored values; blocks that others read are in float64
    part: str | None = None  # `ur_solver.space.Part.name`; None for the whole game
    precision: str = _DOUBLE  # or "single"; files that do not say have double precision

    def to_bytes(self) -> bytes:
        """The content of ``solve.json``."""
        head = {
            "version": _version_of(self.rules),
            "rules": self.rules.to_json(),
            "tolerance": self.tolerance,
            "certify": self.certify,
            "value_type": self.value_type,
        }
        if self.part is not None:
            head["part"] = self.part
        if self.precision != _DOUBLE:
            head["precision"] = self.precision
        return json_text(head, indent=1).encode()

    @staticmethod
    def read(path: pathlib.Path) -> Job:
        """The job in a ``solve.json``.

        CheckpointError if it is of another version or cannot be read; UnregisteredError if its rule
        set has a family or a square rule that is not registered here.
        """
        remedy = f"remove {str(path.parent)!r} to start anew, or name another output"
        try:
            head = json.loads(path.read_bytes())
            version = head["version"]
            of_version = f"checkpoint {str(path.parent)!r} is of version {version!r:.60}"
            if version not in range(JOB_VERSION, LAST_RANKS + 1):
                raise CheckpointError(
                    f"{of_version}, this program reads {JOB_VERSION} to {LAST_RANKS}; {remedy}"
                )
            job = Job._of(head)
            if version != _version_of(job.rules):
                raise CheckpointError(
                    f"{of_version}, this program reads {_version_of(job.rules)} for "
                    f"{job.rules.name}; {remedy}"
                )
            return job
        except UnregisteredError:
            raise
        except _UNREADABLE:
            raise CheckpointError(f"{str(path)!r} cannot be read; {remedy}") from None

    @staticmethod
    def _of(head: Any) -> Job:
        if head["value_type"] not in VALUE_TYPES:
            raise ValueError(f"there is no value type {head['value_type']!r:.60}")
        return Job(
            rules=RuleSet.from_json(head["rules"]),
            tolerance=float(head["tolerance"]),
            certify=bool(head["certify"]),
            value_type=str(head["value_type"]),
            part=None if head.get("part") is None else str(head["part"]),
            precision=str(head.get("precision", _DOUBLE)),
        )

    def misfit(self, wanted: Job) -> str | None:
        """The differences of this job from another, in words; None if they are equal."""
        rules = self.rules
        if not rules.is_same_game(wanted.rules):
            return f"is of {rules.title}"
        if self.tolerance != wanted.tolerance:
            return f"is of tolerance {self.tolerance!r}, not {wanted.tolerance!r}"
        if self.certify is not wanted.certify:
            return f"is of blocks that are {'' if self.certify else 'not '}certified"
        if self.precision != wanted.precision:
            return f"is of {self.precision} precision, not of {wanted.precision}"
        if self.value_type != wanted.value_type:
            return f"holds {self.value_type}, not {wanted.value_type}"
        if self.part != wanted.part:
            names = (each.part or "the whole game" for each in (self, wanted))
            return "is of {}, not of {}".format(*names)
        return None


_UNREADABLE = (
    *(OSError, ValueError, KeyError, TypeError, RecursionError, RuleSetError),
    *(AttributeError, OverflowError),
)
"""Exceptions of reading an invalid head."""


def described(content: bytes) -> str:
    """The job in a ``solve.json`` of any version, in words."""
    try:
        head = json.loads(content)
        job = Job._of(head)
        part = "" if job.part is None else f", {job.part}"
        precision = "" if job.precision == _DOUBLE else f", {job.precision} precision"
        return (
            f"{job.rules.title}{part}, tolerance {job.tolerance!r}{precision}, version "
            f"{head.get('version')!r}"
        )
    except _UNREADABLE:
        return "one that cannot be read"


def _version_of(rules: RuleSet) -> int:
    return max(JOB_VERSION, space_of(rules).first_version)


LATE = 20.0
"""Seconds until a file from another machine is visible (NFS)."""


def join(folder: pathlib.Path) -> tuple[Job, BlockFiles]:
    """The job and the files of a folder that another process holds; raises as `Job.read` does."""
    job = Job.read(folder / HEAD)
    return job, files_of(folder, job)


def files_of(folder: pathlib.Path, job: Job) -> BlockFiles:
    """The files of a folder whose head exists."""
    solve = zlib.crc32((folder / HEAD).read_bytes())
    return BlockFiles(folder, space_of(job.rules), VALUE_TYPES[job.value_type].dtype, solve)


def remove_blocks(folder: pathlib.Path) -> None:
    """Remove a folder of blocks and its contents.

    OutputError if a solve is writing to it, or it cannot be removed.
    """
    lock = LockFile(folder / LOCK, folder)
    try:
        lock.acquire()
        shutil.rmtree(folder)
    except HeldError:
        raise OutputError(f"a solve is writing to {str(folder)!r}") from None
    except OSError as error:
        raise OutputError(f"cannot remove {str(folder)!r}: {error.strerror or error}") from None
    finally:
        lock.release()


class BlockFolder:
    """The finished blocks of one solve; a context manager that holds their folder's lock.

    Entering it raises OutputError if the folder cannot be written or another solve holds it, and
    CheckpointError if the folder is of another job or version. It has `files` once it is entered.
    """

    files: BlockFiles

    def __init__(self, folder: pathlib.Path, job: Job) -> None:
        self.folder = folder
        self.job = job
        self.space: Space = space_of(job.rules)
        self._rows = np.zeros(len(self.space.blocks), RECORD)
        self._manifest: int | None = None
        self._lock = LockFile(folder / LOCK, folder)
        self._was_there = False
        self._was_begun = False

    def __enter__(self) -> Self:
        try:
            self._was_there = self.folder.exists()
            self._was_begun = (self.folder / HEAD).exists()
        except OSError as error:  # such as a name that is too long
            raise self._cannot_write(error) from None
        try:
            self._check()  # before anything is made in a folder of another program
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock.acquire()
        except HeldError:
            raise OutputError(
                f"another solve is writing to {str(self.folder)!r}; wait for it or name "
                "another output"
            ) from None
        except OSError as error:
            self._undo()
            raise self._cannot_write(error) from None
        try:
            self._check()
            self._was_begun = (self.folder / HEAD).exists()
            if not self._was_begun:
                write_file(self.folder / HEAD, self.job.to_bytes())
            self.files = files_of(self.folder, self.job)
            self.files.remove_parts()
            self._open_manifest()
        except OSError as error:
            self._undo()
            raise self._cannot_write(error) from None
        except BaseException:
            self._undo()
            raise
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, UnsolvableError):
            self.remove()  # nothing to resume
        elif error is not None and not self.files.on_disk():
            self._undo()
        self._release()

    def _close_manifest(self) -> None:
        if self._manifest is not None:
            os.close(self._manifest)
            self._manifest = None

    def _release(self) -> None:
        self._close_manifest()
        self._lock.release()

    def _undo(self) -> None:
        """Remove the folder's new files, unless an earlier solve began there."""
        if self._was_begun:
            self._release()
            return
        self._close_manifest()
        for path in (self.folder / HEAD, self.folder / MANIFEST, *self.folder.glob(".*.part")):
            with suppress(OSError):
                path.unlink()
        for folder in self.folder.glob("[0-9][0-9][0-9]*"):
            with suppress(OSError):
                folder.rmdir()
        self._remove_lock(and_folder=not self._was_there)

    def _remove_lock(self, *, and_folder: bool) -> None:
        """Remove the lock, the last file of the folder, and the folder if it is empty then.

        While the lock is held the folder is this solve's. Where an open file cannot be removed (NFS
        renames it), the folder is not empty before the release.
        """
        with suppress(OSError):
            (self.folder / LOCK).unlink()
        for is_released in (False, True):
            if is_released:
                self._release()
            if and_folder:
                with suppress(OSError):
                    self.folder.rmdir()

    def _check(self) -> None:
        """Raise CheckpointError if the folder has another job."""
        if not self.folder.is_dir():
            return
        path = self.folder / HEAD
        remedy = f"remove {str(self.folder)!r} to start anew, or name another output"
        if path.exists():
            if fault := Job.read(path).misfit(self.job):
                raise CheckpointError(f"checkpoint {str(self.folder)!r} {fault}; {remedy}")
        elif any(each.name != LOCK and each.suffix != ".part" for each in self.folder.iterdir()):
            raise CheckpointError(f"{str(path)!r} is missing; {remedy}")

    def _open_manifest(self) -> None:
        path = self.folder / MANIFEST
        self._manifest = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        found = np.fromfile(path, RECORD, len(self._rows))
        self._rows[: len(found)] = found  # fewer if the file is truncated

    def _cannot_write(self, error: OSError) -> OutputError:
        return OutputError(
            f"cannot write the checkpoint {str(self.folder)!r}: {error.strerror or error}"
        )

    def note(self, row: Row) -> None:
        """Write into the manifest that a block is finished; OutputError if it cannot be written."""
        index = int(row["index"])
        self._rows[index] = row
        self._write_rows(index, row.tobytes())

    def _write_rows(self, first: int, content: bytes) -> None:
        assert self._manifest is not None
        try:
            os.lseek(self._manifest, first * RECORD.itemsize, os.SEEK_SET)
            if os.write(self._manifest, content) != len(content):
                raise OSError("the disk is full")
        except OSError as error:
            raise self._cannot_write(error) from None

    def take(self, index: int) -> None:
        """Copy the record of a block's file from another process into the manifest.

        DamagedBlockError if the file is missing, or of another solve, for some seconds.
        """
        until = time.monotonic() + LATE
        while True:
            try:
                row = self.files.row(index)
                break
            except DamagedBlockError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)
        self.note(row)

    def finished(self) -> Iterator[BlockRecord]:
        """The blocks with complete files, by index; other files are removed.

        A file that differs from its manifest is not the one that others have read.
        """
        for index in self.files.on_disk():
            row, noted = self.files.whole_row(index), self._rows[index]
            if (
                row is None
                or (is_sound(noted) and row.tobytes() != noted.tobytes())
                or np.isnan(row["error"]) == self.job.certify
            ):
                self.files.remove(index)
                continue
            self.note(row)
            yield BlockRecord.of(row)

    @property
    def rows(self) -> npt.NDArray[Any]:
        """The manifest: `RECORD`, shape (blocks,)."""
        return self._rows

    def remove(self) -> None:
        """Delete the folder, which no solve will resume."""
        self.files.remove_all()
        self._close_manifest()
        for path in self.folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            elif path.name != LOCK:
                with suppress(OSError):
                    path.unlink()
        self._remove_lock(and_folder=True)
