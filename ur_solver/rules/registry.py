"""What rule sets are made of, by name: families, kinds of squares, and the rule sets.

The package registers its own here, and other code may add to them: a rule
set by one call of `register_rules`, a kind of square or a family by a decorator on its class.
From then on JSON, the command line and tables know the name. A table or a JSON file that
names one can be read only where it is registered.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, TypeVar

from ur_solver.errors import RuleSetError, UnregisteredError
from ur_solver.rules.plugins import load_plugins

if TYPE_CHECKING:
    from ur_solver.rules.families.family import Family
    from ur_solver.rules.ruleset import RuleSet
    from ur_solver.rules.squares import SquareRule
    from ur_solver.rules.switches import Switch

FAMILIES: dict[str, type[Family]] = {}
"""The families, by name."""

SQUARE_RULES: dict[str, type[SquareRule]] = {}
"""The kinds of squares, by name."""

CATALOGUE: dict[str, RuleSet] = {}
"""The rule sets with their usual counts of pieces, by name."""

OLD_NAMES: dict[str, str] = {"masters-games": "four-again", "murray-3dice": "murray-0-to-3"}
"""By their names in earlier versions, which stay valid, the names of rule sets of the catalogue."""

_F = TypeVar("_F", bound="type[Family]")
_S = TypeVar("_S", bound="type[SquareRule]")


def register_rules(rules: RuleSet) -> RuleSet:
    """Add a rule set to the catalogue, under its name.

    Returns
    -------
    RuleSet
        The same.

    Raises
    ------
    RuleSetError
        If the name is taken, or is not of lower case letters, digits and single hyphens.

    Examples
    --------
    >>> from ur_solver.rules import DICE, PATHS, RuleSet, named_rules, register_rules
    >>> from ur_solver.rules.registry import CATALOGUE
    >>> _ = register_rules(RuleSet("finkel-d4", PATHS["bell"], DICE["d4"], 7))
    >>> named_rules("finkel-d4:3").start().notation
    '....__../......../....__.. L 3 3'
    >>> del CATALOGUE["finkel-d4"]
    """
    _check_name("rule set", rules.name, CATALOGUE | OLD_NAMES)
    CATALOGUE[rules.name] = rules
    return rules


def catalogued(name: str) -> RuleSet | None:
    """The rule set of the catalogue with a name; None if there is none.

    One that is asked for by its old name has that name: tables, records and JSON are as before.
    """
    new = OLD_NAMES.get(name)
    return CATALOGUE.get(name) if new is None else dataclasses.replace(CATALOGUE[new], name=name)


def register_square_rule(kind: _S) -> _S:
    """Make a kind of square known by its name; a decorator.

    Raises
    ------
    RuleSetError
        If the name is taken or malformed (as for `register_rules`), or the class has fields
        and is not a frozen dataclass.
    """
    _check_name("square rule", kind.name, SQUARE_RULES)
    maker = next(each for each in kind.__mro__ if "__init__" in vars(each))
    parameters: Any = vars(maker).get("__dataclass_params__")
    if maker is not object and not (parameters and parameters.frozen):
        raise RuleSetError(
            f"square rule {kind.name!r}: {kind.__name__} has fields and is not a frozen dataclass, "
            "by whose fields rule sets can be compared, hashed and written as JSON"
        )
    SQUARE_RULES[kind.name] = kind
    return kind


def register_family(family: _F) -> _F:
    """Make a family known by its name; a decorator.

    Raises
    ------
    RuleSetError
        If the name is taken or malformed (as for `register_rules`), or one of its switches
        has the key of another family's and is of another kind.
    """
    _check_name("family", family.name, FAMILIES)
    known = known_switches()
    for switch in family.switches:
        other = known.get(switch.key, switch)
        if type(other) is not type(switch):
            raise RuleSetError(
                f"family {family.name!r}: the switch {switch.key!r} is a "
                f"{type(switch).__name__}, and a {type(other).__name__} in another family; "
                "options and JSON know one of each key"
            )
    FAMILIES[family.name] = family
    return family


def known_switches() -> dict[str, Switch]:
    """The switches and shorthands of all families, by key; of those of one key the first."""
    found: dict[str, Switch] = {}
    for family in FAMILIES.values():
        for switch in (*family.switches, *family.shorthands):
            found.setdefault(switch.key, switch)
    return found


def family_named(name: object) -> type[Family]:
    """The family called `name`; UnregisteredError if there is none."""
    if isinstance(name, str) and name not in FAMILIES:
        load_plugins()
    if isinstance(name, str) and name in FAMILIES:
        return FAMILIES[name]
    raise UnregisteredError(
        f"family is {name!r:.100}; the families are {', '.join(FAMILIES)}, and those that plugins "
        "and modules imported by --import register"
    )


def _check_name(what: str, name: str, known: dict[str, Any]) -> None:
    if not (name.isascii() and name == name.lower() and all(map(str.isalnum, name.split("-")))):
        raise RuleSetError(
            f"{what} {name!r:.100}: expected lower-case letters, digits and single hyphens"
        )
    if name in known:
        raise RuleSetError(f"{what} {name!r}: the name is already taken")
