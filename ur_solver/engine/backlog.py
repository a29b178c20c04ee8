"""Writes that wait while blocks are solved."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor


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
