"""The progress of a long task, in positions: a bar, log lines, or JSON events.

It goes to standard error, apart from the output.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from ur_solver.common.text import json_text
from ur_solver.errors import WrongTypeError


class Form(StrEnum):
    """The form of progress."""

    AUTO = "auto"
    """A bar on a terminal; otherwise lines, none for a short task."""
    BAR = "bar"
    LOG = "log"
    """A line at the beginning, every `LOG_SECONDS` and at the end."""
    JSON = "json"
    """One object per line at the beginning, every `JSON_SECONDS` and at the end."""
    NONE = "none"


LOG_SECONDS = 10.0
JSON_SECONDS = 1.0
_TICK = 0.5
"""The seconds after which a bar is drawn again, with or without news."""

Progress = Callable[[int, int], object]
"""Called with the positions done and their total."""


def check_progress(progress: Any) -> None:
    """Raise WrongTypeError unless a caller asks for progress by True, False or a function."""
    if not isinstance(progress, bool | Callable):
        raise WrongTypeError(f"progress is {progress!r:.60}; expected True, False or a function")


@contextmanager
def wanted_progress(
    progress: bool | Progress, task: str, total: int, unit: str = "positions"
) -> Iterator[Progress]:
    """The progress of a task as a caller of the library wants it.

    True stands for a bar on standard error, False for none. The rest is as for `shown_progress`.
    """
    if callable(progress):
        yield progress
        return
    with shown_progress(task, total, Form.BAR if progress else Form.NONE, unit=unit) as shown:
        yield shown


@contextmanager
def shown_progress(
    task: str, total: int, form: Form, *, unit: str = "positions"
) -> Iterator[Progress]:
    """Show the progress of a task while the context lasts.

    What it gives is called with the number done and the total. `task` is a participle:
    ``"solving"``; `unit` is what `total` counts.
    """
    if form is Form.NONE:
        yield lambda _done, _total: None
    elif form is Form.BAR or (form is Form.AUTO and is_watched()):
        with _bar(desc=task, total=total, unit=f" {unit}", unit_scale=True) as bar:
            yield lambda done, _total: bar.update(done - bar.n)
    elif form is Form.JSON:
        with Ticker(Count(task, total, unit).event, JSON_SECONDS, has_ends=True) as ticker:
            yield ticker.update
    else:
        count = Count(task, total, unit)
        with Ticker(count.line, LOG_SECONDS, has_ends=form is Form.LOG) as ticker:
            yield ticker.update


def is_watched() -> bool:
    """Whether standard error is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def shown_task(task: str) -> Iterator[Callable[[str], object]]:
    """Show on a terminal that a task goes on, and for how long, while the context lasts.

    Nobody knows how long it takes. The function that it gives is called with each step that begins.
    """
    if not is_watched():
        yield lambda _step: None
        return
    with _bar(desc=task, bar_format="{desc} ({elapsed})") as bar:
        yield lambda step: bar.set_description_str(f"{task}: {step}")


@contextmanager
def _bar(**looks: Any) -> Iterator[Any]:
    """A bar in the terminal or in a notebook, shown at once and with a running clock."""
    from tqdm.auto import tqdm  # noqa: PLC0415 - 20 ms that need not pass where nobody looks

    is_over = threading.Event()
    with tqdm(leave=False, dynamic_ncols=True, **looks) as bar:

        def tick() -> None:
            while not is_over.wait(_TICK):
                bar.refresh()

        thread = threading.Thread(target=tick, daemon=True)
        thread.start()
        try:
            yield bar
        finally:
            is_over.set()
            thread.join()


@dataclass(frozen=True)
class Count:
    """The progress of a task, in words and as JSON."""

    task: str
    total: int
    unit: str = "positions"

    def line(self, done: int, seconds: float) -> str:
        """As a line: ``solving: 45,000 of 263,121 positions (17 %), 12 s, about 58 s left``."""
        share = f"{100 * done / self.total:.0f} %"
        text = f"{self.task}: {done:,} of {self.total:,} {self.unit} ({share}), {seconds:.0f} s"
        if done in (0, self.total):
            return text
        return f"{text}, about {self._left(done, seconds):.0f} s left"

    def event(self, done: int, seconds: float) -> str:
        """As a line of JSON; ``left`` is in seconds, null while unknown."""
        values = {
            "event": "progress",
            "task": self.task,
            "done": done,
            "total": self.total,
            "seconds": round(seconds, 3),
            "left": round(self._left(done, seconds), 3) if done else None,
        }
        return json_text(values)

    def _left(self, done: int, seconds: float) -> float:
        """The estimated seconds left, at the present speed."""
        return seconds * (self.total - done) / done


class Ticker:
    """Prints the progress of a task every `interval` seconds, changed or not.

    A large block can take minutes, and a log should distinguish a working task from a hung one: so
    a separate thread prints the lines. `text` gives one for the positions done and the seconds
    passed. With `has_ends` there is a line at the beginning and, unless the task fails, at the end.
    """

    def __init__(
        self, text: Callable[[int, float], str], interval: float, *, has_ends: bool
    ) -> None:
        self._text = text
        self._interval = interval
        self._has_ends = has_ends
        self._done = 0
        self._began = time.monotonic()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._tick, daemon=True)

    def update(self, done: int, _total: int) -> None:
        """Update the progress."""
        self._done = done

    def __enter__(self) -> Self:
        if self._has_ends:
            self._print()
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._is_over.set()
        self._thread.join()
        if self._has_ends and kind is None:
            self._print()

    def _tick(self) -> None:
        while not self._is_over.wait(self._interval):
            self._print()

    def _print(self) -> None:
        if sys.stderr is not None:
            print(self._text(self._done, time.monotonic() - self._began), file=sys.stderr)
