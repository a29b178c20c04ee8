"""A folder of blocks as the solve holds it that fills it: its lock, its head, its manifest."""

from __future__ import annotations

import os
import pathlib
import shutil
import time
import zlib
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ur_solver.blocks.files import BlockFiles
from ur_solver.blocks.job import Job
from ur_solver.blocks.record import RECORD, BlockRecord, Row, is_sound
from ur_solver.blocks.value_types import VALUE_TYPES
from ur_solver.errors import CheckpointError, OutputError, UnsolvableError
from ur_solver.space import Space, space_of

HEAD, MANIFEST = "solve.json", "manifest.bin"
LATE = 20.0
"""Seconds for which a file that another machine has written may not be seen yet (NFS)."""

_LOCK, _PART = "lock", "solve.part"


def checkpoint_folder(output: pathlib.Path) -> pathlib.Path:
    """Where the blocks of a table are kept until it is whole."""
    return output.with_name(output.name + ".blocks")


def join(folder: pathlib.Path) -> tuple[Job, BlockFiles]:
    """What is being solved in a folder that another process holds, and its files.

    Raises
    ------
    CheckpointError
        If the folder's head cannot be read or is of another version.
    """
    job = Job.read(folder / HEAD)
    return job, files_of(folder, job)


def files_of(folder: pathlib.Path, job: Job) -> BlockFiles:
    """The files of a folder whose head is there."""
    solve = zlib.crc32((folder / HEAD).read_bytes())
    return BlockFiles(folder, space_of(job.rules), VALUE_TYPES[job.value_type].dtype, solve)


def remove_blocks(folder: pathlib.Path) -> None:
    """Remove a folder of blocks, with all that is in it.

    Raises
    ------
    OutputError
        If a solve is writing to it, or it cannot be removed.
    """
    import filelock  # noqa: PLC0415 - 5 ms that reading a table does not need

    try:
        with filelock.FileLock(folder / _LOCK, blocking=False):
            shutil.rmtree(folder)
    except filelock.Timeout:
        raise OutputError(f"a solve is writing to {str(folder)!r}") from None
    except OSError as error:
        raise OutputError(f"cannot remove {str(folder)!r}: {error.strerror}") from None


class BlockFolder:
    """The finished blocks of one solve; a context manager that holds their folder's lock.

    Parameters
    ----------
    folder : Path
    job : Job
        What is being solved.

    Attributes
    ----------
    folder : Path
    job : Job
    space : Space
    files : BlockFiles
        Once it is entered.

    Raises
    ------
    OutputError
        On entering, if the folder cannot be written or another solve holds it.
    CheckpointError
        On entering, if the folder is of another job or version.
    """

    files: BlockFiles

    def __init__(self, folder: pathlib.Path, job: Job) -> None:
        self.folder = folder
        self.job = job
        self.space: Space = space_of(job.rules)
        self._rows = np.zeros(len(self.space.blocks), RECORD)
        self._manifest: int | None = None
        import filelock  # noqa: PLC0415 - 5 ms that reading a table does not need

        self._lock = filelock.FileLock(folder / _LOCK, blocking=False)

    def __enter__(self) -> Self:
        import filelock  # noqa: PLC0415 - as above

        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock.acquire()
        except filelock.Timeout:
            raise OutputError(
                f"another solve is writing to {str(self.folder)!r}; wait for it or name "
                "another output"
            ) from None
        except OSError as error:
            raise self._cannot_write(error) from None
        try:
            self._claim()
            self.files = files_of(self.folder, self.job)
            self.files.remove_parts()
            self._open_manifest()
        except OSError as error:
            self._release()
            raise self._cannot_write(error) from None
        except BaseException:
            self._release()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, UnsolvableError):
            self.remove()  # nothing would go on from here
        self._release()

    def _release(self) -> None:
        if self._manifest is not None:
            os.close(self._manifest)
            self._manifest = None
        self._lock.release()

    def _claim(self) -> None:
        path = self.folder / HEAD
        remedy = f"remove {str(self.folder)!r} to start anew, or name another output"
        if path.exists():
            if fault := Job.read(path).misfit(self.job):
                raise CheckpointError(f"checkpoint {str(self.folder)!r} {fault}; {remedy}")
            return
        if any(each.name not in (_LOCK, _PART) for each in self.folder.iterdir()):
            raise CheckpointError(f"{str(path)!r} is missing; {remedy}")
        part = self.folder / _PART
        try:
            with part.open("wb") as file:
                file.write(self.job.to_bytes())
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        except OSError as error:
            raise OutputError(f"cannot write {str(path)!r}: {error.strerror or error}") from None

    def _open_manifest(self) -> None:
        path = self.folder / MANIFEST
        self._manifest = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        found = np.fromfile(path, RECORD, len(self._rows))
        self._rows[: len(found)] = found  # fewer where the file has been cut off

    def _cannot_write(self, error: OSError) -> OutputError:
        return OutputError(
            f"cannot write the checkpoint {str(self.folder)!r}: {error.strerror or error}"
        )

    def note(self, row: Row) -> None:
        """Write into the manifest that a block is finished.

        Raises
        ------
        OutputError
            If it cannot be written.
        """
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
        """Write into the manifest what another process has put into its file.

        Raises
        ------
        DamagedBlockError
            If it is not there, or not one of this solve, for some seconds.
        """
        until = time.monotonic() + LATE
        while (row := self.files.row(index)) is None:
            if time.monotonic() > until:
                self.files.chunks_of(index)  # which says what is wrong
            time.sleep(0.1)
        self.note(row)

    def finished(self) -> Iterator[BlockRecord]:
        """The blocks whose files read back whole, by index; files that do not are removed.

        One of which the manifest tells something else is not the one that others have read.
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
        """Delete the folder, from which nothing will go on."""
        self._release()
        self.files.remove_all()
        shutil.rmtree(self.folder, ignore_errors=True)
