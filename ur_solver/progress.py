"""A progress bar that counts positions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def position_bar(
    verb: str, total: int, *, is_shown: bool = True
) -> Iterator[Callable[[int, int], object]]:
    """A bar on standard error, or in a notebook; silent if it is not to be shown.

    Yields
    ------
    callable
        To be called with the positions done and the positions in all.
    """
    if not is_shown:
        yield lambda _done, _total: None
        return
    from tqdm.auto import tqdm  # noqa: PLC0415 - 20 ms that need not pass where nobody looks

    with tqdm(desc=verb, total=total, unit=" positions", unit_scale=True, leave=False) as bar:

        def progress(done: int, _total: int) -> None:
            bar.update(done - bar.n)

        yield progress


def is_watched() -> bool:
    """Whether standard error is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()
