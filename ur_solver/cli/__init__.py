"""The commands of `ur`; the only room that prints, prompts or parses arguments.

The command NAME is a click command called `NAME_command` in a module of this package, which is
imported on use: importing NumPy and h5py is most of a short command's time, and some need neither.
"""

from __future__ import annotations

import errno
import gc
import importlib
import io
import os
import signal
import sys
import warnings
from types import ModuleType
from typing import Any, NoReturn

import click
from click.shell_completion import CompletionItem, add_completion_class

try:
    import resource
except ImportError:  # Windows, which knows no such limit
    resource = None  # type: ignore[assignment]

from ur_solver.cli.completion import Bash, Fish
from ur_solver.common.text import ENCODABLE, printable
from ur_solver.errors import IgnoredFileWarning, InputError, UrError, did_you_mean

add_completion_class(Bash)
add_completion_class(Fish)

# Networks are divided over threads of our own; BLAS's take NumPy 35 ms to start.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

COMMANDS = {
    "rules": "List the rule sets, or show one.",
    "solve": "Solve a rule set and write its table.",
    "train": "Train an estimator of a game too large to solve.",
    "plan": "Estimate the time and memory of a solve.",
    "query": "Show the value of a position.",
    "best": "Rank the legal moves, best first.",
    "moves": "List legal moves and their successors, without a table.",
    "tables": "List, verify and remove tables.",
    "info": "Describe a table, or list the folders in use.",
    "verify": "Check a table from its file alone.",
    "certify": "Prove a bound on the error of a table.",
    "audit": "Judge recorded games.",
    "convert": "Convert games to another notation.",
    "dice": "Compare the throws of games with fair dice.",
    "practise": "Practise your mistakes, or decisions drawn from play.",
    "pack": "Copy a table into one file or a folder.",
    "fetch": "Fetch a table from a web server.",
    "import": "Convert RoyalUr's solved map to a table.",
    "export": "Convert a table to RoyalUr's solved map or to columns.",
    "play": "Play against a table.",
    "record": "Record a game played at a real table.",
    "review": "Review many games: over time, by first choices and rules of thumb.",
    "sample": "Play games between built-in players.",
    "evaluate": "Compare two policies in play, or judge one.",
    "duel": "Let two programs play against each other.",
    "study": "Analyse how a rule set plays.",
    "compare": "Compare rule sets side by side.",
    "serve": "Serve the board in the browser and an HTTP interface.",
    "publish": "Write the board's page as a site of plain files.",
    "board": "Draw a position.",
}
"""The commands, each with the line that `ur --help` shows without importing it."""

_TOGETHER = {
    "audit": ("review",),
    "evaluate": ("duel", "sample"),
    "games": ("convert", "dice"),
    "maps": ("import", "export"),
    "query": ("best",),
    "serve": ("publish",),
    "study": ("compare",),
    "tables": ("info", "verify", "certify", "pack", "fetch"),
}
_MODULES = {name: module for module, names in _TOGETHER.items() for name in names}
"""The modules of commands that are not in a module of their own name."""

INTERRUPTED, TERMINATED = 130, 143
"""The exit codes after Ctrl-C and SIGTERM, as in shells: 128 plus the signal's number."""


class _TerminatedError(KeyboardInterrupt):
    """SIGTERM, which ends a command like Ctrl-C: finished work is kept."""


_LEAST_ROOM = 256 << 20
"""The least address space for a command; loading NumPy and HDF5 takes most of it."""


def _check_room() -> None:
    """Check the address space before libraries are loaded; some fail silently without enough."""
    if resource is None:
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < _LEAST_ROOM:
        raise click.ClickException(
            f"address space is limited to {limit >> 20} MiB (ulimit -v); "
            f"at least {_LEAST_ROOM >> 20} MiB are needed"
        )


def _imported(name: str) -> ModuleType:
    """Import a module without garbage collection, which would take 12 ms and free nothing."""
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
                f"no such command: {cmd_name!r:.100}{hint} ('ur --help' lists the commands)", ctx
            )
        _check_room()
        module = _imported(f"ur_solver.cli.{_MODULES.get(cmd_name, cmd_name)}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the names of commands without importing them."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        found = COMMANDS.items()
        return [
            CompletionItem(name, help=text) for name, text in found if name.startswith(incomplete)
        ]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def main(self, *args: Any, **options: Any) -> Any:
        """Run a command; input and output replace characters that their encoding lacks."""
        handlers = ((sys.stdin, "replace"), (sys.stdout, ENCODABLE), (sys.stderr, ENCODABLE))
        for stream, errors in handlers:
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors=errors)
        return super().main(*args, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; its error is a sentence, no wider than the window."""
        try:
            try:
                with warnings.catch_warnings():
                    warnings.filterwarnings("default", category=IgnoredFileWarning)
                    warnings.showwarning = _show
                    return super().invoke(ctx)
            except click.UsageError as error:
                message = printable(error.format_message() + _advice(error))
                raise click.UsageError(message, error.ctx) from None
            except InputError as error:
                raise _BadInput(printable(str(error))) from error
            except UrError as error:
                raise click.ClickException(printable(str(error))) from error
            except MemoryError as error:
                raise click.ClickException("there is not enough memory") from error
            except OSError as error:
                if error.errno == errno.EPIPE:  # nobody wants the answer
                    raise
                raise click.ClickException(_fault_of(error)) from error
            except ImportError as error:  # for example under a memory limit
                reason = str(error).strip().splitlines()[-1]
                raise click.ClickException(f"the program cannot be loaded: {reason}") from error
            except KeyboardInterrupt as stop:
                raise click.exceptions.Exit(_code_of(stop)) from None
        except click.ClickException as error:
            from ur_solver.cli.output import filled, window  # noqa: PLC0415 - 50 ms of rules

            if (width := window(sys.stderr)) is not None:
                text = filled(error.format_message(), width, len("Error: "))
                error.message = text  # type: ignore[misc]
            raise


def _show(message: Warning | str, *_where: Any, **_more: Any) -> None:
    """Print a warning as a sentence, without the line of the program that gave it."""
    click.echo(printable(str(message)), err=True)


def _advice(error: click.UsageError) -> str:
    """Advice to add to an error that click has found; empty if there is none."""
    if error.ctx is None:
        return ""
    asked = error.ctx.command
    if isinstance(asked, click.Group) and error.message.startswith("No such command"):
        return f" Expected one of {', '.join(asked.list_commands(error.ctx))}."
    position = error.ctx.params.get("position")
    if position and " " not in position and error.message.startswith("Got unexpected extra"):
        return "; quote a position, as it contains spaces"  # at which a shell splits it
    return ""


def _fault_of(error: OSError) -> str:
    where = "reading or writing" if error.filename is None else repr(error.filename)
    return f"{where}: {error.strerror or error}"


def _code_of(stop: KeyboardInterrupt) -> int:
    return TERMINATED if isinstance(stop, _TerminatedError) else INTERRUPTED


def _terminate(_signal: int, _frame: object) -> NoReturn:
    raise _TerminatedError


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="ur-solver", prog_name="ur")
@click.option(
    "--import",
    "modules",
    multiple=True,
    metavar="MODULE",
    help="Import a Python module that registers rules, squares or notations. May be repeated.",
)
@click.pass_context
def cli(ctx: click.Context, modules: tuple[str, ...]) -> None:
    """Exact solutions of the Royal Game of Ur."""
    if os.environ.get("NO_COLOR"):
        ctx.color = False
    for module in modules:
        from ur_solver.rules.registry import import_plugin  # noqa: PLC0415 - rarely asked for

        import_plugin(module)


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
        if sys.stdout is not None:  # None if standard output is closed
            sys.stdout.flush()
    except OSError as error:
        click.echo(f"Error: {_fault_of(error)}", err=True)
        code = 1
    # at once: an orderly end of the interpreter and NumPy takes 40 ms
    if sys.stderr is not None:
        sys.stderr.flush()
    os._exit(code)
