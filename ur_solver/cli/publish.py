"""`ur publish`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ur_solver.cli.output import columns, echo, say, size_text
from ur_solver.errors import UrError
from ur_solver.rules import CATALOGUE

if TYPE_CHECKING:
    from ur_solver.api.evaluator import Evaluator
    from ur_solver.estimators.estimator import Estimator
    from ur_solver.rules import RuleSet


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("words", metavar="[TABLE]...", nargs=-1)
@click.option("--only", "is_only", is_flag=True, help="Publish nothing but the TABLEs.")
@click.option("--quiet", "-q", is_flag=True, help="Print nothing unless the command fails.")
def command(folder: Path, words: tuple[str, ...], is_only: bool, quiet: bool) -> None:
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
    from ur_solver.estimators.finding import find_estimator  # noqa: PLC0415 - as above

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
