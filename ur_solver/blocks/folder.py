"""The folder of blocks of a running solve: its lock, its head, its manifest."""

from __future__ import annotations

import os
import pathlib
import shutil
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ur_solver.blocks.block_files import BlockFiles
from ur_solver.blocks.block_record import RECORD, BlockRecord, Row, is_sound
from ur_solver.blocks.file_names import HEAD, LOCK, MANIFEST
from ur_solver.blocks.job import Job
from ur_solver.blocks.lock import HeldError, LockFile
from ur_solver.blocks.value_types import VALUE_TYPES
from ur_solver.common.files import write_file
from ur_solver.errors import CheckpointError, DamagedBlockError, OutputError, UnsolvableError
from ur_solver.space import Space, space_of

LATE = 20.0
"""Seconds until a file from another machine is visible (NFS)."""


def join(folder: pathlib.Path) -> tuple[Job, BlockFiles]:
    """The job and the files of a folder that another process holds.

    Raises
    ------
    CheckpointError
        If the folder's head cannot be read or is of another version.
    """
    job = Job.read(folder / HEAD)
    return job, files_of(folder, job)


def files_of(folder: pathlib.Path, job: Job) -> BlockFiles:
    """The files of a folder whose head exists."""
    solve = zlib.crc32((folder / HEAD).read_bytes())
    return BlockFiles(folder, space_of(job.rules), VALUE_TYPES[job.value_type].dtype, solve)


def remove_blocks(folder: pathlib.Path) -> None:
    """Remove a folder of blocks and its contents.

    Raises
    ------
    OutputError
        If a solve is writing to it, or it cannot be removed.
    """
    lock = LockFile(folder / LOCK, folder)
    try:
        lock.acquire()
        shutil.rmtree(folder)
    except HeldError:
        raise OutputError(f"a solve is writing to {str(folder)!r}") from None
    except OSError as error:
        raise OutputError(f"cannot remove {str(folder)!r}: {error.strerror}") from None
    finally:
        lock.release()


class BlockFolder:
    """The finished blocks of one solve; a context manager that holds their folder's lock.

    Parameters
    ----------
    folder : Path
    job : Job
        The job of the solve.

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

    def _release(self) -> None:
        if self._manifest is not None:
            os.close(self._manifest)
            self._manifest = None
        self._lock.release()

    def _undo(self) -> None:
        """Remove the folder's new files, unless an earlier solve began there."""
        if self._was_begun:
            self._release()
            return
        for path in (self.folder / HEAD, self.folder / MANIFEST, *self.folder.glob(".*.part")):
            with suppress(OSError):
                path.unlink()
        self._release()
        with suppress(OSError):
            (self.folder / LOCK).unlink()
        for folder in (*self.folder.glob("[0-9][0-9][0-9]*"), self.folder):
            if folder is not self.folder or not self._was_there:
                with suppress(OSError):
                    folder.rmdir()

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
        """Copy the record of a block's file from another process into the manifest.

        Raises
        ------
        DamagedBlockError
            If it is missing, or of another solve, for some seconds.
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
        self._release()
        self.files.remove_all()
        shutil.rmtree(self.folder, ignore_errors=True)
