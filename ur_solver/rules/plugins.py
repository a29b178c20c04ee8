"""Modules of others that register families, kinds of squares, rule sets or notations."""

from __future__ import annotations

import importlib
from functools import lru_cache

from ur_solver.errors import InputError

GROUP = "ur_solver.plugins"
"""The group of entry points under which an installed package names such a module."""


def import_plugin(name: str) -> None:
    """Import a module that registers something.

    Raises
    ------
    InputError
        If it cannot be imported.
    """
    try:
        importlib.import_module(name)
    except Exception as error:
        raise InputError(
            f"module {name!r:.100} cannot be imported: {type(error).__name__}: {error}"
        ) from error


@lru_cache(maxsize=1)
def load_plugins() -> None:
    """Import the modules that installed packages name, once in a process.

    It is called when a name is not known and when names are listed, since it takes longer than
    a query.

    Raises
    ------
    InputError
        If one cannot be imported.
    """
    from importlib.metadata import entry_points  # noqa: PLC0415 - takes longer than a query

    for entry in entry_points(group=GROUP):
        import_plugin(entry.module)
