"""Questions to a person in the terminal, with line editing, history and completion.

Python's `readline` edits the lines, and takes a millisecond to import; a console of Windows edits
them itself. If standard input or output is no terminal, nothing is edited.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence

import click

from ur_solver.cli.output import echo, say
from ur_solver.common.files import standard_input

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_YES, _NO = ("y", "yes"), ("n", "no")


def is_conversation() -> bool:
    """Whether a person types and reads: standard input and output are terminals."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def ask(
    prompt: str, complete: Callable[[str], Sequence[str]] = lambda _line: (), blank: str = ""
) -> str:
    """Ask for a line until it is not blank; `blank` stands for a blank line if it is given.

    `complete` gives the lines that a beginning may be completed to. Raises click.Abort at the end
    of the input and at Ctrl-C, whose KeyboardInterrupt is then its context.
    """
    while True:
        answer = _line(f"{prompt}> ", complete).strip() or blank
        if answer:
            return answer


def agrees(question: str, *, default: bool) -> bool:
    """Ask a question, and return whether the answer is yes; raises as `ask` does."""
    choice = "[Y/n]" if default else "[y/N]"
    while True:
        answer = _line(f"{question} {choice} ", lambda _line: ()).strip().lower()
        if answer in (*_YES, *_NO, ""):
            return answer in _YES if answer else default
        say(f"{answer[:40]!r}: type y or n")


def interrupt_of(left: Exception) -> KeyboardInterrupt | None:
    """The Ctrl-C that an exception of click stands for, if any."""
    return left.__context__ if isinstance(left.__context__, KeyboardInterrupt) else None


def _line(prompt: str, complete: Callable[[str], Sequence[str]]) -> str:
    standard_input()  # if it is closed, says so
    if not is_conversation():
        # an empty answer is one, as at a terminal
        answer: str = click.prompt(prompt, prompt_suffix="", default="", show_default=False)
        return answer
    context = click.get_current_context(silent=True)
    if context is not None and context.color is False:
        prompt = click.unstyle(prompt)
    try:
        return input(_edited(prompt, complete))
    except (KeyboardInterrupt, EOFError):
        echo("")  # what is said next begins a line
        raise click.Abort from None


def _edited(prompt: str, complete: Callable[[str], Sequence[str]]) -> str:
    """Turn on editing, and return the prompt as that needs it."""
    try:
        import readline  # noqa: PLC0415 - for those who type
    except ImportError:
        return prompt

    def completed(line: str, number: int) -> str | None:
        fitting = [each for each in complete(line) if each.lower().startswith(line.lower())]
        return fitting[number] if number < len(fitting) else None

    readline.set_completer(completed)
    readline.set_completer_delims("")  # moves have all kinds of characters
    has_libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if has_libedit else "tab: complete")
    # the marks say that colours have no width on the screen
    return _COLOUR.sub("\x01\\g<0>\x02", prompt)
