"""A file that is being written: locked, written by HDF5, and renamed when it is complete."""

from __future__ import annotations

import errno
import io
import os
import pathlib
from contextlib import suppress
from typing import TYPE_CHECKING

from ur_solver.blocks.lock import is_unsupported, lock_open_file

if TYPE_CHECKING:
    from typing_extensions import Buffer


_IS_WINDOWS = os.name == "nt"


def part_path(path: pathlib.Path) -> pathlib.Path:
    """The path of the file while it is written, before it gets the name `path`."""
    return path.with_name(f".{path.name}.part")


class PartFile(io.FileIO):
    """The file that HDF5 writes to; it records a failed write instead of raising an error.

    HDF5 does not survive a full disk: a file that it cannot flush stays open in the library, which
    crashes on it when the process ends. So every write is reported to HDF5 as successful, and the
    writer calls `check` after every step.

    Parameters
    ----------
    path : Path
        An existing file is emptied.

    Raises
    ------
    OSError
        If the file cannot be opened, or another process is writing it.
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
        """Sync the file, give it the name `path` and close it; OSError if that fails."""
        self.check()
        os.fsync(self.fileno())
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
