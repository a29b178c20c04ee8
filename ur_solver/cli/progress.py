"""A progress bar that counts positions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tqdm import tqdm


@contextmanager
def position_bar(verb: str, total: int, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error, silent where that is no terminal.

    Yields
    ------
    callable
        To be called with the positions done and the positions in all.
    """
    # None has tqdm look for a terminal itself
    disable = True if quiet else None
    with tqdm(
        desc=verb, total=total, unit=" positions", unit_scale=True, disable=disable, leave=False
    ) as bar:

        def progress(done: int, _total: int) -> None:
            bar.update(done - bar.n)

        yield progress
