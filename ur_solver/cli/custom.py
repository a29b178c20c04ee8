"""Options that change a rule set: path, dice, and the switches that families declare.

Help lists them in a section of their own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import click

from ur_solver.cli.output import say
from ur_solver.rules import DICE, PATHS, RuleSet, Stakes, named_rules
from ur_solver.rules.effects import idle_words
from ur_solver.rules.family import FAMILIES, known_switches
from ur_solver.rules.settings import (
    CountSwitch,
    Flag,
    OneOf,
    SquaresSwitch,
    StakesSwitch,
    Switch,
    ThrowSwitch,
    squares_of,
)

_OTHERS, _RULES = "Options", "Changes of the rules"
_NONE: Mapping[str, Sequence[str]] = {}


class RuleOption(click.Option):
    """An option that changes a rule set; help lists them in a section of their own.

    It is an error to give it twice with different values; click alone would take the last one.
    """

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Add the option, and look at every value that the parser finds."""
        super().add_to_parser(parser, ctx)
        for name in (*self.opts, *self.secondary_opts):
            known = parser._long_opt[name]
            known.process = partial(self._take, known.process)

    def _take(self, process: Callable[[Any, Any], None], value: Any, state: Any) -> None:
        before = state.opts.get(self.name)
        process(value, state)
        after = state.opts[self.name]
        if before not in (None, after):
            names = " and ".join([*self.opts, *self.secondary_opts])
            raise click.UsageError(
                f"{names} exclude each other"
                if self.secondary_opts
                else f"{names} is given twice, with {before} and with {after}"
            )


class SectionedCommand(click.Command):
    """A command whose help lists its options in sections, and what changes the rules last.

    `sections` has the names of parameters by heading, in their order; others are *Options*.
    """

    def __init__(
        self, *arguments: Any, sections: Mapping[str, Sequence[str]] = _NONE, **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self._sections = sections

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, section by section."""
        rows = {heading: dict.fromkeys(names) for heading, names in self._sections.items()}
        heading_of = {name: heading for heading, names in rows.items() for name in names}
        rows |= {_OTHERS: {}, _RULES: {}}
        for each in self.get_params(ctx):
            if isinstance(each, click.Option):
                name = "help" if each is self.get_help_option(ctx) else str(each.name)
                usual = _RULES if isinstance(each, RuleOption) else _OTHERS
                rows[heading_of.get(name, usual)][name] = each.get_help_record(ctx)
        for heading, named in rows.items():
            if shown := [row for row in named.values() if row is not None]:
                with formatter.section(heading):
                    formatter.write_dl(shown)


_F = TypeVar("_F", bound=Callable[..., Any])

_option = partial(click.option, cls=RuleOption)

Options = dict[str, Any]
"""What the custom rule options were given, by the parameters of the command; None if not."""


def custom_rule_options(function: _F) -> _F:
    """Options that change a rule set; `custom_rules` takes them as keyword arguments.

    The families' switches declare them.
    """
    options = [
        _option("--path", type=click.Choice(list(PATHS)), help="Play on another path."),
        _option("--dice", type=click.Choice(list(DICE)), help="Play with other dice."),
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
    the changes: ``finkel-murray-royalur``. Switches that change nothing are
    reported on standard error.
    """
    rules = named_rules(word, pieces)
    changes: dict[str, Any] = {}
    for key, switch in known_switches().items():
        changes |= _change(switch, given, rules.switches.get(key))
    changed = rules.changed(
        path=None if path is None else PATHS[path],
        dice=None if dice is None else DICE[dice],
        **changes,
    )
    if words := idle_words(changed):
        say(words)
    return changed


def _options(switch: Switch) -> list[Callable[[_F], _F]]:
    """The options that set a switch."""
    name, text = f"--{switch.dashed}", switch.help
    match switch:
        case Flag():
            return [_option(f"{name}/--no-{switch.dashed}", default=None, help=text)]
        case OneOf():
            known = [each for family in FAMILIES.values() for each in family.switches]
            same = [each for each in known if isinstance(each, OneOf) and each.key == switch.key]
            words = dict.fromkeys(word for each in same for word in each.meanings)
            return [_option(name, type=click.Choice(list(words)), help=text)]
        case CountSwitch():
            return [_option(name, type=click.IntRange(1, switch.most), metavar="N", help=text)]
        case SquaresSwitch():
            return [_option(name, metavar="SQUARES", help=text)]
        case ThrowSwitch():
            none = "Give no extra throw for any throw."
            return [
                _option(name, type=int, help=text),
                _option(f"--no-{switch.dashed}", is_flag=True, default=None, help=none),
            ]
        case StakesSwitch():
            ante = "Set each player's stake at the start; 10 by default."
            fine = "Charge this for landing on a rosette; 1 by default."
            return [
                _option(name, is_flag=True, default=None, help=text),
                _option("--ante", type=int, help=ante),
                _option("--fine", type=int, help=fine),
                _option("--fines", type=int, metavar="N", help="Store values for up to N fines."),
            ]
    raise NotImplementedError(f"options for {type(switch).__name__}")


def _change(switch: Switch, given: Options, before: Any) -> dict[str, Any]:
    """The switch and its new value by the options; empty if it stays as `before`."""
    value = given[switch.key]
    match switch:
        case SquaresSwitch() if value is not None:
            value = () if value == "none" else squares_of(value.upper().split(","))
        case ThrowSwitch() if given[f"no_{switch.key}"]:
            if value is not None:
                name = switch.dashed
                raise click.UsageError(f"--{name} and --no-{name} exclude each other")
            return {switch.key: None}
        case StakesSwitch():
            amounts = {"ante": given["ante"], "fine": given["fine"], "reach": given["fines"]}
            paid = {key: amount for key, amount in amounts.items() if amount is not None}
            if paid and not (value or before):
                raise click.UsageError("--ante, --fine and --fines need --stakes")
            if value or paid:
                value = dataclasses.replace(before or Stakes(), **paid)
    return {} if value is None else {switch.key: value}
