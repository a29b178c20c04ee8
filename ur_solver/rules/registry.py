"""What is registered by name: the check of a name, and modules of others that register something.

The package registers its own families, kinds of squares, rule sets and notations, and other code
may add to them: a rule set by a call of `register_rules`, a kind of square or a family by a
decorator on its class. From then on JSON, the command line and tables know the name. A table or a
JSON file that names one can be read only where it is registered.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeVar

from ur_solver.errors import InputError, RuleSetError


def check_name(what: str, name: str, known: Mapping[str, Any]) -> None:
    """Raise RuleSetError if a name is malformed, or is already known."""
    if not (name.isascii() and name == name.lower() and all(map(str.isalnum, name.split("-")))):
        raise RuleSetError(
            f"{what} {name!r:.100}: expected lower-case letters, digits and single hyphens"
        )
    if name in known:
        raise RuleSetError(f"{what} {name!r}: the name is already taken")


_T = TypeVar("_T")

GROUP = "ur_solver.plugins"
"""The group of entry points under which an installed package names such a module."""


def import_plugin(name: str) -> None:
    """Import a module that registers something; InputError if it cannot be imported."""
    try:
        importlib.import_module(name)
    except Exception as error:
        raise InputError(
            f"module {name!r:.100} cannot be imported: {type(error).__name__}: {error}"
        ) from error


@lru_cache(maxsize=1)
def load_plugins() -> None:
    """Import the modules that installed packages name, once in a process.

    It is called when a name is not known and when names are listed, since it takes longer than a
    query. InputError if one cannot be imported.
    """
    from importlib.metadata import entry_points  # noqa: PLC0415 - takes longer than a query

    for entry in entry_points(group=GROUP):
        import_plugin(entry.module)


def registered(name: object, known: Mapping[str, _T]) -> _T | None:
    """What goes by a name in a registry; plugins are loaded before it is None."""
    if not isinstance(name, str):
        return None
    if name not in known:
        load_plugins()
    return known.get(name)
