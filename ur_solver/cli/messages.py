"""Messages of a long command while it runs: progress and logs."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeVar

import click

from ur_solver.cli.output import echo, say
from ur_solver.common.progress import Form, Progress, shown_progress, shown_task
from ur_solver.common.text import json_text

_F = TypeVar("_F", bound=Callable[..., Any])

_LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)


class Messages:
    """The messages of a command on standard error, with progress in a form.

    A quiet one prints nothing unless the command fails.
    """

    def __init__(self, form: Form, *, is_quiet: bool) -> None:
        self._form = form
        self.is_quiet = is_quiet

    def say(self, text: str, event: str, **facts: Any) -> None:
        """Print a sentence, or a JSON event with its facts if progress is JSON."""
        if self.is_quiet:
            return
        if self._form is Form.JSON:
            echo(json_text({"event": event, **facts}), err=True, raw=True)
        else:
            say(text)

    def progress(
        self, task: str, total: int, unit: str = "positions"
    ) -> AbstractContextManager[Progress]:
        """Show the progress of a task."""
        return shown_progress(task, total, Form.NONE if self.is_quiet else self._form, unit=unit)

    def task(self, task: str) -> AbstractContextManager[object]:
        """Show on a terminal that a task goes on, if its progress is a bar there."""
        has_bar = not self.is_quiet and self._form in (Form.AUTO, Form.BAR)
        return shown_task(task) if has_bar else nullcontext()


def message_options(function: _F) -> _F:
    """The options ``-q``, ``--progress`` and ``-v``; the command takes them as `messages`."""

    @click.option("--quiet", "-q", is_flag=True, help="Print nothing unless the command fails.")
    @click.option(
        "--progress",
        "form",
        type=click.Choice([each.value for each in Form]),
        default=Form.AUTO.value,
        show_default=True,
        help="Show progress as a bar, log lines or JSON events; auto is a bar on a terminal, "
        "otherwise lines.",
    )
    @click.option("--verbose", "-v", count=True, help="Log each step; -vv logs every block too.")
    @functools.wraps(function)
    def wrapped(*arguments: Any, quiet: bool, form: str, verbose: int, **rest: Any) -> Any:
        chosen = Form(form)
        if verbose and chosen is Form.AUTO:
            chosen = Form.LOG  # a bar and a log would overwrite each other
        with _logged(_LEVELS[min(verbose, 2)]):
            return function(*arguments, messages=Messages(chosen, is_quiet=quiet), **rest)

    return wrapped  # type: ignore[return-value]


@contextmanager
def _logged(level: int) -> Iterator[None]:
    """Write the package's log to standard error, from a level on."""
    logger = logging.getLogger("ur_solver")
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(level)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)
