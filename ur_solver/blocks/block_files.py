"""Blocks as files: written once, completely; read as mapped files.

A folder of blocks holds

    solve.json      what is being solved (`Job`)
    manifest.bin    a `RECORD` for every block, zeros until the solve knows that it is
                    finished
    000/000123.block    block 123: its `RECORD`; the CRC-32 of each chunk of its values, uint32;
                    zeros up to a multiple of 64 bytes; its values by rank
    table.json, checksums.bin    once it is whole (`ur_solver.table.table_folder`)
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
import mmap
import os
import pathlib
import threading
import zlib
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.blocks.block_record import RECORD, BlockRecord, Row, is_sound
from ur_solver.blocks.chunks import checksum, checksums, chunk_length_for, chunks_in
from ur_solver.errors import DamagedBlockError, OutputError
from ur_solver.space import Space

_LINE = 64
_IN_A_FOLDER = 1000
"""Blocks in one folder: some file systems are slow in folders of very many files."""

_REMOVALS = 8
"""The number of files removed at the same time."""

_Identity = tuple[int, int]
"""Of a file: its inode, and when it was changed."""

_COUNTER = itertools.count()


class BlockFiles:
    """The files of a folder's blocks; safe from several threads and processes.

    Parameters
    ----------
    folder : Path
    space : Space
    dtype : numpy dtype
        The type of stored values.
    solve : int
        CRC-32 of the folder's solve.json.
    """

    def __init__(
        self, folder: pathlib.Path, space: Space, dtype: np.dtype[Any], solve: int
    ) -> None:
        self.folder = folder
        self.space = space
        self.dtype = dtype
        self.chunk_length = chunk_length_for(space)
        self._solve = solve
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
        """Put a finished block on disk, unless it is already there.

        Parameters
        ----------
        record : BlockRecord
        values : array, shape (block size,)
            As they are stored.
        is_read_again : bool
            Whether the solve will read them from the file.

        Returns
        -------
        Row
            The row of the block on disk.

        Raises
        ------
        OutputError
            If it cannot be written, for example on a full disk.
        """
        values = np.ascontiguousarray(values, self.dtype)
        import socket  # noqa: PLC0415 - 2 ms that reading does not need

        chunks = checksums(values, self.chunk_length)
        row = record.row(len(values), self._solve, zlib.crc32(chunks.tobytes()))
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
                f"{error.strerror or error}; the blocks before it are kept"
            ) from None

    def _publish(self, index: int, row: Row, part: pathlib.Path, path: pathlib.Path) -> Row:
        """Rename a complete file, unless its name is taken."""
        try:
            with self._lock:
                os.link(part, path)
        except FileExistsError:
            there = self.whole_row(index)
            if there is not None:
                return there
            part.replace(path)
        except OSError:  # a file system without hard links
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
        except OSError:
            raise self._damaged(index) from None
        if length != _first_value(n_chunks) + size * self.dtype.itemsize:
            raise self._damaged(index)
        row: Row = np.frombuffer(head, RECORD, 1)[0]
        chunks = np.frombuffer(head, "<u4", n_chunks, RECORD.itemsize)
        if not (
            is_sound(row)
            and (row["index"], row["size"], row["solve"]) == (index, size, self._solve)
            and row["values"] == zlib.crc32(chunks.tobytes())
        ):
            raise self._damaged(index)
        return row, chunks

    def chunks_of(self, index: int) -> npt.NDArray[np.uint32]:
        """The checksums of a block's chunks.

        Raises
        ------
        DamagedBlockError
            If its file is missing or is no complete block of this solve.
        """
        return self._head(index)[1]

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
        except (OSError, ValueError) as error:
            if getattr(error, "errno", None) in (errno.ENOMEM, errno.EMFILE):
                raise MemoryError(f"no room to map block {index}: {error}") from None
            raise self._damaged(index) from None

    def values_of(self, index: int, *, is_checked: bool | None = None) -> npt.NDArray[Any]:
        """The stored values of a block, mapped, shape (block size,); not to be written to.

        Parameters
        ----------
        index : int
        is_checked : bool, optional
            Whether its checksums were compared before; by default this object's knowledge of the
            current file.

        Raises
        ------
        DamagedBlockError
            If its file is missing or is no complete block of this solve.
        """
        values, identity = self._map(index)
        if is_checked is None:
            is_checked = self._checked.get(index) == identity
        if not is_checked:
            length = self.chunk_length
            for k, expected in enumerate(self.chunks_of(index).tolist()):
                if checksum(values[k * length : (k + 1) * length]) != expected:
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
