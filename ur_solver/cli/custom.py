"""Options that change a rule set: path, dice, and the switches that families declare."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import singledispatch
from typing import Any, TypeVar

import click

from ur_solver.rules import DICE, PATHS, RuleSet, Stakes, named_rules
from ur_solver.rules.registry import FAMILIES, known_switches
from ur_solver.rules.switches import (
    CountSwitch,
    Flag,
    OneOf,
    SquaresSwitch,
    StakesSwitch,
    Switch,
    ThrowSwitch,
    squares_of,
)

_F = TypeVar("_F", bound=Callable[..., Any])

Options = dict[str, Any]
"""What the custom rule options were given, by the parameters of the command; None if not."""


def custom_rule_options(function: _F) -> _F:
    """Options that change a rule set; `custom_rules` takes them as keyword arguments.

    The families' switches declare them.
    """
    options = [
        click.option("--path", type=click.Choice(list(PATHS)), help="Play on another path."),
        click.option("--dice", type=click.Choice(list(DICE)), help="Play with other dice."),
    ]
    for switch in known_switches().values():
        options += _options(switch)
    for option in reversed(options):
        function = option(function)
    return function


def custom_rules(
    word: str, pieces: int | None, *, path: str | None, dice: str | None, **given: Any
) -> RuleSet:
    """The rule set named `word`, changed by the options.

    Stakes get their defaults where no option is given. A changed rule set gets a new name made of
    the changes: ``finkel-murray-royalur``.
    """
    rules = named_rules(word, pieces)
    changes: dict[str, Any] = {}
    for key, switch in known_switches().items():
        changes |= _change(switch, given, rules.switches.get(key))
    return rules.changed(
        path=None if path is None else PATHS[path],
        dice=None if dice is None else DICE[dice],
        **changes,
    )


@singledispatch
def _options(switch: Switch) -> list[Callable[[_F], _F]]:
    """The options that set a switch."""
    raise NotImplementedError


@singledispatch
def _change(switch: Switch, given: Options, before: Any) -> dict[str, Any]:
    """The switch and its new value by the options; empty if it stays as `before`."""
    value = given[switch.key]
    return {} if value is None else {switch.key: value}


@_options.register(Flag)
def _flag_options(switch: Flag) -> list[Callable[[_F], _F]]:
    name = switch.dashed
    return [click.option(f"--{name}/--no-{name}", default=None, help=switch.help)]


@_options.register(OneOf)
def _word_options(switch: OneOf) -> list[Callable[[_F], _F]]:
    known = [each for family in FAMILIES.values() for each in family.switches]
    values = [each.meanings for each in known if isinstance(each, OneOf) and each.key == switch.key]
    words = dict.fromkeys(word for each in values for word in each)
    return [click.option(f"--{switch.dashed}", type=click.Choice(list(words)), help=switch.help)]


@_options.register(ThrowSwitch)
def _throw_options(switch: ThrowSwitch) -> list[Callable[[_F], _F]]:
    name = switch.dashed
    return [
        click.option(f"--{name}", type=int, help=switch.help),
        click.option(
            f"--no-{name}", is_flag=True, default=None, help="Give no extra throw for any throw."
        ),
    ]


@_change.register(ThrowSwitch)
def _throw_change(switch: ThrowSwitch, given: Options, before: Any) -> dict[str, Any]:
    throw, is_off = given[switch.key], given[f"no_{switch.key}"]
    if throw is not None and is_off:
        name = switch.dashed
        raise click.UsageError(f"--{name} and --no-{name} exclude each other")
    return {} if throw is None and not is_off else {switch.key: throw}


@_options.register(CountSwitch)
def _count_options(switch: CountSwitch) -> list[Callable[[_F], _F]]:
    kind = click.IntRange(1, switch.most)
    return [click.option(f"--{switch.dashed}", type=kind, metavar="N", help=switch.help)]


@_options.register(SquaresSwitch)
def _squares_options(switch: SquaresSwitch) -> list[Callable[[_F], _F]]:
    return [click.option(f"--{switch.dashed}", metavar="SQUARES", help=switch.help)]


@_change.register(SquaresSwitch)
def _squares_change(switch: SquaresSwitch, given: Options, before: Any) -> dict[str, Any]:
    """Squares with commas between them; ``none`` for no square."""
    text = given[switch.key]
    if text is None:
        return {}
    return {switch.key: () if text == "none" else squares_of(text.upper().split(","))}


@_options.register(StakesSwitch)
def _stakes_options(switch: StakesSwitch) -> list[Callable[[_F], _F]]:
    return [
        click.option(f"--{switch.dashed}", is_flag=True, default=None, help=switch.help),
        click.option(
            "--ante", type=int, help="Set each player's stake at the start; 10 by default."
        ),
        click.option(
            "--fine", type=int, help="Charge this for landing on a rosette; 1 by default."
        ),
        click.option("--fines", type=int, metavar="N", help="Store values for up to N fines."),
    ]


@_change.register(StakesSwitch)
def _stakes_change(switch: StakesSwitch, given: Options, before: Any) -> dict[str, Any]:
    amounts = {"ante": given["ante"], "fine": given["fine"], "reach": given["fines"]}
    paid = {key: value for key, value in amounts.items() if value is not None}
    if given[switch.key] or (paid and before is not None):
        return {switch.key: dataclasses.replace(before or Stakes(), **paid)}
    if paid:
        raise click.UsageError("--ante, --fine and --fines need --stakes")
    return {}
