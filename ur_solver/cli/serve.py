"""`ur serve` and `ur publish`: the board's page, by a server and as a site of files."""

from __future__ import annotations

import ipaddress
import socket
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ur_solver.cli.options import TABLE_PATH, memory_option, number_option, tables_argument
from ur_solver.cli.output import columns, echo, say
from ur_solver.common.progress import shown_task
from ur_solver.common.text import size_text
from ur_solver.errors import InputError, UrError, missing_extra
from ur_solver.rules import CATALOGUE
from ur_solver.serve.front import Front, bound_socket

if TYPE_CHECKING:
    from ur_solver.estimators.estimator import Estimator
    from ur_solver.estimators.evaluator import Evaluator
    from ur_solver.rules import RuleSet
    from ur_solver.serve.front import Application
    from ur_solver.serve.shelf import Shelf


_PACKAGES = ("starlette", "uvicorn", "httptools", "msgspec")


@click.command()
@tables_argument
@number_option(
    "--port", within=(0, 65535), default=8787, help="Listen on port N; 0 chooses a free one."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Listen on this address.")
@click.option("--name", "names", multiple=True, help="Answer to this host name, besides localhost.")
@memory_option("Use this much memory for tables, such as 2G; by default half of what is free.")
@click.option(
    "--root-path",
    default="",
    metavar="PATH",
    help="Also serve under this path, such as /ur, for a proxy.",
)
@click.option("--access-log", is_flag=True, help="Print a line for each request.")
@click.option("--open", "is_opened", is_flag=True, help="Open the browser.")
@click.option(
    "--get", "path", help="Print the answer to one request, such as /api/v1/tables, and exit."
)
def serve_command(
    words: tuple[str, ...],
    port: int,
    host: str,
    names: tuple[str, ...],
    memory: int | None,
    root_path: str,
    access_log: bool,
    is_opened: bool,
    path: str | None,
) -> None:
    """Serve TABLEs: the board in the browser, and an HTTP interface for programs.

    A TABLE is a file or a rule set, such as finkel or finkel:3. Without a table, an estimator is
    served ('ur train'). By default all tables in the folders of tables are served, and the
    estimators of other games. If there are no tables, finkel with 3 pieces is solved first.

    \b
    ur serve --open
    ur serve finkel:3 --get '/api/v1/tables/finkel-3'
    """
    for package in _PACKAGES:
        if find_spec(package) is None:
            raise InputError(missing_extra("'ur serve' needs extra packages", "serve", package))
    own = [socket.gethostname(), host] if _is_open_to_others(host) else []
    front = Front((*own, *names), root_path, access_log)
    if path is not None:
        from ur_solver.serve.app import make_app  # noqa: PLC0415 - an extra
        from ur_solver.serve.run import answer_once  # noqa: PLC0415 - same

        _answer(answer_once(make_app(_shelf(words, memory), front), _checked(path)))
        return
    with bound_socket(host, port) as sock:
        address = f"http://{_shown(host)}:{sock.getsockname()[1]}{front.root_path}/"
        # The browser loads the page while the rest is loaded here; but not where the tables that
        # are asked for may not be there.
        if is_opened and not words:
            webbrowser.open(address)
        from ur_solver.serve.run import serve  # noqa: PLC0415 - an extra

        def load() -> Application:
            shelf = _shelf(words, memory)
            if is_opened and words:
                webbrowser.open(address)
            from ur_solver.serve.app import make_app  # noqa: PLC0415 - an extra

            app = make_app(shelf, front)
            if own:
                say(f"anybody who can reach {host} can use this server; it has no passwords")
            say(f"{', '.join(shelf)}: {address} (Ctrl-C stops it)")
            return app

        serve(load, front, sock)


def _shelf(words: tuple[str, ...], memory: int | None) -> Shelf:
    """What the words name; without any, all that there is."""
    from ur_solver.cli.answering import open_answering  # noqa: PLC0415 - 0.1 s of HDF5 and NumPy
    from ur_solver.serve.shelf import Shelf, open_shelf  # noqa: PLC0415 - same

    if words:
        return Shelf([open_answering(word) for word in words], memory)
    return open_shelf(say, memory)


def _checked(path: str) -> str:
    if path.startswith("/") and path.isascii() and path.isprintable():
        return path
    raise InputError(f"--get {path!r:.80}: expected an address such as /api/v1/tables")


def _answer(answer: tuple[int, bytes]) -> None:
    status, body = answer
    echo(body.decode(errors="replace"), raw=True)
    if status >= 400:
        raise click.exceptions.Exit(2 if status < 500 else 1)


def _is_open_to_others(host: str) -> bool:
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host != "localhost"


def _shown(host: str) -> str:
    """A host as in an address; an address of this machine if the host is any."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if address.is_unspecified:
        return "localhost"
    return f"[{host}]" if address.version == 6 else host


@click.command()
@click.argument("folder", type=TABLE_PATH)
@tables_argument
@click.option("--only", "is_only", is_flag=True, help="Publish nothing but the TABLEs.")
@click.option("--quiet", "-q", is_flag=True, help="Print nothing unless the command fails.")
def publish_command(folder: Path, words: tuple[str, ...], is_only: bool, quiet: bool) -> None:
    """Write a site of plain files into FOLDER, for any web server and any address.

    It is the board's page without a server: all rule sets of the catalogue, with their estimators
    ('ur train'), and exact values from each TABLE, a file or a rule set such as finkel:3. A page
    that has been opened once also opens offline. An earlier site in FOLDER is replaced; any other
    folder must be empty.

    \b
    ur publish site finkel:3
    """
    from ur_solver.publish.folder import SiteFolder  # noqa: PLC0415 - 0.1 s of HDF5 and NumPy
    from ur_solver.publish.site import publish  # noqa: PLC0415 - same

    if is_only and not words:
        raise click.UsageError("--only publishes the TABLEs that are named; name one")
    SiteFolder(folder)  # before anything is solved
    rules = [] if is_only else list(CATALOGUE.values())
    with ExitStack() as stack:
        named = list(_named(words))
        for each in named:
            stack.callback(each.close)
        with shown_task("writing the site"):
            written = publish(folder, [*named, *_estimators(rules, named)], rules)
    if not quiet:
        rows = [[part, size_text(size)] for part, size in sorted(written.sizes.items())]
        echo(columns([*rows, ["files", f"{written.n_files:,}"]], "<>"))


def _named(words: Sequence[str]) -> Iterator[Evaluator]:
    """The tables and estimators of some words."""
    from ur_solver.cli.answering import open_answering  # noqa: PLC0415 - as above

    for word in words:
        found = open_answering(word)
        found.check_whole("ur publish")
        yield found if found.are_exact else _alone(found, found.rules)


def _alone(estimator: Estimator, rules: RuleSet) -> Estimator:
    """An estimator as pages use it: with fewer plies, and without a table of endings."""
    from ur_solver.estimators.estimator import Estimator  # noqa: PLC0415 - as above
    from ur_solver.publish.site import PLIES  # noqa: PLC0415

    estimator.close()
    # a game may have got another name since
    return Estimator(replace(estimator.stored, rules=rules), plies=PLIES)


def _estimators(rules: Sequence[RuleSet], known: Sequence[Evaluator]) -> Iterator[Estimator]:
    """The estimators of rule sets whose values are not known; faulty ones are reported."""
    from ur_solver.estimators.estimator import find_estimator  # noqa: PLC0415 - as above

    for each in rules:
        if any(each.is_same_game(other.rules) for other in known):
            continue
        try:
            found = find_estimator(each)
        except UrError as error:
            say(f"{error}; it is not published")
            continue
        if found is not None:
            yield _alone(found, each)
