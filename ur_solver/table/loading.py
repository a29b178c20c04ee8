"""Loading all values of a table: its blocks by several threads, and a bar if that takes long."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from ur_solver.common.machine import free_memory, usable_processors
from ur_solver.common.progress import Form, Progress, is_watched, shown_progress

_LONG = 1 << 26
"""The bytes above which there is a bar."""


def load_blocks(load: Callable[[int], object], ends: Sequence[int], progress: Progress) -> None:
    """Load the blocks of a table, each by one call; the first error stops it.

    Parameters
    ----------
    load : callable
        Called with the number of a block, in any thread.
    ends : sequence of int
        By block, how many values there are up to its end.
    progress : callable
        Called with the values of the blocks that are loaded, in order, and their total.
    """
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - 2 ms; a query reads little

    # most of it runs without Python's lock
    with ThreadPoolExecutor(usable_processors()) as pool:
        loads = [pool.submit(load, number) for number in range(len(ends))]
        try:
            for each, end in zip(loads, ends, strict=True):
                each.result()
                progress(end, ends[-1])
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def loading_bar(n_values: int, n_bytes: int) -> AbstractContextManager[Progress]:
    """A bar on a terminal, for tables that take long."""
    form = Form.BAR if n_bytes > _LONG and is_watched() else Form.NONE
    return shown_progress("reading the table", n_values, form, unit="values", delay=2)


def has_room(n_bytes: int, limit: int | None) -> bool:
    """Whether all values may be kept: within a limit, or else in half of the free memory."""
    return n_bytes <= limit if limit is not None else n_bytes < free_memory() / 2
