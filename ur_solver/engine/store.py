"""Stores of the values of finished blocks, for the blocks that read them."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Protocol

from ur_solver.blocks.folder import LATE, BlockFiles, BlockRecord, BlockResult, Row
from ur_solver.common.files import Closing
from ur_solver.errors import OutputError
from ur_solver.kernel.interface import FinishedBlocks, Values

_MOST_WAITING = 64
"""The most writes that wait: a block that was taken back keeps its file open meanwhile."""


class Backlog:
    """A thread that performs writes in order; thread safe.

    Solving waits for it only if more than `most` bytes, or `_MOST_WAITING` writes, have not been
    written yet. An error in writing is raised by `settle` and `wait` from then on.
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
                is_short = self._n_bytes <= most and len(self._waiting) <= _MOST_WAITING
                if is_short and not oldest.done():
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

    def finished(self, index: int) -> BlockRecord | None:
        """The record of a block that another process has put here; None if none has."""

    def error_of(self, index: int) -> float | None:
        """The proven error of a finished block, also after `drop`; None if none was proven."""

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
        record, values = result
        self._values[record.index] = values
        self._errors[record.index] = record.error
        return record

    def finished(self, index: int) -> None:
        """None: other processes put nothing here."""

    def error_of(self, index: int) -> float | None:
        """See `BlockStore.error_of`."""
        return self._errors[index]

    def drop(self, index: int) -> None:
        """Discard the values of a block."""
        del self._values[index]

    def lose(self, index: int) -> None:
        """Do nothing: memory shows no damage."""


class FileStore(Closing):
    """Finished blocks in files, and in the memory of this process as far as it may take it.

    Values go one way: into memory, by a separate thread into a block's file, and from the same
    array to `take_on`, which is called from that thread with every block once, after `on_written`,
    which gets the row of its file. Solving waits for the thread only if more than `most_unwritten`
    bytes wait for the disk. Of the others at most `most_kept` bytes stay in memory, by default all;
    blocks that do not fit are read from their mapped files.

    Where other processes put blocks into the same folder (`is_shared`), a block is in its file
    before `put` returns, none are kept in memory, and the file of one that another has just
    finished may come late.
    """

    def __init__(
        self,
        files: BlockFiles,
        *,
        most_kept: int | None = None,
        most_unwritten: int = 0,
        on_written: Callable[[Row], object] = lambda row: None,
        take_on: Callable[[BlockResult], object] = lambda result: None,
        is_shared: bool = False,
    ) -> None:
        self.files = files
        self._most_kept = most_kept
        self._on_written = on_written
        self._take_on = take_on
        self._is_shared = is_shared
        self._values: dict[int, Values] = {}  # those that are kept, and those not written yet
        self._kept: dict[int, int] = {}  # of those that are kept, the bytes
        self._errors: dict[int, float | None] = {}
        self._taken_on: set[int] = set()
        self._backlog = Backlog("block-files", most_unwritten)
        self._lock = threading.Lock()

    def close(self) -> None:
        """Wait until all is written, ignoring errors, and end the thread that writes."""
        self._backlog.close()

    def values_of(self, index: int) -> Values | None:
        """The values of a block; None if it is not finished."""
        if self._is_shared:
            self._await(index)
        else:
            with self._lock:
                if index not in self._errors:
                    return None
                kept = self._values.get(index)
            if kept is not None:
                return kept
        return self.files.values_of(index)

    def _await(self, index: int) -> None:
        until = time.monotonic() + LATE
        while not self.files.path(index).exists() and time.monotonic() < until:
            time.sleep(0.2)

    def finished(self, index: int) -> BlockRecord | None:
        """The record of a block whose file another process has made."""
        there = self._is_shared and self.files.path(index).exists()
        row = self.files.whole_row(index) if there else None
        return None if row is None else BlockRecord.of(row)

    def error_of(self, index: int) -> float | None:
        """See `BlockStore.error_of`."""
        if self._is_shared:
            return BlockRecord.of(self.files.row(index)).error
        return self._errors[index]

    def put(self, result: BlockResult) -> BlockRecord:
        """Keep a finished block; its array is not copied.

        OutputError if this block, or one before it, cannot be written.
        """
        record, values = result
        if self._is_shared:
            return BlockRecord.of(self._filed(record, values))
        size = values.nbytes
        self._backlog.settle()
        with self._lock:
            is_kept = self._has_room(size)
            if is_kept:
                self._kept[record.index] = size
            self._values[record.index] = values
            self._errors[record.index] = record.error
        self._backlog.submit(size, partial(self._write, result, is_kept))
        if not is_kept:
            self._backlog.settle()
        return record

    def _has_room(self, size: int) -> bool:
        return self._most_kept is None or sum(self._kept.values()) + size <= self._most_kept

    def take_back(self, record: BlockRecord) -> None:
        """Take a block that is in its file, of an earlier solve or of another process.

        Raises DamagedBlockError if it is not whole.
        """
        values = self.files.values_of(record.index)
        self._errors[record.index] = record.error
        self._backlog.settle()
        self._backlog.submit(values.nbytes, partial(self._hand_on, BlockResult(record, values)))

    def drop(self, index: int) -> None:
        """Discard the values of a block in memory; its file stays."""
        with self._lock:
            if self._kept.pop(index, None) is not None:
                del self._values[index]

    def lose(self, index: int) -> None:
        """Remove the file of a block that is damaged."""
        self.files.remove_damaged(index)

    def wait(self) -> None:
        """Wait until all blocks are written and taken on; raises what that raised."""
        self._backlog.wait()

    def _write(self, result: BlockResult, is_kept: bool) -> None:
        record, values = result
        row = self._filed(record, values, is_read_again=not is_kept)
        with self._lock:
            if not is_kept:
                self._values.pop(record.index, None)
        self._on_written(row)
        self._hand_on(result)

    def _filed(self, record: BlockRecord, values: Values, *, is_read_again: bool = True) -> Row:
        try:
            return self.files.write(record, values, is_read_again=is_read_again)
        except OutputError as error:
            raise OutputError(f"{error}; the blocks before it are kept") from None

    def _hand_on(self, result: BlockResult) -> None:
        """Hand a block on, unless it is one that was damaged and solved again."""
        if result.record.index not in self._taken_on:
            self._taken_on.add(result.record.index)
            self._take_on(result)
