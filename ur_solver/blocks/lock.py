"""The names of files in a folder of blocks, and locks on them: each for one process at a time."""

from __future__ import annotations

import errno
import logging
import os
import pathlib
import warnings
from functools import lru_cache

from ur_solver.common.files import resolved

try:
    import fcntl
except ImportError:  # Windows, which does not open a file twice unless it is shared
    fcntl = None  # type: ignore[assignment]

HEAD, MANIFEST, LOCK = "solve.json", "manifest.bin", "lock"

_log = logging.getLogger(__name__)

_UNSUPPORTED = {errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL}
"""The errors of NFS, Lustre and FUSE mounted without locks."""


def checkpoint_folder(output: pathlib.Path) -> pathlib.Path:
    """The folder of a table's blocks until the table is complete."""
    output = resolved(output)
    return output.with_name(output.name + ".blocks")


def is_unsupported(error: OSError) -> bool:
    """Whether a call failed because the file system does not support it."""
    return error.errno in _UNSUPPORTED


@lru_cache(maxsize=256)
def warn_without_locks(folder: pathlib.Path) -> None:
    """Log, once per folder, that its file system has no locks."""
    _log.warning(
        "the file system of %r cannot lock files: take care that no other solve writes there",
        str(folder),
    )


def lock_open_file(file: int, folder: pathlib.Path) -> bool:
    """Lock an open file, by its descriptor, for this process until it is closed; False if another
    holds it.

    True also where the file system has no locks, which is logged once for the output's folder.
    """
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if not is_unsupported(error):
            raise
        warn_without_locks(folder)
    return True


def is_held(path: pathlib.Path) -> bool:
    """Whether another process is writing to a file or a folder of blocks; False if unknown."""
    if fcntl is None:
        return False
    if path.is_dir():
        path = path / LOCK
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return isinstance(error, BlockingIOError)
    finally:
        os.close(file)
    return False


_PATIENCE = 0.3
"""Seconds to wait for a lock, which `is_held` takes for a moment to see whether it is free."""


class HeldError(Exception):
    """Another process holds the lock."""


class LockFile:
    """A file whose lock shows that a process is writing to its folder.

    `output` is named in the warning if there are no locks.
    """

    def __init__(self, path: pathlib.Path, output: pathlib.Path) -> None:
        import filelock  # noqa: PLC0415 - 5 ms that reading a table does not need

        self._lock = filelock.FileLock(path, timeout=_PATIENCE)
        self._folder = output.parent

    def acquire(self) -> None:
        """Take the lock; if the file system has none, log it once and continue.

        HeldError if another process has it, OSError if the file cannot be written.
        """
        import filelock  # noqa: PLC0415 - as above

        try:
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                self._lock.acquire()
            if warned:  # the message about a file instead of a lock
                warn_without_locks(self._folder)
        except filelock.Timeout:
            raise HeldError from None
        except NotImplementedError:  # ENOSYS, in earlier versions of the library
            warn_without_locks(self._folder)
        except OSError as error:
            if not is_unsupported(error):
                raise
            warn_without_locks(self._folder)

    def release(self) -> None:
        """Release the lock, if it is held."""
        self._lock.release()
