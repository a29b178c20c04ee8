"""Writes that wait while blocks are solved.

Stores of the values of finished blocks, for the blocks that read them.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, Protocol

from ur_solver.blocks.folder import BlockFiles
from ur_solver.blocks.stored import BlockRecord, BlockResult
from ur_solver.common.files import Closing
from ur_solver.kernel import FinishedBlocks, Values


class Backlog:
    """A thread that performs writes in order; thread safe.

    Solving waits for it only if many bytes have not been written yet. An error in writing is raised
    by `settle` and `wait` from then on.

    Parameters
    ----------
    name : str
        Of the thread.
    most : int
        The most bytes in the queue.
    """

    def __init__(self, name: str, most: int) -> None:
        self._most = most
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._waiting: deque[tuple[Future[None], int]] = deque()
        self._n_bytes = 0
        self._lock = threading.Lock()

    def submit(self, size: int, write: Callable[[], None]) -> None:
        """Queue a write of `size` bytes."""
        with self._lock:
            self._waiting.append((self._pool.submit(write), size))
            self._n_bytes += size

    def settle(self) -> None:
        """Raise the error of the first failed write; wait if too much is queued."""
        self._settle(self._most)

    def wait(self) -> None:
        """Wait until all is written; raises as `settle`."""
        self._settle(-1)

    def close(self) -> None:
        """Wait until all is written, ignoring errors, and end the thread."""
        self._pool.shutdown(wait=True, cancel_futures=False)

    def _settle(self, most: int) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    return
                oldest, size = self._waiting[0]
                if self._n_bytes <= most and not oldest.done():
                    return
            oldest.result()  # the first error stays, and is raised again
            with self._lock:
                if self._waiting and self._waiting[0][0] is oldest:
                    self._waiting.popleft()
                    self._n_bytes -= size


def largest_error(errors: Iterable[float | None]) -> float:
    """The largest proven error of some blocks; 0 without any."""
    return max((error for error in errors if error is not None), default=0.0)


class BlockStore(FinishedBlocks, Protocol):
    """Keeps the values of finished blocks; safe from several threads."""

    def put(self, result: BlockResult) -> BlockRecord:
        """Keep a finished block; return the record of the one that is kept."""

    def error_of(self, index: int) -> float | None:
        """The proven error of a finished block; None if none was proven."""

    def drop(self, index: int) -> None:
        """Discard the values of a block that no unfinished block reads."""

    def lose(self, index: int) -> None:
        """Handle a DamagedBlockError: the block will be put again."""


class MemoryStore:
    """Finished blocks in the memory of this process, an array each."""

    def __init__(self) -> None:
        self._values: dict[int, Values] = {}
        self._errors: dict[int, float | None] = {}

    def values_of(self, index: int) -> Values | None:
        """The values of a block; None if it is not finished, or was dropped."""
        return self._values.get(index)

    def put(self, result: BlockResult) -> BlockRecord:
        """Keep a finished block; its array is not copied."""
        self._values[result.index] = result.values
        self._errors[result.index] = result.error
        return result.record

    def error_of(self, index: int) -> float | None:
        """The proven error of a finished block; kept after `drop`."""
        return self._errors[index]

    def drop(self, index: int) -> None:
        """Discard the values of a block."""
        del self._values[index]

    def lose(self, index: int) -> None:
        """Do nothing: memory shows no damage."""


class FileStore(Closing):
    """Finished blocks in files, and in the memory of this process as far as it may take it.

    A separate thread writes the files, so solving waits for the disk only if many values are
    unwritten. Blocks that do not fit into memory are read from their mapped files.

    Parameters
    ----------
    files : BlockFiles
    most_kept : int, optional
        The most bytes of values in memory; all by default.
    most_unwritten : int
        The most further bytes that wait for the disk.
    on_written : callable
        Called with the row of a block when its file exists, from the writing thread.
    """

    def __init__(
        self,
        files: BlockFiles,
        *,
        most_kept: int | None = None,
        most_unwritten: int,
        on_written: Callable[[Any], object] = lambda row: None,
    ) -> None:
        self._files = files
        self._most_kept = most_kept
        self._on_written = on_written
        self._values: dict[int, Values] = {}  # those that are kept, and those not written yet
        self._kept: dict[int, int] = {}  # of those that are kept, the bytes
        self._errors: dict[int, float | None] = {}
        self._backlog = Backlog("block-files", most_unwritten)
        self._lock = threading.Lock()

    def close(self) -> None:
        """Wait until all is written, ignoring errors, and end the thread that writes."""
        self._backlog.close()

    def values_of(self, index: int) -> Values | None:
        """The values of a block; None if it is not finished."""
        with self._lock:
            if index not in self._errors:
                return None
            kept = self._values.get(index)
        return self._files.values_of(index) if kept is None else kept

    def error_of(self, index: int) -> float | None:
        """The proven error of a finished block; kept after `drop`."""
        return self._errors[index]

    def put(self, result: BlockResult) -> BlockRecord:
        """Keep a finished block; its array is not copied.

        Raises
        ------
        OutputError
            If this block, or one before it, cannot be written.
        """
        size = result.values.nbytes
        self._backlog.settle()
        with self._lock:
            is_kept = self._has_room(size)
            if is_kept:
                self._kept[result.index] = size
            self._values[result.index] = result.values
            self._errors[result.index] = result.error
        self._backlog.submit(size, partial(self._write, result, is_kept))
        if not is_kept:
            self._backlog.settle()
        return result.record

    def _has_room(self, size: int) -> bool:
        return self._most_kept is None or sum(self._kept.values()) + size <= self._most_kept

    def take_back(self, index: int, error: float | None) -> None:
        """Add a block of an earlier solve, which is read from its file."""
        self._errors[index] = error

    def drop(self, index: int) -> None:
        """Discard the values of a block in memory; its file stays."""
        with self._lock:
            if self._kept.pop(index, None) is not None:
                del self._values[index]

    def lose(self, index: int) -> None:
        """Remove the file of a block that is damaged."""
        self._files.remove_damaged(index)

    def wait(self) -> None:
        """Wait until all blocks are in their files; OutputError if one cannot be written."""
        self._backlog.wait()

    def _write(self, result: BlockResult, is_kept: bool) -> None:
        row = self._files.write(result, result.values, is_read_again=not is_kept)
        with self._lock:
            if not is_kept:
                self._values.pop(result.index, None)
        self._on_written(row)
