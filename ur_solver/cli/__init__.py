"""The commands of `ur`; the only room that prints, asks or parses arguments.

A command is a module of this package with a click command called `command`, imported when
it is used: NumPy and h5py are most of a short command's time, and some need neither.
"""

from __future__ import annotations

import gc
import importlib
import os
import signal
import sys
from types import ModuleType
from typing import Any, NoReturn

import click
from click.shell_completion import CompletionItem

try:
    import resource
except ImportError:  # Windows, which knows no such limit
    resource = None  # type: ignore[assignment]

from ur_solver.errors import InputError, UrError, did_you_mean

# Networks are divided over threads of our own; BLAS's take NumPy 35 ms to start.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

COMMANDS = {
    "rules": "List the rule sets, or show one.",
    "solve": "Solve a rule set and write its table.",
    "train": "Train an estimator of a game too large to solve.",
    "plan": "What solving a rule set by some workers would take.",
    "query": "The value of a position.",
    "best": "All legal moves, best first.",
    "moves": "Legal moves and where they lead; needs no table.",
    "tables": "What tables there are; verify and remove them.",
    "info": "What a table says of itself, or where things are.",
    "verify": "Check a table from the file alone.",
    "certify": "Prove how far a table's values can be off.",
    "audit": "Judge recorded games.",
    "pack": "A table as one file, or as a folder.",
    "import": "Make a table of RoyalUr's solved map.",
    "export": "Write a table as RoyalUr's solved map.",
    "play": "Play against a table.",
    "sample": "Games of players that the program knows.",
    "evaluate": "One way to play against another.",
    "study": "What a rule set is like to play.",
    "compare": "Rule sets side by side.",
    "serve": "The board in the browser, and answers for programs.",
    "board": "A picture of a position.",
}
"""The commands and their help in a line, which `ur --help` shows without importing them."""

_MODULES = {"import": "import_map", "export": "export_map"}
"""Modules that cannot be called as their commands are, `import` being a keyword."""

INTERRUPTED, TERMINATED = 130, 143
"""The exit codes after Ctrl-C and SIGTERM, as shells have them: 128 and the signal's number."""


class _TerminatedError(KeyboardInterrupt):
    """SIGTERM, which ends a command as Ctrl-C does: what is finished is kept."""


_LEAST_ROOM = 256 << 20
"""Address space that a command must have: NumPy and HDF5 take most of it to be loaded."""


def _check_room() -> None:
    """Refuse to load libraries, some of which fail without an error, into too little room."""
    if resource is None:
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < _LEAST_ROOM:
        raise click.ClickException(
            f"address space is limited to {limit >> 20} MiB (ulimit -v); "
            f"{_LEAST_ROOM >> 20} MiB are needed"
        )


def _imported(name: str) -> ModuleType:
    """A module, imported without a look for garbage, which takes 12 ms among what stays."""
    if name in sys.modules:
        return sys.modules[name]
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return importlib.import_module(name)
    finally:
        if was_enabled:
            gc.freeze()
            gc.enable()


class _BadInput(click.ClickException):
    exit_code = 2


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            if ctx.resilient_parsing:
                return None
            hint = did_you_mean(cmd_name, COMMANDS)
            raise click.UsageError(
                f"no command is called {cmd_name!r:.100}{hint} ('ur --help' lists them)", ctx
            )
        _check_room()
        module = _imported(f"ur_solver.cli.{_MODULES.get(cmd_name, cmd_name)}")
        command: click.Command = module.command
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Names of commands, which need not be imported for it."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        found = COMMANDS.items()
        return [
            CompletionItem(name, help=text) for name, text in found if name.startswith(incomplete)
        ]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            advice = _advice(error)
            if advice:
                raise click.UsageError(error.message + advice, error.ctx) from None
            raise
        except InputError as error:
            raise _BadInput(str(error)) from error
        except UrError as error:
            raise click.ClickException(str(error)) from error
        except MemoryError as error:
            raise click.ClickException("there is not enough memory") from error
        except ImportError as error:  # as under a limit of memory
            reason = str(error).strip().splitlines()[-1]
            raise click.ClickException(f"the program cannot be loaded: {reason}") from error
        except KeyboardInterrupt as stop:
            raise click.exceptions.Exit(_code_of(stop)) from None


def _advice(error: click.UsageError) -> str:
    """What else to say of an error that click has found, if there is more to say."""
    if error.ctx is None:
        return ""
    asked = error.ctx.command
    if isinstance(asked, click.Group) and error.message.startswith("No such command"):
        return f" Expected one of {', '.join(asked.list_commands(error.ctx))}."
    has_position = any(each.name == "position" for each in asked.params)
    if has_position and error.message.startswith("Got unexpected extra argument"):
        return "; a position stands in quotes, as it has spaces"  # which divide it in a shell
    return ""


def _code_of(stop: KeyboardInterrupt) -> int:
    return TERMINATED if isinstance(stop, _TerminatedError) else INTERRUPTED


def _terminate(_signal: int, _frame: object) -> NoReturn:
    raise _TerminatedError


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="ur-solver", prog_name="ur")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Exact solutions of the Royal Game of Ur."""
    if os.environ.get("NO_COLOR"):
        ctx.color = False


def main() -> NoReturn:
    """Run `ur` on the process's arguments and exit."""
    signal.signal(signal.SIGTERM, _terminate)
    try:
        try:
            cli(prog_name="ur")
        except SystemExit as end:
            code = int(end.code or 0)
        except KeyboardInterrupt as stop:
            code = _code_of(stop)
        if sys.stdout is not None:  # as it is where nobody wants the answer
            sys.stdout.flush()
    except OSError as error:
        where = "reading or writing" if error.filename is None else repr(error.filename)
        click.echo(f"Error: {where}: {error.strerror}", err=True)
        code = 1
    # at once: to take the interpreter and NumPy apart takes 40 ms
    if sys.stderr is not None:
        sys.stderr.flush()
    os._exit(code)
