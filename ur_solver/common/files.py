"""The writer of all files but those of values: it leaves a complete file or the old one.

Content is written next to the file under a temporary name, synced and renamed. A write that fails
or is interrupted leaves the old file, and no temporary one. A symbolic link stays one: its target
is replaced. Other than regular files, such as ``/dev/stdout`` or a FIFO, are written directly.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Self

from ur_solver.common.text import encoded
from ur_solver.errors import InputError, OutputError, WrongTypeError

_BINARY = getattr(os, "O_BINARY", 0)
_CANNOT_SYNC = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP)
"""The errors of file systems without sync."""


NAME_OR_PATH = "the name of a rule set, or a path"
"""What `path_text` expects where either is taken."""


def path_text(path: str | os.PathLike[str], expected: str = "a path") -> str:
    """A path, or the name of something, as text.

    WrongTypeError, with what was `expected`, if it is none.
    """
    try:
        text = os.fspath(path)
    except TypeError:
        text = None
    if not isinstance(text, str):
        raise WrongTypeError(f"{path!r:.60} is of type {type(path).__name__}; expected {expected}")
    return text


def write_file(path: Path, content: str | bytes) -> None:
    """Write a complete file; text as UTF-8, without lone surrogates. Raises OutputError."""
    write_files({path: content})


def write_files(contents: Mapping[Path, str | bytes]) -> None:
    """Write complete files, as `write_file` does: all of them, or none if one cannot be."""
    with ExitStack() as stack:
        for path, content in contents.items():
            file = stack.enter_context(new_file(path))
            file.write(encoded(content) if isinstance(content, str) else content)
            file.flush()  # a full disk is found before any file gets its name


def make_folder(folder: Path) -> bool:
    """Make a folder, and those that it is in, and return whether it did not exist.

    Raises OutputError if it cannot be made.
    """
    if folder.is_dir():
        return False
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise OutputError(f"cannot make the folder {str(folder)!r}: {reason}") from None
    return True


def free_path(path: Path) -> Path:
    """A path where nothing is: the one given, or one with a number after its name, from 2 on."""
    found, number = path, 2
    while found.exists():
        found = path.with_stem(f"{path.stem}-{number}")
        number += 1
    return found


def keep_mode(part: Path, path: Path) -> None:
    """Give a file or folder the permissions of the one that it is to replace, if there is one."""
    with suppress(OSError):  # also of a file system without them
        part.chmod(stat.S_IMODE(path.stat().st_mode))


def standard_input() -> BinaryIO:
    """Standard input; InputError if it is closed."""
    if sys.stdin is None:
        raise InputError("standard input is closed")
    return sys.stdin.buffer


def resolved(path: Path) -> Path:
    """The file or folder that a symbolic link leads to, there or not; other paths as they are."""
    return Path(os.path.realpath(path)) if os.path.islink(path) else path


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write, which gets its name when the context ends without an exception.

    It can be read and repositioned if it is a regular file. A file that is replaced keeps its
    permissions. OutputError if it cannot be written; an OSError raised inside the context becomes
    one.
    """
    try:
        target = _target_of(path)
        with _directly(path) if target is None else _replacing(target) as file:
            yield file
    except OSError as error:
        raise OutputError(f"cannot write {str(path)!r}: {error.strerror or error}") from None


def check_outputs(
    outputs: Mapping[str, Path | None], inputs: Iterable[str | os.PathLike[str]] = ()
) -> None:
    """Check, before the work, that outputs can be written and replace no inputs.

    Outputs are by their options, such as ``--csv``; None for an unused one. Of the inputs ``-`` is
    standard input, and missing ones are ignored. InputError if an output is an input or another
    output, under any name, or is inside an input folder, such as a table; OutputError if it cannot
    be written.
    """
    asked = [(name, path) for name, path in outputs.items() if path is not None]
    for number, (name, path) in enumerate(asked):
        try:
            target = _target_of(path)
            if target is None:
                continue
            for other in inputs:
                if _is_within(target, other):
                    raise InputError(
                        f"{name} {str(path)!r} would overwrite {os.fspath(other)!r}, which is "
                        "read; name another output"
                    )
            for other_name, other_path in asked[:number]:
                if _is_same(target, other_path):
                    raise InputError(
                        f"{name} and {other_name} name the same file, {str(path)!r}; "
                        "name two different ones"
                    )
            handle, part = _open_part(target)
            os.close(handle)
            part.unlink()
        except OSError as error:
            raise OutputError(f"cannot write {str(path)!r}: {error.strerror or error}") from None


def _target_of(path: Path) -> Path | None:
    """The regular file that a path leads to, there or not; None for what is not one.

    OSError for a folder.
    """
    if "\0" in str(path):
        raise OSError(errno.EINVAL, "the name contains a null character")
    try:
        status = path.stat()
    except FileNotFoundError:
        return Path(os.path.realpath(path))
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(status.st_mode) or _standard_stream(status) is not None:
        return None
    return Path(os.path.realpath(path))


def _standard_stream(status: os.stat_result) -> int | None:
    """Standard output or error, if it has been redirected to the file of this status."""
    for handle in (1, 2):
        with suppress(OSError):
            if os.path.samestat(os.fstat(handle), status):
                return handle
    return None


@contextmanager
def _directly(path: Path) -> Iterator[BinaryIO]:
    """A FIFO, a device or a standard stream, which nothing can replace."""
    stream = _standard_stream(path.stat())
    if stream is None:
        with path.open("wb") as file:
            yield file
        return
    if sys.stdout is not None:
        sys.stdout.flush()  # earlier output comes first
    with os.fdopen(os.dup(stream), "wb") as file:
        yield file


@contextmanager
def _replacing(target: Path) -> Iterator[BinaryIO]:
    handle, part = _open_part(target)
    try:
        with os.fdopen(handle, "w+b") as file:
            yield file
            file.flush()
            keep_mode(part, target)
            try:
                os.fsync(file.fileno())
            except OSError as error:
                if error.errno not in _CANNOT_SYNC:
                    raise
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _open_part(target: Path) -> tuple[int, Path]:
    """A new file of a temporary name, next to a file that is not read-only."""
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    part = target.parent / f".{os.urandom(8).hex()}.part"
    return os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | _BINARY, 0o666), part


def _is_within(target: Path, source: str | os.PathLike[str]) -> bool:
    """Whether a file is an input, or lies in it if that is a folder."""
    read = 0 if source == "-" else source  # the descriptor of standard input
    try:
        if not (os.path.exists(read) and target.parent.exists()):
            return False
        paths = (target, *target.parents) if os.path.isdir(read) else (target,)
        return any(each.exists() and os.path.samefile(each, read) for each in paths)
    except (OSError, ValueError):  # not a path, such as a name that is too long
        return False


def _is_same(target: Path, other: Path) -> bool:
    """Whether a path leads to a file, which need not exist yet."""
    if target.exists() and other.exists():
        return target.samefile(other)
    return target == Path(os.path.realpath(other))


class Closing(ABC):
    """A context manager that gives itself, and closes itself at the end, also after an error."""

    @abstractmethod
    def close(self) -> None:
        """Give back what it holds."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
