"""Fetching a table from a web server: with its checksum, and going on where a fetch has stopped."""

from __future__ import annotations

import hashlib
import http.client
import io
import os
import pathlib
import re
import shutil
import struct
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlsplit

from ur_solver.blocks.lock import lock_open_file
from ur_solver.common.files import keep_mode, resolved
from ur_solver.common.progress import Progress
from ur_solver.errors import DiskLimitError, FetchError, InputError, NotATableError, OutputError
from ur_solver.table.format import OBJECTIVES
from ur_solver.table.output import check_replaceable
from ur_solver.table.reader import TableFile

Shown = Callable[[int], AbstractContextManager[Progress]]
"""Shows the progress of a number of bytes."""

CHECKSUM_SUFFIX = ".sha256"
"""Where a server has the checksum of a file: at the file's address with this appended."""

_SECONDS = 30.0
"""How long the server may be silent."""

_ATTEMPTS = 5
"""How often in a row a fetch may break off without a byte."""

_AT_ONCE = 1 << 20
_HEAD = struct.Struct("<8sBBxx8x8xQ")
"""The beginning of a table's file: HDF5's signature, the version of its head, the size of
addresses, and the size of the whole file."""

_SIGNATURE, _VERSIONS, _ADDRESS = b"\x89HDF\r\n\x1a\n", (2, 3), 8
_LONGEST_CHECKSUM = 4096
_NAME = re.compile(r"[\w][\w.+-]*\.(h5|hdf5)", re.ASCII)


def name_of(url: str) -> str:
    """The name of the table's file at an address.

    InputError if the address is not one of the web, or names no table's file.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    name = unquote(parts.path).rpartition("/")[2]
    if parts.scheme not in ("http", "https") or not parts.hostname or not _NAME.fullmatch(name):
        raise InputError(
            f"{url!r:.100} is not the address of a table: expected one such as "
            "https://example.org/finkel-7.h5"
        )
    return name


class _MissingError(FetchError):
    """A server has no file of this name."""


def part_of_fetch(output: pathlib.Path) -> pathlib.Path:
    """Where what has been fetched of a table stays until it is whole."""
    output = resolved(output)
    return output.with_name(f".{output.name}.fetched.part")


def fetch(
    url: str,
    output: pathlib.Path,
    *,
    sha256: str | None = None,
    force: bool = False,
    shown: Shown = lambda _total: nullcontext(lambda _done, _total: None),
) -> str | None:
    """Fetch a table, check it, and give it its name; what was replaced, in words, is returned.

    `sha256` is the checksum of the file, 64 hexadecimal digits; by default the server's, at `url`
    with `CHECKSUM_SUFFIX`. `shown` is called with the bytes of the file, and returns a context that
    gives the `Progress` of them.

    InputError if the address or the checksum is malformed; FetchError if the server does not
    answer, has no such file or no checksum, or has sent something else; NotATableError,
    TableVersionError or DamagedTableError if what was fetched is no table that this program reads;
    DiskLimitError or OutputError if there is no room, the output exists, or it cannot be written.
    """
    name_of(url)
    replaced = check_replaceable(output, force=force)
    expected = _checked(sha256) if sha256 is not None else _checksum_at(url)
    part = part_of_fetch(output)
    try:
        with _locked(part) as file:
            _receive(url, file, shown)
            os.fsync(file.fileno())
            file.seek(0)
            if hashlib.file_digest(file, "sha256").hexdigest() != expected:
                part.unlink()
                raise FetchError(
                    f"the file from {url} does not match its checksum, and was removed: fetch it "
                    "again"
                )
        _check_table(part)
        target = resolved(output)
        keep_mode(part, target)
        part.replace(target)
    except OSError as error:
        raise OutputError(f"cannot write {str(output)!r}: {error.strerror or error}") from None
    return replaced


def _check_table(part: pathlib.Path) -> None:
    try:
        with TableFile(part, OBJECTIVES):
            pass
    except BaseException:
        part.unlink()
        raise


def _checked(text: str) -> str:
    checksum = text.strip().lower()
    if not re.fullmatch("[0-9a-f]{64}", checksum):
        raise InputError(f"{text!r:.80} is not a SHA-256 checksum: expected 64 hexadecimal digits")
    return checksum


def _checksum_at(url: str) -> str:
    """The checksum that a server has of a file, in the format of sha256sum or alone."""
    address = url + CHECKSUM_SUFFIX
    try:
        with _opened(address) as reply:
            text = reply.read(_LONGEST_CHECKSUM).decode("ascii", "replace")
    except _MissingError as error:
        raise FetchError(f"there is no checksum: {error}; --sha256 gives one") from None
    first = text.split()[0] if text.split() else ""
    try:
        return _checked(first.lstrip("\\"))
    except InputError:
        raise FetchError(
            f"{address} is not a checksum as sha256sum writes it; --sha256 gives one"
        ) from None


@contextmanager
def _locked(part: pathlib.Path) -> Iterator[io.BufferedRandom]:
    """What was fetched so far, locked by this process; it is removed if it is empty at the end."""
    with part.open("ab+") as file:
        if not lock_open_file(file.fileno(), part.parent):
            raise OutputError(f"another program is fetching to {str(part)!r}")
        try:
            yield file
        finally:
            if os.fstat(file.fileno()).st_size == 0:
                part.unlink(missing_ok=True)


def _receive(url: str, file: io.BufferedRandom, shown: Shown) -> None:
    """Fetch what is missing of a file, over several connections where they break off.

    The file says its size at its beginning. Nothing is kept of one that is longer or no table.
    """
    silent = 0
    while True:
        if _said_size(file) is None:
            file.truncate(0)  # not even the beginning of a table
        before = file.seek(0, os.SEEK_END)
        try:
            with _opened(url, before) as reply:
                if reply.status == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                    return  # nothing follows
                if _receive_rest(url, reply, file, shown):
                    return
        except (TimeoutError, ConnectionError, http.client.HTTPException) as error:
            file.flush()
            if file.tell() <= before and silent + 1 >= _ATTEMPTS:
                raise FetchError(
                    f"{url} broke off: {error or type(error).__name__}; the same command resumes it"
                ) from None
        silent = 0 if file.tell() > before else silent + 1
        if silent >= _ATTEMPTS:
            raise FetchError(f"{url} broke off; the same command resumes it")


def _receive_rest(
    url: str, reply: http.client.HTTPResponse, file: io.BufferedRandom, shown: Shown
) -> bool:
    """Receive what a server sends; whether the file is whole."""
    announced = _announced(reply, file)
    done = file.seek(0, os.SEEK_END)
    done += file.write(reply.read(max(0, _HEAD.size - done)))
    size = _said_size(file)
    if size is None:
        if done < _HEAD.size and (announced is None or done < announced):
            return False
        file.truncate(0)
        raise NotATableError(
            f"{url} is not a solution table: expected an HDF5 file as 'ur solve' makes it; nothing "
            "of it is kept"
        )
    if announced not in (None, size):
        file.truncate(0)
        raise FetchError(
            f"{url} has {announced:,} bytes by its server, and {size:,} by its own head; nothing "
            "of it is kept"
        )
    free = shutil.disk_usage(os.path.dirname(os.path.abspath(file.name))).free
    if size - done > free:
        raise DiskLimitError(
            f"the rest of the table takes {size - done:,} bytes, more than is free"
        )
    with shown(size) as progress:
        while block := reply.read(min(_AT_ONCE, size + 1 - done)):
            done += len(block)
            if done > size:
                file.truncate(0)
                raise FetchError(
                    f"{url} goes on after the {size:,} bytes that its head says; nothing of it is "
                    "kept"
                )
            file.write(block)
            progress(done, size)
    file.flush()
    return done >= size


def _said_size(file: io.BufferedRandom) -> int | None:
    """The size of a table's file by its beginning; None if there is none, or it is no table's."""
    file.seek(0)
    head = file.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    signature, version, address, size = _HEAD.unpack(head)
    is_table = signature == _SIGNATURE and version in _VERSIONS and address == _ADDRESS
    file.seek(0, os.SEEK_END)
    return int(size) if is_table and size >= _HEAD.size else None


def _announced(reply: http.client.HTTPResponse, file: io.BufferedRandom) -> int | None:
    """The size of the whole file, if the server says it; where it begins anew, so does the file."""
    before = file.seek(0, os.SEEK_END)
    range_text = reply.headers.get("Content-Range", "")
    found = re.fullmatch(r"bytes (\d+)-\d+/(\d+)", range_text)
    if before and not (reply.status == http.HTTPStatus.PARTIAL_CONTENT and found):
        file.truncate(0)
        before = 0
    elif found and int(found[1]) != before:
        raise FetchError(f"{reply.url} sends {range_text!r:.60}, not what follows byte {before}")
    length = reply.headers.get("Content-Length", "")
    return before + int(length) if length.isdigit() and length.isascii() else None


@contextmanager
def _opened(url: str, first: int = 0) -> Iterator[http.client.HTTPResponse]:
    """An answer of a server, of the web only: from a byte on."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        *(urllib.request.ProxyHandler, urllib.request.HTTPHandler, urllib.request.HTTPSHandler),
        *(urllib.request.HTTPRedirectHandler, urllib.request.HTTPErrorProcessor),
        urllib.request.HTTPDefaultErrorHandler,
    ):
        opener.add_handler(handler())
    headers = {"Range": f"bytes={first}-"} if first else {}
    try:
        reply = opener.open(urllib.request.Request(url, headers=headers), timeout=_SECONDS)
    except HTTPError as error:
        if first and error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            reply = error
        else:
            error.close()
            is_missing = error.code in (http.HTTPStatus.NOT_FOUND, http.HTTPStatus.GONE)
            fault = _MissingError if is_missing else FetchError
            raise fault(f"{url} answers {error.code}, {error.reason}") from None
    except URLError as error:
        if isinstance(error.reason, (TimeoutError, ConnectionResetError)):
            raise error.reason from None
        reason = getattr(error.reason, "strerror", None) or error.reason
        raise FetchError(f"{url} does not answer: {reason}") from None
    with reply:
        yield reply
