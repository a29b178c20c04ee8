"""Arguments and options that mean the same on every command."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

import click

from ur_solver.rules import DICE, MAX_PIECES, PATHS, RuleSet, Stakes, named_rules

_F = TypeVar("_F", bound=Callable[..., Any])

table_argument = click.argument("table")
json_option = click.option("--json", "as_json", is_flag=True, help="JSON, one object a line.")
pieces_option = click.option(
    "-n",
    "pieces",
    type=click.IntRange(1, MAX_PIECES),
    help="Pieces of each side, in place of the rule set's own count.",
)

_CUSTOM = (
    click.option("--path", type=click.Choice(list(PATHS)), help="Another path."),
    click.option("--dice", type=click.Choice(list(DICE)), help="Other dice."),
    click.option(
        "--safe-rosettes/--no-safe-rosettes",
        default=None,
        help="Whether a piece on a rosette cannot be captured.",
    ),
    click.option(
        "--extra-on-rosette/--no-extra-on-rosette",
        default=None,
        help="Whether landing on a rosette gives an extra throw.",
    ),
    click.option(
        "--extra-on-capture/--no-extra-on-capture",
        default=None,
        help="Whether a capture gives an extra throw.",
    ),
    click.option("--extra-on-throw", type=int, help="The throw whose move gives an extra throw."),
    click.option(
        "--no-extra-on-throw", is_flag=True, default=None, help="No throw gives an extra throw."
    ),
    click.option("--stakes", is_flag=True, default=None, help="Played for money (bell)."),
    click.option("--ante", type=int, help="What each player pays at the start; 10 by default."),
    click.option("--fine", type=int, help="What landing on a rosette costs; 1 by default."),
    click.option("--fines", type=int, help="Fines up to which a table has values of their own."),
)


def custom_rule_options(function: _F) -> _F:
    """Options that change a rule set; `custom_rules` takes them as keyword arguments."""
    for option in reversed(_CUSTOM):
        function = option(function)
    return function


def custom_rules(
    word: str,
    pieces: int | None,
    *,
    path: str | None,
    dice: str | None,
    extra_on_throw: int | None,
    no_extra_on_throw: bool | None,
    stakes: bool | None,
    ante: int | None,
    fine: int | None,
    fines: int | None,
    **switches: bool | None,
) -> RuleSet:
    """The rule set that `word` asks for, changed as the options say.

    Stakes are added with their defaults where the options leave them open. One that becomes
    another game by it gets a name of its own, which tells the changes:
    ``finkel-murray-royalur``.
    """
    rules = named_rules(word, pieces)
    given = {"ante": ante, "fine": fine, "reach": fines}
    paid = {key: value for key, value in given.items() if value is not None}
    if stakes or (paid and rules.stakes is not None):
        rules = rules.with_stakes(dataclasses.replace(rules.stakes or Stakes(), **paid))
    elif paid:
        raise click.UsageError("--ante, --fine and --fines go with --stakes")
    changes: dict[str, Any] = {key: value for key, value in switches.items() if value is not None}
    names = {key: f"{'no-' * (not value)}{key.replace('_', '-')}" for key, value in changes.items()}
    if path is not None:
        changes["path"], names["path"] = PATHS[path], path
    if dice is not None:
        changes["dice"], names["dice"] = DICE[dice], dice
    if extra_on_throw is not None:
        if no_extra_on_throw:
            raise click.UsageError("--extra-on-throw and --no-extra-on-throw: give one of them")
        changes["extra_on_throw"] = extra_on_throw
        names["extra_on_throw"] = f"extra-on-throw-{extra_on_throw}"
    elif no_extra_on_throw:
        changes["extra_on_throw"], names["extra_on_throw"] = None, "no-extra-on-throw"
    changed = [key for key, value in changes.items() if value != getattr(rules, key)]
    if not changed:
        return rules
    changes["name"] = "-".join([rules.name, *(names[key] for key in sorted(changed))])
    return dataclasses.replace(rules, **changes)
