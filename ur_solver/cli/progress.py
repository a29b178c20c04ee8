"""A progress bar that counts positions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def position_bar(verb: str, total: int, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error, silent where that is no terminal.

    Yields
    ------
    callable
        To be called with the positions done and the positions in all.
    """
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from tqdm import tqdm  # noqa: PLC0415 - 20 ms that need not pass where nobody looks

    with tqdm(desc=verb, total=total, unit=" positions", unit_scale=True, leave=False) as bar:

        def progress(done: int, _total: int) -> None:
            bar.update(done - bar.n)

        yield progress
